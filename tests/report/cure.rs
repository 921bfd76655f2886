//! The column `cure` of objects.

use crate::support::{
    desk::{Desk, Row},
    repository,
};
use std::collections::{HashMap, HashSet};

/// Returns the key of an object.
fn object(row: &Row) -> [String; 3] {
    ["archive", "entry", "object_uuid"].map(|column| row[column].clone())
}

#[test]
fn an_object_has_its_first_action_else_the_advice_for_its_worst_finding() {
    let desk = Desk::with(&[]);
    desk.run(&format!("audit {}/sample_data --out report --format csv", repository().display()));
    let actions = desk.table("report", "actions");
    let alike = |row: &Row| ["archive", "owner_uuid", "name"].map(|column| row[column].clone());
    let mut first = HashMap::new();
    for row in actions.iter().filter(|row| !row["land_impact_before"].is_empty()) {
        first.entry(object(row)).or_insert(row["action"].clone());
    }
    // Actions on objects that are alike share a row, which names the first.
    let shared: HashSet<_> = actions.iter().map(|row| (alike(row), row["action"].clone())).collect();
    let mut advice: HashMap<_, Vec<(String, String)>> = HashMap::new();
    for row in desk.table("report", "findings") {
        advice.entry(object(&row)).or_default().push((row["severity"].clone(), row["advice"].clone()));
    }
    let (mut acted, mut advised, mut empty) = (0, 0, 0);
    for row in desk.table("report", "objects") {
        let (cure, worst) = (&row["cure"], &row["worst_severity"]);
        if let Some(action) = first.get(&object(&row)) {
            assert_eq!(cure, action);
            acted += 1;
        } else if shared.contains(&(alike(&row), cure.clone())) {
            acted += 1;
        } else if matches!(worst.as_str(), "" | "info") {
            assert_eq!(cure, "");
            empty += 1;
        } else {
            let of_object = &advice[&object(&row)];
            assert!(of_object.contains(&(worst.clone(), cure.clone())), "{worst}: {cure}: {of_object:?}");
            advised += 1;
        }
    }
    assert!(acted > 0 && advised > 10 && empty > 10, "{acted} {advised} {empty}");
}
