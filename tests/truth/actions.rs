//! Actions applied to archives: an audit of the changed copy finds the promised land impact.

use crate::support::{
    archive::{Archive, control},
    desk::{DONE, Desk, Row, USAGE},
    object::{Prim, uuid, xml2},
    repository, shared,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

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
    let mut taken = BTreeSet::new();
    let mut saved: BTreeMap<&str, f64> = BTreeMap::new();
    for row in &actions {
        let is_regrouped = ["link", "split_off"].contains(&&*row["kind"]);
        if !is_regrouped && !["convex_hull", "remove_copy"].contains(&&*row["kind"]) {
            continue;
        }
        let mut objects: Vec<&str> = row["uuids"].split(' ').collect();
        if row["kind"] == "split_off" {
            objects = vec![&row["object_uuid"]];
        }
        // The report measured such a row without the earlier ones.
        if is_regrouped && objects.iter().any(|object| taken.contains(object)) {
            continue;
        }
        taken.extend(objects);
        *saved.entry(&row["region"]).or_default() +=
            number(&row["land_impact_before"]) - number(&row["land_impact_after"]);
    }
    let promised: Vec<(String, f64)> = before
        .iter()
        .map(|(region, impact)| (region.clone(), impact - saved.get(region.as_str()).unwrap_or(&0.0)))
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
    assert_eq!(before, 93_190.0);
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
    let expected =
        "301 of 301 objects of before/actions.csv edited; 4 of 7 rows wait for a report of the copy.";
    assert!(run.stdout.contains(expected), "{}", run.stdout);
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

/// Linked and split objects have all prims where they were.
#[test]
fn linked_and_split_prims_stay_in_their_places() {
    let turned = [0.0, 0.0, 0.382_683_43, 0.923_879_5];
    let bench = |number: u32, x: f64| {
        let at = |part: u32, offset: [f64; 3], rotation: [f64; 4]| Prim {
            position: [x, 100.0, 25.0],
            offset,
            rotation,
            ..Prim::new("Bench", 10 * number + part)
        };
        xml2(&[
            at(0, [0.0; 3], turned),
            at(1, [1.0, 0.5, 0.25], turned),
            at(2, [0.0, 2.0, 0.0], [0.0, 0.0, 0.0, 1.0]),
        ])
    };
    let archive = Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"))
        .add("objects/a.xml", bench(1, 100.0))
        .add("objects/b.xml", bench(2, 103.0))
        .add("objects/c.xml", bench(3, 200.0));
    let desk = Desk::with(&[("region.oar", &archive.gzip())]);
    let prim = |number: u32| uuid(0x0b0b_0b0b, number);
    let table = format!(
        "archive,kind,object_uuid,link_numbers,uuids\nregion.oar,link,{a},,{a} {b}\n\
         elsewhere/region.oar,split_off,{c},2,{d} {e}\nregion.oar,coarser_levels,{a},,\n\
         region.oar,link,{b},,{b} {c}\n",
        a = prim(10),
        b = prim(20),
        c = prim(30),
        d = prim(32),
        e = prim(31),
    );
    std::fs::write(desk.at("actions.csv"), table).unwrap();
    let run = desk.run_to(DONE, "repair region.oar --apply actions.csv --out changed.oar");
    assert!(
        run.stdout.contains(
            "3 of 3 objects of actions.csv edited; 1 of 4 rows need a viewer; 1 of 4 rows wait for a report of the copy."
        ),
        "{}",
        run.stdout
    );
    for (archive, report) in [("region.oar", "before"), ("changed.oar", "after")] {
        desk.run_to(DONE, &format!("audit {archive} --out {report} --format csv -q"));
    }
    let places = |report: &str| {
        let rows = desk.table(report, "parts").into_iter();
        let place = |row: &Row| {
            ["x", "y", "z"].map(|axis| row[&format!("position_{axis}_m")].parse::<f64>().unwrap())
        };
        rows.map(|row| (row["part_uuid"].clone(), place(&row))).collect::<BTreeMap<_, _>>()
    };
    let (before, after) = (places("before"), places("after"));
    assert_eq!(before.len(), 9);
    for (prim, place) in &before {
        let moved: f64 = place.iter().zip(after[prim]).map(|(old, new)| (old - new).abs()).sum();
        assert!(moved < 1e-4, "{prim}: {place:?} {:?}", after[prim]);
    }
    let objects: Vec<(String, String)> = desk
        .table("after", "objects")
        .iter()
        .map(|row| (row["object_uuid"].clone(), row["parts"].clone()))
        .collect();
    let expected = [(10, "6"), (30, "1"), (32, "2")];
    assert_eq!(objects, expected.map(|(number, parts)| (prim(number), parts.to_owned())));
    // No loader needs more.
    let run = desk.run_to(DONE, "repair changed.oar --dry-run");
    assert!(run.stdout.contains(" 0 changes."), "{}", run.stdout);
}
