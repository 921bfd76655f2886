//! `extract`: some objects of an archive as an archive of their own.

use super::{
    Outcome, Run, Settings,
    copies::{ensure_apart, evaluate, first_lines, read_one},
    flags::{Flags, INPUT, OUTPUT, TargetArgs},
    input_args::RunArgs,
    terminal::print_view,
};
use anyhow::{bail, ensure};
use clap::Args;
use hullmark_analysis::asset_uses;
use hullmark_ledger::{
    Ledger,
    facts::{ObjectFacts, Status},
};
use hullmark_repair::{ArchiveWriter, Extract, ExtractError, Rights, Selection, Within, Written, write_file};
use hullmark_rules::well_known_assets::is_well_known;
use hullmark_settings::rule_selection::Selector;
use hullmark_source::{Input, ReadRequest};
use hullmark_util::{
    log,
    number_text::{bytes, thousands},
    terminal_text::{clean, counted},
};
use serde::Serialize;
use std::{
    collections::{BTreeSet, HashSet},
    path::{Path, PathBuf},
    sync::atomic::Ordering,
};
use uuid::Uuid;

const EXAMPLES: &str = "\
Examples:
  hullmark extract first-region.oar --object \"Market stall\" --out stall.oar
  hullmark extract region.oar --owner 0a0a0a0a-0000-4000-8000-000000000007 --out hers.oar
  hullmark extract region.oar --within 0,0,128,256 --not --out east.oar";

/// Maximum number of findings of a rule of --code.
const FINDINGS: usize = 1_000_000;

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ExtractArgs {
    /// Archive of regions (OAR), packed or unpacked. It is only read
    #[arg(required_unless_present = "dump_config", value_name = "IN", help_heading = INPUT, display_order = 0)]
    input: Option<PathBuf>,
    /// Take objects with this name, or with a prim of this UUID; may be repeated
    #[arg(long, value_name = "NAME|UUID", help_heading = INPUT, display_order = 1)]
    object: Vec<String>,
    /// Take objects of this owner; may be repeated
    #[arg(long, value_name = "UUID", help_heading = INPUT, display_order = 2)]
    owner: Vec<Uuid>,
    /// Take objects whose root prim has this creator; may be repeated
    #[arg(long, value_name = "UUID", help_heading = INPUT, display_order = 3)]
    creator: Vec<Uuid>,
    /// Take objects in this region; may be repeated
    #[arg(long, value_name = "NAME|UUID", help_heading = INPUT, display_order = 4)]
    region: Vec<String>,
    /// Take objects on this parcel; may be repeated
    #[arg(long, value_name = "NAME|UUID", help_heading = INPUT, display_order = 5)]
    parcel: Vec<String>,
    /// Take objects whose root prim is within these borders, in metres from the corner of the region
    #[arg(long, allow_hyphen_values = true, value_name = "X0,Y0,X1,Y1", help_heading = INPUT, display_order = 6)]
    within: Option<Within>,
    /// Take objects with a finding of these rules or families, as POS002,HUL, or that use an asset with one
    #[arg(long, value_name = "CODES", value_delimiter = ',', help_heading = INPUT, display_order = 7)]
    code: Vec<Selector>,
    /// Leave out objects that their owner may not copy (C), not transfer (T), or either (CT)
    #[arg(long, value_name = "CT", help_heading = INPUT, display_order = 9)]
    permissions: Option<Rights>,
    /// Take all other objects
    #[arg(long, help_heading = INPUT, display_order = 8)]
    not: bool,
    /// File of the new archive, or of an object as XML (FILE.xml)
    #[arg(long, short, required_unless_present = "dump_config", value_name = "FILE", help_heading = OUTPUT)]
    out: Option<PathBuf>,
    /// Replace the file if it exists
    #[arg(long, help_heading = OUTPUT)]
    overwrite: bool,
    /// Say what would be copied, and write nothing
    #[arg(long, help_heading = OUTPUT)]
    dry_run: bool,
    /// Print JSON
    #[arg(long, help_heading = OUTPUT)]
    json: bool,
    #[command(flatten)]
    limits: TargetArgs,
}

/// An object without the rights of --permissions.
#[derive(Debug, Serialize)]
struct Forbidden {
    object: Uuid,
    name: String,
    owner: Uuid,
}

