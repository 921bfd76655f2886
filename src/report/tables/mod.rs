//! The tables, a file for each.

pub mod archives;
pub mod changes;
pub mod checks;
pub mod findings;
pub mod hulls;
pub mod meshes;
pub mod objects;
pub mod parcels;
pub mod parts;
pub mod regions;
pub mod savings;

use super::table::{Head, head};

/// The heads of all tables, in the order in which people read them, with columns for these further profiles.
pub fn heads(further: &[String]) -> Vec<Head> {
    vec![
        head::<changes::Changes>(further),
        head::<archives::Archives>(further),
        head::<regions::Regions>(further),
        head::<parcels::Parcels>(further),
        head::<savings::Savings>(further),
        head::<objects::Objects>(further),
        head::<parts::Parts>(further),
        head::<meshes::Meshes>(further),
        head::<hulls::Hulls>(further),
        head::<findings::Findings>(further),
        head::<checks::Checks>(further),
    ]
}

/// One column: its name, how a row gives it, and what it means.
macro_rules! column {
    ($name:expr, $row:pat => $get:expr, $about:literal) => {
        crate::report::table::Column {
            name: $name,
            about: $about,
            kind: crate::report::table::kind_of(|$row: &<Self as crate::report::table::Table>::Row<'_>| $get),
            get: |$row| crate::report::table::Cell::from($get),
        }
    };
}
pub(super) use column;

/// The columns of a table, and keys of those that sinks read. By what is `compared` a report is compared with another
/// night's. What a cost rests on is a column behind it: its key and what it means stand behind those of the cost.
macro_rules! columns {
    ($table:ident: $(
        $(#[$compared:ident])? $($key:ident =)? $name:literal, $row:pat => $get:expr, $about:literal
        $(, $(#[$basis_compared:ident])? $($basis_key:ident:)? $basis:literal)?;
    )+) => {
        impl $table {
            const LIST: &'static [Column<Self>] = &[$(
                crate::report::tables::column!($name, $row => $get, $about),
                $(crate::report::tables::column!(
                    concat!($name, "_basis"), $row => Cell::show($get.basis()), $basis
                ),)?
            )+];
        }

        pub(in crate::report) mod key {
            use super::$table;
            use crate::report::table::Key;
            $(
                $(pub(in crate::report) const $key: Key<$table> = Key::of($name);)?
                $($(pub(in crate::report) const $basis_key: Key<$table> = Key::of(concat!($name, "_basis"));)?)?
            )+
            #[allow(dead_code, reason = "not every table is compared")]
            pub(in crate::report) const COMPARED: &[Key<$table>] = &[$(
                $((Key::of($name), stringify!($compared)).0,)?
                $($((Key::of(concat!($name, "_basis")), stringify!($basis_compared)).0,)?)?
            )+];
        }
    };
}
pub(super) use columns;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::table::ColumnHead;

    /// Whether a column holds a cost, which is worth no more than what it rests on.
    fn is_cost(name: &str) -> bool {
        let words = ["cost", "server_weight", "land_impact", "saving", "streaming_estimate"];
        words.iter().any(|word| name.contains(word)) && !name.ends_with("_basis")
    }

    #[test]
    fn every_cost_has_its_basis_beside_it() {
        for head in heads(&["opensim-ubode".into()]) {
            // A further profile's name stands behind the name of a column.
            let word = |column: &ColumnHead| column.name.replace("_opensim-ubode", "");
            let names: Vec<String> = head.columns.iter().map(word).collect();
            for name in names.iter().filter(|name| is_cost(name)) {
                // Ends of a range and states of a saving share one basis.
                let ends = ["_low", "_high", "_before", "_after"];
                let stem = ends.iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
                let of_table = head.name == "savings" && ["saving", "cost"].contains(&stem);
                let basis = if of_table { "basis".to_owned() } else { format!("{stem}_basis") };
                assert!(names.contains(&basis), "{}: {name} has no {basis}", head.name);
            }
        }
    }
}
