//! Writes databases of SQLite, without SQLite: tables of any size in UTF-16, as OpenSimulator has them.

const PAGE: usize = 1024;
const HEADER: usize = 100;
const LEAF: u8 = 13;
const INTERIOR: u8 = 5;

/// One value.
#[derive(Debug, Clone)]
pub enum Cell {
    Null,
    Int(i64),
    Real(f64),
    Text(String),
    Blob(Vec<u8>),
}

/// A table: its statement, its name and its rows.
#[derive(Debug, Clone)]
pub struct Table {
    pub name: String,
    pub statement: String,
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    /// Creates a table of columns without types.
    pub fn new(name: &str, columns: &[&str], rows: Vec<Vec<Cell>>) -> Self {
        Self { name: name.into(), statement: format!("CREATE TABLE {name} ({})", columns.join(", ")), rows }
    }
}

/// Returns a database with these tables.
pub fn database(tables: &[Table]) -> Vec<u8> {
    let mut pages = vec![Vec::new()];
    let mut list = Vec::new();
    for Table { name, statement, rows } in tables {
        let root = new_page(&mut pages);
        tree(&mut pages, root, rows);
        let name = Cell::Text(name.clone());
        let statement = Cell::Text(statement.clone());
        list.push(vec![Cell::Text("table".into()), name.clone(), name, Cell::Int(root as i64), statement]);
    }
    tree(&mut pages, 1, &list);
    let count = (pages.len() as u32).to_be_bytes();
    let header = &mut pages[0][..HEADER];
    header[..16].copy_from_slice(b"SQLite format 3\0");
    header[16..24].copy_from_slice(&[(PAGE >> 8) as u8, 0, 1, 1, 0, 64, 32, 32]);
    for (at, number) in [(24, 7_u32), (40, 1), (44, 4), (56, 2), (92, 7), (96, 3_040_001)] {
        header[at..at + 4].copy_from_slice(&number.to_be_bytes());
    }
    header[28..32].copy_from_slice(&count);
    pages.concat()
}

/// Returns the number of a new page.
fn new_page(pages: &mut Vec<Vec<u8>>) -> usize {
    pages.push(vec![0; PAGE]);
    pages.len()
}

/// Writes the rows of a table below this page.
fn tree(pages: &mut Vec<Vec<u8>>, root: usize, rows: &[Vec<Cell>]) {
    let mut leaves: Vec<(usize, Vec<Vec<u8>>)> = vec![(0, Vec::new())];
    let mut room = PAGE - HEADER - 8;
    for (row, rowid) in rows.iter().zip(1..) {
        let cell = leaf_cell(pages, rowid, &record(row));
        if cell.len() + 2 > room {
            leaves.push((0, Vec::new()));
            room = PAGE - HEADER - 8;
        }
        room -= cell.len() + 2;
        let leaf = leaves.last_mut().unwrap();
        leaf.0 = rowid;
        leaf.1.push(cell);
    }
    if let [(_, cells)] = leaves.as_slice() {
        pages[root - 1] = page(root, LEAF, cells, None);
        return;
    }
    let mut children = Vec::new();
    let mut last = 0;
    for (rowid, cells) in &leaves {
        last = new_page(pages) as u32;
        pages[last as usize - 1] = page(last as usize, LEAF, cells, None);
        children.push([&last.to_be_bytes()[..], &varint(*rowid as u64)].concat());
    }
    children.pop();
    pages[root - 1] = page(root, INTERIOR, &children, Some(last));
}

fn page(number: usize, kind: u8, cells: &[Vec<u8>], last: Option<u32>) -> Vec<u8> {
    let start = if number == 1 { HEADER } else { 0 };
    let mut page = vec![0; PAGE];
    page[start] = kind;
    page[start + 3..start + 5].copy_from_slice(&(cells.len() as u16).to_be_bytes());
    let mut pointer = start + 8;
    if let Some(last) = last {
        page[pointer..pointer + 4].copy_from_slice(&last.to_be_bytes());
        pointer += 4;
    }
    let mut end = PAGE;
    for cell in cells {
        end -= cell.len();
        page[end..end + cell.len()].copy_from_slice(cell);
        page[pointer..pointer + 2].copy_from_slice(&(end as u16).to_be_bytes());
        pointer += 2;
    }
    assert!(pointer <= end, "the cells do not fit into a page");
    page[start + 5..start + 7].copy_from_slice(&(end as u16).to_be_bytes());
    page
}

/// Returns the cell of a row. The rest of a long record goes to overflow pages.
fn leaf_cell(pages: &mut Vec<Vec<u8>>, rowid: usize, record: &[u8]) -> Vec<u8> {
    let mut cell = [varint(record.len() as u64), varint(rowid as u64)].concat();
    let (most, fewest, whole) = (PAGE - 35, (PAGE - 12) * 32 / 255 - 23, PAGE - 4);
    if record.len() <= most {
        cell.extend(record);
        return cell;
    }
    let wanted = fewest + (record.len() - fewest) % whole;
    let (local, rest) = record.split_at(if wanted <= most { wanted } else { fewest });
    cell.extend(local);
    let mut next = 0_u32;
    for piece in rest.chunks(whole).rev() {
        let number = new_page(pages);
        let content = [&next.to_be_bytes()[..], piece].concat();
        pages[number - 1][..content.len()].copy_from_slice(&content);
        next = number as u32;
    }
    cell.extend(next.to_be_bytes());
    cell
}

fn record(values: &[Cell]) -> Vec<u8> {
    let (mut types, mut content) = (Vec::new(), Vec::new());
    for value in values {
        let kind = match value {
            Cell::Null => 0,
            Cell::Int(number) => {
                content.extend(number.to_be_bytes());
                6
            }
            Cell::Real(number) => {
                content.extend(number.to_be_bytes());
                7
            }
            Cell::Text(text) => {
                let before = content.len();
                content.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
                13 + 2 * (content.len() - before) as u64
            }
            Cell::Blob(bytes) => {
                content.extend(bytes);
                12 + 2 * bytes.len() as u64
            }
        };
        types.extend(varint(kind));
    }
    // The length counts itself, in one or two bytes.
    let length = types.len() + if types.len() < 127 { 1 } else { 2 };
    [varint(length as u64), types, content].concat()
}

fn varint(number: u64) -> Vec<u8> {
    let mut bytes = vec![(number & 0x7f) as u8];
    let mut rest = number >> 7;
    while rest > 0 {
        bytes.insert(0, (rest & 0x7f) as u8 | 0x80);
        rest >>= 7;
    }
    bytes
}
