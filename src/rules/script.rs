//! SCR: scripts, as far as their text tells.

use super::abridged;
use crate::{
    facts::{AssetFacts, Content, ObjectFacts, Role},
    finding::{Code, Finding},
    format::text::{Language, Script},
    join::Case,
    ossl,
    profile::ScriptEngine,
};
use std::collections::BTreeSet;
use uuid::Uuid;

/// Regions with more scripts than the target's budget; those with the most are named.
pub(super) fn scr001_many_scripts(case: &Case<'_>, findings: &mut Vec<Finding>) {
    let limit = case.profile.scripts.max_per_region;
    for (number, (facts, region)) in case.ledger.regions.iter().zip(&case.regions).enumerate() {
        if region.total.scripts <= u64::from(limit) {
            continue;
        }
        let here =
            |object: &&ObjectFacts| object.role == Role::Rezzed && object.region == Some(number as u32);
        let mut objects: Vec<(usize, &str)> = case.ledger.objects.iter().filter(here).map(scripts).collect();
        objects.retain(|(scripts, _)| *scripts > 0);
        objects.sort_by(|(a, m), (b, n)| b.cmp(a).then(m.cmp(n)));
        let named: Vec<String> =
            objects.iter().map(|(scripts, name)| format!("\"{name}\" ({scripts})")).collect();
        let finding = Finding::new(Code::SCR001).entry(&facts.folder).measured(region.total.scripts as f64);
        findings.push(finding.limit(limit).detail(format!(
            "region \"{}\": {}",
            facts.name,
            abridged(&named)
        )));
    }
}

fn scripts(object: &ObjectFacts) -> (usize, &str) {
    let parts = &object.linkset.parts;
    let count = parts.iter().map(|part| part.scripts().count()).sum();
    (count, parts.first().map_or("", |root| root.name.as_str()))
}

/// A script in a language that the target's engine does not compile.
pub(super) fn scr002_other_language(case: &Case<'_>, findings: &mut Vec<Finding>) {
    if case.profile.scripts.engine == ScriptEngine::Xengine {
        return;
    }
    for (asset, script) in texts(case) {
        let language = match &script.language {
            Language::Lsl | Language::MiniRegionModule => continue,
            Language::CSharp => "C#",
            Language::VisualBasic => "Visual Basic",
            Language::Other(name) => name,
        };
        findings.push(at(case, asset, Code::SCR002).detail(language));
    }
}

/// A script that calls functions which the target does not have, or whose threat level is over the one that it
/// allows.
pub(super) fn scr003_refused_functions(case: &Case<'_>, findings: &mut Vec<Finding>) {
    let target = &case.profile.scripts;
    for (asset, script) in texts(case) {
        let calls =
            script.code.iter().flat_map(|code| code.calls.keys()).filter(|name| name.starts_with("os"));
        let refused: Vec<String> = calls
            .filter_map(|name| match (target.engine, ossl::threat_of(name)) {
                (ScriptEngine::SecondLife, _) => Some(name.clone()),
                (_, Some(threat)) if threat > target.ossl_threat => {
                    Some(format!("{name} ({})", threat.name()))
                }
                _ => None,
            })
            .collect();
        if !refused.is_empty() {
            findings.push(
                at(case, asset, Code::SCR003).measured(refused.len() as f64).detail(abridged(&refused)),
            );
        }
    }
}

/// A script that names hosts, or objects of this export: those get other UUIDs when they are loaded.
pub(super) fn scr004_fixed_addresses(case: &Case<'_>, findings: &mut Vec<Finding>) {
    let parts = case.ledger.objects.iter().flat_map(|object| &object.linkset.parts);
    let parts: BTreeSet<Uuid> = parts.map(|part| part.uuid).collect();
    for (asset, script) in texts(case) {
        let Some(code) = &script.code else { continue };
        let objects =
            code.uuids.iter().filter(|uuid| parts.contains(uuid)).map(|uuid| format!("object {uuid}"));
        let named: Vec<String> = objects.chain(code.hosts.iter().cloned()).collect();
        if !named.is_empty() {
            findings
                .push(at(case, asset, Code::SCR004).measured(named.len() as f64).detail(abridged(&named)));
        }
    }
}

/// Every script that is text.
fn texts<'a>(case: &Case<'a>) -> impl Iterator<Item = (&'a AssetFacts, &'a Script)> {
    case.ledger.assets.iter().filter_map(|asset| match &asset.content {
        Content::Text(text) => Some((asset, text.script.as_ref()?)),
        _ => None,
    })
}

/// A finding about a script, at the first object that holds it.
fn at(case: &Case<'_>, asset: &AssetFacts, code: Code) -> Finding {
    let mut finding = Finding::new(code).entry(&asset.entry);
    if let Some(used) = asset.uuid.and_then(|uuid| case.uses.get(&uuid)) {
        finding.place = used.first.place();
    }
    finding.place.asset = asset.uuid;
    finding
}
