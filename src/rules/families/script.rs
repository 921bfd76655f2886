//! SCR: scripts, by their source text.

use super::{
    asset::why_unread,
    place::{at_object, at_user},
    reference::unproved,
};
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
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};
use uuid::Uuid;

rules! {
    SCR001 "scripts" "Too many scripts in a region" {
        about: Region,
        effect: Overfills,
        check: many_scripts,
        message: "The script count of {measured} exceeds the limit of {limit} in {detail}",
        why: "Every script uses time and memory, even while it waits.",
        engines: [
            "OpenSimulator" => "Warns in its own settings: regions with more than a hundred scripts become unstable \
                if people enter before all scripts are loaded.",
        ],
        fix: "Remove scripts that have done their work, such as those that set a texture or a text once. Keep logins \
              closed until the region reports that it is ready.",
        source: "OpenSim, OpenSimDefaults.ini, RegionReady",
    }

    SCR002 "" "Script language not supported" {
        about: Script,
        effect: Breaks,
        check: other_language,
        message: "The target does not compile the script's language: {detail}",
        why: "A first line such as `//c#` asks for another language than LSL. Lua is recognized by its text: exports do \
              not say which scripts are in Lua.",
        engines: [
            "XEngine" => "Compiles C# and Visual Basic if AllowedCompilers names them. Reads Lua as LSL and fails.",
            "YEngine" => "Reads everything as LSL and fails.",
            "Second Life" => "Compiles Lua since 2025, in regions that have it. Reads other languages as LSL and fails.",
        ],
        fix: "Have the script rewritten in LSL.",
        source: "OpenSim, ScriptEngine/YEngine; XEngine and Shared/CodeTools/Compiler.cs, removed in October 2022; \
                 Second Life viewer, issue 3423, and wiki, Lua FAQ",
    }

    SCR003 "functions" "Script functions refused by the target" {
        about: Script,
        effect: Breaks,
        check: refused_functions,
        message: "The target refuses or lacks functions that the script calls: {detail}",
        why: "The script stops with an error at the call, or does not compile. Functions such as osConsoleCommand \
              let a script do everything that the operator can do.",
        engines: [
            "OpenSimulator" => "Rates its own functions by the harm that they can do, and refuses those above the \
                region's threat level. By default it allows up to very low. The lines Allow_… allow higher ones to \
                the owners that they name, such as the estate owner.",
            "Second Life" => "Has none of these functions and does not compile the script.",
        ],
        fix: "For OpenSim, read the script, then allow the function to its owner with a line Allow_… in \
              osslEnable.ini. For Second Life, rewrite the script without these functions.",
        fix_second_life: "Rewrite the script without these functions.",
        fix_opensim: "Read the script. Then allow the function to its owner with a line Allow_… in osslEnable.ini, \
              or rewrite the script.",
        fix_owner: "Rewrite the script without these functions: Edit > Content, open the script. On an OpenSim grid \
              you can also ask the operator to allow them.",
        source: "OpenSim, OSSL_Api.cs, CheckThreatLevel; bin/config-include/osslDefaultEnable.ini",
    }

    SCR004 "" "Fixed address in a script" {
        about: Script,
        effect: Breaks,
        check: fixed_addresses,
        message: "A fixed address in a script may fail after the move: {detail}",
        why: "A script that addresses an object by UUID, a web server or a grid uses the same address after the \
              move. Objects then have other UUIDs, and a server may not know the new grid. A host is reported once \
              with the number of its scripts; each script that names objects of this archive is reported \
              separately.",
        engines: [
            "OpenSimulator" => "Gives objects new UUIDs when it loads an archive without --merge.",
        ],
        fix: "Check whether the addresses work after the move. If not, change them, or let the script read them from \
              a notecard.",
        source: "OpenSim, ArchiveReadRequest.cs, LoadObjects",
    }

    SCR005 "states" "Script state without script" {
        about: Object,
        effect: Loses,
        check: state_without_script,
        message: "No script in the object matches {detail}",
        why: "The state of a script is saved with the object under the UUID of the script's item. Without this item \
              the state is lost: the script was deleted, or was replaced and starts anew. AST001 reports a script \
              without its asset.",
        engines: [
            "OpenSimulator" => "Looks for a state when it starts a script, and ignores all other states.",
        ],
        fix: "If a script is missing, put it back and export again. If it was removed on purpose, nothing is wrong.",
        source: "OpenSim, SceneObjectGroup.cs (LoadScriptState), SceneObjectPartInventory.cs \
              (RestoreSavedScriptState)",
    }

    SCR006 "scripts" "Too many scripts in an object" {
        about: InWorld,
        effect: Overfills,
        check: many_scripts_in_an_object,
        message: "The script count of {measured} exceeds the limit of {limit} in {detail}",
        why: "Every script uses time and memory, even while it waits. No limit for one object is published: \
              max_per_object in the profile is the operator's choice.",
        fix: "Remove scripts that have done their work, such as those that set a texture or a text once. Let one \
              script control all prims of the object.",
        fix_owner: "In the viewer: Edit > Content, delete scripts that have done their work. Let one script control \
              all prims of the object.",
        source: "hullmark, config/profiles/second-life.toml, max_per_object",
    }
}

