//! JSON lines, SARIF, JUnit and Parquet: required content, and hostile names that stay text.

use crate::support::{
    archive::{Archive, control, settings},
    desk::Desk,
    object::{Prim, xml2},
    read_csv,
};
use quick_xml::{Reader, events::Event};
use serde_json::Value;
use std::{collections::BTreeMap, fs};

/// Returns names that a reader might run, follow, expand, or fail on.
fn hostile_names() -> Vec<String> {
    let mut names: Vec<String> = [
        "=HYPERLINK(\"http://x\",\"y\")",
        "<script>alert(1)</script>",
        "]]> --> &amp;amp; \"quoted\"",
        "[here](http://x) {0} \\",
        "\u{2028}\u{202e}evil",
    ]
    .map(String::from)
    .into();
    names.push("long ".repeat(200) + "name");
    names
}

/// Returns a region with one object of each name, at an impossible position, so that a finding names it.
fn region_of(names: &[String]) -> Vec<u8> {
    let mut archive = Archive::new(&control("00000000-0000-4000-8000-00000000000a", "256,256"))
        .add("settings/Region.xml", settings("1"));
    for (number, name) in (1..).zip(names) {
        let prim = Prim { position: [f64::NAN, 900.0, 25.0], ..Prim::new(name, number) };
        archive = archive.add(&format!("objects/Object_{number}__{}.xml", prim.uuid), xml2(&[prim]));
    }
    archive.gzip()
}

/// Creates a desk with an audit of hostile names.
fn audited(formats: &str) -> Desk {
    let desk = Desk::with(&[("in/[a] {0}.oar", &region_of(&hostile_names()))]);
    desk.run(&format!("audit in --out out --format {formats} -q"));
    desk
}

/// Returns the lines of a table.
fn lines(desk: &Desk, table: &str) -> Vec<Value> {
    let text = fs::read_to_string(desk.at(&format!("out/{table}.jsonl"))).unwrap();
    text.split_terminator('\n').map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn json_lines_equal_csv_with_types_and_exact_names() {
    let desk = audited("csv,jsonl");
    let objects = lines(&desk, "objects");
    let names: Vec<_> = objects.iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, hostile_names());
    assert_eq!(objects[0]["position_x_m"], "NaN");
    assert_eq!(objects[0]["position_y_m"], 900.0);
    assert_eq!(objects[0]["parts"], 1);
    assert_eq!(objects[0]["physical"], false);
    for table in ["archives", "regions", "objects", "parts", "findings", "checks"] {
        let rows = read_csv(&desk.at(&format!("out/{table}.csv")));
        let lines = lines(&desk, table);
        assert_eq!(rows.len(), lines.len(), "{table}");
        for (row, line) in rows.iter().zip(&lines) {
            assert_eq!(row.keys().collect::<Vec<_>>(), line.as_object().unwrap().keys().collect::<Vec<_>>());
            for (column, text) in row {
                let same = match &line[column] {
                    Value::Null => text.is_empty(),
                    Value::Bool(value) => *text == value.to_string(),
                    // CSV has nine decimals.
                    Value::Number(value) => {
                        (value.as_f64().unwrap() - text.parse::<f64>().unwrap()).abs() < 1e-9
                    }
                    Value::String(words) => text == words || *text == format!("'{words}"),
                    other => panic!("{table}.{column}: {other}"),
                };
                assert!(same, "{table}.{column}: {text} is not {}", line[column]);
            }
        }
    }
}

