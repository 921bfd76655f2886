//! AST001 to AST003, OBJ009: assets that objects, items, texts and land use and the export lacks.

use super::place::at_object;
use crate::{RuleOutcomes, SkipReason, abridged, first_of, most_of, well_known_assets::is_well_known};
use hullmark_analysis::{
    Measured,
    asset_uses::{self, Used, User},
};
use hullmark_finding::{Code, Finding};
use hullmark_format::{
    object::{Layout, Part},
    reference::Use,
};
use hullmark_ledger::facts::{AssetFacts, Content, Status};
use hullmark_util::number_text::{counted, thousands};
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

rules! {
    AST001 "uses" "Asset is missing" {
        about: Asset,
        effect: Breaks,
        check: missing,
        message: "The export lacks {detail}",
        why: "Prims, inventory items, notecards, scripts and parcels refer to assets by UUID. If the new grid lacks \
              the asset too, textures are gray, meshes and sculpts have no shape, sounds are silent, and items do \
              not open. Assets that viewers or grids supply are not reported. If an export contains no asset of a \
              kind, one finding reports all of them.",
        engines: [
            "OpenSimulator" => "Logs the assets that it could not fetch during a save, and saves the rest.",
        ],
        fix: "Export again with all assets. If another archive or folder has the asset, load that, too, and name it \
              with --assets PATH; `hullmark repair --assets PATH` copies it into the archive. Else replace the asset in the objects that use it. If a notecard saves an \
              appearance, save it again.",
        fix_owner: "Replace the asset if you have a copy. In the viewer: Edit > Texture for a texture, Edit > Object \
              for a sculpt map, Edit > Content for an item. Replace an object without its mesh with a new copy.",
        source: "OpenSim, UuidGatherer.cs, AssetsRequest.cs",
    }

    AST002 "UUIDs" "Unknown UUIDs in scripts and notecards" {
        about: Archive,
        effect: Breaks,
        check: mentioned_and_missing,
        message: "Scripts or notecards name {detail}",
        why: "Scripts play sounds and set textures by UUID. These UUIDs may be missing assets, but also people, \
              regions or nothing at all.",
        engines: [
            "OpenSimulator" => "Calls such UUIDs uncertain, and saves those that are assets.",
        ],
        fix: "Nothing to do now. If something is silent or gray after the move, check these scripts.",
        source: "OpenSim, UuidGatherer.cs",
    }

    AST003 "places" "Zero UUID instead of an asset" {
        about: Object,
        effect: Breaks,
        check: nothing_where_an_asset_belongs,
        message: "The zero UUID is set instead of an asset: {detail}",
        why: "The zero UUID refers to no asset. A face with it is blank, a mesh or a sculpt has no shape, and an \
              item cannot be opened.",
        engines: [
            "OpenSimulator" => "Ignores the zero UUID silently when it gathers assets.",
        ],
        fix: "Set the texture, mesh or sculpt map of the prim again, or delete the item. Then export again.",
        fix_owner: "In the viewer: Edit > Texture to set the texture, Edit > Object to set the sculpt map, Edit > \
              Content to delete the item. Replace a prim without its mesh with a new copy.",
        source: "OpenSim, UuidGatherer.cs",
    }

    AST004 "" "Asset is damaged" {
        about: Asset,
        effect: Breaks,
        check: super::asset::cannot_be_used,
        cure: super::asset::cure,
        message: "The asset is damaged: {detail}",
        why: "Objects that use the asset are gray, silent or without shape. An image that is cut short is no loss: its \
              first part shows with few details. A loader counts the asset as restored, so the damage shows only \
              in a viewer.",
        engines: [
            "Viewers" => "Show an image as far as it goes (OpenJPEG with strict mode off).",
            "OpenSimulator" => "Uses a sculpt map as far as it goes (OpenJPEG 1.5). Stores assets unchecked, except objects: it reads objects in inventories to set \
                owners that it knows. An object that it cannot read counts as failed and is not stored.",
        ],
        fix: "If an object uses the asset, export again. If it is still damaged, replace it. An unused asset needs nothing.",
        fix_owner: "Upload the asset again and replace it. In the viewer: Edit > Texture for a texture, Edit > \
              Object for a sculpt map, Edit > Content for an item.",
        source: "OpenSim, ArchiveReadRequest.cs, loadNeededAssets and TryUploadAsset; SceneObjectSerializer.cs, \
              ModifySerializedObject; JPEG 2000, ISO/IEC 15444-1",
    }

    AST005 "bytes" "Unused assets" {
        about: Archive,
        effect: Note,
        check: super::asset::unused,
        message: "Nothing in this export uses {detail}",
        why: "Unused assets are moved and stored forever: grids do not delete assets, and their tables only grow.",
        fix: "Nothing is wrong. Leave the assets out if the new grid should not have them. --list-assets writes them to \
              assets.csv, with 0 in the column uses.",
        source: "OpenSim, UuidGatherer.cs",
    }

    AST006 "px" "Textures are too large" {
        about: Archive,
        effect: Changes,
        check: super::texture::texture_too_large,
        message: "The limit of {limit} px {within} is exceeded by {detail}",
        why: "A texture takes 4 bytes of memory for each pixel, whatever the size of its file. One of 4,096 × 4,096 \
              px takes 64 MB of every visitor's graphics memory.",
        engines: [
            "Viewers" => "Scale uploads down to 2,048 px a side, so another program made a larger texture.",
            "OpenSimulator" => "Sends the same limit to viewers.",
        ],
        fix: "Scale the textures down and upload them again.",
        source: "Viewer, llgltexture.h (MAX_IMAGE_SIZE_DEFAULT), llviewertexture.cpp, llviewertexturelist.cpp \
              (convertToUploadFile); OpenSim, Constants.cs (MaxTextureResolution), SimulatorFeaturesModule.cs",
    }

    AST007 "prims" "Creators from other grids" {
        about: Archive,
        effect: Note,
        check: super::creator::creators_of_other_grids,
        message: "Creators from other grids made {detail}",
        why: "The export stores these creators with the address of their grid. If the target does not know a \
              creator, only this address shows who made the object.",
        engines: [
            "OpenSimulator" => "Keeps a creator with such an address. AST010 covers the others.",
        ],
        fix: "Nothing is wrong. Check that the licenses of these creators allow the move.",
        source: "OpenSim, ArchiveReadRequest.cs, ModifySceneObject",
    }

    AST008 "things" "Formats newer than the target" {
        about: Archive,
        effect: Loses,
        check: super::asset::newer_than_the_target,
        message: "The target does not support {detail}",
        why: "A loader reads the type of an asset from the end of its name. It counts unknown types as failed and \
              goes on. A face with a PBR material shows its plain texture, if it has one, and the environment is the \
              default one.",
        engines: [
            "OpenSimulator" => "Stores environments (`_settings.bin`) from version 0.9.2.0 and PBR materials \
                (`_prmat.dat`) from 0.9.2.2. Earlier versions also ignore the materials of a prim and do not save \
                them again.",
            "hullmark" => "Takes from the profile what the target supports (pbr_materials, environments).",
        ],
        fix: "Update the target before the move. Else set plain textures on faces, and older skies in regions.",
        source: "OpenSim, ArchiveConstants.cs, PrimitiveBaseShape.cs (ReadInExtraParamsBytes), ArchiveReadRequest.cs \
              at the versions 0.9.1.1, 0.9.2.0, 0.9.2.2 and 0.9.3.0",
    }

    AST009 "" "Texture size not supported by viewers" {
        about: Asset,
        effect: Breaks,
        check: super::texture::no_viewer_shows_it,
        message: "Viewers do not show a texture of {detail} px",
        why: "The sides of a texture must be powers of two, at most 4,096 px. Viewers scale uploads to such sides, \
              so another program made, changed or packed this texture.",
        engines: [
            "Viewers" => "Treat the texture as missing and do not request it again (Second Life viewer).",
            "OpenSimulator" => "Stores the texture unchecked, as other simulators do.",
        ],
        fix: "Scale the texture to sides such as 512 × 1,024 px and upload it again.",
        fix_owner: "Scale the image to sides such as 512 × 1,024 px and upload it: Build > Upload > Image. Then \
              choose it in Edit > Texture.",
        source: "Viewer, llimage.h (MAX_IMAGE_SIZE), llimagegl.cpp (checkSize), llviewertexture.cpp \
              (preCreateTexture)",
    }

    AST010 "prims" "Creators may be lost" {
        about: Archive,
        effect: Changes,
        check: super::creator::creators_without_address,
        message: "Only the UUID of the creator is stored for {detail}",
        why: "If the target has no account with the creator's UUID, and the prim lacks the creator's name and grid \
              (CreatorData), another person becomes its creator. Prims whose owner is their creator are not \
              counted.",
        engines: [
            "OpenSimulator" => "Replaces an unknown creator with the estate owner, or with the user of \
                --default-user, also in object assets. From an inventory archive, such prims get the creator of the \
                item. If that creator is unknown, they get the user who loads it.",
        ],
        fix: "Export again with the address of your grid: save oar --home=http://your.grid:8002 region.oar. Or create these \
              accounts on the target first.",
        source: "OpenSim, ArchiveReadRequest.cs (ModifySceneObject), InventoryArchiveReadRequest.cs (LoadItem, \
              LoadAsset)",
    }

    AST011 "s" "Objects in inventories hold the loader" {
        about: Archive,
        effect: Breaks,
        check: super::asset::holds_the_loader,
        message: "The load waits {measured} s or more: {detail}",
        why: "At a fault inside a field the reader asks for the next element for 60 s, with one processor at full \
              load. The object is lost. AST004 has the place of each fault.",
        engines: [
            "OpenSimulator" => "Reads objects in inventories to set their owners, one after the other. The console \
                says nothing in the meantime.",
        ],
        fix: "Before you load the archive, repair these assets in it or take them out. Without them, the load does not \
              wait.",
        source: "OpenSim, ExternalRepresentationUtils.cs, ExecuteReadProcessors; measured with 0.9.2.2",
    }

    AST012 "" "Sculpt shows as a ball" {
        about: Asset,
        effect: Breaks,
        check: super::sculpt::shown_as_ball,
        message: "Viewers show a ball in place of the sculpt map: {detail}",
        why: "Viewers show a ball if they cannot open the image of a sculpt map. They do the same if its points lie on \
              a line or in one place. Simulators decode the map, so the part collides with a shape that nobody sees.",
        fix: "Find the sculpt map of another copy of the object. Else replace the part.",
        fix_owner: "In the viewer: Edit > Object > Sculpt Texture, and choose another copy of the map.",
        source: "Viewer, llvolume.cpp (sculpt, SCULPT_MIN_AREA, SCULPT_MAX_AREA), llimagej2ckdu.cpp",
    }

    AST013 "m" "Sculpt map is not exact" {
        about: Asset,
        effect: Note,
        check: super::sculpt::not_exact,
        message: "The sculpt map is not exact: {detail}",
        why: "The colors of a sculpt map are points, and compression with loss moves them: edges become uneven, and \
              parts do not meet. hullmark estimates the mean error from the bits that the image lacks. An error below \
              one level of color is not visible. Viewers keep at most 128 × 128 px of a map, so a larger one only takes longer.",
        fix: "Nothing to do, unless the shape is uneven. Then upload the original map without loss, at 64 × 64 px.",
        fix_owner: "If the shape is uneven, upload the original map at 64 × 64 px, with lossless compression. Then \
                    choose it in Edit > Object > Sculpt Texture.",
        source: "ISO/IEC 15444-1, annexes B, E and G; viewer, llviewertexture.cpp (MAX_CACHED_RAW_SCULPT_IMAGE_AREA)",
    }
}

