//! `extract`: some objects of an archive as an archive of their own.

mod divided;
mod view;

use super::{
    Outcome, Run, Settings,
    copies::{
        CopyArgs, ensure_apart, ensure_room, evaluate, keep_all_findings, or_stopped, read_again, read_one,
    },
    flags::{Flags, INPUT, OUTPUT, TargetArgs},
    input_args::RunArgs,
    terminal::print_view,
};
use anyhow::{bail, ensure};
use clap::{
    Args,
    builder::{PossibleValuesParser, TypedValueParser},
};
use glam::DVec3;
use hullmark_analysis::asset_uses;
use hullmark_ledger::{
    Ledger,
    facts::{ObjectFacts, Status},
};
use hullmark_repair::{
    ArchiveWriter, Chosen, CopyError, Extract, Form, Per, Rights, Selection, Within, Written, missing_assets,
    write, write_file,
};
use hullmark_settings::rule_selection::Selector;
use hullmark_source::{Input, ReadRequest};
use std::{
    collections::{BTreeSet, HashSet},
    path::{Path, PathBuf},
    sync::atomic::Ordering,
};
use uuid::Uuid;
use view::View;

const EXAMPLES: &str = "\
Examples:
  hullmark extract first-region.oar --object \"Market stall\" --out stall.oar
  hullmark extract first-region.oar --object \"Market stall\" --out stall.iar
  hullmark extract region.oar --within 0,0,128,256 --not --out east.oar
  hullmark extract region.oar --per owner --out owners";

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
    /// File of the copy: an archive, an inventory (FILE.iar) or an object (FILE.xml). With --per, a new folder
    #[arg(long, short, required_unless_present = "dump_config", value_name = "FILE", help_heading = OUTPUT)]
    out: Option<PathBuf>,
    /// Place the objects here, in metres: their middle, and the lowest root prim at this height
    #[arg(
        long, value_name = "X,Y,Z", value_parser = place, allow_hyphen_values = true, conflicts_with = "per",
        help_heading = OUTPUT
    )]
    at: Option<DVec3>,
    /// Write an archive for each owner, region or parcel, or for each square of 256 m of a large region
    ///
    /// A region of a megaregion is a square.
    #[arg(long, value_name = "WHAT", value_parser = per(), help_heading = OUTPUT)]
    per: Option<Per>,
    #[command(flatten)]
    copy: CopyArgs,
    #[command(flatten)]
    limits: TargetArgs,
}

fn per() -> impl TypedValueParser<Value = Per> {
    PossibleValuesParser::new(Per::ALL.map(Per::name))
        .map(|name| Per::ALL.into_iter().find(|per| per.name() == name).unwrap_or(Per::Region))
}

fn place(text: &str) -> Result<DVec3, &'static str> {
    let numbers: Option<Vec<f64>> = text.split(',').map(|number| number.trim().parse().ok()).collect();
    match numbers.as_deref() {
        Some(&[x, y, z]) if [x, y, z].iter().all(|number| number.is_finite()) => Ok(DVec3::new(x, y, z)),
        _ => Err("give three numbers, as 128,128,25"),
    }
}

impl Flags for ExtractArgs {
    fn apply(&self, settings: &mut Settings) {
        // Each object with a finding is wanted, and not only the first ones.
        if !self.code.is_empty() {
            keep_all_findings(settings);
        }
    }
}

/// The archive to read, and how.
struct Source<'s> {
    input: &'s Input,
    ledger: &'s Ledger,
    request: ReadRequest<'s>,
    is_stopped: &'s dyn Fn() -> bool,
    settings: &'s Settings,
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
        let selection = self.selection();
        ensure!(
            !selection.is_empty() || !self.code.is_empty() || self.per.is_some(),
            "Say what to take: add --object, --owner, --creator, --region, --parcel, --within, --permissions, --code \
             or --per"
        );
        match self.per {
            None => ensure_apart(path, out, self.copy.overwrite)?,
            Some(_) => divided::ensure_apart(path, out, self.copy.overwrite)?,
        }
        let run = RunArgs::default().until_signalled(settings)?;
        let (input, ledger) = read_one(path, settings)?;
        let numbers = (!self.code.is_empty()).then(|| found_by(&self.code, &ledger, settings)).transpose()?;
        let chosen = Chosen::new(&ledger, &Selection { numbers, ..selection })?;
        let source = Source {
            input: &input,
            ledger: &ledger,
            request: ReadRequest::new(&settings.config.limits),
            is_stopped: &|| run.stop.load(Ordering::Relaxed),
            settings,
        };
        match self.per {
            None => self.together(&chosen, out, &source),
            Some(per) => self.divided(&chosen, per, out, &source),
        }
    }
}

/// Whether the name of a file ends so.
fn ends_in(out: &Path, ending: &str) -> bool {
    out.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(ending))
}

impl ExtractArgs {
    /// Writes one copy with all objects.
    fn together(&self, chosen: &Chosen<'_>, out: &Path, source: &Source<'_>) -> anyhow::Result<Outcome> {
        let form = match self.at {
            _ if ends_in(out, "iar") => Form::Inventory,
            Some(at) => chosen.placed_at(at)?,
            None => Form::Same,
        };
        ensure!(self.at.is_none() || form != Form::Inventory, "An inventory has no places. Leave out --at");
        let extract = chosen.together(form);
        let written = match self.copy.dry_run {
            true => None,
            false => {
                ensure_room(out, extract.bytes().min(source.ledger.bytes))?;
                let Some(written) = or_stopped(self.write(&extract, out, source))? else {
                    return Ok(Outcome::Stopped);
                };
                if !ends_in(out, "xml") {
                    ensure_whole(out, &extract, &written, source.settings)?;
                }
                Some(written)
            }
        };
        let view = View::new(source.ledger, chosen, &extract, written, out);
        print_view(self.copy.json, &view, || view.text())?;
        Ok(view.outcome())
    }

    fn write(&self, extract: &Extract<'_>, out: &Path, source: &Source<'_>) -> Result<Written, CopyError> {
        let Source { input, request, is_stopped, .. } = source;
        if ends_in(out, "xml") {
            let document = extract.document(input, request, is_stopped)?;
            write_file(out, &document, self.copy.overwrite)?;
            return Ok(Written { objects: 1, bytes: document.len() as u64, ..Written::default() });
        }
        let archive = ArchiveWriter::create(out, self.copy.overwrite)?;
        let written = write(&[extract], vec![archive], input, request, is_stopped)?;
        Ok(written.into_iter().next().unwrap_or_default())
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

/// Reads a copy again, and refuses one that lacks something.
fn ensure_whole(
    out: &Path,
    extract: &Extract<'_>,
    written: &Written,
    settings: &Settings,
) -> anyhow::Result<()> {
    let copy = read_again(out, settings)?;
    let objects = copy.objects.iter().filter(|object| object.region.is_some()).count() + copy.items.len();
    let is_whole = copy.status == Status::Complete && objects as u64 >= written.objects;
    let may_lack = !written.left_out.is_empty() || missing_assets(&copy).is_subset(&extract.missing);
    ensure!(
        is_whole && may_lack,
        "internal error: {} was read again and is not whole. Do not use it, and report this bug",
        out.display()
    );
    Ok(())
}
