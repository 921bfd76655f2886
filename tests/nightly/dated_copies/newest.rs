//! Which copy is evaluated: the newest one, or the newest whole one if the newest is broken.

use super::{archives, evaluated, region, week};
use crate::support::{
    archive::settings,
    backups::{Backup, WHOLE, backup_name, history_findings, sample_flag},
    desk::{DONE, Desk, FINDINGS, INCOMPLETE},
    object::OWNER,
    repository,
};
use hullmark_report::diff;
use std::{
    fs::File,
    time::{Duration, SystemTime},
};

#[test]
fn seven_copies_of_a_region_count_once() {
    let desk = week();
    let formats = "--format csv,jsonl,html,xlsx,sarif,junit --letters letters";
    let run = desk.run_to(DONE, &format!("audit exports --out report {formats}"));
    assert!(run.stdout.contains("\nRead 7 inputs, 6 of them older copies ("), "{}", run.stdout);
    assert!(run.stdout.contains("1 region, 8 objects with 9 prims"), "{}", run.stdout);
    let audit = desk.audit_json("report");
    let totals = &audit["totals"];
    assert_eq!(
        [&totals["inputs"], &totals["older_copies"], &totals["regions"], &totals["objects"]],
        [7, 6, 1, 8]
    );
    assert_eq!(audit["findings_by_code"]["LNK001"]["error"], 1);
    assert_eq!(audit["checks"]["LNK001"]["failed"], 1);
    assert_eq!((audit["complete"].clone(), audit["not_read"].clone()), (true.into(), serde_json::json!([])));
    let newest = format!("exports/{}", backup_name(7));
    for table in ["regions", "objects", "parts", "findings", "checks"] {
        let of = desk.column("report", table, "archive");
        assert!(!of.is_empty() && of.iter().all(|archive| *archive == newest), "{table}: {of:?}");
    }
    let rows = archives(&desk, "report");
    for day in 1..=6 {
        let row = &rows[&backup_name(day)];
        let cells =
            ["status", "read_status", "superseded_by", "in_place_of", "objects", "assets", "parts", "errors"];
        let objects = (day + 1).to_string();
        assert_eq!(
            cells.map(|cell| &*row[cell]),
            ["superseded", "complete", &newest, "", &objects, "1", "", "0"]
        );
        assert!(row["bytes"].parse::<u64>().unwrap() > 0 && !row["created"].is_empty());
        assert_eq!(row["content_hash"].len(), 32);
        assert_eq!(row["identity"], rows[&backup_name(7)]["identity"]);
    }
    assert_eq!(rows[&backup_name(7)]["status"], "complete");
    assert!(rows.values().all(|row| row["series"] == "exports/Here_#.oar"));
    // A letter lists each object once.
    let letter = String::from_utf8(desk.files("letters").remove(&format!("{OWNER}.txt")).unwrap()).unwrap();
    assert!(
        letter
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .contains("You own 8 objects with 9 prims in regions"),
        "{letter}"
    );
    assert_eq!(letter.matches("“Chair”").count(), 1, "{letter}");
    let files = desk.files("report");
    let text = |name: &str| String::from_utf8(files[name].clone()).unwrap();
    assert_eq!(text("audit.sarif").matches("\"ruleId\":\"LNK001\"").count(), 1);
    assert_eq!(text("audit.junit.xml").matches("<testsuite ").count(), 1);

    // Kept ledgers, a plan and other thread counts give the same files.
    desk.run_to(DONE, &format!("audit exports --out kept --ledgers ledgers --threads 1 -q {formats}"));
    desk.run_to(DONE, "plan exports -o plan.json -q");
    desk.run_to(DONE, &format!("report ledgers --plan plan.json --out planned -q {formats}"));
    assert_eq!(desk.files("kept"), files);
    assert_eq!(desk.files("planned"), files);
}

