use super::{archives::scanned_of, ledgers::write_report};
use hullmark_report::diff::{self, Changes, Snapshot};
use hullmark_settings::config::Format;
use std::{fs, path::Path, sync::LazyLock};
use tempfile::TempDir;

/// A report with tables in each format that can be compared.
static REPORT: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let ledger = scanned_of(include_bytes!("../../sample_data/contents/boxes-in-boxes.oar"));
    let formats: Vec<_> = formats().map(|format| format!("{:?}", format.name())).collect();
    write_report(&ledger, folder.path(), &formats.join(", "));
    folder
});

/// The formats that can be compared, as far as they are built in.
fn formats() -> impl Iterator<Item = Format> {
    [Format::Csv, Format::Jsonl, Format::Parquet].into_iter().filter(|format| format.missing().is_none())
}

/// Returns the table of objects in each format.
pub fn tables() -> Vec<Vec<u8>> {
    let read = |format: Format| fs::read(REPORT.path().join(format!("report/objects.{}", format.name())));
    formats().map(|format| read(format).unwrap()).collect()
}

/// Reads a table of objects in the format that its first bytes suggest. It is refused by its name, or the report can be
/// compared with itself: nothing changed. Returns whether it was read.
pub fn report_table(bytes: &[u8]) -> bool {
    let format = match bytes {
        [b'P', b'A', b'R', ..] if Format::Parquet.missing().is_none() => Format::Parquet,
        [b'{', ..] => Format::Jsonl,
        _ => Format::Csv,
    };
    let folder = tempfile::tempdir().unwrap();
    let ending = format.name();
    let from = |name: &str| REPORT.path().join("report").join(name);
    for name in ["audit.json".to_owned()]
        .into_iter()
        .chain(["archives", "regions", "findings"].map(|table| format!("{table}.{ending}")))
    {
        fs::copy(from(&name), folder.path().join(&name)).unwrap();
    }
    let name = format!("objects.{ending}");
    fs::write(folder.path().join(&name), bytes).unwrap();
    match diff::of_report(folder.path(), folder.path(), diff::Extent::Objects) {
        Ok(old) => {
            assert_eq!(changes_since(&old, folder.path()), 0);
            true
        }
        Err(error) => {
            assert!(error.to_string().contains(&name), "{error}");
            false
        }
    }
}

/// Reads a report again and compares it with itself. Returns the number of changes.
fn changes_since(old: &Snapshot, report: &Path) -> usize {
    let new = diff::of_report(report, report, diff::Extent::Objects).unwrap();
    let mut all = 0;
    let changes = Changes::between(old, &new, report).unwrap();
    changes
        .write(1, |some| {
            all += some.len();
            Ok(())
        })
        .unwrap();
    all
}
