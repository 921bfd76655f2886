//! HIS: changes since an earlier archive of the same series. A failed backup often still writes an archive.

use super::{archive::is_archive, decoding};
use crate::{
    RuleContext, RuleOutcomes, SkipReason, catalogue,
    history::{Archive, Due, Earlier, Emptied, Fall, Gone, HistoryConfig, Rank, RegionCosts},
};
use hullmark_analysis::{LandMeasures, Measured, cost::Cost};
use hullmark_finding::{Code, Finding};
use hullmark_ledger::{facts::Status, identity, summary::LedgerSummary};
use hullmark_settings::rule_selection::Selector;
use hullmark_util::dates_in_names::Seconds;
use hullmark_util::number_text::{counted, plain};
use std::{
    collections::HashMap,
    fmt::Display,
    time::{Duration, SystemTime},
};

rules! {
    HIS001 "%" "Archive lost much of its content" {
        about: Archive,
        effect: Loses,
        check_with_context: fell,
        message: "Content fell by more than {limit} %: {detail}",
        why: "A backup that fails is often written all the same: the archive is complete and loads, but content is \
              missing. Nobody notices until the backup is needed.",
        engines: [
            "hullmark" => "Compares each archive with earlier ones of its series in this run and with the --baseline \
                run. Also compares it with the last seven complete states of its file in the ledgers. Counts objects \
                in regions, in inventories and loose separately, and by region if there are several. Ignores empty \
                assets; bytes are those of unpacked members. Of databases, only objects in regions count. Reports the loss until it is restored or nothing of the \
                earlier content is left. Does not report slow decline.",
            "OpenSimulator" => "Leaves out assets that its service does not deliver, and stops asking after 90 \
                seconds without an answer. Writes the archive all the same, and reports this in its log only.",
        ],
        fix: "Keep the earlier archive and protect it from rotation (AutoBackupKeepFilesForDays). Read the \
              simulator's log of the save, fix the cause and save again. If the region was cleared on purpose, accept \
              the finding with `hullmark waive FINGERPRINT --report DIR`.",
        source: "OpenSim, AssetsRequest.cs, Execute; AutoBackupModule.cs, RemoveOldFiles; Halcyon, issue 88; \
              thresholds: hullmark, [history]",
    }

    HIS002 "hours" "Expected archive absent or too old" {
        about: Archive,
        effect: Loses,
        check_with_context: overdue,
        message: "The expected archive \"{within}\" is absent or too old: {detail}",
        why: "A backup that did not run leaves no archive to check. The settings [expected] name the archives and \
              regions that must be there.",
        engines: [
            "hullmark" => "Counts the age from the date in archive.xml, else from the file's time if the date in its \
                name allows it, else from that date. A date in a name has no time zone: the archive is too old only \
                if it is so in every time zone.",
            "OpenSimulator" => "AutoBackup skips a region that is not ready, and turns itself off if it cannot use \
                its folder. Both are reported in the log only.",
        ],
        fix: "Check that the backup job ran and could write, then save the archive again. If the archive is not \
              expected any more, remove its name from [expected] or its list.",
        source: "OpenSim, AutoBackupModule.cs, DoRegionBackup; ArchiveWriteRequest.cs, datetime; hullmark, \
              [expected]",
    }

    HIS004 "%" "Region costs grew" {
        about: Region,
        effect: Note,
        check_with_context: region_grew,
        message: "The costs of the region grew by more than {limit} %: {detail}",
        why: "Regions grow until they are slow or full, and a comparison of two runs shows who built what.",
        engines: [
            "hullmark" => "Compares land impact, physics weight (physics cost) and server weight of the region with \
                the --baseline run. Both must be known and evaluated for the same target.",
        ],
        fix: "Sort the table of objects by cost to see what grew. Nothing is wrong.",
        source: "hullmark, [history]",
    }

    HIS005 "assets" "Archive lost all assets" {
        about: Archive,
        effect: Loses,
        check_with_context: without_assets,
        message: "The archive has no assets left: {detail}",
        why: "Without their meshes, textures, scripts and sounds, objects are empty boxes on another grid. The asset \
              service did not answer during the save, or the archive was saved with --noassets. An operator found by \
              chance that an archive had shrunk from 8 GB to 56 MB without any asset.",
        engines: [
            "hullmark" => "Reports the loss until the archive has assets again, even if later runs have fewer \
                objects. Does not report a few assets (few_assets) that disappear with their objects.",
            "OpenSimulator" => "Leaves out assets that its service does not deliver, and stops asking after 90 \
                seconds without an answer. Writes the archive all the same.",
        ],
        fix: "Keep the earlier archive: it may be the last one with assets. Check that the asset service answers, \
              and save again without --noassets.",
        source: "Halcyon, issue 88 (8 GB became 56 MB); hypergridbusiness.com, April 2015; OpenSim, \
              AssetsRequest.cs, Execute",
    }

    HIS006 "" "Newest copy is not complete" {
        about: Archive,
        effect: Unknown,
        check_with_context: newest_incomplete,
        message: "The newest dated copy was not read to its end: {detail}",
        why: "Of dated copies, only the newest that was read to its end is evaluated. If that is an older copy, the \
              report shows the state before the last backup. The row of the evaluated copy names the newest in the \
              column in_place_of. The audit is incomplete and exits with 3.",
        fix: "Read the other findings of the newest copy, and save again. Keep the older copies until a new copy is \
              complete.",
        source: "hullmark, docs/nightly.md, Dated copies",
    }

    HIS007 "inputs" "Folder with exports is now empty" {
        about: Run,
        effect: Loses,
        message: "The folder has no exports any more: {detail}",
        why: "An export disk that is not mounted looks like an empty folder.",
        engines: [
            "hullmark" => "Remembers in the ledgers which inputs were below each path that you name. Reports the \
                folder in every run while it is empty, and once if the folder is gone too. Takes folders whose names \
                differ only in dates for one. Does not delete the ledgers of an empty folder.",
        ],
        fix: "Check that the disk is mounted and that the backup job writes to this folder. If you moved the exports \
              on purpose, remove the empty folder.",
        source: "hullmark, docs/architecture.md, What came before",
    }

    HIS008 "" "Older copy is not complete" {
        about: Archive,
        effect: Unknown,
        message: "The older copy {within} was not read to its end: {detail}",
        why: "You cannot go back to a copy that cannot be read. No other rule evaluates it, because another copy is \
              evaluated. While it exists, the audit is incomplete and exits with 3.",
        fix: "Delete the copy or replace it with a complete one. Check whether the disk, or the job that copies \
              archives, damages files.",
        source: "hullmark, docs/nightly.md, Dated copies",
    }

    HIS009 "objects" "Region or archive is gone" {
        about: Run,
        effect: Loses,
        message: "No input has it any more: {detail}",
        why: "A backup that was deleted, or that the job leaves out, is missed when it is needed. An earlier run found \
              this region or archive under a path that this run names.",
        engines: [
            "hullmark" => "Asks the ledgers, history.csv and the --baseline run. A region has its UUID, else its name: \
                an archive that was renamed or moved, or is one of a series, is not gone. Reports it in every run \
                until it is back or accepted. A run of one file, of some owners or of some regions says nothing. With \
                --sample, --budget-time or a signal it is not evaluated if an input was never read.",
        ],
        fix: "Restore the archive, or repair the job that writes it. If it is gone on purpose, add its name to `gone` \
              of [expected] in the settings. `hullmark waive FINGERPRINT --report DIR` accepts it for a time.",
        source: "hullmark, docs/failed-backups.md",
    }

    HIS010 "" "Earlier run is gone" {
        about: Run,
        effect: Unknown,
        message: "The earlier run {within} is gone, so nothing is compared: {detail}",
        why: "Without the earlier run, no finding is new and no loss is seen. The audit is incomplete and exits with 3.",
        engines: [
            "hullmark" => "Notes in the folder of --ledgers which --baseline it has compared with, or has written. \
                Without ledgers it cannot know.",
        ],
        fix: "Restore the report, or check who deletes reports. This run has written a new one if --baseline names \
              the folder of --out. If you moved it on purpose, name its new place.",
        source: "hullmark, docs/comparing-runs.md",
    }
}