#[test]
fn copies_change_no_row_of_the_one_that_is_evaluated() {
    for (sample, codes) in [
        ("regions/full-parcels.oar", &["CST001", "CST002", "PHY009"][..]),
        ("regions/two-grids.oar", &["CST003", "PHY008"]),
        ("regions/over-the-cap.oar", &["CST004", "PHY001"]),
    ] {
        let bytes = std::fs::read(repository().join("sample_data").join(sample)).unwrap();
        let desk = Desk::with(&[]);
        for day in 1..=7 {
            desk.write(&format!("exports/{}", backup_name(day)), &bytes);
        }
        let flags = "-q --profile second-life --profile opensim-ubode --format csv --letters";
        desk.run_to(DONE, &format!("audit exports --out all {flags} letters-of-all"));
        desk.run_to(DONE, &format!("audit exports/{} --out one {flags} letters-of-one", backup_name(7)));
        assert_eq!(desk.files("letters-of-all"), desk.files("letters-of-one"), "{sample}");
        let (mut all, mut one) = (desk.files("all"), desk.files("one"));
        // These files contain the number of copies, or the name that HIS compares with.
        for other in ["archives.csv", "audit.json", "checks.csv", ".hullmark-stamp"] {
            all.remove(other);
            one.remove(other);
        }
        assert!(all == one, "{sample}");
        let found = desk.column("all", "findings", "code");
        for code in codes {
            assert_eq!(
                found.iter().filter(|found| found == code).count(),
                1,
                "{sample}: {code} of {found:?}"
            );
        }
    }
}

#[test]
fn all_copies_are_evaluated_on_request() {
    let desk = week();
    desk.write("all.toml", "[report]\nall_copies = true\n");
    desk.run_to(DONE, "audit exports --out flag -q --all-copies --ledgers kept");
    desk.run_to(DONE, "report kept --out setting -q --config all.toml");
    assert_eq!(desk.files("flag"), desk.files("setting"));
    let audit = desk.audit_json("flag");
    let totals = &audit["totals"];
    assert_eq!([&totals["inputs"], &totals["older_copies"], &totals["regions"]], [7, 0, 7]);
    assert_eq!(audit["findings_by_code"]["LNK001"]["error"], 7);
    assert_eq!(evaluated(&desk, "flag").len(), 7);
    let rows = archives(&desk, "flag");
    assert!(rows.values().all(|row| row["status"] == "complete"));
    // The report names the newest copy anyway, and comparisons between runs use it.
    assert_eq!(rows[&backup_name(3)]["superseded_by"], format!("exports/{}", backup_name(7)));
    desk.run_to(DONE, "report kept --out report -q");
    for (old, new) in [("flag", "report"), ("report", "flag"), ("kept", "flag")] {
        let run = desk.run_to(DONE, &format!("diff {old} {new} --fail-on-new info"));
        assert!(
            run.stdout.contains("Nothing ") && !run.stdout.contains("resolved"),
            "{old} {new}: {}",
            run.stdout
        );
        let note = "NOTE: 6 archives of the earlier run are not compared: newer ones are.";
        assert!(run.stdout.contains(note), "{old} {new}: {}", run.stdout);
    }
    desk.run_to(DONE, "report kept --out again -q --all-copies --baseline report --fail-on-new info");
    let news = desk.column("again", "findings", "baseline_status");
    let of = desk.column("again", "findings", "archive");
    for (news, archive) in news.iter().zip(of) {
        assert_eq!(
            news,
            if archive.ends_with(&backup_name(7)) { "known" } else { "not_compared" },
            "{archive}"
        );
    }
}

#[test]
fn findings_across_archives_are_reported_once_for_each_series() {
    let desk = week();
    // Another export of the same objects, also in seven copies.
    for day in 1..=7 {
        let created = format!("{}", 1_500_000_000 + 86_400 * day);
        let copy = region(1, day, &created).add("settings/There.xml", settings("1"));
        desk.write(&format!("exports/There-2026-11-0{day}.oar"), copy.gzip());
    }
    desk.run_to(DONE, "audit exports --out report -q --profile second-life --profile opensim-ubode");
    let codes = desk.column("report", "findings", "code");
    let of = |code: &str| codes.iter().filter(|found| *found == code).count();
    assert_eq!(of("XAR001"), 1, "{codes:?}");
    assert_eq!(of("LNK001"), 2, "{codes:?}");
    assert_eq!(desk.audit_json("report")["totals"]["older_copies"], 12);
}

