//! Decodes one member to its facts.

use crate::{
    format::{
        archive_xml::{self, ArchiveManifest},
        defect::{Defect, InputDefect, MeshDefect},
        inventory, member, mesh, object,
        region::{self, Settings},
        viewer::{self, Export, cached_mesh::CachedMesh},
    },
    ledger::facts::{
        InventoryFacts, ItemFacts, MeshFacts, ObjectFacts, ParcelFacts, RegionFacts, Role, TerrainFacts,
        item_size, mesh_size, object_size,
    },
    scan::{
        contents::ContentCache,
        source::{Item, Kind},
    },
    settings::limits::Limits,
    util::{
        catch_panic::caught,
        timings::{Stage, pass, within},
        work::Work,
    },
};
use serde::{Deserialize, Serialize};
use std::fmt::Debug;

/// The result for one member.
#[derive(Debug, Default)]
pub struct Decoded {
    /// The folder of its region.
    pub folder: String,
    pub learnt: Learnt,
    pub defects: Vec<Defect>,
}

/// The content of a member.
#[derive(Debug)]
pub enum Learnt {
    ArchiveManifest(ArchiveManifest),
    /// The name of the region, and its settings if they can be read.
    Settings(String, Option<Settings>),
    Parcel(Option<ParcelFacts>),
    Terrain(TerrainFacts),
    Item(Option<ItemFacts>),
    /// An inventory of a database. Its items follow.
    Inventory(Box<InventoryFacts>),
    /// Items of an inventory.
    Items(Vec<ItemFacts>),
    /// Only that the region exists.
    Region,
    /// A region of a database.
    WholeRegion(Box<RegionFacts>),
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

    /// Creates a result that contains only the folder of a region.
    pub(super) fn region(folder: &str) -> Self {
        Self { folder: folder.into(), learnt: Learnt::Region, ..Self::default() }
    }

    /// Returns its size in memory, bytes.
    pub(super) fn size(&self) -> usize {
        // The printed form is longer than the texts. There are few defects, because their lists are capped.
        let printed = |thing: &dyn Debug| format!("{thing:?}").len();
        let learnt = match &self.learnt {
            Learnt::Assets(meshes, objects) => {
                meshes.iter().map(mesh_size).chain(objects.iter().map(object_size)).sum()
            }
            Learnt::Items(items) => items.iter().map(item_size).sum(),
            other => printed(other),
        };
        let defects: usize = self.defects.iter().map(|defect| size_of_val(defect) + printed(defect)).sum();
        size_of_val(self) + self.folder.len() + learnt + defects
    }
}

/// The facts of a mesh, without its name.
#[derive(Serialize, Deserialize)]
struct MeshContent {
    /// Units of work.
    units: u64,
    facts: MeshFacts,
    defects: Vec<Defect>,
}

/// The facts of a document of objects, without its name and role.
#[derive(Serialize, Deserialize)]
struct ObjectContent {
    objects: Vec<ObjectFacts>,
    defects: Vec<Defect>,
}

/// Decodes one member by its kind and catches panics. Work is charged for meshes.
pub(super) fn decode_caught(
    item: &Item,
    loose: bool,
    limits: &Limits,
    work: &mut Work,
    contents: Option<&ContentCache>,
) -> Decoded {
    let decode = || decode(item, loose, limits, work, contents);
    caught(decode).unwrap_or_else(|words| {
        Decoded::defect(Defect::new(InputDefect::Panicked { words }).entry(&item.name))
    })
}

/// Decodes one member by its kind.
fn decode(
    item: &Item,
    loose: bool,
    limits: &Limits,
    work: &mut Work,
    contents: Option<&ContentCache>,
) -> Decoded {
    #[cfg(test)]
    assert!(!item.name.contains(PANICS), "injected");
    let member = member::classify(&item.name);
    let folder = member.region.to_owned();
    let bytes = item.bytes.as_slice();
    let stage = if matches!(item.kind, Kind::Mesh | Kind::Scene) { Stage::Meshes } else { Stage::Xml };
    pass(stage, bytes.len());
    let (learnt, mut defects) = match item.kind {
        Kind::Mesh | Kind::Scene => return Decoded { folder, ..decode_meshes(item, limits, work, contents) },
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
            let (objects, defects) = decode_objects(item, role, limits, contents);
            (Learnt::Assets(Vec::new(), objects), defects)
        }
        Kind::ViewerExport => {
            let (objects, defects) = decode_export(item, limits);
            (Learnt::Assets(Vec::new(), objects), defects)
        }
        Kind::Terrain | Kind::Texture | Kind::Text | Kind::Asset | Kind::Other => return Decoded::default(),
    };
    at_entry(&mut defects, item);
    Decoded { folder, learnt, defects }
}

/// Decodes a mesh asset, or all meshes of an uploader's scene, until the work budget is spent.
fn decode_meshes(item: &Item, limits: &Limits, work: &mut Work, contents: Option<&ContentCache>) -> Decoded {
    let (mut meshes, mut defects) = (Vec::new(), Vec::new());
    let mut left_out = 0;
    let mut add = |entry: String, content: Option<MeshContent>| {
        let Some(MeshContent { facts, defects: found, .. }) = content else {
            left_out += 1;
            return;
        };
        let uuid = member::uuid_in(&entry);
        for mut defect in found {
            defect.place.entry.clone_from(&entry);
            defect.place.asset = uuid;
            defects.push(defect);
        }
        meshes.push(MeshFacts { entry, uuid, ..facts });
    };
    if item.kind == Kind::Mesh {
        let fetched = CachedMesh::of_file(&item.name, &item.bytes);
        add(item.name.clone(), known_mesh(&item.bytes, fetched, limits, work, contents));
    } else {
        let (scene, mut found) = within(Stage::Meshes, || mesh::decode_scene(&item.bytes, limits));
        for (number, bytes) in scene.meshes.iter().enumerate() {
            add(format!("{}#{number}", item.name), decode_mesh(bytes, None, limits, work));
        }
        at_entry(&mut found, item);
        defects.extend(found);
    }
    if left_out > 0 {
        let mut defect = spent(InputDefect::SceneWork { left_out }, work, limits);
        defect.place.asset = member::uuid_in(&item.name);
        defect.place.entry.clone_from(&item.name);
        defects.push(defect);
    }
    Decoded { learnt: Learnt::Assets(meshes, Vec::new()), defects, ..Decoded::default() }
}

