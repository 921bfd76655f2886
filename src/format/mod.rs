//! Decodes bytes to plain data. Every decoder here is pure and total. It reads no file, knows no limits of a grid, and
//! never panics. It returns all data that it could read, and defects for the rest.

pub mod archive_xml;
pub mod asset_type;
pub mod defect;
pub mod hashed_file;
pub mod height_grid;
pub mod inflate;
pub mod inventory;
pub mod llsd;
pub mod llsd_writer;
pub mod loader;
pub mod member;
pub mod mesh;
pub mod nrbf;
pub mod object;
pub mod reference;
pub mod region;
pub mod terrain;
pub mod text;
pub mod viewer;
pub mod xml;

pub use defect::Defect;
