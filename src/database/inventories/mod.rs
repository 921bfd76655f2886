//! Inventories from the tables of an inventory service.
//!
//! Folders and items of an owner are in two tables, in any order. So the rows of evaluated owners wait in memory until all
//! rows have passed. Of accounts only names are read.

mod system_folders;
#[cfg(test)]
mod tests;
mod tree;

use super::{Room, Row};
use hullmark_format::{
    defect::{Defect, InventoryDefect},
    inventory::InventoryItem,
};
use std::collections::{BTreeMap, HashMap, HashSet};
use tree::{End, Tree};
use uuid::Uuid;

/// Maximum number of characters of a name. The tables hold 64.
const NAME: usize = 128;

/// Number of examples that a defect names.
const EXAMPLES: usize = 3;

/// Asset types of links. Their asset is an item or a folder.
const LINK: i16 = 24;
const FOLDER_LINK: i16 = 25;

/// Whether a table belongs to an inventory service. Names are in lower case.
pub fn is_inventory_table(table: &str) -> bool {
    matches!(table, "inventoryfolders" | "inventoryitems" | "useraccounts")
}

/// Returns the owner of a row of folders or items.
pub fn owner_of(table: &str, row: &Row<'_>) -> Uuid {
    row.uuid(if table == "inventoryfolders" { "agentid" } else { "avatarid" })
}

/// Bytes of memory for an entry of a map, in addition to its content.
const ENTRY: usize = 64;

/// Names of users by their UUIDs.
#[derive(Debug, Default)]
pub struct Accounts {
    names: HashMap<Uuid, Box<str>>,
}

impl Accounts {
    /// Takes the name of an account. Nothing else of the row is read.
    pub fn take(&mut self, row: &Row<'_>, room: &mut Room) {
        let user = row.uuid("principalid");
        if self.names.contains_key(&user) {
            return;
        }
        let name = format!("{} {}", row.name("firstname"), row.name("lastname"));
        let name = short(name.trim());
        if room.takes(ENTRY + name.len()) {
            self.names.insert(user, name);
        }
    }

    /// Returns the name of a user. `None` without an account.
    pub fn name(&self, user: Uuid) -> Option<&str> {
        self.names.get(&user).map(|name| &**name)
    }

    /// Whether there are no accounts at all.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}

#[derive(Debug, Default)]
pub struct InventoryTables {
    owners: BTreeMap<Uuid, Inventory>,
    bytes: usize,
}

#[derive(Debug, Default)]
pub struct Inventory {
    folders: Vec<Folder>,
    items: Vec<ItemRow>,
    /// Whether its tables have the columns of 2007. Inventories had other system folders then.
    is_of_2007: bool,
}

/// A row of `inventoryfolders`.
#[derive(Debug)]
struct Folder {
    uuid: Uuid,
    parent: Uuid,
    kind: i16,
    name: Box<str>,
}

/// A row of `inventoryitems`.
#[derive(Debug)]
struct ItemRow {
    uuid: Uuid,
    asset: Uuid,
    folder: Uuid,
    creator: Option<Uuid>,
    asset_type: i16,
    inventory_type: i16,
    name: Box<str>,
}

impl InventoryTables {
    /// Takes a row of folders or items. Names of tables are in lower case.
    pub fn take(&mut self, table: &str, row: &Row<'_>, room: &mut Room) {
        let owner = owner_of(table, row);
        let entry = if self.owners.contains_key(&owner) { 0 } else { size_of::<Inventory>() + ENTRY };
        match table {
            "inventoryfolders" => {
                let folder = Folder::new(row);
                // A list has room for twice its length at most.
                if self.charge(entry + 2 * size_of::<Folder>() + folder.name.len(), room) {
                    let inventory = self.owners.entry(owner).or_default();
                    inventory.is_of_2007 = !row.has("folderid");
                    inventory.folders.push(folder);
                }
            }
            _ => {
                let item = ItemRow::new(row);
                if self.charge(entry + 2 * size_of::<ItemRow>() + item.name.len(), room) {
                    self.owners.entry(owner).or_default().items.push(item);
                }
            }
        }
    }

    /// Charges bytes of memory. Returns whether there is room for them.
    fn charge(&mut self, bytes: usize, room: &mut Room) -> bool {
        let fits = room.takes(bytes);
        self.bytes += if fits { bytes } else { 0 };
        fits
    }

    /// Returns the bytes of memory that all rows were charged.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the inventories by owner.
    pub fn finish(mut self) -> BTreeMap<Uuid, Inventory> {
        self.owners.values_mut().for_each(Inventory::only_once);
        self.owners
    }
}

impl Folder {
    fn new(row: &Row<'_>) -> Self {
        Self {
            uuid: row.uuid(either(row, "folderid", "uuid")),
            parent: row.uuid(either(row, "parentfolderid", "parentid")),
            kind: number(row, "type"),
            name: short(&row.name(either(row, "foldername", "name"))),
        }
    }

    /// Whether it is the root of an inventory. Old databases have another type.
    fn is_root(&self) -> bool {
        self.parent.is_nil() && system_folders::ROOT.contains(&self.kind)
    }
}

impl ItemRow {
    fn new(row: &Row<'_>) -> Self {
        // A creator from another grid is `UUID;home;First Last`.
        let creator = row.name(either(row, "creatorid", "creatorsid"));
        let creator = creator.split(';').next().and_then(|uuid| Uuid::try_parse(uuid.trim()).ok());
        Self {
            uuid: row.uuid(either(row, "inventoryid", "uuid")),
            asset: row.uuid("assetid"),
            folder: row.uuid("parentfolderid"),
            creator,
            asset_type: number(row, "assettype"),
            inventory_type: number(row, "invtype"),
            name: short(&row.name("inventoryname")),
        }
    }

