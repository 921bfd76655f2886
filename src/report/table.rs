//! A table is one list of columns: name with its unit, kind, what it means, and how a row gives it.
//!
//! Every format, and the reference in the README, is written from that list: a new column is one line.

use super::{Summary, text_tables::TextFiles};
use crate::analysis::cost::Cost;
use std::{borrow::Cow, marker::PhantomData, time::SystemTime};
use uuid::Uuid;

/// One value of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell<'a> {
    /// Not evaluated, not applicable, or not there: never 0.
    Empty,
    /// Yes or no.
    Bool(bool),
    /// A count.
    Int(i64),
    /// A measure.
    Real(f64),
    /// Words.
    Text(Cow<'a, str>),
}

impl<'a> Cell<'a> {
    /// Words from anything that displays.
    #[expect(clippy::needless_pass_by_value, reason = "callers have values, not references")]
    pub fn show(value: impl ToString) -> Self {
        let text = value.to_string();
        if text.is_empty() { Self::Empty } else { Self::Text(text.into()) }
    }

    /// Words joined by blanks; empty where there are none.
    pub fn words(words: &[String]) -> Self {
        if words.is_empty() { Self::Empty } else { Self::Text(words.join(" ").into()) }
    }
}

impl Cell<'_> {
    /// Whether it may stand in a column of this kind. A count beyond 63 bits stands as a measure.
    fn fits(&self, kind: Kind) -> bool {
        match self {
            Self::Empty => true,
            Self::Bool(_) => kind == Kind::Bool,
            Self::Int(_) => kind == Kind::Int,
            Self::Real(_) => matches!(kind, Kind::Real | Kind::Percent | Kind::Int),
            Self::Text(_) => matches!(kind, Kind::Text | Kind::Uuid | Kind::Time),
        }
    }
}

impl<'a, T: Into<Cell<'a>>> From<Option<T>> for Cell<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Empty, Into::into)
    }
}

/// What the cells of a column are, where they are not empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Yes or no.
    Bool,
    /// A count.
    Int,
    /// A measure.
    Real,
    /// A share of a hundred.
    Percent,
    /// A moment in UTC, as RFC 3339 writes it.
    Time,
    /// A UUID.
    Uuid,
    /// Words.
    Text,
}

/// A share: 100 is all.
#[derive(Debug, Clone, Copy)]
pub struct Percent(pub f64);

/// A moment in UTC.
#[derive(Debug, Clone, Copy)]
pub struct Time(pub SystemTime);

/// A value that makes a cell: its type tells the column's kind.
pub trait Typed {
    /// The kind of a column of such values.
    const KIND: Kind;
}

/// How values of these types make cells, and of which kind.
macro_rules! cells {
    ($($value:ty: $kind:ident, $from:pat => $cell:expr;)+) => {$(
        impl<'a> From<$value> for Cell<'a> {
            fn from($from: $value) -> Self {
                $cell
            }
        }

        impl<'a> Typed for $value {
            const KIND: Kind = Kind::$kind;
        }
    )+};
    ($($integer:ty)+) => {
        cells! {
            $($integer: Int, value => i64::try_from(value).map_or(Self::Real(value as f64), Self::Int);)+
        }
    };
}
cells! { i32 i64 u8 u32 u64 usize }
cells! {
    bool: Bool, value => Self::Bool(value);
    f64: Real, value => Self::Real(value);
    Cost: Real, cost => cost.value().into();
    Percent: Percent, share => Self::Real(share.0);
    Time: Time, time => Self::show(humantime::format_rfc3339_seconds(time.0));
    // The nil UUID means that there is none.
    Uuid: Uuid, uuid => if uuid.is_nil() { Self::Empty } else { Self::show(uuid) };
    &'a str: Text, text => if text.is_empty() { Self::Empty } else { Self::Text(text.into()) };
    &'a String: Text, text => text.as_str().into();
}

impl Typed for Cell<'_> {
    const KIND: Kind = Kind::Text;
}

impl<T: Typed> Typed for Option<T> {
    const KIND: Kind = T::KIND;
}

/// The kind of a column, by what gets its values.
pub const fn kind_of<R, T: Typed>(_: fn(R) -> T) -> Kind {
    T::KIND
}

/// A table: what its rows are, and its columns.
pub trait Table: 'static {
    /// What a row is made from.
    type Row<'a>;
    /// The name of the file, without ending.
    const NAME: &'static str;
    /// What one row is.
    const ABOUT: &'static str;
    /// Its columns, in order.
    const COLUMNS: &'static [Column<Self>];
    /// Columns that follow those once for each further profile, with the profile's name behind theirs.
    const BESIDE: &'static [Column<Self>] = &[];
    /// What a row is by each further profile: what [`BESIDE`](Self::BESIDE) is read from.
    fn beside<'r>(_row: &Self::Row<'r>) -> Vec<Self::Row<'r>> {
        Vec::new()
    }
}

