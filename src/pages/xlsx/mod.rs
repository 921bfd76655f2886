//! XLSX: one workbook with a summary, the tables that people read, and the rules.
//!
//! Rows are spooled to disk until all of them exist ([`Spool`]). The library writes a workbook without the rows of tables
//! to memory. Then the file is put together from its parts, and from the rows, which all threads write ([`body`]).
//! Each sheet is sorted over all inputs ([`row_order`]), and holds at most 1,048,576 rows. Memory holds places of the
//! rows of a sheet, and keys while it is sorted. It also holds up to 65,530 links.
//!
//! Text is always written as text, never as a formula.

mod about;
mod body;
mod cell;
mod column;
mod layout;
mod package;
mod row_order;
mod rules;
mod sheet;
mod style;
mod summary;
mod tables;

use body::{Body, Pieces, pack};
use flate2::read::DeflateDecoder;
use hullmark_report::{
    Summary,
    output::{Output, OutputError, OutputFile},
    packed_rows::PackedRows,
    page::{Page, Part, Writer},
    reported::Piece,
    spool::{Offset, Spool},
    table::{Cell, Head, Table},
    tables::{
        actions::Actions, archives::Archives, arrivals::Arrivals, asset_arrivals::AssetArrivals,
        changes::Changes, creators::Creators, findings::Findings, meshes::Meshes, missing::Missing,
        objects::Objects, owners::Owners, parcels::Parcels, regions::Regions,
    },
};
use package::Package;
use row_order::ObjectOrder;
use rust_xlsxwriter::{DocProperties, ExcelDateTime, Workbook, Worksheet, XlsxError};
use std::{
    collections::{BTreeMap, HashMap},
    io::{self, BufWriter, Write},
    mem, vec,
};

/// The file.
#[cfg(test)]
const NAME: &str = "audit.xlsx";
/// The tables that the workbook needs.
const TABLES: [&str; 13] = [
    Arrivals::NAME,
    AssetArrivals::NAME,
    Actions::NAME,
    Missing::NAME,
    Changes::NAME,
    Archives::NAME,
    Regions::NAME,
    Parcels::NAME,
    Owners::NAME,
    Creators::NAME,
    Meshes::NAME,
    Objects::NAME,
    Findings::NAME,
];
/// Bytes of rows above which a part of the file may exceed 4 GiB, the limit of a plain ZIP archive: a cell has at least
/// one byte and grows at most fiftyfold.
const LARGE: u64 = (4 << 30) / 50;

/// Bytes of rows of a table up to which they stay in memory. Small reports need no temporary file.
const IN_MEMORY: usize = 4 << 20;

/// The rows of a sheet go before this.
const END_OF_ROWS: &str = "</sheetData>";

/// The spooled rows of a table.
struct Rows {
    spool: Spool,
    head: Head,
}

/// Writes a workbook.
struct Xlsx {
    file: BufWriter<OutputFile>,
    tables: BTreeMap<&'static str, Rows>,
    /// Offsets of the objects of the present input in their spool, by their numbers.
    objects: HashMap<usize, Offset>,
    /// Maximum number of rows of a sheet.
    room: u64,
}

impl Xlsx {
    /// Opens the file and the spools.
    fn open(output: &mut Output, heads: &[Head]) -> Result<Self, OutputError> {
        Self::with_room(output, heads, sheet::ROWS)
    }

    /// Like [`Xlsx::open`], with another maximum number of rows.
    fn with_room(output: &mut Output, heads: &[Head], room: u64) -> Result<Self, OutputError> {
        let file = output.open_whole("xlsx")?;
        let mut tables = BTreeMap::new();
        for head in heads.iter().filter(|head| TABLES.contains(&head.name)) {
            tables
                .insert(head.name, Rows { spool: Spool::new(output.scratch(IN_MEMORY)), head: head.clone() });
        }
        Ok(Self { file, tables, objects: HashMap::new(), room })
    }

    /// Begins the next input, whose objects have numbers of their own.
    fn begin_input(&mut self) {
        // A new map, because a cleared one would keep the memory of a large input to the end.
        self.objects = HashMap::new();
    }

