//! The program as people run it: exit codes, files, and what is said.
//!
//! Every test has a [`Desk`]: a folder of its own with a few small exports, in which the built program runs.

use crate::support::{
    archive::{Archive, control, settings},
    files,
    llsd::Llsd,
    mesh::{MeshFile, convex, cube_corners, cube_submesh},
    object::{Prim, uuid, xml2},
};
use hullmark::{finding::Code, report::tables::heads, rules::catalogue};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::{self, Write},
    path::PathBuf,
    process::Command,
};
use tempfile::TempDir;
use walkdir::WalkDir;

pub(crate) const DONE: i32 = 0;
pub(crate) const FINDINGS: i32 = 1;
pub(crate) const USAGE: i32 = 2;
pub(crate) const INCOMPLETE: i32 = 3;
pub(crate) const STOPPED: i32 = 4;

/// A folder in which the program runs.
pub(crate) struct Desk(TempDir);

/// How a run ended and what it said.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// The files of a folder: their names and bytes.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// A row of a table: its values by column.
pub(crate) type Row = BTreeMap<String, String>;

impl Desk {
    /// A folder with these files in it.
    pub(crate) fn with(files: &[(&str, &[u8])]) -> Self {
        let desk = Self(tempfile::tempdir().unwrap());
        for (name, bytes) in files {
            desk.write(name, bytes);
        }
        desk
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.at(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// Runs the program with arguments that hold no blanks. However it ends, nothing half done may stay.
    pub(crate) fn run(&self, arguments: &str) -> Run {
        self.run_where(&[], arguments)
    }

    /// The same in an environment that has these, too.
    pub(crate) fn run_where(&self, environment: &[(&str, &str)], arguments: &str) -> Run {
        let partial = || -> BTreeSet<PathBuf> {
            let names = WalkDir::new(self.0.path()).into_iter().flatten().map(walkdir::DirEntry::into_path);
            names.filter(|path| path.to_string_lossy().contains(".partial")).collect()
        };
        let before = partial();
        let mut command = Command::new(env!("CARGO_BIN_EXE_hullmark"));
        command.args(arguments.split(' ')).current_dir(self.0.path()).envs(environment.iter().copied());
        let output = command.output().unwrap();
        let run = Run {
            code: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        };
        let left: Vec<_> = partial().difference(&before).cloned().collect();
        assert!(left.is_empty(), "{arguments}: left behind {left:?}");
        run
    }

    /// Runs the program and expects this exit code.
    pub(crate) fn run_to(&self, code: i32, arguments: &str) -> Run {
        let run = self.run(arguments);
        assert_eq!(run.code, code, "{arguments}\n{}{}", run.stdout, run.stderr);
        run
    }

    pub(crate) fn files(&self, folder: &str) -> Files {
        files(&self.at(folder))
    }

    /// The rows of a table of the report in this folder.
    pub(crate) fn table(&self, folder: &str, table: &str) -> Vec<Row> {
        let mut reader = csv::Reader::from_path(self.at(folder).join(format!("{table}.csv"))).unwrap();
        reader.deserialize().map(Result::unwrap).collect()
    }

    /// One column of a table.
    pub(crate) fn column(&self, folder: &str, table: &str, column: &str) -> Vec<String> {
        self.table(folder, table).into_iter().map(|mut row| row.remove(column).unwrap()).collect()
    }

    pub(crate) fn audit_json(&self, folder: &str) -> Value {
        serde_json::from_slice(&fs::read(self.at(folder).join("audit.json")).unwrap()).unwrap()
    }
}

/// A region with one linkset, and an asset, so that it is not called an archive without assets.
fn region(parts: &[Prim]) -> Archive {
    Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"))
        .add("objects/thing.xml", xml2(parts))
        .add("settings/Somewhere.xml", settings("1"))
        .add(&format!("assets/{}_notecard.txt", uuid(0x1010_1010, 1)), "a note")
}

/// A region in which nothing is wrong.
pub(crate) fn sound() -> Vec<u8> {
    region(&[Prim::new("Chair", 1)]).gzip()
}

/// A region with an error: a linkset of two prims that are 60 m apart.
pub(crate) fn faulty() -> Vec<u8> {
    let far = Prim { offset: [60.0, 0.0, 0.0], ..Prim::new("Far end", 3) };
    region(&[Prim::new("Bridge", 2), far]).gzip()
}

/// The first part of an archive.
pub(crate) fn truncated() -> Vec<u8> {
    let whole = sound();
    whole[..whole.len() * 2 / 3].to_vec()
}

/// A region with a mesh, a folder with an archive's name, loose files, and a damaged archive.
pub(crate) fn mixed() -> Desk {
    let mesh = uuid(0x3e3e_3e3e, 1);
    let crate_ = Prim { mesh: Some(mesh.clone()), ..Prim::new("Crate", 4) };
    let with_mesh =
        region(&[crate_]).add(&format!("assets/{mesh}_mesh.llmesh"), MeshFile::cube().encode()).gzip();
    Desk::with(&[
        ("a.oar", &sound()),
        ("b.oar", &faulty()),
        ("India.oar/India.oar", &with_mesh),
        ("cut.oar", &truncated()),
        ("loose/box.xml", xml2(&[Prim::new("Box", 5)]).as_bytes()),
        ("loose/cube.llmesh", &MeshFile::cube().encode()),
        ("loose/notes.txt", b"nothing to audit"),
    ])
}

/// Compares two reports; the bytes are too many to print.
fn assert_same(one: &Files, other: &Files) {
    assert_eq!(one.keys().collect::<Vec<_>>(), other.keys().collect::<Vec<_>>());
    for (name, bytes) in one {
        assert!(*bytes == other[name], "{name} differs");
    }
}

#[test]
fn exit_0_a_report_is_not_a_failure() {
    let desk = Desk::with(&[("sound.oar", &sound()), ("faulty.oar", &faulty())]);
    desk.run_to(DONE, "audit sound.oar --out report --fail-on error");
    desk.run_to(DONE, "audit faulty.oar --out report");
    desk.run_to(DONE, "audit faulty.oar --out report --fail-on blocker");
    assert_eq!(desk.column("report", "findings", "code"), ["LNK001"]);
}

#[test]
fn exit_1_findings_at_or_above_the_severity() {
    let desk = Desk::with(&[("faulty.oar", &faulty()), ("settings.toml", b"fail_on = \"warning\"")]);
    let run = desk.run_to(FINDINGS, "audit faulty.oar --out report --fail-on error");
    assert!(run.stdout.contains("LNK001"), "{}", run.stdout);
    assert_eq!(desk.column("report", "findings", "severity"), ["error"]);
    desk.run_to(FINDINGS, "audit faulty.oar --out report --config settings.toml");
    desk.run_to(DONE, "audit faulty.oar --out report --config settings.toml --fail-on none");
}

#[test]
fn an_export_without_assets_fails_where_they_are_required() {
    let bare = Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"))
        .add("objects/thing.xml", xml2(&[Prim::new("Chair", 1)]));
    let desk = Desk::with(&[("bare.oar", &bare.gzip()), ("sound.oar", &sound())]);
    desk.run_to(DONE, "audit bare.oar --out report --fail-on blocker");
    assert_eq!(desk.column("report", "findings", "severity"), ["info"]);
    desk.run_to(FINDINGS, "audit bare.oar --out report --fail-on blocker --require-assets");
    assert_eq!(desk.column("report", "findings", "code"), ["ARC009"]);
    assert_eq!(desk.column("report", "findings", "severity"), ["blocker"]);
    desk.run_to(DONE, "audit sound.oar --out report --fail-on blocker --require-assets");
}

#[test]
fn exit_2_wrong_usage_with_a_sentence_that_helps() {
    let desk = Desk::with(&[
        ("sound.oar", &sound()),
        ("a-file", b"precious"),
        ("settings.toml", b"[limits]\nentires = 5\n"),
        ("no-toml.toml", b"= ="),
    ]);
    for (arguments, words) in [
        ("audit nowhere.oar --out report", &["nowhere.oar cannot be audited"][..]),
        ("audit sound.oar --out report --config settings.toml", &["`limits.entires`", "`entries`"]),
        ("audit sound.oar --out report --config no-toml.toml", &["no-toml.toml is not valid TOML"]),
        ("audit sound.oar --out report --config none.toml", &["none.toml cannot be read"]),
        ("audit sound.oar --out report --profile second-live", &["`second-live`", "second-life"]),
        ("audit sound.oar --out report --fail-on fatal", &["blocker"]),
        ("audit sound.oar --out report --now yesterday", &["--now"]),
        ("audit sound.oar --out a-file", &["a-file cannot be written"]),
        ("audit sound.oar --out a-file/report", &["a-file/report cannot be written"]),
        ("audit sound.oar", &["--out"]),
        ("audit --out report", &["<PATH>"]),
        ("scan sound.oar --ledgers a-file", &["a-file cannot be used"]),
        ("report nowhere --out report", &["nowhere"]),
    ] {
        let run = desk.run_to(USAGE, arguments);
        assert!(words.iter().all(|word| run.stderr.contains(word)), "{arguments}: {}", run.stderr);
        assert_eq!(run.stdout, "", "{arguments}");
        assert!(!desk.at("report/audit.json").exists(), "{arguments}: audit.json says that all is there");
    }
    assert_eq!(fs::read(desk.at("a-file")).unwrap(), b"precious");
}

#[test]
fn exit_3_an_input_was_not_read_to_its_end() {
    let desk = Desk::with(&[("cut.oar", &truncated()), ("faulty.oar", &faulty())]);
    let run = desk.run_to(INCOMPLETE, "audit cut.oar faulty.oar --out report");
    assert!(run.stdout.contains("INCOMPLETE"), "{}", run.stdout);
    let statuses = desk.column("report", "archives", "status");
    assert!(statuses[0] != "complete" && statuses[1] == "complete", "{statuses:?}");
    // All the rest is written, and says that it is not all.
    assert!(desk.column("report", "objects", "name").contains(&"Bridge".into()));
    let audit = desk.audit_json("report");
    assert_eq!((&audit["complete"], &audit["not_read"][0]["archive"]), (&false.into(), &"cut.oar".into()));
    // 3 wins over 1.
    desk.run_to(INCOMPLETE, "audit cut.oar faulty.oar --out report --fail-on info");
    desk.run_to(INCOMPLETE, "scan cut.oar --ledgers ledgers");
    desk.run_to(INCOMPLETE, "report ledgers --out report --fail-on info");
}

#[test]
fn settings_that_were_printed_can_be_read_again() {
    let desk = Desk::with(&[("sound.oar", &sound())]);
    let changed =
        "audit --profile opensim-ubode --threads 3 --fail-on warning --byte-order-mark --dump-config";
    let printed = desk.run_to(DONE, changed).stdout;
    for line in
        ["profile = \"opensim-ubode\"", "threads = 3", "fail_on = \"warning\"", "byte_order_mark = true"]
    {
        assert!(printed.contains(line), "{line} is not in\n{printed}");
    }
    desk.write("settings.toml", &printed);
    assert_eq!(desk.run_to(DONE, "audit --config settings.toml --dump-config").stdout, printed);
    // The command's own arguments may stand there and do nothing.
    let full = "audit sound.oar --out report --config settings.toml --dump-config";
    assert_eq!(desk.run_to(DONE, full).stdout, printed);
    assert!(!desk.at("report").exists());
    assert_ne!(desk.run_to(DONE, "scan --dump-config").stdout, printed);
}

#[test]
fn scan_and_report_are_audit() {
    let desk = mixed();
    desk.run_to(INCOMPLETE, "audit a.oar b.oar India.oar cut.oar loose --out audited");
    desk.run_to(INCOMPLETE, "scan a.oar b.oar India.oar cut.oar loose --ledgers ledgers");
    desk.run_to(INCOMPLETE, "report ledgers --out reported");
    assert_same(&desk.files("audited"), &desk.files("reported"));
    assert_eq!(desk.files("ledgers").len(), 5);
    // Two halves of a night make one report.
    desk.run_to(DONE, "scan b.oar loose a.oar --ledgers first");
    desk.run_to(INCOMPLETE, "scan cut.oar India.oar --ledgers second");
    desk.run_to(INCOMPLETE, "report second first --out merged");
    assert_same(&desk.files("audited"), &desk.files("merged"));
}

#[test]
fn a_damaged_ledger_is_refused() {
    let desk = Desk::with(&[("sound.oar", &sound())]);
    desk.run_to(DONE, "scan sound.oar --ledgers ledgers");
    let (name, mut bytes) = desk.files("ledgers").pop_first().unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    desk.write(&format!("ledgers/{name}"), bytes);
    let run = desk.run_to(USAGE, "report ledgers --out report");
    assert!(run.stderr.contains("scan its input again"), "{}", run.stderr);
    assert!(!desk.at("report/audit.json").exists());
}

#[test]
fn the_same_bytes_whatever_the_threads_and_the_order() {
    let desk = mixed();
    desk.run_to(INCOMPLETE, "audit a.oar b.oar India.oar cut.oar loose --out one --threads 1");
    desk.run_to(INCOMPLETE, "audit loose cut.oar India.oar b.oar a.oar --out four --threads 4");
    desk.run_to(
        INCOMPLETE,
        "audit b.oar India.oar/India.oar b.oar loose a.oar India.oar cut.oar --out twice",
    );
    let one = desk.files("one");
    assert_eq!(desk.column("one", "objects", "name"), ["Crate", "Chair", "Bridge", "Box"]);
    assert_same(&one, &desk.files("four"));
    assert_same(&one, &desk.files("twice"));
}

#[test]
fn time_stands_in_the_manifest_only_where_asked_for() {
    let desk = Desk::with(&[("sound.oar", &sound())]);
    desk.run_to(DONE, "audit sound.oar --out timeless");
    assert_eq!(desk.audit_json("timeless")["manifest"]["now"], Value::Null);
    desk.run_to(DONE, "audit sound.oar --out dated --now 2026-11-21T04:00:00Z");
    assert_eq!(desk.audit_json("dated")["manifest"]["now"], "2026-11-21T04:00:00Z");
    let tables = |folder, has_time: bool| {
        let mut files = desk.files(folder);
        let page = files.remove("audit.html").unwrap();
        assert_eq!(String::from_utf8(page).unwrap().contains("2026-11-21T04:00:00Z"), has_time);
        // The workbook has the manifest in it, as audit.json has.
        files.retain(|name, _| name.ends_with(".csv"));
        files
    };
    assert_same(&tables("timeless", false), &tables("dated", true));
}

#[test]
fn quiet_says_only_what_went_wrong() {
    let desk = Desk::with(&[("faulty.oar", &faulty())]);
    for (code, arguments) in [
        (DONE, "audit faulty.oar --out report --quiet"),
        (DONE, "scan faulty.oar --ledgers ledgers --quiet"),
        (DONE, "report ledgers --out report -q"),
    ] {
        let run = desk.run_to(code, arguments);
        assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""), "{arguments}");
    }
    let run = desk.run_to(FINDINGS, "audit faulty.oar --out report --quiet --fail-on error");
    assert!(run.stdout.is_empty() && run.stderr.contains("(exit code 1): "), "{}", run.stderr);
    assert!(desk.run_to(DONE, "audit faulty.oar --out report").stdout.starts_with("Audited 1 inputs"));
    assert_ne!(desk.run_to(USAGE, "audit nowhere.oar --out report --quiet").stderr, "");
}

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
        // It stands outside the region, so a finding names it too.
        let named = ["findings.csv", "objects.csv", "parts.csv"].contains(&name.as_str());
        assert_eq!(quoted.contains(&"'=SUM(1,2)"), named, "{name}");
        assert!(quoted.iter().all(|field| field.parse::<f64>().is_err()), "{name}: {quoted:?}");
    }
}

