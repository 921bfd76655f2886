//! AST004, AST005, AST008, AST011: assets that are present.

use super::{
    archive::is_archive,
    decoding::{self, object::BINARY},
    object::{of_binary, uuids_twice},
    place::{at_asset, at_object},
};
use crate::{RuleOutcomes, SHOWN, SkipReason, catalogue::Reader, first_of};
use hullmark_analysis::{Measured, asset_uses::Used};
use hullmark_finding::{Code, Finding, Severity};
use hullmark_format::{defect::DefectKind, member, object::Part, reference::Use};
use hullmark_ledger::facts::{AssetFacts, Content, CutShort, RegionFacts, Role, Status};
use hullmark_media::image::cut_short::Remains;
use hullmark_util::number_text::{counted, thousands};
use std::{
    cmp::Reverse,
    collections::{BTreeSet, BinaryHeap},
};
use uuid::Uuid;

/// Assets whose content neither a viewer nor a simulator reads.
const READ_BY_NOBODY: [&str; 4] = ["_bytecode.lso", "_callingcard.txt", "_folder.txt", "_simstate.bin"];

/// The aspect of AST004 for an image that is cut short and still shows something.
pub const SHOWN_IN_PART: &str = "shown in part";

/// Sum of bytes from which unused assets are reported.
const UNUSED_BYTES: u64 = 1 << 20;

/// An asset that is empty or does not match its name. Decoders evaluate meshes, objects and sculpt maps.
pub(super) fn cannot_be_used(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    let reported: BTreeSet<Uuid> = decoding::findings(measured.ledger)
        .filter(|finding| finding.code == Code::AST004)
        .filter_map(|finding| finding.place.asset)
        .collect();
    let nested = measured.ledger.objects.iter().filter(|object| object.role == Role::Nested);
    for (object, twice) in nested.filter_map(|object| Some((object, uuids_twice(object)?))) {
        let mut finding = at_object(object, Code::AST004).detail(twice).aspect("UUID twice");
        finding.place.asset = object.asset;
        outcomes.push(finding);
    }
    let all_known = is_archive(measured) && may_name_more(measured).is_none();
    for asset in &measured.ledger.assets {
        let decoded = matches!(asset.suffix(), None | Some("_mesh.llmesh" | "_object.xml"));
        let is_unread = asset.suffix().is_some_and(|suffix| READ_BY_NOBODY.contains(&suffix));
        if decoded || is_unread || asset.uuid().is_some_and(|uuid| reported.contains(&uuid)) {
            continue;
        }
        let why = match &asset.content {
            Content::Empty => "it is empty".into(),
            Content::Zeros => "it contains only zeros".into(),
            Content::Damaged(why) => why.to_string(),
            Content::CutShort(cut) => {
                let is_unused = all_known && used_by(asset, measured).is_none();
                if let Some(finding) = shown_in_part(asset, cut, measured, is_unused) {
                    outcomes.push(finding);
                    continue;
                }
                missing(asset, cut)
            }
            Content::NotEvaluated(_) => {
                outcomes.not_evaluated(Code::AST004, why_unread(asset), 1);
                continue;
            }
            _ => continue,
        };
        let finding = at_asset(asset, Code::AST004);
        outcomes.push(weighed_by_use(finding, &why, used_by(asset, measured), all_known));
    }
}

/// Returns the advice on AST004, which depends on the kind of the asset.
pub(super) fn cure(finding: &Finding, reader: Reader) -> Option<&'static str> {
    let suffix = member::suffix(&finding.place.entry).unwrap_or_default();
    match reader {
        _ if finding.aspect == BINARY => of_binary(finding, reader),
        Reader::Operator if finding.aspect == SHOWN_IN_PART => Some(
            "If the old grid has the whole image, export again. Otherwise it stays as it is, or its owner uploads it again.",
        ),
        Reader::Operator => None,
        Reader::Owner if finding.detail.contains("sculpt map") => Some(
            "The sculpt map of the object is incomplete. In the viewer: Edit > Object > Sculpt Texture: pick a complete copy.",
        ),
        Reader::Owner if suffix.starts_with("_texture") || suffix.starts_with("_image") => Some(
            "Upload the texture again. In the viewer: Edit > Texture: pick it for each face that shows it.",
        ),
        Reader::Owner if suffix.is_empty() => None,
        Reader::Owner => {
            Some("In the viewer: Edit > Content: delete the item, and drag a complete copy into the object.")
        }
    }
}

