//! Places where simulators and viewers keep content: databases, stores of assets and caches.
//!
//! A place is named by a prefix (`fsassets:DIR`) or the scheme of a URL (`mysql://`), or recognized by its content. It
//! is read in place. Nothing is ever written to a place.

use super::{
    Input, ReadRequest, Reading, Stamp, Visitor,
    database::sqlite,
    flotsam,
    fsassets::{self, Part},
    server,
};
use serde::{Deserialize, Serialize};
use std::{
    io,
    path::{Path, PathBuf},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Place {
    /// A file of SQLite, with the databases of regions, assets or inventories.
    Sqlite,
    /// The files of OpenSimulator's FSAssets service, which are named by hashes, or a part of them.
    FsAssets(Part),
    /// The asset cache of a simulator.
    Flotsam,
    /// A server of MariaDB, MySQL or PostgreSQL.
    Server,
}

/// Prefixes of arguments, with the place and whether the prefix is part of its path.
const PREFIXES: [(&str, Place, bool); 6] = [
    ("sqlite:", Place::Sqlite, false),
    ("fsassets:", Place::FsAssets(Part::Whole), false),
    ("flotsam:", Place::Flotsam, false),
    ("mysql://", Place::Server, true),
    ("postgres://", Place::Server, true),
    ("postgresql://", Place::Server, true),
];

impl Place {
    /// Returns the place that an argument names, and its path or URL. `None` for files and folders of exports.
    pub fn of_argument(argument: &Path) -> Option<(Self, PathBuf)> {
        let text = argument.to_str()?;
        let &(prefix, place, is_part) = PREFIXES.iter().find(|(prefix, ..)| text.starts_with(prefix))?;
        let path = if is_part { text } else { &text[prefix.len()..] };
        Some((place, path.into()))
    }

    /// Returns the inputs of a place that was named.
    pub(super) fn inputs(self, argument: &Path, path: PathBuf) -> io::Result<Vec<Input>> {
        let name = super::shown(argument);
        match self {
            Self::Sqlite => sqlite::inputs(&path),
            Self::FsAssets(_) => fsassets::inputs(&name, &path),
            Self::Flotsam => flotsam::inputs(name, path),
            Self::Server => server::inputs(path),
        }
    }

    /// Returns the stamp of a place in its current state. `None` if it cannot be known without reading.
    pub(super) fn stamp_now(self, input: &Input) -> Option<Stamp> {
        match self {
            Self::Sqlite => sqlite::stamp_now(input),
            Self::FsAssets(part) => fsassets::stamp_now(part, &input.path),
            Self::Flotsam => flotsam::stamp_now(&input.path),
            Self::Server => None,
        }
    }

    /// Returns a stamp of the content of a place. `None` if it cannot be known without reading.
    pub(super) fn content_stamp(self, input: &Input) -> io::Result<Option<Stamp>> {
        match self {
            Self::Sqlite => sqlite::content_stamp(input).map(Some),
            Self::FsAssets(_) | Self::Flotsam | Self::Server => Ok(None),
        }
    }

    /// Returns the place that a folder is, by its shape and the content of a file.
    pub(super) fn of_folder(folder: &Path) -> Option<Self> {
        if fsassets::is_tree(folder) {
            return Some(Self::FsAssets(Part::Whole));
        }
        flotsam::is_cache(folder).then_some(Self::Flotsam)
    }

    /// Whether the place holds assets alone. Such a place is read after databases, which may name its files.
    pub fn is_store(self) -> bool {
        matches!(self, Self::FsAssets(_) | Self::Flotsam)
    }

    pub(super) fn read(self, input: &Input, request: &ReadRequest<'_>, visitor: &mut dyn Visitor) -> Reading {
        match self {
            Self::Sqlite => sqlite::read(input, request, visitor),
            Self::FsAssets(part) => fsassets::read(input, part, request, visitor),
            Self::Flotsam => flotsam::read(input, request, visitor),
            Self::Server => server::read(input, request, visitor),
        }
    }
}
