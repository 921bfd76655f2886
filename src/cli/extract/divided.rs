//! `extract --per`: an archive for each owner, region, parcel or square, and an index of them.

use super::{
    super::{
        Outcome,
        copies::{ensure_room, first_lines, or_stopped, place_of},
        terminal::print_view,
    },
    ExtractArgs, Source, ensure_whole,
    view::{Lacks, lost, rezzed},
};
use anyhow::{Context, ensure};
use hullmark_analysis::asset_uses::{self, Uses};
use hullmark_repair::{
    ArchiveWriter, Chosen, CopyError, Division, Per, Square, Written, folder_beside, persist_folder, write,
};
use hullmark_report::csv::defuse;
use hullmark_util::{
    number_text::{bytes, thousands},
    terminal_text::{clean, counted},
};
use serde::Serialize;
use std::{collections::BTreeSet, ffi::OsString, fs, io, path::Path};
use uuid::Uuid;

/// The table of all archives, in their folder.
const INDEX: &str = "index.csv";

/// Most archives that are written in one reading: each needs a file and the memory of its compression.
const AT_ONCE: usize = 64;

/// Columns of the index.
const COLUMNS: [&str; 10] =
    ["file", "name", "uuid", "east_m", "north_m", "objects", "assets", "missing_assets", "left_out", "bytes"];

/// One of the archives.
#[derive(Debug, Serialize)]
struct Row {
    file: String,
    /// Name of the region or parcel. Empty for an owner, and for objects on no parcel.
    name: String,
    /// UUID of the owner, region or parcel.
    uuid: Option<Uuid>,
    /// Distance of a square from the corner of its region, in metres.
    corner_m: Option<[u32; 2]>,
    objects: u64,
    assets: u64,
    /// Assets that the objects use and the archive lacks, without those that every grid has.
    missing_assets: u64,
    /// Members that were not copied.
    left_out: u64,
    /// Bytes of the file. 0 if none was written.
    bytes: u64,
}

/// What was copied, for people and programs.
#[derive(Debug, Serialize)]
struct View {
    archive: String,
    /// The new folder. Absent if none was written.
    out: Option<String>,
    objects: u64,
    objects_of_archive: u64,
    files: Vec<Row>,
    #[serde(flatten)]
    lacks: Lacks,
}

impl ExtractArgs {
    /// Writes a folder of copies.
    pub(super) fn divided(
        &self,
        chosen: &Chosen<'_>,
        per: Per,
        out: &Path,
        source: &Source<'_>,
    ) -> anyhow::Result<Outcome> {
        let divisions = chosen.divided(per);
        ensure!(!divisions.is_empty(), CopyError::NothingMatches(source.ledger.input.clone()));
        let used = asset_uses::collect(source.ledger);
        let (files, left_out) = match self.copy.dry_run {
            true => (rows(&divisions, &vec![Written::default(); divisions.len()], &used), Vec::new()),
            false => {
                let most = source.ledger.bytes;
                let bytes = divisions.iter().map(|division| division.extract.bytes().min(most));
                ensure_room(out, bytes.sum())?;
                let folder = folder_beside(out)?;
                let Some(written) = or_stopped(write_each(&divisions, folder.path(), source))? else {
                    return Ok(Outcome::Stopped);
                };
                for (division, written) in divisions.iter().zip(&written) {
                    let file = folder.path().join(&division.file);
                    ensure_whole(&file, &division.extract, written, source.settings)?;
                }
                let rows = rows(&divisions, &written, &used);
                write_index(&folder.path().join(INDEX), &rows)?;
                if self.copy.overwrite {
                    remove(out)?;
                }
                persist_folder(folder, out)
                    .with_context(|| format!("{} cannot be written", out.display()))?;
                (rows, written.into_iter().flat_map(|written| written.left_out).collect())
            }
        };
        let missing: BTreeSet<&Uuid> =
            divisions.iter().flat_map(|division| &division.extract.missing).collect();
        let view = View {
            archive: source.ledger.input.clone(),
            out: (!self.copy.dry_run).then(|| out.display().to_string()),
            objects: divisions.iter().map(|division| division.extract.objects.len() as u64).sum(),
            objects_of_archive: rezzed(source.ledger),
            files,
            lacks: Lacks::new(source.ledger, chosen, lost(&used, missing), left_out),
        };
        print_view(self.copy.json, &view, || view.text())?;
        Ok(view.lacks.outcome())
    }
}

