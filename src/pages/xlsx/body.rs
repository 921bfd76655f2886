//! The rows of the sheets as XML, made and compressed on all threads.
//!
//! The library writes a workbook without rows. Its sheets are cut open, and the rows go in between. Rows are read in
//! order and packed in pieces, whose bounds depend only on the rows. Memory holds a few pieces for each thread.

use super::{
    Rows, cell,
    cell::Value,
    column::{Column, columns},
    layout,
    package::Piece,
    row_order::ObjectOrder,
    rules, sheet, style,
};
use flate2::{Compress, Compression, Crc};
use hullmark_finding::Code;
use hullmark_report::spool::{Offset, Spool};
use hullmark_report::{
    packed_rows::unpack,
    table::{Cell, Head},
    tables::findings::key,
};
use hullmark_settings::users::Users;
use hullmark_util::{
    deflate,
    timings::{Stage, within},
};
use rayon::prelude::*;
use rust_xlsxwriter::utility::column_number_to_name;
use std::{
    borrow::Cow,
    cell::RefCell,
    collections::VecDeque,
    io::{self, Write},
};

/// Bytes of spooled rows in a piece. XML has about five times as many.
const PIECE: usize = 64 << 10;
/// Pieces that each thread makes at a time.
const AHEAD: usize = 4;
/// The level of compression. The 7.1 MB of XML of 2,048 objects take 15 ms and 888 kB. Level 1 takes 8 ms and 1,158 kB,
/// level 3 takes 22 ms and 833 kB, and level 4 takes 37 ms and 732 kB.
pub(super) const LEVEL: u8 = 2;

thread_local! {
    /// One encoder for all pieces of a thread.
    static ENCODER: RefCell<Compress> = RefCell::new(Compress::new(Compression::new(LEVEL.into()), false));
    /// One buffer for the XML of all pieces of a thread: new memory costs as much as the XML.
    static XML: RefCell<Vec<u8>> = RefCell::new(Vec::with_capacity(6 * PIECE));
}

/// Compresses bytes of a part. Only the last piece ends it.
pub(super) fn pack(bytes: &[u8], is_last: bool) -> Piece {
    let mut crc = Crc::new();
    crc.update(bytes);
    let packed = ENCODER.with_borrow_mut(|encoder| deflate::compressed(encoder, bytes, is_last));
    Piece { packed, crc }
}

/// The rows of a sheet that the library has not written.
pub(super) struct Body {
    pub(super) rows: Rows,
    /// The shown rows in order.
    pub(super) order: Vec<Offset>,
    /// The row of the header.
    pub(super) top: u32,
    /// Whether rows are findings, with links to objects and rules.
    pub(super) has_links: bool,
    /// Whether owners have names.
    pub(super) has_names: bool,
}

/// A piece before it is made: some rows of a sheet, each with its length before it.
struct Raw {
    body: usize,
    /// The sheet row of the first one.
    first: u32,
    rows: Vec<u8>,
    /// For each row, the columns of the table that link. Empty without links.
    links: Vec<[Option<usize>; 2]>,
}

/// The pieces of all sheets, in order.
pub(super) struct Pieces<'b> {
    looks: Vec<Look<'b>>,
    sources: Vec<Source<'b>>,
    objects: Option<&'b ObjectOrder>,
    /// The sheet and the row that come next.
    next: (usize, usize),
    ready: VecDeque<(usize, Piece)>,
}

/// Rows of a sheet that were not read yet.
struct Source<'b> {
    spool: &'b mut Spool,
    order: &'b [Offset],
    first: u32,
    has_links: bool,
    linked: u64,
    /// The XML of the links.
    links: String,
}

impl<'b> Pieces<'b> {
    pub(super) fn new(
        bodies: impl Iterator<Item = &'b mut Body>,
        objects: Option<&'b ObjectOrder>,
        users: Option<&'b Users>,
    ) -> Self {
        let (mut looks, mut sources) = (Vec::new(), Vec::new());
        for Body { rows: Rows { spool, head }, order, top, has_links, has_names } in bodies {
            let users = users.filter(|_| *has_names);
            looks.push(Look::new(head, users, sheet::wraps(order.len() as u64)));
            let (first, has_links) = (*top + 1, *has_links);
            sources.push(Source { spool, order, first, has_links, linked: 0, links: String::new() });
        }
        Self { looks, sources, objects, next: (0, 0), ready: VecDeque::new() }
    }

