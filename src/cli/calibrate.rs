//! `calibrate`: compares costs measured in a region with those computed from its export.

use super::{
    Outcome, Run, Settings,
    flags::{Flags, INPUT, OUTPUT, TARGET, TargetArgs},
    input_args::{InputArgs, read_all},
    progress::Verbosity,
    terminal::{Align, columns, folded, print_view, words},
};
use anyhow::{Context, bail, ensure};
use clap::{ArgGroup, Args};
use hullmark_analysis::{
    assets::Assets,
    calibrate::{
        Agreement, Calibration, Export, Fitted, Measured, PbrAccounting, Place, Quantity, Verdict,
        calibrate as compare, written,
    },
};
use hullmark_ledger::{Ledger, facts::Status};
use hullmark_util::{
    number_text::counted,
    terminal_text::{WIDTH, clean, cut, wrap},
};
use serde::Serialize;
use std::{
    fmt::Write as _,
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

/// The calibration as plain data. Text and JSON are written from it.
#[derive(Debug, Serialize)]
struct CalibrationView<'a> {
    profile: &'a str,
    profile_description: &'a str,
    measured: String,
    /// The worst status of the exports.
    status: Status,
    #[serde(flatten)]
    calibration: &'a Calibration,
    /// The profile that was written. `None` without `--out`.
    out: Option<String>,
}

impl Flags for CalibrateArgs {
    fn apply(&self, settings: &mut Settings) {
        if let Some(target) = &self.target {
            settings.choose_profile(target);
        }
    }
}

impl Run for CalibrateArgs {
    fn flags(&self) -> Vec<&dyn Flags> {
        vec![&self.given, &self.limits, self]
    }

