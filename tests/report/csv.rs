//! Tables as CSV: cells that a spreadsheet does not run, and the byte order mark.

use crate::support::{
    desk::{DONE, Desk, region, sound},
    object::Prim,
};
use hullmark_report::tables::heads;

#[test]
fn names_are_no_formulas_and_numbers_are_numbers() {
    let thing = Prim { position: [-3.5, 128.0, 25.0], ..Prim::new("=SUM(1,2)", 6) };
    let desk = Desk::with(&[("region.oar", &region(&[thing]).gzip())]);
    desk.run_to(DONE, "audit region.oar --out report");
    let [object] = &desk.table("report", "objects")[..] else { panic!("one object") };
    assert_eq!(object["name"], "'=SUM(1,2)");
    assert_eq!((&*object["position_x_m"], &*object["parts"]), ("-3.5", "1"));
    assert_eq!(desk.column("report", "parts", "name"), ["'=SUM(1,2)"]);
    for (name, bytes) in desk.files("report").into_iter().filter(|(name, _)| name.ends_with(".csv")) {
        let text = String::from_utf8(bytes).unwrap();
        // Every second piece between quotes is a quoted field.
        let quoted: Vec<&str> = text.split('"').skip(1).step_by(2).collect();
        // The object is outside the region, so a finding and a repair name it too.
        let named = ["actions.csv", "findings.csv", "objects.csv", "parts.csv"].contains(&name.as_str());
        assert_eq!(quoted.contains(&"'=SUM(1,2)"), named, "{name}");
        assert!(quoted.iter().all(|field| field.parse::<f64>().is_err()), "{name}: {quoted:?}");
    }
}

#[test]
fn a_byte_order_mark_only_on_request() {
    let desk = Desk::with(&[("sound.oar", &sound()), ("s.toml", b"report.byte_order_mark = true")]);
    let marked = |folder: &str| -> Vec<bool> {
        let files = desk.files(folder).into_iter().filter(|(name, _)| name.ends_with(".csv"));
        files.map(|(_, bytes)| bytes.starts_with("\u{feff}".as_bytes())).collect()
    };
    desk.run_to(DONE, "audit sound.oar --out plain");
    desk.run_to(DONE, "audit sound.oar --out flag --byte-order-mark");
    desk.run_to(DONE, "audit sound.oar --out file --config s.toml");
    // The table of changes is written only in a comparison with an earlier run, and that of assets on request.
    let tables = heads(&[]).len() - 2;
    assert_eq!(marked("plain"), vec![false; tables]);
    assert_eq!(marked("flag"), vec![true; tables]);
    assert_eq!(marked("file"), vec![true; tables]);
    assert!(!desk.files("flag")["audit.json"].starts_with("\u{feff}".as_bytes()), "JSON has none");
}
