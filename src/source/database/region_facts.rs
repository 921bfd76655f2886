//! Hands the facts of regions and their objects on.

use crate::{
    Visitor,
    content::{Decoded, MemberContent},
};
use hullmark_database::Region;
use hullmark_format::{
    defect::{Defect, ObjectDefect},
    object::Linkset,
    xml::{NAME_BYTES, oddity},
};
use hullmark_ledger::facts::{ObjectFacts, ParcelFacts, RegionFacts, TerrainFacts};
use hullmark_settings::limits::Limits;

/// Cuts a linkset to the limits of documents. Returns the defects.
fn too_large(linkset: &mut Linkset, limits: &Limits) -> Vec<Defect> {
    let items: usize = linkset.parts.iter().map(|part| part.inventory.len()).sum();
    let found = [
        (ObjectDefect::TooManyParts, "parts", linkset.parts.len(), limits.parts),
        (ObjectDefect::TooManyItems, "items", items, limits.items),
    ];
    linkset.parts.truncate(limits.parts);
    if items > limits.items {
        let each = limits.items / linkset.parts.len().max(1);
        linkset.parts.iter_mut().for_each(|part| part.inventory.truncate(each));
    }
    let over = found.into_iter().filter(|(_, _, count, limit)| count > limit);
    over.map(|(kind, within, count, limit)| {
        Defect::new(kind).within(within).measured(count as f64).limit(limit as f64)
    })
    .collect()
}

/// Passes the facts of a region on: itself, then its objects. `listed`: whether the list of a grid has the region.
pub(super) fn pass_region(
    region: Region,
    listed: Option<bool>,
    prefix: &str,
    limits: &Limits,
    visitor: &mut dyn Visitor,
) {
    let folder = format!("{prefix}{}", region.uuid);
    let mut facts = RegionFacts {
        name: region.name.unwrap_or_else(|| region.uuid.to_string()),
        uuid: Some(region.uuid),
        settings: region.settings,
        rows: region.rows,
        objects_unread: region.objects_unread,
        listed,
        ..RegionFacts::of_folder(&folder)
    };
    if let Some(size) = region.size {
        (facts.size, facts.size_stated) = (size, true);
    }
    facts.parcels = region
        .parcels
        .into_iter()
        .map(|parcel| {
            let uuid = parcel.uuid.unwrap_or_default();
            ParcelFacts { entry: format!("{prefix}land/{uuid}"), order: 0, parcel }
        })
        .collect();
    facts.parcels.sort_by(|a, b| a.entry.cmp(&b.entry));
    facts.terrain = region.terrain.map(|(bytes, terrain)| {
        let (heights, grid) = terrain.map_or((None, None), |terrain| (Some(terrain.heights), terrain.grid));
        TerrainFacts {
            entry: format!("{prefix}terrain/{}.r32", region.uuid),
            // Rows may be compressed. An archive has four bytes for each height.
            bytes: heights.as_ref().map_or(bytes, |heights| 4 * heights.samples),
            heights,
            broken_image: false,
            grid,
        }
    });
    let itself = MemberContent::WholeRegion(Box::new(facts));
    visitor.decoded(Decoded { folder: folder.clone(), content: itself, defects: Vec::new() });
    for (mut linkset, mut defects) in region.objects {
        defects.extend(too_large(&mut linkset, limits));
        let root = linkset.parts.first().map(|root| root.uuid).unwrap_or_default();
        let entry = format!("{prefix}prims/{root}");
        for defect in &mut defects {
            defect.place.entry.clone_from(&entry);
        }
        defects.truncate(limits.findings_per_code);
        let has_cut_name = linkset.parts.iter().any(|part| {
            part.name.len() > NAME_BYTES || part.inventory.iter().any(|item| item.name.len() > NAME_BYTES)
        });
        let oddities = if has_cut_name { vec![oddity::NAME_CUT.into()] } else { Vec::new() };
        let object = ObjectFacts { entry, oddities, ..ObjectFacts::rezzed(linkset) };
        let content = MemberContent::Assets(Vec::new(), vec![object]);
        visitor.decoded(Decoded { folder: folder.clone(), content, defects });
    }
}
