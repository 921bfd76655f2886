//! hullmark audits exports of Second Life and OpenSimulator content.

pub mod config;
pub mod cost;
pub mod facts;
pub mod finding;
pub mod format;
pub mod geometry;
pub mod limits;
pub mod ledger;
pub mod link;
pub mod measure;
pub mod profile;
pub mod scan;
pub mod shape;
pub mod source;
