//! Ledgers to reports: the only I/O on the way out.
//!
//! Ledgers are taken one by one in the order of their inputs, so a report does not depend on how they came to
//! be, and memory not on how large they are: only what rules across inputs remember grows with them. Each is
//! joined with its measures, judged by the rules, and written as rows; what the whole run amounts to is gathered
//! on the way and written last, as `audit.json`.

pub mod counts;
pub mod csv;
pub mod output;
pub mod summary;
pub mod table;
pub mod tables;

use crate::{
    body::Assets,
    config::ReportConfig,
    facts::ObjectFacts,
    finding::{Finding, Severity},
    join::Case,
    ledger::{self, Ledger, LedgerError},
    profile::{Named, Profile},
    rules::{self, across::Across},
    saving,
};
use counts::{Counts, SeverityCounts};
use output::{Output, OutputError};
use std::{
    collections::HashMap,
    fs::File,
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};
pub use summary::{Manifest, Summary};
use table::{Sink, write as write_row};
use tables::{
    archives::Archives,
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
}

impl Reports {
    /// Opens every report in a folder, with columns for further profiles beside the one that will judge.
    pub fn open(folder: &Path, config: &ReportConfig, further: Vec<Named>) -> Result<Self, OutputError> {
        let mut output = Output::new(folder)?;
        let heads = tables::heads(&further.iter().map(Named::in_columns).collect::<Vec<_>>());
        let csv = csv::Csv::open(&mut output, &heads, config.byte_order_mark)?;
        let json = output.open(output::LAST)?;
        let cost_difference = f64::from(config.cost_difference_percent) / 100.0;
        Ok(Self { output, sinks: vec![Box::new(csv)], json, further, cost_difference })
    }
}

/// Judges ledgers for a target grid and writes the reports.
pub fn write(
    ledgers: &[PathBuf],
    profile: &Profile,
    manifest: Manifest,
    top: usize,
    mut reports: Reports,
) -> Result<Summary, ReportError> {
    let failed = |source| OutputError { path: reports.output.folder().into(), source };
    let mut across = Across::default();
    let mut summary = Summary::new(Manifest { also: reports.further.clone(), ..manifest }, top);
    let mut stores = Vec::new();
    let mut inputs = Vec::new();
    for path in ledgers {
        match ledger::read_label(path)?.kind == ledger::STORE {
            true => stores.push(Ledger::read(path)?),
            false => inputs.push(path),
        }
    }
    let in_stores = Assets::of(&stores);
    for path in inputs {
        let ledger = Ledger::read(path)?;
        let case =
            reports.further.iter().fold(Case::backed_by(&ledger, profile, &in_stores), |case, further| {
                case.beside(further, reports.cost_difference)
            });
        let mut found = rules::judge(&case);
        found.extend(across.judge(&case));
        let findings = weigh(&case, found);
        write_case(&case, &findings, &savings(&case, top), &mut reports.sinks, &mut summary)
            .map_err(failed)?;
    }
    for store in &stores {
        // A store is not judged: it is named, so that a report says what it rests on.
        let case = Case::new(store, profile);
        for sink in &mut reports.sinks {
            write_row::<Archives>(sink.as_mut(), &(&case, &SeverityCounts::default())).map_err(failed)?;
        }
        summary.add_source(store);
    }
    summary.finish();
    for sink in &mut reports.sinks {
        sink.finish().map_err(failed)?;
    }
    let json = &mut reports.json;
    let written = serde_json::to_writer_pretty(&mut *json, &summary).map_err(Into::into);
    written.and_then(|()| json.write_all(b"\n")).and_then(|()| json.flush()).map_err(failed)?;
    reports.output.publish()?;
    Ok(summary)
}

/// The findings of an input for itself, with their severities. What it shows together with others is left to
/// [`write()`].
pub fn judge(case: &Case<'_>) -> Vec<(Severity, Finding)> {
    weigh(case, rules::judge(case))
}

/// Findings with their severities: the worst first, then by code, otherwise in the order of the input.
fn weigh(case: &Case<'_>, findings: Vec<Finding>) -> Vec<(Severity, Finding)> {
    let severity = |finding: Finding| (case.profile.severity(finding.code), finding);
    let mut findings: Vec<_> = findings.into_iter().map(severity).collect();
    findings.sort_by(|(a, x), (b, y)| b.cmp(a).then_with(|| x.code.cmp(&y.code)));
    findings
}

/// What lowers the simulator's cost of each region.
fn savings<'a>(case: &'a Case<'a>, top: usize) -> Vec<Vec<saving::Advice<'a>>> {
    (0..case.ledger.regions.len()).map(|region| saving::advise(case, region, top)).collect()
}

/// Writes all rows of one input.
fn write_case(
    case: &Case<'_>,
    findings: &[(Severity, Finding)],
    savings: &[Vec<saving::Advice<'_>>],
    sinks: &mut [Box<dyn Sink>],
    summary: &mut Summary,
) -> std::io::Result<()> {
    let mut counts = Counts::default();
    for (severity, finding) in findings {
        counts.add(finding, *severity);
    }
    let by_root = objects_by_root(case);
    for sink in sinks {
        let sink = sink.as_mut();
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
        for (severity, finding) in findings {
            write_row::<Findings>(sink, &finding_row(case, *severity, finding, &by_root))?;
        }
    }
    summary.add(case, &counts);
    for row in object_rows(case, &counts) {
        summary.add_object(&row);
    }
    for (severity, finding) in findings {
        summary.add_finding(&finding_row(case, *severity, finding, &by_root));
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
    severity: Severity,
    finding: &'a Finding,
    by_root: &ByRoot<'a>,
) -> findings::Row<'a> {
    let place = &finding.place;
    let object = place.object.and_then(|root| by_root.get(&(place.entry.as_str(), root)).copied());
    findings::Row { case, finding, severity, object }
}
