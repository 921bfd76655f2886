//! A ledger answers for exactly what was asked: forms of one path, settings, touches, swaps and renames.

use crate::support::{
    desk::{Desk, assert_same, faulty, sound, truncated},
    mesh::MeshFile,
    mutate::Dice,
    object::{Prim, xml2},
};
use std::{
    fs,
    io::Write,
    path::Path,
    time::{Duration, SystemTime},
};

/// The inputs of a run, in many forms of the same paths.
const FORMS: [&str; 24] = [
    "in",
    "in/a.oar",
    "in/a.oar in/notes.bin",
    "in/a.oar in/notes.bin in/box.xml",
    "in/box.xml",
    "in/notes.bin",
    "in in/notes.bin",
    "z.zip",
    "z.zip/o",
    "z.zip/p",
    "z.zip/o z.zip/p",
    "z.zip/o/one.xml",
    "z.zip/a.oar",
    "z.zip/a.oar z.zip/notes.bin",
    "z.zip z.zip/notes.bin",
    "z.zip in",
    "tree",
    "tree/archive.xml",
    "tree/objects",
    "in tree z.zip",
    "in/a.oar --assets in",
    "in --assets z.zip",
    "z.zip/o --assets z.zip",
    "tree --assets tree/assets",
];

/// Settings that change ledgers, and some that do not.
const SETTINGS: [&str; 5] =
    ["", "", "--config parts.toml", "--checksum", "--profile opensim-ubode --max-prims 1"];

fn desk() -> Desk {
    let cube = MeshFile::cube().encode();
    let control = "<?xml version=\"1.0\"?><archive major_version=\"0\" minor_version=\"8\"/>";
    let desk = Desk::with(&[
        ("in/a.oar", &sound()),
        ("in/b.oar", &faulty()),
        ("in/cut.oar", &truncated()),
        ("in/box.xml", xml2(&[Prim::new("Box", 5)]).as_bytes()),
        ("in/cube.llmesh", &cube),
        ("in/notes.bin", b"\x01\x02nothing to audit"),
        ("tree/archive.xml", control.as_bytes()),
        ("tree/objects/thing.xml", xml2(&[Prim::new("Thing", 6)]).as_bytes()),
        ("tree/assets/11111111-2222-4333-8444-555555555555_notecard.txt", b"a note"),
        ("tree/readme.txt", b"no member"),
        ("parts.toml", b"[limits]\nparts = 1\n"),
    ]);
    pack(&desk, 0);
    desk
}

/// Writes the container. Its content differs by number.
fn pack(desk: &Desk, number: u32) {
    let mut zip = zip::ZipWriter::new(fs::File::create(desk.at("z.zip")).unwrap());
    let members = [
        ("a.oar", if number.is_multiple_of(2) { sound() } else { faulty() }),
        ("o/one.xml", xml2(&[Prim::new("One", 10 + number)]).into_bytes()),
        ("o/two.xml", xml2(&[Prim::new("Two", 20 + number)]).into_bytes()),
        ("p/three.xml", xml2(&[Prim::new("Three", 30)]).into_bytes()),
        ("notes.bin", b"\x01\x02nothing".to_vec()),
    ];
    for (name, bytes) in members {
        zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(&bytes).unwrap();
    }
    zip.finish().unwrap();
}

/// Sets the time of a file to a moment that no other change has. A ledger knows a state by name, size and time.
fn touch(path: &Path, moment: u64) {
    let file = fs::File::options().write(true).open(path).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000 + moment)).unwrap();
}

/// Changes files between two nights.
fn change(desk: &Desk, dice: &mut Dice, moment: u64) {
    let names = ["in/a.oar", "in/b.oar", "in/box.xml", "in/notes.bin", "z.zip", "tree/objects/thing.xml"];
    let existing: Vec<&str> = names.into_iter().filter(|name| desk.at(name).is_file()).collect();
    let one = desk.at(dice.pick::<&str>(&existing));
    match dice.below(8) {
        0 => touch(&one, moment),
        1 => pack(desk, dice.below(4) as u32),
        2 | 3 => {
            // Two files change places, and keep their times.
            let other = desk.at(dice.pick::<&str>(&existing));
            let between = desk.at("between");
            if one != other {
                fs::rename(&one, &between).unwrap();
                fs::rename(&other, &one).unwrap();
                fs::rename(&between, &other).unwrap();
            }
        }
        4 => fs::rename(&one, desk.at(dice.pick::<&str>(&names))).unwrap(),
        5 => fs::write(&one, xml2(&[Prim::new("Other", 40 + moment as u32)])).unwrap(),
        6 => {
            // The control file comes and goes, so the same files are an archive or loose.
            let (there, gone) = (desk.at("tree/archive.xml"), desk.at("tree/archive.gone"));
            let (from, to) = if there.is_file() { (there, gone) } else { (gone, there) };
            fs::rename(from, to).unwrap();
        }
        _ => {}
    }
    for name in names.iter().filter(|name| !desk.at(name).is_file()) {
        fs::write(desk.at(name), sound()).unwrap();
        touch(&desk.at(name), moment);
    }
}

