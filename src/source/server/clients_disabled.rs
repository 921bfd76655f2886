//! Replaces the clients in a build without databases: no server can be reached.

use super::{Failure, Server, url::ServerUrl};
use hullmark_settings::{limits::Limits, passwords::Password};

/// Reports that this build has no clients.
pub(super) fn connect(_: &ServerUrl, _: Option<&Password>, _: &Limits) -> Result<Box<dyn Server>, Failure> {
    Err(Failure::lasting(
        "this hullmark was built without clients of databases; build one with them by `cargo build --release \
         --features database`, or read a dump",
    ))
}
