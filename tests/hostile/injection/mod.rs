//! Names with attacks: an export in which every word is an attack, in every format and command.

mod checks;
mod exports;

use crate::support::{
    archive::{Archive, control, settings},
    desk::{DONE, Desk, FINDINGS, INCOMPLETE},
    object::{Prim, uuid, xml2},
};
use checks::{
    assert_csv, assert_nothing_escaped, assert_page, assert_printed, assert_sarif, assert_workbook,
    assert_xml, is_unseen, misleads, others,
};
use exports::{HOSTILE_FILE, PAYLOADS, desk, hostile};
use serde_json::Value;
use std::{
    collections::BTreeSet,
    fs,
    io::{self, Write},
};

fn read(desk: &Desk, name: &str) -> String {
    fs::read_to_string(desk.at(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn every_format_stores_names_as_text() {
    let desk = desk();
    let before = others(&desk);
    let formats =
        if cfg!(feature = "xlsx") { "csv,jsonl,xlsx,html,sarif,junit" } else { "csv,jsonl,html,sarif,junit" };
    let audit = format!(
        "audit work/exports --out work/out --ledgers work/out-ledgers --letters work/out-letters --users work/users.csv \
         --format {formats} --profile second-life --profile opensim-ubode -v"
    );
    let run = desk.run(&audit);
    assert_printed(&audit, &run.stdout, &run.stderr);
    assert_nothing_escaped(&desk, &before);

    let mut endings = BTreeSet::new();
    for (name, bytes) in desk.files("work/out").into_iter().chain(desk.files("work/out-letters")) {
        let (stem, ending) = name.rsplit_once('.').unwrap();
        endings.insert(ending.to_owned());
        if ending == "xlsx" {
            assert_workbook(&name, &bytes);
            continue;
        }
        let text = String::from_utf8(bytes).unwrap();
        match ending {
            "csv" => assert_csv(&name, &text),
            "jsonl" => text.lines().for_each(|line| drop(serde_json::from_str::<Value>(line).unwrap())),
            "json" => drop(serde_json::from_str::<Value>(&text).unwrap()),
            "sarif" => assert_sarif(&text),
            "xml" => assert_xml(&name, &text),
            "html" => assert_page(&name, &text, if stem == "audit" { 13 } else { 0 }),
            "txt" => {
                assert!(!text.contains(misleads), "{name}");
                let header = text.lines().find(|line| line.starts_with("Bcc:") || line.starts_with("<3>"));
                assert!(header.is_none(), "{name}: {header:?}");
            }
            _ => panic!("{name}: nothing is known of such files"),
        }
    }
    assert_eq!(endings.len(), formats.split(',').count() + 2, "{endings:?}");

    // Nothing was lost: programs get the same words as in the export.
    let rows: Vec<Value> = read(&desk, "work/out/objects.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let names: BTreeSet<&str> = rows.iter().filter_map(|row| row["name"].as_str()).collect();
    // Longer than any name that a grid stores.
    let cut = format!("=<evil>{}…", "ä".repeat(508));
    for words in PAYLOADS.iter().copied().chain([cut.as_str(), "Bench", "bench"]) {
        assert!(names.contains(words), "{words:?} is gone");
    }
    let restored: Vec<String> = desk.column("work/out", "objects", "name");
    let restored: BTreeSet<_> =
        restored.iter().map(|cell| hullmark_report::csv::restore(cell).into_owned()).collect();
    assert_eq!(restored.iter().map(String::as_str).collect::<BTreeSet<_>>(), names);
    let found = desk.table("work/out", "findings");
    let unsafe_names: BTreeSet<&str> =
        found.iter().filter(|row| row["code"] == "ARC011").map(|row| row["entry"].as_str()).collect();
    for name in [
        "/tmp/hullmark-escaped",
        "C:\\hullmark-escaped",
        "C:/hullmark-escaped",
        "\\\\evil\\share\\hullmark-escaped",
    ] {
        assert!(unsafe_names.contains(name), "{name} is not told: {unsafe_names:?}");
    }
}

#[test]
fn every_command_prints_names_as_text() {
    let desk = desk();
    desk.run("audit work/exports --out work/out --ledgers work/out-ledgers -q");
    let before = others(&desk);
    let meshes = uuid(0x3e3e_3e3e, 16);
    let commands = [
        "scan work/exports --ledgers work/out-more -v".to_owned(),
        "report work/out-ledgers --out work/out-report --baseline work/out -v".into(),
        "diff work/out work/out-report".into(),
        "diff work/out-nothing work/out --out work/out-diff --format csv,html".into(),
        "preflight work/exports --target opensim-ubode --users work/users.csv -v".into(),
        "preflight work/exports --target opensim-ubode --format html".into(),
        "preflight work/exports --target opensim-ubode --json".into(),
        "preflight work/exports --target opensim-ubode --out work/out-page.html --format html".into(),
        "inspect work/exports/a.oar --object objects".into(),
        format!("inspect work/exports/a.oar --object {}", uuid(0x0b0b_0b0b, 16)),
        format!("inspect work/exports/a.oar --object {} --json", uuid(0x0b0b_0b0b, 17)),
        format!("inspect work/exports/a.oar --object {meshes} -v"),
        format!("inspect work/exports/a.oar --object {meshes} --json"),
        "inspect work/exports/a.oar --object assets/]]><evil/><![CDATA[_mesh.llmesh --svg work/out-hulls.svg"
            .into(),
        format!("inspect {HOSTILE_FILE} --svg work/out-more.svg"),
        format!("inspect {HOSTILE_FILE} --json"),
        "fix work/exports/a.oar --to-physics -v".into(),
        "fix work/exports/a.oar --to-physics 0.2 --allow-none --json".into(),
        "link work/exports/a.oar --split -v".into(),
        "link work/exports/a.oar --split --json".into(),
        "link work/exports/a.oar --object nobody".into(),
        "link work/exports/a.oar --rule havok4".into(),
        "audit work/exports/unknown.xml --out work/out-unknown".into(),
        "plan work/exports --out work/out-plan.json -v".into(),
        "scan --plan work/out-plan.json --shard 1/2 --ledgers work/out-shares -v".into(),
        "report --plan work/out-plan.json work/out-shares --out work/out-shared".into(),
        "report --plan work/out-plan.json work/out-shares --out work/out-shared --partial -v".into(),
    ];
    desk.run("audit work/exports/control --out work/out-nothing -q");
    for arguments in &commands {
        let run = desk.run(arguments);
        // An unknown entry or object, and a report without all shares of its plan.
        let refused = arguments.contains("--object objects")
            || arguments.contains("nobody")
            || arguments.starts_with("report") && arguments.ends_with("out-shared");
        assert_eq!(run.code == 2, refused, "{arguments}: {}", run.stderr);
        assert_printed(arguments, &run.stdout, &run.stderr);
        assert!(
            !run.stdout.is_empty() || !run.stderr.is_empty() || arguments.contains("--svg"),
            "{arguments}"
        );
        if arguments.ends_with("json") {
            let value: Value = serde_json::from_str(&run.stdout).unwrap();
            assert!(value.is_object() || value.is_array());
        }
        if arguments.ends_with("--format html") && !arguments.contains("--out") {
            assert_page(arguments, &run.stdout, 0);
        }
    }
    for name in ["work/out-hulls.svg", "work/out-more.svg"] {
        assert_xml(name, &read(&desk, name));
    }
    assert!(read(&desk, "work/out-more.svg").contains("&lt;evil"), "the picture does not name its file");
    assert_page("page.html", &read(&desk, "work/out-page.html"), 0);
    assert_csv("changes.csv", &read(&desk, "work/out-diff/changes.csv"));
    assert_nothing_escaped(&desk, &before);
}

/// All invisible characters of Unicode: a person sees a replacement, and a program gets the original text.
#[test]
fn no_invisible_character_reaches_a_person() {
    let unseen: Vec<char> = (char::MIN..=char::MAX).filter(|&c| is_unseen(c)).collect();
    assert!(unseen.len() > 4000, "{}", unseen.len());
    // The characters are between letters, where none of them belongs to a word, and within the length limit of a name.
    let name = |unseen: &[char]| unseen.iter().fold("Ann".to_owned(), |name, c| name + &format!("{c}a"));
    let names: Vec<String> = unseen.chunks(60).map(name).collect();
    let mut archive = Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"));
    for (name, number) in names.iter().zip(1..) {
        let short: String = name.chars().take(20).collect();
        let file = format!("objects/{number} {short}.xml");
        let far = Prim { offset: [60.0, 0.0, 0.0], ..Prim::new(name, 1000 + number) };
        archive = archive.add(&file, xml2(&[Prim::new(name, number), far]));
    }
    let desk = Desk::with(&[("work/exports/a.oar", &archive.add("settings/Here.xml", settings("1")).gzip())]);
    let formats = if cfg!(feature = "xlsx") { "csv,jsonl,xlsx,html" } else { "csv,jsonl,html" };
    let audit = format!(
        "audit work/exports --out work/out --letters work/letters --format {formats} -v --profile second-life"
    );
    let run = desk.run(&audit);
    assert_printed(&audit, &run.stdout, &run.stderr);
    for inspect in ["", " --json"] {
        let inspect = format!("inspect work/exports/a.oar --object {}{inspect}", uuid(0x0b0b_0b0b, 1));
        let run = desk.run(&inspect);
        assert!(run.stdout.contains("Ann"), "{inspect}: {}", run.stderr);
        assert_printed(&inspect, &run.stdout, &run.stderr);
    }
    let mut read = BTreeSet::new();
    for (name, bytes) in desk.files("work/out").into_iter().chain(desk.files("work/letters")) {
        let (stem, ending) = name.rsplit_once('.').unwrap();
        read.insert(ending.to_owned());
        match ending {
            "html" => {
                assert_page(&name, &String::from_utf8(bytes).unwrap(), if stem == "audit" { 13 } else { 0 });
            }
            "txt" => assert!(!String::from_utf8(bytes).unwrap().contains(misleads), "{name}"),
            "xlsx" => assert_workbook(&name, &bytes),
            _ => {}
        }
    }
    assert!(read.is_superset(&["html", "txt", "csv", "jsonl"].map(String::from).into()), "{read:?}");
    let reported: BTreeSet<String> = desk.column("work/out", "objects", "name").into_iter().collect();
    assert_eq!(reported, names.into_iter().collect());
}

/// On a terminal the program shows a bar with names of inputs, and writes its own control sequences.
#[cfg(target_os = "linux")]
#[test]
fn a_terminal_gets_no_foreign_control_sequence() {
    let desk = desk();
    let program = env!("CARGO_BIN_EXE_hullmark");
    let command = format!(
        "{program} audit work/exports --out work/out --threads 1 -v; {program} audit --out work/out $'\\e]8;;evil\\e[2J\\n\\xc2\\x9b'"
    );
    let mut script = std::process::Command::new("script");
    script.args(["-qec", &format!("bash -c {}", quoted(&command)), "/dev/null"]).current_dir(desk.at(""));
    let Ok(output) = script.output() else {
        // Not `eprintln!`, which the test harness would swallow.
        let _ = writeln!(io::stderr(), "skipped: there is no program `script`, which makes a terminal");
        return;
    };
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("\u{1b}[") && text.contains("Read "), "there was no terminal: {text}");
    for harm in [
        "\u{1b}]",
        "\u{1b}[31mred",
        "\u{7}",
        "\u{9b}",
        "\u{9d}",
        "\u{202e}",
        "\u{200b}",
        "\u{2028}",
        "\u{7f}",
    ] {
        let line = text.lines().find(|line| line.contains(harm));
        assert!(line.is_none(), "{harm:?}: {line:?}");
    }
    // Bars move the cursor within their lines. The program never clears a screen.
    assert!(!text.contains("\u{1b}[2J"), "the screen was cleared");
}

/// Returns words quoted for a shell.
fn quoted(words: &str) -> String {
    format!("'{}'", words.replace('\'', "'\\''"))
}

#[test]
fn a_waiver_of_a_hostile_name_is_one_waiver() {
    let desk = Desk::with(&[("work/exports/a.oar", &hostile())]);
    desk.run("audit work/exports --out work/out --format csv -q");
    let findings = desk.table("work/out", "findings");
    let mut waived = 0;
    for row in findings.iter().filter(|row| row["code"] == "LNK001") {
        let fingerprint = &row["fingerprint"];
        let arguments = format!(
            "waive {fingerprint} --report work/out --file work/out-waivers.toml --reason {} --who Ann --until 2026-12-31 \
             --now 2026-11-21T00:00:00Z",
            PAYLOADS[16]
        );
        let run = desk.run_to(DONE, &arguments);
        assert_printed(&arguments, &run.stdout, &run.stderr);
        waived += 1;
        let written: toml::Table = read(&desk, "work/out-waivers.toml").parse().unwrap();
        assert_eq!(written.keys().collect::<Vec<_>>(), ["waiver"]);
        assert_eq!(written["waiver"].as_array().unwrap().len(), waived);
    }
    assert!(waived > 20, "{waived}");
    let run = desk.run(
        "audit work/exports --out work/out-again --waivers work/out-waivers.toml --now 2026-11-21T00:00:00Z",
    );
    assert!([DONE, FINDINGS, INCOMPLETE].contains(&run.code), "{}", run.stderr);
}

#[test]
fn ledgers_of_different_inputs_have_different_names() {
    let long = "x".repeat(5000);
    let inputs =
        ["A.oar", "a.oar", "x/a.oar", "../a.oar", "/", "..", "", "a\0.oar", "CON", "a:b", "ä.oar", &long];
    let names: BTreeSet<String> =
        inputs.iter().map(|input| hullmark_ledger::file_name(input, false).to_lowercase()).collect();
    assert_eq!(names.len(), inputs.len());
    for name in names {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        assert!(name.chars().all(plain) && name.len() < 100, "{name}");
    }
}

/// The compiler refuses unsafe code. This test checks that the lint is on everywhere.
#[test]
fn no_code_is_unsafe() {
    let manifest = |folder: &std::path::Path| -> toml::Table {
        fs::read_to_string(folder.join("Cargo.toml")).unwrap().parse().unwrap()
    };
    let root = crate::support::repository();
    let workspace = manifest(root);
    assert_eq!(workspace["workspace"]["lints"]["rust"]["unsafe_code"].as_str(), Some("forbid"));
    let members = workspace["workspace"]["default-members"].as_array().unwrap();
    assert!(members.len() > 10);
    for member in members {
        let member = member.as_str().unwrap();
        assert_eq!(manifest(&root.join(member))["lints"]["workspace"].as_bool(), Some(true), "{member}");
    }
}
