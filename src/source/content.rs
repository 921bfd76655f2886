//! The contents that a source hands on, and the objects in them whose assets a source must find.

use crate::Item;
use hullmark_format::{archive_xml::ArchiveManifest, defect::Defect, object, region::Settings};
use hullmark_ledger::{
    decoded::DecodedDocument,
    facts::{
        InventoryFacts, ItemFacts, MeshFacts, ObjectFacts, ParcelFacts, RegionFacts, TerrainFacts, item_size,
        mesh_size, object_size,
    },
};
use hullmark_settings::limits::Limits;
use hullmark_util::{
    catch_panic::caught,
    timings::{Stage, within},
};
use std::fmt::Debug;

#[derive(Debug, Default)]
pub struct Decoded {
    /// The folder of its region.
    pub folder: String,
    pub content: MemberContent,
    pub defects: Vec<Defect>,
}

#[derive(Debug)]
pub enum MemberContent {
    ArchiveManifest(ArchiveManifest),
    /// The name of the region, and its settings if they can be read.
    Settings(String, Option<Settings>),
    Parcel(Option<ParcelFacts>),
    Terrain(TerrainFacts),
    /// The entry of terrain that no loader reads.
    UnreadTerrain(String),
    Item(Option<ItemFacts>),
    /// An inventory of a database. Its items follow.
    Inventory(Box<InventoryFacts>),
    Items(Vec<ItemFacts>),
    /// Only that the region exists.
    Region,
    /// A region of a database.
    WholeRegion(Box<RegionFacts>),
    Assets(Vec<MeshFacts>, Vec<ObjectFacts>),
}

impl Default for MemberContent {
    fn default() -> Self {
        Self::Assets(Vec::new(), Vec::new())
    }
}

impl Decoded {
    /// Creates a result that contains only a defect.
    pub fn defect(defect: Defect) -> Self {
        Self { defects: vec![defect], ..Self::default() }
    }

    /// Creates a result that contains only the folder of a region.
    pub fn region(folder: &str) -> Self {
        Self { folder: folder.into(), content: MemberContent::Region, ..Self::default() }
    }

    /// Returns its size in memory, bytes.
    pub fn size(&self) -> usize {
        // The printed form is longer than the texts. There are few defects, because their lists are capped.
        let printed = |thing: &dyn Debug| format!("{thing:?}").len();
        let content = match &self.content {
            MemberContent::Assets(meshes, objects) => {
                meshes.iter().map(mesh_size).chain(objects.iter().map(object_size)).sum()
            }
            MemberContent::Items(items) => items.iter().map(item_size).sum(),
            other => printed(other),
        };
        let defects: usize = self.defects.iter().map(|defect| size_of_val(defect) + printed(defect)).sum();
        size_of_val(self) + self.folder.len() + content + defects
    }
}

/// Returns the objects of a document, to choose among them. Empty if the decoder panics.
pub fn objects_of(item: &Item, limits: &Limits) -> Vec<ObjectFacts> {
    let entry = || item.name.clone();
    let objects = caught(|| within(Stage::Xml, || decode_document(&item.bytes, limits).objects));
    objects.unwrap_or_default().into_iter().map(|object| ObjectFacts { entry: entry(), ..object }).collect()
}

pub fn decode_document(bytes: &[u8], limits: &Limits) -> DecodedDocument {
    let (document, defects) = object::decode(bytes, limits);
    let oddities: Vec<String> = document.oddities.iter().map(|&oddity| oddity.into()).collect();
    let layout = document.layout.unwrap_or(object::Layout::Xml2);
    let objects = document.linksets.into_iter().enumerate().map(|(index, linkset)| ObjectFacts {
        index: index as u32,
        layout,
        oddities: oddities.clone(),
        ..ObjectFacts::rezzed(linkset)
    });
    DecodedDocument { objects: objects.collect(), defects }
}