/// One column.
#[derive(Debug)]
pub struct Column<T: Table + ?Sized> {
    /// The field's own term, with the unit where there is one.
    pub name: &'static str,
    /// What it means, in one line.
    pub about: &'static str,
    /// What its cells are.
    pub kind: Kind,
    /// How a row gives it.
    pub get: for<'r, 'a> fn(&'r T::Row<'a>) -> Cell<'r>,
}

impl<T: Table + ?Sized> Column<T> {
    fn cell<'r>(&self, row: &'r T::Row<'_>) -> Cell<'r> {
        let cell = (self.get)(row);
        debug_assert!(cell.fits(self.kind), "{}: {cell:?} is no {:?}", self.name, self.kind);
        cell
    }
}

/// A table's head, without its rows: all that writers and documentation need.
#[derive(Debug, Clone)]
pub struct Head {
    /// The name of the file, without ending.
    pub name: &'static str,
    /// What one row is.
    pub about: &'static str,
    /// Its columns.
    pub columns: Vec<ColumnHead>,
}

/// A column that a sink reads. Its name is looked up when the program is built: one that the table lacks does not compile.
pub(super) struct Key<T: ?Sized>(usize, PhantomData<fn() -> Box<T>>);

impl<T: ?Sized> Clone for Key<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized> Copy for Key<T> {}

impl<T: Table> Key<T> {
    /// The column of this name.
    pub(super) const fn of(name: &str) -> Self {
        let mut place = 0;
        while place < T::COLUMNS.len() {
            if is_same(T::COLUMNS[place].name, name) {
                return Self(place, PhantomData);
            }
            place += 1;
        }
        panic!("the table has no column of this name")
    }

    /// Its name.
    pub(super) fn name(self) -> &'static str {
        T::COLUMNS[self.0].name
    }
}

/// Whether two names are one, in a program that is being built.
const fn is_same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

impl<T: ?Sized> Key<T> {
    /// Its place from the left.
    pub(super) const fn place(self) -> usize {
        self.0
    }

    fn cell<'c>(self, row: &'c [Cell<'_>]) -> &'c Cell<'c> {
        row.get(self.0).unwrap_or(&Cell::Empty)
    }

    /// The words in it; none are empty words.
    pub(super) fn text<'c>(self, row: &'c [Cell<'_>]) -> &'c str {
        if let Cell::Text(words) = self.cell(row) { words } else { "" }
    }

    /// The number in it.
    pub(super) fn number(self, row: &[Cell<'_>]) -> Option<f64> {
        match *self.cell(row) {
            Cell::Int(value) => Some(value as f64),
            Cell::Real(value) => Some(value),
            _ => None,
        }
    }

    /// The count in it.
    pub(super) fn count(self, row: &[Cell<'_>]) -> u64 {
        if let Cell::Int(count) = *self.cell(row) { u64::try_from(count).unwrap_or(0) } else { 0 }
    }

    /// The UUID in it.
    pub(super) fn uuid(self, row: &[Cell<'_>]) -> Option<Uuid> {
        Uuid::try_parse(self.text(row)).ok()
    }
}

/// The head of a column.
#[derive(Debug, Clone)]
pub struct ColumnHead {
    /// The field's own term, with the unit where there is one; behind it the profile, where it is a further one's.
    pub name: Cow<'static, str>,
    /// What it means, in one line.
    pub about: &'static str,
    /// What its cells are.
    pub kind: Kind,
}

/// The head of a table with these further profiles, named as columns name them.
pub fn head<T: Table>(further: &[String]) -> Head {
    let own = T::COLUMNS.iter().map(|column| (column, column.name.into()));
    let beside = further.iter().flat_map(|profile| {
        T::BESIDE.iter().map(move |column| (column, format!("{}_{profile}", column.name).into()))
    });
    let columns = own.chain(beside);
    let columns =
        columns.map(|(column, name)| ColumnHead { name, about: column.about, kind: column.kind }).collect();
    Head { name: T::NAME, about: T::ABOUT, columns }
}

/// What takes rows.
pub trait Rows {
    /// Takes a row of the table with this name.
    fn row(&mut self, table: &'static str, row: &[Cell<'_>]) -> std::io::Result<()>;
}

/// One way of writing tables.
pub trait Sink: Rows + Send {
    /// Writes what is held back, and what the whole run amounts to. Nothing comes after it.
    fn finish(&mut self, summary: &Summary) -> std::io::Result<()>;
    /// Its files, where a row becomes nothing but text: others may make that, and append it.
    fn as_text(&mut self) -> Option<&mut TextFiles> {
        None
    }
}

/// Gives a row to what takes them.
pub fn write<T: Table>(rows: &mut dyn Rows, row: &T::Row<'_>) -> std::io::Result<()> {
    let beside = T::beside(row);
    let own = T::COLUMNS.iter().map(|column| column.cell(row));
    let further = beside.iter().flat_map(|row| T::BESIDE.iter().map(move |column| column.cell(row)));
    rows.row(T::NAME, &own.chain(further).collect::<Vec<_>>())
}