#[test]
fn a_byte_order_mark_only_where_asked_for() {
    let desk = Desk::with(&[("sound.oar", &sound()), ("s.toml", b"report.byte_order_mark = true")]);
    let marked = |folder: &str| -> Vec<bool> {
        let files = desk.files(folder).into_iter().filter(|(name, _)| name.ends_with(".csv"));
        files.map(|(_, bytes)| bytes.starts_with("\u{feff}".as_bytes())).collect()
    };
    desk.run_to(DONE, "audit sound.oar --out plain");
    desk.run_to(DONE, "audit sound.oar --out flag --byte-order-mark");
    desk.run_to(DONE, "audit sound.oar --out file --config s.toml");
    // That of changes is written only beside another night.
    let tables = heads(&[]).len() - 1;
    assert_eq!(marked("plain"), vec![false; tables]);
    assert_eq!(marked("flag"), vec![true; tables]);
    assert_eq!(marked("file"), vec![true; tables]);
    assert!(!desk.files("flag")["audit.json"].starts_with("\u{feff}".as_bytes()), "JSON has none");
}

#[test]
fn a_run_does_not_audit_its_own_report() {
    let desk = Desk::with(&[("sound.oar", &sound()), ("notes.txt", b"kept")]);
    desk.run_to(DONE, "audit . --out nightly/report");
    let first = desk.files("nightly/report");
    let names = desk.column("nightly/report", "archives", "archive");
    assert_eq!(names, [".", "./sound.oar"]);
    desk.run_to(DONE, "audit . --out nightly/report");
    assert_same(&first, &desk.files("nightly/report"));

    desk.run_to(DONE, "scan . --ledgers nightly/report/ledgers");
    let first = desk.files("nightly/report/ledgers");
    desk.run_to(DONE, "scan . --ledgers nightly/report/ledgers");
    assert_same(&first, &desk.files("nightly/report/ledgers"));
}

