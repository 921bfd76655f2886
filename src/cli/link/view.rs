//! The view as plain data. Text and JSON are written from it.

use super::{
    Rule,
    rules::{self, Answer, Measures},
    select::{Label, Object, Selection},
};
use crate::cli::Settings;
use hullmark_analysis::linkability::{current::Verdict, split::Plan};
use hullmark_finding::{Code, Finding, Severity};
use hullmark_ledger::facts::{Role, Status};
use hullmark_rules::catalogue;
use hullmark_settings::profile::Grid;
use hullmark_util::terminal_text::clean;
use serde::Serialize;
use std::collections::BTreeSet;
use uuid::Uuid;

/// Everything that is shown. The field names here and below are stable.
#[derive(Debug, Serialize)]
pub(super) struct LinkView {
    /// Name of the target grid's profile.
    pub(super) profile: String,
    pub(super) profile_description: String,
    /// The worst status of the files.
    pub(super) status: Status,
    /// `current`, `havok4` or `havok1`.
    pub(super) rule: &'static str,
    /// The objects: first the object of the root.
    pub(super) objects: Vec<Object>,
    /// Number of prims of all objects.
    pub(super) prims: usize,
    pub(super) root: Option<Label>,
    /// The verdict, as in the reports: `linkable`, `not_linkable`, `not_evaluated`, `at_the_limit` or `no_rule`. For
    /// Havok 1 it is `fits`, `grey`, `exceeds` or `not_evaluated`.
    pub(super) verdict: &'static str,
    /// Whether the prims can be linked. `None` if the rule does not decide this.
    pub(super) linkable: Option<bool>,
    /// Severity of an equal linkset in an audit. `None` without a finding.
    pub(super) severity: Option<Severity>,
    /// The reasons, as sentences.
    pub(super) reasons: Vec<String>,
    /// Other reasons that may prevent linking, as sentences.
    pub(super) remarks: Vec<String>,
    pub(super) measures: Measures,
    /// Whether a plan was requested but none exists.
    #[serde(skip)]
    pub(super) no_plan: bool,
    /// The plan for splitting. `None` if it was not requested, if the prims pass, or if no plan exists.
    pub(super) split: Option<SplitView>,
}

#[derive(Debug, Serialize)]
pub(super) struct PieceView {
    /// The size by the rule, metres: diameter of its sphere, or longest side of its box.
    pub(super) size_m: f64,
    /// Number of prims.
    pub(super) count: usize,
    /// The prims, in link order.
    pub(super) prims: Vec<Label>,
}

/// A plan that splits prims into linksets that all pass.
#[derive(Debug, Serialize)]
pub(super) struct SplitView {
    /// No plan has fewer linksets than this.
    pub(super) at_least: usize,
    /// Whether no plan has fewer linksets than this one.
    pub(super) fewest: bool,
    /// No plan with the same number of linksets has more prims in the linkset of the root.
    pub(super) root_at_most: usize,
    /// Whether no plan with the same number of linksets has more prims in the linkset of the root.
    pub(super) root_largest: bool,
    /// The linksets: first the linkset of the root.
    pub(super) linksets: Vec<PieceView>,
}

impl LinkView {
    pub(super) fn new(selection: &Selection, rule: Rule, split: bool, settings: &Settings) -> Self {
        let Answer { mut verdict, mut linkable, mut severity, mut reasons, measures } =
            rules::ask(selection, rule, settings);
        if let Some(refusal) = group_owned_root(&selection.objects, rule, settings) {
            (verdict, linkable) = (Verdict::NotLinkable.name(), Some(false));
            severity = severity.max(settings.severity(Code::LNK001));
            reasons.insert(0, refusal);
        }
        if let Some(fault) = selection.faults.first() {
            // Missing prims cannot make the others linkable. With them, linkable prims may still be too far apart.
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
    pub(super) fn named<'p>(&self, prims: impl IntoIterator<Item = &'p usize>) -> Vec<Label> {
        prims.into_iter().map(|&prim| self.labels[prim].clone()).collect()
    }

    /// Returns the view of prims that form one linkset of this size.
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

/// Returns why OpenSim links nothing to the root; `None` if its owner is no reason.
fn group_owned_root(objects: &[Object], rule: Rule, settings: &Settings) -> Option<String> {
    let is_asked = rule == Rule::Current && settings.profile.limits() == Grid::OpenSim && objects.len() > 1;
    let root = objects.first().filter(|root| is_asked && root.group_owned)?;
    Some(format!(
        "\"{}\" would be the root, and it belongs to a group: OpenSim links nothing to it, without a message. Make another \
         object the root (--root), or take it back from the group.",
        clean(&root.name)
    ))
}

/// Formats a note that objects were not read.
fn lost(fault: &Finding, count: usize) -> String {
    let more = if count > 1 { format!(" Further findings like it: {}.", count - 1) } else { String::new() };
    format!(
        "Not everything could be read, so a prim may be elsewhere or missing. {}: {}.{more} `hullmark audit` lists all.",
        clean(&fault.place.entry),
        clean(&catalogue::message(fault))
    )
}

/// Returns the other conditions of a viewer, as far as an export contains them.
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
