use super::Turn::{Alone, LeftOut, Together};
use super::*;
use std::mem;

const BAD: &str = "bad.oar-0123456789abcdef.ledger";

fn open(folder: &Path, mode: Mode) -> Attempts {
    Attempts::open(folder, "settings", mode).unwrap()
}

fn stamp(number: u128) -> Option<Stamp> {
    Stamp::of_hash(&format!("{number:032x}"))
}

/// A run that dies while it reads these inputs: its lock is released, and its file stays.
fn die(folder: &Path, mode: Mode, ledgers: &[&str]) {
    let run = open(folder, mode);
    ledgers.iter().for_each(|ledger| run.begin(ledger, "an input", stamp(1)));
    let file = lock(&run.own).take();
    mem::forget(run);
    drop(file);
}

#[test]
fn an_input_costs_two_runs_and_is_tried_again_after_some() {
    let folder = tempfile::tempdir().unwrap();
    let mut turns = Vec::new();
    for _ in 0..14 {
        let run = open(folder.path(), Mode::default());
        let turn = run.turn(BAD, stamp(1));
        turns.push(turn);
        match turn {
            LeftOut(_) => run.leave_out(BAD),
            Together | Alone => {
                drop(run);
                die(folder.path(), Mode::default(), &[BAD]);
            }
        }
    }
    assert_eq!(
        turns,
        [
            Together,
            Alone,
            LeftOut(2),
            Alone,
            LeftOut(3),
            LeftOut(3),
            Alone,
            LeftOut(4),
            LeftOut(4),
            LeftOut(4),
            LeftOut(4),
            Alone,
            LeftOut(5),
            LeftOut(5)
        ]
    );
    let retry = open(folder.path(), Mode { retry: true, continues: false });
    assert_eq!(retry.turn(BAD, stamp(1)), Alone);
    // Once it is read, nothing is left of it.
    retry.begin(BAD, "an input", stamp(1));
    retry.end(BAD);
    drop(retry);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn another_file_and_another_program_are_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    die(folder.path(), Mode::default(), &[BAD]);
    die(folder.path(), Mode::default(), &[BAD]);
    let run = open(folder.path(), Mode::default());
    assert_eq!(run.turn(BAD, stamp(1)), LeftOut(2));
    assert_eq!(run.turn(BAD, stamp(2)), Alone);
    assert_eq!(run.turn(BAD, None), Alone);
    let other = Attempts::open(folder.path(), "other settings", Mode::default()).unwrap();
    assert_eq!(other.turn(BAD, stamp(1)), Alone);
}

#[test]
fn names_of_runs_that_live_or_that_somebody_ends_do_not_count() {
    let folder = tempfile::tempdir().unwrap();
    let living = open(folder.path(), Mode::default());
    living.begin(BAD, "an input", stamp(1));
    let other = open(folder.path(), Mode::default());
    assert_eq!(other.turn(BAD, stamp(1)), Together);
    other.begin("other.ledger", "another input", stamp(2));
    let stopped = open(folder.path(), Mode::default());
    stopped.begin(BAD, "an input", stamp(1));
    stopped.forgive();
    stopped.begin("later.ledger", "a later input", stamp(3));
    let file = lock(&stopped.own).take();
    mem::forget(stopped);
    drop(file);
    drop(other);
    assert!(!know_deaths(folder.path()));
    let next = open(folder.path(), Mode::default());
    assert!(!next.knows_any());
    drop(next);
    drop(living);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_run_that_continues_leaves_out_what_was_alone() {
    let folder = tempfile::tempdir().unwrap();
    let continues = Mode { continues: true, retry: false };
    die(folder.path(), Mode::default(), &[BAD, "good.ledger"]);
    assert!(know_deaths(folder.path()));
    let next = open(folder.path(), continues);
    assert_eq!(being_read(folder.path(), std::process::id()), [""; 0], "the names are counted");
    assert_eq!([BAD, "good.ledger"].map(|ledger| next.turn(ledger, stamp(1))), [Alone; 2]);
    drop(next);
    die(folder.path(), continues, &[BAD]);
    assert_eq!(being_read(folder.path(), std::process::id()), ["an input"]);
    for _ in 0..3 {
        let next = open(folder.path(), continues);
        assert_eq!(next.turn(BAD, stamp(1)), LeftOut(2));
        next.leave_out(BAD);
    }
}

#[test]
fn damaged_files_name_nothing() {
    let folder = tempfile::tempdir().unwrap();
    die(folder.path(), Mode::default(), &[BAD]);
    let inner = folder.path().join(FOLDER);
    let run = fs::read_dir(&inner).unwrap().next().unwrap().unwrap().path();
    let bytes = fs::read(&run).unwrap();
    for end in (0..bytes.len()).step_by(97) {
        fs::write(&run, &bytes[..end]).unwrap();
        fs::write(inner.join(format!("{BAD}.died")), &bytes[..end]).unwrap();
        let _ = open(folder.path(), Mode::default()).turn(BAD, stamp(1));
    }
    // A name of any length leaves whole lines.
    let long = open(folder.path(), Mode::default());
    long.begin("a.ledger", &"\u{1}".repeat(5000), stamp(1));
    long.begin("b.ledger", &"ü".repeat(5000), stamp(1));
    let file = lock(&long.own).take();
    mem::forget(long);
    drop(file);
    assert_eq!(being_read(folder.path(), std::process::id()).len(), 2);
}
