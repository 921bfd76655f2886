//! Defects of the structure of inventories in databases.

use serde::{Deserialize, Serialize};

/// A defect of one owner's inventory. Its place has the folder of the inventory as the entry. The measured number counts
/// folders, items or types, and `first` names examples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case")]
#[allow(missing_docs, reason = "a variant says what its parameters are")]
pub enum InventoryDefect {
    /// The database has no inventory of an owner that was asked for. `named`: it has accounts with names.
    NotFound { owner: String, named: bool },
    /// The parents of folders are absent. `items` are in or below them.
    FoldersWithoutParent { items: u64, first: Vec<String> },
    /// Folders contain each other. `items` are in or below them.
    FolderLoop { items: u64, first: Vec<String> },
    /// There is no root folder, or more than one.
    Roots,
    /// System folders that a viewer cannot create are missing below the root.
    SystemFoldersMissing { kinds: Vec<i16> },
    /// There are several system folders of a type below the root. `refused`: viewers refuse such an inventory.
    SystemFoldersTwice { kinds: Vec<i16>, refused: bool },
    /// The folders of items are absent.
    ItemsWithoutFolder { first: Vec<String> },
    /// Links lead to an item or a folder that is absent.
    BrokenLinks { first: Vec<String> },
}
