//! Ledgers to reports: the only I/O on the way out.
//!
//! Ledgers are taken one by one in the order of their inputs, so a report does not depend on how they came to
//! be, and memory not on how large they are: only what rules across inputs remember grows with them. Each is
//! joined with its measures, judged by the rules, and written as rows; what the whole run amounts to is gathered
//! on the way and written last, as `audit.json`.

pub mod counts;
pub mod csv;
mod formats;
pub(crate) mod home;
mod html;
pub mod json_lines;
mod judged;
pub mod junit;
mod narrow;
pub mod output;
#[cfg(feature = "parquet")]
pub mod parquet;
pub mod sarif;
pub mod summary;
pub mod table;
pub mod tables;
pub mod told;
#[cfg(feature = "xlsx")]
mod xlsx;

use crate::{
    config::ReportConfig,
    facts::ObjectFacts,
    finding::{Finding, Severity},
    join::Case,
    ledger::{self, Ledger, LedgerError},
    night::{self, Gather, News, Night},
    profile::{Named, Profile},
    saving,
    users::Users,
};
use counts::{Counts, SeverityCounts};
pub use judged::Judge;
pub(crate) use judged::Judged;
use narrow::Narrowed;
pub use narrow::{Narrow, NarrowedTo};
use output::{Output, OutputError};
use std::{
    cell::RefCell,
    collections::{BTreeSet, HashMap},
    fs::File,
    io::{BufWriter, Write},
    path::{Path, PathBuf},
    rc::Rc,
};
pub use summary::{Manifest, Summary};
use table::{Head, Sink, Table, write as write_row};
use tables::{
    archives::Archives,
    changes::Changes,
    checks::Checks,
    findings::{self, Findings},
    hulls::Hulls,
    meshes::{self, Meshes},
    objects::{self, Objects},
    parcels::Parcels,
    parts::Parts,
    regions::Regions,
    savings::Savings,
};
use thiserror::Error;
pub(crate) use told::{Told, fold};
use uuid::Uuid;

/// Why there is no report.
#[derive(Debug, Error)]
pub enum ReportError {
    /// A ledger was refused.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// A report could not be written.
    #[error(transparent)]
    Output(#[from] OutputError),
}

/// Reports that are opened and not yet written.
pub struct Reports {
    output: Output,
    sinks: Vec<Box<dyn Sink>>,
    json: BufWriter<File>,
    further: Vec<Named>,
    cost_difference: f64,
    users: Option<Users>,
    narrow: Narrow,
    baseline: Option<Night>,
}

impl Reports {
    /// Opens every report in a folder, with columns for further profiles beside the one that will judge.
    pub fn open(folder: &Path, config: &ReportConfig, further: Vec<Named>) -> Result<Self, OutputError> {
        Self::open_after(folder, config, further, None)
    }

    /// The same with what changed since an earlier night, where there is one.
    pub fn open_after(
        folder: &Path,
        config: &ReportConfig,
        further: Vec<Named>,
        baseline: Option<Night>,
    ) -> Result<Self, OutputError> {
        let mut output = Output::new(folder)?;
        let heads = heads_of(&further, baseline.is_some());
        // Once each, however often it is named.
        let formats: BTreeSet<_> = config.formats.iter().copied().collect();
        let sinks = formats.into_iter();
        let sinks = sinks.filter_map(|format| formats::open(format, &mut output, &heads, config).transpose());
        let sinks = sinks.collect::<Result<_, _>>()?;
        let json = output.open_whole("json")?;
        let cost_difference = f64::from(config.cost_difference_percent) / 100.0;
        Ok(Self {
            output,
            sinks,
            json,
            further,
            cost_difference,
            users: None,
            narrow: Narrow::default(),
            baseline,
        })
    }

    /// The same for a target grid that knows these people.
    pub fn knowing(mut self, users: Option<Users>) -> Self {
        self.users = users;
        self
    }

    /// The heads of the tables.
    pub fn heads(&self) -> Vec<Head> {
        heads_of(&self.further, self.baseline.is_some())
    }

