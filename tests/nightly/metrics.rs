//! `--metrics`: the text file for Prometheus.

use crate::support::{
    archive::{Archive, control, settings},
    desk::{DONE, Desk, FINDINGS, INCOMPLETE, USAGE, faulty, sound, truncated},
    object::{Prim, uuid, xml2},
};
use std::{collections::BTreeMap, fs};

/// Parses the text format of Prometheus. Each sample needs a HELP and a TYPE line before it, and each name comes once.
fn parsed(text: &str) -> BTreeMap<String, f64> {
    assert!(text.ends_with('\n'));
    let (mut samples, mut helped, mut current) = (BTreeMap::new(), Vec::new(), String::new());
    for line in text.lines() {
        if let Some(help) = line.strip_prefix("# HELP ") {
            let (name, words) = help.split_once(' ').unwrap();
            assert!(!helped.contains(&name.to_owned()) && !words.is_empty(), "{line}");
            helped.push(name.to_owned());
            continue;
        }
        if let Some(kind) = line.strip_prefix("# TYPE ") {
            let (name, kind) = kind.split_once(' ').unwrap();
            assert_eq!((Some(name), kind), (helped.last().map(String::as_str), "gauge"));
            name.clone_into(&mut current);
            continue;
        }
        let (series, value) = line.rsplit_once(' ').unwrap();
        let (name, labels) = series.split_once('{').unwrap_or((series, "}"));
        assert_eq!(name, current);
        assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{line}");
        for label in labels.strip_suffix('}').unwrap().split(',').filter(|label| !label.is_empty()) {
            let (key, value) = label.split_once('=').unwrap();
            assert!(key.bytes().all(|byte| byte.is_ascii_lowercase()), "{line}");
            assert!(value.len() > 1 && value.starts_with('"') && value.ends_with('"'), "{line}");
        }
        assert!(samples.insert(series.to_owned(), value.parse().unwrap()).is_none(), "{line}");
    }
    samples
}

fn metrics(desk: &Desk) -> BTreeMap<String, f64> {
    parsed(&fs::read_to_string(desk.at("metrics/hullmark.prom")).unwrap())
}

#[test]
fn metrics_have_the_numbers_of_the_report() {
    let desk = Desk::with(&[("a.oar", &sound()), ("b.oar", &faulty()), ("c.oar", &truncated())]);
    fs::create_dir(desk.at("metrics")).unwrap();
    let now = "--now 2026-11-24T04:00:00Z --metrics metrics/hullmark.prom";
    desk.run_to(FINDINGS, &format!("audit a.oar b.oar --out report --fail-on error {now}"));
    let first = metrics(&desk);
    let audit = desk.audit_json("report");
    for severity in ["blocker", "error", "warning", "info"] {
        let found = first[&format!("hullmark_findings{{severity=\"{severity}\"}}")];
        assert_eq!(Some(found), audit["findings"][severity].as_f64(), "{severity}");
    }
    assert_eq!(Some(first["hullmark_input_bytes"]), audit["totals"]["bytes"].as_f64());
    assert_eq!(Some(first["hullmark_objects{place=\"region\"}"]), audit["totals"]["objects"].as_f64());
    assert_eq!(first["hullmark_inputs{status=\"complete\"}"], 2.0);
    assert_eq!(first["hullmark_run_end_timestamp_seconds"], 1_795_492_800.0);
    assert_eq!((first["hullmark_run_exit_code"], first["hullmark_run_complete"]), (1.0, 1.0));
    assert!(first["hullmark_run_duration_seconds"] > 0.0);

    desk.run_to(INCOMPLETE, &format!("audit b.oar c.oar --out report --baseline report {now}"));
    let second = metrics(&desk);
    assert_eq!((second["hullmark_run_exit_code"], second["hullmark_run_complete"]), (3.0, 0.0));
    assert!(second.contains_key("hullmark_new_findings{severity=\"error\"}"), "{second:?}");
    assert_eq!(desk.files("metrics").len(), 1, "no temporary file is left");

    fs::create_dir(desk.at("empty")).unwrap();
    desk.run_to(INCOMPLETE, &format!("audit empty --out other {now}"));
    assert_eq!(metrics(&desk)["hullmark_run_exit_code"], 3.0);
}

#[cfg(unix)]
#[test]
fn another_user_can_read_the_file() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::with(&[("a.oar", &sound())]);
    desk.write("open", "");
    desk.run_to(DONE, "audit a.oar --metrics hullmark.prom");
    let mode = |name: &str| fs::metadata(desk.at(name)).unwrap().permissions().mode();
    assert_eq!(mode("hullmark.prom"), mode("open"), "as any file that is created here");
}

#[test]
fn a_folder_that_is_missing_is_found_before_the_run() {
    let desk = Desk::with(&[("a.oar", &sound())]);
    let run = desk.run_to(USAGE, "audit a.oar --out report --metrics none/hullmark.prom");
    assert!(
        run.stderr.contains("The folder of --metrics none/hullmark.prom does not exist"),
        "{}",
        run.stderr
    );
    assert!(!desk.at("report/audit.json").exists());
}

/// Returns a backup of a region that was made at this time.
fn backup(region: u32, name: &str, objects: u32, created: u32) -> Archive {
    let control = control(&uuid(0x4e4e_4e4e, region), "256,256").replace("1500000000", &created.to_string());
    let archive = Archive::new(&control).add(&format!("settings/{name}.xml"), settings("1"));
    let object = |archive: Archive, object| {
        archive.add(&format!("objects/{object}.xml"), xml2(&[Prim::new("Box", 1000 * region + object)]))
    };
    (0..objects).fold(archive, object)
}