    /// Returns the next piece of a sheet. `None` at its end. Sheets come in order.
    pub(super) fn of(&mut self, body: usize) -> Option<io::Result<Piece>> {
        if self.ready.is_empty()
            && let Err(error) = self.make()
        {
            return Some(Err(error));
        }
        self.ready.pop_front_if(|(of, _)| *of == body).map(|(_, piece)| Ok(piece))
    }

    /// Returns the start of a sheet up to its rows, with the number of all.
    pub(super) fn start(&self, body: usize, frame: &str) -> String {
        let (source, look) = (&self.sources[body], &self.looks[body]);
        let row = source.first + 1;
        // The frame may have rows with a height and no cells.
        let frame = frame.split_once(&format!("<row r=\"{row}\"")).map_or(frame, |(start, _)| start);
        let size = frame.split_once("<dimension ref=\"").and_then(|(before, rest)| {
            let (_, after) = rest.split_once('"')?;
            Some((before, look.columns.last()?, after))
        });
        let Some((before, last, after)) = size else { return frame.to_owned() };
        let last_row = u64::from(source.first) + source.order.len() as u64;
        format!("{before}<dimension ref=\"A1:{}{last_row}\"{after}", last.letters)
    }

    /// Returns the end of a sheet, with its links.
    pub(super) fn with_links(&self, body: usize, end: &str) -> String {
        let links = &self.sources[body].links;
        match end.find("<pageMargins").filter(|_| !links.is_empty()) {
            Some(at) => [&end[..at], "<hyperlinks>", links, "</hyperlinks>", &end[at..]].concat(),
            None => end.to_owned(),
        }
    }

    /// Makes pieces on all threads, if there are any left.
    pub(super) fn make(&mut self) -> io::Result<()> {
        let mut raws = Vec::new();
        while raws.len() < AHEAD * rayon::current_num_threads()
            && let Some(raw) = self.read()?
        {
            raws.push(raw);
        }
        let looks = &self.looks;
        let make = |raw: &Raw| within(Stage::Write, || looks[raw.body].piece(raw));
        let made = || raws.par_iter().map(make).collect::<io::Result<Vec<_>>>();
        let made = within(Stage::Waiting, made)?;
        self.ready.extend(raws.iter().map(|raw| raw.body).zip(made));
        Ok(())
    }

    /// Reads the rows of a piece. `None` after the last sheet.
    fn read(&mut self) -> io::Result<Option<Raw>> {
        let (body, start) = loop {
            let (body, row) = self.next;
            match self.sources.get(body) {
                Some(source) if row < source.order.len() => break self.next,
                Some(_) => self.next = (body + 1, 0),
                None => return Ok(None),
            }
        };
        let (source, look) = (&mut self.sources[body], &self.looks[body]);
        let mut raw = Raw { body, first: source.first + start as u32, rows: Vec::new(), links: Vec::new() };
        let mut row = start;
        while row < source.order.len() && raw.rows.len() < PIECE {
            let from = raw.rows.len();
            source.spool.copy(source.order[row], &mut raw.rows)?;
            if let Some(objects) = self.objects.filter(|_| source.has_links) {
                let cells = unpack(&raw.rows[from + 8..])?;
                raw.links.push(source.link(source.first + row as u32, &cells, look, objects));
            }
            row += 1;
        }
        self.next = (body, row);
        Ok(Some(raw))
    }
}

