//! `fix`: goals, exit codes and JSON.

use crate::support::{
    archive::{Archive, control},
    desk::{DONE, Desk, FINDINGS, USAGE, region},
    object::{Prim, uuid, xml2},
    repository,
};
use serde_json::Value;

/// Returns a desk with a region that has a legacy linkset of 8 prims.
fn desk() -> Desk {
    let prims: Vec<Prim> = (0..8).map(|number| Prim::new("Bench", number)).collect();
    Desk::with(&[("region.oar", &region(&prims).gzip())])
}

fn json(desk: &Desk, code: i32, arguments: &str) -> Value {
    serde_json::from_str(&desk.run_to(code, &format!("{arguments} --json")).stdout).unwrap()
}

#[test]
fn a_goal_is_reached_or_not() {
    let desk = desk();
    let view = json(&desk, DONE, "fix region.oar --to-land-impact 4");
    assert_eq!([&view["land_impact"], &view["land_impact_after"], &view["goal"]], [8.0, 4.0, 4.0]);
    assert_eq!(view["reached"], true);
    assert_eq!([&view["actions"][0]["kind"], &view["actions"][0]["name"]], ["convex_hull", "Bench"]);
    let view = json(&desk, FINDINGS, "fix region.oar --to-land-impact 3");
    assert_eq!(view["reached"], false);
    let text = desk.run_to(FINDINGS, "fix region.oar --to-land-impact 3").stdout;
    assert!(text.contains("The goal of 3 is NOT reached"), "{text}");
    let view = json(&desk, DONE, "fix region.oar --to-capacity --profile second-life");
    assert_eq!((view["goal"].as_f64(), view["actions"].as_array().unwrap().len()), (Some(22_500.0), 0));
}

#[test]
fn without_a_goal_all_actions_are_listed() {
    let desk = desk();
    let view = json(&desk, DONE, "fix region.oar");
    assert_eq!((view["goal"].is_null(), view["actions"].as_array().unwrap().len()), (true, 1));
    let view = json(&desk, DONE, "fix region.oar --object Bench");
    assert_eq!((view["object"]["governing"].as_str(), view["objects"].as_u64()), (Some("prims"), Some(1)));
    assert!(view["actions"][0]["land_impact_sum_after"].is_null(), "the rest of the region was not read");
}

#[test]
fn a_capacity_is_of_one_region() {
    let desk = Desk::with(&[]);
    let several = repository().join("sample_data/regions/two-regions.oar");
    let several = several.display();
    let run = desk.run_to(USAGE, &format!("fix {several} --to-capacity --profile second-life"));
    assert!(run.stderr.contains("name one with --region"), "{}", run.stderr);
    let run = desk.run_to(USAGE, &format!("fix {several} --to-capacity"));
    assert!(run.stderr.contains("add --profile second-life"), "no target, no capacity: {}", run.stderr);
    let run = desk.run_to(USAGE, &format!("fix {several} --region Nowhere"));
    assert!(run.stderr.contains("has no region \"Nowhere\""), "{}", run.stderr);
}

#[test]
fn an_unknown_owner_is_an_error_and_another_owner_has_no_action() {
    let desk = desk();
    let run = desk.run_to(USAGE, "fix region.oar --owner Nobody");
    assert!(run.stderr.contains("No owner is named \"Nobody\""), "{}", run.stderr);
    let view = json(&desk, DONE, "fix region.oar --owner 0a0a0a0a-0000-4000-8000-00000000ffff");
    assert_eq!(view["objects"], 0);
}

#[test]
fn a_physics_weight_is_a_goal_of_each_object() {
    let cart = repository().join("sample_data/regions/over-the-cap.oar");
    let (desk, cart) = (Desk::with(&[]), cart.display());
    let fixed = desk.run_to(DONE, &format!("fix {cart} --to-physics")).stdout;
    assert!(fixed.contains("After 1 change: 0.360"), "{fixed}");
}

#[test]
fn equal_objects_share_a_row() {
    let bench = |number: u32| {
        let position = [100.0 + f64::from(number), 100.0, 25.0];
        let prim = |part: u32| Prim { position, ..Prim::new("Bench", 10 * number + part) };
        let prims: Vec<Prim> = (0..4).map(prim).collect();
        xml2(&prims)
    };
    let archive = Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"))
        .add("objects/a.xml", bench(1))
        .add("objects/b.xml", bench(2));
    let desk = Desk::with(&[("region.oar", &archive.gzip())]);
    desk.run_to(DONE, "audit region.oar --out report --format csv --profile second-life");
    let rows = desk.table("report", "actions");
    let cells = |row: usize| {
        let columns =
            ["kind", "count", "edits", "land_impact_before", "land_impact_after", "land_impact_saved"];
        columns.map(|column| rows[row][column].as_str())
    };
    assert_eq!(rows.len(), 2);
    assert_eq!(cells(0), ["convex_hull", "2", "2", "8", "4", "4"]);
    // The link saves only simulator cost, so it counts in no sum.
    let [kind, count, edits, .., saved] = cells(1);
    assert_eq!([kind, count, edits, saved], ["link", "1", "2", ""]);
    assert_eq!(rows[1]["land_impact_sum_after"], rows[0]["land_impact_sum_after"]);
}

#[test]
fn repairs_are_listed_with_the_rest_unless_a_goal_is_given() {
    let far = Prim { position: [100.0, 100.0, -1_000.0], ..Prim::new("Lost", 1) };
    let desk = Desk::with(&[("region.oar", &region(&[far]).gzip())]);
    let view = json(&desk, FINDINGS, "fix region.oar --profile opensim-ubode --fail-on error");
    let action = &view["actions"][0];
    assert_eq!([&action["kind"], &action["code"], &action["severity"]], ["repair", "POS003", "error"]);
    assert!(action["land_impact_before"].is_null() && action["basis"].is_null(), "{action}");
    let text = desk.run_to(DONE, "fix region.oar --profile opensim-ubode --fail-on none").stdout;
    assert!(text.contains("1. Lost: error POS003") && text.contains("No edit is known to lower"), "{text}");
    let view = json(&desk, DONE, "fix region.oar --profile opensim-ubode --to-land-impact 9 --fail-on none");
    assert_eq!(view["actions"].as_array().unwrap().len(), 0);
}

#[test]
fn an_address_is_that_of_the_grid() {
    let (desk, cart) = (Desk::with(&[]), repository().join("sample_data/regions/over-the-cap.oar"));
    desk.write("grid.toml", "[grid]\naddress = \"grid.example:8002\"\n");
    desk.run_to(
        DONE,
        &format!("audit {} --out report --format csv --fail-on none --config grid.toml", cart.display()),
    );
    let rows = desk.table("report", "actions");
    let [row] = &rows[..] else { panic!("{rows:?}") };
    assert_eq!(row["url"], "secondlife://Race%20Track/128/128/25");
    assert_eq!(row["hop_url"], "hop://grid.example:8002/Race%20Track/128/128/25");
}