    fn is_link(&self) -> bool {
        [LINK, FOLDER_LINK].contains(&self.asset_type)
    }
}

impl Inventory {
    /// Removes rows that are there twice, because a dump may hold a table twice.
    fn only_once(&mut self) {
        let mut seen = HashSet::new();
        self.folders.retain(|folder| seen.insert(folder.uuid));
        seen.clear();
        self.items.retain(|item| seen.insert(item.uuid));
    }

    /// Returns the numbers of folders and items.
    pub fn counts(&self) -> (usize, usize) {
        (self.folders.len(), self.items.len())
    }

    /// Returns each item with its path below the root folder. A path that does not begin at the root begins with `…`.
    pub fn items(&self, owner: Uuid) -> impl Iterator<Item = (String, InventoryItem)> + '_ {
        let tree = Tree::new(&self.folders);
        self.items.iter().map(move |row| {
            let item = InventoryItem {
                name: row.name.to_string(),
                uuid: row.uuid,
                asset: row.asset,
                asset_type: row.asset_type.into(),
                inventory_type: row.inventory_type.into(),
                creator: row.creator,
                owner: Some(owner),
            };
            (tree.path_of(row.folder, &row.name), item)
        })
    }

    /// Returns the defects of the structure: one of each kind, with the first examples.
    pub fn defects(&self) -> Vec<Defect> {
        let tree = Tree::new(&self.folders);
        let mut defects = self.cut_off(&tree);
        let roots = self.folders.iter().filter(|folder| folder.is_root()).count();
        if roots != 1 {
            defects.push(Defect::new(InventoryDefect::Roots).measured(roots as f64).limit(1.0));
        }
        if roots > 0 && !self.is_of_2007 {
            defects.extend(system_folders::defects(&self.folders));
        }
        let lost = self.items.iter().filter(|item| !tree.holds(item.folder));
        defects.extend(self.of_items(&tree, lost, |first| InventoryDefect::ItemsWithoutFolder { first }));
        let uuids: HashSet<Uuid> = match self.items.iter().any(ItemRow::is_link) {
            true => self.items.iter().map(|item| item.uuid).collect(),
            false => HashSet::new(),
        };
        let leads_nowhere = |item: &&ItemRow| match item.asset_type {
            LINK => !uuids.contains(&item.asset),
            FOLDER_LINK => !tree.holds(item.asset),
            _ => false,
        };
        let broken = self.items.iter().filter(leads_nowhere);
        defects.extend(self.of_items(&tree, broken, |first| InventoryDefect::BrokenLinks { first }));
        defects
    }

    /// Returns the defects of folders that cannot be reached from the root.
    fn cut_off(&self, tree: &Tree<'_>) -> Vec<Defect> {
        let mut items: HashMap<End, u64> = HashMap::new();
        for end in self.items.iter().filter_map(|item| tree.end_of(item.folder)) {
            *items.entry(end).or_default() += 1;
        }
        let below = |ends: &[End]| ends.iter().filter_map(|end| items.get(end)).sum::<u64>();
        let first = |folders: &[&Folder]| {
            folders.iter().take(EXAMPLES).map(|folder| example(&folder.name, folder.uuid)).collect()
        };
        let mut defects = Vec::new();
        let adrift: Vec<&Folder> = tree.without_parent().collect();
        if !adrift.is_empty() {
            let kind = InventoryDefect::FoldersWithoutParent {
                items: below(&[End::Nowhere]),
                first: first(&adrift),
            };
            defects.push(Defect::new(kind).measured(adrift.len() as f64));
        }
        let looped: Vec<&Folder> = tree.in_loops().collect();
        if !looped.is_empty() {
            let items = below(&[End::InLoop, End::BelowLoop]);
            let kind = InventoryDefect::FolderLoop { items, first: first(&looped) };
            defects.push(Defect::new(kind).measured(looped.len() as f64));
        }
        defects
    }

    /// Returns the defect of these items. `None` without any.
    fn of_items<'i>(
        &self,
        tree: &Tree<'_>,
        items: impl Iterator<Item = &'i ItemRow>,
        kind: fn(Vec<String>) -> InventoryDefect,
    ) -> Option<Defect> {
        let (mut count, mut first) = (0_u64, Vec::new());
        for item in items {
            count += 1;
            if first.len() < EXAMPLES {
                first.push(example(&tree.path_of(item.folder, &item.name), item.uuid));
            }
        }
        (count > 0).then(|| Defect::new(kind(first)).measured(count as f64))
    }
}

/// Names a folder or an item with its UUID, because several may have one name.
fn example(path: &str, uuid: Uuid) -> String {
    format!("{path} ({uuid})")
}

fn short(name: &str) -> Box<str> {
    name.chars().take(NAME).collect()
}

/// Returns the name of a column in this row: the one since 2008, or the one before.
fn either<'n>(row: &Row<'_>, name: &'n str, before: &'n str) -> &'n str {
    if row.has(name) { name } else { before }
}

/// Returns a small number of a row; -1 if it is missing or larger.
fn number(row: &Row<'_>, column: &str) -> i16 {
    row.int(column).and_then(|number| i16::try_from(number).ok()).unwrap_or(-1)
}

pub fn path_step(name: &str) -> String {
    name.replace('/', "&#47;")
}
