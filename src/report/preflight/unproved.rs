//! Checks that could have found a loss, and were not evaluated: without them a verdict is no GO.

use crate::ReportedFindings;
use hullmark_finding::Code;
use hullmark_rules::{
    SkipReason,
    catalogue::{self, Effect},
};

/// Rules whose subject arrives, but cannot be used without content that is lost.
const ABOUT_USES: [Code; 2] = [Code::AST001, Code::AST004];

/// Returns the checks of an input that may hide a loss or a blocker, with their reasons and numbers of subjects.
pub(super) fn unproved(reported: &ReportedFindings<'_>) -> Vec<(Code, SkipReason, u64)> {
    // A finding of its own says that the archive has no assets.
    let is_told = reported.findings.iter().any(|row| row.finding.code == Code::ARC009);
    let mut unproved = Vec::new();
    for check in reported.checks.iter().filter(|check| shows_losses(check.code)) {
        let reasons = check.not_evaluated.iter().filter(|(reason, _)| hides(**reason));
        let reasons = reasons.filter(|(reason, _)| !is_told || **reason != SkipReason::NoAssets);
        unproved.extend(reasons.map(|(&reason, &count)| (check.code, reason, count)));
    }
    unproved
}

fn shows_losses(code: Code) -> bool {
    matches!(catalogue::rule(code).effect, Effect::Stops | Effect::Loses) || ABOUT_USES.contains(&code)
}

/// Whether content may be lost without a finding. Damaged and missing content has one.
fn hides(reason: SkipReason) -> bool {
    !reason.is_choice()
        && !matches!(reason, SkipReason::Damaged | SkipReason::BodyUnknown | SkipReason::CostUnknown)
}
