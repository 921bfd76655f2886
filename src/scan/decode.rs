//! Decodes one member to its facts.

use crate::{
    format::{
        archive_xml::{self, ArchiveManifest},
        defect::{Defect, InputDefect},
        inventory, member, mesh, object,
        region::{self, Settings},
    },
    ledger::facts::{
        ItemFacts, MeshFacts, ObjectFacts, ParcelFacts, Role, TerrainFacts, mesh_size, object_size,
    },
    scan::source::{Item, Kind},
    settings::limits::Limits,
    util::{
        catch_panic::caught,
        timings::{Stage, pass, within},
        work::Work,
    },
};
use std::fmt::Debug;

/// The result for one member.
#[derive(Debug, Default)]
pub(super) struct Decoded {
    /// The folder of its region.
    pub(super) folder: String,
    pub(super) learnt: Learnt,
    pub(super) defects: Vec<Defect>,
}

/// The content of a member.
#[derive(Debug)]
pub(super) enum Learnt {
    ArchiveManifest(ArchiveManifest),
    /// The name of the region, and its settings if they can be read.
    Settings(String, Option<Settings>),
    Parcel(Option<ParcelFacts>),
    Terrain(TerrainFacts),
    Item(Option<ItemFacts>),
    Assets(Vec<MeshFacts>, Vec<ObjectFacts>),
}

impl Default for Learnt {
    fn default() -> Self {
        Self::Assets(Vec::new(), Vec::new())
    }
}

impl Decoded {
    /// Creates a result that contains only a defect.
    pub(super) fn defect(defect: Defect) -> Self {
        Self { defects: vec![defect], ..Self::default() }
    }

    /// Returns its size in memory, bytes.
    pub(super) fn size(&self) -> usize {
        // The printed form is longer than the texts. There are few defects, because their lists are capped.
        let printed = |thing: &dyn Debug| format!("{thing:?}").len();
        let learnt = match &self.learnt {
            Learnt::Assets(meshes, objects) => {
                meshes.iter().map(mesh_size).chain(objects.iter().map(object_size)).sum()
            }
            other => printed(other),
        };
        let defects: usize = self.defects.iter().map(|defect| size_of_val(defect) + printed(defect)).sum();
        size_of_val(self) + self.folder.len() + learnt + defects
    }
}

/// Decodes one member by its kind and catches panics. Work is charged for meshes.
pub(super) fn decode_caught(item: &Item, loose: bool, limits: &Limits, work: &mut Work) -> Decoded {
    let decode = || decode(item, loose, limits, work);
    caught(decode).unwrap_or_else(|words| {
        Decoded::defect(Defect::new(InputDefect::Panicked { words }).entry(&item.name))
    })
}

/// Decodes one member by its kind.
fn decode(item: &Item, loose: bool, limits: &Limits, work: &mut Work) -> Decoded {
    #[cfg(test)]
    assert!(!item.name.contains(PANICS), "injected");
    let member = member::classify(&item.name);
    let folder = member.region.to_owned();
    let bytes = item.bytes.as_slice();
    let stage = if matches!(item.kind, Kind::Mesh | Kind::Scene) { Stage::Meshes } else { Stage::Xml };
    pass(stage, bytes.len());
    let (learnt, mut defects) = match item.kind {
        Kind::Mesh | Kind::Scene => return Decoded { folder, ..decode_meshes(item, limits, work) },
        Kind::ArchiveManifest => {
            let (control, defects) = within(Stage::Xml, || archive_xml::decode(bytes));
            (Learnt::ArchiveManifest(control), defects)
        }
        Kind::Settings => {
            let (settings, defects) = within(Stage::Xml, || region::decode_settings(bytes));
            (Learnt::Settings(file_stem(member.file).to_owned(), settings), defects)
        }
        Kind::Parcel => {
            let (parcel, defects) = within(Stage::Xml, || region::decode_parcel(bytes));
            (Learnt::Parcel(parcel.map(|parcel| ParcelFacts { entry: item.name.clone(), parcel })), defects)
        }
        Kind::InventoryItem => {
            let (decoded, defects) = within(Stage::Xml, || inventory::decode(bytes));
            (
                Learnt::Item(decoded.map(|decoded| ItemFacts { entry: item.name.clone(), item: decoded })),
                defects,
            )
        }
        Kind::Object | Kind::NestedObject => {
            let role = match (item.kind, loose) {
                (_, true) => Role::Loose,
                (Kind::NestedObject, _) => Role::Nested,
                _ => Role::Rezzed,
            };
            let (objects, defects) = decode_objects(item, role, limits);
            (Learnt::Assets(Vec::new(), objects), defects)
        }
        Kind::Terrain | Kind::Texture | Kind::Text | Kind::Asset | Kind::Other => return Decoded::default(),
    };
    at_entry(&mut defects, item);
    Decoded { folder, learnt, defects }
}

