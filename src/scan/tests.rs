use super::*;
use hullmark_source::{self as source, What};
use std::{
    fs::{self, File},
    io::Write,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

/// Writes an archive with objects of these names.
fn archive(folder: &Path, name: &str, objects: &[&str]) -> Input {
    let members = objects.iter().map(|object| (format!("objects/{object}.xml"), &b"no xml!"[..]));
    packed(folder, name, members)
}

/// Writes an archive of these members.
fn packed<'a>(folder: &Path, name: &str, members: impl Iterator<Item = (String, &'a [u8])>) -> Input {
    let path = folder.join(name);
    let mut builder = tar::Builder::new(File::create(&path).unwrap());
    for (name, content) in members {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        builder.append_data(&mut header, name, content).unwrap();
    }
    builder.into_inner().unwrap().flush().unwrap();
    let bytes = fs::metadata(&path).unwrap().len();
    Input { bytes, ..Input::new(name.into(), path, What::Archive) }
}

fn scanned(inputs: &[Input], limits: &Limits, watch: &dyn Watch) -> (End, Vec<Ledger>) {
    let ledgers = Mutex::new(Vec::new());
    let keep = |ledger| {
        lock(&ledgers).push(ledger);
        Ok(())
    };
    let end = read_inputs(inputs, &ReadOptions::new(limits, 2), watch, &keep).unwrap();
    let mut ledgers = ledgers.into_inner().unwrap();
    ledgers.sort_by(|a, b| a.input.cmp(&b.input));
    (end, ledgers)
}

fn words_of(ledger: &Ledger) -> Vec<(String, &str)> {
    ledger.defects.iter().map(|defect| (defect.name(), &*defect.place.entry)).collect()
}

fn one<'e>(name: &str, entry: &'e str) -> (String, &'e str) {
    (name.to_owned(), entry)
}

/// Panics when an input starts.
struct Panics;
impl Watch for Panics {
    fn deadline(&self) -> Deadline {
        panic!("no lane for this one")
    }
}

#[test]
fn a_worker_that_panics_costs_one_member_and_a_lane_one_input() {
    let folder = tempfile::tempdir().unwrap();
    let inputs = ["a", "b"].map(|name| archive(folder.path(), name, &["one", decode::PANICS, "two"]));
    let (end, ledgers) = scanned(&inputs, &Limits::default(), &Unwatched);
    assert_eq!((end, ledgers.len()), (End::All, 2));
    for ledger in &ledgers {
        let found = [
            one("unreadable", "objects/one.xml"),
            one("panicked", "objects/panics.xml"),
            one("unreadable", "objects/two.xml"),
        ];
        assert_eq!((words_of(ledger), ledger.status), (found.to_vec(), Status::Complete));
    }

    let (end, ledgers) = scanned(&inputs, &Limits::default(), &Panics);
    assert_eq!((end, ledgers.len()), (End::All, 2));
    for ledger in &ledgers {
        assert_eq!((words_of(ledger), ledger.status), (vec![one("panicked", "")], Status::Unreadable));
        let words = "no lane for this one".into();
        assert_eq!(ledger.defects[0].kind, InputDefect::Panicked { words }.into());
    }
}

/// The kind of a ledger decides the name of its file, so a store never takes that of an input.
#[test]
fn a_store_that_panics_stays_a_store() {
    let folder = tempfile::tempdir().unwrap();
    let inputs = [archive(folder.path(), "a", &["one"])];
    let (limits, bodies) = (Limits::default(), BTreeSet::new());
    let request = ReadRequest { bodies: Some(&bodies), ..ReadRequest::new(&limits) };
    let options = ReadOptions { request, ..ReadOptions::new(&limits, 1) };
    let keep = |ledger: Ledger| {
        assert!(ledger.is_store() && ledger.status == Status::Unreadable, "{}", ledger.kind.name());
        assert!(ledger.to_file().is_ok_and(|(name, _)| name == hullmark_ledger::file_name("a", true)));
        Ok(())
    };
    read_inputs(&inputs, &options, &Panics, &keep).unwrap();
}

/// Gives every input this time.
struct Hurried(Duration);
impl Watch for Hurried {
    fn deadline(&self) -> Deadline {
        Deadline::after(Some(self.0))
    }
}

#[test]
fn one_whose_time_is_over_is_given_up_and_the_next_begun() {
    let folder = tempfile::tempdir().unwrap();
    let mut inputs = ["a", "b"].map(|name| archive(folder.path(), name, &["one"])).to_vec();
    fs::create_dir_all(folder.path().join("c/objects")).unwrap();
    fs::write(folder.path().join("c/archive.xml"), "<archive/>").unwrap();
    fs::write(folder.path().join("c/objects/a.xml"), "<SceneObjectGroup>").unwrap();
    inputs.extend(source::walk(&[folder.path().join("c")], &[]).unwrap());
    let (end, ledgers) = scanned(&inputs, &Limits::default(), &Hurried(Duration::ZERO));
    assert_eq!((end, ledgers.len()), (End::All, 3));
    for ledger in &ledgers {
        assert_eq!(words_of(ledger), [one("time-over", "")]);
        assert!(ledger.status == Status::Unreadable && ledger.content_hash.is_none());
    }
    let unhurried = scanned(&inputs, &Limits::default(), &Hurried(Duration::from_secs(3600)));
    assert_eq!(unhurried, scanned(&inputs, &Limits::default(), &Unwatched));
}

