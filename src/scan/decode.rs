//! One member to its facts.

use crate::{
    finding::{Code, Finding},
    format::{
        archive_xml::{self, Control},
        inventory, member, mesh, object,
        region::{self, Settings},
        xml::refused_by_opensim,
    },
    ledger::facts::{EntryFacts, ItemFacts, MeshFacts, ObjectFacts, ParcelFacts, Role, TerrainFacts, Weight},
    scan::caught,
    scan::source::{Item, Kind},
    settings::limits::Limits,
    util::{
        timings::{Stage, pass, within},
        work::Work,
    },
};
use uuid::Uuid;

/// What was made of one member.
pub(super) enum Decoded {
    Control(Control, Vec<Finding>),
    Settings { folder: String, name: String, settings: Option<Settings>, findings: Vec<Finding> },
    Parcel { folder: String, parcel: Option<ParcelFacts>, findings: Vec<Finding> },
    Terrain(TerrainFacts),
    Inventory(Option<ItemFacts>, Vec<Finding>),
    Assets { folder: String, facts: EntryFacts },
}

/// Decodes one member by its kind, whatever happens. Work is charged for meshes.
pub(super) fn decode_caught(item: &Item, loose: bool, limits: &Limits, work: &mut Work) -> Decoded {
    let decode = || decode(item, loose, limits, work);
    caught(&item.name, decode).unwrap_or_else(|finding| Decoded::finding(*finding))
}

impl Weight for Decoded {
    fn beyond(&self) -> usize {
        match self {
            Self::Control(control, findings) => control.beyond() + findings.beyond(),
            Self::Settings { folder, name, settings, findings } => {
                folder.len() + name.len() + settings.beyond() + findings.beyond()
            }
            Self::Parcel { folder, parcel, findings } => folder.len() + parcel.beyond() + findings.beyond(),
            Self::Terrain(terrain) => terrain.entry.len(),
            Self::Inventory(item, findings) => item.beyond() + findings.beyond(),
            Self::Assets { folder, facts } => {
                folder.len() + facts.meshes.beyond() + facts.objects.beyond() + facts.findings.beyond()
            }
        }
    }
}

impl Decoded {
    /// Nothing but that something went wrong.
    pub(super) fn finding(finding: Finding) -> Self {
        let facts = EntryFacts { findings: vec![finding], ..EntryFacts::default() };
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
    let stage = if matches!(item.kind, Kind::Mesh | Kind::Scene) { Stage::Llsd } else { Stage::Xml };
    pass(stage, bytes.len());
    match item.kind {
        Kind::Control => {
            let (control, findings) = within(Stage::Xml, || archive_xml::decode(bytes));
            Decoded::Control(control, at_entry(findings, item))
        }
        Kind::Settings => {
            let (settings, findings) = within(Stage::Xml, || region::decode_settings(bytes));
            let name = file_stem(member.file).to_owned();
            Decoded::Settings { folder, name, settings, findings: at_entry(findings, item) }
        }
        Kind::Parcel => {
            let (parcel, findings) = within(Stage::Xml, || region::decode_parcel(bytes));
            let parcel = parcel.map(|parcel| ParcelFacts { entry: item.name.clone(), parcel });
            Decoded::Parcel { folder, parcel, findings: at_entry(findings, item) }
        }
        Kind::InventoryItem => {
            let (decoded, findings) = within(Stage::Xml, || inventory::decode(bytes));
            let decoded = decoded.map(|decoded| ItemFacts { entry: item.name.clone(), item: decoded });
            Decoded::Inventory(decoded, at_entry(findings, item))
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
        let (mesh, findings) = within(Stage::Llsd, || mesh::decode(bytes, limits));
        for mut finding in findings {
            finding.place.entry.clone_from(&entry);
            finding.place.asset = uuid;
            facts.findings.push(finding);
        }
        // What it comes to is seen by the next charge.
        let _ = work.charge(mesh.inflated);
        facts
            .meshes
            .push(within(Stage::Geometry, || MeshFacts::new(entry.clone(), uuid, bytes, &mesh, work)));
        if work.is_spent() {
            let detail =
                "units of work on this asset, so that some of its hulls or distances are not evaluated";
            facts.findings.push(spent(entry, detail.into(), work, limits));
        }
    };
    if item.kind == Kind::Mesh {
        add(item.name.clone(), &item.bytes);
    } else {
        let (scene, findings) = within(Stage::Llsd, || mesh::decode_scene(&item.bytes, limits));
        for (number, bytes) in scene.meshes.iter().enumerate() {
            add(format!("{}#{number}", item.name), bytes);
        }
        facts.findings.extend(at_entry(findings, item));
    }
    if left_out > 0 {
        let detail =
            format!("units of work on this asset, so that {left_out} of its meshes are not evaluated");
        facts.findings.push(spent(item.name.clone(), detail, work, limits));
    }
    facts
}

/// That the work on an asset is spent.
fn spent(entry: String, detail: String, work: &Work, limits: &Limits) -> Finding {
    let mut finding = Finding::new(Code::ARC012).within("asset_work").detail(detail);
    finding.place.asset = member::uuid_in(&entry);
    finding.place.entry = entry;
    finding.measured(work.done() as f64).limit(limits.asset_work as f64)
}

/// The objects of one document.
fn decode_objects(item: &Item, role: Role, limits: &Limits) -> EntryFacts {
    let (document, mut findings) = within(Stage::Xml, || object::decode(&item.bytes, limits));
    let asset = (role == Role::Nested).then(|| member::uuid_in(&item.name)).flatten();
    if role == Role::Nested {
        findings.iter_mut().for_each(|finding| lose_asset_only(finding, asset));
    }
    // A file by itself is loaded by a reader that knows these marks; of assets OpenSim reads fragments.
    if role == Role::Rezzed
        && let Some(why) = refused_by_opensim(&document.oddities)
    {
        let mut finding = Finding::new(Code::OBJ002).detail(why).aspect("encoding");
        let root = document.linksets.first().and_then(|linkset| linkset.parts.first());
        finding.place.object = root.map(|root| root.uuid);
        findings.insert(0, finding);
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
    EntryFacts { meshes: Vec::new(), objects: objects.collect(), findings: at_entry(findings, item) }
}

/// What stops the load of a region where it is in one of its objects only costs the asset where that is in contents or
/// in an inventory.
fn lose_asset_only(finding: &mut Finding, asset: Option<Uuid>) {
    if [Code::OBJ001, Code::OBJ002, Code::OBJ007, Code::OBJ014].contains(&finding.code) {
        // Codes that have one thing to say become one that has several.
        if finding.code == Code::OBJ001 && finding.place.within.is_empty() {
            finding.aspect = "unreadable".into();
        }
        finding.code = Code::AST004;
        finding.place.asset = asset;
    }
}

fn at_entry(mut findings: Vec<Finding>, item: &Item) -> Vec<Finding> {
    for finding in &mut findings {
        finding.place.entry.clone_from(&item.name);
    }
    findings
}

pub(super) fn file_stem(file: &str) -> &str {
    file.rsplit_once('.').map_or(file, |(stem, _)| stem)
}

/// A member whose name has this in it ends in a panic, to see what that costs.
#[cfg(test)]
pub(super) const PANICS: &str = "panics";
