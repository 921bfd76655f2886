//! Signals, and pipes that nobody reads.

use super::{AUDIT, MANY, ended, goes_on, interrupted, many, regions, shell, signal};
use crate::{
    hostile::work_limits::{ENDLESS, long_region},
    support::{
        archive::{Archive, control},
        desk::{DONE, Desk, STOPPED},
        object::{Face, Prim, uuid, xml2},
    },
};
use std::{
    fs,
    process::{Child, Command},
    time::Duration,
};

#[test]
fn after_a_signal_the_report_names_inputs_that_are_not_covered() {
    let desk = many();
    desk.run_to(DONE, "audit exports --out whole --format csv -q");
    // SIGXCPU means that the time of `ulimit -S -t` is nearly over.
    for name in ["INT", "TERM", "XCPU"] {
        let (code, said) = interrupted(&desk, |child| signal(child, name));
        assert_eq!(code, Some(STOPPED), "{said}");
        assert!(said.contains("Stopping: started inputs are cut short"), "{said}");
        assert!(said.contains("Stopped by a signal: the audit is INCOMPLETE (exit code 4)"), "{said}");
        let statuses = desk.column("report", "archives", "status");
        let left = statuses.iter().filter(|status| *status == "not_covered").count();
        let read = statuses.iter().filter(|status| *status == "complete").count();
        // One input may be cut in the middle.
        assert!((1..MANY).contains(&read) && left + read >= MANY - 1, "{read} and {left}");
        assert!(statuses.len() == MANY && left > 0, "{left}");
        let summary = desk.audit_json("report");
        assert_eq!(summary["complete"], false);
        assert_eq!(summary["not_covered"]["by_signal"], left as u64);
        assert_eq!(desk.ledgers("kept").len(), MANY - left, "what was read is kept");
        // The next run reads the rest, and the report is the same as without the signal.
        desk.run_to(DONE, &format!("{AUDIT} -q"));
        assert_eq!(desk.files("report"), desk.files("whole"));
        fs::remove_dir_all(desk.at("kept")).unwrap();
    }
}

/// Returns the user time of a process, in hundredths of a second.
#[cfg(target_os = "linux")]
fn taken(child: &Child) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    fields[11].parse().unwrap()
}

/// The only input would run without end. Nothing is left to begin, but the exit code still reports the signal.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_cuts_started_inputs_and_the_next_run_reads_them_again() {
    let desk = Desk::with(&[("in/a.oar", &long_region(200, 1024)), ("endless.toml", ENDLESS.as_bytes())]);
    for command in ["audit in --out report --format csv --ledgers kept", "scan in --ledgers kept"] {
        let child = shell(&desk, "", &format!("{command} --config endless.toml")).spawn().unwrap();
        // After this processor time the run is working on the meshes, because it does almost nothing else.
        while taken(&child) < 50 {
            std::thread::sleep(Duration::from_millis(20));
        }
        signal(&child, "INT");
        let (code, said) = ended(child);
        assert_eq!(code, Some(STOPPED), "{said}");
        assert!(said.contains("a signal asked the run to end"), "{said}");
        assert!(said.contains("reads 1 input") && said.contains("0 unchanged"), "{said}");
    }
    assert_eq!(desk.column("report", "archives", "status"), ["incomplete"]);
    let codes = desk.column("report", "findings", "code");
    assert_eq!(codes.iter().filter(|code| *code == "RUN008").count(), 1, "{codes:?}");
    assert_eq!(desk.audit_json("report")["complete"], false);
}

/// A copy that is not complete has no name, and nothing of it stays.
#[test]
fn after_a_signal_there_is_no_copy() {
    let mut state = 1_u64;
    let mut noise = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state.to_le_bytes()
    };
    let mut archive = Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"));
    for number in 0..10 {
        let texture = uuid(3, number);
        let face = Face { texture: texture.parse().unwrap(), ..Face::default() };
        let content: Vec<u8> = (0..800_000).flat_map(|_| noise()).collect();
        archive = archive
            .add(
                &format!("objects/{number}.xml"),
                xml2(&[Prim { faces: vec![face], ..Prim::new("A", number) }]),
            )
            .add(&format!("assets/{texture}_texture.jp2"), content);
    }
    let desk = Desk::with(&[("region.oar", &archive.gzip())]);
    let names = || {
        let files = fs::read_dir(desk.at(".")).unwrap();
        files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect::<Vec<_>>()
    };
    for command in [
        "repair region.oar --out copy.oar",
        "extract region.oar --within 0,0,256,256 --out copy.oar",
        "extract region.oar --per owner --out copies",
    ] {
        let child = shell(&desk, "", command).spawn().unwrap();
        while !names().iter().any(|name| name.ends_with(".partial")) {
            std::thread::sleep(Duration::from_millis(5));
        }
        signal(&child, "INT");
        let (code, said) = ended(child);
        assert_eq!(code, Some(STOPPED), "{command}: {said}");
        assert!(said.contains("A signal ended the command, so no file was written"), "{said}");
        assert_eq!(names(), ["region.oar"], "{command}");
    }
}

#[test]
fn a_second_signal_ends_a_run_at_once_and_the_next_run_continues() {
    let desk = many();
    // The system may merge two signals of the same kind. Of two kinds, either may arrive first.
    let (code, said) = interrupted(&desk, |child| {
        let both = format!("kill -s INT {0}; kill -s TERM {0}", child.id());
        assert!(Command::new("sh").args(["-c", &both]).status().unwrap().success());
    });
    assert!([Some(128 + 2), Some(128 + 15)].contains(&code), "{code:?} {said}");
    goes_on(&desk);
}

#[test]
fn a_killed_run_leaves_no_partial_file_that_is_taken_as_whole() {
    let desk = many();
    let (code, _) = interrupted(&desk, |child| signal(child, "KILL"));
    assert_eq!(code, None);
    goes_on(&desk);
}

#[test]
fn a_closed_pipe_ends_nothing() {
    let desk = regions(1);
    for arguments in
        ["rules", "explain HUL001", "audit exports --out report", "audit exports --out report --dump-config"]
    {
        let mut child = shell(&desk, "", arguments).spawn().unwrap();
        drop(child.stdout.take());
        let (code, said) = ended(child);
        assert_eq!(code, Some(DONE), "{arguments}: {said}");
        assert!(!said.contains("panicked"), "{said}");
    }
    assert!(desk.at("report/audit.json").exists());
    for arguments in ["audit exports --out other --timings", "audit exports --out other --baseline other -v"]
    {
        let mut child = shell(&desk, "", arguments).spawn().unwrap();
        drop(child.stderr.take());
        assert_eq!(child.wait().unwrap().code(), Some(DONE), "{arguments}");
    }
}