#[test]
fn a_folder_may_be_named_like_an_archive() {
    let desk = Desk::with(&[("India.oar/India.oar", &sound())]);
    desk.run_to(DONE, "audit India.oar --out report");
    let [archive] = &desk.table("report", "archives")[..] else { panic!("one input") };
    assert_eq!((&*archive["archive"], &*archive["kind"]), ("India.oar/India.oar", "oar"));
    assert_eq!(desk.column("report", "objects", "name"), ["Chair"]);
}

#[cfg(unix)]
#[test]
fn numbers_that_are_none_cost_their_own_object_only() {
    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut lost = Prim::new("Lost", 1);
        lost.position[0] = number;
        lost.scale[1] = number;
        lost.rotation[2] = number;
        // A form that is no plain box, so that its size counts.
        lost.physics_shape_type = Some(2);
        let desk = Desk::with(&[("lost.xml", xml2(&[lost]).as_bytes()), ("sound.oar", &sound())]);
        desk.run_to(DONE, "audit . --out report");
        let row = |name: &str| {
            let rows = desk.table("report", "objects");
            rows.into_iter().find(|row| row["name"] == name).unwrap()
        };
        assert_eq!((row("Lost")["linkable"].as_str(), row("Lost")["size_x_m"].as_str()), ("", ""));
        assert_eq!(row("Chair")["land_impact"], "1");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_no_text_is_read_all_the_same() {
    use std::os::unix::ffi::OsStrExt;
    let desk = Desk::with(&[("tree/archive.xml", control(&uuid(0x4e4e_4e4e, 1), "256,256").as_bytes())]);
    let object = xml2(&[Prim::new("Odd", 1)]);
    for folder in ["", "tree/objects"] {
        fs::create_dir_all(desk.at(folder)).unwrap();
        fs::write(desk.at(folder).join(std::ffi::OsStr::from_bytes(b"odd\xff.xml")), &object).unwrap();
    }
    desk.run_to(DONE, "audit . --out report");
    assert_eq!(desk.column("report", "objects", "name"), ["Odd", "Odd"]);
}

#[test]
fn a_finding_about_a_whole_input_is_shown_with_its_name() {
    let desk = Desk::with(&[("cut.oar", &truncated())]);
    let run = desk.run_to(INCOMPLETE, "audit . --out report");
    assert!(run.stdout.contains("ARC001    1 × ./cut.oar: "), "{}", run.stdout);
}

#[test]
fn a_block_that_cannot_be_read_is_not_taken_for_absent() {
    let mesh = uuid(0x3e3e_3e3e, 1);
    let part = Prim { mesh: Some(mesh.clone()), scale: [2.0; 3], ..Prim::new("Statue", 1) };
    let asset = |file: MeshFile| {
        let name = format!("assets/{mesh}_mesh.llmesh");
        region(std::slice::from_ref(&part)).add(&name, file.encode()).gzip()
    };
    let broken = MeshFile::cube().block("physics_convex", &Llsd::Int(7));
    let desk = Desk::with(&[("bare.oar", &asset(MeshFile::cube())), ("broken.oar", &asset(broken))]);
    desk.run_to(DONE, "audit . --out report");
    let found = desk.table("report", "findings").into_iter().filter(|row| row["code"] == "PHY007");
    let archives: Vec<_> = found.map(|row| row["archive"].clone()).collect();
    assert_eq!(archives, ["./bare.oar"]);
}

#[test]
fn links_that_lead_in_circles_end() {
    let desk = Desk::with(&[("exports/deep/sound.oar", &sound())]);
    let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, desk.at(name)).unwrap();
    link("..", "exports/deep/up");
    link("deep", "exports/again");
    link("self", "exports/self");
    let run = desk.run("audit exports --out report");
    // The object is there once. A link to a folder above is named; one to itself cannot be read.
    assert_eq!(desk.column("report", "objects", "name"), ["Chair"]);
    assert_eq!(run.code, INCOMPLETE);
    let mut codes = desk.column("report", "findings", "code");
    codes.sort();
    assert_eq!(codes, ["RUN001", "RUN003", "RUN007"]);
    fs::remove_file(desk.at("exports/self")).unwrap();
    desk.run_to(DONE, "audit exports --out report");
}

