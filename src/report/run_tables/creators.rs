//! The prims of each creator over all inputs, and the linksets that an export with `--perm` drops because of them.

use crate::reported::Reported;
use hullmark_format::object::{Part, Permissions};
use hullmark_ledger::facts::Role;
use serde::{Deserialize, Serialize};
use std::{cmp::Reverse, collections::BTreeMap, io};
use uuid::Uuid;

/// Number of linksets that are named.
const NAMED: usize = 8;

/// What a creator made.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Creator {
    /// Name from the first CreatorData.
    pub name: String,
    /// Address of the grid from the first CreatorData.
    pub grid: String,
    /// Number of linksets with prims of this creator.
    pub objects: u64,
    /// Number of prims.
    pub parts: u64,
    /// Linksets whose prims of this creator are no-copy.
    pub without_copy: u64,
    /// Linksets whose prims of this creator are no-transfer.
    pub without_transfer: u64,
    /// Linksets whose prims of this creator are one or the other.
    pub restricted: u64,
    /// Linksets whose prims of this creator state no permissions.
    pub unknown: u64,
    /// The first of the restricted linksets.
    pub named: Vec<String>,
}

/// A row of the table.
pub type Row<'a> = (Uuid, &'a Creator);

/// The sums of all creators.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Sums(BTreeMap<Uuid, Creator>);

impl Sums {
    /// Adds the shown objects of an input.
    pub(super) fn add(&mut self, input: &Reported<'_>) {
        for row in input.all_objects() {
            let parts = &row.object.linkset.parts;
            let mut of_creators: BTreeMap<Uuid, Vec<&Part>> = BTreeMap::new();
            for part in parts.iter().filter(|part| !part.creator.is_nil()) {
                of_creators.entry(part.creator).or_default().push(part);
            }
            for (creator, made) in of_creators {
                let creator = self.0.entry(creator).or_default();
                creator.add(&made);
                // An object in an inventory is saved with its container, with any permissions.
                if row.object.role != Role::Nested {
                    creator.add_restrictions(&made, parts.first());
                }
            }
        }
    }

    /// Joins the sums of the next inputs to these.
    pub(super) fn join(&mut self, next: Self) {
        for (uuid, more) in next.0 {
            self.0.entry(uuid).or_default().join(more);
        }
    }

    /// Hands over the rows: creators of most restricted linksets first, then of most linksets.
    pub(super) fn rows(self, mut then: impl FnMut(&Row<'_>) -> io::Result<()>) -> io::Result<()> {
        let mut creators: Vec<(Uuid, Creator)> = self.0.into_iter().collect();
        // The sort is stable: of equal creators, the one with the lower UUID stays first.
        creators.sort_by_key(|(_, creator)| Reverse((creator.restricted, creator.objects)));
        creators.iter().try_for_each(|(uuid, creator)| then(&(*uuid, creator)))
    }
}

impl Creator {
    fn join(&mut self, next: Self) {
        if self.grid.is_empty() && self.name.is_empty() {
            (self.grid, self.name) = (next.grid, next.name);
        }
        self.objects += next.objects;
        self.parts += next.parts;
        self.without_copy += next.without_copy;
        self.without_transfer += next.without_transfer;
        self.restricted += next.restricted;
        self.unknown += next.unknown;
        self.named.extend(next.named);
        self.named.truncate(NAMED);
    }

    /// Adds the prims of this creator in a linkset.
    fn add(&mut self, made: &[&Part]) {
        self.objects += 1;
        self.parts += made.len() as u64;
        if self.grid.is_empty() && self.name.is_empty() {
            let data = made.iter().find_map(|part| part.creator_data.as_deref()).unwrap_or_default();
            let (grid, name) = data.split_once(';').unwrap_or((data, ""));
            (self.grid, self.name) = (grid.trim().to_owned(), name.trim().to_owned());
        }
    }

    /// Adds what the permissions of these prims mean for their linkset.
    fn add_restrictions(&mut self, made: &[&Part], root: Option<&Part>) {
        let lacks = |right: u32| {
            let is_bound = |masks: Permissions| masks.base & right == 0;
            made.iter().any(|part| part.permissions.is_some_and(is_bound))
        };
        let (no_copy, no_transfer) = (lacks(Permissions::COPY), lacks(Permissions::TRANSFER));
        self.without_copy += u64::from(no_copy);
        self.without_transfer += u64::from(no_transfer);
        self.unknown += u64::from(made.iter().any(|part| part.permissions.is_none()));
        if no_copy || no_transfer {
            self.restricted += 1;
            if let Some(root) = root.filter(|_| self.named.len() < NAMED) {
                self.named.push(format!("{} ({})", root.name, root.uuid));
            }
        }
    }
}