#[test]
fn behind_the_bytes_of_a_run_nothing_is_begun() {
    let folder = tempfile::tempdir().unwrap();
    let inputs = ["a", "b", "c"].map(|name| archive(folder.path(), name, &["one"]));
    // A header, a block of data, and the end.
    for (run_bytes, read, end) in [(1, 1, End::Bytes), (1537, 2, End::Bytes), (1 << 20, 3, End::All)] {
        let limits = Limits { run_bytes, ..Limits::default() };
        let scanned = scanned(&inputs, &limits, &Unwatched);
        assert_eq!((scanned.0, scanned.1.len()), (end, read), "{run_bytes}");
    }
}

#[test]
fn a_file_that_shrank_is_reported_and_the_others_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("thing.xml");
    fs::write(&path, "no xml!").unwrap();
    let loose = |name: &str, bytes| source::LooseFile {
        path: path.clone(),
        name: name.into(),
        bytes,
        stamp: None,
        what: source::Loose::Known(source::Kind::Object),
    };
    let what = What::Folder(Arc::new(vec![loose("shrank.xml", 9), loose("whole.xml", 7)]));
    let input = Input { what, ..archive(folder.path(), "a", &[]) };
    let (_, ledgers) = scanned(&[input], &Limits::default(), &Unwatched);
    assert_eq!(words_of(&ledgers[0]), [one("shrank", "shrank.xml"), one("unreadable", "whole.xml")]);
    assert_eq!(ledgers[0].status, Status::Incomplete);
    assert_eq!(ledgers[0].defects[0].kind, InputDefect::Shrank { from: 9, to: 7 }.into());
}

#[test]
fn a_file_that_is_removed_meanwhile_costs_its_own_row() {
    let folder = tempfile::tempdir().unwrap();
    let loose = folder.path().join("loose");
    fs::create_dir(&loose).unwrap();
    for name in ["gone.xml", "there.xml"] {
        fs::write(loose.join(name), "<SceneObjectGroup>").unwrap();
    }
    let inputs = source::walk(std::slice::from_ref(&loose), &[]).unwrap();
    let (_, whole) = scanned(&inputs, &Limits::default(), &Unwatched);
    fs::remove_file(loose.join("gone.xml")).unwrap();
    let (_, ledgers) = scanned(&inputs, &Limits::default(), &Unwatched);
    assert_eq!(words_of(&ledgers[0]), [one("vanished", "gone.xml"), one("unreadable", "there.xml")]);
    assert_eq!((ledgers[0].status, ledgers[0].container.entries), (Status::Complete, 1));
    assert!(whole[0].content_hash.is_some() && ledgers[0].content_hash.is_none(), "it is another folder");
}

/// Calls a function when the first bytes of an input are read.
struct Meddles<F>(Mutex<Option<F>>);
impl<F: FnOnce() + Send> Watch for Meddles<F> {
    fn bytes(&self, _: u64) {
        if let Some(deed) = lock(&self.0).take() {
            deed();
        }
    }
}

#[test]
fn members_before_a_fault_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let names: Vec<String> = (0..4000).map(|number| number.to_string()).collect();
    let input = archive(folder.path(), "a", &names.iter().map(String::as_str).collect::<Vec<_>>());
    let kept = |watch: &dyn Watch, name: &str| {
        let (_, ledgers) = scanned(std::slice::from_ref(&input), &Limits::default(), watch);
        let found = words_of(&ledgers[0]);
        assert!(found.iter().any(|(found, _)| found == name), "{name}");
        assert_eq!(ledgers[0].status, Status::Incomplete);
        found.iter().filter(|(name, _)| name == "unreadable").count()
    };
    let shrinks = || File::options().write(true).open(&input.path).unwrap().set_len((1 << 20) + 300).unwrap();
    let shrunk = kept(&Meddles(Mutex::new(Some(shrinks))), "broken-tar");
    assert!(0 < shrunk && shrunk < 4000, "{shrunk}");
}

/// Sets the stop flag when this many members are read.
struct Stops(AtomicUsize, Arc<AtomicBool>);
impl Watch for Stops {
    fn deadline(&self) -> Deadline {
        Deadline::default().or_signal(Arc::clone(&self.1))
    }
    fn bytes(&self, _: u64) {
        if self.0.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.1.store(true, Ordering::Relaxed);
        }
    }
}

/// The lane decodes such a small archive, in batches of 32 kB.
#[test]
fn a_signal_cuts_started_inputs_and_keeps_decoded_members() {
    let folder = tempfile::tempdir().unwrap();
    let content = [b'x'; 1000];
    let members = (0..400).map(|number| (format!("objects/{number}.xml"), &content[..]));
    let input = packed(folder.path(), "a", members);
    for (read, decoded) in [(20, 0), (200, 198), (1000, 400)] {
        let watch = Stops(AtomicUsize::new(read), Arc::default());
        let (_, ledgers) = scanned(std::slice::from_ref(&input), &Limits::default(), &watch);
        let found = words_of(&ledgers[0]);
        let objects = found.iter().filter(|(name, _)| name == "unreadable").count();
        let over: Vec<&Defect> =
            ledgers[0].defects.iter().filter(|defect| defect.name() == "time-over").collect();
        assert_eq!(objects, decoded, "{read} were read");
        if decoded == 400 {
            assert_eq!((over.len(), ledgers[0].status), (0, Status::Complete));
            continue;
        }
        let why = "a signal asked the run to end".into();
        assert_eq!((over.len(), &over[0].kind), (1, &InputDefect::TimeOver { why }.into()));
        assert!(ledgers[0].status == Status::Incomplete && ledgers[0].content_hash.is_none());
    }
}
