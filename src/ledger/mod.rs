//! The interface between scan and report: all facts of one input, in one file.
//!
//! `scan` writes ledgers and `report` reads them, and nothing else passes between the two. A ledger is a header, which
//! is one line of JSON, followed by an [`index`] and by the facts as packed JSON. The header holds the checksum of
//! both, so a cut or altered ledger is refused. A ledger is written to a temporary file and renamed into place, so it is
//! always complete.

pub mod age;
pub mod archive;
pub mod copies;
pub mod coverage;
pub mod decoded;
pub mod facts;
mod file;
mod find;
pub mod gone;
mod header;
pub mod identity;
pub mod in_memory;
pub mod index;
mod input_kind;
pub mod library;
pub mod object_content;
mod packing;
mod region_files;
#[cfg(debug_assertions)]
mod round_trip;
pub mod summary;
mod unreadable;

use facts::{
    AssetFacts, ContainerFacts, Content, InventoryFacts, ItemFacts, MeshFacts, ObjectFacts, RegionFacts,
    SculptFacts, Status, StoreRow, UnknownFile,
};
pub use file::{EXTENSION, PARTIAL, PAST, is_file_name, read_any_header, replace_provenance};
pub use file::{LedgerError, file_name, read_header, verify};
pub use find::{FoundLedgers, find, find_with_headers, is_of_ledgers};
pub use find::{former, ledgers_in, read_headers};
pub use header::{LedgerHeader, Provenance};
use hullmark_format::{Defect, region::Estate};
pub use input_kind::InputKind;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use uuid::Uuid;

/// Version of the format, raised whenever facts or defects change their meaning or layout. A change of rules does not
/// raise it. A test stores it with a digest of ledgers (`tests/truth/ledger_digest.toml`).
pub const VERSION: u32 = 31;

/// Types of items that link to another item or folder. Their asset is no asset.
pub const LINKS: [i32; 2] = [24, 25];

/// All facts that were read from one input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
    /// Path of the input, as reports show it.
    pub input: String,
    pub kind: InputKind,
    pub bytes: u64,
    /// xxh3-128 of those bytes, 32 hexadecimal digits; `None` if not all were read.
    pub content_hash: Option<String>,
    pub status: Status,
    pub container: ContainerFacts,
    pub regions: Vec<RegionFacts>,
    /// Every asset, in the order of the input.
    pub assets: Vec<AssetFacts>,
    /// Meshes, in the order of the input.
    pub meshes: Vec<MeshFacts>,
    /// The sculpt maps that the input contains and its objects use, by UUID.
    pub sculpts: Vec<SculptFacts>,
    /// Objects, in the order of the input.
    pub objects: Vec<ObjectFacts>,
    /// Inventory items in the order of the input, of an IAR or of the evaluated owners of a database.
    pub items: Vec<ItemFacts>,
    /// The files of assets in an FSAssets store; only a database has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub store_rows: Vec<StoreRow>,
    /// The estates of a database.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub estates: Vec<Estate>,
    /// The evaluated inventories of a database, by entry.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inventories: Vec<InventoryFacts>,
    /// Files that were not audited.
    pub unknown: Vec<UnknownFile>,
    /// Defects that were found while the input was read.
    pub defects: Vec<Defect>,
    /// The checksum of the file of these facts, as its header has it. Empty if they are not from a file.
    #[serde(skip)]
    pub checksum: String,
}

impl Ledger {
    /// Creates the empty ledger of the run itself, whose findings belong to no input.
    pub fn of_run() -> Self {
        Self::empty("", InputKind::Unknown, Status::Complete)
    }

    /// Creates a ledger without facts.
    pub fn empty(input: &str, kind: InputKind, status: Status) -> Self {
        Self {
            input: input.into(),
            kind,
            bytes: 0,
            content_hash: None,
            status,
            container: ContainerFacts::default(),
            regions: Vec::new(),
            assets: Vec::new(),
            meshes: Vec::new(),
            sculpts: Vec::new(),
            objects: Vec::new(),
            items: Vec::new(),
            store_rows: Vec::new(),
            estates: Vec::new(),
            inventories: Vec::new(),
            unknown: Vec::new(),
            defects: Vec::new(),
            checksum: String::new(),
        }
    }

    /// Creates the ledger of an expected archive that is missing.
    pub fn absent(name: &str) -> Self {
        Self::empty(name, InputKind::Absent, Status::Unreadable)
    }

    /// Whether the ledger belongs to a store, and not to an input to audit.
    pub fn is_store(&self) -> bool {
        self.kind == InputKind::Store
    }

    /// Whether the input is a database, which may belong to a grid that has its assets elsewhere.
    pub fn is_database(&self) -> bool {
        self.kind.is_database()
    }

    /// Returns the evaluated inventory that contains an entry.
    pub fn inventory_of(&self, entry: &str) -> Option<&InventoryFacts> {
        // Entries of inventories end with a slash. So no other inventory is between an inventory and its items.
        let after = self.inventories.partition_point(|inventory| *inventory.entry <= *entry);
        self.inventories[..after].last().filter(|inventory| entry.starts_with(&inventory.entry))
    }

    /// Returns the meshes and sculpt maps that its objects use as bodies and that the input does not contain.
    pub fn missing_bodies(&self) -> BTreeSet<Uuid> {
        let parts = self.objects.iter().flat_map(|object| &object.linkset.parts);
        let bodies = parts.flat_map(|part| part.mesh().into_iter().chain(part.possible_sculpt_map()));
        self.missing_of(bodies)
    }

    /// Returns the assets that the input certainly uses and does not contain.
    pub fn missing_assets(&self) -> BTreeSet<Uuid> {
        let parts = || self.objects.iter().flat_map(|object| &object.linkset.parts);
        let regions = self.regions.iter().flat_map(|region| {
            let of_land = region.parcels.iter().flat_map(|parcel| &parcel.parcel.references);
            region.settings.iter().flat_map(|settings| &settings.references).chain(of_land)
        });
        let references = parts().flat_map(|part| &part.references).chain(regions);
        let inventories = parts().flat_map(|part| &part.inventory).map(|item| (item.asset, item.asset_type));
        let items = self.items.iter().map(|facts| (facts.item.asset, facts.item.asset_type));
        let of_items = inventories.chain(items).filter(|(_, asset_type)| !LINKS.contains(asset_type));
        let texts = self.assets.iter().filter_map(|asset| match &asset.content {
            Content::Text(text) => Some(&text.references),
            _ => None,
        });
        let mut missing = self.missing_bodies();
        let used = references.map(|reference| reference.asset).chain(of_items.map(|(asset, _)| asset));
        missing.extend(self.missing_of(used.chain(texts.flatten().copied())));
        missing
    }

    /// Returns those of these assets that the input does not contain.
    fn missing_of(&self, used: impl Iterator<Item = Uuid>) -> BTreeSet<Uuid> {
        let mut missing: BTreeSet<Uuid> = used.filter(|asset| !asset.is_nil()).collect();
        for uuid in self.assets.iter().filter_map(AssetFacts::uuid) {
            missing.remove(&uuid);
        }
        missing
    }
}