fn missing(asset: &AssetFacts, cut: &CutShort) -> String {
    match cut.needs {
        Some(needs) => format!("cut short: {} of {} bytes", thousands(asset.bytes), thousands(needs)),
        None => format!("cut short at byte {}, without an end marker", thousands(asset.bytes)),
    }
}

/// Returns the finding of an image that is cut short and still shows something. It is not lost.
fn shown_in_part(
    asset: &AssetFacts,
    cut: &CutShort,
    measured: &Measured<'_>,
    is_unused: bool,
) -> Option<Finding> {
    let is_sculpt_map = asset.uuid().is_some_and(|uuid| measured.assets.sculpt(uuid).is_some());
    let (shows, severity) = match (cut.remains?, is_sculpt_map) {
        (Remains::Nothing, _) => return None,
        (_, true) => ("as a sculpt map, it gives another shape", Severity::Warning),
        (Remains::LowestResolution, false) => ("looks blurred at most", Severity::Info),
        (Remains::Part, false) => ("not even its lowest resolution is there", Severity::Warning),
    };
    let severity = if is_unused { Severity::Info } else { severity };
    let finding = at_asset(asset, Code::AST004).aspect(SHOWN_IN_PART).at_most(severity);
    Some(finding.detail(format!("{}; {shows}", missing(asset, cut))))
}

fn used_by<'a>(asset: &AssetFacts, measured: &'a Measured<'_>) -> Option<&'a Used<'a>> {
    measured.uses.get(&asset.uuid()?)
}

/// Returns the finding of an asset that cannot be used for this reason. The severity depends on the users: rezzed
/// objects or land, inventories only, or none. Users are known only if everything was read.
fn weighed_by_use(finding: Finding, why: &str, used: Option<&Used<'_>>, all_known: bool) -> Finding {
    match used {
        Some(used) if used.in_world => finding.detail(format!("{why}; used in a region")),
        _ if !all_known => finding.detail(why),
        Some(_) => finding.detail(format!("{why}; used in inventories only")).at_most(Severity::Warning),
        None => finding.detail(format!("{why}; unused in this export")).at_most(Severity::Info),
    }
}

/// Time after which OpenSim's reader stops asking for the next element, in seconds.
const GIVES_UP_AFTER_S: usize = 60;

/// Objects in inventories at which OpenSim's reader waits: one finding with their number and the time.
pub(super) fn holds_the_loader(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    let in_assets = measured.ledger.defects.iter().filter(|defect| defect.in_asset);
    let held: BTreeSet<Uuid> = in_assets
        .filter(|defect| matches!(&defect.kind, DefectKind::Object(kind) if kind.holds_the_loader()))
        .filter_map(|defect| defect.place.asset)
        .collect();
    if !held.is_empty() {
        let named = first_of(held.len(), held.iter().map(Uuid::to_string));
        let objects = counted(held.len() as u64, "object");
        let detail = format!("{GIVES_UP_AFTER_S} s for each of {objects}: {named}");
        let seconds = held.len() * GIVES_UP_AFTER_S;
        outcomes.push(Finding::new(Code::AST011).measured(seconds as f64).detail(detail));
    }
}

/// Assets that nothing in an archive names, including its texts: one finding with the largest of them. Loose files need
/// no user.
pub(super) fn unused(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    let ledger = measured.ledger;
    if !is_archive(measured) {
        return;
    }
    if let Some(reason) = may_name_more(measured) {
        return outcomes.not_evaluated(Code::AST005, reason, 1);
    }
    let texts = ledger.assets.iter().filter_map(|asset| match &asset.content {
        Content::Text(text) => Some(text),
        _ => None,
    });
    let mentioned: BTreeSet<Uuid> = texts.flat_map(|text| &text.mentions).copied().collect();
    let used = |uuid: &Uuid| measured.uses.contains_key(uuid) || mentioned.contains(uuid);
    let sized = ledger.assets.iter().filter_map(|asset| Some((asset.bytes, asset.uuid()?)));
    let (mut count, mut bytes, mut largest) = (0, 0_u64, BinaryHeap::new());
    for unused in sized.filter(|(_, uuid)| !used(uuid)) {
        count += 1;
        bytes = bytes.saturating_add(unused.0);
        largest.push(Reverse(unused));
        if largest.len() > SHOWN {
            largest.pop();
        }
    }
    if bytes >= UNUSED_BYTES {
        let largest = largest.into_sorted_vec().into_iter();
        let named = largest.map(|Reverse((bytes, uuid))| format!("{uuid} ({})", counted(bytes, "byte")));
        let [assets, size] =
            [(count as u64, "asset"), (bytes, "byte")].map(|(count, what)| counted(count, what));
        let detail = format!("{assets} of {size} in total: {}", first_of(count, named));
        outcomes.push(Finding::new(Code::AST005).measured(bytes as f64).detail(detail));
    }
}

