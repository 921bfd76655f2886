//! ARC, RUN: words for defects of containers and files, and for read errors.

use super::whole;
use hullmark_finding::{Finding, Severity};
use hullmark_format::defect::{Budget, Defect, InputDefect, LeftOut, TableLoss, UnsafeName};
use hullmark_util::number_text::{counted, thousands};

pub(super) fn said(kind: &InputDefect, defect: &Defect) -> Finding {
    use InputDefect as D;
    match kind {
        D::Unreadable { why } => say!(RUN001, "{why}"),
        D::TimeOver { why } => say!(RUN008, "{why}"),
        D::Panicked { words } => say!(RUN005, "{words}"),
        D::EndedRuns { runs } => {
            let runs = counted(u64::from(*runs), "run");
            say!(RUN010, "{runs} died while they read it (a crash, no memory, or a kill)")
        }
        D::NoExport { looks_like } => say!(RUN009, "{looks_like}"),
        D::Vanished => say!(RUN001, "the file was removed after its folder was listed").aspect("removed"),
        D::Shrank { from, to } => say!(
            RUN001,
            "the file shrank from {} to {} bytes during the read; audit it again",
            thousands(*from),
            thousands(*to)
        ),
        D::Damaged { why, position } => {
            let why = why.as_deref().unwrap_or("it is cut short");
            say!(ARC001, "{why} after {} of decompressed content", counted(*position, "byte"))
        }
        D::BrokenTar { why } => say!(ARC002, "{why}").aspect("structure"),
        D::MemberTooLarge => say!(ARC002, "OpenSim cannot read the size of a member of 2 GiB or more"),
        D::WrongChecksums { headers } => {
            say!(ARC002, "wrong checksum in {}", counted(*headers, "header")).aspect("checksums")
        }
        D::NoEndMarker => {
            say!(ARC002, "it has no end marker and may be cut short between two members").aspect("end marker")
        }
        D::SpecialMember { what } => {
            let (name, what) = (&defect.place.entry, what.escape_default());
            say!(ARC007, "{name} has the type '{what}' (link or device)")
        }
        D::PaxRecords { records } => say!(ARC007, "{}", counted(*records, "pax record")),
        D::RecordsReadAsObjects { first } => {
            let records = counted(whole(defect.measured) as u64, "tar record");
            say!(ARC014, "{records} for objects or parcels (first: {first})")
        }
        D::AddedReadAsContent { first } => {
            let files = counted(whole(defect.measured) as u64, "file");
            say!(ARC014, "{files} that macOS or Windows added for content (first: {first})")
        }
        D::UnsafeName { why } => say!(
            ARC011,
            "{}",
            match why {
                UnsafeName::Absolute => "it is an absolute path",
                UnsafeName::LeadsOut => "it leaves the archive with \"..\"",
                UnsafeName::ControlCharacters => "it contains control characters",
            }
        ),
        D::NamesNotUtf8 { names } => say!(ARC011, "{} not in UTF-8", counted(*names, "name")),
        D::NameTwice => {
            say!(ARC010, "its name occurs twice; OpenSim keeps the first asset, but loads all objects")
                .aspect("twice")
        }
        D::AssetName => say!(ARC010, "its name is not a UUID, an underscore and a known type").aspect("name"),
        D::DottedEntries { control } => {
            let members = counted(whole(defect.measured) as u64, "member");
            match control {
                true => say!(ARC004, "\"./\" before {members}"),
                false => {
                    say!(ARC004, "\"./\" before {members}, but not before archive.xml; the others are loaded")
                        .at_most(Severity::Error)
                }
            }
        }
        D::ControlBelowFolder => {
            say!(ARC004, "archive.xml is below a folder, and that folder was not audited")
        }
        D::RegionNotListed { folder } => say!(ARC013, "the folder \"{folder}\" belongs to no listed region")
            .aspect(format!("not listed: {folder}")),
        D::RegionWithoutFiles { folder } => {
            say!(ARC013, "the listed region \"{folder}\" has no files").aspect(format!("no files: {folder}"))
        }
        D::OrphanPrims { region, prims, first } => {
            let prims = counted(*prims, "prim");
            say!(DBS001, "{prims} without the root of their linkset in region {region} (first: {first})")
                .aspect(region.to_string())
        }
        D::PrimsWithoutShape { region, prims, first } => {
            let prims = counted(*prims, "prim");
            say!(DBS002, "{prims} in region {region} (first: {first})").aspect(region.to_string())
        }
        D::TableMissing { database, table, why } => {
            let place = if database.is_empty() { String::new() } else { format!(" of {database}") };
            say!(DBS012, "the table {table}{place} {}", lost(*why)).aspect(format!("{database}.{table}"))
        }
        D::OnlyObjects { database, tables } => say!(
            DBS012,
            "there are objects, but none of the tables {tables}; parcels, settings and ground are not in it"
        )
        .aspect(format!("{database}. land"))
        .at_most(Severity::Warning),
        D::NoRows { tables } => {
            let tables = counted(*tables, "table");
            say!(DBS012, "the dump has the columns of {tables} and no rows (--no-data)").aspect("no rows")
        }
        D::NoTables { said } if said.is_empty() => say!(DBS014, "the dump has no table"),
        D::NoTables { said } => say!(DBS014, "the dump has no table, but the message: {said}"),
        D::DumpMessages { errors, first } => {
            let messages = counted(whole(defect.measured) as u64, "message");
            let of_errors =
                if *errors > 0 { format!(", {} of an error", thousands(*errors)) } else { String::new() };
            let said = say!(DBS013, "{messages}{of_errors} (\"{first}\")");
            if *errors > 0 { said } else { said.at_most(Severity::Info) }
        }
        D::TableWithoutColumns { table } => {
            say!(DBS003, "the dump does not say the columns of the table {table}").aspect(table.clone())
        }
        D::OddRows { rows } => {
            let rows = counted(*rows, "row");
            say!(DBS003, "{rows} with another number of values than columns").aspect("values")
        }
        D::MyIsamTables { tables } => {
            say!(DBS011, "{tables} may be of other moments than the rest of the dump")
        }
        D::OtherCharset { texts, charset } => {
            let texts = counted(*texts, "text");
            let words = match charset.as_str() {
                "UTF-8" => format!("{texts} not in UTF-8, the charset of the dump, and read as Latin-1"),
                "Latin-1" => {
                    format!(
                        "{texts} in UTF-8, although the dump says Latin-1; read as UTF-8, and all rows are readable"
                    )
                }
                charset => format!("{texts} in the charset {charset}, and read as UTF-8 or Latin-1"),
            };
            say!(DBS003, "{words}").aspect("charset").at_most(Severity::Warning)
        }
        D::TwiceEncoded { rows, stored, meant } => say!(
            DBS003,
            "{rows} encoded twice, and read as they were meant: \"{meant}\" is stored as \"{stored}\""
        )
        .aspect("encoded twice")
        .at_most(Severity::Warning),
        D::QuestionMarks { rows, first } => say!(
            DBS003,
            "{rows} with question marks inside of words, which were probably letters: \"{first}\""
        )
        .aspect("question marks")
        .at_most(Severity::Warning),
        D::DumpNotEnded => say!(DBS004, "it does not end with the line of a complete dump"),
        D::OutsideSnapshot { tables } => say!(DBS010, "{}", tables.clone()),
        D::BrokenSqlite { database, table, why } => {
            let table = if table.is_empty() { String::new() } else { format!("in the table {table}: ") };
            say!(ARC001, "the database {database} is damaged: {table}{why}").aspect(database.clone())
        }
        D::DoubtfulSnapshot { database, why } => say!(DBS005, "{database}: {why}").aspect(database.clone()),
        D::ColumnsMissing { store, version, table, columns } => {
            let columns = columns.join(", ");
            say!(DBS006, "the table {table} of {store} {version} has no {columns}").aspect(table.to_string())
        }
        D::ValuesCut { table, column, rows, first } => {
            let rows = counted(*rows, "row");
            say!(DBS007, "{column} in {rows} of {table} (first prim: {first})")
                .aspect(format!("{table}.{column}"))
        }
        D::RowsWithoutPrim { table, rows, first } => {
            let rows = counted(*rows, "row");
            say!(DBS008, "{rows} of {table} (first prim: {first})").aspect(table.to_string())
        }
        D::OverBudget { budget } => over(*budget),
        D::LeftOut { what, of, count } => left_out(*what, of, *count),
        D::TooManyFacts => say!(ARC012, "bytes of results for one input; later members are not evaluated"),
        D::AssetWork => {
            say!(ARC012, "work units for this asset; some of its hulls or distances are not evaluated")
        }
        D::SceneWork { left_out } => {
            say!(ARC012, "work units for this asset; {} not evaluated", counted(*left_out, "mesh"))
        }
        D::MeshWork => say!(ARC012, "work units for the meshes of the input; this mesh is not evaluated"),
        D::SculptOverBudget { what } => say!(ARC012, "{}", &**what),
        D::SculptBroken { why } => say!(AST004, "sculpt map: {why}"),
        D::SculptUndecoded { uuid, over } => {
            say!(RUN008, "sculpt map {uuid} was not decoded: {over}").aspect(uuid.to_string())
        }
        D::SculptGone { uuid } => {
            say!(RUN001, "sculpt map {uuid} disappeared before the second read of the input")
                .aspect(uuid.to_string())
        }
        D::SculptUnread { uuid, over } => {
            say!(RUN008, "sculpt map {uuid} was not read a second time: {over}").aspect(uuid.to_string())
        }
    }
}

