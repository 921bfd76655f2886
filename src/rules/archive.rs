//! ARC: the container. RUN007: what was not audited.

use crate::{
    facts::{Role, Status},
    finding::{Code, Finding},
    join::Case,
};

/// Whether the input is an archive, packed or not, as opposed to loose files.
fn is_archive(case: &Case<'_>) -> bool {
    ["oar", "iar"].iter().any(|kind| case.ledger.kind.starts_with(kind))
}

/// OpenSim looks for `archive.xml` and refuses an archive without one ("Control file not found").
pub(super) fn arc003_control_missing(case: &Case<'_>, findings: &mut Vec<Finding>) {
    // In an archive that was not read to its end the file may stand in the part that is lost.
    if is_archive(case) && case.ledger.status == Status::Complete && case.ledger.container.control.is_none() {
        let detail = format!("none of the {} entries is one", case.ledger.container.entries);
        findings.push(Finding::new(Code::ARC003).detail(detail));
    }
}

/// OpenSim reads the archive again from its start when the control file comes late.
pub(super) fn arc005_control_not_first(case: &Case<'_>, findings: &mut Vec<Finding>) {
    let container = &case.ledger.container;
    if container.control_not_first && container.control.is_some() {
        let finding = Finding::new(Code::ARC005).entry("archive.xml");
        findings.push(finding.detail("OpenSim loads it after a second reading"));
    }
}

/// Without assets nothing can be proved of what objects refer to.
pub(super) fn arc009_no_assets(case: &Case<'_>, findings: &mut Vec<Finding>) {
    let container = &case.ledger.container;
    let stated = container.control.as_ref().and_then(|control| control.assets_included);
    let has_objects = case.ledger.objects.iter().any(|object| object.role == Role::Rezzed);
    if !is_archive(case) || !container.assets.is_empty() {
        return;
    }
    let detail = match stated {
        Some(false) => "archive.xml says that none are included",
        _ if has_objects => "archive.xml does not say so, and there are none",
        _ => return,
    };
    findings.push(Finding::new(Code::ARC009).detail(detail));
}

/// A file of a kind that is not known is counted and named.
pub(super) fn run007_unknown_file(case: &Case<'_>, findings: &mut Vec<Finding>) {
    findings.extend(case.ledger.unknown.iter().map(|file| {
        Finding::new(Code::RUN007).entry(&file.entry).detail(&file.looks_like).measured(file.bytes as f64)
    }));
}
