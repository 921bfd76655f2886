//! A table is one list of columns: name with unit, kind, description, and value of a row.
//!
//! All formats and the reference of columns are written from that list: a new column is one line.

use hullmark_analysis::cost::Cost;
use std::{
    borrow::Cow,
    marker::PhantomData,
    time::{Duration, SystemTime, UNIX_EPOCH},
};
use uuid::Uuid;

/// One value of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell<'a> {
    /// Not evaluated, not applicable, or absent: never 0.
    Empty,
    /// Yes or no.
    Bool(bool),
    /// A count.
    Int(i64),
    /// A measure.
    Real(f64),
    /// Text.
    Text(Cow<'a, str>),
}

impl<'a> Cell<'a> {
    /// Creates text from any value with `Display`.
    #[expect(clippy::needless_pass_by_value, reason = "callers have values, not references")]
    pub fn show(value: impl ToString) -> Self {
        let text = value.to_string();
        if text.is_empty() { Self::Empty } else { Self::Text(text.into()) }
    }

    /// Joins words with blanks. Empty without any.
    pub fn words(words: &[String]) -> Self {
        if words.is_empty() { Self::Empty } else { Self::Text(words.join(" ").into()) }
    }
}

impl Cell<'_> {
    /// Returns the cell with a copy of its text.
    pub fn into_owned(self) -> Cell<'static> {
        match self {
            Self::Empty => Cell::Empty,
            Self::Bool(value) => Cell::Bool(value),
            Self::Int(value) => Cell::Int(value),
            Self::Real(value) => Cell::Real(value),
            Self::Text(text) => Cell::Text(text.into_owned().into()),
        }
    }

    /// Whether a column of this kind may contain the cell. A count above 63 bits is a measure.
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

/// Kind of the cells of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Yes or no.
    Bool,
    /// A count.
    Int,
    /// A measure.
    Real,
    /// A percentage.
    Percent,
    /// A time in UTC, as in RFC 3339.
    Time,
    /// A UUID.
    Uuid,
    /// Text.
    Text,
}

/// A percentage: 100 is all.
#[derive(Debug, Clone, Copy)]
pub struct Percent(pub f64);

/// A time in UTC.
#[derive(Debug, Clone, Copy)]
pub struct Time(pub SystemTime);

impl Time {
    /// Returns the time this long after the start of 1970. `None` if its year has no text in RFC 3339.
    pub fn since_1970(since: Duration) -> Option<Self> {
        const YEAR_10000: Duration = Duration::from_secs(253_402_300_800);
        (since < YEAR_10000).then(|| Self(UNIX_EPOCH + since))
    }
}

/// A value of a cell. Its type determines the kind of the column.
pub trait Typed {
    /// The kind of a column of such values.
    const KIND: Kind;
}

/// Conversions of values to cells, with their kinds.
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
    // The nil UUID means that there is no UUID.
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

/// Returns the kind of a column, from its getter.
pub const fn kind_of<R, T: Typed>(_: fn(R) -> T) -> Kind {
    T::KIND
}

/// A table: its rows and columns.
pub trait Table: 'static {
    /// Source of a row.
    type Row<'a>;
    /// The file name without extension.
    const NAME: &'static str;
    /// Description.
    const ABOUT: &'static str;
    /// Its columns, in order.
    const COLUMNS: &'static [Column<Self>];
    /// Columns that are repeated for each further profile, with its name as suffix.
    const PER_PROFILE: &'static [Column<Self>] = &[];
    /// Returns the row of each further profile, for [`PER_PROFILE`](Self::PER_PROFILE).
    fn per_profile<'r>(_row: &Self::Row<'r>) -> Vec<Self::Row<'r>> {
        Vec::new()
    }
}

/// One column.
#[derive(Debug)]
pub struct Column<T: Table + ?Sized> {
    /// The term of the field, with the unit, if there is one.
    pub name: &'static str,
    /// Description in one line.
    pub about: &'static str,
    /// Kind of its cells.
    pub kind: Kind,
    /// Its value in a row.
    pub get: for<'r, 'a> fn(&'r T::Row<'a>) -> Cell<'r>,
}