#[cfg(unix)]
#[test]
fn a_folder_that_may_not_be_read_makes_the_audit_incomplete() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::with(&[("exports/sound.oar", &sound()), ("exports/secret/other.oar", &sound())]);
    let permit =
        |mode| fs::set_permissions(desk.at("exports/secret"), PermissionsExt::from_mode(mode)).unwrap();
    permit(0o000);
    let denied = fs::read_dir(desk.at("exports/secret")).is_err();
    let run = desk.run("audit exports --out report");
    permit(0o755);
    if !denied {
        let _ = writeln!(io::stderr(), "skipped: this user may read everything");
        return;
    }
    assert_eq!(run.code, INCOMPLETE);
    let archives: Vec<_> = desk.table("report", "archives");
    let statuses: Vec<_> = archives.iter().map(|row| (&*row["archive"], &*row["status"])).collect();
    assert_eq!(statuses, [("exports/secret", "unreadable"), ("exports/sound.oar", "complete")]);
}

#[test]
fn a_run_that_fails_leaves_the_old_report_whole() {
    let desk = Desk::with(&[("sound.oar", &sound()), ("faulty.oar", &faulty())]);
    desk.run_to(DONE, "audit sound.oar --out report");
    let old = desk.files("report");
    desk.run_to(USAGE, "audit faulty.oar nowhere.oar --out report");
    assert_same(&old, &desk.files("report"));
    desk.run_to(DONE, "audit faulty.oar --out report");
    assert!(old["audit.json"] != desk.files("report")["audit.json"]);
}

