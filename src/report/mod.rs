//! Ledgers to reports: the only I/O on the way out.
//!
//! Ledgers are taken one by one in the order of their inputs, so a report does not depend on how they came to
//! be, and memory not on how large they are: only what rules across inputs remember grows with them. Each is
//! joined with its measures, judged by the rules, and written as rows; what the whole run amounts to is gathered
//! on the way and written last, as `audit.json`.

mod absent;
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
    coverage::Uncovered,
    finding::{Code, Finding, Severity},
    history::History,
    join::Case,
    ledger::{Ledger, LedgerError},
    night::{Gather, Night},
    profile::{Named, Profile},
    saving,
    users::Users,
    waivers::{Uses, Waivers},
};
use counts::{Counts, SeverityCounts};
pub use judged::Judge;
pub(crate) use judged::Judged;
use narrow::Narrowed;
pub use narrow::{Narrow, NarrowedTo};
use output::{Output, OutputError};
use std::{
    cell::RefCell,
    collections::BTreeSet,
    fs::File,
    io::{BufWriter, Write},
    path::{Path, PathBuf},
    rc::Rc,
};
pub use summary::{Manifest, Summary};
use table::{Head, Sink, write as write_row};
use tables::{
    archives::Archives,
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
pub(crate) use told::Telling;
pub use told::Told;
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
    uncovered: Vec<Uncovered>,
    history: Option<History>,
    waivers: Waivers,
}

impl Reports {
    /// Opens every report in a folder, with columns for further profiles beside the one that will judge.
    pub fn open(folder: &Path, config: &ReportConfig, further: Vec<Named>) -> Result<Self, OutputError> {
        let mut output = Output::new(folder)?;
        let heads = heads_beside(&further);
        // Once each, however often it is named.
        let formats: BTreeSet<_> = config.formats.iter().copied().collect();
        let sinks = formats.into_iter();
        let sinks = sinks.filter_map(|format| formats::open(format, &mut output, &heads, config).transpose());
        let sinks = sinks.collect::<Result<_, _>>()?;
        let json = output.open(output::LAST)?;
        let cost_difference = f64::from(config.cost_difference_percent) / 100.0;
        Ok(Self {
            output,
            sinks,
            json,
            further,
            cost_difference,
            users: None,
            narrow: Narrow::default(),
            uncovered: Vec::new(),
            history: None,
            waivers: Waivers::default(),
        })
    }

    /// The same for a target grid that knows these people.
    pub fn knowing(mut self, users: Option<Users>) -> Self {
        self.users = users;
        self
    }

    /// The same for inputs of which these are not covered; after [`Reports::looking_back`].
    pub fn without(mut self, uncovered: Vec<Uncovered>) -> Self {
        if let Some(history) = &mut self.history {
            history.partial = !uncovered.is_empty();
        }
        self.uncovered = uncovered;
        self
    }

    /// The same with a look back: what fell, what grew, and what is not there.
    pub fn looking_back(mut self, history: History) -> Self {
        self.history = Some(history);
        self
    }

    /// The same with these findings waived.
    pub fn waiving(mut self, waivers: Waivers) -> Self {
        self.waivers = waivers;
        self
    }