/// Says why the rows of a table are unknown, after its name.
fn lost(why: TableLoss) -> &'static str {
    match why {
        TableLoss::Absent => "is not there: it was left out or lost, and is not empty",
        TableLoss::NotFound => "is not there: the program that wrote the dump did not find it",
        TableLoss::Crashed => "has crashed on the server, so that its rows are not all there",
        TableLoss::Denied => "may not be read by the user of the dump",
        TableLoss::Failed => "failed while the dump was written, so that its rows are not all there",
        TableLoss::WithoutRows => "has no rows, although rows of other tables belong to them",
        TableLoss::FileMissing => "has no file with its rows",
    }
}

/// Returns the finding of a spent budget. A budget on a single member or file needs no aspect, because it is the only
/// one there.
fn over(budget: Budget) -> Finding {
    let words = match budget {
        Budget::BytesInAll => "bytes in all",
        Budget::Members => "members",
        Budget::Files => "files",
        Budget::BytesInName => "bytes in a name",
        Budget::BytesInMember => return say!(ARC012, "bytes in one member"),
        Budget::BytesInFile => return say!(ARC012, "bytes in one file"),
    };
    say!(ARC012, "{words}").aspect(words)
}

fn left_out(what: LeftOut, of: &str, count: u64) -> Finding {
    let (words, aspect) = match what {
        LeftOut::Values => {
            let values = counted(count, "value");
            (format!("bytes in a row of {of}; left out: {values}"), format!("values of {of}"))
        }
        LeftOut::Rows => {
            let rows = counted(count, "row");
            (format!("bytes in a row of {of}; left out: {rows}"), format!("rows of {of}"))
        }
        LeftOut::Columns => {
            (format!("columns in the table {of}; its rows are left out"), format!("columns of {of}"))
        }
        LeftOut::Names => {
            (format!("bytes of names; the columns of {of} are not known"), format!("names of {of}"))
        }
        LeftOut::Tables => {
            let tables = counted(count, "table");
            (format!("tables; the columns of later ones are not known: {tables}"), "tables".into())
        }
        LeftOut::Definitions => {
            let tables = counted(count, "table");
            (format!("bytes in the definition of a table; left out: {tables}"), "definitions".into())
        }
        LeftOut::Databases => {
            (format!("databases; the rows of later ones are left out (first: {of})"), "databases".into())
        }
        LeftOut::Regions => {
            let rows = counted(count, "row");
            (format!("regions; left out: {rows} of later ones (first: {of})"), "regions".into())
        }
        LeftOut::ListedRegions => {
            let regions = counted(count, "region");
            (format!("bytes of names; left out of the list of the grid: {regions}"), "listed regions".into())
        }
    };
    say!(ARC012, "{words}").aspect(aspect)
}
