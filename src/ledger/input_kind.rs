//! The kinds of inputs.

use hullmark_util::named;
use serde::{Deserialize, Serialize};

named! {
/// The kind of an input. A store has the kind `Store`, regardless of its format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InputKind {
    /// An archive of regions.
    Oar = "oar",
    /// An archive of an inventory.
    Iar = "iar",
    /// An unpacked archive of regions.
    OarTree = "oar-tree",
    /// An unpacked archive of an inventory.
    IarTree = "iar-tree",
    /// The loose files of a folder.
    Folder = "folder",
    /// An input that could not be read, so that its kind is unknown.
    Unreadable = "unreadable",
    /// A database or a store whose reading did not begin.
    Place = "place",
    /// A dump of databases.
    Dump = "dump",
    /// A file of SQLite.
    Sqlite = "sqlite",
    /// A database on a server of MySQL or MariaDB.
    Mysql = "mysql",
    /// A database on a server of PostgreSQL.
    Postgresql = "postgresql",
    /// A tree of files of an FSAssets service, or a folder in it.
    Fsassets = "fsassets",
    /// The asset cache of a simulator.
    Flotsam = "flotsam",
    /// A store: its assets count as present for inputs that lack them.
    Store = "store",
    /// The placeholder for an expected archive that is missing. It is never written.
    Absent = "absent",
    /// An input that was never read, the run itself, or a kind of another version.
    #[serde(rename = "", other)]
    Unknown = "",
}
}

impl InputKind {
    pub fn named(name: &str) -> Self {
        Self::ALL.into_iter().find(|kind| kind.name() == name).unwrap_or(Self::Unknown)
    }

    /// Whether the input is a database, which may belong to a grid that has its assets elsewhere.
    pub fn is_database(self) -> bool {
        matches!(self, Self::Dump | Self::Sqlite | Self::Mysql | Self::Postgresql)
    }

    /// Whether only OpenSimulator loads the input.
    pub fn is_of_opensim(self) -> bool {
        self.is_archive()
            || self.is_database()
            || matches!(self, Self::Place | Self::Fsassets | Self::Flotsam)
    }

    /// Whether the input is an archive of regions or of an inventory, packed or not.
    pub fn is_archive(self) -> bool {
        self.is_packed_archive() || matches!(self, Self::OarTree | Self::IarTree)
    }

    /// Returns its name, which a packed and an unpacked archive share.
    pub fn packed_name(self) -> &'static str {
        self.name().trim_end_matches("-tree")
    }

    /// Whether the input is such an archive in one file.
    pub fn is_packed_archive(self) -> bool {
        matches!(self, Self::Oar | Self::Iar)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ledgers_have_the_names_of_kinds() {
        for kind in InputKind::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
            assert_eq!(InputKind::named(kind.name()), kind);
        }
        assert_eq!(serde_json::from_str::<InputKind>("\"of another version\"").unwrap(), InputKind::Unknown);
    }
}
