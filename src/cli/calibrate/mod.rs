//! `calibrate`: compares costs measured in a region with those computed from its export.

mod text;

use super::{
    Outcome, Settings,
    options::{INPUT, OUTPUT, Overrides, TARGET, TargetArgs},
};
use crate::cli::{
    input_args::{InputArgs, read_all},
    terminal::print,
};
use anyhow::{Context, bail, ensure};
use clap::{ArgGroup, Args};
use hullmark_analysis::{
    assets::Assets,
    calibrate::{Calibration, Export, Measured, calibrate as compare, written},
};
use hullmark_ledger::{Ledger, facts::Status};
use hullmark_util::{escape, number_text::counted};
use serde::Serialize;
use std::{
    fs,
    path::{Path, PathBuf},
};

const EXAMPLES: &str = "\
Examples:
  hullmark calibrate region.oar --measured costs.csv --target opensim-ubode
  hullmark calibrate region.oar --measured chat.txt --out my-grid.toml";

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("without_paths").args(["dump_config"]), after_help = EXAMPLES)]
pub(super) struct CalibrateArgs {
    #[command(flatten)]
    given: InputArgs,
    /// Costs that a script measured in the region: a CSV file, or a chat log
    ///
    /// The page "calibrate" of the documentation has the scripts and the columns.
    #[arg(long, value_name = "FILE", required_unless_present = "dump_config", help_heading = INPUT)]
    measured: Option<PathBuf>,
    /// Maximum distance in metres between a measured prim and that of the export, if no UUID matches
    #[arg(
        long, value_name = "METRES", default_value = "0.1", value_parser = tolerance, help_heading = INPUT,
        hide_short_help = true
    )]
    tolerance: f64,
    /// Grid that was measured: second-life, opensim-ubode, opensim-bulletsim, or a profile file
    #[arg(long, value_name = "NAME", conflicts_with = "profile", help_heading = TARGET)]
    target: Option<String>,
    #[command(flatten)]
    limits: TargetArgs,
    /// Write a profile with the fitted constants to this file
    #[arg(long, short, value_name = "FILE", help_heading = OUTPUT)]
    out: Option<PathBuf>,
    /// Print JSON
    #[arg(long, help_heading = OUTPUT)]
    json: bool,
}

impl CalibrateArgs {
    pub(super) fn overrides(&self) -> Overrides<'_> {
        Overrides {
            target: Some(&self.limits),
            profile: self.target.as_deref(),
            all_assets: self.given.all_assets,
            ..Overrides::default()
        }
    }
}

/// The calibration as plain data. Text and JSON are written from it.
#[derive(Debug, Serialize)]
struct View<'a> {
    /// Name of the profile.
    profile: &'a str,
    /// Description of the profile.
    profile_description: &'a str,
    /// The file of measurements.
    measured: String,
    /// The worst status of the exports.
    status: Status,
    #[serde(flatten)]
    calibration: &'a Calibration,
    /// The profile that was written. `None` without `--out`.
    out: Option<String>,
}

/// Compares measured costs with exports, and fits the constants of estimated formulas.
pub(super) fn calibrate(args: &CalibrateArgs, settings: &Settings) -> anyhow::Result<Outcome> {
    let base = settings.config.profile.as_str();
    let measured_path = args.measured.as_deref().context("--measured is missing")?;
    if let Some(out) = &args.out {
        ensure_profile(out, base)?;
    }
    let measured = Measured::read(measured_path)?;
    let ledgers: Vec<Ledger> =
        read_all(&args.given, settings)?.into_iter().map(|(_, ledger)| ledger).collect();
    let (stores, inputs): (Vec<&Ledger>, Vec<&Ledger>) = ledgers.iter().partition(|ledger| ledger.is_store());
    let status = worst(&ledgers);
    let stores = Assets::from_ledgers(stores);
    let assets = |ledger| {
        let assets = Assets::from_ledgers([ledger]).backed_by(&stores);
        assets.rationed(&ledger.objects, settings.config.report.scaled_triangles)
    };
    let exports: Vec<Export<'_>> =
        inputs.into_iter().map(|ledger| Export { ledger, assets: assets(ledger) }).collect();
    let Some(calibration) = compare(&exports, &measured, args.tolerance, &settings.profile) else {
        bail!("{}", no_match(measured_path, &measured, &exports, args.tolerance));
    };
    if let Some(out) = &args.out {
        let text = written(base, &calibration.constants);
        fs::write(out, text).with_context(|| format!("{} cannot be written", out.display()))?;
    }
    let view = View {
        profile: base,
        profile_description: &settings.profile.description,
        measured: measured_path.display().to_string(),
        status,
        calibration: &calibration,
        out: args.out.as_ref().map(|out| out.display().to_string()),
    };
    let text = if args.json { escape::json(&view)? } else { text::text(&view, settings.verbosity) };
    print(&text)?;
    Ok(settings.outcome(status == Status::Complete, None))
}

/// Checks that the new profile has a valid name and is not its own base.
fn ensure_profile(out: &Path, base: &str) -> anyhow::Result<()> {
    let name = out.display();
    ensure!(
        out.extension().is_some_and(|it| it == "toml"),
        "--out {name} must end in .toml, like all profiles"
    );
    let same = matches!((out.canonicalize(), Path::new(base).canonicalize()), (Ok(a), Ok(b)) if a == b);
    ensure!(
        !same,
        "--out {name} is the profile of the target, which is the base of the new one. Name another file"
    );
    Ok(())
}

fn worst(ledgers: &[Ledger]) -> Status {
    let unfinished = ledgers.iter().map(|ledger| ledger.status).find(|status| *status != Status::Complete);
    unfinished.unwrap_or(Status::Complete)
}

fn no_match(path: &Path, measured: &Measured, exports: &[Export<'_>], tolerance: f64) -> String {
    let parts: usize =
        exports.iter().flat_map(|it| &it.ledger.objects).map(|object| object.linkset.parts.len()).sum();
    format!(
        "No row of {} matches a prim of the exports ({}, {}), neither by UUID nor by name, link number and position within \
         {tolerance} m. Give the export of the measured region",
        path.display(),
        counted(measured.rows.len() as u64, "row"),
        counted(parts as u64, "prim"),
    )
}

fn tolerance(text: &str) -> Result<f64, String> {
    match text.trim().parse() {
        Ok(metres) if metres >= 0.0 && f64::is_finite(metres) => Ok(metres),
        _ => Err("use a distance of 0 or more in metres, as 0.1".into()),
    }
}