/// Runs a night with ledgers and one without, and compares all that they say.
fn compare(desk: &Desk, arguments: &str, story: &str) {
    let _ = fs::remove_dir_all(desk.at("cold"));
    let common = "--format csv,jsonl --ignore HIS -q";
    let checksum = arguments.contains("--checksum");
    let without = arguments.replace("--checksum", "");
    let cold = desk.run(&format!("audit {without} {common} --out cold").replace("  ", " "));
    // The report of the night before stays, as it does at night.
    let warm = desk.run(&format!("audit {without} {common} --out warm --ledgers kept").replace("  ", " "));
    assert_eq!(
        (warm.code, &warm.stdout),
        (cold.code, &cold.stdout),
        "{story}\n{}{}",
        warm.stderr,
        cold.stderr
    );
    if desk.at("cold/audit.json").exists() {
        println!("{story}");
        assert_same(&desk.files("warm"), &desk.files("cold"));
    }
    if checksum {
        let again = desk.run(&format!("audit {arguments} {common} --out warm --ledgers kept"));
        assert_eq!(again.code, cold.code, "{story}\n{}", again.stderr);
        if desk.at("cold/audit.json").exists() {
            assert_same(&desk.files("warm"), &desk.files("cold"));
        }
    }
}

#[test]
fn a_warm_run_gives_the_bytes_of_a_cold_one_for_any_form_and_change() {
    for seed in 0..8 {
        let (desk, mut dice) = (desk(), Dice::new(seed));
        let mut story = format!("seed {seed}");
        for night in 0..10 {
            let arguments = format!("{} {}", dice.pick(&FORMS), dice.pick(&SETTINGS));
            story += &format!("\n{night}: {arguments}");
            compare(&desk, arguments.trim(), &story);
            if !dice.once_in(3) {
                change(&desk, &mut dice, seed * 100 + night);
            }
        }
    }
}

/// Each form follows each other one, and nothing changes meanwhile.
#[test]
fn every_form_of_a_path_has_its_own_answer() {
    let desk = desk();
    for (first, group) in [("in", &FORMS[..7]), ("z.zip", &FORMS[7..16]), ("tree", &FORMS[16..19])] {
        for form in group {
            for arguments in [first, form, first] {
                compare(&desk, arguments, &format!("{first}, {form}: {arguments}"));
            }
        }
    }
}

/// A file that was named must be an export (RUN009), also in a container. Without its name it is one of unknown type.
#[test]
fn a_named_member_has_the_role_of_a_named_file() {
    let desk = desk();
    for (form, code) in
        [("z.zip/a.oar z.zip/notes.bin", "RUN009"), ("z.zip", "RUN007"), ("z.zip z.zip/notes.bin", "RUN009")]
    {
        desk.run(&format!("audit {form} --out report --ledgers kept --format csv"));
        let codes = desk.column("report", "findings", "code");
        assert!(codes.contains(&code.to_owned()), "{form}: {codes:?}");
    }
    // Parts of one container are all read.
    desk.run("audit z.zip/o z.zip/p --out report --ledgers kept --format csv");
    assert_eq!(desk.column("report", "objects", "name").len(), 3);
}

/// Whether a text is a number of a byte or was written as one, two files have two names.
#[cfg(unix)]
#[test]
fn a_byte_and_its_number_are_two_names() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
    let desk = Desk::with(&[(r"in/a\xff.oar", &faulty())]);
    fs::write(desk.at("in").join(OsStr::from_bytes(b"a\xff.oar")), sound()).unwrap();
    for flags in ["", " --ledgers kept", " --ledgers kept"] {
        desk.run(&format!("audit in --out report --format csv{flags}"));
        assert_eq!(
            desk.column("report", "archives", "archive"),
            [r"in/a\x5cxff.oar", r"in/a\xff.oar"],
            "{flags}"
        );
        assert_eq!(desk.column("report", "archives", "errors"), ["1", "0"], "{flags}");
    }
}
