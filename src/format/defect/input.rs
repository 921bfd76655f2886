//! Defects of archives and files, and the errors that prevented reading them.

use serde::{Deserialize, Serialize};
use thiserror::Error;
use uuid::Uuid;

/// A budget that an input exceeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Budget {
    /// Bytes of the whole input, after decompression.
    BytesInAll,
    /// Entries of an archive.
    Members,
    /// Files of an unpacked archive.
    Files,
    /// Bytes of one entry.
    BytesInMember,
    /// Bytes of one file.
    BytesInFile,
    /// Bytes of a name.
    BytesInName,
}

/// The part of a database that exceeds a limit, and is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LeftOut {
    /// Values of rows with too many bytes.
    Values,
    /// Rows with too many bytes.
    Rows,
    /// The rows of a table with too many columns.
    Columns,
    /// The columns of a table, because names take too much memory.
    Names,
    /// The columns of tables after too many others.
    Tables,
    /// Tables whose definition has too many bytes.
    Definitions,
    /// The rows of databases after too many others.
    Databases,
    /// The rows of regions after too many others.
    Regions,
    /// Regions in the list of a grid, because names take too much memory.
    ListedRegions,
}

/// Why the name of an entry is not safe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnsafeName {
    /// The name is an absolute path.
    Absolute,
    /// The name leads out of the archive.
    LeadsOut,
    /// The name contains control characters.
    ControlCharacters,
}

/// How the structure of a tar is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Error)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case")]
#[allow(missing_docs, reason = "a variant says what its parameters are")]
pub enum TarFault {
    /// The tar ends inside a header.
    #[error("the tar ends inside a header, {filled} bytes into it, at byte {position}")]
    CutHeader { filled: u64, position: u64 },
    /// The tar ends inside an entry.
    #[error("the tar ends at byte {position}, {missing} bytes before the end of a member")]
    CutMember { position: u64, missing: u64 },
    /// Other bytes are in the place of a header.
    #[error("no header at byte {offset}")]
    NoHeader { offset: u64 },
    /// A header has no size.
    #[error("the header at byte {offset} has no size")]
    NoSize { offset: u64 },
}

/// Why the rows of a table are unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TableLoss {
    /// It is not in the dump or the database, and nothing says why.
    Absent,
    /// The program that wrote the dump did not find it.
    NotFound,
    /// The server said that it is damaged.
    Crashed,
    /// The user of the dump may not read it.
    Denied,
    /// The program that wrote the dump failed at it.
    Failed,
    /// It has columns and no rows, and rows of other tables belong to its own.
    WithoutRows,
    /// The file with its rows is missing.
    FileMissing,
}

/// Why the rows of a database may be of different moments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Error)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case")]
#[allow(missing_docs, reason = "a variant says what its parameters are")]
pub enum SnapshotDoubt {
    /// A program changed it during each reading.
    #[error("it changed during each of {readings} readings")]
    Changing { readings: u32 },
    /// Assets that were read first are others in the state that was read last.
    #[error("{assets} assets changed between two readings")]
    AssetsChanged { assets: u64 },
    /// A transaction over several databases has not ended.
    #[error("a transaction over several databases has not ended")]
    SharedTransaction,
}

/// How a database of SQLite is damaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Error)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case")]
#[allow(missing_docs, reason = "a variant says what its parameters are")]
pub enum SqliteFault {
    /// The header is damaged.
    #[error("its header is damaged")]
    Header,
    /// The database has fewer pages than its header says.
    #[error("its last {pages} pages are missing")]
    Cut { pages: u64 },
    /// A page is outside of the database.
    #[error("page {page} is missing")]
    NoPage { page: u32 },
    /// A page is in two places.
    #[error("page {page} is used twice")]
    UsedTwice { page: u32 },
    /// A page of a table is something else.
    #[error("page {page} is no page of a table")]
    NoTablePage { page: u32 },
    /// The tree of a table has too many levels.
    #[error("page {page} is below too many others")]
    TooDeep { page: u32 },
    /// A row is damaged.
    #[error("a row in page {page} is damaged")]
    Row { page: u32 },
}

