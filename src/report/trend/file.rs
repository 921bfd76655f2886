//! The file `history.csv`: read before a report, appended to after it.
//!
//! Rows are appended under a lock of the file, in one write. A run that was killed leaves at most one row without its
//! end. Readers ignore that row, and the next run removes it.

use super::{Point, ThisRun, day, series::Days};
use crate::{
    counts::SeverityCounts,
    csv::{Csv, restore},
    table::{Cell, Key, Table, head, write},
    tables::history::{History, key},
    text_tables::Text,
};
use hullmark_analysis::cost::Basis;
use hullmark_finding::Severity;
use hullmark_ledger::{
    InputKind, Ledger,
    archive::Archive,
    facts::Status,
    summary::{LedgerSummary, Region},
};
use hullmark_util::{
    advice,
    dates_in_names::{self, undated},
    named_file::open_regular,
};
use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, BufReader, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    time::SystemTime,
};
use thiserror::Error;
use uuid::Uuid;

/// Maximum number of days of a trend, including this run: a month.
const DAYS: usize = 31;

/// Why a history cannot be used.
#[derive(Debug, Error)]
pub enum HistoryError {
    /// The file cannot be read or written.
    #[error("The history {} cannot be read or written; {}", .0.display(), advice::to_write(.1, "--history"))]
    Io(PathBuf, #[source] io::Error),
    /// The first line has other columns.
    #[error(
        "{} has other columns than the history of this version. Rename it: the next run begins a new one. If it is no \
         history, choose another --history",
        .0.display()
    )]
    Columns(PathBuf),
    /// A line is not valid.
    #[error("Line {line} of the history {} is not valid ({why}). Correct or delete that line", path.display())]
    Line {
        /// Path of the file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: u64,
        /// The reason.
        why: String,
    },
}

/// A history that a run reads and extends.
#[derive(Debug)]
pub struct HistoryFile {
    path: PathBuf,
    /// The points of earlier days.
    pub past: Past,
    /// The rows of this run.
    pub run: ThisRun,
    /// The regions of all rows, each as the archive that had it last.
    pub seen: Vec<Archive>,
}

impl HistoryFile {
    /// Reads a history before a run at this time for this target. A missing file is an empty history.
    ///
    /// # Errors
    /// The file cannot be read, or is no history of this version.
    pub fn read(path: &Path, now: SystemTime, target: &str) -> Result<Self, HistoryError> {
        let run = ThisRun::new(now, target);
        let past = match whole_lines(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(HistoryError::Io(path.into(), error)),
            Ok(lines) => lines,
        };
        let parsed = past.map(|lines| Past::parse(path, lines, &run)).transpose()?;
        let (past, seen) = parsed.unwrap_or_default();
        Ok(Self { path: path.into(), run, past, seen })
    }

    /// Appends the rows of this run.
    pub fn append(&self) -> Result<(), HistoryError> {
        self.try_append().map_err(|error| HistoryError::Io(self.path.clone(), error))
    }

    fn try_append(&self) -> io::Result<()> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut file =
            File::options().read(true).write(true).create(true).truncate(false).open(&self.path)?;
        file.lock()?;
        let end = end_of_lines(&mut file)?;
        file.set_len(end)?;
        file.seek(SeekFrom::Start(end))?;
        let head = head::<History>(&[]);
        let (csv, mut text) = (Csv::new(std::slice::from_ref(&head), false), Vec::new());
        if end == 0 {
            csv.begin(&head, &mut text);
        }
        for row in &self.run.rows {
            let add = &mut |table: &'static str, cells: &[Cell<'_>]| csv.row(table, cells, &mut text);
            write::<History>(add, &row)?;
        }
        let written = file.write_all(&text);
        if written.is_err() {
            // On a full disk, half a row would remain.
            let _ = file.set_len(end);
        }
        written
    }
}

/// Opens a history, up to its last end of a line. `None` without one. The file may be larger than memory.
fn whole_lines(path: &Path) -> io::Result<Option<impl Read>> {
    let mut file = open_regular(path)?;
    let end = end_of_lines(&mut file)?;
    file.seek(SeekFrom::Start(0))?;
    Ok((end > 0).then(|| BufReader::new(file.take(end))))
}

/// Returns the offset after the last end of a line in a file.
fn end_of_lines(file: &mut File) -> io::Result<u64> {
    let mut end = file.metadata()?.len();
    let mut piece = [0; 4096];
    while end > 0 {
        let start = end.saturating_sub(piece.len() as u64);
        let piece = &mut piece[..(end - start) as usize];
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(piece)?;
        match piece.iter().rposition(|&byte| byte == b'\n') {
            Some(place) => return Ok(start + place as u64 + 1),
            None => end = start,
        }
    }
    Ok(0)
}

