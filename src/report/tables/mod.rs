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
    ($name:literal, $row:pat => $get:expr, $about:literal) => {
        crate::report::table::Column {
            name: $name,
            about: $about,
            kind: crate::report::table::kind_of(|$row: &<Self as crate::report::table::Table>::Row<'_>| $get),
            get: |$row| crate::report::table::Cell::from($get),
        }
    };
}
pub(super) use column;
