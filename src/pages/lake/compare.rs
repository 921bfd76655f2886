//! The first step: compares all inputs of a run with each other.

use super::{
    ACROSS, Comparison, LakeError, RUN, VERSION, checksum, divided, origin,
    records::{self, RecordWriter},
};
use crate::{
    formats,
    reports::{Evaluation, Ledgers, ReportContext, evaluating, write_json},
};
use hullmark_report::{
    Manifest,
    evaluate::{LedgerSet, Source},
    output::{LAST, Output, OutputError},
    tables,
};
use hullmark_rules::cross_input::{Compared, CrossInput, OutcomesOfInput};
use hullmark_settings::profile::Profile;
use hullmark_storage as storage;
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, HashMap},
    fs::File,
    io::{self, BufReader, BufWriter, Seek, Write},
    path::Path,
    time::SystemTime,
};
use uuid::Uuid;

/// What the comparison found about an input.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct InputRecord {
    pub(super) input: String,
    pub(super) outcomes: OutcomesOfInput,
    /// The first inputs with assets that this one may lack.
    pub(super) elsewhere: BTreeMap<String, Vec<Uuid>>,
}

/// The outcomes of an input, before the last one was compared.
#[derive(Debug, Serialize, Deserialize)]
struct Waiting {
    input: String,
    outcomes: OutcomesOfInput,
    /// The assets that it uses and may lack.
    lacking: Vec<Uuid>,
}

/// Compares the inputs of a run with each other, for as many shards. `shard_of` has the index of the shard of each input.
/// The parts of an earlier run are removed from the lake. Returns the number of inputs.
///
/// # Errors
/// A ledger cannot be read to its end, or a file cannot be written.
pub fn compare(
    lake: &Path,
    (shards, shard_of): (u32, &HashMap<String, usize>),
    ledgers: Ledgers,
    profile: &Profile,
    manifest: Manifest,
    (context, now): (ReportContext, SystemTime),
) -> Result<u64, LakeError> {
    // Formats that a lake cannot have are refused before the shards.
    let [plain, _] = divided(&context.config)?;
    if context.baseline.is_some() && plain.formats.is_empty() {
        return Err(LakeError::WithoutTables);
    }
    let top = context.config.top;
    evaluating(ledgers, profile, manifest, top, context, |evaluation| {
        let follows_from = origin(&evaluation, shards)?;
        let count = evaluation.set.inputs.len() as u64;
        match Comparison::read(lake) {
            // An engine runs a step again if it lost sight of it. Shards may be at work already.
            Ok(earlier) if earlier.follows_from == follows_from => return Ok(count),
            Ok(_) | Err(LakeError::OtherRun { .. } | LakeError::Damaged { .. }) => {
                clear(lake)?;
            }
            Err(LakeError::NotCompared(_)) => {}
            Err(error) => return Err(error),
        }
        let folder = lake.join(RUN);
        let failed = |source| OutputError { path: folder.clone(), source };
        let mut output = Output::new(folder.as_path())?.replacing(ACROSS, Vec::new());
        let scratch = output.folder().unwrap_or(&folder).to_owned();
        let Evaluation { writer, set, .. } = evaluation;
        let ledgers = checksum(&set);
        let LedgerSet { inputs, headers, damaged, .. } = set;
        let mut across = CrossInput::within(writer.evaluator.config.across_bytes, &scratch);
        writer.prepare(&mut across, &headers).map_err(failed)?;
        drop(headers);
        let mut waiting = BufWriter::new(tempfile::tempfile_in(&scratch).map_err(failed)?);
        let mut then = |input: &Compared<'_>, outcomes| {
            let (outcomes, lacking) = (OutcomesOfInput::from(outcomes), input.may_lack());
            records::write(&mut waiting, &Waiting { input: input.name().into(), outcomes, lacking })
        };
        writer.evaluator.compare(Source::with_memory(inputs), writer.known, &mut across, &mut then)?;
        let is_covered = writer.uncovered.is_empty();
        let of_stores = across.finish(is_covered).map_err(failed)?.into();
        let of_regions = across.finish_regions(is_covered).into();
        let open = |number: u32| Ok(RecordWriter::new(output.open(&format!("{ACROSS}-{number}.gz"))?));
        let mut files = (1..=shards).map(open).collect::<Result<Vec<_>, OutputError>>()?;
        let waiting = waiting.into_inner().map_err(|error| failed(error.into_error()))?;
        hand_on(waiting, count, &mut across, &mut files, shard_of).map_err(failed)?;
        files.into_iter().try_for_each(RecordWriter::finish).map_err(failed)?;
        let comparison = Comparison {
            hullmark_lake: VERSION,
            follows_from,
            ledgers,
            shards,
            now,
            damaged,
            of_stores,
            of_regions,
        };
        write_json(&mut output.open_whole("json")?, &comparison).map_err(failed)?;
        output.publish()?;
        Ok(count)
    })
}

/// Writes what was found about each input to the file of its shard.
fn hand_on<W: Write>(
    mut waiting: File,
    count: u64,
    across: &mut CrossInput,
    files: &mut [RecordWriter<W>],
    shard_of: &HashMap<String, usize>,
) -> io::Result<()> {
    waiting.rewind()?;
    let mut waiting = BufReader::new(waiting);
    for _ in 0..count {
        let Waiting { input, outcomes, lacking } = records::read(&mut waiting)?;
        let mut elsewhere: BTreeMap<String, Vec<Uuid>> = BTreeMap::new();
        for asset in lacking {
            if let Some(other) = across.input_with(asset)? {
                elsewhere.entry(other.to_owned()).or_default().push(asset);
            }
        }
        let shard = shard_of.get(&input).copied().unwrap_or_default();
        if let Some(file) = files.get_mut(shard) {
            file.push(&InputRecord { input, outcomes, elsewhere })?;
        }
    }
    Ok(())
}

/// Removes the report of an earlier run from a lake: `audit.json` first, then the other files and the tables. Before
/// that, its comparison: without the tables, its shards must not be joined.
fn clear(lake: &Path) -> Result<(), OutputError> {
    let failed = |source| OutputError { path: lake.into(), source };
    storage::remove(&Comparison::file(lake)).map_err(failed)?;
    storage::remove(&lake.join(LAST)).map_err(failed)?;
    for name in formats::files("audit", []) {
        storage::remove(&lake.join(name)).map_err(failed)?;
    }
    for head in tables::heads(&[]) {
        let parts = match storage::entries(&lake.join(head.name)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            parts => parts.map_err(failed)?,
        };
        let is_part =
            |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("part-"));
        for part in parts.iter().filter(|path| is_part(path)) {
            storage::remove(part).map_err(failed)?;
        }
    }
    Ok(())
}
