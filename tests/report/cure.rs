//! The column `cure` of objects.

use crate::support::{desk::Desk, repository};

#[test]
fn an_object_has_its_first_action_else_the_advice_for_its_worst_finding() {
    let samples = ["contents/bought-without-copy.oar", "figures/material-on-a-ring.oar", "objects"];
    let paths = samples.map(|sample| repository().join("sample_data").join(sample).display().to_string());
    let desk = Desk::with(&[]);
    desk.run(&format!("audit {} --out report --format csv --profile second-life", paths.join(" ")));
    let objects = desk.table("report", "objects");
    for (entry, worst_severity, cure) in [
        // A finding of severity info needs no cure.
        ("objects/Wall_", "info", ""),
        // An action comes before the advice for a missing asset.
        ("objects/Ring_", "error", "Edit the object: Features > Physics Shape Type > Convex Hull."),
        // The worst of several findings.
        (
            "required-fields-missing.xml",
            "blocker",
            "`hullmark repair` mends it in a copy. Or repair the field in the object's XML before you load the archive.",
        ),
        (
            "root-of-shape-none.xml",
            "warning",
            "Relink the prims with a root prim that may collide, or make the object phantom.",
        ),
    ] {
        let row = objects.iter().find(|row| row["entry"].starts_with(entry)).unwrap();
        assert_eq!((&*row["worst_severity"], &*row["cure"]), (worst_severity, cure), "{entry}");
    }
}

/// Equal actions on objects of one owner and name share a row, which names the first object.
#[test]
fn each_of_the_objects_that_share_an_action_has_it() {
    let desk = Desk::with(&[]);
    let samples = repository().join("sample_data/objects");
    desk.run(&format!("audit {} --out report --format csv", samples.display()));
    let actions = desk.table("report", "actions");
    let shared = actions.iter().find(|row| row["kind"] == "convex_hull" && row["count"] == "5").unwrap();
    let objects = desk.table("report", "objects");
    let named: Vec<&str> = actions.iter().map(|row| row["entry"].as_str()).collect();
    let others = objects.iter().filter(|row| row["cure"] == shared["action"]);
    let mut others: Vec<&str> = others.map(|row| row["entry"].as_str()).collect();
    others.retain(|entry| !named.contains(entry));
    others.sort_unstable();
    assert_eq!(shared["entry"], "cut-in-its-last-part.xml");
    assert_eq!(others, ["just-below-54-metres.xml", "saved-scene.xml", "sixty-metres-across.xml"]);
}