/// Objects, assets or bytes fell by more than a percentage. HIS005 reports the loss of all assets.
fn fell(measured: &Measured<'_>, context: &RuleContext<'_>, outcomes: &mut RuleOutcomes) {
    let today = LedgerSummary::new(measured.ledger);
    let Some((earlier, config)) = earlier(measured, context, Code::HIS001, outcomes) else { return };
    for Fall { since, fallen } in earlier.falls(&today, config) {
        let most = fallen.iter().map(|fallen| fallen.percent).fold(0.0, f64::max);
        let words: Vec<String> = fallen.into_iter().map(|fallen| fallen.words).collect();
        let detail = format!("{} since {}", words.join(", "), called(since, measured));
        let finding = Finding::new(Code::HIS001).measured(most).limit(config.fell_percent);
        outcomes.push(finding.within(event(since, measured)).detail(detail));
    }
}

/// Identifies the earlier archive. Each loss is a finding of its own, so a waiver of one covers no other.
fn event(old: &Archive, measured: &Measured<'_>) -> String {
    let name = old.file_name();
    match made(old) {
        Some(made) => format!("{name} (made {made})"),
        None if identity::file_name(&measured.ledger.input) != name => name.to_owned(),
        // An archive without a date is identified by its content.
        None => {
            let LedgerSummary { objects, nested_objects, loose_objects, assets, bytes, .. } = &old.brief;
            let objects = objects + nested_objects + loose_objects;
            format!("{name} ({objects} objects, {assets} assets, {bytes} bytes)")
        }
    }
}

