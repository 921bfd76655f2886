//! A report in memory equals the report in a folder. The numbers of an input equal those of its rows.

use hullmark::{
    Context, Ledger, MemoryFiles, Profile, ReportOptions, ScanOptions, Source, analyze, config::Format, scan,
    write_report,
};
use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    sync::Mutex,
    time::{Duration, SystemTime},
};

fn ledgers(path: &str) -> Vec<Ledger> {
    let ledgers = Mutex::new(Vec::new());
    scan([Source::path(path)], &ScanOptions::default(), |ledger| ledgers.lock().unwrap().push(ledger))
        .unwrap();
    ledgers.into_inner().unwrap()
}

fn profile() -> Profile {
    Profile::load("second-life").unwrap()
}

/// Returns the files of a folder, except the stamp of the last run.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let file = |path: std::path::PathBuf| {
        (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(&path).unwrap())
    };
    files.map(file).filter(|(name, _)| !name.starts_with('.')).collect()
}

#[test]
fn a_report_in_memory_equals_one_in_a_folder() {
    let ledgers = ledgers("sample_data/regions");
    let folder = tempfile::tempdir().unwrap();
    let memory = MemoryFiles::default();
    let mut options = ReportOptions::new(memory.clone(), profile());
    options.config.report.formats =
        vec![Format::Csv, Format::Jsonl, Format::Html, Format::Sarif, Format::Junit];
    let summary = write_report(ledgers.clone(), &options).unwrap();
    let in_memory = memory.take();
    options.destination = folder.path().into();
    // The order of ledgers does not matter.
    let again = write_report(ledgers.into_iter().rev(), &options).unwrap();
    assert!(summary.complete && again.complete);
    assert!(in_memory.len() > 20, "{:?}", in_memory.keys());
    assert!(in_memory == files(folder.path()), "{:?} differ", in_memory.keys());
}

#[cfg(feature = "xlsx")]
#[test]
fn a_report_with_a_time_compares_dated_copies() {
    let ledgers = ledgers("sample_data/nights");
    let memory = MemoryFiles::default();
    let mut options = ReportOptions::new(memory.clone(), profile());
    let mut losses = |now| {
        options.now = now;
        write_report(ledgers.clone(), &options).unwrap();
        let findings = String::from_utf8(memory.take().remove("findings.csv").unwrap()).unwrap();
        findings.matches("HIS001").count()
    };
    assert_eq!(losses(None), 0);
    let night = SystemTime::UNIX_EPOCH + Duration::from_secs(1_794_300_000);
    assert!(losses(Some(night)) > 0, "a copy has far fewer objects than the one before");
}

#[test]
fn a_workbook_in_memory_has_the_cells_of_one_in_a_folder() {
    use calamine::{Reader, open_workbook_from_rs};
    use std::io::Cursor;

    let ledgers = ledgers("sample_data/regions");
    let folder = tempfile::tempdir().unwrap();
    let memory = MemoryFiles::default();
    let mut options = ReportOptions::new(memory.clone(), profile());
    options.config.report.formats = vec![Format::Xlsx];
    write_report(ledgers.clone(), &options).unwrap();
    options.destination = folder.path().into();
    write_report(ledgers, &options).unwrap();
    let cells = |bytes: Vec<u8>| {
        let mut book: calamine::Xlsx<_> = open_workbook_from_rs(Cursor::new(bytes)).unwrap();
        book.worksheets()
    };
    let found = cells(memory.take().remove("audit.xlsx").unwrap());
    assert_eq!(found, cells(fs::read(folder.path().join("audit.xlsx")).unwrap()));
    assert!(found.len() > 5);
}

#[test]
fn the_numbers_of_an_input_match_its_rows() {
    let memory = MemoryFiles::default();
    let mut options = ReportOptions::new(memory.clone(), profile());
    options.config.report.formats = vec![Format::Jsonl];
    let ledgers = ledgers("sample_data/regions/over-the-cap.oar");
    let analysis = analyze(&ledgers[0], &options.profile, &Context::default());
    write_report(ledgers, &options).unwrap();
    let files = memory.take();
    let rows = |table: &str| {
        let text = String::from_utf8(files[table].clone()).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<serde_json::Value>>()
    };
    let objects = rows("objects.jsonl");
    assert_eq!(objects.len(), analysis.objects.len());
    for (row, object) in objects.iter().zip(&analysis.objects) {
        assert_eq!(row["name"].as_str().unwrap_or_default(), object.name);
        assert_eq!(row["land_impact"].as_f64(), object.land_impact.value());
        assert_eq!(row["streaming_cost"].as_f64(), object.streaming_cost.value());
        assert_eq!(row["physics_cost_effective"].as_f64(), object.physics_cost.value());
        assert_eq!(row["linkable"].as_bool(), object.linkable);
    }
    let regions = rows("regions.jsonl");
    assert_eq!(regions[0]["land_impact"].as_f64(), analysis.regions[0].land_impact.value());
    let meshes = rows("meshes.jsonl");
    assert_eq!(meshes.len(), analysis.meshes.len());
    for (row, mesh) in meshes.iter().zip(&analysis.meshes) {
        assert_eq!(row["base_hull_cost"].as_f64(), mesh.base_hull_cost.value());
        assert_eq!(row["parts_using"].as_u64(), Some(mesh.users));
    }
    let worst = rows("findings.jsonl");
    assert_eq!(worst[0]["code"].as_str(), Some(analysis.findings[0].1.code.name()));
}

#[test]
fn the_file_of_a_ledger_is_the_one_that_is_written() {
    let folder = tempfile::tempdir().unwrap();
    for ledger in ledgers("sample_data/regions").into_iter().take(3) {
        let (name, bytes) = ledger.to_file().unwrap();
        let path = ledger.write(folder.path()).unwrap();
        assert_eq!(path.file_name().unwrap().to_str(), Some(&*name));
        assert!(bytes == fs::read(&path).unwrap(), "{name} differs");
    }
}

#[test]
fn the_text_of_a_profile_gives_the_profile_of_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.toml");
    let name = path.to_str().unwrap();
    let text = "base = \"opensim-ubode\"\ndescription = \"mine\"\n[linkability]\nmax_prims = 7\n";
    fs::write(&path, text).unwrap();
    let parsed = Profile::parse(name, text).unwrap();
    assert_eq!(parsed, Profile::load(name).unwrap());
    assert_eq!((&*parsed.description, parsed.linkability.max_prims), ("mine", 7));
    let error = Profile::parse("mine.toml", "base = 3").unwrap_err().to_string();
    assert!(error.contains("mine.toml"), "{error}");
}
