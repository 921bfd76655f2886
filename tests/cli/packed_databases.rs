//! Databases inside of zip files and tars.

use crate::support::{
    archive::gzip,
    desk::{DONE, Desk, INCOMPLETE, Row, sound},
    repository,
};
use std::{
    fs,
    io::{Cursor, Write},
};
use zip::{ZipWriter, write::SimpleFileOptions};

/// Packs all files of a folder of the desk, with deflate.
pub(super) fn zip_of(desk: &Desk, folder: &str) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let mut files: Vec<_> = fs::read_dir(desk.at(folder)).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    for file in files {
        let name = format!("{folder}/{}", file.file_name().unwrap().to_str().unwrap());
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        zip.write_all(&fs::read(file).unwrap()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// The rows of a table without the place of the input.
fn figures(desk: &Desk, report: &str, table: &str) -> Vec<Row> {
    let places = ["archive", "modified", "identity", "series", "fingerprint"];
    let mut rows = desk.table(report, table);
    rows.iter_mut().for_each(|row| row.retain(|column, _| !places.contains(&column.as_str())));
    rows.sort();
    rows
}

/// Writes the databases of the sample, and one of another program.
fn standalone() -> Desk {
    let desk = Desk::with(&[]);
    for name in ["OpenSim.db", "Asset.db"] {
        let path = repository().join("sample_data/databases/standalone").join(name);
        desk.write(&format!("bin/{name}"), fs::read(path).unwrap());
    }
    desk
}

#[test]
fn databases_of_sqlite_in_a_container_have_their_figures() {
    let desk = standalone();
    desk.write("backup.zip", zip_of(&desk, "bin"));
    let tar = {
        let mut tar = Vec::new();
        for name in ["OpenSim.db", "Asset.db"] {
            let bytes = fs::read(desk.at(&format!("bin/{name}"))).unwrap();
            crate::support::archive::write_member(&mut tar, &format!("bin/{name}"), b'0', &bytes);
        }
        tar.extend([0; 1024]);
        tar
    };
    desk.write("backup.tar", &tar);
    desk.write("backup.tar.gz", gzip(&tar));
    desk.run_to(DONE, "audit bin --out plain --format csv");
    for container in ["backup.zip", "backup.tar", "backup.tar.gz"] {
        desk.run_to(DONE, &format!("audit {container} --out report --format csv"));
        assert_eq!(desk.column("report", "archives", "archive"), [format!("{container}/bin/OpenSim.db")]);
        for table in ["archives", "regions", "objects", "parts", "meshes", "findings"] {
            let expected = figures(&desk, "plain", table);
            assert!(!expected.is_empty() || table == "meshes", "{table}");
            assert_eq!(figures(&desk, "report", table), expected, "{table} of {container}");
        }
    }
}

#[test]
fn the_ledger_of_a_packed_database_serves_until_its_container_changes() {
    let desk = standalone();
    desk.write("in/backup.zip", zip_of(&desk, "bin"));
    let scan = |day: u32| {
        desk.run_to(DONE, &format!("scan in --ledgers kept --now 2026-11-2{day}T00:00:00Z"));
        desk.ledgers("kept")
    };
    let first = scan(1);
    assert_eq!(first.len(), 1);
    assert_eq!(scan(2), first, "not read again");
    fs::remove_file(desk.at("bin/Asset.db")).unwrap();
    desk.write("in/backup.zip", zip_of(&desk, "bin"));
    assert_ne!(scan(3), first);
}

#[test]
fn the_journal_in_a_container_belongs_to_its_database() {
    let desk = standalone();
    // The original of the second page, which a simulator was changing.
    let mut database = fs::read(desk.at("bin/OpenSim.db")).unwrap();
    desk.run_to(DONE, "audit bin --out plain --format csv");
    let size = usize::from(u16::from_be_bytes([database[16], database[17]]));
    let pages = u32::try_from(database.len() / size).unwrap();
    let mut journal = vec![0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
    [1, 7, pages, 512, size as u32].iter().for_each(|number: &u32| journal.extend(number.to_be_bytes()));
    journal.resize(512, 0);
    let page = database[size..2 * size].to_vec();
    journal.extend(2_u32.to_be_bytes());
    journal.extend(&page);
    let mut sum = 7_u32;
    let mut at = size as i64 - 200;
    while at > 0 {
        sum = sum.wrapping_add(u32::from(page[at as usize]));
        at -= 200;
    }
    journal.extend(sum.to_be_bytes());
    database[size..2 * size].fill(0xff);
    desk.write("bin/OpenSim.db", &database);
    desk.write("bin/OpenSim.db-journal", &journal);
    desk.write("backup.zip", zip_of(&desk, "bin"));
    desk.run_to(DONE, "audit backup.zip --out report --format csv");
    assert_eq!(figures(&desk, "report", "objects"), figures(&desk, "plain", "objects"));
}

#[test]
fn databases_that_cannot_be_unpacked_are_findings_and_others_are_unknown_files() {
    let desk = standalone();
    desk.write("bin/a.oar", sound());
    desk.write("backup.zip", zip_of(&desk, "bin"));
    desk.write("hullmark.toml", "[limits]\ntemporary_bytes = 5000\n");
    desk.run_to(INCOMPLETE, "audit backup.zip --out report --format csv");
    let findings = desk.column("report", "findings", "message").join("\n");
    assert!(findings.contains("temporary files have more than 5,000 bytes"), "{findings}");
    assert!(desk.column("report", "archives", "archive").contains(&"backup.zip/bin/a.oar".into()));

    let desk = Desk::with(&[]);
    let history =
        crate::support::sqlite::database(&[crate::support::sqlite::Table::new("urls", &["url"], Vec::new())]);
    desk.write("bin/history.db", history);
    desk.write("bin/a.oar", sound());
    desk.write("backup.zip", zip_of(&desk, "bin"));
    desk.run_to(DONE, "audit backup.zip --out report --format csv");
    assert_eq!(desk.column("report", "archives", "archive"), ["backup.zip", "backup.zip/bin/a.oar"]);
}