#[test]
fn what_a_killed_run_left_behind_does_no_harm() {
    let desk = Desk::with(&[("sound.oar", &sound()), ("faulty.oar", &faulty())]);
    desk.run_to(DONE, "audit sound.oar --out clean");
    desk.run_to(DONE, "scan faulty.oar --ledgers ledgers");
    for (name, bytes) in desk.files("ledgers") {
        desk.write(&format!("report/ledgers.partial/{name}"), bytes);
    }
    desk.write("report/objects.csv.partial", "half a table");
    desk.run_to(DONE, "audit sound.oar --out report");
    assert_same(&desk.files("clean"), &desk.files("report"));
}

#[test]
fn opensim_has_no_rule_for_linking() {
    let desk = Desk::with(&[("sound.oar", &sound()), ("faulty.oar", &faulty())]);
    desk.run_to(DONE, "audit faulty.oar sound.oar --out life");
    assert_eq!(desk.column("life", "objects", "linkable"), ["false", "true"]);
    desk.run_to(DONE, "audit faulty.oar sound.oar --out ubode --profile opensim-ubode --fail-on error");
    assert_eq!(desk.column("ubode", "objects", "linkable"), ["", ""]);
    assert_eq!(desk.column("ubode", "objects", "diameter_m"), ["60", "0"]);
}

