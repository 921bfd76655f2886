//! Bytes to plain data. Every decoder here is pure and total: it reads no file, knows no grid's limits, never
//! panics, and returns what it could read beside findings for what it could not.

pub(crate) mod base64;
pub mod control;
pub mod extent;
pub mod inflate;
pub mod inventory;
pub mod jpeg2000;
pub mod llsd;
pub mod media;
pub mod mesh;
pub mod object;
pub mod reference;
pub mod region;
pub mod sculpt_map;
pub mod terrain;
pub mod text;
pub mod tga;
pub mod xml;