/// Objects with too many scripts. Objects in inventories run none.
fn many_scripts_in_an_object(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    let most = measured.profile.scripts.max_per_object;
    for object in measured.ledger.objects.iter().filter(|object| object.role != Role::Nested) {
        let (count, name) = scripts(object);
        if count > most as usize {
            let finding = at_object(object, Code::SCR006).measured(count as f64).limit(most);
            outcomes.push(finding.detail(format!("object \"{name}\"")));
        }
    }
}

fn many_scripts(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    let limit = measured.profile.scripts.max_per_region;
    for (facts, region) in measured.ledger.regions.iter().zip(&measured.regions) {
        let Some(scripts_here) = region.total.scripts else {
            outcomes.not_evaluated(Code::SCR001, SkipReason::Incomplete, 1);
            continue;
        };
        if scripts_here <= u64::from(limit) {
            continue;
        }
        let here = region.standing.iter().map(|&number| &measured.ledger.objects[number]);
        // Objects of one name are one thing to people.
        let mut by_name: BTreeMap<&str, usize> = BTreeMap::new();
        here.map(scripts).for_each(|(scripts, name)| *by_name.entry(name).or_default() += scripts);
        let mut objects: Vec<(usize, &str)> =
            by_name.into_iter().map(|(name, scripts)| (scripts, name)).collect();
        objects.retain(|(scripts, _)| *scripts > 0);
        objects.sort_by_key(|&(scripts, name)| (Reverse(scripts), name));
        let named: Vec<String> =
            objects.iter().map(|(scripts, name)| format!("\"{name}\" ({scripts})")).collect();
        let finding = Finding::new(Code::SCR001).entry(&facts.folder).measured(scripts_here as f64);
        outcomes.push(finding.limit(limit).detail(format!(
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

fn other_language(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    let engine = measured.profile.scripts.engine;
    not_evaluated(Code::SCR002, measured, outcomes);
    for (asset, script) in texts(measured) {
        let language = match &script.language {
            Language::Lsl | Language::MiniRegionModule => continue,
            Language::Lua if engine == ScriptEngine::SecondLife => continue,
            Language::Lua => "Lua (SLua of Second Life)",
            Language::Unknown => {
                outcomes.not_evaluated(Code::SCR002, SkipReason::LanguageUnknown, 1);
                continue;
            }
            // It may have compilers for all of them.
            _ if engine == ScriptEngine::Xengine => continue,
            Language::CSharp => "C#",
            Language::VisualBasic => "Visual Basic",
            Language::Other(name) => name,
        };
        outcomes.push(at_user(measured, asset, Code::SCR002).detail(language));
    }
}

fn refused_functions(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    let target = &measured.profile.scripts;
    not_evaluated(Code::SCR003, measured, outcomes);
    other_languages(Code::SCR003, measured, outcomes);
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
            let finding = at_user(measured, asset, Code::SCR003).measured(refused.len() as f64);
            outcomes.push(finding.detail(abridged(&refused)));
        }
    }
}

/// A host that scripts name, reported once with all its scripts, because one check shows whether it still answers. A
/// script that names objects of this export has its own finding. Each must be changed, because loading gives objects
/// new UUIDs.
fn fixed_addresses(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    let parts = measured.ledger.objects.iter().flat_map(|object| &object.linkset.parts);
    let parts: BTreeSet<Uuid> = parts.map(|part| part.uuid).collect();
    not_evaluated(Code::SCR004, measured, outcomes);
    other_languages(Code::SCR004, measured, outcomes);
    let mut hosts: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for (asset, script) in texts(measured) {
        let Some(code) = &script.code else { continue };
        for host in &code.hosts {
            hosts.entry(host).or_default().insert(asset.entry.to_string());
        }
        let named = code.uuids.iter().filter(|uuid| parts.contains(uuid));
        let named: Vec<String> = named.map(|uuid| format!("object {uuid}")).collect();
        if !named.is_empty() {
            let finding = at_user(measured, asset, Code::SCR004).measured(named.len() as f64);
            outcomes.push(finding.detail(abridged(&named)));
        }
    }
    for (host, scripts) in hosts {
        let detail = format!("host {host} in {}", first_of(scripts.len(), scripts.iter().cloned()));
        let finding = Finding::new(Code::SCR004).within(host.to_owned()).measured(scripts.len() as f64);
        outcomes.push_for(scripts.len(), finding.detail(detail));
    }
}

fn state_without_script(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    for object in &measured.ledger.objects {
        let scripts: BTreeSet<Uuid> =
            object.linkset.parts.iter().flat_map(Part::scripts).map(|item| item.uuid).collect();
        let states = object.linkset.script_states.iter();
        let lost: Vec<String> = states.filter(|item| !scripts.contains(item)).map(Uuid::to_string).collect();
        if !lost.is_empty() {
            let finding = at_object(object, Code::SCR005).measured(lost.len() as f64);
            let states = counted(lost.len() as u64, "saved script state");
            outcomes.push(finding.detail(format!("{states}: {}", abridged(&lost))));
        }
    }
}

/// Counts the scripts whose text is unknown.
fn not_evaluated(code: Code, measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    for asset in measured.ledger.assets.iter().filter(|asset| asset.suffix() == Some("_script.lsl")) {
        match asset.content {
            Content::NotEvaluated(_) => outcomes.not_evaluated(code, why_unread(asset), 1),
            Content::Damaged(_) => outcomes.not_evaluated(code, SkipReason::Damaged, 1),
            _ => {}
        }
    }
    // In an export with assets, AST001 reports a missing script.
    if let Some(reason) = unproved(measured) {
        let scripts = measured.uses.iter().filter(|(_, used)| used.kind == "script");
        let absent = scripts.filter(|(asset, _)| !measured.assets.has(**asset));
        outcomes.not_evaluated(code, reason, absent.count());
    }
}

fn other_languages(code: Code, measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    let unknown = texts(measured).filter(|(_, script)| script.code.is_none());
    outcomes.not_evaluated(code, SkipReason::OtherLanguage, unknown.count());
}

fn texts<'a>(measured: &Measured<'a>) -> impl Iterator<Item = (&'a AssetFacts, &'a Script)> {
    measured.ledger.assets.iter().filter_map(|asset| match &asset.content {
        Content::Text(text) => Some((asset, text.script.as_ref()?)),
        _ => None,
    })
}
