//! Physics costs compared with those of a running simulator: OpenSimulator 0.9.2.2 with ubODE, which loaded these
//! exports.
//!
//! Its tables are in `../shared/simulator/costs`, and the tests are skipped if that folder is absent. If `CI` is set,
//! that is a failure. The simulator assigns new UUIDs, so parts are matched by name, link number, place and size.

use crate::support::{read_csv, repository};
use hullmark_analysis::Measured;
use hullmark_ledger::Ledger;
use hullmark_scan::{ReadOptions, Unwatched, read_inputs};
use hullmark_settings::{limits::Limits, profile::Profile};
use hullmark_source as source;
use std::{
    collections::{BTreeMap, HashMap},
    env,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Mutex,
};

/// Tolerance of a cost, relative to the simulator's cost.
const NEAR: f64 = 0.005;
/// Tolerance of place and size together, in metres: the simulator has both in f32.
const SAME_PLACE_M: f64 = 0.05;

/// A part with its cost. The cost is `None` if it is unknown.
struct Part {
    at: [f64; 6],
    cost: Option<f64>,
}

/// The number of colliding parts in the simulator, and the number with the same cost.
#[derive(Default, Clone, Copy)]
struct Agreement {
    parts: usize,
    equal: usize,
}

impl Agreement {
    fn percent(self) -> f64 {
        100.0 * self.equal as f64 / self.parts as f64
    }
}

#[test]
fn costs_equal_those_of_the_simulator() {
    let Some(shared) = shared() else { return };
    let mut all = Agreement::default();
    for (export, table, parts, least_percent) in [
        ("faraway.oar", "faraway", 970, 100.0),
        // The script of one part moved it.
        ("franzinha-no-textures.oar", "franzinha-notex", 481, 99.5),
        ("India.oar/India.oar", "india", 32, 100.0),
        // Scripts made three phantom parts solid.
        ("pathfindplayground.oar", "pathfind-steering", 164, 98.0),
    ] {
        let table = shared.join(format!("simulator/costs/{table}-rest-parts.csv"));
        let found = agreement(&shared.join("data").join(export), &table);
        assert_eq!(found.parts, parts, "{export}");
        assert!(found.percent() >= least_percent, "{export}: {} of {parts}", found.equal);
        all = Agreement { parts: all.parts + found.parts, equal: all.equal + found.equal };
    }
    assert!(all.percent() >= 99.5, "{} of {}", all.equal, all.parts);
}

/// Real textures as sculpt maps, five of them cut short. They are compressed with loss.
#[test]
fn costs_of_sculpts_equal_those_of_the_simulator() {
    let Some(shared) = shared() else { return };
    let costs = shared.join("simulator/second/costs");
    let found = agreement(&costs.join("sculpts.oar"), &costs.join("sculpts-parts.csv"));
    assert_eq!((found.equal, found.parts), (935, 935));
}

/// Compares the costs of an export's colliding parts with a table of the simulator.
fn agreement(export: &Path, table: &Path) -> Agreement {
    let mut ours = parts(export);
    let mut found = Agreement::default();
    for row in read_csv(table) {
        let number = |column: &str| row[column].parse::<f64>().unwrap();
        let at = ["x", "y", "z", "sx", "sy", "sz"].map(number);
        let key = (row["name"].clone(), row["link"].parse().unwrap());
        let part = ours.get_mut(&key).and_then(|parts| take_nearest(parts, at));
        if row["has_actor"] == "True" {
            let theirs = number("physics_cost");
            let equal = |cost: f64| (cost - theirs).abs() <= NEAR * theirs;
            found.parts += 1;
            found.equal += usize::from(part.and_then(|part| part.cost).is_some_and(equal));
        }
    }
    found
}

/// Removes and returns the part that is nearest in place and size. Returns `None` if it is too far away.
fn take_nearest(parts: &mut Vec<Part>, at: [f64; 6]) -> Option<Part> {
    let apart = |part: &Part| part.at.iter().zip(at).map(|(a, b)| (a - b).abs()).sum::<f64>();
    let nearest = (0..parts.len()).min_by(|&a, &b| apart(&parts[a]).total_cmp(&apart(&parts[b])))?;
    (apart(&parts[nearest]) < SAME_PLACE_M).then(|| parts.swap_remove(nearest))
}

/// Returns the parts of an export by name and link number.
fn parts(export: &Path) -> HashMap<(String, i32), Vec<Part>> {
    let profile = Profile::load("opensim-ubode").unwrap();
    let ledger = ledger_of(export);
    let measured = Measured::new(&ledger, &profile);
    let mut parts: HashMap<_, Vec<Part>> = HashMap::new();
    for (object, measures) in ledger.objects.iter().zip(&measured.objects) {
        for (part, measures) in object.linkset.parts.iter().zip(&measures.parts) {
            let (place, size) = (measures.position, part.scale);
            let at = [place.x, place.y, place.z, size.x, size.y, size.z];
            let cost = measures.collision.physics_cost.value();
            parts.entry((part.name.clone(), part.link_number)).or_default().push(Part { at, cost });
        }
    }
    parts
}

fn ledger_of(export: &Path) -> Ledger {
    let inputs = source::walk(&[export.to_owned()], &[]).unwrap();
    let ledgers = Mutex::new(Vec::new());
    let keep = |ledger| {
        ledgers.lock().unwrap().push(ledger);
        Ok(())
    };
    read_inputs(&inputs, &ReadOptions::new(&Limits::default(), 0), &Unwatched, &keep).unwrap();
    ledgers.into_inner().unwrap().pop().unwrap()
}

/// LSL reports no server cost, and the prim count as land impact.
#[test]
fn land_is_counted_in_prims() {
    let Some(shared) = shared() else { return };
    let text = std::fs::read_to_string(shared.join("simulator/costs/faraway-lsl.txt")).unwrap();
    let mut answered: BTreeMap<u32, usize> = BTreeMap::new();
    for line in text.lines() {
        let fields: Vec<&str> = line.split('|').collect();
        assert_eq!(fields[2].parse::<f64>().unwrap(), 0.0, "server cost: {line}");
        *answered.entry(fields[1].parse().unwrap()).or_default() += 1;
    }
    let profile = Profile::load("opensim-ubode").unwrap();
    let ledger = ledger_of(&shared.join("data/faraway.oar"));
    for (object, measures) in ledger.objects.iter().zip(&Measured::new(&ledger, &profile).objects) {
        assert_eq!(measures.server_weight.exact(), Some(0.0));
        assert_eq!(measures.land_impact.exact(), Some(object.linkset.parts.len() as f64));
    }
    let sizes = ledger.objects.iter().map(|object| object.linkset.parts.len() as u32).collect::<Vec<_>>();
    let unknown: Vec<&u32> = answered.keys().filter(|count| !sizes.contains(count)).collect();
    assert!(unknown.is_empty(), "no linkset has {unknown:?} parts");
}

fn shared() -> Option<PathBuf> {
    let shared = repository().join("../shared");
    if shared.join("simulator/costs").is_dir() {
        return Some(shared);
    }
    let folder = shared.display();
    assert!(env::var("CI").as_deref() != Ok("true"), "the simulator's tables are not at {folder}");
    // Not `eprintln!`, which the test harness would swallow.
    let _ = writeln!(io::stderr(), "skipped: there are no tables of a simulator at {folder}");
    None
}
