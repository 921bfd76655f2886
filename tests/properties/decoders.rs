use super::ledgers::{empty, evaluated, returns};
use hullmark_finding::Finding;
use hullmark_format::{
    llsd::{self, Value},
    member::{self, Kind},
    mesh, nrbf, text,
};
use hullmark_ledger::facts::MeshFacts;
use hullmark_media::image::sculpt_map::{self, SculptError};
use hullmark_model::{File, Model};
use hullmark_settings::limits::Limits;
use hullmark_util::{deadline::Deadline, work::Work};
use std::collections::HashSet;

/// The quick search for keys finds the same keys as the whole parser.
pub fn llsd(bytes: &[u8]) {
    let depth = Limits::default().llsd_depth;
    let keys = llsd::keys(bytes);
    let Ok(document) = llsd::parse(bytes, depth) else { return };
    let alone = llsd::parse(&bytes[..document.consumed], depth);
    assert_eq!(alone.map(|alone| alone.consumed), Ok(document.consumed));
    let Value::Map(map) = &document.value else { return };
    if llsd::looks_like_map(bytes) {
        // The map has the first of two equal keys.
        let mut seen = HashSet::new();
        let mut quick: Vec<_> = keys.iter().map(|(key, _)| &**key).collect();
        quick.retain(|key| seen.insert(*key));
        assert!(map.iter().map(|(key, _)| key).eq(quick), "the quick look finds other keys");
    }
}

/// Decodes and evaluates a mesh, or the meshes of a scene. The ledger must be the same after writing and reading.
pub fn mesh(bytes: &[u8]) -> Vec<Finding> {
    let limits = Limits::default();
    let mut ledger = empty();
    let mut add = |bytes: &[u8]| {
        let (decoded, defects) = mesh::decode(bytes, &limits);
        ledger.defects.extend(defects);
        let work = &mut Work::unlimited();
        ledger.meshes.push(MeshFacts::new("mutant.llmesh".into(), None, bytes, &decoded, work));
    };
    if mesh::sniff(bytes) == mesh::Sniffed::Scene {
        let (scene, defects) = mesh::decode_scene(bytes, &limits);
        scene.meshes.iter().for_each(|bytes| add(bytes));
        ledger.defects.extend(defects);
    } else {
        add(bytes);
    }
    evaluated(&returns(&ledger))
}

/// A sculpt map has at most the pixels of its stated size, or is refused with a reason. Its loss is a number.
pub fn sculpt_map(bytes: &[u8]) {
    let loss = sculpt_map::loss_levels(bytes, &Limits::default());
    assert!(loss.is_none_or(|levels| levels >= 0.0 && levels.is_finite()));
    let stated = sculpt_map::stated_size(bytes);
    match sculpt_map::decode(bytes, &Limits::default()) {
        Ok(map) => {
            let [width, height] = stated.unwrap();
            assert!(map.bitmap().is_complete());
            assert!(map.width <= width.max(1) && map.height <= height.max(1));
        }
        Err(SculptError::OverBudget { measured, limit, .. }) => assert!(measured > limit),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// A text of each kind names each asset once, and a saved appearance names only references.
pub fn text(bytes: &[u8]) {
    for suffix in member::ASSET_SUFFIXES.into_iter().filter(|suffix| member::asset_kind(suffix) == Kind::Text)
    {
        let Ok(text) = text::decode(suffix, bytes) else { continue };
        assert!(text.references.is_sorted() && text.mentions.is_sorted());
        assert!(text.mentions.iter().all(|uuid| text.references.binary_search(uuid).is_err()));
        assert!(text.appearance.keys().all(|asset| text.references.binary_search(asset).is_ok()));
    }
}

/// An asset from a cache is part of its file, and a file that is cut is none.
pub fn cached_asset(bytes: &[u8]) {
    let Ok(asset) = nrbf::decode(bytes) else { return };
    assert!(asset.bytes.len() + asset.id.len() + asset.name.len() < bytes.len());
    assert!(nrbf::decode(&bytes[..asset.bytes.len()]).is_err(), "a part of the file is no asset");
}

/// A model becomes assets that are read without a flaw, also of its own levels. Returns the number of parts.
pub fn model(bytes: &[u8]) -> usize {
    let limits = Limits::default();
    let beside = [File { name: "chair_LOD1.glb", bytes }, File { name: "chair_PHYS.glb", bytes }];
    let model = Model { file: File { name: "chair.glb", bytes }, beside: &beside };
    let mut work = Work::new(limits.asset_work, Deadline::default());
    let (upload, _) = model.upload(&limits, &mut work);
    for part in &upload.parts {
        let (mesh, _) = mesh::decode(&part.asset, &limits);
        let highest = mesh.lods[3].as_ref().expect("the highest level is written");
        assert!((1..=8).contains(&highest.len()), "faces of a mesh");
        for face in mesh.lods.iter().flatten().flatten() {
            assert!(
                face.triangles.iter().all(|&triangle| face.holds(triangle)),
                "triangles have their vertices"
            );
        }
        assert!(part.generated.iter().flatten().all(|[least, most]| least <= most));
    }
    upload.parts.len()
}