    /// The same with one more way of writing tables.
    pub fn with(mut self, sink: Box<dyn Sink>) -> Self {
        self.sinks.push(sink);
        self
    }

    /// The same with this left of it. Names of owners are those that the target knows.
    pub fn narrowed(mut self, narrow: Narrow) -> Self {
        self.narrow = narrow;
        self
    }
}

/// The heads of all tables with columns for further profiles; that of changes only where there is an earlier night.
fn heads_of(further: &[Named], compared: bool) -> Vec<Head> {
    let mut heads = tables::heads(&further.iter().map(Named::in_columns).collect::<Vec<_>>());
    heads.retain(|head| compared || head.name != Changes::NAME);
    heads
}

/// Judges ledgers for a target grid and writes the reports.
pub fn write(
    ledgers: &[PathBuf],
    profile: &Profile,
    manifest: Manifest,
    top: usize,
    mut reports: Reports,
) -> Result<Summary, ReportError> {
    let folder = reports.output.folder().to_owned();
    let failed = |source| OutputError { path: folder.clone(), source };
    let mut summary = Summary::new(
        Manifest {
            also: reports.further.clone(),
            users: reports.users.as_ref().map(Users::count),
            ..manifest
        },
        top,
    );
    let judge = Judge {
        profile,
        further: &reports.further,
        users: reports.users.as_ref(),
        cost_difference: reports.cost_difference,
    };
    let (heads, mut sinks) = (reports.heads(), std::mem::take(&mut reports.sinks));
    let gather = Rc::new(RefCell::new(Gather::new(&heads)));
    let baseline = reports.baseline.as_ref();
    if baseline.is_some() {
        sinks.push(Box::new(Rc::clone(&gather)));
    }
    let mut sink = Narrowed::new(reports.narrow, reports.users.as_ref(), &heads, sinks);
    tell(ledgers, judge, top, baseline, &mut sink, &mut summary, failed)?;
    if let Some(old) = baseline {
        gather.borrow_mut().made_by(&summary).map_err(failed)?;
        let changes = night::Changes::between(old, &gather.take().night());
        for change in &changes.rows {
            write_row::<Changes>(&mut sink, &change).map_err(failed)?;
        }
        summary.changes = Some(changes.told(top));
    }
    sink.finish(&summary).map_err(failed)?;
    let json = &mut reports.json;
    let written = serde_json::to_writer_pretty(&mut *json, &summary).map_err(Into::into);
    written.and_then(|()| json.write_all(b"\n")).and_then(|()| json.flush()).map_err(failed)?;
    reports.output.publish()?;
    Ok(summary)
}

/// Writes how two nights differ, and nothing else: a table, and `changes.json` last.
pub fn write_changes(
    folder: &Path,
    config: &ReportConfig,
    manifest: Manifest,
    changes: &night::Changes,
) -> Result<Summary, OutputError> {
    let failed = |source| OutputError { path: folder.into(), source };
    let mut output = Output::new(folder)?.named(Changes::NAME);
    let heads = [table::head::<Changes>(&[])];
    let formats: BTreeSet<_> = config.formats.iter().copied().collect();
    let sinks = formats.into_iter();
    let sinks = sinks.filter_map(|format| formats::open(format, &mut output, &heads, config).transpose());
    let mut sinks: Vec<_> = sinks.collect::<Result<_, _>>()?;
    let mut json = output.open_whole("json")?;
    let mut summary = Summary::new(manifest, config.top);
    summary.changes = Some(changes.told(config.top));
    for sink in &mut sinks {
        for change in &changes.rows {
            write_row::<Changes>(sink.as_mut(), &change).map_err(failed)?;
        }
        sink.finish(&summary).map_err(failed)?;
    }
    let written = serde_json::to_writer_pretty(&mut json, &summary.changes).map_err(Into::into);
    written.and_then(|()| json.write_all(b"\n")).and_then(|()| json.flush()).map_err(failed)?;
    output.publish()?;
    Ok(summary)
}

/// What ledgers are for this target grid and this choice of rows, to be compared with another night.
pub fn night(
    ledgers: &[PathBuf],
    judge: Judge<'_>,
    manifest: Manifest,
    narrow: Narrow,
) -> Result<Night, ReportError> {
    let heads = heads_of(judge.further, false);
    let gather = Rc::new(RefCell::new(Gather::new(&heads)));
    let mut sink = Narrowed::new(narrow, judge.users, &heads, vec![Box::new(Rc::clone(&gather))]);
    let mut summary = Summary::new(manifest, 0);
    // It keeps all in memory, so no file can fail.
    let failed = |source| OutputError { path: PathBuf::new(), source };
    tell(ledgers, judge, 0, None, &mut sink, &mut summary, failed)?;
    sink.finish(&summary).map_err(failed)?;
    drop(sink);
    Ok(gather.take().night())
}

/// Judges ledgers and gives their rows to sinks.
fn tell(
    ledgers: &[PathBuf],
    judge: Judge<'_>,
    top: usize,
    baseline: Option<&Night>,
    sink: &mut Narrowed,
    summary: &mut Summary,
    failed: impl Fn(std::io::Error) -> OutputError,
) -> Result<(), ReportError> {
    let (stores, inputs) = judged::apart(ledgers)?;
    let names = match baseline {
        Some(_) => inputs
            .iter()
            .map(|path| Ok(ledger::read_label(path)?.input))
            .collect::<Result<Vec<_>, LedgerError>>()?,
        None => Vec::new(),
    };
    let older = night::older(names.iter().map(String::as_str));
    judge.each(inputs.iter().map(|path| Ok(Ledger::read(path)?)), &stores, |case, judged| {
        let beside = Beside { baseline, older: older.contains(case.ledger.input.as_str()) };
        write_case(case, judged, &savings(case, top), &beside, sink, summary).map_err(&failed)?;
        Ok::<(), ReportError>(())
    })?;
    for store in &stores {
        // A store is not judged: it is named, so that a report says what it rests on.
        let case = Case::new(store, judge.profile);
        write_row::<Archives>(sink, &(&case, &SeverityCounts::default())).map_err(&failed)?;
        summary.add_source(store);
    }
    summary.finish(sink.told());
    Ok(())
}

/// The findings of an input for itself, with their severities. What it shows together with others is left to
/// [`write()`].
pub fn judge(case: &Case<'_>) -> Vec<(Severity, Finding)> {
    Judged::of(case, None).findings
}

/// What lowers the simulator's cost of each region: so much of each kind, and nothing is searched where that is none.
fn savings<'a>(case: &'a Case<'a>, top: usize) -> Vec<Vec<saving::Advice<'a>>> {
    if top == 0 {
        return Vec::new();
    }
    (0..case.ledger.regions.len()).map(|region| saving::advise(case, region, top)).collect()
}

/// What an input is compared with.
struct Beside<'a> {
    baseline: Option<&'a Night>,
    /// Whether a newer one of the same region is compared in its place.
    older: bool,
}