    /// Compares measured costs with exports, and fits the constants of estimated formulas.
    fn run(&self, settings: &Settings) -> anyhow::Result<Outcome> {
        let base = settings.config.profile.as_str();
        let measured_path = self.measured.as_deref().context("--measured is missing")?;
        if let Some(out) = &self.out {
            ensure_profile(out, base)?;
        }
        let measured = Measured::read(measured_path)?;
        let ledgers: Vec<Ledger> =
            read_all(&self.given, settings)?.into_iter().map(|(_, ledger)| ledger).collect();
        let (stores, inputs): (Vec<&Ledger>, Vec<&Ledger>) =
            ledgers.iter().partition(|ledger| ledger.is_store());
        let status = worst_status(&ledgers);
        let stores = Assets::from_ledgers(stores);
        let assets = |ledger| {
            let assets = Assets::from_ledgers([ledger]).backed_by(&stores);
            assets.limited(&ledger.objects, settings.config.report.scaled_triangles)
        };
        let exports: Vec<Export<'_>> =
            inputs.into_iter().map(|ledger| Export { ledger, assets: assets(ledger) }).collect();
        let Some(calibration) = compare(&exports, &measured, self.tolerance, &settings.profile) else {
            bail!("{}", no_match(measured_path, &measured, &exports, self.tolerance));
        };
        if let Some(out) = &self.out {
            let text = written(base, &calibration.constants);
            fs::write(out, text).with_context(|| format!("{} cannot be written", out.display()))?;
        }
        let view = CalibrationView {
            profile: base,
            profile_description: &settings.profile.description,
            measured: measured_path.display().to_string(),
            status,
            calibration: &calibration,
            out: self.out.as_ref().map(|out| out.display().to_string()),
        };
        print_view(self.json, &view, || text(&view, settings.verbosity))?;
        Ok(settings.outcome(status == Status::Complete, None))
    }
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

fn worst_status(ledgers: &[Ledger]) -> Status {
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

/// Maximum number of listed prims, unless the view is verbose.
const ROWS: usize = 10;
/// Maximum length of a name.
const NAME: usize = 24;

/// Formats the whole view.
fn text(view: &CalibrationView<'_>, verbosity: Verbosity) -> String {
    let all = verbosity == Verbosity::Verbose;
    let calibration = view.calibration;
    let mut text = matched(calibration, all);
    text += "\nAgreement of computed with measured costs:\n";
    text += &agreement(&calibration.agreement, all);
    text += &left_out(calibration);
    text += &pbr_accounting(calibration.pbr_accounting);
    text += "\nConstants of estimated formulas:\n";
    text += &constants(&calibration.constants);
    text += &overall(calibration);
    match &view.out {
        Some(out) => {
            let _ = writeln!(text, "\nWrote the profile {}. Use it as --target {}.", clean(out), clean(out));
        }
        None if differs(calibration) => {
            text += "\n`--out FILE.toml` writes a profile with these constants.\n";
        }
        None => {}
    }
    if view.status != Status::Complete {
        text += "\nAn export was NOT FULLY READ: prims may be missing.\n";
    }
    let _ = writeln!(text, "\nTarget: {}: {}", clean(view.profile), clean(view.profile_description));
    text
}

fn differs(calibration: &Calibration) -> bool {
    calibration.constants.iter().any(|it| it.verdict == Verdict::Differs)
}

/// Describes matched and unmatched rows and prims.
fn matched(it: &Calibration, all: bool) -> String {
    let mut sentence = format!(
        "{} and {}: {} matched by UUID, {} by name, position and link number.",
        counted(it.rows as u64, "measured row"),
        counted(it.parts as u64, "prim"),
        it.matched_by_uuid,
        it.matched_by_place
    );
    if it.rows_replaced > 0 {
        let _ = write!(
            sentence,
            " A later row with the same UUID replaced {}.",
            counted(it.rows_replaced as u64, "row")
        );
    }
    if it.costs_not_finite > 0 {
        let _ = write!(
            sentence,
            " {} without a finite number: treated as not measured.",
            counted(it.costs_not_finite as u64, "measured cost")
        );
    }
    let mut text = wrap(&sentence, "", "", WIDTH);
    text += &places("Rows whose prim or linkset changed after the export", &it.changed, all);
    text += &places("Rows without a prim in the export", &it.unmatched_rows, all);
    text += &places("Prims of the export without a row", &it.unmatched_parts, all);
    text
}

fn places(head: &str, places: &[Place], all: bool) -> String {
    let mut text = format!("{head}: {}\n", places.len());
    let shown = if all { places.len() } else { places.len().min(ROWS) };
    let row = |it: &Place| {
        let [x, y, z] = it.position.map(|metres| format!("{metres:.2}"));
        vec![
            it.uuid.to_string(),
            cut(&clean(&it.name), NAME),
            format!("link {}", it.link),
            format!("{x}, {y}, {z}"),
        ]
    };
    let rows: Vec<Vec<String>> = places[..shown].iter().map(row).collect();
    text += &columns(&[Align::Left; 4], &rows);
    text + &folded(places.len() - shown, "  ")
}

fn agreement(groups: &[Agreement], all: bool) -> String {
    use Align::{Left, Right};
    let head = ["cost", "shape", "basis", "count", "≤ 0.5 %", "median", "worst", "worst row"];
    let row = |it: &Agreement| {
        vec![
            it.quantity.name().trim_start_matches("prim ").trim_end_matches(" cost").to_owned(),
            words(&it.shape),
            words(it.basis),
            it.count.to_string(),
            it.within_half_percent.to_string(),
            percent(it.median_error_percent),
            percent(it.worst_error_percent),
            worst(it, all),
        ]
    };
    let rows: Vec<Vec<String>> =
        [head.map(str::to_owned).to_vec()].into_iter().chain(groups.iter().map(row)).collect();
    columns(&[Left, Left, Left, Right, Right, Right, Right, Left], &rows)
}

/// Describes the row with the greatest error, if there is one.
fn worst(it: &Agreement, all: bool) -> String {
    let worst = &it.worst;
    match it.worst_error_percent {
        0.0 => String::new(),
        _ if all => {
            let name = cut(&clean(&worst.name), NAME);
            format!("line {}: {:.4} for {:.4}, \"{name}\"", worst.line, worst.computed, worst.measured)
        }
        _ => format!("line {}", worst.line),
    }
}

fn percent(percent: f64) -> String {
    match percent {
        infinite if infinite.is_infinite() => "infinite".into(),
        large if large >= 1000.0 => format!("{large:.0} %"),
        percent => format!("{percent:.2} %"),
    }
}

/// Describes costs that could not be compared.
fn left_out(it: &Calibration) -> String {
    let mut text = String::new();
    for line in &it.not_compared {
        let _ = writeln!(text, "Not compared, {}: {} ({})", line.quantity.name(), line.count, line.reason);
    }
    for quantity in &it.not_reported {
        let name = quantity.name();
        let _ = writeln!(text, "Not compared, {name}: 0 in every row, so the simulator does not report it.");
    }
    text
}

/// Describes the accounting of linksets with PBR materials, if the measurements show it.
fn pbr_accounting(found: PbrAccounting) -> String {
    let PbrAccounting { legacy, new } = found;
    if legacy + new == 0 {
        return String::new();
    }
    let linksets = counted((legacy + new) as u64, "linkset");
    let sentence = format!(
        "{linksets} of plain prims with PBR materials: {legacy} under legacy accounting, {new} under new."
    );
    wrap(&sentence, "", "", WIDTH)
}

fn constants(constants: &[Fitted]) -> String {
    use Align::{Left, Right};
    let head = ["constant", "in force", "fitted", "error (95 %)", "rows", "outliers", ""];
    let number = |number: Option<f64>| number.map_or("–".into(), |number| format!("{number:.5}"));
    let row = |it: &Fitted| {
        let verdict = match it.verdict {
            Verdict::Differs => "differs",
            Verdict::Agrees => "agrees",
            Verdict::Undecided => "",
        };
        vec![
            it.name.clone(),
            format!("{:.5}", it.value),
            number(it.fitted),
            number(it.error),
            it.decided_by.to_string(),
            it.outliers.to_string(),
            verdict.into(),
        ]
    };
    let (undecided, decided): (Vec<&Fitted>, Vec<&Fitted>) =
        constants.iter().partition(|it| it.verdict == Verdict::Undecided);
    let mut text = if decided.is_empty() {
        String::new()
    } else {
        let head = [head.map(str::to_owned).to_vec()].into_iter();
        let rows: Vec<Vec<String>> = head.chain(decided.into_iter().map(row)).collect();
        columns(&[Left, Right, Right, Right, Right, Right, Left], &rows)
    };
    // Constants with the same reason share a line.
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for it in undecided {
        let reason = it.reason.as_deref().unwrap_or_default();
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, names)) => names.push(&it.name),
            None => reasons.push((reason, vec![&it.name])),
        }
    }
    for (reason, names) in reasons {
        let sentence = format!("not fitted, because {reason}: {}", names.join(", "));
        text += &wrap(&sentence, "  ", "    ", WIDTH);
    }
    text
}

/// Describes the number of values that agree, before and after the fit.
fn overall(it: &Calibration) -> String {
    let mut text = String::from("\n");
    for line in &it.overall {
        let fitted = match (line.quantity, differs(it)) {
            (Quantity::Physics | Quantity::Streaming, true) => {
                format!("; {} with the fitted constants", line.within_half_percent_fitted)
            }
            _ => String::new(),
        };
        let (name, within, count) = (line.quantity.name(), line.within_half_percent, line.count);
        let _ = writeln!(text, "{name}: {within} of {count} within 0.5 %{fitted}.");
    }
    text
}
