//! `history.csv` and the trend on the page: days made by editing an archive.

use crate::support::{
    archive::{Archive, control, settings},
    desk::{DONE, Desk, INCOMPLETE, Row, USAGE},
    object::{Prim, uuid, xml2},
    repository,
};
use std::{collections::BTreeMap, fs};

/// Returns a region with this number of chairs, and a linkset that is too long if there is a bridge.
fn region(chairs: u32, bridge: bool) -> Vec<u8> {
    let region = Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"))
        .add("settings/Hill, East.xml", settings("1"))
        .flat_ground("terrains/Hill, East.r32", 256)
        .add(&format!("assets/{}_notecard.txt", uuid(0x1010_1010, 1)), "a note");
    let chair = |region: Archive, number: u32| {
        region.add(&format!("objects/{number}.xml"), xml2(&[Prim::new("Chair", number)]))
    };
    let region = (1..=chairs).fold(region, chair);
    let far = Prim { offset: [60.0, 0.0, 0.0], ..Prim::new("Far end", 101) };
    match bridge {
        true => region.add("objects/bridge.xml", xml2(&[Prim::new("Bridge", 100), far])).gzip(),
        false => region.gzip(),
    }
}

/// Audits the folder `in` on a day of November. Each day has a report of its own.
fn audit(desk: &Desk, day: u32, flags: &str) {
    let now = format!("2026-11-{day:02}T03:00:00Z");
    desk.run_to(DONE, &format!("audit in --out {day} -q --now {now} {flags}"));
}

/// Audits three days: two chairs, five chairs, then four chairs and a bridge.
fn three_days() -> Desk {
    let desk = Desk::with(&[]);
    for (day, chairs, bridge) in [(20, 2, false), (21, 5, false), (23, 4, true)] {
        desk.write("in/Hill.oar", region(chairs, bridge));
        audit(&desk, day, "--ledgers kept --checksum");
    }
    desk
}

fn history(desk: &Desk) -> String {
    fs::read_to_string(desk.at("kept/history.csv")).unwrap()
}

/// Returns the headings of the trends on a page.
fn headings(desk: &Desk, report: &str) -> Vec<String> {
    let page = fs::read_to_string(desk.at(report).join("audit.html")).unwrap();
    let Some((_, trend)) = page.split_once("<section id=\"trend\">") else { return Vec::new() };
    let (trend, _) = trend.split_once("</section>").unwrap();
    let headings =
        trend.split("<figcaption>").skip(1).map(|rest| rest.split("</figcaption>").next().unwrap());
    headings.map(str::to_owned).collect()
}

#[test]
fn each_region_has_a_row() {
    let desk = three_days();
    let head = "time,target,archive,region,identity,objects,parts,scripts,land_impact,land_impact_basis,capacity,\
                physics_cost,physics_cost_basis,blockers,errors,warnings,info";
    let id = uuid(0x4e4e_4e4e, 1);
    let row = |day: u32, figures: &str, findings: &str| {
        format!(
            "2026-11-{day}T03:00:00Z,Second Life,in/Hill.oar,\"Hill, East\",{id},{figures},spec,,,\
             not applicable: legacy accounting,{findings}\n"
        )
    };
    let expected = [
        format!("{head}\n"),
        row(20, "2,2,0,2", "0,0,1,0"),
        row(21, "5,5,0,5", "0,0,1,0"),
        row(23, "5,6,0,6", "0,1,1,0"),
    ];
    assert_eq!(history(&desk), expected.concat());
}

/// In an archive of several regions, findings about its objects count for their region.
#[test]
fn rows_agree_with_the_tables_of_the_run() {
    let desk = Desk::with(&[]);
    let samples = repository().join("sample_data/regions");
    let run = desk.run(&format!(
        "audit {} --out report -q --history history.csv --profile second-life",
        samples.display()
    ));
    assert!(run.code != USAGE, "{}", run.stderr);
    let whole = desk.table("report", "archives").into_iter().filter(|row| row["status"] == "complete");
    let whole: BTreeMap<String, usize> =
        whole.map(|row| (row["archive"].clone(), row["regions"].parse().unwrap())).collect();
    assert!(whole.values().any(|&regions| regions > 1), "{whole:?}");
    let findings = desk.table("report", "findings");
    let of = |region: &Row, severity: &str| {
        let only = whole[&region["archive"]] == 1;
        let here = findings
            .iter()
            .filter(|row| row["archive"] == region["archive"] && (only || row["region"] == region["region"]));
        let here = here.filter(|row| row["severity"] == severity);
        here.map(|row| row["count"].parse::<u64>().unwrap()).sum::<u64>().to_string()
    };
    let regions = desk.table("report", "regions").into_iter();
    let mut expected: Vec<Row> = regions
        .filter(|row| whole.contains_key(&row["archive"]))
        .map(|mut row| {
            for (column, severity) in
                [("blockers", "blocker"), ("errors", "error"), ("warnings", "warning"), ("info", "info")]
            {
                row.insert(column.into(), of(&row, severity));
            }
            row
        })
        .collect();
    let mut rows = desk.table("", "history");
    assert!(rows.len() > 20, "{}", rows.len());
    let columns: Vec<String> =
        rows[0].keys().filter(|name| !["time", "target"].contains(&&***name)).cloned().collect();
    for row in expected.iter_mut().chain(&mut rows) {
        row.retain(|name, _| columns.contains(name));
    }
    assert_eq!(rows, expected);
}

