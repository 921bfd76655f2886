//! The rules: a file for each family, with its rows and functions.
//!
//! A file without rows has functions of a part of a family, or what several families use. [`decoding`] turns defects
//! into findings.

pub(crate) mod across;
pub(crate) mod archive;
pub mod asset;
pub(crate) mod cost;
pub(crate) mod creator;
pub mod database;
pub mod decoding;
pub mod history;
pub(crate) mod hull;
pub(crate) mod inventory;
pub(crate) mod land;
pub(crate) mod link;
pub(crate) mod mesh;
pub(crate) mod model;
pub(crate) mod nesting;
pub(crate) mod object;
pub(crate) mod owner;
pub(crate) mod physics;
mod place;
pub(crate) mod placement;
pub mod reference;
pub(crate) mod region;
pub(crate) mod run;
pub(crate) mod script;
mod sculpt;
pub(crate) mod store;
pub(crate) mod texture;
pub(crate) mod viewer;
pub(crate) mod worn;
