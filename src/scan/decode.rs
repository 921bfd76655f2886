//! Decodes one member to its facts.

use crate::{
    format::{
        archive_xml::{self, ArchiveManifest},
        defect::{Defect, InputDefect},
        inventory, member, mesh, object,
        region::{self, Settings},
    },
    ledger::facts::{
        EntryFacts, HeapSize, ItemFacts, MeshFacts, ObjectFacts, ParcelFacts, Role, TerrainFacts,
    },
    scan::source::{Item, Kind},
    settings::limits::Limits,
    util::{
        catch_panic::caught,
        timings::{Stage, pass, within},
        work::Work,
    },
};

/// What was made of one member.
pub(super) enum Decoded {
    ArchiveManifest(ArchiveManifest, Vec<Defect>),
    Settings { folder: String, name: String, settings: Option<Settings>, defects: Vec<Defect> },
    Parcel { folder: String, parcel: Option<ParcelFacts>, defects: Vec<Defect> },
    Terrain(TerrainFacts),
    Inventory(Option<ItemFacts>, Vec<Defect>),
    Assets { folder: String, facts: EntryFacts },
}

/// Decodes one member by its kind, whatever happens. Work is charged for meshes.
pub(super) fn decode_caught(item: &Item, loose: bool, limits: &Limits, work: &mut Work) -> Decoded {
    let decode = || decode(item, loose, limits, work);
    caught(decode).unwrap_or_else(|words| {
        Decoded::defect(Defect::new(InputDefect::Panicked { words }).entry(&item.name))
    })
}

impl HeapSize for Decoded {
    fn beyond(&self) -> usize {
        match self {
            Self::ArchiveManifest(control, defects) => control.beyond() + defects.beyond(),
            Self::Settings { folder, name, settings, defects } => {
                folder.len() + name.len() + settings.beyond() + defects.beyond()
            }
            Self::Parcel { folder, parcel, defects } => folder.len() + parcel.beyond() + defects.beyond(),
            Self::Terrain(terrain) => terrain.entry.len(),
            Self::Inventory(item, defects) => item.beyond() + defects.beyond(),
            Self::Assets { folder, facts } => {
                folder.len() + facts.meshes.beyond() + facts.objects.beyond() + facts.defects.beyond()
            }
        }
    }
}

impl Decoded {
    /// Nothing but that something went wrong.
    pub(super) fn defect(defect: Defect) -> Self {
        let facts = EntryFacts { defects: vec![defect], ..EntryFacts::default() };
        Self::Assets { folder: String::new(), facts }
    }
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
    match item.kind {
        Kind::ArchiveManifest => {
            let (control, defects) = within(Stage::Xml, || archive_xml::decode(bytes));
            Decoded::ArchiveManifest(control, at_entry(defects, item))
        }
        Kind::Settings => {
            let (settings, defects) = within(Stage::Xml, || region::decode_settings(bytes));
            let name = file_stem(member.file).to_owned();
            Decoded::Settings { folder, name, settings, defects: at_entry(defects, item) }
        }
        Kind::Parcel => {
            let (parcel, defects) = within(Stage::Xml, || region::decode_parcel(bytes));
            let parcel = parcel.map(|parcel| ParcelFacts { entry: item.name.clone(), parcel });
            Decoded::Parcel { folder, parcel, defects: at_entry(defects, item) }
        }
        Kind::InventoryItem => {
            let (decoded, defects) = within(Stage::Xml, || inventory::decode(bytes));
            let decoded = decoded.map(|decoded| ItemFacts { entry: item.name.clone(), item: decoded });
            Decoded::Inventory(decoded, at_entry(defects, item))
        }
        Kind::Mesh | Kind::Scene => Decoded::Assets { folder, facts: decode_meshes(item, limits, work) },
        Kind::Object | Kind::NestedObject => {
            let role = match (item.kind, loose) {
                (_, true) => Role::Loose,
                (Kind::NestedObject, _) => Role::Nested,
                _ => Role::Rezzed,
            };
            Decoded::Assets { folder, facts: decode_objects(item, role, limits) }
        }
        Kind::Terrain | Kind::Texture | Kind::Text | Kind::Asset | Kind::Other => {
            Decoded::Assets { folder, facts: EntryFacts::default() }
        }
    }
}

/// A mesh asset, or all meshes of the uploader's scene, as far as the work suffices.
fn decode_meshes(item: &Item, limits: &Limits, work: &mut Work) -> EntryFacts {
    let mut facts = EntryFacts::default();
    let mut left_out = 0;
    let mut add = |entry: String, bytes: &[u8]| {
        if work.charge(bytes.len() as u64).is_err() {
            left_out += 1;
            return;
        }
        let uuid = member::uuid_in(&entry);
        let (mesh, defects) = within(Stage::Meshes, || mesh::decode(bytes, limits));
        for mut defect in defects {
            defect.place.entry.clone_from(&entry);
            defect.place.asset = uuid;
            facts.defects.push(defect);
        }
        // What it comes to is seen by the next charge.
        let _ = work.charge(mesh.inflated);
        facts
            .meshes
            .push(within(Stage::Geometry, || MeshFacts::new(entry.clone(), uuid, bytes, &mesh, work)));
        if work.is_spent() {
            facts.defects.push(spent(entry, InputDefect::AssetWork, work, limits));
        }
    };
    if item.kind == Kind::Mesh {
        add(item.name.clone(), &item.bytes);
    } else {
        let (scene, defects) = within(Stage::Meshes, || mesh::decode_scene(&item.bytes, limits));
        for (number, bytes) in scene.meshes.iter().enumerate() {
            add(format!("{}#{number}", item.name), bytes);
        }
        facts.defects.extend(at_entry(defects, item));
    }
    if left_out > 0 {
        let kind = InputDefect::SceneWork { left_out };
        facts.defects.push(spent(item.name.clone(), kind, work, limits));
    }
    facts
}

/// That the work on an asset is spent.
fn spent(entry: String, kind: InputDefect, work: &Work, limits: &Limits) -> Defect {
    let mut defect = Defect::new(kind).within("asset_work");
    defect.place.asset = member::uuid_in(&entry);
    defect.place.entry = entry;
    defect.measured(work.done() as f64).limit(limits.asset_work as f64)
}

/// The objects of one document.
fn decode_objects(item: &Item, role: Role, limits: &Limits) -> EntryFacts {
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
    EntryFacts { meshes: Vec::new(), objects: objects.collect(), defects: at_entry(defects, item) }
}

fn at_entry(mut defects: Vec<Defect>, item: &Item) -> Vec<Defect> {
    for defect in &mut defects {
        defect.place.entry.clone_from(&item.name);
    }
    defects
}

pub(super) fn file_stem(file: &str) -> &str {
    file.rsplit_once('.').map_or(file, |(stem, _)| stem)
}

/// A member whose name has this in it ends in a panic, to see what that costs.
#[cfg(test)]
pub(super) const PANICS: &str = "panics";