#[test]
fn the_page_shows_the_days_that_the_history_has() {
    let desk = three_days();
    assert!(headings(&desk, "20").is_empty(), "one day is no trend");
    assert_eq!(headings(&desk, "21"), ["Hill, East: 5 land impact, +3 since 2026-11-20 (2 nights)"]);
    assert_eq!(headings(&desk, "23"), ["Hill, East: 6 land impact, +4 since 2026-11-20 (3 nights)"]);
    let page = fs::read_to_string(desk.at("23/audit.html")).unwrap();
    assert!(page.contains("<b>2 → 5</b> (lowest 2, highest 5)"), "the objects of three days");
    assert!(page.contains("<tr><th scope=\"row\">2026-11-21</th><td>5</td><td>5</td><td>0</td>"));
    // A second run of a day replaces its first one, and the file has both.
    let rows = history(&desk).lines().count();
    desk.write("in/Hill.oar", region(1, false));
    audit(&desk, 23, "--ledgers kept --checksum");
    assert_eq!(headings(&desk, "23"), ["Hill, East: 1 land impact, −1 since 2026-11-20 (3 nights)"]);
    assert_eq!(history(&desk).lines().count(), rows + 1);
    // An unchanged run of the same day writes nothing.
    audit(&desk, 23, "--ledgers kept --checksum");
    assert_eq!(history(&desk).lines().count(), rows + 1);
}

#[test]
fn a_moved_archive_continues_and_another_target_begins_anew() {
    let desk = three_days();
    fs::rename(desk.at("in/Hill.oar"), desk.at("in/Hilltop_2026-11-24.oar")).unwrap();
    audit(&desk, 24, "--ledgers kept");
    assert_eq!(headings(&desk, "24"), ["Hill, East: 6 land impact, +4 since 2026-11-20 (4 nights)"]);
    audit(&desk, 25, "--ledgers kept --profile opensim-ubode");
    assert!(headings(&desk, "25").is_empty());
    // A report from ledgers needs the file.
    let report = "report kept --now 2026-11-26T03:00:00Z -q --out";
    desk.run_to(DONE, &format!("{report} without"));
    assert!(headings(&desk, "without").is_empty());
    desk.run_to(DONE, &format!("{report} with --history kept/history.csv"));
    assert_eq!(headings(&desk, "with"), ["Hill, East: 6 land impact, +4 since 2026-11-20 (5 nights)"]);
}

#[test]
fn a_part_of_a_run_is_not_remembered() {
    let desk = three_days();
    let before = history(&desk);
    audit(&desk, 24, "--ledgers kept --min-severity error");
    assert!(headings(&desk, "24").is_empty());
    assert_eq!(history(&desk), before);
    // The row of the region is left out, because half an archive has too low sums.
    let whole = fs::read(desk.at("in/Hill.oar")).unwrap();
    desk.write("in/Hill.oar", &whole[..whole.len() * 2 / 3]);
    desk.run_to(INCOMPLETE, "audit in --out 25 -q --now 2026-11-25T03:00:00Z --ledgers kept");
    assert_eq!(history(&desk), before);
}

#[test]
fn a_row_without_end_is_removed_and_other_files_are_refused() {
    let desk = three_days();
    let whole = history(&desk);
    desk.write("kept/history.csv", format!("{whole}2026-11-24T03:00:00Z,Second L"));
    audit(&desk, 25, "--ledgers kept");
    assert_eq!(headings(&desk, "25"), ["Hill, East: 6 land impact, +4 since 2026-11-20 (4 nights)"]);
    assert!(history(&desk).starts_with(&format!("{whole}2026-11-25T03:00:00Z,")));

    let refused = |text: String, words: &str| {
        desk.write("other.csv", &text);
        let run = desk.run_to(USAGE, "audit in --out refused -q --history other.csv");
        assert!(run.stderr.contains(words), "{}", run.stderr);
        assert_eq!(fs::read_to_string(desk.at("other.csv")).unwrap(), text);
        assert!(!desk.at("refused/audit.json").exists());
    };
    refused("a,b\n1,2\n".into(), "has other columns than the history of this version. Rename it");
    refused(whole.replacen("2026-11-20T", "yesterday ", 1), "Line 2 of the history other.csv is not valid");
    refused(whole.replacen(",2,2,0,2,", ",2,2,0,two,", 1), "`two` is no number for land_impact");
    desk.write("new/sub/none.csv", "");
    audit(&desk, 26, "--history new/sub/none.csv");
    assert_eq!(fs::read_to_string(desk.at("new/sub/none.csv")).unwrap().lines().count(), 2);
}
