//! Actions applied to archives: an audit of the changed archive finds the promised land impact.

use crate::support::{repository, scan_one, shared};
use flate2::read::GzDecoder;
use hullmark_analysis::{
    Measured,
    actions::{self, Action, Kind, Terms},
};
use hullmark_settings::{limits::Limits, profile::Profile};
use std::{
    collections::HashMap,
    fs::File,
    io::{Cursor, Read},
    path::{Path, PathBuf},
};
use uuid::Uuid;

/// The prims to set to Convex Hull, by member.
type Edits = HashMap<String, Vec<Uuid>>;

/// Writes the archive with these prims as Convex Hull.
fn rewrite(archive: &Path, edits: &Edits, changed: &Path) {
    let mut old = tar::Archive::new(GzDecoder::new(File::open(archive).unwrap()));
    let mut new = tar::Builder::new(File::create(changed).unwrap());
    for member in old.entries().unwrap() {
        let mut member = member.unwrap();
        let name = member.path().unwrap().to_string_lossy().into_owned();
        let mut bytes = Vec::new();
        member.read_to_end(&mut bytes).unwrap();
        if let Some(prims) = edits.get(&name) {
            let mut xml = String::from_utf8(bytes).unwrap();
            prims.iter().for_each(|prim| set_convex_hull(&mut xml, *prim));
            bytes = xml.into_bytes();
        }
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        new.append_data(&mut header, &name, Cursor::new(bytes)).unwrap();
    }
    new.finish().unwrap();
}

/// Sets the physics shape type of the prim with this UUID.
fn set_convex_hull(xml: &mut String, prim: Uuid) {
    const OPEN: &str = "<PhysicsShapeType>";
    let forms = [format!("<UUID><UUID>{prim}"), format!("<UUID><Guid>{prim}")];
    let start = forms.iter().find_map(|form| xml.find(form.as_str())).unwrap();
    let end = start + xml[start..].find("</SceneObjectPart>").unwrap();
    let wanted = format!("{OPEN}2</PhysicsShapeType>");
    match xml[start..end].find(OPEN) {
        Some(place) => {
            let place = start + place;
            let after = place + xml[place..].find("</PhysicsShapeType>").unwrap() + OPEN.len() + 1;
            xml.replace_range(place..after, &wanted);
        }
        None => xml.insert_str(end, &wanted),
    }
}

/// Applies all Convex Hull actions of an archive, and compares each region with what they promise. Returns the land
/// impacts of the first region before and after.
fn check(archive: &Path) -> (f64, f64) {
    let profile = Profile::default();
    let ledger = scan_one(archive, &Limits::default());
    let measured = Measured::new(&ledger, &profile);
    let mut edits = Edits::new();
    let mut promised = Vec::new();
    for (number, region) in measured.regions.iter().enumerate() {
        let actions = actions::of_region(&measured, number, &[], Terms::default());
        let shapes: Vec<&Action> = actions.iter().filter(|it| it.kind == Kind::ConvexHull).collect();
        for action in &shapes {
            for &object in &action.objects {
                let object = &ledger.objects[object];
                let prims = action.parts.iter().map(|&part| object.linkset.parts[part].uuid);
                edits.entry(object.entry.clone()).or_default().extend(prims);
            }
        }
        let saved: f64 = shapes.iter().map(|action| action.saving()).sum();
        promised.push(region.total.land_impact.value().unwrap() - saved);
    }
    let folder = tempfile::tempdir().unwrap();
    let changed = folder.path().join("changed.oar");
    rewrite(archive, &edits, &changed);
    let ledger = scan_one(&changed, &Limits::default());
    let after = Measured::new(&ledger, &profile);
    let found: Vec<f64> =
        after.regions.iter().map(|region| region.total.land_impact.value().unwrap()).collect();
    assert_eq!(found, promised, "{}", archive.display());
    (measured.regions[0].total.land_impact.value().unwrap(), found[0])
}

#[test]
fn a_changed_sample_has_the_promised_land_impact() {
    let samples: [(&str, f64, f64); 3] = [
        ("regions/over-the-cap.oar", 49.0, 1.0),
        ("figures/slivers.oar", 63.0, 1.0),
        ("figures/material-on-a-ring.oar", 878.0, 2.0),
    ];
    for (name, before, after) in samples {
        assert_eq!(check(&repository().join("sample_data").join(name)), (before, after), "{name}");
    }
}

#[test]
fn a_changed_export_has_the_promised_land_impact() {
    let Some(shared) = shared() else { return };
    let archive: PathBuf = shared.join("data/franzinha-no-textures.oar");
    let (before, after) = check(&archive);
    assert_eq!(before, 95_241.0);
    assert!(after < 20_000.0, "{after}");
}
