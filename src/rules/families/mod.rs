//! The rules, one file for each subject.

pub mod archive;
pub mod asset;
pub mod cost;
pub mod creator;
pub mod decoding;
pub mod history;
pub mod hull;
pub mod inventory;
pub mod land;
pub mod link;
pub mod mesh;
pub mod nesting;
pub mod object;
pub mod owner;
pub mod physics;
pub mod placement;
pub mod reference;
pub mod region;
pub mod script;
pub mod texture;
pub mod viewer;
