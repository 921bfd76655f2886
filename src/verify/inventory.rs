//! What became of inventory items: those of an IAR, or of the evaluated owners of a database.

use crate::{Status, Unread};
use hullmark_ledger::{LINKS, Ledger, facts::ItemFacts};
use std::collections::{BTreeSet, HashMap};
use uuid::Uuid;

/// The folder that contains all others. An IAR may have it, and a database never has.
const ROOT: &str = "My Inventory";
/// Maximum number of equal items that are compared by their folders.
const LOOKED_AT: usize = 64;

/// An item with its folder.
#[derive(Debug, Clone)]
pub struct Stored<'a> {
    /// The input that has it.
    pub ledger: &'a Ledger,
    pub facts: &'a ItemFacts,
    /// The names of its folders, the outermost first, without the root.
    pub folder: Vec<&'a str>,
}

/// An item before and after the move.
#[derive(Debug, Clone)]
pub struct ItemArrival<'a> {
    pub status: Status,
    pub before: Option<Stored<'a>>,
    pub after: Option<Stored<'a>>,
    /// What differs: `folder`, `name` or `asset`.
    pub changes: Vec<&'static str>,
}

/// Compares the items of both sides. New items are listed if the side before has their folder.
pub(crate) fn items<'a>(before: &[&'a Ledger], after: &[&'a Ledger], unread: Unread) -> Vec<ItemArrival<'a>> {
    let (before, after) = (stored(before), stored(after));
    let mut pairs: Vec<Option<usize>> = vec![None; before.len()];
    let mut taken = vec![false; after.len()];
    // Equal items, then items with another asset, then renamed ones.
    let keys: [fn(&Stored<'_>) -> Option<Key>; 3] = [
        |item| Some((name_of(item), item.facts.item.asset_type, asset_of(item))),
        |item| Some((name_of(item), item.facts.item.asset_type, None)),
        |item| asset_of(item).map(|asset| (String::new(), item.facts.item.asset_type, Some(asset))),
    ];
    for key in keys {
        let mut free: HashMap<Key, Vec<usize>> = HashMap::new();
        for (number, item) in after.iter().enumerate().filter(|(number, _)| !taken[*number]) {
            if let Some(key) = key(item) {
                free.entry(key).or_default().push(number);
            }
        }
        for (number, item) in before.iter().enumerate() {
            let equal = key(item).and_then(|key| free.get_mut(&key)).filter(|_| pairs[number].is_none());
            let Some(equal) = equal else { continue };
            let likeness = |found: &usize| {
                let other = &after[*found];
                (item.facts.item.owner == other.facts.item.owner, common(&item.folder, &other.folder))
            };
            let first = equal.iter().take(LOOKED_AT).enumerate();
            let best = first.max_by_key(|(at, found)| (likeness(found), std::cmp::Reverse(*at)));
            if let Some(at) = best.map(|(at, _)| at) {
                let found = equal.remove(at);
                (pairs[number], taken[found]) = (Some(found), true);
            }
        }
    }
    let folders: BTreeSet<Vec<&str>> = before.iter().map(|item| item.folder.clone()).collect();
    let mut arrivals: Vec<ItemArrival<'a>> = before
        .into_iter()
        .zip(pairs)
        .map(|(item, pair)| {
            let found = pair.map(|found| after[found].clone());
            let changes = found.as_ref().map_or_else(Vec::new, |found| changes(&item, found));
            let status = match (&found, changes.is_empty()) {
                (None, _) => unread.instead_of(Status::Lost),
                (Some(_), true) => Status::Arrived,
                (Some(_), false) => Status::Changed,
            };
            ItemArrival { status, before: Some(item), after: found, changes }
        })
        .collect();
    let new = after.into_iter().zip(taken).filter(|(item, taken)| !taken && folders.contains(&item.folder));
    arrivals.extend(new.map(|(item, _)| ItemArrival {
        status: unread.instead_of(Status::New),
        before: None,
        after: Some(item),
        changes: Vec::new(),
    }));
    arrivals.sort_by(|one, other| {
        let place = |item: &ItemArrival<'_>| {
            let stored = item.before.as_ref().or(item.after.as_ref());
            stored.map(|stored| stored.facts.entry.clone())
        };
        (one.status, place(one)).cmp(&(other.status, place(other)))
    });
    arrivals
}

/// Name, type and asset of an item, as far as a pass asks for them.
type Key = (String, i32, Option<Uuid>);

fn name_of(item: &Stored<'_>) -> String {
    item.facts.item.name.clone()
}

/// Returns the asset. A link has none: it names an item, whose UUID changes.
fn asset_of(item: &Stored<'_>) -> Option<Uuid> {
    let is_link = LINKS.contains(&item.facts.item.asset_type);
    Some(item.facts.item.asset).filter(|asset| !asset.is_nil() && !is_link)
}

fn stored<'a>(ledgers: &[&'a Ledger]) -> Vec<Stored<'a>> {
    let mut items = Vec::new();
    for &ledger in ledgers {
        items.extend(ledger.items.iter().map(|facts| Stored {
            ledger,
            facts,
            folder: folder(ledger, facts),
        }));
    }
    items.sort_by(|one: &Stored<'_>, other| {
        (&one.folder, &one.facts.item.name, &one.facts.entry).cmp(&(
            &other.folder,
            &other.facts.item.name,
            &other.facts.entry,
        ))
    });
    items
}

/// Returns the folders of an item. Those of an IAR end with two underscores and a UUID.
fn folder<'a>(ledger: &'a Ledger, facts: &'a ItemFacts) -> Vec<&'a str> {
    let path = match ledger.inventory_of(&facts.entry) {
        Some(inventory) => facts.entry.strip_prefix(inventory.entry.as_str()),
        None => facts.entry.strip_prefix("inventory/"),
    };
    let (folders, _) = path.unwrap_or(&facts.entry).rsplit_once('/').unwrap_or_default();
    let named = |folder: &'a str| match folder.rsplit_once("__") {
        Some((name, uuid)) if Uuid::try_parse(uuid).is_ok() => name,
        _ => folder,
    };
    let mut names: Vec<&str> = folders.split('/').filter(|folder| !folder.is_empty()).map(named).collect();
    if names.first() == Some(&ROOT) {
        names.remove(0);
    }
    names
}

/// Returns the number of innermost folders that both have.
fn common(one: &[&str], other: &[&str]) -> usize {
    one.iter().rev().zip(other.iter().rev()).take_while(|(one, other)| one == other).count()
}

/// Compares a pair. `load iar` may put all folders into another one.
fn changes(before: &Stored<'_>, after: &Stored<'_>) -> Vec<&'static str> {
    [
        ("folder", common(&before.folder, &after.folder) < before.folder.len()),
        ("name", before.facts.item.name != after.facts.item.name),
        ("asset", asset_of(before) != asset_of(after)),
    ]
    .into_iter()
    .filter_map(|(name, differs)| differs.then_some(name))
    .collect()
}
