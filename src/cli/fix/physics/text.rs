//! The view as text, at most 100 characters wide.

use super::view::{ChangeView, CoarserView, ObjectView, PhysicsView, SubstituteView};
use crate::cli::terminal::{Align, columns, folded, words};
use hullmark_analysis::actions::decimals;
use hullmark_finding::Severity;
use hullmark_ledger::facts::Status;
use hullmark_report::figures::{Figures, number};
use hullmark_util::terminal_text::{WIDTH, clean, counted, cut, thousands, wrap};
use std::fmt::Write as _;

/// Maximum number of listed changes and meshes of an object, unless all are requested.
const ROWS: usize = 40;
/// Maximum length of a part's name.
const NAME: usize = 18;

/// Formats the whole view. `all` prints shortened lists completely.
pub(super) fn text(view: &PhysicsView, all: bool) -> String {
    let mut text = String::new();
    for object in &view.objects {
        text += &object_text(object, view, all);
        text.push('\n');
    }
    text += &wrap(&summary(view), "", "", WIDTH);
    if view.head.worst_severity == Some(Severity::Blocker) {
        text += &wrap(
            "The file has blockers: list them with `hullmark audit`. Objects that could not be read are not counted here.",
            "",
            "",
            WIDTH,
        );
    }
    if view.head.status != Status::Complete {
        let _ = writeln!(text, "{} was NOT READ TO ITS END.", clean(&view.head.file));
    }
    let _ = writeln!(text, "\nEvaluated for {}: {}", view.head.profile, view.head.profile_description);
    text
}

fn summary(view: &PhysicsView) -> String {
    let (read, over) = (view.objects_read as u64, view.objects.len());
    let mut text = format!(
        "{} read; above the budget of {}: {over}, under it after the changes: {}.",
        counted(read, "object"),
        decimals(view.budget),
        view.objects_reached
    );
    if view.objects_not_evaluated > 0 {
        let _ = write!(
            text,
            " Possibly above it, because a cost is unknown: {}.",
            thousands(view.objects_not_evaluated as u64)
        );
    }
    if !view.allow_none && view.objects_reached < over {
        text += " To allow the physics shape None, add --allow-none.";
    }
    text
}

fn cost(figures: &Figures, name: &str) -> String {
    figures.cost(name).map_or_else(|| "–".into(), number)
}

fn object_text(object: &ObjectView, view: &PhysicsView, all: bool) -> String {
    let name = object.name.as_deref().unwrap_or("without parts");
    let mut text = wrap(&format!("Object {}", clean(name)), "", "  ", WIDTH);
    text += &wrap(&clean(&object.entry), "  in ", "     ", WIDTH);
    let physical = if object.physical { "physical" } else { "not physical" };
    let (before, after) = (cost(&object.costs, "physics_cost"), cost(&object.costs, "physics_cost_after"));
    text += &wrap(
        &format!(
            "physics weight (physics cost) {before}, budget {}; {}; {physical}",
            decimals(view.budget),
            counted(object.parts as u64, "prim")
        ),
        "  ",
        "  ",
        WIDTH,
    );
    text += &changes(&object.changes, all);
    text += &wrap(&verdict(object, &after), "  ", "  ", WIDTH);
    text += &substitutes(object, all);
    text + &coarser(object, all)
}

/// The prims to replace by invisible ones.
fn substitutes(object: &ObjectView, all: bool) -> String {
    if object.substitutes.is_empty() {
        return String::new();
    }
    let after = cost(&object.costs, "physics_cost_after_substitutes");
    let prims = counted(object.substitutes.len() as u64, "prim");
    let enough = format!(
        "Enough: set {prims} to None, and link an invisible box or cylinder of the same size in the place of each. \
         After that: {after}."
    );
    let mut text = wrap(&enough, "  ", "  ", WIDTH);
    let shown = if all { object.substitutes.len() } else { object.substitutes.len().min(ROWS) };
    for SubstituteView { link_number, name, costs, .. } in &object.substitutes[..shown] {
        let (before, after) = (cost(costs, "cost_before"), cost(costs, "cost_after"));
        let _ = writeln!(text, "    link {link_number}  {}  {before} → {after}", cut(&clean(name), NAME));
    }
    if shown < object.substitutes.len() {
        let _ = writeln!(text, "    and {} more (--all)", object.substitutes.len() - shown);
    }
    text
}

fn verdict(object: &ObjectView, after: &str) -> String {
    let count = counted(object.changes.len() as u64, "change");
    let alone = if object.coarser_meshes.is_empty() {
        " Simplifying a single physics mesh is not enough either."
    } else {
        ""
    };
    let short = format!("{} above the budget.{alone}", decimals(object.still_over));
    let mut text = match (object.changes.is_empty(), object.reached) {
        (true, _) => format!("NOT ENOUGH: no change lowers it; {short}"),
        (_, true) => format!("After {count}: {after}. Fewer changes are not enough."),
        (_, false) => format!("NOT ENOUGH: after {count} {after}, the lowest possible; {short}"),
    };
    if object.unevaluated_parts > 0 {
        let _ = write!(
            text,
            " The unknown cost of {} is not included.",
            counted(object.unevaluated_parts.into(), "prim")
        );
    }
    text
}

fn changes(changes: &[ChangeView], all: bool) -> String {
    use Align::{Left, Right};
    let shown = if all { changes.len() } else { changes.len().min(ROWS) };
    let rows = changes[..shown].iter().map(|change| {
        vec![
            format!("  link {}", change.link_number),
            cut(&clean(&change.name), NAME),
            format!("to {}", change.title),
            cost(&change.costs, "cost_before"),
            "→".into(),
            cost(&change.costs, "cost_after"),
            format!("saves {:.3}", change.saving),
            format!("({})", words(change.representation)),
        ]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    columns(&[Left, Left, Left, Right, Left, Right, Left, Left], &rows)
        + &folded(changes.len() - shown, "    ")
}

/// Formats the advice about physics meshes.
fn coarser(object: &ObjectView, all: bool) -> String {
    let meshes = &object.coarser_meshes;
    if meshes.is_empty() {
        return String::new();
    }
    let shown = if all { meshes.len() } else { meshes.len().min(ROWS) };
    let when = if object.reached { "Instead of these changes" } else { "After these changes" };
    let mut text = wrap(
        &format!("{when}, one of these meshes with a simpler physics mesh, uploaded again, is enough:"),
        "  ",
        "  ",
        WIDTH,
    );
    for mesh in &meshes[..shown] {
        text += &wrap(&coarser_words(mesh), "    ", "      ", WIDTH);
    }
    text + &folded(meshes.len() - shown, "    ")
}

fn coarser_words(mesh: &CoarserView) -> String {
    let now = format!(
        "mesh {} (link {} \"{}\"{}): {}, on average {} m wide;",
        mesh.mesh_uuid,
        mesh.link_numbers.first().copied().unwrap_or_default(),
        cut(&clean(&mesh.name), NAME),
        if mesh.link_numbers.len() > 1 {
            format!(" and {} more", mesh.link_numbers.len() - 1)
        } else {
            String::new()
        },
        counted(mesh.triangles, "triangle"),
        decimals(mesh.mean_width_m),
    );
    let fewer = mesh
        .triangles_at_most
        .map(|count| format!("at most {} of at least that width", counted(count, "triangle")));
    let wider = mesh.mean_width_at_least_m.map(|width| format!("the same number with {} m", decimals(width)));
    let needs: Vec<String> = [fewer, wider].into_iter().flatten().collect();
    format!("{now} needs {}", needs.join(", or "))
}
