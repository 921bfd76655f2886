//! The tables of a report, one file for each.

pub mod actions;
pub mod archives;
pub mod arrivals;
pub mod asset_arrivals;
pub mod assets;
pub mod changes;
pub mod checks;
pub mod creators;
pub mod findings;
pub mod history;
pub mod hulls;
pub mod meshes;
pub mod missing;
pub mod objects;
pub mod owners;
pub mod parcels;
pub mod parts;
pub mod regions;

use super::table::{Cell, Head, head};

/// Returns the headers of all tables in reading order, with columns for these further profiles.
pub fn heads(further: &[String]) -> Vec<Head> {
    vec![
        head::<changes::Changes>(further),
        head::<archives::Archives>(further),
        head::<regions::Regions>(further),
        head::<parcels::Parcels>(further),
        head::<actions::Actions>(further),
        head::<missing::Missing>(further),
        head::<assets::Assets>(further),
        head::<owners::Owners>(further),
        head::<creators::Creators>(further),
        head::<objects::Objects>(further),
        head::<parts::Parts>(further),
        head::<meshes::Meshes>(further),
        head::<hulls::Hulls>(further),
        head::<findings::Findings>(further),
        head::<checks::Checks>(further),
    ]
}

/// Returns the headers of the tables about both sides of a move.
pub fn heads_of_arrivals() -> Vec<Head> {
    vec![head::<arrivals::Arrivals>(&[]), head::<asset_arrivals::AssetArrivals>(&[])]
}

/// Formats a key as users copy it.
fn hex(key: u64) -> Cell<'static> {
    Cell::show(format_args!("{key:016x}"))
}

/// One column: name, value of a row, description.
#[macro_export]
macro_rules! column {
    ($name:expr, $row:pat => $get:expr, $about:literal) => {
        $crate::table::Column {
            name: $name,
            about: $about,
            kind: $crate::table::kind_of(|$row: &<Self as $crate::table::Table>::Row<'_>| $get),
            get: |$row| $crate::table::Cell::from($get),
        }
    };
}
pub(crate) use column;

/// The columns of a table, and keys of those that sinks read. Columns marked `compared` are compared between runs. The
/// column of its basis follows each cost. Its key and description come after those of the cost.
#[macro_export]
macro_rules! columns {
    ($table:ident: $(
        $(#[$compared:ident])? $($key:ident =)? $name:literal, $row:pat => $get:expr, $about:literal
        $(, $(#[$basis_compared:ident])? $($basis_key:ident:)? $basis:literal)?;
    )+) => {
        impl $table {
            const LIST: &'static [Column<Self>] = &[$(
                $crate::column!($name, $row => $get, $about),
                $($crate::column!(
                    concat!($name, "_basis"), $row => Cell::show($get.basis()), $basis
                ),)?
            )+];
        }

        /// Keys of the columns that formats read.
        #[allow(missing_docs, reason = "each has the name of its column")]
        pub mod key {
            use super::$table;
            use $crate::table::Key;
            $(
                $(pub const $key: Key<$table> = Key::named($name);)?
                $($(pub const $basis_key: Key<$table> = Key::named(concat!($name, "_basis"));)?)?
            )+
            pub const COMPARED: &[Key<$table>] = &[$(
                $((Key::named($name), stringify!($compared)).0,)?
                $($((Key::named(concat!($name, "_basis")), stringify!($basis_compared)).0,)?)?
            )+];
        }
    };
}
pub(crate) use columns;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::ColumnHead;

    /// Whether a column holds a cost, which needs its basis.
    fn is_cost(name: &str) -> bool {
        let words = ["cost", "server_weight", "land_impact", "saving", "streaming_estimate"];
        words.iter().any(|word| name.contains(word)) && !name.ends_with("_basis")
    }

    #[test]
    fn every_cost_has_its_basis_next_to_it() {
        for head in heads(&["opensim-ubode".into()]) {
            // The name of a further profile is a suffix.
            let word = |column: &ColumnHead| column.name.replace("_opensim-ubode", "");
            let names: Vec<String> = head.columns.iter().map(word).collect();
            for name in names.iter().filter(|name| is_cost(name)) {
                // Ends of a range and states of a saving share one basis.
                let ends = ["_low", "_high", "_before", "_after"];
                let stem = ends.iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
                let basis = if head.name == "actions" { "basis".to_owned() } else { format!("{stem}_basis") };
                assert!(names.contains(&basis), "{}: {name} has no {basis}", head.name);
            }
        }
    }
}