const DAY: u32 = 86_400;
/// 24 November 2026, 04:00.
const TODAY: u32 = 1_795_492_800;

#[test]
fn regions_have_their_fill_and_the_time_of_their_last_whole_backup() {
    let desk = Desk::with(&[]);
    fs::create_dir(desk.at("metrics")).unwrap();
    desk.write("exports/hill.oar", backup(1, "Hill", 3, TODAY - DAY - 60).gzip());
    desk.write("exports/lake.oar", backup(2, "Lake \"A\"", 5, TODAY - 9 * DAY).gzip());
    desk.write("exports/moor.oar", backup(3, "Moor", 1, TODAY - 2 * DAY).gzip());
    let run = |code, day: &str| {
        let now = format!("--now 2026-11-{day}T04:00:00Z --metrics metrics/hullmark.prom");
        desk.run_to(
            code,
            &format!("audit exports --out report --ledgers ledgers --profile opensim-ubode {now}"),
        );
        metrics(&desk)
    };
    let of_report = |metrics: BTreeMap<String, f64>| -> BTreeMap<String, f64> {
        metrics.into_iter().filter(|(name, _)| !name.starts_with("hullmark_run_")).collect()
    };
    let first = of_report(run(DONE, "24"));
    // The report of an unchanged night is kept.
    assert_eq!(of_report(run(DONE, "24")), first);
    let of = |metrics: &BTreeMap<String, f64>, name: &str, region: &str| {
        metrics.get(&format!("hullmark_region_{name}{{region=\"{region}\"}}")).copied()
    };
    let lake = "Lake \\\"A\\\"";
    let made = ["Hill", lake, "Moor"].map(|region| of(&first, "backup_timestamp_seconds", region));
    let at = |time: u32| Some(f64::from(time));
    assert_eq!(made, [at(TODAY - DAY - 60), at(TODAY - 9 * DAY), at(TODAY - 2 * DAY)]);
    let rows = desk.table("report", "regions");
    for (row, region) in rows.iter().zip(["Hill", lake, "Moor"]) {
        let capacity = of(&first, "capacity", region).unwrap();
        assert_eq!(row["capacity"].parse::<f64>().unwrap(), capacity, "{row:?}");
    }
    assert_eq!(
        ["Hill", lake, "Moor"].map(|region| of(&first, "load", region)),
        [Some(3.0), Some(5.0), Some(1.0)]
    );

    // Two days later Hill is damaged, Lake is saved again, Moor is gone, and Cove was never whole.
    let damaged = |archive: Archive| {
        let whole = archive.gzip();
        whole[..whole.len() * 2 / 3].to_vec()
    };
    desk.write("exports/hill.oar", damaged(backup(1, "Hill", 3, TODAY + 2 * DAY - 60)));
    desk.write("exports/lake.oar", backup(2, "Lake \"A\"", 5, TODAY + 2 * DAY - 60).gzip());
    desk.write("exports/cove.oar", damaged(backup(4, "Cove", 3, TODAY + 2 * DAY - 60)));
    fs::remove_file(desk.at("exports/moor.oar")).unwrap();
    let second = run(INCOMPLETE, "26");
    let made = ["Hill", lake, "Moor", "Cove"].map(|region| of(&second, "backup_timestamp_seconds", region));
    let saved = at(TODAY + 2 * DAY - 60);
    assert_eq!(made, [at(TODAY - DAY - 60), saved, at(TODAY - 2 * DAY), Some(f64::NEG_INFINITY)]);
}

#[test]
fn the_number_of_regions_is_bounded_and_equal_names_have_one_sample() {
    let desk = Desk::with(&[]);
    fs::create_dir(desk.at("metrics")).unwrap();
    for region in 1..=60 {
        // Two are called alike.
        let name = format!("Hill {}", region.min(59));
        desk.write(&format!("exports/{region}.oar"), backup(region, &name, region, TODAY).gzip());
    }
    desk.run_to(DONE, "audit exports --profile opensim-ubode --metrics metrics/hullmark.prom");
    let metrics = metrics(&desk);
    let of = |name: &str| metrics.iter().filter(|(key, _)| key.starts_with(name)).collect::<Vec<_>>();
    assert_eq!(of("hullmark_region_load").len(), 49, "the fullest 50, two of one name");
    assert_eq!(metrics["hullmark_region_load{region=\"Hill 59\"}"], 60.0);
    assert!(!metrics.contains_key("hullmark_region_load{region=\"Hill 10\"}"));
    assert_eq!(of("hullmark_region_backup_timestamp_seconds").len(), 59);
}

#[test]
fn regions_without_a_uuid_have_their_names() {
    let desk = Desk::with(&[]);
    fs::create_dir(desk.at("metrics")).unwrap();
    let nil = "00000000-0000-0000-0000-000000000000";
    for (name, created) in [("Fog", TODAY - DAY), ("Mist", TODAY - 2 * DAY)] {
        let control = control(nil, "256,256").replace("1500000000", &created.to_string());
        let archive = Archive::new(&control).add(&format!("settings/{name}.xml"), settings("1"));
        desk.write(&format!("exports/{name}.oar"), archive.gzip());
    }
    desk.run_to(DONE, "audit exports --now 2026-11-24T04:00:00Z --metrics metrics/hullmark.prom");
    let metrics = metrics(&desk);
    for (name, created) in [("Fog", TODAY - DAY), ("Mist", TODAY - 2 * DAY)] {
        let key = format!("hullmark_region_backup_timestamp_seconds{{region=\"{name}\"}}");
        assert_eq!(metrics.get(&key).copied(), Some(f64::from(created)), "{name}");
    }
}