#[test]
fn the_newest_is_reported_by_archive_xml_then_by_the_name_then_by_the_file() {
    let desk = Desk::with(&[]);
    let write = |name: &str, created: &str, hour: u64| {
        let path = format!("exports/{name}");
        desk.write(&path, region(1, 1, created).gzip());
        let file = File::options().append(true).open(desk.at(&path)).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_600_000_000 + 3600 * hour)).unwrap();
    };
    let expect = |newest: &str| {
        desk.run_to(DONE, "audit exports --out report -q");
        assert_eq!(evaluated(&desk, "report"), [newest]);
        let [old, new, scratch] = ["report", "again", "."].map(|folder| desk.at(folder));
        desk.run_to(DONE, "audit exports --out again -q --ledgers kept");
        let names = |night: &diff::Snapshot| {
            night.archives.values().map(|archive| archive.input.name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(
            names(&diff::of_report(&old, &scratch, diff::Extent::Objects).unwrap()),
            [format!("exports/{newest}")]
        );
        assert_eq!(
            names(&diff::of_report(&new, &scratch, diff::Extent::Objects).unwrap()),
            [format!("exports/{newest}")]
        );
    };
    // The time of the file decides last.
    write("Here-2026-11-09.oar", "1500000002", 1);
    write("Here-2026-11-10.oar", "1500000001", 9);
    expect("Here-2026-11-09.oar");
    // A broken copy without archive.xml does not change the order of the others, regardless of the date in its name.
    desk.write("exports/Here-2026-11-08.oar", b"\x1f\x8b\x08\0");
    desk.run_to(INCOMPLETE, "audit exports --out report -q");
    assert_eq!(
        archives(&desk, "report")["Here-2026-11-10.oar"]["superseded_by"],
        "exports/Here-2026-11-09.oar"
    );
    assert_eq!(archives(&desk, "report")["Here-2026-11-09.oar"]["in_place_of"], "");
    std::fs::remove_file(desk.at("exports/Here-2026-11-08.oar")).unwrap();
    write("Here-2026-11-11.oar", "1500000002", 0);
    expect("Here-2026-11-11.oar");
    // The same day, written in two ways: the time of the file decides.
    write("Here-20261111.oar", "1500000002", 5);
    expect("Here-20261111.oar");
    write("Here-2026-11-11.oar", "1500000002", 6);
    expect("Here-2026-11-11.oar");
    // If nothing distinguishes them, the last by name is the newest. The other one keeps its row.
    write("Here-20261111.oar", "1500000002", 6);
    expect("Here-20261111.oar");
    assert_eq!(archives(&desk, "report").len(), 4);
}

#[test]
fn a_comparison_and_the_rules_of_history_mean_the_same_newest() {
    // The tenth is the newest by name, but it is a copy of an older state.
    let desk = Desk::with(&[]);
    let write = |day, objects, created| {
        desk.write(&format!("exports/{}", backup_name(day)), Backup { objects, created, ..WHOLE }.gzip());
    };
    write(9, 40, "1500000009");
    desk.run_to(DONE, "audit exports --out old -q --ledgers old-ledgers");
    write(10, 3, "1500000001");
    desk.run_to(DONE, "audit exports --out new -q --baseline old --ledgers new-ledgers --fail-on-new info");
    assert!(history_findings(&desk, "new").is_empty(), "40 objects are there, as before");
    for [old, new] in [["old", "new"], ["old-ledgers", "new-ledgers"], ["old", "new-ledgers"]] {
        let changes = desk.run_to(DONE, &format!("diff {old} {new} --fail-on-new info")).stdout;
        assert!(!changes.contains("decreased") && !changes.contains("removed"), "{old} {new}: {changes}");
    }
    // If the content of the newest copy fell, both report the loss.
    write(8, 3, "1500000020");
    desk.run_to(DONE, "audit exports --out fell -q --baseline old");
    assert_eq!(history_findings(&desk, "fell")[0][1], "HIS001");
    let changes = desk.run_to(DONE, "diff old fell").stdout;
    assert!(changes.contains("Lost: land impact −37 in 1 region; 37 objects."), "{changes}");
}

#[test]
fn the_newest_whole_copy_replaces_a_broken_newest_one() {
    let desk = week();
    let last = region(1, 9, "1500999999").gzip();
    // One broken copy still has its archive.xml, the other has no content.
    for (broken, status) in [(&last[..last.len() * 2 / 3], "incomplete"), (&last[..9], "unreadable")] {
        desk.write(&format!("exports/{}", backup_name(8)), broken);
        for ledgers in ["", " --ledgers kept"] {
            let run = desk.run_to(INCOMPLETE, &format!("audit exports --out report{ledgers}"));
            assert!(run.stdout.contains("Read 8 inputs, 6 of them older copies"), "{}", run.stdout);
            assert!(run.stdout.contains("The audit is INCOMPLETE"), "{}", run.stdout);
            let rows = archives(&desk, "report");
            assert_eq!(rows[&backup_name(7)]["in_place_of"], format!("exports/{}", backup_name(8)));
            assert_eq!(rows[&backup_name(7)]["status"], "complete");
            assert_eq!(rows[&backup_name(8)]["status"], status);
            assert_eq!(rows[&backup_name(6)]["superseded_by"], format!("exports/{}", backup_name(7)));
            let audit = desk.audit_json("report");
            assert_eq!(
                [&audit["totals"]["regions"], &audit["totals"]["objects"]],
                [1, 8],
                "nothing counts twice"
            );
            assert_eq!(audit["findings_by_code"]["LNK001"]["error"], 1);
            assert_eq!(audit["checks"]["HIS006"]["failed"], 1);
            assert_eq!(audit["not_read"][0]["status"], status);
            let reported = history_findings(&desk, "report");
            assert_eq!(reported.len(), 1, "{reported:?}");
            let words = format!(
                "The newest dated copy was not read to its end: {} is evaluated instead",
                backup_name(7)
            );
            assert_eq!(reported[0], [format!("exports/{}", backup_name(8)), "HIS006".into(), words]);
            // The findings of the broken copy are reported too.
            let rows = desk.table("report", "findings");
            assert!(
                rows.iter().any(|row| row["archive"].ends_with(&backup_name(8)) && row["code"] == "ARC001")
            );
            assert_eq!(rows.iter().find(|row| row["code"] == "HIS006").unwrap()["severity"], "error");
        }
    }
    // A newer whole copy arrives. The broken one is now an older copy, and the report says so.
    desk.write(&format!("exports/{}", backup_name(9)), &last);
    desk.run_to(INCOMPLETE, "audit exports --out report -q --format csv,html,xlsx,sarif,junit");
    let rows = archives(&desk, "report");
    let cells = ["status", "read_status", "superseded_by"].map(|cell| &*rows[&backup_name(8)][cell]);
    assert_eq!(cells, ["superseded", "unreadable", &format!("exports/{}", backup_name(9))]);
    let reported = history_findings(&desk, "report");
    assert_eq!((reported.len(), &*reported[0][1]), (1, "HIS008"), "{reported:?}");
    let words = format!("The older copy {} was not read to its end: ARC001 ", backup_name(8));
    assert!(reported[0][2].starts_with(&words), "{reported:?}");
    // It is not a fault of a region, so a report of one region also has it.
    desk.run_to(INCOMPLETE, "audit exports --out some -q --region Here");
    assert_eq!(history_findings(&desk, "some").len(), 1);
}

#[test]
fn without_a_whole_copy_the_readable_part_of_the_newest_is_evaluated() {
    let desk = Desk::with(&[]);
    let whole = region(1, 9, "1500000000").tar();
    for day in [9, 10] {
        desk.write(&format!("exports/{}", backup_name(day)), &whole[..whole.len() - 2000]);
    }
    desk.run_to(INCOMPLETE, "audit exports --out report -q");
    let audit = desk.audit_json("report");
    assert_eq!([&audit["totals"]["inputs"], &audit["totals"]["regions"]], [2, 1]);
    assert_eq!(audit["not_read"].as_array().unwrap().len(), 2);
    let codes: Vec<_> =
        history_findings(&desk, "report").into_iter().map(|[archive, code, _]| (archive, code)).collect();
    let at = |day| format!("exports/{}", backup_name(day));
    assert_eq!(codes, [(at(10), "HIS006".to_owned()), (at(9), "HIS008".to_owned())]);
}

#[test]
fn a_broken_newest_copy_is_reported_until_it_is_replaced() {
    let desk = week();
    let night = |code: i32, flags: &str| {
        let night = "audit exports --out report --baseline report --ledgers kept -q";
        desk.run_to(code, format!("{night} {flags}").trim());
        desk.table("report", "findings")
            .into_iter()
            .map(|row| (row["code"].clone(), row["baseline_status"].clone()))
            .collect::<Vec<_>>()
    };
    night(DONE, "");
    night(DONE, "--fail-on-new info");
    let whole = region(1, 7, "1500999999").gzip();
    desk.write(&format!("exports/{}", backup_name(8)), &whole[..whole.len() / 2]);
    for (news, flags) in [("new", ""), ("known", ""), ("known", "--all-copies"), ("known", "")] {
        let found = night(INCOMPLETE, flags);
        assert!(found.contains(&("HIS006".into(), news.into())), "{news} {flags}: {found:?}");
        assert!(found.contains(&("LNK001".into(), "known".into())), "{news} {flags}: {found:?}");
        let counts = &desk.audit_json("report")["changes"]["counts"];
        assert_eq!(counts["new"]["error"], u64::from(news == "new"), "{news} {flags}: {counts}");
        assert_eq!(counts["gone"]["error"], 0, "{news} {flags}");
        assert_eq!([&counts["archives_came"], &counts["archives_went"]], [0, 0], "{news} {flags}");
    }
    desk.write(&format!("exports/{}", backup_name(8)), &whole);
    let found = night(DONE, "--fail-on-new info");
    assert!(found.iter().all(|(code, news)| code != "HIS006" && news == "known"), "{found:?}");
    assert_eq!(desk.audit_json("report")["changes"]["counts"]["gone"]["error"], 1);
}

#[test]
fn a_newest_copy_that_is_not_covered_is_no_fault_and_is_named() {
    let desk = week();
    desk.run_to(DONE, "scan exports --ledgers kept -q");
    let newest = format!("exports/{}", backup_name(8));
    desk.write(&newest, region(1, 9, "1500999999").gzip());
    let sample = sample_flag(&[], &[&newest]).unwrap();
    desk.run_to(DONE, &format!("audit exports --out report --ledgers kept -q --sample {sample}"));
    assert_eq!(evaluated(&desk, "report"), [backup_name(7)]);
    let rows = archives(&desk, "report");
    assert_eq!(rows[&backup_name(7)]["in_place_of"], newest);
    assert_eq!(rows[&backup_name(8)]["status"], "not_covered");
    assert_eq!(rows[&backup_name(6)]["status"], "superseded");
    assert!(history_findings(&desk, "report").is_empty());
    let totals = &desk.audit_json("report")["totals"];
    assert_eq!([&totals["inputs"], &totals["older_copies"], &totals["objects"]], [7, 6, 8]);
    // A missing share is a fault, and the report names the copy in the same way.
    desk.run_to(DONE, "plan exports -o plan.json -q");
    desk.run_to(INCOMPLETE, "report kept --plan plan.json --partial --out shares -q");
    assert_eq!(evaluated(&desk, "shares"), [backup_name(7)]);
    assert_eq!(archives(&desk, "shares")[&backup_name(7)]["in_place_of"], newest);
    // Nothing is gone compared with the earlier run, and the next run has the newest copy.
    desk.run_to(DONE, "audit exports --out next --ledgers kept -q --baseline report");
    assert_eq!(evaluated(&desk, "next"), [backup_name(8)]);
    let counts = &desk.audit_json("next")["changes"]["counts"];
    assert_eq!([&counts["objects_came"], &counts["objects_went"], &counts["archives_came"]], [2, 0, 0]);
}

#[test]
fn an_expected_archive_is_as_old_as_its_newest_copy() {
    let desk = week();
    desk.write("expected.toml", "[expected]\nnames = ['here', 'Here_*']\n");
    let night = |now: &str| {
        desk.run_to(DONE, &format!("audit exports --out report -q --config expected.toml --now {now}"));
        history_findings(&desk, "report")
            .into_iter()
            .map(|[archive, _, message]| (archive, message))
            .collect::<Vec<_>>()
    };
    // The seventh copy was made on 21 July 2017 at 2:40.
    assert!(night("2017-07-22T03:00:00Z").is_empty());
    let old = night("2017-07-23T02:40:00Z");
    let words =
        "The expected archive \"here\" is absent or too old: the newest is 48 h old, 36 h are allowed"
            .to_owned();
    assert_eq!(old[0], (format!("exports/{}", backup_name(7)), words));
}

#[test]
fn preflight_evaluates_the_newest_copy() {
    let desk = week();
    let page = |code: i32, flags: &str| -> serde_json::Value {
        let run = desk.run_to(code, format!("preflight exports --target second-life --json {flags}").trim());
        serde_json::from_str(&run.stdout).unwrap()
    };
    let one = page(DONE, "");
    assert_eq!(one["archives"].as_array().unwrap().len(), 1);
    assert_eq!(one["older_copies"], 6);
    assert_eq!(one["errors"], 1);
    let all = page(DONE, "--all-copies");
    assert_eq!((all["archives"].as_array().unwrap().len(), &all["errors"]), (7, &7.into()));
    // A newer but damaged copy does not lead to the verdict `go`.
    desk.write(&format!("exports/{}", backup_name(8)), &region(1, 1, "1500999999").gzip()[..500]);
    let broken = page(FINDINGS, "");
    assert_eq!(broken["verdict"], "no-go");
    assert_eq!(broken["archives"].as_array().unwrap().len(), 2);
    // One error is in the region. The other one says that the newest copy is not whole.
    assert_eq!(broken["errors"], 2);
}