impl Source<'_> {
    /// Adds the links of a finding: to its rule, and to its object. Returns their columns of the table.
    fn link(
        &mut self,
        row: u32,
        cells: &[Cell<'_>],
        look: &Look<'_>,
        objects: &ObjectOrder,
    ) -> [Option<usize>; 2] {
        if self.linked + 2 > sheet::LINKS {
            return [None; 2];
        }
        let rule = Code::parse(key::CODE.text(cells)).and_then(rules::row);
        // After the columns: the place of its object.
        let object = match cells.get(look.width) {
            Some(&Cell::Int(place)) => objects.row(place as u64).map(|row| row + sheet::FIRST),
            _ => None,
        };
        let is_nameless = key::OBJECT_NAME.text(cells).is_empty();
        let called = if is_nameless { key::OBJECT_UUID.place() } else { key::OBJECT_NAME.place() };
        [(key::CODE.place(), "Rules", rule), (called, "Objects", object)].map(|(place, to, target)| {
            let letters = look.letters_of(place)?;
            let to = format!("{to}!A{}", target? + 1);
            self.linked += 1;
            if !matches!(cells.get(place), Some(Cell::Text(_))) {
                return None;
            }
            self.links +=
                &format!("<hyperlink ref=\"{letters}{}\" location=\"{to}\" display=\"{to}\"/>", row + 1);
            Some(place)
        })
    }
}

/// How the rows of a sheet look.
struct Look<'b> {
    columns: Vec<Painted<'b>>,
    users: Option<&'b Users>,
    /// Number of columns of the table.
    width: usize,
    wraps: bool,
    /// The style of links.
    link: u32,
}

/// A column with the constant parts of its cells.
struct Painted<'b> {
    column: Column<'b>,
    letters: String,
    style: u32,
    prose: Option<usize>,
}

impl<'b> Look<'b> {
    fn new(head: &'b Head, users: Option<&'b Users>, wraps: bool) -> Self {
        let styles = style::of_rows();
        let painted = (0..).zip(columns(head, layout::of(head.name)).0).map(|(at, column)| {
            let prose = sheet::prose_width(&column);
            let style = style::number(&styles, &sheet::column_style(&column, wraps));
            Painted { column, letters: column_number_to_name(at), style, prose }
        });
        let columns = painted.collect();
        Self {
            columns,
            users,
            width: head.columns.len(),
            wraps,
            link: style::number(&styles, &style::link()),
        }
    }

    /// Returns the letters of a column of the table.
    fn letters_of(&self, place: usize) -> Option<&str> {
        Some(&self.columns.iter().find(|of| of.column.place == place)?.letters)
    }

    /// Makes a piece.
    fn piece(&self, raw: &Raw) -> io::Result<Piece> {
        XML.with_borrow_mut(|xml| {
            xml.clear();
            self.rows(raw, xml)?;
            Ok(pack(xml, false))
        })
    }

    /// Writes the rows of a piece.
    fn rows(&self, raw: &Raw, to: &mut Vec<u8>) -> io::Result<()> {
        let (mut rest, mut row) = (&raw.rows[..], 0);
        while let Some((length, after)) = rest.split_first_chunk() {
            let length = u64::from_le_bytes(*length) as usize;
            let packed = after.get(..length).ok_or(io::ErrorKind::InvalidData)?;
            let links = raw.links.get(row).copied().unwrap_or_default();
            self.row(raw.first + row as u32, &unpack(packed)?, links, to)?;
            (rest, row) = (&after[length..], row + 1);
        }
        Ok(())
    }