/// Returns the content of a mesh asset from the cache, or decodes it.
fn known_mesh(
    bytes: &[u8],
    fetched: Option<CachedMesh<'_>>,
    limits: &Limits,
    work: &mut Work,
    contents: Option<&ContentCache>,
) -> Option<MeshContent> {
    let Some(contents) = contents else { return decode_mesh(bytes, fetched, limits, work) };
    let key = contents.key(if fetched.is_some() { "fetched mesh" } else { "mesh" }, bytes);
    if let Some(content) = contents.get::<MeshContent>(key) {
        // It was within the same budget.
        let _ = work.charge(content.units);
        return Some(content);
    }
    let content = decode_mesh(bytes, fetched, limits, work)?;
    let lacked_memory = content.defects.iter().any(|defect| defect.is(MeshDefect::BlockWithoutMemory));
    if !work.is_spent() && work.over().is_none() && !lacked_memory {
        contents.put(key, &content);
    }
    Some(content)
}

/// Decodes a mesh, which may be from the cache of a viewer. `None` if the work budget is spent.
fn decode_mesh(
    bytes: &[u8],
    fetched: Option<CachedMesh<'_>>,
    limits: &Limits,
    work: &mut Work,
) -> Option<MeshContent> {
    work.charge(bytes.len() as u64).ok()?;
    let (mesh, mut defects) =
        within(Stage::Meshes, || mesh::decode_geometry(bytes, fetched.as_ref(), limits));
    let bytes = fetched.map_or(bytes, |fetched| fetched.asset);
    // The next charge reports the excess.
    let _ = work.charge(mesh.inflated);
    let mut facts = within(Stage::Geometry, || MeshFacts::new(String::new(), None, bytes, &mesh, work));
    if !facts.absent.is_empty() {
        // It is not the hash of the asset, so it must not be compared with one.
        facts.content_hash.clear();
    }
    if work.is_spent() {
        defects.push(spent(InputDefect::AssetWork, work, limits));
    }
    Some(MeshContent { units: work.done(), facts, defects })
}

/// Returns the defect for an asset whose work budget is spent.
fn spent(kind: InputDefect, work: &Work, limits: &Limits) -> Defect {
    let defect = Defect::new(kind).within("asset_work");
    defect.measured(work.done() as f64).limit(limits.asset_work as f64)
}

/// Decodes the objects of one document.
fn decode_objects(
    item: &Item,
    role: Role,
    limits: &Limits,
    contents: Option<&ContentCache>,
) -> (Vec<ObjectFacts>, Vec<Defect>) {
    let ObjectContent { mut objects, mut defects } = cached_objects(&item.bytes, limits, contents);
    let is_asset = role == Role::Nested;
    let asset = is_asset.then(|| member::uuid_in(&item.name)).flatten();
    for object in &mut objects {
        object.entry.clone_from(&item.name);
        (object.role, object.asset) = (role, asset);
    }
    for defect in &mut defects {
        (defect.in_asset, defect.place.asset) = (is_asset, asset);
    }
    (objects, defects)
}

/// Decodes the objects of a viewer's export.
fn decode_export(item: &Item, limits: &Limits) -> (Vec<ObjectFacts>, Vec<Defect>) {
    let (Export { layout, linksets }, defects) = within(Stage::Xml, || viewer::decode(&item.bytes, limits));
    let objects = linksets.into_iter().enumerate().map(|(index, linkset)| ObjectFacts {
        entry: item.name.clone(),
        index: index as u32,
        role: Role::Loose,
        layout,
        ..ObjectFacts::rezzed(linkset)
    });
    (objects.collect(), defects)
}

/// Returns the content of a document of objects from the cache, or decodes it.
fn cached_objects(bytes: &[u8], limits: &Limits, contents: Option<&ContentCache>) -> ObjectContent {
    let decode = || within(Stage::Xml, || decode_document(bytes, limits));
    let Some(contents) = contents else { return decode() };
    let key = contents.key("objects", bytes);
    contents.get(key).unwrap_or_else(|| {
        let content = decode();
        contents.put(key, &content);
        content
    })
}

/// Returns the objects of a document, to choose among them. Empty if the decoder panics.
pub(super) fn objects_of(item: &Item, limits: &Limits) -> Vec<ObjectFacts> {
    let entry = || item.name.clone();
    let objects = caught(|| within(Stage::Xml, || decode_document(&item.bytes, limits).objects));
    objects.unwrap_or_default().into_iter().map(|object| ObjectFacts { entry: entry(), ..object }).collect()
}

fn decode_document(bytes: &[u8], limits: &Limits) -> ObjectContent {
    let (document, defects) = object::decode(bytes, limits);
    let oddities: Vec<String> = document.oddities.iter().map(|&oddity| oddity.into()).collect();
    let layout = document.layout.unwrap_or(object::Layout::Xml2);
    let objects = document.linksets.into_iter().enumerate().map(|(index, linkset)| ObjectFacts {
        index: index as u32,
        layout,
        oddities: oddities.clone(),
        ..ObjectFacts::rezzed(linkset)
    });
    ObjectContent { objects: objects.collect(), defects }
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
