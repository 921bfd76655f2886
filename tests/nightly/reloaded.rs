//! A region that was loaded again: its objects have new UUIDs.

use crate::support::{
    archive::{Archive, control, settings},
    desk::{DONE, Desk, FINDINGS},
    object::{Prim, uuid, xml2},
};

/// An object with another prim so far away, at this place.
type Object = (&'static str, f64, f64);

/// Too far away for one linkset: it has a finding.
const BRIDGE: Object = ("Bridge", 60.0, 10.0);
const OTHER_BRIDGE: Object = ("Bridge", 60.0, 90.0);
const CHAIR: Object = ("Chair", 1.0, 20.0);
const TABLE: Object = ("Table", 1.0, 30.0);

/// Returns a region whose objects have UUIDs from this one on.
fn region(objects: &[Object], first: u32) -> Vec<u8> {
    of_region(1, objects, first)
}

/// Returns the region of this number with these objects.
fn of_region(number: u32, objects: &[Object], first: u32) -> Vec<u8> {
    let region = Archive::new(&control(&uuid(0x4e4e_4e4e, number), "256,256"))
        .add("settings/Somewhere.xml", settings("1"));
    let object = |region: Archive, (&(name, distance, place), number): (&Object, u32)| {
        let root = Prim { position: [place, 128.0, 25.0], ..Prim::new(name, number) };
        let far = Prim { offset: [distance, 0.0, 0.0], ..Prim::new("Far end", number + 1) };
        region.add(&format!("objects/{name}_{number}.xml"), xml2(&[root, far]))
    };
    objects.iter().zip((first..).step_by(2)).fold(region, object).gzip()
}

fn desk(before: &[Object], after: &[Object]) -> Desk {
    let desk = Desk::with(&[("x/Here.oar", &region(before, 10))]);
    desk.run_to(DONE, "audit x --out before -q --profile second-life --fail-on none --ledgers old");
    desk.write("x/Here.oar", region(after, 500));
    desk
}

const AGAIN: &str =
    "audit x --out after --profile second-life --baseline before --fail-on-new info --ledgers new";

#[test]
fn equal_objects_with_new_uuids_are_no_change() {
    let desk =
        desk(&[CHAIR, CHAIR, TABLE, BRIDGE, OTHER_BRIDGE], &[OTHER_BRIDGE, TABLE, CHAIR, BRIDGE, CHAIR]);
    let run = desk.run_to(DONE, AGAIN);
    let words = "5 objects have new UUIDs, as after a load, and equal content.";
    assert!(run.stdout.contains(words), "{}", run.stdout);
    let news = desk.column("after", "findings", "baseline_status");
    assert!(news.len() >= 2 && news.iter().all(|news| news == "known"), "{news:?}");
    for sides in ["before after", "old new", "old after"] {
        let run = desk.run_to(DONE, &format!("diff {sides} --fail-on-new info --profile second-life"));
        assert!(run.stdout.contains("Nothing changed") && run.stdout.contains(words), "{}", run.stdout);
    }
}

#[test]
fn what_else_changed_is_reported() {
    let longer = ("Bridge", 70.0, 10.0);
    let desk = desk(&[CHAIR, CHAIR, TABLE, BRIDGE], &[longer, OTHER_BRIDGE, CHAIR, TABLE]);
    let run = desk.run_to(FINDINGS, AGAIN);
    assert!(run.stdout.contains("3 objects have new UUIDs"), "{}", run.stdout);
    let [what, change, name] = ["kind", "change", "name"].map(|name| desk.column("after", "changes", name));
    let mut rows: Vec<String> = (0..what.len())
        .filter(|row| what[*row] == "object")
        .map(|row| format!("{} {}", change[row], name[row]))
        .collect();
    rows.sort_unstable();
    assert_eq!(rows, ["added Bridge", "removed Chair"]);
    // Of two bridges, the one at the place of the old one is known, although it is longer.
    let columns = ["code", "position_x_m", "baseline_status"];
    let [codes, places, news] = columns.map(|name| desk.column("after", "findings", name));
    let rows = codes.iter().zip(places.iter().zip(&news)).filter(|(code, _)| *code == "LNK001");
    let mut rows: Vec<_> = rows.map(|(_, (place, news))| (place.as_str(), news.as_str())).collect();
    rows.sort_unstable();
    assert_eq!(rows, [("10", "worse"), ("90", "new")]);
}

#[test]
fn a_copy_of_a_region_is_found() {
    let kinds: [Object; 5] = [CHAIR, TABLE, ("Lamp", 1.0, 40.0), ("Tree", 1.0, 50.0), ("Boat", 1.0, 60.0)];
    let others = ["A", "B", "C", "D", "E", "F"].map(|name| (name, 1.0, 70.0));
    let found = |one: &[Object], other: &[Object], number: u32| {
        let desk = Desk::with(&[("x/a.oar", &region(one, 10)), ("x/b.oar", &of_region(2, other, number))]);
        desk.run_to(DONE, "audit x --out report -q --fail-on none");
        let [codes, archives, messages] =
            ["code", "archive", "message"].map(|name| desk.column("report", "findings", name));
        let rows = codes.into_iter().zip(archives).zip(messages);
        let across = rows.filter(|((code, _), _)| code.starts_with("XAR"));
        across.map(|((code, archive), message)| format!("{code} {archive} {message}")).collect::<Vec<_>>()
    };
    // Two chairs more there than here. So five objects are equal, and three are the rest.
    let more = [&kinds[..], &[CHAIR, CHAIR]].concat();
    let lines = found(&[&kinds[..], &others[..5]].concat(), &more, 500);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].starts_with("XAR005 x/b.oar x/a.oar also has 5 equal objects: "), "{lines:?}");
    // Less than half of both, too few kinds, and the same UUIDs.
    assert_eq!(
        found(
            &[&kinds[..], &others].concat(),
            &[&kinds[..], &others.map(|it| ("G", it.1, it.2))].concat(),
            500
        ),
        [""; 0]
    );
    assert_eq!(found(&kinds[..4], &kinds[..4], 500), [""; 0]);
    let lines = found(&kinds, &kinds, 10);
    assert!(lines.len() == 1 && lines[0].starts_with("XAR001"), "{lines:?}");
}

/// A report of an earlier version lacks the columns that this matching needs.
#[test]
fn a_report_without_contents_is_compared_by_uuids() {
    let desk = desk(&[CHAIR, BRIDGE], &[CHAIR, BRIDGE]);
    for table in ["objects", "findings"] {
        let path = format!("before/{table}.csv");
        let mut reader = csv::Reader::from_path(desk.at(&path)).unwrap();
        let kept: Vec<usize> = reader
            .headers()
            .unwrap()
            .iter()
            .enumerate()
            .filter(|(_, name)| !name.starts_with("content"))
            .map(|(place, _)| place)
            .collect();
        let rows: Vec<csv::StringRecord> = [reader.headers().unwrap().clone()]
            .into_iter()
            .chain(reader.records().map(Result::unwrap))
            .collect();
        let mut writer = csv::Writer::from_path(desk.at(&path)).unwrap();
        rows.iter().for_each(|row| writer.write_record(kept.iter().map(|&place| &row[place])).unwrap());
        writer.flush().unwrap();
    }
    let run = desk.run_to(FINDINGS, AGAIN);
    assert!(!run.stdout.contains("new UUID"), "{}", run.stdout);
    assert!(run.stdout.contains("2 added, 2 removed"), "{}", run.stdout);
}
