//! Reports limited to owners, regions or a severity.

use crate::support::{
    archive::{Archive, control_of_many, parcel, settings},
    desk::{DONE, Desk, FINDINGS, INCOMPLETE, USAGE},
    mesh::{MeshFile, ball, convex},
    object::{OWNER, Prim, uuid, xml2},
    read_csv,
};
use hullmark_report::tables::heads;
use std::collections::{BTreeMap, BTreeSet};

type Rows = Vec<BTreeMap<String, String>>;

/// Returns the UUID of the owner whose name is in the list of users. [`OWNER`] owns everything else.
pub(crate) fn ben() -> String {
    uuid(0x0a0a_0a0a, 2)
}

/// Returns an archive of two regions. On the hill is a bridge that is too long. On the lake are a sound chair and Ben's
/// boat, with Ben's parcel around it. The mesh of the boat has a hull with too many points. A second mesh has no user.
pub(crate) fn estate() -> Vec<u8> {
    let mesh = uuid(0x3e3e_3e3e, 1);
    let far = Prim { offset: [60.0, 0.0, 0.0], ..Prim::new("Far end", 3) };
    let boat = Prim { mesh: Some(mesh.clone()), scale: [9.0; 3], ..Prim::new("=Boat <b>", 5) };
    let round = convex(&ball(257, [0.0; 3], 0.5), &[]);
    let cell = |number: u32, folder: &'static str| (uuid(0x4e4e_4e4e, number), folder);
    let (hill, lake) = (cell(1, "1_1_Hill"), cell(2, "1_2_Lake"));
    let row = [&hill, &lake].map(|(id, folder)| Some((id.as_str(), *folder, "256,256")));
    Archive::new(&control_of_many(&[row.to_vec()]))
        .add("regions/1_1_Hill/settings/Hill.xml", settings("1"))
        .add("regions/1_1_Hill/objects/bridge.xml", xml2(&[Prim::new("Bridge", 2), far]))
        .add("regions/1_2_Lake/settings/Lake.xml", settings("1"))
        .add("regions/1_2_Lake/objects/chair.xml", xml2(&[Prim::new("Chair", 4)]))
        .add("regions/1_2_Lake/objects/boat.xml", xml2(&[boat]).replace(OWNER, &ben()))
        .add(
            "regions/1_2_Lake/landdata/shore.xml",
            parcel(&uuid(0x9a9a_9a9a, 1), "Shore", &ben(), 64, |_, _| true),
        )
        .add(&format!("assets/{mesh}_mesh.llmesh"), MeshFile::cube().block("physics_convex", &round).encode())
        .add(
            &format!("assets/{}_mesh.llmesh", uuid(0x3e3e_3e3e, 2)),
            MeshFile::cube().block("physics_convex", &round).encode(),
        )
        .gzip()
}

pub(crate) fn desk() -> Desk {
    let users = format!("PrincipalID,Name\n{},Ben Boatman\n", ben());
    let desk = Desk::with(&[("estate.oar", &estate()), ("users.csv", users.as_bytes())]);
    desk.run_to(DONE, "scan estate.oar --ledgers ledgers");
    desk.run_to(DONE, "report ledgers --out whole --users users.csv");
    desk
}

fn rows(desk: &Desk, folder: &str, table: &str) -> Rows {
    read_csv(&desk.at(folder).join(format!("{table}.csv")))
}

fn codes(desk: &Desk, folder: &str) -> BTreeSet<String> {
    desk.column(folder, "findings", "code").into_iter().collect()
}