/// A region that OpenSim reads differently: a house whose mesh has two shapes, the same as a phantom, a small cup,
/// and a chair.
fn house() -> Vec<u8> {
    let (house, cup) = (uuid(0x3e3e_3e3e, 1), uuid(0x3e3e_3e3e, 2));
    let walls = cube_submesh();
    let triangles = || MeshFile::cube().block("physics_mesh", &Llsd::Array(vec![walls.clone()]));
    let halves = convex(&cube_corners(), &[cube_corners(), cube_corners()]);
    let of = |name: &str, number, mesh: &String, side| Prim {
        mesh: Some(mesh.clone()),
        scale: [side; 3],
        ..Prim::new(name, number)
    };
    let ghost = Prim { flags: "Phantom", ..of("Ghost", 3, &house, 20.0) };
    let linked = [Prim::new("House", 1), of("Wall", 2, &house, 20.0)];
    let mut region =
        Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256")).add("objects/a.xml", xml2(&linked));
    for (name, prim) in [("b", ghost), ("c", of("Cup", 4, &cup, 0.4)), ("d", Prim::new("Chair", 5))] {
        region = region.add(&format!("objects/{name}.xml"), xml2(&[prim]));
    }
    region
        .add(&format!("assets/{house}_mesh.llmesh"), triangles().block("physics_convex", &halves).encode())
        .add(&format!("assets/{cup}_mesh.llmesh"), triangles().encode())
        .gzip()
}