impl Beside<'_> {
    /// What is new of the findings: in an order in which that stands first, otherwise as they come.
    fn sort<'f>(&self, case: &Case<'_>, told: Vec<Told<'f>>) -> Vec<(Option<News>, Told<'f>)> {
        let Some(night) = self.baseline else { return told.into_iter().map(|told| (None, told)).collect() };
        let news = match self.older {
            true => vec![News::NotCompared; told.len()],
            false => night.news(case, &told),
        };
        let mut sorted: Vec<_> = news.into_iter().map(Some).zip(told).collect();
        sorted.sort_by_key(|(news, _)| *news);
        sorted
    }
}

/// Writes all rows of one input.
fn write_case(
    case: &Case<'_>,
    judged: &Judged,
    savings: &[Vec<saving::Advice<'_>>],
    beside: &Beside<'_>,
    sink: &mut Narrowed,
    summary: &mut Summary,
) -> std::io::Result<()> {
    let mut counts = Counts::default();
    for (severity, finding) in &judged.findings {
        counts.add(finding, *severity);
    }
    let told = beside.sort(case, fold(case, &judged.findings));
    let by_root = objects_by_root(case);
    write_row::<Archives>(sink, &(case, &counts.all))?;
    for (region, sums) in case.ledger.regions.iter().zip(&case.regions) {
        write_row::<Regions>(sink, &(case, region, sums))?;
        for (parcel, sums) in region.parcels.iter().zip(&sums.parcels) {
            write_row::<Parcels>(sink, &(case, region, parcel, sums))?;
        }
    }
    for (region, savings) in case.ledger.regions.iter().zip(savings) {
        for advice in savings {
            write_row::<Savings>(sink, &(case, region, advice))?;
        }
    }
    for row in object_rows(case, &counts) {
        write_row::<Objects>(sink, &row)?;
        for (part, measures) in row.object.linkset.parts.iter().zip(&row.measures.parts) {
            write_row::<Parts>(sink, &(case, row.object, part, measures))?;
        }
    }
    for row in mesh_rows(case, &counts) {
        write_row::<Meshes>(sink, &row)?;
        if let Some(convex) = &row.mesh.convex {
            if let Some(hull) = &convex.base {
                write_row::<Hulls>(sink, &(case, row.mesh, None, hull))?;
            }
            for (index, hull) in convex.hulls.iter().enumerate() {
                write_row::<Hulls>(sink, &(case, row.mesh, Some(index), hull))?;
            }
        }
    }
    for (news, told) in &told {
        write_row::<Findings>(sink, &finding_row(case, *news, told, &by_root))?;
    }
    for check in &judged.checks {
        write_row::<Checks>(sink, &(case, check))?;
    }
    // The summary is of the rows that are shown.
    summary.add(case, sink);
    for row in object_rows(case, &counts).filter(|row| sink.shows::<Objects>(row.number)) {
        summary.add_object(&row);
    }
    for (_, (news, told)) in told.iter().enumerate().filter(|&(number, _)| sink.shows::<Findings>(number)) {
        summary.add_finding(&finding_row(case, *news, told, &by_root));
    }
    for (_, check) in judged.checks.iter().enumerate().filter(|&(number, _)| sink.shows::<Checks>(number)) {
        summary.add_check(check);
    }
    Ok(())
}

fn object_rows<'a>(case: &'a Case<'a>, counts: &'a Counts<'_>) -> impl Iterator<Item = objects::Row<'a>> {
    case.objects().enumerate().map(|(number, (object, measures))| {
        let root = object.linkset.parts.first().map_or(Uuid::nil(), |root| root.uuid);
        let about = counts.object(&object.entry, root);
        objects::Row { case, object, number, measures, worst: about.worst, findings: about.findings }
    })
}

fn mesh_rows<'a>(case: &'a Case<'a>, counts: &'a Counts<'_>) -> impl Iterator<Item = meshes::Row<'a>> {
    let numbers = case.ledger.meshes.iter().zip(&case.meshes).zip(&case.mesh_users);
    numbers.map(|((mesh, measures), &users)| {
        let about = counts.entry(&mesh.entry);
        meshes::Row { case, mesh, measures, users, worst: about.worst, findings: about.findings }
    })
}

/// Objects by their entry and root.
type ByRoot<'a> = HashMap<(&'a str, Uuid), &'a ObjectFacts>;

fn objects_by_root<'a>(case: &Case<'a>) -> ByRoot<'a> {
    let mut by_root = HashMap::new();
    for object in &case.ledger.objects {
        if let Some(root) = object.linkset.parts.first() {
            by_root.entry((object.entry.as_str(), root.uuid)).or_insert(object);
        }
    }
    by_root
}

fn finding_row<'a>(
    case: &'a Case<'a>,
    news: Option<News>,
    told: &'a Told<'a>,
    by_root: &ByRoot<'a>,
) -> findings::Row<'a> {
    let place = &told.finding.place;
    let object = place.object.and_then(|root| by_root.get(&(place.entry.as_str(), root)).copied());
    findings::Row { case, told, news, object }
}
