//! A table is one list of columns: name, unit, what it means, and how a row gives it.
//!
//! Every format, and the reference in the README, is written from that list: a new column is one line.

use std::borrow::Cow;
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
        Self::Text(Cow::Owned(value.to_string()))
    }

    /// Words joined by blanks; empty where there are none.
    pub fn words(words: &[String]) -> Self {
        if words.is_empty() { Self::Empty } else { Self::Text(words.join(" ").into()) }
    }
}

impl<'a> From<&'a str> for Cell<'a> {
    fn from(text: &'a str) -> Self {
        if text.is_empty() { Self::Empty } else { Self::Text(text.into()) }
    }
}

impl<'a> From<&'a String> for Cell<'a> {
    fn from(text: &'a String) -> Self {
        text.as_str().into()
    }
}

impl From<bool> for Cell<'_> {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<f64> for Cell<'_> {
    fn from(value: f64) -> Self {
        Self::Real(value)
    }
}

impl From<Uuid> for Cell<'_> {
    /// The nil UUID means that there is none.
    fn from(uuid: Uuid) -> Self {
        if uuid.is_nil() { Self::Empty } else { Self::show(uuid) }
    }
}

macro_rules! cell_from_integers {
    ($($integer:ty)*) => {$(
        impl From<$integer> for Cell<'_> {
            fn from(value: $integer) -> Self {
                i64::try_from(value).map_or(Self::Real(value as f64), Self::Int)
            }
        }
    )*};
}
cell_from_integers!(i32 i64 u8 u32 u64 usize);

impl<'a, T: Into<Cell<'a>>> From<Option<T>> for Cell<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Empty, Into::into)
    }
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
    /// How a row gives it.
    pub get: for<'r, 'a> fn(&'r T::Row<'a>) -> Cell<'r>,
}

/// A table's head, without its rows: all that writers and documentation need.
#[derive(Debug, Clone)]
pub struct Head {
    /// The name of the file, without ending.
    pub name: &'static str,
    /// What one row is.
    pub about: &'static str,
    /// Names and meanings of the columns.
    pub columns: Vec<(Cow<'static, str>, &'static str)>,
}

/// The head of a table with these further profiles, named as columns name them.
pub fn head<T: Table>(further: &[String]) -> Head {
    let own = T::COLUMNS.iter().map(|column| (Cow::Borrowed(column.name), column.about));
    let beside = further.iter().flat_map(|profile| {
        T::BESIDE.iter().map(move |column| (format!("{}_{profile}", column.name).into(), column.about))
    });
    Head { name: T::NAME, about: T::ABOUT, columns: own.chain(beside).collect() }
}

/// One way of writing tables.
pub trait Sink {
    /// Takes a row of the table with this name.
    fn row(&mut self, table: &'static str, cells: &mut dyn Iterator<Item = Cell<'_>>) -> std::io::Result<()>;
    /// Writes what is held back. Nothing comes after it.
    fn finish(&mut self) -> std::io::Result<()>;
}

/// Gives a row to a sink.
pub fn write<T: Table>(sink: &mut dyn Sink, row: &T::Row<'_>) -> std::io::Result<()> {
    let beside = T::beside(row);
    let own = T::COLUMNS.iter().map(|column| (column.get)(row));
    let further = beside.iter().flat_map(|row| T::BESIDE.iter().map(move |column| (column.get)(row)));
    sink.row(T::NAME, &mut own.chain(further))
}
