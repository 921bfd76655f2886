//! Actions applied to archives: an audit of the changed copy finds the promised land impact.

use crate::support::{
    archive::{Archive, control},
    desk::{DONE, Desk, USAGE},
    object::{Prim, uuid, xml2},
    repository, shared,
};
use std::path::Path;

/// Applies the actions of an archive, and compares each region with what they promise. Returns the land impacts of the first
/// region before and after.
fn check(desk: &Desk, archive: &Path) -> (f64, f64) {
    let archive = archive.display();
    desk.run(&format!("audit {archive} --out before --format csv --profile second-life -q"));
    desk.run(&format!("repair {archive} --apply before/actions.csv --out changed.oar --overwrite -q"));
    desk.run("audit changed.oar --out after --format csv --profile second-life -q");
    let number = |text: &str| text.parse::<f64>().unwrap();
    let impacts = |report: &str| {
        let regions = desk.table(report, "regions").into_iter();
        regions.map(|row| (row["region"].clone(), number(&row["land_impact"]))).collect::<Vec<_>>()
    };
    let (before, found) = (impacts("before"), impacts("after"));
    let actions = desk.table("before", "actions");
    let promised: Vec<(String, f64)> = before
        .iter()
        .map(|(region, impact)| {
            let is_applied = |kind: &str| ["convex_hull", "remove_copy"].contains(&kind);
            let here = actions.iter().filter(|row| row["region"] == *region && is_applied(&row["kind"]));
            (region.clone(), impact - here.map(|row| number(&row["land_impact_saved"])).sum::<f64>())
        })
        .collect();
    assert_eq!(found, promised, "{archive}");
    (before[0].1, found[0].1)
}

#[test]
fn a_changed_sample_has_the_promised_land_impact() {
    let samples: [(&str, f64, f64); 3] = [
        ("regions/over-the-cap.oar", 49.0, 1.0),
        ("figures/slivers.oar", 63.0, 1.0),
        ("figures/material-on-a-ring.oar", 878.0, 2.0),
    ];
    for (name, before, after) in samples {
        let desk = Desk::with(&[]);
        assert_eq!(check(&desk, &repository().join("sample_data").join(name)), (before, after), "{name}");
    }
}

#[test]
fn a_changed_export_has_the_promised_land_impact() {
    let Some(shared) = shared() else { return };
    let (before, after) = check(&Desk::with(&[]), &shared.join("data/franzinha-no-textures.oar"));
    assert_eq!(before, 95_241.0);
    assert!(after < 20_000.0, "{after}");
}

/// Three hundred equal rings are several rows, and a copy is deleted. What needs a viewer is said.
#[test]
fn each_of_many_equal_objects_is_changed_and_no_other() {
    let ring = |number: u32, x: f64| {
        let prim = |part: u32| Prim {
            torus: true,
            position: [x, 100.0, 25.0],
            ..Prim::new("Ring", 2 * number + part)
        };
        // Convex Hull on the first prim of an object gives it new accounting.
        xml2(&[prim(0), Prim { physics_shape_type: Some(2), ..prim(1) }])
    };
    let mut archive = Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"));
    for number in 0..300 {
        archive = archive.add(&format!("objects/{number}.xml"), ring(number, 0.5 * f64::from(number)));
    }
    let pole = |number: u32| xml2(&[Prim { position: [200.0, 200.0, 25.0], ..Prim::new("Pole", number) }]);
    let archive = archive.add("objects/Pole.xml", pole(900)).add("objects/Copy.xml", pole(901));
    let desk = Desk::with(&[("region.oar", &archive.gzip())]);
    let (before, after) = check(&desk, &desk.at("region.oar"));
    assert!(before > after, "{before} {after}");
    let rows = desk.table("before", "actions");
    let rings: Vec<usize> = rows
        .iter()
        .filter(|row| row["kind"] == "convex_hull")
        .map(|row| row["uuids"].split(' ').count())
        .collect();
    assert_eq!(rings, [255, 45]);
    let run = desk.run_to(DONE, "repair region.oar --apply before/actions.csv --out again.oar");
    let by_hand = rows.iter().filter(|row| !["convex_hull", "remove_copy"].contains(&&*row["kind"])).count();
    let expected = format!(
        "301 of 301 objects of before/actions.csv edited; {by_hand} of {} rows need a viewer.",
        rows.len()
    );
    assert!(run.stdout.contains(&expected), "{expected}\n{}", run.stdout);
    assert!(run.stdout.contains("1 member left out (again.oar.left-out)"), "{}", run.stdout);
    // What is so already stays.
    std::fs::create_dir(desk.at("again")).unwrap();
    std::fs::rename(desk.at("again.oar"), desk.at("again/region.oar")).unwrap();
    let run = desk.run_to(DONE, "repair again/region.oar --apply before/actions.csv --out third.oar");
    assert!(run.stdout.contains("302 of 302 members unchanged; 0 changes."), "{}", run.stdout);
    assert!(run.stdout.contains("0 of 301 objects of before/actions.csv edited"), "{}", run.stdout);
    let run = desk.run_to(USAGE, "repair third.oar --apply before/actions.csv --out fourth.oar");
    assert!(run.stderr.contains("before/actions.csv has no row about third.oar"), "{}", run.stderr);
}