/// When the archive was made, according to itself. `None` if it does not state this.
fn made(old: &Archive) -> Option<impl Display> {
    time(old.brief.created?)
}

/// Returns a time for people. `None` for one after the year 9999, which is wrong.
fn time(seconds: Seconds) -> Option<impl Display> {
    let seconds = u64::try_from(seconds).ok().filter(|seconds| *seconds < 253_402_300_800)?;
    Some(humantime::format_rfc3339_seconds(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)))
}

/// Returns the name of an earlier archive for a message about a later one, whose file may have the same name.
fn called(old: &Archive, measured: &Measured<'_>) -> String {
    let name = old.file_name();
    match identity::file_name(&measured.ledger.input) == name {
        false => name.to_owned(),
        true if made(old).is_none() => format!("an earlier {name}"),
        true => event(old, measured),
    }
}

fn without_assets(measured: &Measured<'_>, context: &RuleContext<'_>, outcomes: &mut RuleOutcomes) {
    let today = LedgerSummary::new(measured.ledger);
    let Some((earlier, config)) = earlier(measured, context, Code::HIS005, outcomes) else { return };
    if let Some(old) = earlier.with_assets(&today, config) {
        let finding =
            Finding::new(Code::HIS005).measured(old.brief.assets as f64).within(event(old, measured));
        let detail = format!("{} had {}", called(old, measured), counted(old.brief.assets, "asset"));
        outcomes.push(finding.detail(detail));
    }
}

/// Returns the archives to compare with. The tally counts an incomplete archive.
fn earlier<'c>(
    measured: &Measured<'_>,
    context: &RuleContext<'c>,
    code: Code,
    outcomes: &mut RuleOutcomes,
) -> Option<(&'c Earlier, &'c HistoryConfig)> {
    let is_compared = is_archive(measured) || code == Code::HIS001 && measured.ledger.is_database();
    let past = context.past.filter(|_| is_compared && measured.ledger.status == Status::Complete)?;
    match &past.earlier {
        Ok(earlier) => Some((earlier, past.settings)),
        Err(reason) => {
            outcomes.not_evaluated(code, *reason, 1);
            None
        }
    }
}

