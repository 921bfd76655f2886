//! Broken archives do not change a byte in the findings of good archives in the same run.

use crate::support::{
    archive::{Archive, control, gzip, parcel, settings},
    desk::{Desk, FINDINGS, INCOMPLETE},
    llsd::Llsd,
    mesh::MeshFile,
    object::{OWNER, Prim, uuid, xml1, xml2},
};
use serde_json::Value;
use std::{collections::BTreeMap, fs, path::Path};

const GOOD: u32 = 200;
const BROKEN: u32 = 50;

/// Returns a small region with its own UUIDs and mesh. Every third one has a finding.
fn good(number: u32) -> Archive {
    let mesh = uuid(0x3e3e_3e3e, number);
    let far = if number.is_multiple_of(3) { 60.0 } else { 2.0 };
    let root =
        Prim { scripts: 1, contains: Some(uuid(0x7171_7171, number)), ..Prim::new("Bridge", 4 * number) };
    let end = Prim { offset: [far, 0.0, 0.0], mesh: Some(mesh.clone()), ..Prim::new("End", 4 * number + 1) };
    let inner = Prim::new("Gift", 4 * number + 2);
    let region = uuid(0x4e4e_4e4e, number);
    Archive::new(&control(&region, "256,256"))
        .add("objects/Bridge.xml", xml2(&[root, end]))
        .add(
            &format!("assets/{mesh}_mesh.llmesh"),
            MeshFile::cube().entry("day", Llsd::Int(number as i32)).encode(),
        )
        .add(&format!("assets/{}_object.xml", uuid(0x7171_7171, number)), xml1(&[inner]))
        .add(&format!("settings/Region {number}.xml"), settings("1"))
        .add("landdata/all.xml", parcel(&uuid(0x9a9a_9a9a, number), "All", OWNER, 64, |_, _| true))
}

/// Returns an archive that is broken in one of ten ways. Each one has other bytes.
fn broken(number: u32) -> Vec<u8> {
    let archive = good(1000 + number);
    let whole = archive.gzip();
    let step = number as usize / 10 + 1;
    let changed = |mut bytes: Vec<u8>| {
        let every = bytes.len() / (7 * step) + 1;
        bytes.iter_mut().skip(every / 2).step_by(every).for_each(|byte| *byte = byte.wrapping_add(101));
        bytes
    };
    match number % 10 {
        0 => whole[..whole.len() * step / 6].to_vec(),
        1 => changed(whole),
        2 => gzip(&changed(archive.tar())),
        3 => archive.tar()[..700 * step].to_vec(),
        4 => archive.add("assets/bomb_mesh.llmesh", vec![0; 8_000_000 * step]).gzip(),
        5 => archive.add("objects/deep.xml", "<SceneObjectGroup>".repeat(5000 * step)).gzip(),
        6 => [b"\x89PNG\r\n\x1a\n".as_slice(), &[number as u8; 50]].concat(),
        7 => [b"\x1f\x8b\x08\x00".as_slice(), &[number as u8; 300]].concat(),
        8 => gzip(&[0xff; 2000][..400 * step]),
        _ => Vec::new(),
    }
}

fn is_good(archive: &str) -> bool {
    archive.ends_with("-good.oar")
}

/// Returns the rows of good archives in a report, by file name, in their order.
fn rows(desk: &Desk, folder: &str) -> BTreeMap<String, Vec<String>> {
    let mut rows: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, bytes) in desk.files(folder) {
        let (stem, ending) = name.rsplit_once('.').unwrap();
        let kept = rows.entry(name.clone()).or_default();
        match ending {
            "csv" => {
                let mut reader = csv::Reader::from_reader(bytes.as_slice());
                // Sums over all inputs belong to no archive.
                let Some(place) = reader.headers().unwrap().iter().position(|column| column == "archive")
                else {
                    continue;
                };
                let records = reader.records().map(Result::unwrap).filter(|record| is_good(&record[place]));
                kept.extend(records.map(|record| format!("{record:?}")));
            }
            "jsonl" => {
                let lines = String::from_utf8(bytes).unwrap();
                let of = |line: &&str| {
                    let row: Value = serde_json::from_str(line).unwrap();
                    is_good(row["archive"].as_str().unwrap_or_default())
                };
                kept.extend(lines.lines().filter(of).map(str::to_owned));
            }
            "sarif" => {
                let sarif: Value = serde_json::from_slice(&bytes).unwrap();
                let results = sarif["runs"][0]["results"].as_array().unwrap().iter().map(Value::to_string);
                kept.extend(results.filter(|result| result.contains("-good.oar\"")));
            }
            "xml" => {
                let text = String::from_utf8(bytes).unwrap();
                let suites =
                    text.split("<testsuite ").skip(1).map(|suite| suite.replace("</testsuites>\n", ""));
                kept.extend(suites.filter(|suite| suite.lines().next().unwrap().contains("-good.oar\"")));
            }
            "html" => {
                let page = String::from_utf8(bytes).unwrap();
                for data in page.split(" id=\"data-").skip(1) {
                    kept.extend(rows_of_page(data));
                }
            }
            #[cfg(feature = "xlsx")]
            "xlsx" => kept.extend(rows_of_workbook(bytes)),
            // The file describes the run as a whole.
            "json" if stem == "audit" => {}
            _ => panic!("{name}: nothing is known of such files"),
        }
    }
    rows
}