/// What was copied, for people and programs.
#[derive(Debug, Serialize)]
struct View {
    archive: String,
    /// The new file. Absent if none was written.
    out: Option<String>,
    objects: u64,
    objects_of_archive: u64,
    assets: u64,
    assets_of_archive: u64,
    regions: u64,
    regions_of_archive: u64,
    /// Bytes of the new file.
    bytes: u64,
    /// Assets that the objects use and the archive lacks, without those that every grid has.
    missing: Vec<Uuid>,
    /// Objects that were chosen, and that their owner may not take.
    forbidden: Vec<Forbidden>,
    /// Members that were not copied: they are cut, longer than a limit, or their path leads out of the archive.
    left_out: Vec<String>,
    /// Whether the archive was read to its end.
    complete: bool,
}

impl Flags for ExtractArgs {
    fn apply(&self, settings: &mut Settings) {
        // Each object with a finding is wanted, and not only the first ones.
        if !self.code.is_empty() {
            settings.config.limits.findings_per_code = FINDINGS;
            settings.config.report.findings_per_code = FINDINGS;
        }
    }
}

impl Run for ExtractArgs {
    fn flags(&self) -> Vec<&dyn Flags> {
        vec![&self.limits, self]
    }

    /// Reads the archive, copies the objects, and reads the copy again.
    fn run(&self, settings: &Settings) -> anyhow::Result<Outcome> {
        let (Some(path), Some(out)) = (&self.input, &self.out) else {
            bail!("extract needs an archive and --out FILE")
        };
        ensure_apart(path, out, self.overwrite)?;
        let selection = self.selection();
        ensure!(
            !selection.is_empty() || !self.code.is_empty(),
            "Say what to take: add --object, --owner, --creator, --region, --parcel, --within, --permissions or --code"
        );
        let run = RunArgs::default().until_signalled(settings)?;
        let (input, ledger) = read_one(path, settings)?;
        let numbers = (!self.code.is_empty()).then(|| found_by(&self.code, &ledger, settings)).transpose()?;
        let extract = Extract::new(&ledger, &Selection { numbers, ..selection })?;
        let request = ReadRequest::new(&settings.config.limits);
        let is_stopped = || run.stop.load(Ordering::Relaxed);
        let written = match self.dry_run {
            true => Ok(None),
            false => self.write(&extract, &input, &request, &is_stopped).map(Some),
        };
        let written = match written {
            Err(stopped @ ExtractError::Stopped) => {
                log::broken(&stopped.to_string());
                return Ok(Outcome::Stopped);
            }
            written => written?,
        };
        if let Some(written) = written.as_ref().filter(|_| !is_document(out)) {
            ensure_whole(out, &extract, written, settings)?;
        }
        let view = view(&ledger, &extract, written, out);
        print_view(self.json, &view, || text(&view))?;
        Ok(if view.complete && view.left_out.is_empty() { Outcome::Done } else { Outcome::Incomplete })
    }
}

/// Whether a file of this name is an object as XML, and not an archive.
fn is_document(out: &Path) -> bool {
    out.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("xml"))
}

impl ExtractArgs {
    fn write(
        &self,
        extract: &Extract<'_>,
        input: &Input,
        request: &ReadRequest<'_>,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Written, ExtractError> {
        let out = self.out.as_deref().unwrap_or(Path::new(""));
        if is_document(out) {
            let document = extract.document(input, request, is_stopped)?;
            write_file(out, &document, self.overwrite).map_err(ExtractError::Write)?;
            return Ok(Written { objects: 1, bytes: document.len() as u64, ..Written::default() });
        }
        let archive = ArchiveWriter::create(out, self.overwrite).map_err(ExtractError::Write)?;
        extract.write(input, request, archive, is_stopped)
    }

    fn selection(&self) -> Selection {
        Selection {
            objects: self.object.clone(),
            owners: self.owner.clone(),
            creators: self.creator.clone(),
            regions: self.region.clone(),
            parcels: self.parcel.clone(),
            within: self.within,
            numbers: None,
            inverted: self.not,
            rights: self.permissions,
        }
    }
}

