//! The view as text, at most 100 characters wide.

use super::{
    object::{MeshLevels, ObjectWeights},
    view::FixView,
};
use crate::cli::terminal::{Align, columns};
use hullmark_ledger::facts::Status;
use hullmark_report::{figures::number, summary::ActionLine};
use hullmark_util::{
    number_text::plain,
    terminal_text::{WIDTH, clean, counted, cut, thousands, wrap},
};
use std::fmt::Write as _;

/// Maximum number of listed actions without a goal, unless all are requested.
const ROWS: usize = 10;
/// Maximum length of a name.
const NAME: usize = 60;

/// Formats the whole view. `all` lists all actions.
pub(super) fn text(view: &FixView, all: bool) -> String {
    let mut text = heading(view);
    if let Some(object) = &view.object {
        text += &weights(object);
    }
    let shown = if all || view.goal.is_some() { view.actions.len() } else { ROWS.min(view.actions.len()) };
    for (number, action) in view.actions.iter().take(shown).enumerate() {
        text += &action_text(number + 1, action);
    }
    if shown < view.actions.len() {
        let _ =
            writeln!(text, "and {} (-v lists all)\n", counted((view.actions.len() - shown) as u64, "action"));
    }
    text += &wrap(&summary(view), "", "", WIDTH);
    for parcel in &view.parcels_over {
        let words = format!(
            "Parcel \"{}\" stays above its share: land impact {} of {}.",
            clean(&parcel.parcel),
            impact(parcel.land_impact_after),
            impact(parcel.capacity)
        );
        text += &wrap(&words, "", "", WIDTH);
    }
    if view.head.status != Status::Complete {
        let _ = writeln!(text, "{} was NOT READ TO ITS END.", clean(&view.head.file));
    }
    let _ = writeln!(text, "\nEvaluated for {}: {}", view.head.profile, view.head.profile_description);
    text
}

fn impact(land_impact: f64) -> String {
    thousands(land_impact.max(0.0) as u64)
}

fn heading(view: &FixView) -> String {
    let place = view.region.as_ref().map_or_else(|| clean(&view.head.file), |region| clean(region));
    let capacity = view.capacity.map_or(String::new(), |capacity| {
        format!(" of {} ({:.0} %)", impact(capacity), 100.0 * view.land_impact / capacity)
    });
    let objects = counted(view.objects as u64, "object");
    format!("{place}: {objects}, land impact {}{capacity}\n\n", impact(view.land_impact))
}

fn action_text(number: usize, action: &ActionLine) -> String {
    let title = cut(&clean(&action.title()), NAME);
    let edits = counted(action.edits as u64, "edit");
    let head = match action.land_impact() {
        Some([before, after]) => {
            format!("{number}. {title}: land impact {} → {} by {edits}", impact(before), impact(after))
        }
        None => format!("{number}. {title}: {}", severity_and_code(action)),
    };
    let mut text = wrap(&head, "", "   ", WIDTH);
    text += &wrap(&clean(&action.action), "   ", "   ", WIDTH);
    text += &wrap(&action.effect, "   ", "   ", WIDTH);
    if !action.address().is_empty() {
        let _ = writeln!(text, "   {}", clean(action.address()));
    }
    let sums = action.land_impact_sum_after.zip(action.percent_of_capacity_after);
    if let Some((sum, percent)) = sums.filter(|_| action.land_impact().is_some()) {
        let _ = writeln!(text, "   The region then has {} ({percent:.0} %).", impact(sum));
    }
    text.push('\n');
    text
}

/// Returns the severity and rule of the finding that a repair resolves.
fn severity_and_code(action: &ActionLine) -> String {
    let words = [action.severity.map(|it| it.to_string()), action.code.map(|it| it.to_string())];
    words.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

fn summary(view: &FixView) -> String {
    let savings = || view.actions.iter().filter(|action| action.land_impact().is_some());
    let count: usize = savings().map(|action| action.edits).sum();
    let edits = counted(count as u64, "edit");
    let after = impact(view.land_impact_after);
    match (view.goal, view.reached) {
        _ if savings().next().is_none() && view.reached != Some(true) => {
            "No edit is known to lower the land impact.".into()
        }
        (Some(goal), Some(true)) if view.actions.is_empty() => {
            format!("The land impact is within the goal of {} already.", impact(goal))
        }
        (Some(goal), Some(true)) => {
            let verb = if count == 1 { "lowers" } else { "lower" };
            format!("{edits} {verb} the land impact to {after}; the goal is {}.", impact(goal))
        }
        (Some(goal), _) => format!(
            "The goal of {} is NOT reached: all known edits ({edits}) lower the land impact to {after}. {} more must \
             go, for example by removing objects.",
            impact(goal),
            impact(view.land_impact_after - goal)
        ),
        (None, _) => format!("These edits lower the land impact to {after} ({edits})."),
    }
}

fn weights(object: &ObjectWeights) -> String {
    let mut text = format!("{}, {}\n", clean(&object.name), counted(object.prims as u64, "prim"));
    let mark = |label: &str| {
        if object.governing.is_some_and(|governing| label.starts_with(governing)) {
            "← determines land impact"
        } else {
            ""
        }
    };
    let rows: Vec<Vec<String>> = object
        .weights
        .0
        .iter()
        .map(|figure| vec![figure.label.into(), number(figure.cost), mark(figure.label).into()])
        .collect();
    text += &columns(&[Align::Left, Align::Right, Align::Left], &rows);
    for mesh in &object.meshes {
        text += &levels(mesh);
    }
    if !object.alternatives.is_empty() {
        text += "\nAlternatives\n";
        for alternative in &object.alternatives {
            let [before, after] = &alternative.figures.0[..] else { continue };
            let [now, then] = [before, after].map(|figure| number(figure.cost));
            let _ = writeln!(text, "  {}: {} {now} → {then}", alternative.change, before.label);
        }
    }
    text.push('\n');
    text
}

fn levels(mesh: &MeshLevels) -> String {
    let cost = mesh.cost.0.first().map_or_else(String::new, |figure| number(figure.cost));
    let mut text = format!("\nDownload weight of link {}: {cost}\n", mesh.link_number);
    let mut rows = vec![["level", "triangles", "shown from", "share"].map(String::from).to_vec()];
    rows.extend(mesh.levels.iter().rev().map(|level| {
        vec![
            level.level.into(),
            thousands(level.triangles.round() as u64),
            format!("{} m", plain((level.from_m * 10.0).round() / 10.0)),
            format!("{:.0} %", 100.0 * level.share),
        ]
    }));
    text += &columns(&[Align::Left, Align::Right, Align::Right, Align::Right], &rows);
    text
}
