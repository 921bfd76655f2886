//! Files for people and other programs from evaluated inputs: workbooks, pages, letters, findings for build servers.
//!
//! `formats` opens each format of a report, and `reports` writes them together. `inspect` and `gltf` show one mesh, and
//! `message` reports a run to people.

#[cfg(feature = "xlsx")]
pub mod column_words;
mod formats;
pub mod gltf;
mod html;
pub mod inspect;
mod junit;
pub mod lake;
pub mod letters;
pub mod library;
pub mod message;
mod picture;
mod reports;
mod sarif;
#[cfg(all(test, feature = "schema"))]
#[allow(clippy::unwrap_used, reason = "tests alone")]
mod schema;
mod up_to_date;
#[cfg(feature = "xlsx")]
mod xlsx;

pub use reports::{Ledgers, ReportContext, Reports, write, write_arrivals, write_changes};
