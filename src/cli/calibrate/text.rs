//! The view as text, at most 100 characters wide unless it is verbose.

use super::View;
use crate::cli::{
    progress::Verbosity,
    terminal::{Align, columns, folded, words},
};
use hullmark_analysis::calibrate::{Agreement, Calibration, Fitted, Place, Quantity, Verdict};
use hullmark_ledger::facts::Status;
use hullmark_util::terminal_text::{WIDTH, clean, counted, cut, wrap};
use std::fmt::Write as _;

/// Maximum number of listed prims, unless the view is verbose.
const ROWS: usize = 10;
/// Maximum length of a name.
const NAME: usize = 24;

/// Formats the whole view.
pub(super) fn text(view: &View<'_>, verbosity: Verbosity) -> String {
    let all = verbosity == Verbosity::Verbose;
    let calibration = view.calibration;
    let mut text = matched(calibration, all);
    text += "\nAgreement of computed with measured costs:\n";
    text += &agreement(&calibration.agreement, all);
    text += &left_out(calibration);
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
