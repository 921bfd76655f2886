//! Files of ledgers: how they are written, read, found and refused. They are not beside the code, because all of its
//! reading and writing would be built a second time.

use hullmark_format::{Defect, defect::InputDefect};
use hullmark_ledger::{
    self as ledger, InputKind, Ledger, LedgerHeader,
    facts::{ContainerFacts, Status},
    summary::{self, LedgerSummary},
};
use rayon::ThreadPoolBuilder;
use std::fs;
use uuid::Uuid;
use xxhash_rust::xxh3::xxh3_128;

fn of_input(input: &str) -> Ledger {
    Ledger {
        kind: InputKind::Oar,
        bytes: 7,
        content_hash: Some("0".repeat(32)),
        status: Status::Incomplete,
        defects: vec![Defect::new(InputDefect::Damaged { why: None, position: 7 }).within("x")],
        ..Ledger::absent(input)
    }
}

/// Returns the facts of a file, without its checksum.
fn facts(read: Ledger) -> Ledger {
    Ledger { checksum: String::new(), ..read }
}

#[test]
fn written_ledgers_are_read_and_found_in_the_order_of_their_paths() {
    let folder = tempfile::tempdir().unwrap();
    let first = of_input("b/=odd name.oar").write(folder.path()).unwrap();
    let second = of_input("a/z.oar").write(folder.path()).unwrap();
    let read = Ledger::read(&first).unwrap();
    assert_eq!(read.checksum, ledger::read_header(&first).unwrap().checksum);
    assert_eq!(facts(read), of_input("b/=odd name.oar"));
    assert_eq!(ledger::find(&[folder.path().into()]).unwrap(), [first, second]);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left behind");
}

#[test]
fn the_longest_label_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let region = summary::Region { name: "\u{1}".repeat(128), uuid: Some(Uuid::max()), objects: u64::MAX };
    let regions = vec![region; 1000];
    let now = LedgerSummary::new(&of_input("a.oar"));
    let state = |objects| LedgerSummary {
        status: Status::Complete,
        objects,
        regions: regions.clone(),
        ..now.clone()
    };
    let earlier = (0..9).fold(Vec::new(), |earlier, objects| now.remember(state(objects), earlier));
    assert_eq!(earlier.iter().map(|brief| brief.objects).collect::<Vec<_>>(), [8, 7, 6, 5, 4, 3, 2]);
    let header = LedgerHeader { earlier: earlier.clone(), ..of_input("a.oar").header() };
    let (path, _) = of_input("a.oar").write_with(folder.path(), header).unwrap();
    assert_eq!(ledger::read_header(&path).unwrap().earlier, earlier);
}

#[test]
fn every_damaged_byte_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = of_input("a.oar").write(folder.path()).unwrap();
    let (whole, header) = (fs::read(&path).unwrap(), ledger::read_header(&path).unwrap());
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        fs::write(&path, &bytes).unwrap();
        let error = match Ledger::read(&path) {
            // The name of a value that has its default, so the header says the same.
            Ok(read) => {
                assert!(
                    facts(read) == of_input("a.oar") && ledger::read_header(&path).unwrap() == header,
                    "byte {at}"
                );
                continue;
            }
            Err(error) => error,
        };
        assert!(error.to_string().contains("can its input again"), "byte {at}: {error}");
        assert!(ledger::verify(&path).is_err(), "byte {at}");
        let instead = Ledger::instead_of(&path, &error);
        assert_eq!((instead.status, instead.defects.len()), (Status::Unreadable, 1), "byte {at}");
    }
    fs::write(&path, &whole[..whole.len() - 1]).unwrap();
    assert!(Ledger::read(&path).unwrap_err().to_string().contains("scan its input again"));
}

#[test]
fn only_a_ledger_is_called_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let error = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        Ledger::read(&path).unwrap_err().to_string()
    };
    let whole = fs::read(of_input("a.oar").write(folder.path()).unwrap()).unwrap();
    for (name, bytes, is_damaged) in [
        ("keepme.oar", &b"\x1f\x8b"[..], false),
        ("notes.ledger", b"1000 gold pieces", false),
        ("copy", &whole[..whole.len() - 1], true),
        ("a.oar-0123456789abcdef.ledger", b"", true),
        ("a.oar-0123456789abcdef.oar", b"", false),
    ] {
        let error = error(name, bytes);
        assert_eq!(error.contains("Delete it"), is_damaged, "{error}");
        assert_eq!(error.contains("is not a ledger"), !is_damaged, "{error}");
    }
    fs::create_dir(folder.path().join("b.oar-0123456789abcdef.ledger")).unwrap();
    let error = Ledger::read(&folder.path().join("b.oar-0123456789abcdef.ledger")).unwrap_err();
    assert!(error.to_string().contains("Rename that folder"), "{error}");
}

#[test]
fn ledgers_of_any_size_come_back_from_their_files() {
    // Numbers that compress a little, in one fact of up to 72 MB, and defects in one part or in many.
    for (numbers, defects) in [
        (0, 0),
        (1, 1),
        (1_000, 20),
        (70_000, 0),
        (131_072, 3_000),
        (300_000, 7),
        (1_000_000, 0),
        (4_500_000, 1),
        (9, 100_000),
    ] {
        let text = |number: u64| format!("{:016x}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let container = ContainerFacts {
            compression: Some((0..numbers).map(text).collect()),
            ..ContainerFacts::default()
        };
        let defect =
            |number| Defect::new(InputDefect::Damaged { why: None, position: number }).within(text(number));
        let defects = (0..defects).map(defect).collect();
        let ledger = Ledger { container, defects, ..of_input("a.oar") };
        let (_, file) = ledger.to_file().unwrap();
        assert!(facts(Ledger::from_file(file.clone()).unwrap()) == ledger, "{numbers}");
        // The threads do not matter.
        let one = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert!(one.install(|| ledger.to_file().unwrap().1) == file);
        assert!(Ledger::from_file(file[..file.len() / 2].to_vec()).is_err());
        assert_cut_facts_are_refused(&file);
    }
}

/// Asserts that no file is read that ends in a part, or between two, also if its checksum is right.
fn assert_cut_facts_are_refused(file: &[u8]) {
    let (line, body) = file.split_at(file.iter().position(|&byte| byte == b'\n').unwrap() + 1);
    let header: LedgerHeader = serde_json::from_slice(line).unwrap();
    let start = header.index.bytes;
    let mut ends = vec![start + (body.len() - start) / 2, body.len() - 1];
    let mut part = start;
    while part < body.len() {
        ends.extend([part, part + 1, part + 5]);
        let length = u32::from_le_bytes(body[part..part + 4].try_into().unwrap());
        part += 4 + length as usize;
    }
    for end in ends {
        let cut = &body[..end];
        let header = LedgerHeader { checksum: format!("{:032x}", xxh3_128(cut)), ..header.clone() };
        let error = Ledger::from_file([&header.line().unwrap(), cut].concat()).unwrap_err();
        assert!(!error.to_string().contains("checksum") && !error.to_string().contains("header"), "{error}");
    }
}
