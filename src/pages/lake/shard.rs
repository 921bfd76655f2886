//! The second step: writes the rows of one shard.

use super::{
    ACROSS, Comparison, LEDGERS, LakeError, OF_RUN, RUN, SUMS, ShardEnd,
    compare::InputRecord,
    divided, other_run, part,
    records::{RecordReader, RecordWriter},
};
use crate::{
    formats,
    reports::{Evaluation, Ledgers, ReportContext, evaluating, heads, open_formats, write_json},
};
use hullmark_report::{
    Added, Formats, Manifest,
    output::{Output, OutputError},
    page,
    run_tables::RunTables,
};
use hullmark_rules::cross_input::{CrossInput, KnownOutcomes};
use hullmark_settings::profile::Profile;
use std::{collections::HashSet, path::Path};

/// A shard of a lake.
pub struct LakeShard<'a> {
    /// Its number, from 1.
    pub number: u32,
    /// The number of all shards.
    pub of: u32,
    /// The names of its inputs.
    pub inputs: &'a HashSet<String>,
}

/// Writes the rows of the inputs of one shard into the lake, and what these add to the sums of the run. Returns the number
/// of its inputs that are evaluated.
///
/// # Errors
/// The inputs were not compared, or in another run. A file cannot be written; then the earlier part is unchanged.
pub fn write_shard(
    lake: &Path,
    shard: &LakeShard<'_>,
    comparison: Comparison,
    ledgers: Ledgers,
    profile: &Profile,
    manifest: Manifest,
    context: ReportContext,
) -> Result<u64, LakeError> {
    let shards = comparison.shards;
    if shard.of != shards {
        return Err(LakeError::OtherNumber { shards: shard.of, prepared: shards });
    }
    let (further, [config, _], top) =
        (context.further.clone(), divided(&context.config)?, context.config.top);
    evaluating(ledgers, profile, manifest, top, context, |evaluation| {
        comparison.ensure(&evaluation, lake)?;
        let mut known = KnownOutcomes::default();
        add_outcomes(lake, shard.number, &mut known, |_| true)?;
        let folder = part(lake, shard.number);
        let failed = |source| OutputError { path: folder.clone(), source };
        let mut heads = heads(&further, &config, false);
        heads.retain(|head| !OF_RUN.contains(&head.name));
        let files = formats::files(SUMS, heads.iter().map(|head| head.name)).collect();
        let output = Output::new(folder.as_path())?.replacing(SUMS, files);
        let mut output = output.part_of(lake, &shard.number.to_string());
        let (makers, mut pages) = page::apart(open_formats(&mut output, &heads, &config)?);
        let mut sums = RecordWriter::new(output.open(&format!("{SUMS}.gz"))?);
        let Evaluation { writer, set, summary, .. } = evaluation;
        let set = set.of_shard(|input| shard.inputs.contains(input));
        // Without its outcomes, an input would pass rules that nobody evaluated.
        if !set.inputs.iter().all(|(input, _)| known.inputs.contains_key(input)) {
            return Err(other_run(lake, LEDGERS));
        }
        let inputs = set.inputs.len() as u64;
        let formats = Formats { makers: &makers, pages: &mut pages, tables: RunTables::on_disk_of(&output) };
        let mut then = |input: &str, added: Added| sums.push(&(input, added));
        let across = CrossInput::known(known);
        writer.write_shard(set, formats, summary.empty_sums(), across, &mut then, failed)?;
        pages.finish(&summary).map_err(failed)?;
        sums.finish().map_err(failed)?;
        let end = ShardEnd { follows_from: comparison.follows_from, inputs };
        write_json(&mut output.open_whole("json")?, &end).map_err(failed)?;
        output.publish()?;
        Ok(inputs)
    })
}

/// Adds what the comparison found about inputs of a shard.
pub(super) fn add_outcomes(
    lake: &Path,
    number: u32,
    known: &mut KnownOutcomes,
    is_wanted: impl Fn(&str) -> bool,
) -> Result<(), LakeError> {
    let mut records = RecordReader::open(lake.join(RUN).join(format!("{ACROSS}-{number}.gz")))?;
    while let Some(InputRecord { input, outcomes, elsewhere }) = records.next()? {
        if !is_wanted(&input) {
            continue;
        }
        known.inputs.insert(input, outcomes);
        for (other, assets) in elsewhere {
            known.elsewhere.extend(assets.into_iter().map(|asset| (asset, other.clone())));
        }
    }
    Ok(())
}
