//! Assets that objects refer to and the export lacks: AST001, OBJ009.

use crate::{
    facts::{ObjectFacts, Status},
    finding::{Code, Finding},
    format::object::Part,
    join::Case,
};
use std::collections::{BTreeMap, HashSet};
use uuid::Uuid;

/// `Type` of an item that is an object.
const OBJECT: i32 = 6;

/// A mesh or a sculpt map that is not in the export. Viewers bring some textures along, and a sculpt may use one
/// of those: it is not in the export all the same, so it is named here too.
pub(super) fn ast001_form_missing(case: &Case<'_>, findings: &mut Vec<Finding>) {
    // What was not read to its end may hold it; that the cost is not evaluated is said anyway.
    if case.ledger.status != Status::Complete {
        return;
    }
    let used = parts(case).filter_map(|(object, part)| Some((object, part, part.mesh()?)));
    report(Code::AST001, "", used.filter(|(.., asset)| case.assets.mesh(*asset).is_none()), findings);
    let used = parts(case).filter_map(|(object, part)| Some((object, part, part.sculpt_map()?)));
    report(
        Code::AST001,
        "sculpt map ",
        used.filter(|(.., asset)| case.assets.sculpt(*asset).is_none()),
        findings,
    );
}

/// An object in contents whose asset is not in the export: what was inside is lost.
pub(super) fn obj009_nested_object_missing(case: &Case<'_>, findings: &mut Vec<Finding>) {
    // An export without assets proves nothing of a single one, and neither does one that was not read to its end.
    let no_assets = case.ledger.container.assets.is_empty() && !case.assets.has_stores();
    if no_assets || case.ledger.status != Status::Complete {
        return;
    }
    let objects = case.ledger.assets.iter().filter(|asset| asset.suffix.as_deref() == Some("_object.xml"));
    let present: HashSet<Uuid> = objects.filter_map(|asset| asset.uuid).collect();
    let used = parts(case).flat_map(|(object, part)| {
        let objects = part.inventory.iter().filter(|item| item.asset_type == OBJECT && !item.asset.is_nil());
        objects.map(move |item| (object, part, item.asset))
    });
    report(
        Code::OBJ009,
        "",
        used.filter(|(.., asset)| !present.contains(asset) && !case.assets.in_stores(*asset)),
        findings,
    );
}

fn parts<'a>(case: &Case<'a>) -> impl Iterator<Item = (&'a ObjectFacts, &'a Part)> {
    case.ledger.objects.iter().flat_map(|object| object.linkset.parts.iter().map(move |part| (object, part)))
}

/// One finding for each missing asset, with a word for what it is, at the first part that uses it.
fn report<'a>(
    code: Code,
    what: &str,
    missing: impl Iterator<Item = (&'a ObjectFacts, &'a Part, Uuid)>,
    findings: &mut Vec<Finding>,
) {
    let mut assets: BTreeMap<Uuid, (Finding, u32)> = BTreeMap::new();
    for (object, part, asset) in missing {
        let (_, count) = assets.entry(asset).or_insert_with(|| {
            let mut finding = Finding::new(code).entry(&object.entry);
            finding.place.object = object.linkset.parts.first().map(|root| root.uuid);
            finding.place.part = Some(part.uuid);
            finding.place.link_number = Some(part.link_number);
            finding.place.asset = Some(asset);
            (finding, 0)
        });
        *count += 1;
    }
    findings.extend(assets.into_iter().map(|(asset, (finding, count))| {
        let uses = if count == 1 { "once".to_owned() } else { format!("{count} times") };
        finding.measured(count).detail(format!("{what}{asset}, used {uses}"))
    }));
}