#[test]
fn further_profiles_stand_beside_the_first() {
    let desk = Desk::with(&[("house.oar", &house())]);
    let profiles = "--profile second-life --profile opensim-ubode --profile opensim-bulletsim";
    desk.run_to(DONE, "audit house.oar --out alone");
    desk.run_to(DONE, &format!("audit house.oar --out both {profiles}"));

    // The first judges: its columns are what they are without the others.
    let (alone, both) = (desk.table("alone", "objects"), desk.table("both", "objects"));
    assert_eq!((alone[0].contains_key("land_impact_opensim_ubode"), both.len()), (false, 4));
    for (alone, both) in alone.iter().zip(&both) {
        for (column, value) in
            alone.iter().filter(|(column, _)| !["findings", "worst_severity"].contains(&column.as_str()))
        {
            assert_eq!(&both[column], value, "{column}");
        }
    }
    for table in ["parts", "meshes", "hulls", "regions", "parcels"] {
        let name = format!("{table}.csv");
        assert!(desk.files("alone")[&name] == desk.files("both")[&name], "{table}");
    }

    // The wall's triangles: 0.0013 · 36 · 0.266 · 300, and 0.1 for the box. Of the phantom the engine knows nothing.
    let column = |name: &str| desk.column("both", "objects", name);
    assert_eq!(column("physics_cost"), ["0.82", "0.72", "0.36", ""]);
    assert_eq!(column("physics_cost_opensim_ubode"), ["3.83464", "0.1", "0.1", ""]);
    assert_eq!(column("physics_cost_basis_opensim_ubode")[0], "measured");
    assert_eq!(column("physics_cost_if_new_opensim_bulletsim"), ["0.2", "0.1", "0.1", "0.1"]);
    assert_eq!(column("land_impact"), ["1", "1", "1", "1"]);
    assert_eq!(column("land_impact_opensim_ubode"), ["2", "1", "1", "1"]);
    assert_eq!(column("land_impact_opensim_bulletsim"), ["2", "1", "1", "1"]);
    assert_eq!(column("streaming_cost_opensim_ubode"), ["2", "1", "1", "1"]);
    assert_eq!(column("server_weight_opensim_ubode"), ["0", "0", "0", "0"]);
    assert_eq!((column("linkable")[0].as_str(), column("linkable_opensim_ubode")[0].as_str()), ("true", ""));

    let messages = desk.column("both", "findings", "message");
    let told: Vec<_> = messages.iter().filter(|message| message.contains("by profile")).collect();
    assert_eq!(
        told,
        [
            "1 parts collide as something else by profile opensim-ubode: link 2: decomposition → triangle mesh",
            "1 parts collide as something else by profile opensim-ubode: link 0: base hull → triangle mesh",
            "Land impact is 1, and 2 by profile opensim-ubode",
            "Land impact is 1, and 2 by profile opensim-bulletsim",
        ]
    );
    assert!(
        !desk.column("alone", "findings", "message").iter().any(|message| message.contains("by profile"))
    );
    let manifest = &desk.audit_json("both")["manifest"];
    assert_eq!(manifest["also"][1]["name"], "opensim-bulletsim");
    assert!(desk.audit_json("alone")["manifest"].get("also").is_none());

    // Ledgers give the same, and so do settings.
    desk.run_to(DONE, "scan house.oar --ledgers ledgers");
    desk.run_to(DONE, &format!("report ledgers --out later {profiles}"));
    assert_same(&desk.files("both"), &desk.files("later"));
    desk.write("also.toml", "also = [\"opensim-ubode\", \"opensim-bulletsim\"]");
    desk.run_to(DONE, "audit house.oar --out settings --config also.toml");
    assert_same(&desk.files("both"), &desk.files("settings"));
    // A flag wins over all of them, and a profile stands there once.
    desk.run_to(DONE, "audit house.oar --out flag --config also.toml --profile second-life");
    assert_same(&desk.files("alone"), &desk.files("flag"));
    let twice = desk.run_to(USAGE, "audit house.oar --out both --profile second-life --profile second-life");
    assert!(twice.stderr.contains("name each profile once"), "{}", twice.stderr);
}

#[test]
fn a_small_difference_of_cost_is_no_news() {
    let desk =
        Desk::with(&[("house.oar", &house()), ("wide.toml", b"[report]\ncost_difference_percent = 60\n")]);
    let profiles = "--profile opensim-bulletsim --profile opensim-ubode --profile second-life";
    desk.run_to(DONE, &format!("audit house.oar --out report --config wide.toml {profiles}"));
    // 2 against 1 is 50 %.
    assert!(!desk.column("report", "findings", "code").contains(&"CST003".into()));
    desk.run_to(DONE, &format!("audit house.oar --out report {profiles}"));
    assert_eq!(desk.column("report", "findings", "code").iter().filter(|code| *code == "CST003").count(), 1);
}

#[test]
fn what_archives_show_together_depends_on_no_order() {
    let mesh = uuid(0x3e3e_3e3e, 1);
    let with_mesh = |day: i32| {
        let mesh_file = MeshFile::cube().entry("day", Llsd::Int(day)).encode();
        region(&[Prim::new("Chair", 1)]).add(&format!("assets/{mesh}_mesh.llmesh"), mesh_file).gzip()
    };
    let desk = Desk::with(&[("a.oar", &with_mesh(1)), ("b.oar", &with_mesh(2)), ("c.oar", &with_mesh(1))]);
    desk.run_to(DONE, "audit a.oar b.oar c.oar --out report --threads 1");
    let found = desk.table("report", "findings");
    let found: Vec<_> = found.iter().map(|row| (&*row["archive"], &*row["code"])).collect();
    assert_eq!(found, [("b.oar", "MSH013"), ("b.oar", "XAR001"), ("c.oar", "XAR001")]);
    let report = desk.files("report");

    desk.run_to(DONE, "audit c.oar a.oar b.oar --out again --threads 2");
    assert_same(&report, &desk.files("again"));
    // Shards know nothing of each other: the report puts them together.
    desk.run_to(DONE, "scan c.oar a.oar --ledgers one");
    desk.run_to(DONE, "scan b.oar --ledgers another");
    desk.run_to(DONE, "report one another --out merged");
    assert_same(&report, &desk.files("merged"));
}