#[test]
fn prims_of_a_large_linkset_are_listed_once_and_in_their_order() {
    // The report is written in pieces. The second linkset fills several, with names of another length.
    let linkset = |first: u32, count: u32| -> Vec<Prim> {
        (first..first + count).map(|number| Prim::new(&"n".repeat(number as usize % 700), number)).collect()
    };
    let objects =
        [linkset(1, 2), linkset(10, 1_500), linkset(2_000, 1), linkset(3_000, 900), linkset(4_000, 3)];
    let mut archive = Archive::new(&control("00000000-0000-4000-8000-00000000000a", "256,256"))
        .add("settings/Region.xml", settings("1"));
    for (number, parts) in objects.iter().enumerate() {
        archive = archive.add(&format!("objects/Object_{number}__{}.xml", parts[0].uuid), xml2(parts));
    }
    let desk = Desk::with(&[("region.oar", &archive.gzip())]);
    desk.run("audit region.oar --out out --format csv,jsonl -q");
    let expected: Vec<(String, String)> = objects
        .iter()
        .flat_map(|parts| parts.iter().map(|part| (parts[0].uuid.clone(), part.uuid.clone())))
        .collect();
    let csv = read_csv(&desk.at("out/parts.csv")).into_iter();
    let csv = csv.map(|mut row| ["object_uuid", "part_uuid"].map(|column| row.remove(column).unwrap()));
    assert!(csv.map(<(String, String)>::from).eq(expected.iter().cloned()));
    let jsonl = lines(&desk, "parts").into_iter();
    let jsonl =
        jsonl.map(|row| ["object_uuid", "part_uuid"].map(|key| row[key].as_str().unwrap().to_owned()));
    assert!(jsonl.map(<(String, String)>::from).eq(expected));
    let counts = lines(&desk, "objects").into_iter().map(|row| row["parts"].as_u64().unwrap());
    assert!(counts.eq(objects.iter().map(|parts| parts.len() as u64)));
}

#[test]
fn sarif_has_each_finding_and_each_rule() {
    let desk = audited("csv,sarif");
    let sarif: Value =
        serde_json::from_str(&fs::read_to_string(desk.at("out/audit.sarif")).unwrap()).unwrap();
    let run = &sarif["runs"][0];
    let rows = read_csv(&desk.at("out/findings.csv"));
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), rows.len());
    let mut seen = Vec::new();
    for (result, row) in results.iter().zip(&rows) {
        assert_eq!(result["ruleId"], row["code"]);
        let level = match &*row["severity"] {
            "blocker" | "error" => "error",
            "warning" => "warning",
            _ => "note",
        };
        assert_eq!(result["level"], level);
        let fingerprints = &result["partialFingerprints"];
        assert_eq!(*fingerprints, serde_json::json!({ "hullmark/v1": row["fingerprint"] }));
        assert_eq!(result["properties"]["count"].to_string(), row["count"]);
        let location = &result["locations"][0];
        assert_eq!(location["physicalLocation"]["artifactLocation"]["uri"], "in/%5Ba%5D%20%7B0%7D.oar");
        let logical = location["logicalLocations"].as_array().map_or(&[][..], Vec::as_slice);
        let named = logical.iter().filter(|location| location["kind"] == "object");
        seen.extend(named.map(|object| object["name"].as_str().unwrap().to_owned()));
    }
    for name in hostile_names() {
        assert!(seen.contains(&name), "{name:.40} is not found");
    }
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    assert_eq!(rules.len(), hullmark_finding::Code::all().count());
    assert!(rules.iter().all(|rule| rule["help"]["text"].as_str().is_some_and(|help| help.len() > 20)));
    assert_eq!(run["invocations"][0]["executionSuccessful"], true);
}

