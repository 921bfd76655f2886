//! Parcels that share land: OpenSim gives each cell to the first parcel of the archive, and drops the later one.

use crate::support::{
    archive::{Archive, control, parcel},
    desk::{DONE, Desk},
};
use proptest::prelude::*;
use std::collections::HashMap;

/// Cells on each side of a region.
const SIDE: usize = 64;

const REGION: &str = "7a7a7a7a-0000-4000-8000-000000000001";

/// A rectangle of cells: west, south, east and north.
type Land = (usize, usize, usize, usize);

fn lands() -> impl Strategy<Value = Vec<Land>> {
    let land = (0..SIDE - 8, 0..SIDE - 8, 1..30_usize, 1..30_usize);
    let land =
        land.prop_map(|(west, south, x, y)| (west, south, (west + x).min(SIDE), (south + y).min(SIDE)));
    proptest::collection::vec(land, 1..6)
}

/// Returns the number of each parcel that is lost, the first owner of its land, and the square metres that they share.
fn lost(lands: &[Land]) -> Vec<(usize, usize, f64)> {
    let mut owners: HashMap<(usize, usize), usize> = HashMap::new();
    let mut lost = Vec::new();
    for (number, &(west, south, east, north)) in lands.iter().enumerate() {
        let cells = || (south..north).flat_map(|y| (west..east).map(move |x| (y, x)));
        let taken: Vec<usize> = cells().filter_map(|cell| owners.get(&cell).copied()).collect();
        match taken.first() {
            Some(&owner) => lost.push((number, owner, 16.0 * taken.len() as f64)),
            None => owners.extend(cells().map(|cell| (cell, number))),
        }
    }
    lost
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn the_first_parcel_keeps_the_land(lands in lands()) {
        let uuid = |number: usize| format!("9a9a9a9a-0000-4000-8000-{number:012}");
        let mut archive = Archive::new(&control(REGION, "256,256"));
        for (number, &(west, south, east, north)) in lands.iter().enumerate() {
            let covers = |x, y| (west..east).contains(&x) && (south..north).contains(&y);
            let land = parcel(&uuid(number), &format!("Parcel {number}"), REGION, SIDE, covers);
            archive = archive.add(&format!("landdata/{}.xml", uuid(number)), land);
        }
        let desk = Desk::with(&[("land.oar", &archive.flat_ground("terrains/Land.r32", 256).gzip())]);
        desk.run_to(DONE, "audit land.oar --out report --format csv --quiet");
        let [codes, entries, measured, messages] =
            ["code", "entry", "measured", "message"].map(|column| desk.column("report", "findings", column));
        let rows = codes.into_iter().zip(entries.into_iter().zip(measured).zip(messages));
        let mut found: Vec<_> = rows.filter(|(code, _)| code == "REG008").map(|(_, row)| row).collect();
        found.sort();
        let expected = lost(&lands);
        prop_assert_eq!(found.len(), expected.len());
        for (((entry, measured), message), (number, owner, m2)) in found.iter().zip(expected) {
            prop_assert_eq!(entry, &format!("landdata/{}.xml", uuid(number)));
            prop_assert_eq!(measured, &m2.to_string());
            prop_assert!(message.contains(&format!("“Parcel {owner}”")), "{}", message);
        }
    }
}