/// Number of assets that are named if all of a kind are missing. The table `missing` lists all.
const NAMED: usize = 2;

/// Kinds of assets that give a prim its shape.
pub const FORMS: [&str; 2] = ["mesh", "sculpt map"];

/// An asset in use that the export, the stores, viewers and grids do not have. If all assets of a kind are missing, one
/// finding reports them.
fn missing(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    let mut missing: BTreeMap<&str, Vec<(Uuid, Used<'_>)>> = BTreeMap::new();
    for (&asset, &used) in &measured.uses {
        if used.kind == "object" || is_of_inventory(measured, &used) || is_there(measured, asset) {
            continue;
        }
        match unproved(measured) {
            // ARC009 reports an export without assets, except for assets that leave a cost unknown. The assets of a
            // region database are in another one.
            Some(SkipReason::NoAssets) if FORMS.contains(&used.kind) && !measured.ledger.is_database() => {}
            Some(reason) => {
                outcomes.not_evaluated(Code::AST001, reason, 1);
                continue;
            }
            None => {}
        }
        missing.entry(used.kind).or_default().push((asset, used));
    }
    let mut present: BTreeSet<&str> = measured
        .ledger
        .assets
        .iter()
        .filter_map(AssetFacts::suffix)
        .map(asset_uses::kind_of_suffix)
        .collect();
    if present.contains("texture") {
        present.insert("sculpt map");
    }
    for (kind, assets) in missing {
        if assets.len() > 1 && kind != "asset" && !present.contains(kind) {
            // missing.csv lists all.
            let named = most_of(NAMED, assets.len(), assets.iter().map(|(asset, _)| asset.to_string()));
            let count: u32 = assets.iter().map(|(_, used)| used.count).sum();
            let detail = format!("every {kind} in use, {} in total: {named}", thousands(assets.len() as u64));
            let finding = Finding::new(Code::AST001).measured(count).detail(detail).aspect(kind.to_owned());
            outcomes.push_for(assets.len(), finding);
        } else {
            outcomes.extend(
                assets.iter().map(|(asset, used)| missing_asset(measured, Code::AST001, kind, *asset, used)),
            );
        }
    }
}

pub(super) fn nested_object_missing(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    let objects =
        measured.uses.iter().filter(|(_, used)| used.kind == "object" && !is_of_inventory(measured, used));
    let missing = objects.filter(|(asset, _)| !measured.assets.has(**asset));
    match unproved(measured) {
        Some(reason) => outcomes.not_evaluated(Code::OBJ009, reason, missing.count()),
        None => outcomes
            .extend(missing.map(|(asset, used)| missing_asset(measured, Code::OBJ009, "", *asset, used))),
    }
}

/// A UUID in a script or a notecard that may be an asset, and is nothing else in the export. OpenSim's own gatherer
/// calls these uncertain.
fn mentioned_and_missing(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    if let Some(reason) = unproved(measured) {
        let texts = measured.uses.values().any(|used| ["script", "notecard"].contains(&used.kind));
        return outcomes.not_evaluated(Code::AST002, reason, texts.into());
    }
    let parts = || measured.ledger.objects.iter().flat_map(|object| &object.linkset.parts);
    let known: BTreeSet<Uuid> =
        parts().flat_map(|part| [part.uuid, part.owner, part.creator, part.group, part.last_owner]).collect();
    let (mut missing, mut texts) = (BTreeSet::new(), 0_u32);
    for asset in &measured.ledger.assets {
        let Content::Text(text) = &asset.content else { continue };
        let unknown =
            text.mentions.iter().filter(|uuid| !known.contains(uuid) && !is_there(measured, **uuid));
        let unknown: Vec<Uuid> = unknown.copied().collect();
        texts += u32::from(!unknown.is_empty());
        missing.extend(unknown);
    }
    if !missing.is_empty() {
        let named = first_of(missing.len(), missing.iter().map(Uuid::to_string));
        let detail = format!(
            "{} that this export lacks, in {}: {named}",
            counted(missing.len() as u64, "UUID"),
            counted(texts.into(), "text")
        );
        outcomes.push(Finding::new(Code::AST002).measured(missing.len() as f64).detail(detail));
    }
}

fn nothing_where_an_asset_belongs(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    for object in &measured.ledger.objects {
        let mut places: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for part in &object.linkset.parts {
            for what in without_asset(part, object.layout) {
                places.entry(what).or_default().push(part.link_number.to_string());
            }
        }
        let count: usize = places.values().map(Vec::len).sum();
        if count > 0 {
            let words = places.iter().map(|(what, links)| format!("{what} at link {}", abridged(links)));
            let detail: Vec<String> = words.collect();
            outcomes.push(at_object(object, Code::AST003).measured(count as f64).detail(detail.join("; ")));
        }
    }
}

fn without_asset(part: &Part, layout: Layout) -> impl Iterator<Item = &'static str> {
    let form = part.mesh().filter(Uuid::is_nil).map(|_| "mesh");
    let map = part.sculpt_map().filter(Uuid::is_nil).map(|_| "sculpt map");
    let blank = |reference: &&_| **reference == Use::Texture.reference(Uuid::nil());
    let face = part.references.iter().find(blank).map(|_| "face texture");
    // Some exports of viewers never say the assets of items.
    let blank_items =
        part.inventory.iter().filter(move |item| item.asset.is_nil() && layout.has_identities());
    let items = blank_items.filter_map(|item| asset_uses::kind_of_item(item.asset_type));
    form.into_iter().chain(map).chain(face).chain(items)
}