/// A defect of an input, or of one of its entries as a whole. Its place has the entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case")]
#[allow(missing_docs, reason = "a variant says what its parameters are")]
pub enum InputDefect {
    /// The input or an entry could not be read.
    Unreadable { why: String },
    /// The time limit was reached, or the user stopped the run.
    TimeOver { why: String },
    /// A decoder of this program panicked.
    Panicked { words: String },
    /// This number of runs died while they read the input, so it was left out.
    EndedRuns { runs: u32 },
    /// The named file is not an export.
    NoExport { looks_like: String },
    /// The file was removed after its folder was listed.
    Vanished,
    /// The file shrank while it was read.
    Shrank { from: u64, to: u64 },
    /// A compressed stream is damaged after `position` bytes of content. `why` is `None` if the stream is cut short.
    Damaged { why: Option<String>, position: u64 },
    /// The structure of a tar is broken.
    BrokenTar { why: TarFault },
    /// The entry is larger than 32-bit readers accept.
    MemberTooLarge,
    /// Headers have wrong checksums.
    WrongChecksums { headers: u64 },
    /// The tar has no end marker.
    NoEndMarker,
    /// The entry is neither a file nor a folder; its header has this type.
    SpecialMember { what: char },
    /// The tar has pax records, which OpenSim reads as files.
    PaxRecords { records: u64 },
    /// Tar records have names that OpenSim reads as objects or parcels; `first` is the first record.
    RecordsReadAsObjects { first: String },
    /// OpenSim reads files as content that macOS or Windows added; `first` is the first entry.
    AddedReadAsContent { first: String },
    /// The name of an entry is not safe.
    UnsafeName { why: UnsafeName },
    /// Names of entries are not UTF-8.
    NamesNotUtf8 { names: u64 },
    /// A name occurs more than once.
    NameTwice,
    /// The name of an asset has no UUID or no known type.
    AssetName,
    /// Names of entries begin with `./`. `control` is whether that of the control file does.
    DottedEntries { control: bool },
    /// The control file is in a folder.
    ControlBelowFolder,
    /// The archive has files of a region that the control file does not list.
    RegionNotListed { folder: String },
    /// The control file lists a region, but the archive has no files of it.
    RegionWithoutFiles { folder: String },
    /// Prims of a region have no root there, so no loader makes objects of them. `first` is the first of them.
    OrphanPrims { region: Uuid, prims: u64, first: Uuid },
    /// Prims of a region have no row with their shape. `first` is the first of them.
    PrimsWithoutShape { region: Uuid, prims: u64, first: Uuid },
    /// A database has no readable rows of a table that it must have.
    TableMissing { database: String, table: String, why: TableLoss },
    /// A dump has objects, but none of the tables of the land.
    OnlyObjects { database: String, tables: String },
    /// A dump has columns of tables and no row at all.
    NoRows { tables: u64 },
    /// A dump has no table at all.
    NoTables { said: String },
    /// A dump has messages of the program that wrote it. `first` is the worst of them.
    DumpMessages { errors: u64, first: String },
    /// A dump has rows of this table, and nothing says its columns.
    TableWithoutColumns { table: String },
    /// Rows of a dump have another number of values than their table has columns.
    OddRows { rows: u64 },
    /// Tables of a dump are MyISAM, which no transaction covers.
    MyIsamTables { tables: String },
    /// Texts of a dump are in another charset than the dump states.
    OtherCharset { texts: u64, charset: String },
    /// Texts were encoded twice, and are read as they were meant. `rows` says where they are.
    TwiceEncoded { rows: String, stored: String, meant: String },
    /// Texts have question marks inside of words. `rows` says where they are.
    QuestionMarks { rows: String, first: String },
    /// A dump ends without the line of a complete dump.
    DumpNotEnded,
    /// Tables of a server are not in the snapshot of the others.
    OutsideSnapshot { tables: String },
    /// A database of SQLite is damaged. `table` is empty for the database as a whole.
    BrokenSqlite { database: String, table: String, why: SqliteFault },
    /// A database changed while it was read.
    DoubtfulSnapshot { database: String, why: SnapshotDoubt },
    /// A database has a version whose columns it lacks.
    ColumnsMissing { store: super::Name, version: i64, table: super::Name, columns: Vec<String> },
    /// Values of a column have as many bytes as its type allows, and were probably cut. `first` is the first of the rows.
    ValuesCut { table: super::Name, column: super::Name, rows: u64, first: Uuid },
    /// Rows of this table belong to prims that are not in the database. `first` is the first of these prims.
    RowsWithoutPrim { table: super::Name, rows: u64, first: Uuid },
    /// The input exceeds a budget.
    OverBudget { budget: Budget },
    /// Something of a database is left out because of a limit. `of` is the table, or the first database or region that is
    /// left out.
    LeftOut { what: LeftOut, of: String, count: u64 },
    /// The facts of the input exceed the budget. Later entries are left out.
    TooManyFacts,
    /// The work budget of one asset is used up. Some of its hulls or distances are not evaluated.
    AssetWork,
    /// The work budget of a scene is used up. Some meshes are left out.
    SceneWork { left_out: u64 },
    /// The work budget for meshes of the input is used up. This mesh is not evaluated.
    MeshWork,
    /// A sculpt map exceeds a decoding budget: `what` names the quantity.
    SculptOverBudget { what: super::Name },
    /// A sculpt map cannot be decoded.
    SculptBroken { why: String },
    /// A sculpt map was not decoded before the time limit.
    SculptUndecoded { uuid: Uuid, over: String },
    /// A sculpt map was missing when the input was read a second time.
    SculptGone { uuid: Uuid },
    /// The input was not read a second time for this sculpt map.
    SculptUnread { uuid: Uuid, over: String },
}