#[test]
fn unread_inputs_are_no_success_in_sarif() {
    let desk = Desk::with(&[("cut.oar", &region_of(&hostile_names())[..200])]);
    desk.run("audit cut.oar --out out --format sarif -q");
    let sarif: Value =
        serde_json::from_str(&fs::read_to_string(desk.at("out/audit.sarif")).unwrap()).unwrap();
    let invocation = &sarif["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    let notified = &invocation["toolExecutionNotifications"][0]["locations"][0];
    assert_eq!(notified["physicalLocation"]["artifactLocation"]["uri"], "cut.oar");
}

/// The outcome of a case (`failure`, `skipped` or empty) and its text, by name.
type Cases = BTreeMap<String, (String, String)>;

/// Returns the suites of a JUnit file: the attributes and the cases of each.
fn suites(text: &str) -> Vec<(BTreeMap<String, String>, Cases)> {
    let mut reader = Reader::from_str(text);
    let mut suites: Vec<(BTreeMap<String, String>, Cases)> = Vec::new();
    let mut case = String::new();
    loop {
        let event = reader.read_event().unwrap();
        match &event {
            Event::Eof => return suites,
            Event::Start(tag) | Event::Empty(tag) => {
                let attributes: BTreeMap<String, String> = tag
                    .attributes()
                    .map(Result::unwrap)
                    .map(|a| {
                        (a.key.as_ref().to_owned(), quick_xml::escape::unescape(&a.value).unwrap().into())
                    })
                    .collect();
                match tag.name().as_ref() {
                    "testsuite" => suites.push((attributes, Cases::new())),
                    "testcase" => {
                        case = attributes["name"].split(' ').next().unwrap().to_owned();
                        suites.last_mut().unwrap().1.insert(case.clone(), Default::default());
                    }
                    what @ ("failure" | "skipped") => {
                        let reported = suites.last_mut().unwrap().1.get_mut(&case).unwrap();
                        *reported = (what.to_owned(), attributes["message"].clone() + "\n");
                    }
                    _ => {}
                }
            }
            Event::Text(text) if !case.is_empty() => {
                suites.last_mut().unwrap().1.get_mut(&case).unwrap().1 += text;
            }
            Event::GeneralRef(name) => {
                let reference = format!("&{};", &**name);
                suites.last_mut().unwrap().1.get_mut(&case).unwrap().1 +=
                    &quick_xml::escape::unescape(&reference).unwrap();
            }
            _ => {}
        }
    }
}

#[test]
fn junit_fails_where_a_rule_failed_and_passes_nothing_that_is_not_evaluated() {
    let desk = audited("csv,junit");
    let suites = suites(&fs::read_to_string(desk.at("out/audit.junit.xml")).unwrap());
    let [(suite, cases)] = suites.as_slice() else { panic!("{} suites", suites.len()) };
    assert_eq!(suite["name"], "in/[a] {0}.oar");
    assert_eq!(suite["tests"], cases.len().to_string());
    let (mut failures, mut skipped) = (0, 0);
    for check in read_csv(&desk.at("out/checks.csv")) {
        let number = |column: &str| check[column].parse::<u64>().unwrap();
        let found = cases.get(&check["code"]);
        if number("checked") == 0 {
            assert_eq!(found, None, "{}", check["code"]);
            continue;
        }
        let (what, reported) = found.unwrap();
        let expected = match () {
            () if number("failed") > 0 && ["error", "blocker"].contains(&&*check["severity"]) => "failure",
            () if number("not_evaluated") > 0 => "skipped",
            () => "",
        };
        assert_eq!(what, expected, "{}: {reported}", check["code"]);
        if expected == "skipped" {
            assert!(reported.contains(&check["reason"]), "{reported}");
        }
        failures += usize::from(expected == "failure");
        skipped += usize::from(expected == "skipped");
    }
    assert_eq!(
        (suite["failures"].clone(), suite["skipped"].clone()),
        (failures.to_string(), skipped.to_string())
    );
    assert!(failures > 0 && skipped > 0);
    let reported: String = cases.values().map(|(_, reported)| reported.as_str()).collect();
    for name in hostile_names() {
        assert!(reported.contains(&name), "{name:.40} is not told");
    }
}

#[cfg_attr(feature = "parquet", ignore = "for a program without the feature parquet")]
#[test]
fn parquet_that_was_not_built_is_an_error_and_leaves_nothing() {
    let desk = Desk::with(&[("a.oar", &region_of(&hostile_names()))]);
    let run = desk.run_to(crate::support::desk::USAGE, "audit a.oar --out out --format csv,parquet");
    assert!(run.stderr.contains("--features parquet"), "{}", run.stderr);
    assert!(!desk.at("out").exists());
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_has_exact_names() {
    use parquet::{
        file::reader::{FileReader, SerializedFileReader},
        record::Field,
    };
    let desk = audited("parquet");
    let reader = SerializedFileReader::new(fs::File::open(desk.at("out/objects.parquet")).unwrap()).unwrap();
    let names = reader.get_row_iter(None).unwrap().map(|row| {
        let row = row.unwrap();
        let field = row.get_column_iter().find(|(name, _)| *name == "name").unwrap().1;
        let Field::Str(name) = field else { panic!("{field:?}") };
        name.clone()
    });
    assert_eq!(names.collect::<Vec<_>>(), hostile_names());
}
