//! OWN: to whom things belong, and what may be done with them.

use super::abridged;
use crate::{
    facts::{ObjectFacts, Role},
    finding::{Code, Finding},
    format::object::Part,
    join::Case,
};

/// Permission to copy.
const COPY: u32 = 0x8000;

/// Permission to give away.
const TRANSFER: u32 = 0x2000;

/// Objects in which a part was made by somebody else who did not allow its owner to copy or to give it away. The
/// base mask counts: nobody can ever have more.
pub(super) fn own002_not_free_content_of_others(case: &Case<'_>, findings: &mut Vec<Finding>) {
    let bound = |part: &Part| {
        let masks = part.permissions.is_some_and(|masks| masks.base & (COPY | TRANSFER) != COPY | TRANSFER);
        masks && part.owner != part.creator
    };
    let objects = case.ledger.objects.iter().filter(|object| object.linkset.parts.iter().any(bound));
    report(Code::OWN002, objects, findings);
}

/// Objects in a region that belong to nobody.
pub(super) fn own003_without_owner(case: &Case<'_>, findings: &mut Vec<Finding>) {
    let rezzed = case.ledger.objects.iter().filter(|object| object.role == Role::Rezzed);
    let ownerless =
        rezzed.filter(|object| object.linkset.parts.first().is_some_and(|root| root.owner.is_nil()));
    report(Code::OWN003, ownerless, findings);
}

/// One finding for all these objects, which names the first; at its place where there is but one.
fn report<'a>(code: Code, objects: impl Iterator<Item = &'a ObjectFacts>, findings: &mut Vec<Finding>) {
    let objects: Vec<&ObjectFacts> = objects.collect();
    let name = |object: &&ObjectFacts| {
        let root = object.linkset.parts.first()?;
        Some(format!("\"{}\" ({})", root.name, root.uuid))
    };
    let names: Vec<String> = objects.iter().filter_map(name).collect();
    let finding = match objects.as_slice() {
        [] => return,
        [only] => super::link::at(only, code),
        _ => Finding::new(code),
    };
    findings.push(finding.measured(objects.len() as f64).detail(abridged(&names)));
}
