//! Limits on work: per byte of an input, and after a deadline or a signal.

use crate::support::{
    archive::{Archive, control},
    desk::{DONE, Desk, INCOMPLETE, sound},
    mesh::{MeshFile, ball, convex},
    object::uuid,
    repository,
};
use hullmark_format::defect::DefectKind;
use hullmark_ledger::{Ledger, facts::Status};
use hullmark_scan::{self as scan, Unwatched};
use hullmark_settings::limits::Limits;
use hullmark_source as source;
use std::{
    f64::consts::TAU,
    fs,
    io::{self, Write},
    process::Command,
    sync::Mutex,
};

/// The largest number of bytes that deflate can make of one byte, times the units of work for each unpacked byte.
const UNPACKED: u64 = 1032 * 8;

/// Returns the points of a plane around its middle. All of them are corners of their hull.
fn circle(radius: f64) -> Vec<[u16; 3]> {
    let around = |part: f64| (32_767.0 + radius * part).round() as u16;
    let angles = (0..255).map(|n| f64::from(n) * TAU / 255.0);
    angles.map(|angle| [around(angle.cos()), around(angle.sin()), 32_767]).collect()
}

/// Returns a mesh that takes seconds if nothing stops it: each point of its hulls is far from a flat base hull.
pub(crate) fn long(hulls: usize) -> Vec<u8> {
    let hulls = vec![circle(32_767.0); hulls];
    MeshFile::cube().block("physics_convex", &convex(&circle(8_000.0), &hulls)).encode()
}

/// Returns a region of this number of such meshes.
pub(crate) fn long_region(meshes: u32, hulls: usize) -> Vec<u8> {
    let mesh = long(hulls);
    let region = Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"));
    let name = |number| format!("assets/{}_mesh.llmesh", uuid(0x3e3e_3e3e, number));
    (1..=meshes).fold(region, |region, number| region.add(&name(number), &mesh)).gzip()
}

/// Settings with limits that are never reached.
pub(crate) const ENDLESS: &str =
    "[limits]\nasset_work = 1_000_000_000_000_000\nwork_per_byte = 1_000_000_000_000\n";

/// Returns the ledgers of all inputs in a folder of the desk.
fn scanned(desk: &Desk, folder: &str, limits: &Limits, threads: usize) -> Vec<Ledger> {
    let inputs = source::walk(&[desk.at(folder)], &[]).unwrap();
    let ledgers = Mutex::new(Vec::new());
    let keep = |ledger| {
        ledgers.lock().unwrap().push(ledger);
        Ok(())
    };
    scan::read_inputs(&inputs, &scan::ReadOptions::new(limits, threads), &Unwatched, &keep).unwrap();
    let mut ledgers = ledgers.into_inner().unwrap();
    ledgers.sort_by(|a, b| a.input.cmp(&b.input));
    ledgers
}

/// Returns the exceeded budgets in a ledger: path within the input, entry, measured value and limit.
fn spent(ledger: &Ledger) -> Vec<(&str, &str, f64, f64)> {
    let spent = ledger
        .defects
        .iter()
        .filter(|defect| matches!(defect.kind, DefectKind::Input(_)) && defect.limit.is_some());
    let reported = spent.map(|defect| {
        let (within, entry) = (&*defect.place.within, &*defect.place.entry);
        (within, entry, defect.measured.unwrap().0, defect.limit.unwrap().0)
    });
    reported.collect()
}

/// Runs every generator of `tests/scripts/adversarial.py`.
#[test]
fn units_of_work_for_a_packed_byte_have_a_ceiling() {
    let desk = Desk::with(&[("made/note.txt", b"")]);
    let script = repository().join("tests/scripts/adversarial.py");
    let made = Command::new("python3").arg(script).arg("--write").arg(desk.at("made")).output();
    let Ok(made) = made else {
        let _ = writeln!(io::stderr(), "skipped: there is no python3 to make the inputs");
        return;
    };
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let cases = fs::read_to_string(desk.at("made/cases")).unwrap();
    let limits = Limits::default();
    let mut ledgers = scanned(&desk, "made", &limits, 2);
    ledgers.retain(|ledger| ledger.input.ends_with(".oar"));
    assert_eq!(ledgers.len(), cases.lines().count());
    for (case, ledger) in cases.lines().zip(&ledgers) {
        let ceiling = limits.asset_work + ledger.bytes * (limits.work_per_byte + UNPACKED);
        let work = ledger.container.work;
        assert!(0 < work && work <= ceiling, "{case}: {work} units, and the ceiling is {ceiling}");
        // All work is charged, and a member that is left out for the budget is reported.
        let left_out = ledger.status == Status::Incomplete;
        assert_eq!(left_out, !spent(ledger).is_empty(), "{case}: {:?}", spent(ledger));
    }
}