    /// Writes a row; `row` counts from 0.
    fn row(
        &self,
        row: u32,
        cells: &[Cell<'_>],
        links: [Option<usize>; 2],
        to: &mut Vec<u8>,
    ) -> io::Result<()> {
        let mut number = itoa::Buffer::new();
        let number = number.format(row + 1);
        write!(to, "<row r=\"{number}\"")?;
        if let Some(height) = sheet::height(self.lines(cells)) {
            write!(to, " ht=\"{height}\" customHeight=\"1\"")?;
        }
        to.push(b'>');
        for painted in &self.columns {
            let cell = painted.column.cell(cells, self.users);
            let Some(value) = cell::value(painted.column.kind, &cell) else { continue };
            let is_linked = links.contains(&Some(painted.column.place));
            let style = if is_linked { self.link } else { painted.style };
            for part in ["<c r=\"", &painted.letters, number, "\" s=\"", itoa::Buffer::new().format(style)] {
                to.extend_from_slice(part.as_bytes());
            }
            value_xml(&value, to)?;
        }
        to.extend_from_slice(b"</row>");
        Ok(())
    }

    /// Returns the number of lines of a row.
    fn lines(&self, cells: &[Cell<'_>]) -> usize {
        let prose = self.columns.iter().filter(|_| self.wraps).filter_map(|of| Some((of, of.prose?)));
        sheet::lines_of_row(prose.map(|(of, width)| (cells.get(of.column.place), width)))
    }
}

/// Writes a value, after the style of its cell.
fn value_xml(value: &Value<'_>, to: &mut Vec<u8>) -> io::Result<()> {
    match value {
        Value::Bool(value) => {
            to.extend_from_slice(if *value {
                b"\" t=\"b\"><v>1</v></c>"
            } else {
                b"\" t=\"b\"><v>0</v></c>"
            });
        }
        Value::Number(value) => number_xml(*value, to)?,
        Value::Time(moment) => number_xml(moment.to_excel(), to)?,
        Value::Text(words) => {
            to.extend_from_slice(b"\" t=\"inlineStr\"><is><t");
            // XML readers may drop white space at the ends.
            if words.starts_with([' ', '\t', '\n']) || words.ends_with([' ', '\t', '\n']) {
                to.extend_from_slice(b" xml:space=\"preserve\"");
            }
            to.push(b'>');
            text_xml(words, to);
            to.extend_from_slice(b"</t></is></c>");
        }
    }
    Ok(())
}

fn number_xml(value: f64, to: &mut Vec<u8>) -> io::Result<()> {
    to.extend_from_slice(b"\"><v>");
    // All whole numbers below are exact, and most cells have one.
    match value as i64 {
        whole if whole as f64 == value && whole.unsigned_abs() < 1 << 53 => {
            to.extend_from_slice(itoa::Buffer::new().format(whole).as_bytes());
        }
        _ => write!(to, "{value}")?,
    }
    to.extend_from_slice(b"</v></c>");
    Ok(())
}

/// Escapes text. XML forbids some characters, and spreadsheets read `_x0001_` as one. They read `_x005F_` as an
/// underscore, so this precedes text that only looks so.
fn text_xml(words: &str, to: &mut Vec<u8>) {
    let mut rest = words.as_bytes();
    while let Some(at) =
        rest.iter().position(|byte| matches!(byte, b'&' | b'<' | b'>' | b'_' | 0xef | ..b' '))
    {
        to.extend_from_slice(&rest[..at]);
        match escape(&rest[at..]) {
            Some((length, escaped)) => {
                to.extend_from_slice(&escaped);
                rest = &rest[at + length..];
            }
            None => {
                to.push(rest[at]);
                rest = &rest[at + 1..];
            }
        }
    }
    to.extend_from_slice(rest);
}

/// Returns the length of the first character and its escape. `None` if it needs no escape.
fn escape(bytes: &[u8]) -> Option<(usize, Cow<'static, [u8]>)> {
    let (length, escaped): (_, &[u8]) = match bytes {
        [b'&', ..] => (1, b"&amp;"),
        [b'<', ..] => (1, b"&lt;"),
        [b'>', ..] => (1, b"&gt;"),
        [b'_', ..] if is_escape(bytes) => (1, b"_x005F_"),
        [0xef, 0xbf, 0xbe, ..] => (3, b"_xFFFE_"),
        [0xef, 0xbf, 0xbf, ..] => (3, b"_xFFFF_"),
        [control @ ..b' ', ..] if !b"\t\n".contains(control) => {
            return Some((1, format!("_x{control:04X}_").into_bytes().into()));
        }
        _ => return None,
    };
    Some((length, escaped.into()))
}

/// Whether these bytes begin with an escape such as `_x0041_`.
fn is_escape(bytes: &[u8]) -> bool {
    matches!(bytes, [b'_', b'x', digits @ .., ] if digits.len() > 4
        && digits[..4].iter().all(u8::is_ascii_hexdigit) && digits[4] == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::DeflateDecoder;
    use hullmark_report::{
        packed_rows,
        table::Table,
        tables::{heads, objects::Objects},
    };
    use rayon::ThreadPoolBuilder;
    use tempfile::SpooledTempFile;

    /// Returns the rows of the sheet, packed in several pieces by this number of threads.
    fn packed(rows: u32, threads: usize) -> (usize, Vec<u8>) {
        let head = heads(&[]).into_iter().find(|head| head.name == Objects::NAME).unwrap();
        let mut spool = Spool::new(SpooledTempFile::new(0));
        let mut order = Vec::new();
        for row in 0..rows {
            let cells: Vec<_> =
                head.columns.iter().map(|of| Cell::show(format_args!("{} {row}", of.name))).collect();
            let mut row = Vec::new();
            packed_rows::pack(&cells, &mut row);
            order.push(spool.push(&row, None).unwrap());
        }
        order.reverse();
        let rows = Rows { spool, head };
        let mut body = Body { rows, order, top: 1, has_links: false, has_names: false };
        let mut pieces = Pieces::new([&mut body].into_iter(), None, None);
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let made: Vec<Piece> =
            pool.install(|| std::iter::from_fn(|| pieces.of(0)).collect::<io::Result<_>>().unwrap());
        let mut packed: Vec<u8> = made.iter().flat_map(|piece| piece.packed.clone()).collect();
        packed.extend(pack(b"", true).packed);
        (made.len(), packed)
    }

    #[test]
    fn rows_do_not_depend_on_threads_and_keep_their_order() {
        let (pieces, expected) = packed(700, 1);
        assert!(pieces > 2 * AHEAD, "{pieces} pieces need no second round");
        for threads in [2, 3] {
            assert!(packed(700, threads) == (pieces, expected.clone()), "{threads}");
        }
        let xml = io::read_to_string(DeflateDecoder::new(&*expected)).unwrap();
        let rows: Vec<&str> = xml.split("</row>").collect();
        assert_eq!(rows.len(), 701);
        for (at, row) in rows[..700].iter().enumerate() {
            assert!(row.starts_with(&format!("<row r=\"{}\">", at + 3)), "{row}");
            assert!(row.contains(&format!("<t>land_impact {}</t>", 699 - at)), "{row}");
        }
    }

    #[test]
    fn every_column_has_a_numbered_format() {
        let styles = style::of_rows();
        for head in &heads(&["other".to_owned()]) {
            for column in columns(head, layout::of(head.name)).0 {
                for wraps in [false, true] {
                    let number = style::number(&styles, &sheet::column_style(&column, wraps));
                    assert!(number > 0, "{} {}", head.name, column.head.name);
                }
            }
        }
    }

    #[test]
    fn values_are_escaped_and_numbers_are_exact() {
        let xml = |value: Value<'_>| {
            let mut xml = Vec::new();
            value_xml(&value, &mut xml).unwrap();
            String::from_utf8(xml).unwrap()
        };
        for (words, expected) in [
            ("a < b & c > d", "<t>a &lt; b &amp; c &gt; d<"),
            ("_x0041_", "<t>_x005F_x0041_<"),
            ("_x00410_ _x004 __x00e4_", "<t>_x00410_ _x004 __x005F_x00e4_<"),
            ("\u{1}\u{1f}\u{fffe}\u{ffff}\u{fffd}ｆ", "<t>_x0001__x001F__xFFFE__xFFFF_\u{fffd}ｆ<"),
            (" ä ", "<t xml:space=\"preserve\"> ä <"),
        ] {
            let xml = xml(Value::Text(words.into()));
            assert!(xml.contains(expected), "{xml}");
        }
        for (number, expected) in [
            (0.0, "0"),
            (-7.0, "-7"),
            (0.1, "0.1"),
            (-2.5e-7, "-0.00000025"),
            (9_007_199_254_740_992.0, "9007199254740992"),
            (1e20, "100000000000000000000"),
        ] {
            assert_eq!(xml(Value::Number(number)), format!("\"><v>{expected}</v></c>"));
        }
        assert_eq!(xml(Value::Bool(true)), "\" t=\"b\"><v>1</v></c>");
    }
}