/// The newest archive of an expected name is too old. A name without any archive has a row of its own.
fn overdue(_: &Measured<'_>, context: &RuleContext<'_>, outcomes: &mut RuleOutcomes) {
    match context.past.map(|past| past.due) {
        Some(Due::NotExpected) => outcomes.not_evaluated(Code::HIS002, SkipReason::NothingExpected, 1),
        Some(Due::Overdue(name, hours, allowed)) => {
            let finding = Finding::new(Code::HIS002).within(name.to_owned()).measured(hours).limit(allowed);
            outcomes.push(finding.detail(format!(
                "the newest is {} h old, {} h are allowed",
                plain(hours),
                plain(allowed)
            )));
        }
        Some(Due::Unknown(reason)) => outcomes.not_evaluated(Code::HIS002, reason, 1),
        Some(Due::InTime) | None => {}
    }
}

/// Returns the finding of an expected archive that does not exist.
pub fn his002_absent(name: &str) -> Finding {
    let detail = "no archive and no region has this name";
    Finding::new(Code::HIS002).within(name.to_owned()).detail(detail)
}

/// Returns the finding of a folder that had inputs in an earlier run and has none now.
pub fn his007_emptied(emptied: &Emptied) -> Finding {
    let detail = format!("an earlier run found {}", counted(emptied.inputs, "input"));
    Finding::new(Code::HIS007).measured(0.0).limit(emptied.inputs as f64).detail(detail)
}

/// Returns the finding of what earlier runs had and no input has any more.
pub fn his009_gone(gone: &Gone) -> Finding {
    let made = gone.made.and_then(time).map_or(String::new(), |made| format!(" (made {made})"));
    let detail = format!("{}{made} had {}", gone.archive, counted(gone.objects, "object"));
    let finding = Finding::new(Code::HIS009).within(gone.identity.clone());
    finding.measured(0.0).limit(gone.objects as f64).detail(detail)
}

/// Returns the finding of an earlier run that was there and is gone.
pub fn his010_baseline(path: &str) -> Finding {
    Finding::new(Code::HIS010).within(path.to_owned()).detail("an earlier run of this --ledgers had it")
}

/// The newest copy was not read completely. If an older one is evaluated instead, [`of_copy`] reports it.
fn newest_incomplete(measured: &Measured<'_>, context: &RuleContext<'_>, outcomes: &mut RuleOutcomes) {
    let Some(past) = context.past.filter(|_| measured.ledger.status != Status::NotCovered) else { return };
    match &past.rank {
        Rank::Newest { copies: 2.. } if measured.ledger.status != Status::Complete => {
            outcomes.push(
                Finding::new(Code::HIS006)
                    .detail("no older copy is complete, so its readable part is evaluated"),
            );
        }
        Rank::Replaced { by } => outcomes.extend(newest_not_whole(measured, by)),
        Rank::Newest { .. } => {}
        Rank::InPlaceOf { .. } | Rank::Superseded { .. } => {
            outcomes.not_evaluated(Code::HIS006, SkipReason::NotTheNewest, 1);
        }
    }
}

/// Returns the findings of an input whose copy is evaluated instead. An older complete copy has none. The newest keeps
/// the findings of reading, which explain why it is not evaluated.
pub fn of_copy(measured: &Measured<'_>, rank: &Rank) -> RuleOutcomes {
    let mut outcomes = RuleOutcomes::default();
    let found = decoding::findings(measured.ledger).filter(|finding| is_of_reading(finding.code));
    match rank {
        Rank::Replaced { by } => {
            outcomes.extend(found);
            outcomes.extend(newest_not_whole(measured, by));
        }
        Rank::Superseded { .. } if measured.ledger.status != Status::Complete => {
            let finding =
                Finding::new(Code::HIS008).within(identity::file_name(&measured.ledger.input).to_owned());
            let first = found.max_by_key(|finding| measured.profile.severity(finding.code));
            let words = first.map(|first| format!("{} {}", first.code, catalogue::message(&first)));
            outcomes.push(finding.detail(words.unwrap_or_else(|| measured.ledger.status.name().to_owned())));
        }
        _ => {}
    }
    outcomes
}

