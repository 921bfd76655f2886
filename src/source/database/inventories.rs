//! The inventories of a database: counts of all, and the items of the evaluated owners.

use crate::content::{Decoded, MemberContent};
use hullmark_database::{
    Room, Row,
    inventories::{Accounts, Inventory, InventoryTables, owner_of, path_step},
};
use hullmark_format::defect::{Defect, InventoryDefect};
use hullmark_ledger::facts::{InventoryFacts, ItemFacts};
use hullmark_settings::inventories::InventoryOwner;
use std::collections::{BTreeMap, HashMap, HashSet};
use uuid::Uuid;

/// Number of items that are passed on together.
const TOGETHER: usize = 1024;

/// Takes the rows of inventories until all have passed.
pub(super) struct Inventories {
    /// Owners as given.
    wanted: Vec<InventoryOwner>,
    /// Rows of owners that may be wanted, by the names of their databases.
    databases: BTreeMap<String, InventoryTables>,
    /// Accounts of all databases of the input.
    accounts: Accounts,
    /// What each database has, also of owners that are not evaluated.
    counted: BTreeMap<String, CountedItems>,
}

#[derive(Default)]
struct CountedItems {
    owners: HashSet<Uuid>,
    items: u64,
}

/// Bytes of memory for an owner.
const OWNER: usize = 40;

impl Inventories {
    pub(super) fn new(wanted: Vec<InventoryOwner>) -> Self {
        let (databases, accounts, counted) = Default::default();
        Self { wanted, databases, accounts, counted }
    }

    /// Forgets the rows of a database, which are read again. Returns the bytes of memory that they were charged.
    pub(super) fn forget(&mut self, database: &str) -> usize {
        let rows = self.databases.remove(database).map_or(0, |tables| tables.bytes());
        rows + self.counted.remove(database).map_or(0, |counted| counted.owners.len() * OWNER)
    }

    pub(super) fn items(&self) -> u64 {
        self.counted.values().map(|counted| counted.items).sum()
    }

    pub(super) fn owners(&self) -> HashSet<Uuid> {
        self.counted.values().flat_map(|counted| counted.owners.iter().copied()).collect()
    }

    /// Counts a row, and keeps it if its owner may be wanted.
    pub(super) fn row(&mut self, database: &str, table: &str, row: &Row<'_>, room: &mut Room) {
        if table == "useraccounts" {
            if !self.wanted.is_empty() {
                self.accounts.take(row, room);
            }
            return;
        }
        let owner = owner_of(table, row);
        if !self.counted.contains_key(database) {
            self.counted.insert(database.to_owned(), CountedItems::default());
        }
        if let Some(counted) = self.counted.get_mut(database) {
            if !counted.owners.contains(&owner) && room.takes(OWNER) {
                counted.owners.insert(owner);
            }
            counted.items += u64::from(table == "inventoryitems");
        }
        if !self.wanted.iter().any(|wanted| wanted.may_be(owner)) {
            return;
        }
        if !self.databases.contains_key(database) {
            self.databases.insert(database.to_owned(), InventoryTables::default());
        }
        if let Some(tables) = self.databases.get_mut(database) {
            tables.take(table, row, room);
        }
    }

    /// Passes the evaluated inventories to `pass`, by entry. Returns a defect for each wanted owner that has none.
    pub(super) fn finish(mut self, pass: &mut dyn FnMut(Decoded)) -> Vec<Defect> {
        let several = self.databases.len() > 1;
        for (database, tables) in std::mem::take(&mut self.databases) {
            let prefix = if several { format!("{}/", path_step(&database)) } else { String::new() };
            let evaluated = tables.finish().into_iter().filter(|(owner, _)| self.is_wanted(*owner)).collect();
            for (folder, (owner, inventory)) in self.by_folder(evaluated) {
                let entry = format!("{prefix}inventory/{folder}/");
                pass_on(&entry, owner, &inventory, pass);
            }
        }
        self.not_found()
    }

    fn is_wanted(&self, owner: Uuid) -> bool {
        let name = self.accounts.name(owner);
        self.wanted.iter().any(|wanted| wanted.is(owner, name))
    }

    /// Names the folder of each owner: by name, or by UUID if the name is unknown. Equal names get their UUIDs.
    fn by_folder(&self, evaluated: BTreeMap<Uuid, Inventory>) -> BTreeMap<String, (Uuid, Inventory)> {
        let mut names: HashMap<&str, u32> = HashMap::new();
        for name in evaluated.keys().filter_map(|owner| self.accounts.name(*owner)) {
            *names.entry(name).or_default() += 1;
        }
        let folder = |owner: Uuid| match self.accounts.name(owner) {
            None | Some("") => owner.to_string(),
            Some(name) if names[name] > 1 => format!("{} ({owner})", path_step(name)),
            Some(name) => path_step(name),
        };
        evaluated.into_iter().map(|(owner, inventory)| (folder(owner), (owner, inventory))).collect()
    }

    /// Returns the defects of owners without an inventory. A database without any inventory is not asked for one.
    fn not_found(&self) -> Vec<Defect> {
        let owners = self.owners();
        if owners.is_empty() {
            return Vec::new();
        }
        let is_here = |wanted: &&InventoryOwner| {
            owners.iter().any(|owner| wanted.is(*owner, self.accounts.name(*owner)))
        };
        let missing = self.wanted.iter().filter(|wanted| !is_here(wanted));
        let named = !self.accounts.is_empty();
        missing
            .map(|owner| Defect::new(InventoryDefect::NotFound { owner: owner.to_string(), named }))
            .collect()
    }
}

/// Passes the facts, the defects and the items of an inventory on.
fn pass_on(entry: &str, owner: Uuid, inventory: &Inventory, pass: &mut dyn FnMut(Decoded)) {
    let (folders, items) = inventory.counts();
    let facts =
        InventoryFacts { entry: entry.to_owned(), owner, folders: folders as u64, items: items as u64 };
    let mut defects = inventory.defects();
    defects.iter_mut().for_each(|defect| entry.clone_into(&mut defect.place.entry));
    pass(Decoded { content: MemberContent::Inventory(Box::new(facts)), defects, ..Decoded::default() });
    let mut items =
        inventory.items(owner).map(|(path, item)| ItemFacts { entry: format!("{entry}{path}"), item });
    loop {
        let some: Vec<ItemFacts> = items.by_ref().take(TOGETHER).collect();
        if some.is_empty() {
            return;
        }
        pass(Decoded { content: MemberContent::Items(some), ..Decoded::default() });
    }
}