    /// Writes the workbook: first all but the rows of tables, in memory, then the file with them.
    fn write(&mut self, summary: &Summary) -> Result<(), XlsxError> {
        let mut book = Book::new(summary);
        let objects = self.sheets(&mut book, summary)?;
        let Book { mut book, mut bodies, .. } = book;
        let names: Vec<(String, bool)> =
            bodies.iter().map(|(name, body)| (name.clone(), body.rows.spool.bytes() > LARGE)).collect();
        let bodies = bodies.iter_mut().map(|(_, body)| body);
        let mut pieces = Pieces::new(bodies, objects.as_ref(), summary.users.as_ref());
        // The library packs the frame on one thread, so others begin with the rows.
        let (frame, begun) = rayon::join(|| book.save_to_buffer(), || pieces.make());
        begun?;
        self.fill(&frame?, &names, &mut pieces)?;
        Ok(self.file.flush()?)
    }

    /// Writes the frames of the sheets in reading order. Returns the order of the objects, if they have a sheet.
    fn sheets(&mut self, book: &mut Book, summary: &Summary) -> Result<Option<ObjectOrder>, XlsxError> {
        let (room, users) = (self.room, summary.users.as_ref());
        let mut tables = mem::take(&mut self.tables);
        if let (Some(arrivals), Some(assets)) =
            (tables.remove(Arrivals::NAME), tables.remove(AssetArrivals::NAME))
        {
            summary::write_arrivals(book.sheet("Summary")?, summary)?;
            book.table("Arrivals", |sheet| tables::plain(sheet, arrivals, users, room))?;
            book.table("Assets", |sheet| tables::plain(sheet, assets, users, room))?;
            return Ok(None);
        }
        let mut changes = tables.remove(Changes::NAME);
        if let Some(changes) = changes.take_if(|_| tables.is_empty()) {
            summary::write_changes(book.sheet("Summary")?, summary)?;
            book.table("Changes", |sheet| tables::plain(sheet, changes, users, room))?;
            return Ok(None);
        }
        let mut take = |name| tables.remove(name).ok_or_else(|| io::Error::from(io::ErrorKind::NotFound));
        let mut objects = take(Objects::NAME)?;
        let findings = take(Findings::NAME)?;
        let mut regions = take(Regions::NAME)?;
        let mut order = ObjectOrder::new(&mut objects, room)?;

        summary::write(book.sheet("Summary")?, summary, &mut regions)?;
        if let Some(changes) = changes {
            book.table("Changes", |sheet| tables::plain(sheet, changes, users, room))?;
        }
        let plain =
            |book: &mut Book, name, rows| book.table(name, |sheet| tables::plain(sheet, rows, users, room));
        plain(book, "Actions", take(Actions::NAME)?)?;
        book.table("Objects", |sheet| tables::objects(sheet, objects, &mut order, users))?;
        book.table("Findings", |sheet| tables::findings(sheet, findings, users, room))?;
        plain(book, "Missing", take(Missing::NAME)?)?;
        plain(book, "Regions", regions)?;
        plain(book, "Parcels", take(Parcels::NAME)?)?;
        plain(book, "Owners", take(Owners::NAME)?)?;
        plain(book, "Creators", take(Creators::NAME)?)?;
        plain(book, "Meshes", take(Meshes::NAME)?)?;
        rules::write(book.sheet("Rules")?, summary)?;
        let archives = take(Archives::NAME)?;
        book.table("About", |sheet| about::write(sheet, summary, archives, room))?;
        Ok(Some(order))
    }