/// The points of earlier days.
#[derive(Debug, Clone, Default)]
pub struct Past {
    /// By identity of the region, then by path of the archive without dates.
    regions: BTreeMap<String, BTreeMap<String, Days>>,
}

impl Past {
    /// Reads rows of the target of this run from earlier days, and the regions of all rows.
    fn parse(path: &Path, lines: impl Read, run: &ThisRun) -> Result<(Self, Vec<Archive>), HistoryError> {
        let (mut past, mut seen) = (Self::default(), BTreeMap::new());
        let mut reader = csv::Reader::from_reader(lines);
        let names = reader.headers().map_err(|_| HistoryError::Columns(path.into()))?;
        if !names.iter().eq(History::COLUMNS.iter().map(|column| column.name)) {
            return Err(HistoryError::Columns(path.into()));
        }
        let invalid = |line, why: String| HistoryError::Line { path: path.into(), line, why };
        for record in reader.records() {
            let record = record.map_err(|error| {
                let (line, words) = (error.position().map_or(0, csv::Position::line), error.to_string());
                match error.into_kind() {
                    csv::ErrorKind::Io(error) => HistoryError::Io(path.into(), error),
                    _ => invalid(line, words),
                }
            })?;
            let line = record.position().map_or(0, csv::Position::line);
            let text = |key: Key<History>| record.get(key.place()).unwrap_or_default();
            let time = text(key::TIME);
            humantime::parse_rfc3339(time)
                .map_err(|_| invalid(line, format!("`{time}` is no time as 2026-11-21T04:00:00Z")))?;
            let point = point(&text).map_err(|why| invalid(line, why))?;
            let archive = region_seen(&text, point.objects);
            seen.insert((restore(text(key::IDENTITY)).into_owned(), archive.series()), archive);
            if restore(text(key::TARGET)) == run.target && day(time) < run.day() {
                let archives = past.regions.entry(restore(text(key::IDENTITY)).into_owned()).or_default();
                let days = archives.entry(undated(&restore(text(key::ARCHIVE)))).or_default();
                days.insert(day(time).to_owned(), point);
                if days.len() >= DAYS {
                    days.pop_first();
                }
            }
        }
        Ok((past, seen.into_values().collect()))
    }

    /// Returns the points of a region. If no other region of this run has its identity, archives at other paths count
    /// too: the archive was moved.
    pub fn days(&self, identity: &str, archive: &str, unique: bool) -> Days {
        let Some(archives) = self.regions.get(identity) else { return Days::default() };
        let own = archives.get(archive).into_iter().flatten();
        let others =
            archives.iter().filter(|(path, _)| unique && *path != archive).flat_map(|(_, days)| days);
        let mut days: Days = others.chain(own).map(|(day, point)| (day.clone(), point.clone())).collect();
        while days.len() >= DAYS {
            days.pop_first();
        }
        days
    }
}

/// Returns the region of a row with this number of objects, as an archive of that time.
fn region_seen<'r>(text: &impl Fn(Key<History>) -> &'r str, objects: u64) -> Archive {
    let name = restore(text(key::ARCHIVE));
    let ledger = Ledger::empty(&name, InputKind::Unknown, Status::Complete);
    let uuid = Uuid::try_parse(text(key::IDENTITY)).ok();
    let region = Region { name: restore(text(key::REGION)).into_owned(), uuid, objects };
    let created = humantime::parse_rfc3339(text(key::TIME)).ok().and_then(dates_in_names::seconds);
    let brief = LedgerSummary { objects, created, regions: vec![region], ..LedgerSummary::new(&ledger) };
    Archive { brief, ..Archive::from_header(&ledger.header()) }
}

/// Reads the figures of a row.
fn point<'r>(text: &impl Fn(Key<History>) -> &'r str) -> Result<Point, String> {
    let number = |key: Key<History>| {
        let number = text(key).parse::<u64>();
        number.map_err(|_| format!("`{}` is no number for {}", text(key), key.name()))
    };
    let land_impact = match text(key::LAND_IMPACT) {
        "" => None,
        word => {
            let impact = word.parse::<f64>().ok().filter(|impact| impact.is_finite());
            Some(impact.ok_or_else(|| format!("`{word}` is no number for land_impact"))?)
        }
    };
    let mut findings = SeverityCounts::default();
    for (severity, key) in
        Severity::WORST_FIRST.into_iter().zip([key::BLOCKERS, key::ERRORS, key::WARNINGS, key::INFO])
    {
        findings.add(severity, number(key)?);
    }
    Ok(Point {
        land_impact,
        at_least: Basis::is_lower_bound(text(key::LAND_IMPACT_BASIS)),
        objects: number(key::OBJECTS)?,
        scripts: if text(key::SCRIPTS).is_empty() { None } else { Some(number(key::SCRIPTS)?) },
        findings,
    })
}
