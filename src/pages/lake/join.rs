//! The last step: joins the sums of all shards, and writes what follows from all of them.

use super::{
    Comparison, LEDGERS, LakeError, OF_JOIN, SUMS, ShardEnd, damaged, divided, other_run, part, read_json,
    records::RecordReader, shard::add_outcomes,
};
use crate::{
    formats,
    reports::{Evaluation, Ledgers, ReportContext, end_trend, evaluating, heads, open_formats, write_json},
};
use hullmark_report::{
    Added, Formats, Manifest, ReportError, Summary,
    diff::{self, Change, Extent},
    output::{Output, OutputError},
    page,
    reported::Piece,
    run_tables::RunTables,
    table::{Head, Table},
    tables::changes::Changes,
};
use hullmark_rules::cross_input::{CrossInput, KnownOutcomes};
use hullmark_settings::profile::Profile;
use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::Path,
};

/// Maximum number of shards that an error names.
const NAMED: usize = 8;

/// Joins the shards of a lake, and writes `audit.json`.
///
/// # Errors
/// A shard has no part of this run, or a file cannot be written. Then the lake has no `audit.json` of this run.
pub fn join(
    lake: &Path,
    comparison: Comparison,
    ledgers: Ledgers,
    profile: &Profile,
    manifest: Manifest,
    context: ReportContext,
) -> Result<Summary, LakeError> {
    let (further, [config, for_people], top) =
        (context.further.clone(), divided(&context.config)?, context.config.top);
    evaluating(ledgers, profile, manifest, top, context, |evaluation| {
        comparison.ensure(&evaluation, lake)?;
        let ends = ends(lake, &comparison)?;
        let Evaluation { writer, set, mut summary, trend, .. } = evaluation;
        let inputs = set.inputs.len() as u64;
        if ends.iter().map(|end| end.inputs).sum::<u64>() != inputs {
            return Err(other_run(lake, LEDGERS));
        }
        let failed = |source| OutputError { path: lake.into(), source };
        let all = heads(&further, &config, writer.baseline.is_some());
        let of_names = |names: &[&str]| -> Vec<Head> {
            all.iter().filter(|head| names.contains(&head.name)).cloned().collect()
        };
        let (heads, of_changes) = (of_names(&OF_JOIN), of_names(&[Changes::NAME]));
        let files = formats::files("audit", OF_JOIN.into_iter().chain([Changes::NAME])).collect();
        let output = Output::new(lake)?.replacing("audit", files);
        let mut output = output.part_of(lake, "across");
        let (makers, mut pages) = page::apart(open_formats(&mut output, &heads, &config)?);
        let parts = output.names().to_vec();
        let (change_makers, mut change_pages) = page::apart(open_formats(&mut output, &of_changes, &config)?);
        let (shown_makers, mut shown_pages) = page::apart(open_formats(&mut output, &all, &for_people)?);
        let Comparison { shards, of_stores, of_regions, .. } = comparison;
        let tables = || RunTables::on_disk_of(&output);
        let rest = Formats { makers: &makers, pages: &mut pages, tables: tables() };
        let shown = Formats { makers: &shown_makers, pages: &mut shown_pages, tables: tables() };
        let across = |named: &BTreeSet<String>| {
            let mut known = KnownOutcomes { of_stores, of_regions, ..KnownOutcomes::default() };
            let shards = if named.is_empty() { 0 } else { shards };
            (1..=shards).try_for_each(|number| {
                add_outcomes(lake, number, &mut known, |input| named.contains(input))
            })?;
            Ok::<_, LakeError>(CrossInput::known(known))
        };
        let mut count = 0;
        let added = SumsOfShards::open(lake, shards)?.inspect(|_| count += 1);
        writer.write_joined(set, added, [rest, shown], &mut summary, across, failed)?;
        if count != inputs {
            return Err(other_run(lake, LEDGERS));
        }
        let trend = end_trend(trend, &mut summary);
        pages.finish(&summary).map_err(failed)?;
        if let Some(earlier) = writer.baseline {
            // The changes follow from the rows of all parts.
            output.publish_first(&parts)?;
            let scratch = output.folder().unwrap_or(lake);
            let audit = serde_json::to_value(&summary).map_err(|error| failed(error.into()))?;
            let this = diff::of_tables(lake, &audit, scratch, Extent::Objects)?;
            let changes = diff::Changes::between(earlier, &this, scratch).map_err(failed)?;
            let write = |some: &[Change]| {
                let pieces = [Piece::Changes(some)];
                change_makers.write(&pieces, &mut change_pages)?;
                shown_makers.write(&pieces, &mut shown_pages)
            };
            summary.changes = Some(changes.write(top, write).map_err(failed)?);
        }
        change_pages.finish(&summary).map_err(failed)?;
        shown_pages.finish(&summary).map_err(failed)?;
        write_json(&mut output.open_whole("json")?, &summary).map_err(failed)?;
        output.publish()?;
        if let Some(history) = trend {
            history.append().map_err(ReportError::from)?;
        }
        Ok(summary)
    })
}

/// Returns the ends of all shards, each of this run.
fn ends(lake: &Path, comparison: &Comparison) -> Result<Vec<ShardEnd>, LakeError> {
    let (mut ends, mut missing) = (Vec::new(), Vec::new());
    for number in 1..=comparison.shards {
        let path = part(lake, number).join(SUMS).with_extension("json");
        let end: Option<ShardEnd> = read_json(&path)?;
        match end.filter(|end| end.follows_from == comparison.follows_from) {
            Some(end) => ends.push(end),
            None => missing.push(number.to_string()),
        }
    }
    if missing.is_empty() {
        return Ok(ends);
    }
    let more = if missing.len() > NAMED { ", …" } else { "" };
    let named = missing[..missing.len().min(NAMED)].join(", ") + more;
    Err(LakeError::Missing { lake: lake.into(), missing: missing.len(), named, shards: comparison.shards })
}

/// What the inputs of all shards add to the sums, in the order of the inputs.
struct SumsOfShards {
    /// The next input of each shard, by name.
    next: BTreeMap<String, (Added, RecordReader)>,
}

impl SumsOfShards {
    fn open(lake: &Path, shards: u32) -> Result<Self, LakeError> {
        let mut sums = Self { next: BTreeMap::new() };
        for number in 1..=shards {
            let path = part(lake, number).join(format!("{SUMS}.gz"));
            sums.advance(RecordReader::open(path)?)?;
        }
        Ok(sums)
    }

    fn advance(&mut self, mut shard: RecordReader) -> Result<(), LakeError> {
        if let Some((input, added)) = shard.next::<(String, Added)>()? {
            let path = shard.path().to_owned();
            if self.next.insert(input, (added, shard)).is_some() {
                let why = io::Error::other("another shard has the same input");
                return Err(damaged(&path, &why));
            }
        }
        Ok(())
    }
}

impl Iterator for SumsOfShards {
    type Item = Result<Added, LakeError>;

    fn next(&mut self) -> Option<Self::Item> {
        let (_, (added, shard)) = self.next.pop_first()?;
        Some(self.advance(shard).map(|()| added))
    }
}