    /// Writes the file: the parts of the frame, with the rows in their sheets. A sheet is known by the name of its part,
    /// and whether that is large.
    fn fill(&mut self, frame: &[u8], names: &[(String, bool)], pieces: &mut Pieces<'_>) -> io::Result<()> {
        let damaged = || io::Error::from(io::ErrorKind::InvalidData);
        let mut package = Package::new(&mut self.file, 0);
        for part in package::parts(frame).ok_or_else(damaged)? {
            let Some(body) = names.iter().position(|(name, _)| name == part.name) else {
                package.copy(&part)?;
                continue;
            };
            let xml = io::read_to_string(DeflateDecoder::new(part.packed))?;
            let (start, end) = xml.split_once(END_OF_ROWS).ok_or_else(damaged)?;
            package.begin(part.name, names[body].1)?;
            package.piece(&pack(pieces.start(body, start).as_bytes(), false))?;
            while let Some(rows) = pieces.of(body) {
                package.piece(&rows?)?;
            }
            let end = pieces.with_links(body, end);
            package.piece(&pack(format!("{END_OF_ROWS}{end}").as_bytes(), true))?;
            package.end()?;
        }
        package.finish().map(drop)
    }
}

/// Opens the workbook.
pub fn open(output: &mut Output, heads: &[Head]) -> Result<Writer, OutputError> {
    Ok(Writer::of_rows(RowsOfPiece::of, RowsOfPiece::take, Xlsx::open(output, heads)?))
}

/// The rows of a piece. Those of objects and findings have the number of their object.
struct RowsOfPiece {
    packed: PackedRows<Option<usize>>,
    /// The objects of the next rows of objects or findings.
    objects: vec::IntoIter<Option<usize>>,
}

impl RowsOfPiece {
    /// Prepares to take the rows of a piece.
    fn of(piece: &Piece<'_>) -> Self {
        let objects: Vec<_> = match piece {
            Piece::Objects(input, numbers) => {
                input.objects(numbers.clone()).map(|row| Some(row.number)).collect()
            }
            Piece::Findings(input, numbers) => {
                input.findings(numbers.clone()).map(|row| row.reported.object_number).collect()
            }
            _ => Vec::new(),
        };
        Self { packed: PackedRows::default(), objects: objects.into_iter() }
    }

    /// Packs the next row.
    fn take(&mut self, table: &'static str, cells: &[Cell<'_>]) -> io::Result<()> {
        if TABLES.contains(&table) {
            let has_object = table == Objects::NAME || table == Findings::NAME;
            let object = if has_object { self.objects.next().flatten() } else { None };
            self.packed.push(table, cells, object);
        }
        Ok(())
    }
}

impl Part for RowsOfPiece {
    fn bytes(&self) -> usize {
        self.packed.bytes()
    }
}

impl Page for Xlsx {
    type Part = RowsOfPiece;

    fn append(&mut self, piece: &Piece<'_>, rows: RowsOfPiece) -> io::Result<()> {
        if let Piece::Head(_) = piece {
            self.begin_input();
        }
        rows.packed.into_rows(|table, row, object| {
            let Some(rows) = self.tables.get_mut(table) else { return Ok(()) };
            // After the columns of a finding: the place of its object.
            let place = object.and_then(|object| self.objects.get(&object)).copied();
            let more = (table == Findings::NAME).then(|| Cell::from(place));
            let offset = rows.spool.push(row, more.as_ref())?;
            if let (Objects::NAME, Some(object)) = (table, object) {
                self.objects.insert(object, offset);
            }
            Ok(())
        })
    }

    fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        match self.write(summary) {
            Err(XlsxError::IoError(error)) => Err(error),
            written => written.map_err(io::Error::other),
        }
    }
}

/// A workbook under construction, without the rows of tables.
struct Book {
    book: Workbook,
    sheets: usize,
    /// The rows of sheets, with the names of their parts of the file.
    bodies: Vec<(String, Body)>,
}

impl Book {
    fn new(summary: &Summary) -> Self {
        let mut book = Workbook::new();
        book.set_properties(&properties(summary));
        book.set_zip_compression_level(body::LEVEL);
        // Rows name their formats by number.
        style::of_rows().iter().for_each(|format| book.register_format(format));
        Self { book, sheets: 0, bodies: Vec::new() }
    }

    /// Adds a sheet.
    fn sheet(&mut self, name: &str) -> Result<&mut Worksheet, XlsxError> {
        self.sheets += 1;
        self.book.add_worksheet().set_name(name)
    }

