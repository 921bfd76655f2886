//! What is shown, as plain data: the one thing that text and JSON are written from.

use super::{
    Rule,
    rules::{self, Answer, Measures},
    select::{Label, Object, Selection},
};
use crate::{
    analysis::linkability::split::Plan,
    cli::Settings,
    finding::{Finding, Severity},
    ledger::facts::{Role, Status},
    rules::catalogue,
    util::terminal_text::clean,
};
use serde::Serialize;
use std::collections::BTreeSet;
use uuid::Uuid;

/// Everything that is shown. Its field names are a promise, as are those of everything below it.
#[derive(Debug, Serialize)]
pub(super) struct View {
    /// Name of the target grid's profile.
    pub(super) profile: String,
    /// What that is, for people.
    pub(super) profile_description: String,
    /// How far the files were read: the worst of them.
    pub(super) status: Status,
    /// `current`, `havok4` or `havok1`.
    pub(super) rule: &'static str,
    /// The objects, that of the root first.
    pub(super) objects: Vec<Object>,
    /// Their prims together.
    pub(super) prims: usize,
    /// The prim that would be the root.
    pub(super) root: Option<Label>,
    /// As in the reports: `linkable`, `not_linkable`, `not_evaluated`, `at_the_limit` or `no_rule`; for Havok1 `fits`,
    /// `grey`, `exceeds` or `not_evaluated`.
    pub(super) verdict: &'static str,
    /// Yes or no, where the rule knows.
    pub(super) linkable: Option<bool>,
    /// How bad an audit finds a linkset like it.
    pub(super) severity: Option<Severity>,
    /// Why, as whole sentences.
    pub(super) reasons: Vec<String>,
    /// What may prevent it apart from the rule, in sentences.
    pub(super) remarks: Vec<String>,
    /// The numbers that the rule looks at.
    pub(super) measures: Measures,
    /// Whether a plan was requested but none exists.
    #[serde(skip)]
    pub(super) no_plan: bool,
    /// How to split them; null if not requested, if they pass, or if no plan exists.
    pub(super) split: Option<SplitView>,
}

/// Prims that would be one linkset.
#[derive(Debug, Serialize)]
pub(super) struct PieceView {
    /// Its size as the rule has it: diameter of its sphere, or longest side of its box.
    pub(super) size_m: f64,
    /// How many prims.
    pub(super) count: usize,
    /// The prims, in link order.
    pub(super) prims: Vec<Label>,
}

/// How to split prims into linksets that all pass.
#[derive(Debug, Serialize)]
pub(super) struct SplitView {
    /// No plan has fewer linksets than this.
    pub(super) at_least: usize,
    /// Whether no plan has fewer linksets than this one.
    pub(super) fewest: bool,
    /// No plan with as many linksets has more prims in the root's.
    pub(super) root_at_most: usize,
    /// Whether no plan with as many linksets has more prims in the root's.
    pub(super) root_largest: bool,
    /// The linksets, the root's first.
    pub(super) linksets: Vec<PieceView>,
}

impl View {
    /// Asks the rule.
    pub(super) fn new(selection: &Selection, rule: Rule, split: bool, settings: &Settings) -> Self {
        let Answer { mut verdict, mut linkable, mut severity, mut reasons, measures } =
            rules::ask(selection, rule, settings);
        if let Some(fault) = selection.faults.first() {
            // Prims too far apart without the lost ones stay so with them; the reverse is unknown.
            if linkable != Some(false) {
                (verdict, linkable) = ("not_evaluated", None);
            }
            reasons.insert(0, lost(fault, selection.faults.len()));
            let worst = selection.faults.iter().filter_map(|fault| settings.severity(fault.code)).max();
            severity = severity.max(worst);
        }
        let asked = split && linkable != Some(true);
        let plan = if asked { rules::split(selection, rule, settings) } else { None };
        Self {
            profile: settings.config.profile.clone(),
            profile_description: settings.profile.description.clone(),
            status: selection.status,
            rule: rule.name(),
            objects: selection.objects.clone(),
            prims: selection.prims.len(),
            root: selection.labels.first().cloned(),
            verdict,
            linkable,
            severity,
            reasons,
            remarks: selection.left_out.iter().cloned().chain(remarks(&selection.objects)).collect(),
            no_plan: asked && plan.is_none() && rule != Rule::Havok4,
            measures,
            split: plan.map(|plan| SplitView::new(selection, &plan)),
        }
    }
}

impl Selection {
    /// The prims with these indices.
    pub(super) fn named<'p>(&self, prims: impl IntoIterator<Item = &'p usize>) -> Vec<Label> {
        prims.into_iter().map(|&prim| self.labels[prim].clone()).collect()
    }

    /// Prims that would be one linkset of this size.
    pub(super) fn piece(&self, prims: &[usize], size_m: f64) -> PieceView {
        PieceView { size_m, count: prims.len(), prims: self.named(prims) }
    }
}

impl SplitView {
    fn new(selection: &Selection, plan: &Plan) -> Self {
        Self {
            at_least: plan.at_least,
            fewest: plan.fewest(),
            root_at_most: plan.root_at_most,
            root_largest: plan.root_largest(),
            linksets: plan.pieces.iter().map(|piece| selection.piece(&piece.prims, piece.size_m)).collect(),
        }
    }
}

/// A note that something was not read.
fn lost(fault: &Finding, count: usize) -> String {
    let more = if count > 1 { format!(" Further findings like it: {}.", count - 1) } else { String::new() };
    format!(
        "Not everything could be read, so a prim may be elsewhere or missing. {}: {}.{more} `hullmark audit` lists all.",
        clean(&fault.place.entry),
        clean(&catalogue::message(fault))
    )
}

/// What a viewer looks at before it asks the rule, as far as exports tell.
fn remarks(objects: &[Object]) -> Vec<String> {
    let mut remarks = Vec::new();
    let owners: BTreeSet<Uuid> = objects.iter().map(|object| object.owner_uuid).collect();
    if owners.len() > 1 {
        remarks.push(format!(
            "The objects have {} owners: a viewer links only objects of one owner.",
            owners.len()
        ));
    }
    let places: BTreeSet<_> = objects.iter().map(|object| (&object.file, &object.region)).collect();
    if places.len() > 1 {
        remarks.push(format!(
            "The objects are from {} regions or files: their positions are used as if all were in one region.",
            places.len()
        ));
    }
    if objects.iter().any(|object| object.role == Role::Nested) {
        remarks.push(
            "Some objects are from an inventory: their positions are those at which they were taken.".into(),
        );
    }
    if objects.iter().any(|object| object.attachment) {
        remarks.push(
            "Some objects are marked as attachments: their positions may be relative to an avatar.".into(),
        );
    }
    remarks
}