/// Why an absent asset is not a finding. An unread part of the input or of a store may contain it, or the input has no
/// assets at all.
pub fn unproved(measured: &Measured<'_>) -> Option<SkipReason> {
    if measured.ledger.status != Status::Complete {
        return Some(SkipReason::Incomplete);
    }
    if measured.ledger.container.is_partial {
        return Some(SkipReason::PartOfStore);
    }
    if measured.assets.may_be_in_stores() {
        return Some(SkipReason::StoreIncomplete);
    }
    let any = !measured.ledger.container.assets.is_empty() || measured.assets.has_stores();
    (!any).then_some(SkipReason::NoAssets)
}

/// Whether the export, a store, viewers or grids have an asset.
pub fn is_there(measured: &Measured<'_>, asset: Uuid) -> bool {
    measured.assets.has(asset)
        || measured.assets.mesh(asset).is_some_and(|mesh| mesh.bytes > 0)
        || is_well_known(asset)
}

/// Whether only inventories of a database use an asset. INV007 reports it for each owner.
fn is_of_inventory(measured: &Measured<'_>, used: &Used<'_>) -> bool {
    used.by_items_only && measured.ledger.is_database()
}

fn missing_asset(measured: &Measured<'_>, code: Code, kind: &str, asset: Uuid, used: &Used<'_>) -> Finding {
    let uses = match used.count {
        1 => "once".to_owned(),
        count => format!("{} times", thousands(count.into())),
    };
    let what = if kind.is_empty() { String::new() } else { format!("the {kind} ") };
    let mut detail = format!("{what}{asset}, used {uses}");
    let mut place = used.first.place();
    // A text is in an object, whose owner can mend it.
    if let User::Text(text) = used.first
        && let Some(part) = holder(measured, text)
    {
        detail += &format!(", in {}", place.entry);
        place = part.place();
    }
    let mut finding = Finding::new(code).measured(used.count).detail(detail);
    finding.place = place;
    finding.place.asset = Some(asset);
    finding
}

/// Returns the first part that contains a text.
fn holder<'a>(measured: &'a Measured<'_>, text: &AssetFacts) -> Option<User<'a>> {
    let first = measured.uses.get(&text.uuid()?)?.first;
    matches!(first, User::Part(..)).then_some(first)
}
