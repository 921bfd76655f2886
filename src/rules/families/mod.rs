//! The rules, one file for each subject.

pub(crate) mod archive;
pub(crate) mod asset;
pub(crate) mod cost;
pub(crate) mod creator;
pub(crate) mod decoding;
pub(crate) mod history;
pub(crate) mod hull;
pub(crate) mod land;
pub(crate) mod link;
pub(crate) mod mesh;
pub(crate) mod nesting;
pub(crate) mod object;
pub(crate) mod owner;
pub(crate) mod physics;
pub(crate) mod placement;
pub(crate) mod reference;
pub(crate) mod region;
pub(crate) mod script;
pub(crate) mod texture;
pub(crate) mod viewer;
