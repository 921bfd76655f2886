//! Bytes to plain data. Every decoder here is pure and total: it reads no file, knows no grid's limits, never
//! panics, and returns what it could read beside defects for what it could not.

pub mod archive_xml;
pub(crate) mod base64;
pub mod defect;
pub mod extent;
pub mod image;
pub mod inflate;
pub mod inventory;
pub mod llsd;
pub mod member;
pub mod mesh;
pub mod object;
pub mod reference;
pub mod region;
pub mod terrain;
pub mod text;
pub mod xml;

pub use defect::Defect;