    /// The heads of the tables.
    pub fn heads(&self) -> Vec<Head> {
        heads_beside(&self.further)
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

/// The heads of all tables with columns for further profiles.
fn heads_beside(further: &[Named]) -> Vec<Head> {
    tables::heads(&further.iter().map(Named::in_columns).collect::<Vec<_>>())
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
            waivers: reports.waivers.count(),
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
    let (heads, sinks) = (reports.heads(), std::mem::take(&mut reports.sinks));
    let mut sink = Narrowed::new(reports.narrow, reports.users.as_ref(), &heads, sinks);
    let look = Look {
        history: reports.history.as_ref(),
        uncovered: &reports.uncovered,
        waivers: &reports.waivers,
        top,
    };
    tell(ledgers, judge, look, &mut sink, &mut summary, failed)?;
    sink.finish(&summary).map_err(failed)?;
    let json = &mut reports.json;
    let written = serde_json::to_writer_pretty(&mut *json, &summary).map_err(Into::into);
    written.and_then(|()| json.write_all(b"\n")).and_then(|()| json.flush()).map_err(failed)?;
    reports.output.publish()?;
    Ok(summary)
}

/// What ledgers are for this target grid and this choice of rows, to be compared with another night.
pub fn night(
    ledgers: &[PathBuf],
    judge: Judge<'_>,
    manifest: Manifest,
    narrow: Narrow,
) -> Result<Night, ReportError> {
    let heads = heads_beside(judge.further);
    let gather = Rc::new(RefCell::new(Gather::new(&heads)));
    let mut sink = Narrowed::new(narrow, judge.users, &heads, vec![Box::new(Rc::clone(&gather))]);
    let mut summary = Summary::new(manifest, 0);
    // It keeps all in memory, so no file can fail.
    let failed = |source| OutputError { path: PathBuf::new(), source };
    let waivers = Waivers::default();
    let look = Look { history: None, uncovered: &[], waivers: &waivers, top: 0 };
    tell(ledgers, judge, look, &mut sink, &mut summary, failed)?;
    sink.finish(&summary).map_err(failed)?;
    drop(sink);
    Ok(gather.take().night())
}

/// What besides the ledgers is told of a run.
#[derive(Debug, Clone, Copy)]
struct Look<'a> {
    /// What fell, what grew, and what is not there.
    history: Option<&'a History>,
    /// Inputs that are not covered.
    uncovered: &'a [Uncovered],
    /// Which findings count nowhere.
    waivers: &'a Waivers,
    /// How many savings of each kind; none are searched where that is none.
    top: usize,
}

/// Judges ledgers and gives their rows to sinks.
fn tell(
    ledgers: &[PathBuf],
    judge: Judge<'_>,
    look: Look<'_>,
    sink: &mut Narrowed,
    summary: &mut Summary,
    failed: impl Fn(std::io::Error) -> OutputError,
) -> Result<(), ReportError> {
    let (stores, inputs, labels) = judged::apart(ledgers)?;
    let known = look.history.map(|history| history.of(&labels));
    let mut uses = Uses::of(look.waivers);
    judge.each(
        inputs.iter().map(|path| Ok(Ledger::read(path)?)),
        &stores,
        known.as_ref(),
        |case, judged| {
            let told = Telling::of(case, judged, look.waivers);
            uses.look(case);
            told.note_uses(&mut uses);
            write_case(case, &told, &savings(case, look.top), sink, summary).map_err(&failed)?;
            summary.add(case, sink);
            Ok::<(), ReportError>(())
        },
    )?;
    for name in known.iter().flat_map(|known| &known.absent) {
        absent::write(name, judge.profile, look.waivers, &mut uses, sink, summary).map_err(&failed)?;
    }
    let uncovered: Vec<Ledger> = look.uncovered.iter().map(Uncovered::ledger).collect();
    summary.leave_out(look.uncovered);
    for source in uncovered.iter().chain(&stores) {
        // Neither is judged: they are named, so that a report says what it rests on, and what it says nothing of.
        let case = Case::new(source, judge.profile);
        write_row::<Archives>(sink, &(&case, &SeverityCounts::default())).map_err(&failed)?;
        summary.add_source(source);
    }
    if look.waivers.count() > 0 {
        let whole = summary.complete && sink.told().is_none() && look.uncovered.is_empty();
        write_waivers(&uses, look.waivers, judge.profile, whole, sink, summary).map_err(&failed)?;
    }
    summary.finish(sink.told());
    Ok(())
}

/// Writes what is wrong with waivers: of the run, not of an input. Only a whole run shows that one is not needed.
fn write_waivers(
    uses: &Uses<'_>,
    waivers: &Waivers,
    profile: &Profile,
    whole: bool,
    sink: &mut Narrowed,
    summary: &mut Summary,
) -> std::io::Result<()> {
    let run = Ledger::of_run();
    let case = Case::new(&run, profile);
    let subjects = [(Code::RUN002, waivers.count() as u64)];
    let judged = Judged::of_run(&case, &subjects, uses.judge(profile, whole));
    let told = Telling::of(&case, &judged, waivers);
    sink.end_inputs();
    write_told(&case, &told, sink)?;
    sum_up_told(&case, &told, sink, summary);
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

/// Writes all rows of one input.
fn write_case(
    case: &Case<'_>,
    told: &Telling<'_>,
    savings: &[Vec<saving::Advice<'_>>],
    sink: &mut Narrowed,
    summary: &mut Summary,
) -> std::io::Result<()> {
    let mut counts = Counts::default();
    for told in told.findings.iter().filter(|told| told.waived().is_none()) {
        told.findings().for_each(|finding| counts.add(finding, told.severity));
    }
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
    write_told(case, told, sink)?;
    // The summary is of the rows that are shown.
    for row in object_rows(case, &counts).filter(|row| sink.shows::<Objects>(row.number)) {
        summary.add_object(&row);
    }
    sum_up_told(case, told, sink, summary);
    Ok(())
}

/// Writes what was found, and what became of each rule.
fn write_told(case: &Case<'_>, told: &Telling<'_>, sink: &mut Narrowed) -> std::io::Result<()> {
    for told in &told.findings {
        write_row::<Findings>(sink, &findings::Row { case, told })?;
    }
    told.checks.iter().try_for_each(|check| write_row::<Checks>(sink, &(case, check)))
}

/// Takes what is shown of that into the summary.
fn sum_up_told(case: &Case<'_>, told: &Telling<'_>, shown: &Narrowed, summary: &mut Summary) {
    for (_, told) in told.findings.iter().enumerate().filter(|&(number, _)| shown.shows::<Findings>(number)) {
        summary.add_finding(&findings::Row { case, told });
    }
    for (_, check) in told.checks.iter().enumerate().filter(|&(number, _)| shown.shows::<Checks>(number)) {
        summary.add_check(check);
    }
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