impl<T: Table + ?Sized> Column<T> {
    fn cell<'r>(&self, row: &'r T::Row<'_>) -> Cell<'r> {
        let cell = (self.get)(row);
        debug_assert!(cell.fits(self.kind), "{}: {cell:?} is no {:?}", self.name, self.kind);
        cell
    }
}

/// The header of a table, for writers and documentation.
#[derive(Debug, Clone)]
pub struct Head {
    /// The file name without extension.
    pub name: &'static str,
    /// Description.
    pub about: &'static str,
    /// Its columns.
    pub columns: Vec<ColumnHead>,
}

/// A column that a sink reads. Its name is checked at compile time.
pub struct Key<T: ?Sized>(usize, PhantomData<fn() -> Box<T>>);

impl<T: ?Sized> Clone for Key<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized> Copy for Key<T> {}

impl<T: Table> Key<T> {
    /// Returns the column of this name.
    pub const fn named(name: &str) -> Self {
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
    pub fn name(self) -> &'static str {
        T::COLUMNS[self.0].name
    }
}

/// Compares two names at compile time.
const fn is_same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

impl<T: ?Sized> Key<T> {
    /// Its index from the left.
    pub const fn place(self) -> usize {
        self.0
    }

    fn cell<'c>(self, row: &'c [Cell<'_>]) -> &'c Cell<'c> {
        row.get(self.0).unwrap_or(&Cell::Empty)
    }

    /// Returns the text in the column; an empty cell is empty text.
    pub fn text<'c>(self, row: &'c [Cell<'_>]) -> &'c str {
        if let Cell::Text(words) = self.cell(row) { words } else { "" }
    }

    /// Returns the number in the column.
    pub fn number(self, row: &[Cell<'_>]) -> Option<f64> {
        match *self.cell(row) {
            Cell::Int(value) => Some(value as f64),
            Cell::Real(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the count in the column.
    pub fn count(self, row: &[Cell<'_>]) -> u64 {
        if let Cell::Int(count) = *self.cell(row) { u64::try_from(count).unwrap_or(0) } else { 0 }
    }

    /// Returns the UUID in the column.
    pub fn uuid(self, row: &[Cell<'_>]) -> Option<Uuid> {
        Uuid::try_parse(self.text(row)).ok()
    }
}

/// The header of a column.
#[derive(Debug, Clone)]
pub struct ColumnHead {
    /// The term of the field, with the unit, if there is one, and the name of a further profile as suffix.
    pub name: Cow<'static, str>,
    /// Description in one line.
    pub about: &'static str,
    /// Kind of its cells.
    pub kind: Kind,
}

/// Returns the header of a table with these further profiles.
pub fn head<T: Table>(further: &[String]) -> Head {
    let own = T::COLUMNS.iter().map(|column| (column, column.name.into()));
    let per_profile = further.iter().flat_map(|profile| {
        T::PER_PROFILE.iter().map(move |column| (column, format!("{}_{profile}", column.name).into()))
    });
    let columns = own.chain(per_profile);
    let columns =
        columns.map(|(column, name)| ColumnHead { name, about: column.about, kind: column.kind }).collect();
    Head { name: T::NAME, about: T::ABOUT, columns }
}

/// A consumer of rows.
pub trait Rows {
    /// Takes a row of the table with this name.
    fn row(&mut self, table: &'static str, row: &[Cell<'_>]) -> std::io::Result<()>;
}

impl<F: FnMut(&'static str, &[Cell<'_>]) -> std::io::Result<()>> Rows for F {
    fn row(&mut self, table: &'static str, row: &[Cell<'_>]) -> std::io::Result<()> {
        self(table, row)
    }
}

/// Writes a row.
pub fn write<T: Table>(rows: &mut dyn Rows, row: &T::Row<'_>) -> std::io::Result<()> {
    let per_profile = T::per_profile(row);
    let own = T::COLUMNS.iter().map(|column| column.cell(row));
    let further =
        per_profile.iter().flat_map(|row| T::PER_PROFILE.iter().map(move |column| column.cell(row)));
    rows.row(T::NAME, &own.chain(further).collect::<Vec<_>>())
}