fn newest_not_whole(measured: &Measured<'_>, evaluated: &str) -> Option<Finding> {
    let is_broken = !matches!(measured.ledger.status, Status::Complete | Status::NotCovered);
    let detail = || format!("{} is evaluated instead", identity::file_name(evaluated));
    is_broken.then(|| Finding::new(Code::HIS006).detail(detail()))
}

fn is_of_reading(code: Code) -> bool {
    [Selector::Family("ARC"), Selector::Family("RUN")].iter().any(|family| family.covers(code))
}

/// The compared costs of a region: name, current cost, earlier cost.
type Priced = (&'static str, fn(&LandMeasures) -> Cost, fn(&RegionCosts) -> Option<f64>);

const COSTS: [Priced; 3] = [
    ("land impact", |sums| sums.land_impact, |old| old.land_impact),
    ("physics weight", |sums| sums.physics_cost, |old| old.physics_cost),
    ("server weight", |sums| sums.server_weight, |old| old.server_weight),
];

/// The costs of a region grew by more than a percentage since the earlier run. A lower bound does not prove growth.
fn region_grew(measured: &Measured<'_>, context: &RuleContext<'_>, outcomes: &mut RuleOutcomes) {
    let Some(past) = context.past.filter(|_| measured.ledger.status == Status::Complete) else { return };
    let baseline = match past.costs {
        Ok(baseline) => baseline,
        Err(reason) => return outcomes.not_evaluated(Code::HIS004, reason, measured.ledger.regions.len()),
    };
    let earlier: HashMap<&str, &RegionCosts> =
        baseline.costs.iter().map(|old| (&*old.identity, old)).collect();
    for (region, sums) in measured.ledger.regions.iter().zip(&measured.regions) {
        let Some(old) = earlier.get(&*identity::of_region(measured.ledger, region)) else {
            outcomes.not_evaluated(Code::HIS004, SkipReason::NothingEarlier, 1);
            continue;
        };
        let prices = COSTS.iter().map(|(name, new, before)| (*name, before(old), new(&sums.total)));
        let both = prices.clone().filter_map(|(name, before, now)| Some((name, before?, now.exact()?)));
        let grown: Vec<_> = both.filter_map(|cost| growth(cost, past.settings)).collect();
        // A cost that does not apply to the objects of the region does not count as unknown.
        let mut unknown = prices.filter(|(_, before, now)| match now.exact() {
            Some(_) => before.is_none(),
            None => !now.is_complete(),
        });
        if !grown.is_empty() {
            let most = grown.iter().map(|(share, _)| *share).fold(0.0, f64::max);
            let words: Vec<String> = grown.into_iter().map(|(_, words)| words).collect();
            let detail = format!("{} since {}", words.join(", "), baseline.file_name());
            let finding = Finding::new(Code::HIS004).entry(&region.folder).detail(detail);
            outcomes.push(finding.measured(most).limit(past.settings.grew_percent));
        } else if unknown.next().is_some() {
            outcomes.not_evaluated(Code::HIS004, SkipReason::CostUnknown, 1);
        }
    }
}

/// Returns the growth of a cost in percent, and its words. `None` if it is not above the limit.
fn growth((name, before, now): (&str, f64, f64), config: &HistoryConfig) -> Option<(f64, String)> {
    // Growth from 0 is 100 %.
    let whole = if before > 0.0 { before } else { now };
    // Rounded to one decimal, as in the message.
    let share = (1000.0 * (now - before) / whole).round() / 10.0;
    let much = now - before >= f64::from(config.little_cost) && share > f64::from(config.grew_percent);
    much.then(|| (share, format!("{name} from {} to {}", plain(before), plain(now))))
}