/// Decodes a mesh asset, or all meshes of an uploader's scene, until the work budget is spent.
fn decode_meshes(item: &Item, limits: &Limits, work: &mut Work) -> Decoded {
    let (mut meshes, mut defects) = (Vec::new(), Vec::new());
    let mut left_out = 0;
    let mut add = |entry: String, bytes: &[u8]| {
        if work.charge(bytes.len() as u64).is_err() {
            left_out += 1;
            return;
        }
        let uuid = member::uuid_in(&entry);
        let (mesh, found) = within(Stage::Meshes, || mesh::decode(bytes, limits));
        for mut defect in found {
            defect.place.entry.clone_from(&entry);
            defect.place.asset = uuid;
            defects.push(defect);
        }
        // The next charge reports the excess.
        let _ = work.charge(mesh.inflated);
        meshes.push(within(Stage::Geometry, || MeshFacts::new(entry.clone(), uuid, bytes, &mesh, work)));
        if work.is_spent() {
            defects.push(spent(entry, InputDefect::AssetWork, work, limits));
        }
    };
    if item.kind == Kind::Mesh {
        add(item.name.clone(), &item.bytes);
    } else {
        let (scene, mut found) = within(Stage::Meshes, || mesh::decode_scene(&item.bytes, limits));
        for (number, bytes) in scene.meshes.iter().enumerate() {
            add(format!("{}#{number}", item.name), bytes);
        }
        at_entry(&mut found, item);
        defects.extend(found);
    }
    if left_out > 0 {
        let kind = InputDefect::SceneWork { left_out };
        defects.push(spent(item.name.clone(), kind, work, limits));
    }
    Decoded { learnt: Learnt::Assets(meshes, Vec::new()), defects, ..Decoded::default() }
}

/// Returns the defect for an asset whose work budget is spent.
fn spent(entry: String, kind: InputDefect, work: &Work, limits: &Limits) -> Defect {
    let mut defect = Defect::new(kind).within("asset_work");
    defect.place.asset = member::uuid_in(&entry);
    defect.place.entry = entry;
    defect.measured(work.done() as f64).limit(limits.asset_work as f64)
}

/// Decodes the objects of one document.
fn decode_objects(item: &Item, role: Role, limits: &Limits) -> (Vec<ObjectFacts>, Vec<Defect>) {
    let (document, mut defects) = within(Stage::Xml, || object::decode(&item.bytes, limits));
    let is_asset = role == Role::Nested;
    let asset = is_asset.then(|| member::uuid_in(&item.name)).flatten();
    for defect in &mut defects {
        (defect.in_asset, defect.place.asset) = (is_asset, asset);
    }
    let oddities: Vec<String> = document.oddities.iter().map(|&oddity| oddity.into()).collect();
    let layout = document.layout.unwrap_or(object::Layout::Xml2);
    let objects = document.linksets.into_iter().enumerate().map(|(index, linkset)| ObjectFacts {
        entry: item.name.clone(),
        index: index as u32,
        role,
        region: None,
        asset,
        layout,
        oddities: oddities.clone(),
        linkset,
    });
    (objects.collect(), defects)
}

fn at_entry(defects: &mut [Defect], item: &Item) {
    for defect in defects {
        defect.place.entry.clone_from(&item.name);
    }
}

pub(super) fn file_stem(file: &str) -> &str {
    file.rsplit_once('.').map_or(file, |(stem, _)| stem)
}

/// The decoder panics on a member whose name contains this text, for tests.
#[cfg(test)]
pub(super) const PANICS: &str = "panics";