/// Why an asset without known users may still be in use.
fn may_name_more(measured: &Measured<'_>) -> Option<SkipReason> {
    let ledger = measured.ledger;
    if ledger.status != Status::Complete {
        Some(SkipReason::Incomplete)
    } else if decoding::findings(ledger).any(|finding| unread_object(&finding)) {
        Some(SkipReason::Damaged)
    } else {
        let unread = ledger.assets.iter().find(|asset| matches!(asset.content, Content::NotEvaluated(_)));
        unread.map(why_unread)
    }
}

fn unread_object(finding: &Finding) -> bool {
    finding.code == Code::OBJ001
        || finding.code == Code::AST004 && finding.place.entry.ends_with("_object.xml")
}

/// Why the content of an asset is unknown. Its hash is known if all of it was read.
pub(crate) fn why_unread(asset: &AssetFacts) -> SkipReason {
    match asset.content_hash {
        Some(_) => SkipReason::OverLimit,
        None => SkipReason::Incomplete,
    }
}

/// A format that older simulators do not support.
struct Format {
    name: &'static str,
    suffix: &'static str,
    asset_type: i32,
    uses: &'static [Use],
    in_region: fn(&RegionFacts) -> usize,
}

pub(super) fn newer_than_the_target(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    let target = &measured.profile.assets;
    let environments = Format {
        name: "environments",
        suffix: "_settings.bin",
        asset_type: 56,
        uses: &[],
        in_region: environments_of,
    };
    let materials = Format {
        name: "PBR materials",
        suffix: "_prmat.dat",
        asset_type: 57,
        uses: &[Use::RenderMaterial, Use::GroundMaterial],
        in_region: |_| 0,
    };
    let formats = [(environments, target.environments), (materials, target.pbr_materials)];
    let (mut reported, mut all) = (Vec::new(), 0);
    for (format, _) in formats.iter().filter(|(_, understood)| !understood) {
        let [assets, places] = [assets_of(measured, format), places_of(measured, format)];
        if assets + places > 0 {
            reported.push(format!(
                "{} ({}, used in {})",
                format.name,
                counted(assets as u64, "asset"),
                counted(places as u64, "place")
            ));
            all += assets + places;
        }
    }
    if all > 0 {
        outcomes.push(Finding::new(Code::AST008).measured(all as f64).detail(reported.join(", ")));
    }
}

fn assets_of(measured: &Measured<'_>, format: &Format) -> usize {
    let suffixes = measured.ledger.assets.iter().filter_map(AssetFacts::suffix);
    suffixes.filter(|suffix| *suffix == format.suffix).count()
}

fn environments_of(region: &RegionFacts) -> usize {
    let own = region.settings.as_ref().is_some_and(|settings| settings.environment);
    usize::from(own) + region.parcels.iter().filter(|facts| facts.parcel.environment).count()
}

/// Number of parts, items and regions that name or contain assets of this format.
fn places_of(measured: &Measured<'_>, format: &Format) -> usize {
    let ledger = measured.ledger;
    let parts = || ledger.objects.iter().flat_map(|object| &object.linkset.parts);
    let shows = |part: &&Part| part.references.iter().any(|reference| format.uses.contains(&reference.what));
    let contents = parts().flat_map(|part| &part.inventory).map(|item| item.asset_type);
    let items = contents.chain(ledger.items.iter().map(|facts| facts.item.asset_type));
    let grounds =
        ledger.regions.iter().filter_map(|region| region.settings.as_ref()).filter(|settings| {
            settings.references.iter().any(|reference| format.uses.contains(&reference.what))
        });
    parts().filter(shows).count()
        + items.filter(|asset_type| *asset_type == format.asset_type).count()
        + grounds.count()
        + ledger.regions.iter().map(format.in_region).sum::<usize>()
}