/// Writes the archives, some in each reading.
fn write_each(
    divisions: &[Division<'_>],
    folder: &Path,
    source: &Source<'_>,
) -> Result<Vec<Written>, CopyError> {
    let mut written = Vec::new();
    for some in divisions.chunks(AT_ONCE) {
        let archives = some.iter().map(|division| ArchiveWriter::create(&folder.join(&division.file), false));
        let archives = archives.collect::<io::Result<Vec<_>>>()?;
        let extracts: Vec<_> = some.iter().map(|division| &division.extract).collect();
        written.extend(write(&extracts, archives, source.input, &source.request, source.is_stopped)?);
    }
    Ok(written)
}

fn rows(divisions: &[Division<'_>], written: &[Written], used: &Uses<'_>) -> Vec<Row> {
    let row = |(division, written): (&Division<'_>, &Written)| Row {
        file: division.file.clone(),
        name: division.name.clone(),
        uuid: division.uuid,
        corner_m: division.square.map(Square::corner),
        objects: division.extract.objects.len() as u64,
        assets: division.extract.assets(),
        missing_assets: lost(used, &division.extract.missing).len() as u64,
        left_out: written.left_out.len() as u64,
        bytes: written.bytes,
    };
    divisions.iter().zip(written).map(row).collect()
}

fn write_index(path: &Path, rows: &[Row]) -> anyhow::Result<()> {
    let mut table = csv::Writer::from_path(path)?;
    table.write_record(COLUMNS)?;
    for row in rows {
        let [east, north] = row
            .corner_m
            .map_or([String::new(), String::new()], |corner| corner.map(|metres| metres.to_string()));
        let uuid = row.uuid.map(|uuid| uuid.to_string()).unwrap_or_default();
        let [objects, assets, missing, left_out, bytes] =
            [row.objects, row.assets, row.missing_assets, row.left_out, row.bytes]
                .map(|count| count.to_string());
        let cells =
            [&row.file, &row.name, &uuid, &east, &north, &objects, &assets, &missing, &left_out, &bytes];
        table.write_record(cells.map(|cell| defuse(cell).into_owned()))?;
    }
    Ok(table.flush()?)
}

/// Refuses a folder in the export, and one with other files than those of an earlier run.
pub(super) fn ensure_apart(path: &Path, out: &Path, overwrite: bool) -> anyhow::Result<()> {
    place_of(path, out)?;
    let shown = out.display();
    if !out.exists() {
        return Ok(());
    }
    ensure!(overwrite, "{shown} exists. Choose another --out, or add --overwrite");
    let others = others(out)
        .with_context(|| format!("{shown} is no folder of an earlier run. Choose another --out"))?;
    ensure!(others.is_empty(), "{shown} has files that no earlier run wrote. Choose another --out");
    Ok(())
}

/// Returns the files of an earlier run, by their index.
fn files_of(out: &Path) -> anyhow::Result<BTreeSet<OsString>> {
    let mut index = csv::Reader::from_path(out.join(INDEX))?;
    let files = index.records().map(|row| Ok(row?.get(0).unwrap_or_default().into()));
    files.chain([Ok(INDEX.into())]).collect()
}

/// Returns the files of a folder that no earlier run wrote.
fn others(out: &Path) -> anyhow::Result<Vec<OsString>> {
    let ours = files_of(out)?;
    let names = fs::read_dir(out)?.map(|file| Ok(file?.file_name())).collect::<io::Result<Vec<_>>>()?;
    Ok(names.into_iter().filter(|name| !ours.contains(name)).collect())
}

/// Removes the folder of an earlier run. One with other files stays, which is an error.
fn remove(out: &Path) -> anyhow::Result<()> {
    if !out.exists() {
        return Ok(());
    }
    for name in files_of(out)? {
        // A name of an index may be a path to elsewhere.
        let is_name = Path::new(&name).file_name() == Some(&name);
        if is_name && out.join(&name).is_file() {
            fs::remove_file(out.join(&name))?;
        }
    }
    fs::remove_dir(out).with_context(|| format!("{} cannot be replaced", out.display()))
}

impl View {
    fn text(&self) -> String {
        let objects =
            format!("{} of {}", thousands(self.objects), counted(self.objects_of_archive, "object"));
        let archives = counted(self.files.len() as u64, "archive");
        let mut lines = vec![match &self.out {
            Some(out) => format!("Wrote {objects} to {archives} in {}.", clean(out)),
            None => format!("Would copy {objects} to {archives}. Nothing was written."),
        }];
        lines.extend(first_lines(&self.files, self.files.len() as u64, |row| {
            let size = if row.bytes > 0 { format!(", {}", bytes(row.bytes)) } else { String::new() };
            format!("  {}: {}{size}", clean(&row.file), counted(row.objects, "object"))
        }));
        lines.extend(self.out.as_ref().map(|out| {
            let index = Path::new(out).join(INDEX).display().to_string();
            format!("The list is {}.", clean(&index))
        }));
        lines.extend(self.lacks.lines());
        lines.join("\n") + "\n"
    }
}