/// Asserts that the totals match the rows, and that the filter removes rows but never changes one.
fn assert_true(desk: &Desk, folder: &str) {
    // Sums of owners and creators, and the status of a region, are those of the shown things.
    let are_sums = ["changes", "assets", "owners", "creators"];
    let status = ["verdict", "blockers", "errors", "warnings", "findings", "lost"];
    for head in heads(&[]).into_iter().filter(|head| !are_sums.contains(&head.name)) {
        let rows = |folder: &str| {
            let mut rows = rows(desk, folder, head.name);
            if head.name == "regions" {
                let is_status = |name: &str| status.contains(&name) || name.starts_with("worst_");
                rows.iter_mut().for_each(|row| row.retain(|name, _| !is_status(name)));
            }
            rows
        };
        let whole = rows("whole");
        assert!(rows(folder).iter().all(|row| whole.contains(row)), "{}", head.name);
    }
    for region in rows(desk, folder, "regions") {
        let here = rows(desk, folder, "findings").into_iter().filter(|row| row["region"] == region["region"]);
        let counts: u64 = here.map(|row| row["count"].parse::<u64>().unwrap()).sum();
        assert_eq!(region["findings"], counts.to_string(), "{folder}: {region:?}");
        assert_eq!(region["verdict"], "", "a verdict is about a whole archive");
    }
    let audit = desk.audit_json(folder);
    let count = |table: &str| rows(desk, folder, table).len() as u64;
    for table in ["regions", "parcels", "objects", "parts", "meshes", "hulls"] {
        assert_eq!(audit["totals"][table], count(table), "{folder}: {table}");
    }
    let counted = |by: &serde_json::Value| {
        by.as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum::<u64>()
    };
    let reported = |folder| {
        let counts = desk.column(folder, "findings", "count");
        counts.iter().map(|count| count.parse::<u64>().unwrap()).sum::<u64>()
    };
    assert_eq!(counted(&audit["findings"]), reported(folder));
    let by_code = audit["findings_by_code"].as_object().unwrap().values().map(counted).sum::<u64>();
    assert_eq!(by_code, reported(folder));
    assert_eq!(counted(&audit["narrowed"]["left_out"]), reported("whole") - reported(folder));
    assert_eq!(audit["heaviest"].as_array().unwrap().len(), rows(desk, folder, "objects").len());
}

#[test]
fn an_owner_has_their_objects_and_the_assets_of_these() {
    let desk = desk();
    // A desk splits arguments at blanks.
    desk.write("named.csv", format!("{},Ben\u{a0}Boatman\n", ben()));
    for owner in ["ben\u{a0}boatman".to_owned(), ben().to_uppercase()] {
        let run = desk.run_to(DONE, &format!("report ledgers --out ben --users named.csv --owner {owner}"));
        assert!(run.stdout.starts_with("This report shows only owner "), "{}", run.stdout);
        assert!(!run.stdout.contains("owns nothing here"), "{}", run.stdout);
        assert_eq!(desk.column("ben", "objects", "owner_uuid"), [ben()]);
        assert_eq!(desk.column("ben", "parts", "part_uuid"), [uuid(0x0b0b_0b0b, 5)]);
        assert_eq!(desk.column("ben", "parcels", "parcel"), ["Shore"]);
        assert_eq!(desk.column("ben", "meshes", "mesh_uuid"), [uuid(0x3e3e_3e3e, 1)]);
        assert_eq!(desk.column("ben", "hulls", "points"), ["257"]);
        assert!(codes(&desk, "ben").contains("HUL001"), "{:?}", codes(&desk, "ben"));
        assert!(!codes(&desk, "ben").contains("LNK001"));
        assert!(!codes(&desk, "ben").contains("OWN001"), "what is said of the export itself is not his");
        assert_true(&desk, "ben");
    }
}

#[test]
fn a_region_has_the_objects_in_it() {
    let desk = desk();
    for region in ["HILL".to_owned(), uuid(0x4e4e_4e4e, 1)] {
        desk.run_to(DONE, &format!("report ledgers --out hill --users users.csv --region {region}"));
        assert_eq!(desk.column("hill", "regions", "region"), ["Hill"]);
        assert_eq!(desk.column("hill", "objects", "name"), ["Bridge"]);
        assert_eq!(rows(&desk, "hill", "parts").len(), 2);
        assert!(rows(&desk, "hill", "meshes").is_empty() && rows(&desk, "hill", "parcels").is_empty());
        assert!(codes(&desk, "hill").contains("LNK001") && !codes(&desk, "hill").contains("HUL001"));
        assert_true(&desk, "hill");
    }
    // Both conditions must hold.
    let both = format!("report ledgers --out both --users users.csv --region hill --owner {}", ben());
    desk.run_to(DONE, &both);
    assert!(rows(&desk, "both", "objects").is_empty() && rows(&desk, "both", "parcels").is_empty());
    assert_true(&desk, "both");
    // If several regions are given, one must match.
    desk.run_to(DONE, "report ledgers --out either --users users.csv --region hill --region lake");
    assert_eq!(rows(&desk, "either", "objects").len(), 3);
}

