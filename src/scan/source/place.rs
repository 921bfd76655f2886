//! Places where simulators and viewers keep content: databases, stores of assets and caches.
//!
//! A place is named by a prefix (`fsassets:DIR`) or the scheme of a URL (`mysql://`), or recognized by its content. It
//! is read in place, and nothing is written to it.

use super::{Input, Reading, Stamp, Visitor, What, database::sqlite};
use crate::{
    format::defect::{Defect, InputDefect},
    settings::limits::Limits,
};
use serde::{Deserialize, Serialize};
use std::{
    io,
    path::{Path, PathBuf},
};

/// The type of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Place {
    /// A file of SQLite, with the databases of regions, assets or inventories.
    Sqlite,
    /// The files of OpenSimulator's FSAssets service, which are named by hashes.
    FsAssets,
    /// The asset cache of a simulator.
    Flotsam,
    /// A server of MariaDB, MySQL or PostgreSQL.
    Server,
}

/// Prefixes of arguments, with the place and whether the prefix is part of its path.
const PREFIXES: [(&str, Place, bool); 6] = [
    ("sqlite:", Place::Sqlite, false),
    ("fsassets:", Place::FsAssets, false),
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
    ///
    /// # Errors
    /// There is no such place.
    pub(super) fn inputs(self, argument: &Path, path: PathBuf) -> io::Result<Vec<Input>> {
        if self == Self::Sqlite {
            return sqlite::inputs(&path);
        }
        let name = super::shown(argument);
        let what = What::Place(self);
        Ok(vec![Input { name, path, what, bytes: 0, stamp: None, modified: None, stream: None }])
    }

    /// Returns the stamp of a place in its current state. `None` if it cannot be known without reading.
    pub(super) fn stamp_now(self, path: &Path) -> Option<Stamp> {
        match self {
            Self::Sqlite => sqlite::stamp_now(path),
            _ => None,
        }
    }

    /// Returns a stamp of the content of a place. `None` if it cannot be known without reading.
    ///
    /// # Errors
    /// A file cannot be read.
    pub(super) fn content_stamp(self, path: &Path) -> io::Result<Option<Stamp>> {
        match self {
            Self::Sqlite => sqlite::content_stamp(path).map(Some),
            _ => Ok(None),
        }
    }

    /// Reads a place to its end.
    pub(super) fn read(self, input: &Input, limits: &Limits, visitor: &mut dyn Visitor) -> Reading {
        if self == Self::Sqlite {
            return sqlite::read(input, limits, visitor);
        }
        let mut reading = Reading::new(limits);
        let why = "this version of hullmark cannot read it".into();
        reading.give_up(Defect::new(InputDefect::Unreadable { why }));
        reading
    }
}