/// Returns the rows of a table of the page, with dictionary words resolved.
fn rows_of_page(data: &str) -> Vec<String> {
    let (name, json) = data.split_once("\">").unwrap();
    let table: Value = serde_json::from_str(json.split("</script>").next().unwrap()).unwrap();
    let columns = table["columns"].as_array().unwrap();
    let cell = |column: &Value, row: usize| match (&column["cells"][row], column.get("words")) {
        (cell, Some(words)) if cell.is_u64() => words[cell.as_u64().unwrap() as usize].to_string(),
        (cell, _) => cell.to_string(),
    };
    let archive = columns.iter().find(|column| column["name"] == "archive");
    let of = |row: &usize| archive.is_some_and(|column| is_good(cell(column, *row).trim_matches('"')));
    let rows = (0..table["rows"].as_u64().unwrap() as usize).filter(of);
    rows.map(|row| {
        format!("{name}: {:?}", columns.iter().map(|column| cell(column, row)).collect::<Vec<_>>())
    })
    .collect()
}

/// Returns the rows of a workbook, with the name of their sheet.
#[cfg(feature = "xlsx")]
fn rows_of_workbook(bytes: Vec<u8>) -> Vec<String> {
    use calamine::{Data, Reader, Xlsx};
    let mut workbook: Xlsx<_> = Xlsx::new(std::io::Cursor::new(bytes)).unwrap();
    let sheets = workbook.worksheets().into_iter().filter(|(name, _)| name != "Summary");
    let rows = sheets.flat_map(|(name, range)| {
        let rows: Vec<_> = range.rows().map(|row| (name.clone(), row.to_vec())).collect();
        rows
    });
    rows.filter(|(_, row)| row.iter().any(|cell| matches!(cell, Data::String(words) if is_good(words))))
        .map(|(name, row)| format!("{name}: {row:?}"))
        .collect()
}

/// Returns the ledgers of good archives.
fn ledgers(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let named = files.map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), path));
    named
        .filter(|(name, _)| name.contains("-good.oar-"))
        .map(|(name, path)| (name, fs::read(path).unwrap()))
        .collect()
}

#[test]
fn broken_archives_do_not_affect_good_ones() {
    let desk = Desk::with(&[]);
    for number in 0..GOOD {
        desk.write(&format!("exports/{number:03}-good.oar"), good(number).gzip());
    }
    let formats =
        if cfg!(feature = "xlsx") { "csv,jsonl,xlsx,html,sarif,junit" } else { "csv,jsonl,html,sarif,junit" };
    let audit = |out: &str, threads: u32| {
        format!(
            "audit exports --out {out} --ledgers {out}-ledgers --format {formats} --threads {threads} --fail-on error \
             --now 2026-11-21T12:00:00Z --profile second-life --profile opensim-ubode -q"
        )
    };
    desk.run_to(FINDINGS, &audit("alone", 1));
    for number in 0..BROKEN {
        desk.write(&format!("exports/{:03}-broken.oar", number * 4), broken(number));
    }
    let run = desk.run_to(INCOMPLETE, &audit("among", 2));
    assert!(run.stderr.contains("-broken.oar is "), "{}", run.stderr);

    let (alone, among) = (rows(&desk, "alone"), rows(&desk, "among"));
    assert_eq!(alone.keys().collect::<Vec<_>>(), among.keys().collect::<Vec<_>>());
    for (name, rows) in &alone {
        assert_eq!(rows.len(), among[name].len(), "{name}");
        for (row, other) in rows.iter().zip(&among[name]) {
            assert_eq!(row, other, "{name}");
        }
    }
    for (name, least) in [
        ("archives.csv", GOOD),
        ("objects.jsonl", 2 * GOOD),
        ("audit.sarif", GOOD / 3),
        ("audit.html", 4 * GOOD),
    ] {
        assert!(alone[name].len() >= least as usize, "{name}: {}", alone[name].len());
    }
    assert_eq!(alone["audit.junit.xml"].len(), GOOD as usize);
    #[cfg(feature = "xlsx")]
    assert!(alone["audit.xlsx"].len() >= 2 * GOOD as usize, "{}", alone["audit.xlsx"].len());

    let (alone, among) = (ledgers(&desk.at("alone-ledgers")), ledgers(&desk.at("among-ledgers")));
    assert_eq!((alone.len(), among.len()), (GOOD as usize, GOOD as usize));
    for (name, bytes) in alone {
        assert!(bytes == among[&name], "the ledger {name} differs");
    }

    // Each broken archive is reported: in its own row, or as a file of unknown kind.
    let rows = desk.table("among", "findings");
    // LNK001 is in good objects too, and RUN003 only says that checks were not evaluated. Neither identifies a broken
    // archive.
    let of_it = rows.iter().filter(|row| !["LNK001", "RUN003"].contains(&row["code"].as_str()));
    let reported: Vec<_> = of_it.map(|row| row["archive"].clone()).collect();
    let entries: Vec<_> = desk.column("among", "findings", "entry");
    for number in 0..BROKEN {
        let name = format!("{:03}-broken.oar", number * 4);
        assert!(reported.iter().chain(&entries).any(|words| words.ends_with(&name)), "{name} is not told");
    }
}