    /// Adds a sheet with a table.
    fn table(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut Worksheet) -> Result<Body, XlsxError>,
    ) -> Result<(), XlsxError> {
        let body = write(self.sheet(name)?)?;
        self.bodies.push((format!("xl/worksheets/sheet{}.xml", self.sheets), body));
        Ok(())
    }
}

/// The file always has a date. Without `--now` it is constant, so equal runs give equal bytes.
fn properties(summary: &Summary) -> DocProperties {
    let now = summary.manifest.now.as_deref().and_then(cell::moment);
    let always = || ExcelDateTime::from_timestamp(0).ok();
    let properties = DocProperties::new().set_title("hullmark audit").set_author("hullmark");
    match now.or_else(always) {
        Some(date) => properties.set_creation_datetime(&date),
        None => properties,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::column_words::heading;
    use calamine::{Data, Reader, open_workbook};
    use hullmark_ledger::facts::Role;
    use hullmark_report::{Manifest, table::Kind, tables::heads};
    use hullmark_settings::{config::Config, profile::Profile, users::Users};
    use std::{fs::File, path::Path};
    use uuid::Uuid;

    /// An owner, in the list of users.
    const ANN: Uuid = Uuid::from_u128(7);

    /// Adds a row of a table in which these columns are not empty. `object` is the number of its object.
    fn row(sink: &mut Xlsx, table: &'static str, cells: &[(&str, Cell<'_>)], object: Option<usize>) {
        let columns = sink.tables[table].head.columns.clone();
        let cell = |name: &str| cells.iter().find(|(named, _)| *named == name).map(|(_, cell)| cell.clone());
        assert!(cells.iter().all(|(name, _)| columns.iter().any(|column| column.name == *name)));
        let row: Vec<_> = columns.iter().map(|column| cell(&column.name).unwrap_or(Cell::Empty)).collect();
        let mut rows = RowsOfPiece { packed: PackedRows::default(), objects: vec![object].into_iter() };
        rows.take(table, &row).unwrap();
        sink.append(&Piece::Changes(&[]), rows).unwrap();
    }

    fn archive(sink: &mut Xlsx) {
        sink.begin_input();
        row(sink, Archives::NAME, &[("archive", Cell::from("a.oar"))], None);
    }

    fn object(sink: &mut Xlsx, number: usize, land_impact: f64, worst: &'static str) {
        object_of(sink, Role::Rezzed, number, land_impact, worst);
    }

    fn object_of(sink: &mut Xlsx, role: Role, number: usize, land_impact: f64, worst: &'static str) {
        let name = format!("Chair {number}");
        let cells = [
            ("archive", Cell::from("a.oar")),
            ("role", Cell::from(role.name())),
            ("owner_uuid", Cell::from(ANN)),
            ("name", Cell::from(&name)),
            ("parts", Cell::from(2)),
            ("land_impact", Cell::from(land_impact)),
            ("worst_severity", Cell::from(worst)),
        ];
        row(sink, Objects::NAME, &cells, Some(number));
    }

    fn finding(sink: &mut Xlsx, severity: &'static str, number: usize) {
        let cells = [
            ("severity", Cell::from(severity)),
            ("code", Cell::from("LNK001")),
            ("count", Cell::from(1)),
            ("object_uuid", Cell::from(Uuid::from_u128(1 + number as u128))),
        ];
        row(sink, Findings::NAME, &cells, Some(number));
    }

    /// Writes a workbook whose sheets have room for this many rows.
    fn write(folder: &Path, room: u64, rows: impl FnOnce(&mut Xlsx)) {
        let mut output = Output::new(folder).unwrap();
        let mut heads = heads(&[]);
        heads.retain(|head| head.name != Changes::NAME);
        let mut sink = Xlsx::with_room(&mut output, &heads, room).unwrap();
        rows(&mut sink);
        let manifest = Manifest::new(&Config::default(), &Profile::default(), None);
        let mut summary = Summary::new(manifest, 10);
        let list = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(list.path(), format!("{ANN},Ann")).unwrap();
        summary.users = Some(Users::read(list.path()).unwrap());
        sink.finish(&summary).unwrap();
        output.publish().unwrap();
    }

    /// Reads one column of a sheet below its heading, and the note above the table.
    fn column(folder: &Path, sheet: &str, name: &str) -> (String, Vec<String>) {
        let mut book: calamine::Xlsx<_> = open_workbook(folder.join(NAME)).unwrap();
        let range = book.worksheet_range(sheet).unwrap();
        let heading = Data::String(heading(name).into());
        let place = range.rows().nth(1).unwrap().iter().position(|head| *head == heading);
        let cells = range.rows().skip(2).map(|row| row[place.unwrap()].to_string()).collect();
        (range.rows().next().unwrap()[0].to_string(), cells)
    }

    #[test]
    fn a_full_sheet_shows_rows_over_a_limit_then_heavy_ones_and_says_so() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), 3, |sink| {
            archive(sink);
            for (number, land_impact, worst) in
                [(1, 5.0, "info"), (2, 90.0, ""), (3, 1.0, "error"), (4, 70.0, "warning"), (5, f64::NAN, "")]
            {
                object(sink, number, land_impact, worst);
            }
            finding(sink, "info", 2);
            finding(sink, "error", 3);
            archive(sink);
            // The same place in another input, which has other objects.
            finding(sink, "blocker", 3);
            finding(sink, "info", 9);
        });
        let (about, names) = column(folder.path(), "Objects", "name");
        assert_eq!(names, ["Chair 2", "Chair 4", "Chair 3"]);
        assert!(about.starts_with("Only 3 of 5 rows"), "{about}");
        let (about, severities) = column(folder.path(), "Findings", "severity");
        assert_eq!(severities, ["blocker", "error", "info"]);
        assert!(about.starts_with("Only 3 of 4 rows"), "{about}");

        // The error links to the last shown object and the info to the first. The blocker has no link.
        let file = std::fs::read(folder.path().join(NAME)).unwrap();
        let links = part(&file, "xl/worksheets/sheet4.xml");
        let links: Vec<_> = links.split("location=\"Objects!").skip(1).map(|link| &link[..2]).collect();
        assert_eq!(links, ["A5", "A3"]);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn objects_are_sorted_over_all_inputs_and_have_the_names_of_their_owners() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), sheet::ROWS, |sink| {
            object(sink, 1, 5.0, "info");
            object_of(sink, Role::Nested, 2, 900.0, "");
            object(sink, 3, 1.0, "");
            archive(sink);
            object(sink, 4, 90.0, "");
            object(sink, 5, 5.0, "error");
            finding(sink, "error", 5);
            row(sink, Objects::NAME, &[("owner_uuid", Cell::from(Uuid::from_u128(8)))], None);
            for owner in [ANN, Uuid::from_u128(8)] {
                row(sink, Owners::NAME, &[("owner_uuid", Cell::from(owner))], None);
            }
        });
        let names = column(folder.path(), "Objects", "name").1;
        assert_eq!(names, ["Chair 4", "Chair 1", "Chair 5", "Chair 3", "", "Chair 2"]);
        let named = |sheet| column(folder.path(), sheet, "owner").1;
        let unknown = Uuid::from_u128(8).to_string();
        assert_eq!(named("Objects"), ["Ann", "Ann", "Ann", "Ann", &unknown, "Ann"]);
        assert_eq!(named("Owners"), ["Ann", &unknown]);
        // The link points to the row of the object on the sorted sheet.
        let file = std::fs::read(folder.path().join(NAME)).unwrap();
        assert!(part(&file, "xl/worksheets/sheet4.xml").contains("location=\"Objects!A5\""));
    }

    #[test]
    fn columns_after_those_that_people_read_are_folded_and_a_sheet_is_one_page() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), sheet::ROWS, |sink| {
            (0..1_000).for_each(|number| object(sink, number, 1.0, "info"));
        });
        let file = std::fs::read(folder.path().join(NAME)).unwrap();
        let objects = part(&file, "xl/worksheets/sheet3.xml");
        let folded = objects.split("<col ").filter(|col| col.contains("outlineLevel=\"1\""));
        let folded: Vec<_> = folded.collect();
        assert!(folded.iter().all(|col| col.contains("hidden=\"1\"")), "{folded:?}");
        assert!(folded[0].starts_with("min=\"9\""), "{}", folded[0]);
        let book = part(&file, "xl/workbook.xml");
        assert!(book.contains("Objects!$A$1:$H$"), "{book}");
        let sheets = book.matches("<sheet ").count();
        assert_eq!((sheets, book.matches("_xlnm.Print_Area").count()), (12, 12));
        for number in 1..=sheets {
            let sheet = part(&file, &format!("xl/worksheets/sheet{number}.xml"));
            assert!(sheet.contains("<pageSetUpPr fitToPage=\"1\"/>"), "{number}");
            assert!(!sheet.contains("fitToHeight=\"0\"") && sheet.contains("landscape"), "{number}");
        }
    }

    #[test]
    fn waived_rows_come_last() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), 3, |sink| {
            object(sink, 1, 5.0, "");
            let waived = [("severity", Cell::from("blocker")), ("waived_until", Cell::from("2027-01-31"))];
            row(sink, Findings::NAME, &waived, Some(1));
            finding(sink, "info", 1);
            finding(sink, "error", 1);
        });
        assert_eq!(column(folder.path(), "Findings", "severity").1, ["error", "info", "blocker"]);
        let file = std::fs::read(folder.path().join(NAME)).unwrap();
        let grey = part(&file, "xl/worksheets/sheet4.xml");
        assert!(grey.contains("stopIfTrue=\"1\"") && grey.contains(")&gt;0</formula>"), "{grey}");
    }

    /// A part of a workbook.
    fn part(file: &[u8], name: &str) -> String {
        let mut archive = zip::ZipArchive::new(io::Cursor::new(file)).unwrap();
        io::read_to_string(archive.by_name(name).unwrap()).unwrap()
    }

    #[test]
    fn links_end_where_a_sheet_holds_no_more() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), sheet::ROWS, |sink| {
            object(sink, 1, 1.0, "info");
            (0..33_000).for_each(|_| finding(sink, "info", 1));
        });
        let file = std::fs::read(folder.path().join(NAME)).unwrap();
        let links = part(&file, "xl/worksheets/sheet4.xml").matches("<hyperlink ").count();
        assert_eq!(links as u64, sheet::LINKS);
        let (about, codes) = column(folder.path(), "Findings", "code");
        assert!(about.contains("only the first rows have links"), "{about}");
        assert_eq!(codes.len(), 33_000);
    }

    /// `/usr/bin/time -v cargo test --lib a_million_objects -- --ignored` measures the memory.
    #[test]
    #[ignore = "writes gigabytes for minutes"]
    fn a_million_objects() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), sheet::ROWS, |sink| {
            let columns = sink.tables[Objects::NAME].head.columns.clone();
            for number in 0..1_100_000_u64 {
                let cells = columns.iter().map(|column| match (column.kind, &*column.name) {
                    (_, "owner_uuid") => Cell::from(Uuid::from_u128(1 + u128::from(number % 5_000))),
                    (Kind::Bool, _) => Cell::Bool(number % 2 == 0),
                    (Kind::Int, _) => Cell::from(number),
                    (Kind::Real, _) => Cell::Real(number as f64 / 7.0),
                    (Kind::Uuid, _) => Cell::from(Uuid::from_u128(1 + u128::from(number))),
                    (_, name) => Cell::Text(
                        format!("{name} of object {number}, as long as the names of real things often are")
                            .into(),
                    ),
                });
                let mut rows = RowsOfPiece::of(&Piece::Changes(&[]));
                rows.take(Objects::NAME, &cells.collect::<Vec<_>>()).unwrap();
                sink.append(&Piece::Changes(&[]), rows).unwrap();
            }
        });
        let file = File::open(folder.path().join(NAME)).unwrap();
        let mut archive = zip::ZipArchive::new(file).unwrap();
        let objects = archive.by_name("xl/worksheets/sheet3.xml").unwrap().size();
        assert!(objects > 4 << 30, "{objects} bytes fit a plain archive, so nothing larger was tried");
    }
}