#[test]
fn meshes_beyond_the_work_budget_are_named_and_do_not_depend_on_threads() {
    // Each mesh is within its own budget, but six exceed the budget of their archive.
    let limits = Limits { asset_work: 20_000_000, work_per_byte: 100, ..Limits::default() };
    let desk = Desk::with(&[("in/a.oar", &long_region(6, 20)), ("in/b.oar", &sound())]);
    let ledgers = scanned(&desk, "in", &limits, 1);
    for threads in 2..=4 {
        assert_eq!(scanned(&desk, "in", &limits, threads), ledgers, "{threads} threads");
    }
    let [long, sound] = &ledgers[..] else { panic!("there are two") };
    assert_eq!((sound.status, spent(sound).len()), (Status::Complete, 0));
    assert_eq!((long.status, long.assets.len()), (Status::Incomplete, 6));
    let (kept, reported) = (long.meshes.len(), spent(long));
    assert!((1..6).contains(&kept) && kept + reported.len() == 6, "{kept} and {reported:?}");
    let limit = limits.asset_work + long.bytes * limits.work_per_byte;
    for (number, (within, entry, measured, stated)) in reported.into_iter().enumerate() {
        let name = format!("assets/{}_mesh.llmesh", uuid(0x3e3e_3e3e, (kept + number + 1) as u32));
        assert_eq!((within, entry, stated), ("work_per_byte", &*name, limit as f64));
        assert!(measured > stated, "{measured}");
    }
    // The kept meshes are whole.
    let hulls = |mesh: &hullmark_ledger::facts::MeshFacts| mesh.convex.as_ref().unwrap().hulls.clone();
    assert!(long.meshes.iter().flat_map(hulls).all(|hull| hull.outside_base.is_some_and(|far| far.0 > 0.2)));
}

#[test]
fn figures_beyond_the_work_budget_of_an_asset_are_not_evaluated() {
    let hull = ball(100, [0.0; 3], 0.4);
    let mesh = MeshFile::cube().block("physics_convex", &convex(&ball(100, [0.0; 3], 0.2), &vec![hull; 20]));
    let region = Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"))
        .add(&format!("assets/{}_mesh.llmesh", uuid(0x3e3e_3e3e, 1)), mesh.encode());
    let desk = Desk::with(&[("a.oar", &region.gzip()), ("sound.oar", &sound())]);
    let figures = |work: u64| {
        desk.write("tight.toml", format!("[limits]\nasset_work = {work}\n"));
        desk.run_to(DONE, "audit a.oar sound.oar --out report --format csv --config tight.toml");
        let known = |name: &str| {
            let column = desk.column("report", "hulls", name);
            (column.iter().filter(|value| !value.is_empty()).count(), column)
        };
        let findings = desk.table("report", "findings");
        let reported = findings.iter().filter(|row| row["code"] == "ARC012");
        let reported: Vec<_> = reported.map(|row| (row["archive"].clone(), row["limit"].clone())).collect();
        (known("vertices"), known("outside_base"), reported)
    };
    let ((all, vertices), (distances, outside), reported) = figures(1_000_000_000);
    assert_eq!((distances, reported), (20, vec![]));
    let (mut fewer_hulls, mut fewer_distances) = (false, false);
    for work in [100_000, 300_000, 900_000] {
        let ((some, some_vertices), (near, some_outside), reported) = figures(work);
        assert_eq!(reported, [("a.oar".to_owned(), work.to_string())], "{work}");
        fewer_hulls |= some < all;
        fewer_distances |= some == all && near < distances;
        // Reported values are right, and the others are empty.
        for (part, whole) in [(some_vertices, &vertices), (some_outside, &outside)] {
            assert_eq!(part.len(), whole.len());
            assert!(part.iter().zip(whole).all(|(part, whole)| part.is_empty() || part == whole), "{work}");
        }
    }
    assert!(fewer_hulls && fewer_distances);
}

#[test]
fn a_deadline_cuts_long_geometry_and_the_next_run_reads_again() {
    let desk = Desk::with(&[("in/a.oar", &long_region(40, 1024)), ("endless.toml", ENDLESS.as_bytes())]);
    let audit = "audit in --out report --ledgers kept --format csv --config endless.toml";
    let run = desk.run_to(INCOMPLETE, &format!("{audit} --timeout-per-input 300ms"));
    assert!(run.stderr.contains("the time limit of 300ms for one input is over"), "{}", run.stderr);
    assert_eq!(desk.column("report", "archives", "status"), ["incomplete"]);
    let codes = desk.column("report", "findings", "code");
    assert_eq!(codes.iter().filter(|code| *code == "RUN008").count(), 1, "{codes:?}");
    assert!(desk.column("report", "meshes", "entry").len() < 40);
    let again = desk.run_to(INCOMPLETE, &format!("{audit} --timeout-per-input 1ms"));
    assert!(
        again.stderr.contains("reads 1 input") && again.stderr.contains("0 unchanged"),
        "{}",
        again.stderr
    );
}