#[test]
fn a_severity_keeps_findings_at_or_above_it() {
    let desk = desk();
    desk.run_to(DONE, "report ledgers --out bad --users users.csv --min-severity error");
    let severities: BTreeSet<_> = desk.column("bad", "findings", "severity").into_iter().collect();
    assert_eq!(severities, BTreeSet::from(["error".into()]));
    assert_eq!(desk.column("bad", "objects", "name"), ["Bridge"]);
    assert_eq!(rows(&desk, "bad", "parts").len(), 2);
    assert_eq!(rows(&desk, "bad", "meshes").len(), 2);
    assert_eq!(rows(&desk, "bad", "hulls").len(), 2);
    assert_true(&desk, "bad");
    desk.run_to(DONE, "report ledgers --out info --users users.csv --min-severity info");
    assert_eq!(rows(&desk, "info", "findings"), rows(&desk, "whole", "findings"));
}

#[test]
fn a_region_or_a_name_that_nobody_has_is_an_error_with_the_nearest() {
    let desk = desk();
    for (flags, words) in [
        ("--region hil", "No input has a region \"hil\". Did you mean \"Hill\"?"),
        ("--region hill --region sea", "No input has a region \"sea\". Name a region"),
        ("--owner Ben", "The owner \"Ben\" is no UUID. Name a list of users with --users"),
        (
            "--users users.csv --owner Ben",
            "The list of --users has no \"Ben\". Did you mean \"Ben Boatman\"?",
        ),
    ] {
        let run = desk.run_to(USAGE, &format!("report ledgers --out none {flags}"));
        assert!(run.stderr.contains(words), "{flags}: {}", run.stderr);
        assert!(!desk.at("none/audit.json").exists());
    }
    // A user of the list may own nothing.
    desk.write("more.csv", format!("{},Ann\n", uuid(0x0a0a_0a0a, 9)));
    let run = desk.run_to(DONE, "report ledgers --out none --users more.csv --owner ann");
    assert!(
        run.stdout.starts_with("This report shows only owner ann. ann owns nothing here.\n"),
        "{}",
        run.stdout
    );
}

#[test]
fn omitted_rows_still_count_for_the_exit_code() {
    let desk = desk();
    let nobody = uuid(0x0a0a_0a0a, 9);
    let flags = format!("--owner {nobody} --region lake --fail-on error");
    let run = desk.run_to(FINDINGS, &format!("report ledgers --out none {flags}"));
    assert!(run.stdout.contains(&format!("\n{nobody} owns nothing here.\n")), "{}", run.stdout);
    assert!(run.stdout.contains("The exit code also counts what is left out: "), "{}", run.stdout);
    let narrowed = &desk.audit_json("none")["narrowed"];
    assert_eq!(narrowed["without_match"], serde_json::json!([nobody]));
    let shown = desk.column("none", "findings", "code");
    assert!(shown.iter().all(|code| code.starts_with("RUN")), "{shown:?}");
    assert_eq!(desk.audit_json("whole").get("narrowed"), None);

    desk.write("cut.oar", crate::support::desk::truncated());
    desk.run_to(INCOMPLETE, "audit cut.oar estate.oar --out cut --region hill");
    assert_eq!(desk.audit_json("cut")["complete"], false);
    assert_eq!(desk.column("cut", "objects", "name"), ["Bridge"]);
    let entries = desk.column("cut", "findings", "archive");
    assert!(entries.contains(&"cut.oar".into()), "who was not read to the end may have had more");
}