/// Returns the numbers of objects with a finding of these rules, or that use an asset with one.
fn found_by(codes: &[Selector], ledger: &Ledger, settings: &Settings) -> anyhow::Result<BTreeSet<usize>> {
    let found: (BTreeSet<usize>, HashSet<Uuid>) = Default::default();
    let (mut numbers, assets) = evaluate(ledger, settings, found, |row, found| {
        if codes.iter().any(|codes| codes.covers(row.finding.code)) {
            found.0.extend(row.object_number);
            found.1.extend(row.findings().filter_map(|finding| finding.place.asset));
        }
    })?;
    let uses = |object: &ObjectFacts| asset_uses::of_object(object).any(|asset| assets.contains(&asset));
    numbers.extend((0..ledger.objects.len()).filter(|&number| uses(&ledger.objects[number])));
    Ok(numbers)
}

/// Reads the copy again, and refuses one that lacks something.
fn ensure_whole(
    out: &Path,
    extract: &Extract<'_>,
    written: &Written,
    settings: &Settings,
) -> anyhow::Result<()> {
    let (_, copy) = read_one(out, settings)?;
    let objects = copy.objects.iter().filter(|object| object.region.is_some()).count() as u64;
    let is_whole = copy.status == Status::Complete && objects >= written.objects;
    let lacks = Extract::new(&copy, &Selection::default())?.missing;
    let may_lack = !written.left_out.is_empty() || lacks.is_subset(&extract.missing);
    ensure!(
        is_whole && may_lack,
        "internal error: {} was read again and is not whole. Do not use it, and report this bug",
        out.display()
    );
    Ok(())
}

fn view(ledger: &Ledger, extract: &Extract<'_>, written: Option<Written>, out: &Path) -> View {
    let is_written = written.is_some();
    let Written { assets, bytes, left_out, .. } = written.unwrap_or_default();
    let used = asset_uses::collect(ledger);
    let is_lost = |asset: &Uuid| used.contains_key(asset) && !is_well_known(*asset);
    let root = |object: &&ObjectFacts| object.linkset.parts.first().cloned();
    let forbidden = extract.forbidden.iter().filter_map(root);
    View {
        archive: ledger.input.clone(),
        forbidden: forbidden
            .map(|root| Forbidden { object: root.uuid, name: root.name, owner: root.owner })
            .collect(),
        out: is_written.then(|| out.display().to_string()),
        objects: extract.objects.len() as u64,
        objects_of_archive: ledger.objects.iter().filter(|object| object.region.is_some()).count() as u64,
        assets: if is_written { assets } else { extract.assets() },
        assets_of_archive: ledger.assets.len() as u64,
        regions: extract.regions.len() as u64,
        regions_of_archive: ledger.regions.len() as u64,
        bytes,
        missing: extract.missing.iter().copied().filter(is_lost).collect(),
        left_out,
        complete: ledger.status == Status::Complete,
    }
}

fn text(view: &View) -> String {
    let of = |count: u64, all: u64, what: &str| format!("{} of {}", thousands(count), counted(all, what));
    let objects = of(view.objects, view.objects_of_archive, "object");
    let assets = of(view.assets, view.assets_of_archive, "asset");
    let mut lines = vec![match &view.out {
        Some(out) => format!("Wrote {objects} and {assets} to {} ({}).", clean(out), bytes(view.bytes)),
        None => format!("Would copy {objects} and {assets}. Nothing was written."),
    }];
    if view.regions_of_archive > 1 {
        lines.push(format!("Land: {}.", of(view.regions, view.regions_of_archive, "region")));
    }
    if !view.missing.is_empty() {
        let count = view.missing.len() as u64;
        lines.push(format!("The archive lacks {} that they use:", counted(count, "asset")));
        lines.extend(first_lines(&view.missing, count, |asset| format!("  {asset}")));
    }
    if !view.forbidden.is_empty() {
        let count = view.forbidden.len() as u64;
        lines.push(format!("Left out, because their owner may not take them: {}", counted(count, "object")));
        lines.extend(first_lines(&view.forbidden, count, |object| {
            format!("  {} ({}) of {}", clean(&object.name), object.object, object.owner)
        }));
    }
    if !view.left_out.is_empty() {
        let count = view.left_out.len() as u64;
        lines.push(format!(
            "Not copied, because they are cut, too long or outside: {}",
            counted(count, "member")
        ));
        lines.extend(first_lines(&view.left_out, count, |name| format!("  {}", clean(name))));
    }
    if !view.complete {
        lines.push(
            "The archive was not read to its end, so it may have more. `hullmark audit` says why.".into(),
        );
    }
    lines.join("\n") + "\n"
}