#[test]
fn rules_are_listed_for_the_target_and_explained() {
    let milder = b"base = \"second-life\"\ndescription = \"my grid\"\n[rules.severity]\nLNK001 = \"info\"\n";
    let desk = Desk::with(&[("mine.toml", milder)]);
    let run = desk.run_to(DONE, "rules --profile mine.toml");
    assert!(run.stdout.contains("  LNK001  info     Parts are too far apart to link\n"), "{}", run.stdout);

    let run = desk.run_to(DONE, "rules --profile mine.toml --format json");
    let rules: Vec<BTreeMap<String, Value>> = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(rules.len(), Code::all().count());
    let rule = rules.iter().find(|rule| rule["code"] == "LNK001").unwrap();
    assert_eq!(
        ["severity", "default_severity", "unit"].map(|field| rule[field].as_str().unwrap()),
        ["info", "error", "m"]
    );
    assert_eq!(rule["fix"], catalogue::rule(Code::LNK001).fix);

    let run = desk.run_to(DONE, "explain lnk001 HUL003 --profile mine.toml");
    let words = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words
            .starts_with("LNK001 Parts are too far apart to link Severity info for my grid, error by itself")
    );
    for rule in [Code::LNK001, Code::HUL003].map(catalogue::rule) {
        for part in [rule.why, rule.engines, rule.fix, rule.source] {
            assert!(words.contains(part), "{part}");
        }
    }
    assert!(run.stdout.lines().all(|line| line.chars().count() <= 100), "{}", run.stdout);
    let run = desk.run_to(USAGE, "explain HUL1");
    assert!(run.stderr.contains("did you mean HUL001?") && run.stdout.is_empty(), "{}", run.stderr);
    assert!(desk.run_to(USAGE, "explain LNK001 qqqqqq").stdout.is_empty());
}

#[test]
fn people_whom_the_target_does_not_know_are_listed() {
    let ann = uuid(0x0a0a_0a0a, 1);
    let desk = Desk::with(&[
        ("a.oar", &sound()),
        ("grid.csv", format!("PrincipalID,Name\n{ann},Ann\n").as_bytes()),
        ("other.csv", format!("{}\n", uuid(0x0a0a_0a0a, 9)).as_bytes()),
        ("wrong.csv", b"# grid\nAnn Other\n7,Ben\n"),
    ]);
    let unknown = |flags: &str| {
        desk.run_to(DONE, &format!("audit a.oar --out report{flags}"));
        let mut rows = desk.table("report", "findings");
        rows.retain(|row| row["code"] == "OWN001");
        rows.into_iter().map(|mut row| row.remove("message").unwrap()).collect::<Vec<_>>()
    };
    assert!(unknown("").is_empty(), "without a list nobody can tell");
    assert!(unknown(" --users grid.csv").is_empty());
    let told = format!(
        "1 of 1 owners, creators and groups are not in the list of users: {ann} (owns 1 objects, created 1 parts)"
    );
    assert_eq!(unknown(" --users other.csv"), [told]);

    let wrong = desk.run_to(USAGE, "audit a.oar --out report --users wrong.csv").stderr;
    assert!(wrong.contains("wrong in line 3: \"7\" is no UUID"), "{wrong}");
    let none = desk.run_to(USAGE, "audit a.oar --out report --users nobody.csv").stderr;
    assert!(none.contains("nobody.csv cannot be read"), "{none}");
}

#[test]
fn a_region_of_another_size_is_named() {
    // The chair stands in the middle of 256 m.
    let desk = Desk::with(&[("a.oar", &sound())]);
    desk.run_to(DONE, "audit a.oar --out report --region-size 100x256");
    let rows = desk.table("report", "findings");
    let row = rows.iter().find(|row| row["code"] == "POS002").unwrap();
    assert_eq!(row["measured"], "28");
    assert!(row["message"].ends_with(": a region of 100 × 256 m, the target's size"), "{}", row["message"]);
    let wrong = desk.run_to(USAGE, "audit a.oar --out report --region-size 256").stderr;
    assert!(wrong.contains("as 256x256"), "{wrong}");
}
