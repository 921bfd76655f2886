//! SCR: scripts, by their source text.

use super::{asset::why_unread, link::at as at_object, reference::unproved};
use crate::{RuleOutcomes, SkipReason, abridged, first_of};
use hullmark_analysis::Measured;
use hullmark_finding::{Code, Finding};
use hullmark_format::{
    object::Part,
    text::{Language, Script},
};
use hullmark_ledger::facts::{AssetFacts, Content, ObjectFacts, Role};
use hullmark_settings::{ossl, profile::ScriptEngine};
use hullmark_util::number_text::counted;
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

/// Objects with too many scripts. Objects in inventories run none.
pub(crate) fn scr006_many_scripts_in_an_object(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    let most = measured.profile.scripts.max_per_object;
    for object in measured.ledger.objects.iter().filter(|object| object.role != Role::Nested) {
        let (count, name) = scripts(object);
        if count > most as usize {
            let finding = at_object(object, Code::SCR006).measured(count as f64).limit(most);
            verdicts.push(finding.detail(format!("object \"{name}\"")));
        }
    }
}

/// Regions with more scripts than the target's budget. The finding names the objects with the most.
pub(crate) fn scr001_many_scripts(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    let limit = measured.profile.scripts.max_per_region;
    for (facts, region) in measured.ledger.regions.iter().zip(&measured.regions) {
        if region.total.scripts <= u64::from(limit) {
            continue;
        }
        let here = region.standing.iter().map(|&number| &measured.ledger.objects[number]);
        let mut objects: Vec<(usize, &str)> = here.map(scripts).collect();
        objects.retain(|(scripts, _)| *scripts > 0);
        objects.sort_by(|(a, m), (b, n)| b.cmp(a).then(m.cmp(n)));
        let named: Vec<String> =
            objects.iter().map(|(scripts, name)| format!("\"{name}\" ({scripts})")).collect();
        let finding = Finding::new(Code::SCR001).entry(&facts.folder).measured(region.total.scripts as f64);
        verdicts.push(finding.limit(limit).detail(format!(
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
pub(crate) fn scr002_other_language(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    if measured.profile.scripts.engine == ScriptEngine::Xengine {
        return;
    }
    not_evaluated(Code::SCR002, measured, verdicts);
    for (asset, script) in texts(measured) {
        let language = match &script.language {
            Language::Lsl | Language::MiniRegionModule => continue,
            Language::CSharp => "C#",
            Language::VisualBasic => "Visual Basic",
            Language::Other(name) => name,
        };
        verdicts.push(at(measured, asset, Code::SCR002).detail(language));
    }
}

/// A script that calls functions that the target lacks, or whose threat level is above the allowed one.
pub(crate) fn scr003_refused_functions(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    let target = &measured.profile.scripts;
    not_evaluated(Code::SCR003, measured, verdicts);
    other_languages(Code::SCR003, measured, verdicts);
    for (asset, script) in texts(measured) {
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
            let finding = at(measured, asset, Code::SCR003).measured(refused.len() as f64);
            verdicts.push(finding.detail(abridged(&refused)));
        }
    }
}

/// A host that scripts name, reported once with all its scripts, because one check shows whether it still answers. A
/// script that names objects of this export has its own finding. Each must be changed, because loading gives objects
/// new UUIDs.
pub(crate) fn scr004_fixed_addresses(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    let parts = measured.ledger.objects.iter().flat_map(|object| &object.linkset.parts);
    let parts: BTreeSet<Uuid> = parts.map(|part| part.uuid).collect();
    not_evaluated(Code::SCR004, measured, verdicts);
    other_languages(Code::SCR004, measured, verdicts);
    let mut hosts: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for (asset, script) in texts(measured) {
        let Some(code) = &script.code else { continue };
        for host in &code.hosts {
            hosts.entry(host).or_default().insert(asset.entry.to_string());
        }
        let named = code.uuids.iter().filter(|uuid| parts.contains(uuid));
        let named: Vec<String> = named.map(|uuid| format!("object {uuid}")).collect();
        if !named.is_empty() {
            let finding = at(measured, asset, Code::SCR004).measured(named.len() as f64);
            verdicts.push(finding.detail(abridged(&named)));
        }
    }
    for (host, scripts) in hosts {
        let detail = format!("host {host} in {}", first_of(scripts.len(), scripts.iter().cloned()));
        let finding = Finding::new(Code::SCR004).within(host.to_owned()).measured(scripts.len() as f64);
        verdicts.push_for(scripts.len(), finding.detail(detail));
    }
}

/// A saved state without its script in the inventory: the script was deleted or starts anew.
pub(crate) fn scr005_state_without_script(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    for object in &measured.ledger.objects {
        let scripts: BTreeSet<Uuid> =
            object.linkset.parts.iter().flat_map(Part::scripts).map(|item| item.uuid).collect();
        let states = object.linkset.script_states.iter();
        let lost: Vec<String> = states.filter(|item| !scripts.contains(item)).map(Uuid::to_string).collect();
        if !lost.is_empty() {
            let finding = at_object(object, Code::SCR005).measured(lost.len() as f64);
            let states = counted(lost.len() as u64, "saved script state");
            verdicts.push(finding.detail(format!("{states}: {}", abridged(&lost))));
        }
    }
}

/// Counts the scripts whose text is unknown.
fn not_evaluated(code: Code, measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    for asset in measured.ledger.assets.iter().filter(|asset| asset.suffix() == Some("_script.lsl")) {
        match asset.content {
            Content::NotEvaluated(_) => verdicts.not_evaluated(code, why_unread(asset), 1),
            Content::Damaged(_) => verdicts.not_evaluated(code, SkipReason::Damaged, 1),
            _ => {}
        }
    }
    // In an export with assets, AST001 reports a missing script.
    if let Some(reason) = unproved(measured) {
        let scripts = measured.uses.iter().filter(|(_, used)| used.kind == "script");
        let absent = scripts.filter(|(asset, _)| !measured.assets.has(**asset));
        verdicts.not_evaluated(code, reason, absent.count());
    }
}

/// Counts the scripts in languages that are not read.
fn other_languages(code: Code, measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    let unknown = texts(measured).filter(|(_, script)| script.code.is_none());
    verdicts.not_evaluated(code, SkipReason::OtherLanguage, unknown.count());
}

/// Returns every script with readable text.
fn texts<'a>(measured: &Measured<'a>) -> impl Iterator<Item = (&'a AssetFacts, &'a Script)> {
    measured.ledger.assets.iter().filter_map(|asset| match &asset.content {
        Content::Text(text) => Some((asset, text.script.as_ref()?)),
        _ => None,
    })
}

/// Creates a finding about a script, at the first object that contains it.
fn at(measured: &Measured<'_>, asset: &AssetFacts, code: Code) -> Finding {
    let mut finding = Finding::new(code).entry(asset.entry.to_string());
    if let Some(used) = asset.uuid().and_then(|uuid| measured.uses.get(&uuid)) {
        finding.place = used.first.place();
    }
    finding.place.asset = asset.uuid();
    finding
}
