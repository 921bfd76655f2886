//! REG: settings and parcels of a region. The decoder reports unreadable ones.

use super::{archive::is_archive, land};
use crate::{RuleOutcomes, SkipReason};
use hullmark_analysis::{
    CELL_M, Measured,
    land::{SMALLEST_M, size_by_places},
};
use hullmark_finding::{Code, Finding, Severity};
use hullmark_format::defect::{DefectKind, DocumentDefect};
use hullmark_ledger::facts::{ParcelFacts, RegionFacts, Status};
use hullmark_settings::profile::{Counted, Grid, Simulator};
use hullmark_util::number_text::{grouped, thousands};

rules! {
    REG001 "prims" "Too many prims on the land" {
        about: Land,
        effect: Overfills,
        check: too_many_prims,
        message: "The prim count of {measured} exceeds the limit of {limit} in {detail}",
        why: "The archive loads all the same, but afterwards nothing more can be rezzed.",
        engines: [
            "OpenSimulator" => "Counts prims, whatever their land impact. A region holds MaxPrims. The parcels of \
                one owner hold their share by area, times the object bonus. Refuses to rez if PrimLimitsModule is \
                on; else only shows the numbers.",
            "Second Life" => "Counts land impact (CST001).",
        ],
        fix: "Remove objects, or raise MaxPrims on the target and object_capacity in the profile.",
        fix_owner: "Take or delete objects on your land: About Land > Objects lists them. Or ask the operator of \
              your grid to raise the limit.",
        source: "OpenSim, PrimLimitsModule.cs; LandObject.cs, GetSimulatorMaxPrimCount; Regions.ini",
    }

    REG003 "" "Telehub object is missing" {
        about: Region,
        effect: Loses,
        check: telehub_missing,
        message: "The telehub object is not in the region: {detail}",
        why: "Visitors arrive at the spawn points around the telehub object.",
        engines: [
            "OpenSimulator" => "Logs \"Telehub object not found\" and drops the telehub with all its spawn points.",
        ],
        fix: "Set the telehub again after loading. Or put its object back into the region and export again.",
        source: "OpenSim, ArchiveReadRequest.cs, LoadRegionSettings and LoadObjects",
    }

    REG004 "bytes" "Parcel bitmap cannot be used" {
        about: Entry,
        effect: Loses,
        check: bitmap_does_not_fit,
        message: "The parcel's land bitmap is wrong: {detail}",
        why: "The bitmap marks the land of a parcel in cells of 4 m. Without it, the parcel loses its name, owner \
              and rights. With a wrong size, the parcel is in another place.",
        engines: [
            "OpenSimulator" => "Skips a parcel whose bitmap is missing, not base64 or without a cell. Of a bitmap \
                that is not square it reads the next smaller square. It lays a bitmap of another size over the \
                south-western corner.",
        ],
        fix: "Save the region again. If you load this archive, check the parcel afterwards.",
        fix_owner: "Ask the operator of your grid to save the region again. After the move, check your parcel in \
              About Land.",
        source: "OpenSim, LandDataSerializer.cs; ArchiveReadRequest.cs, LoadParcels; LandObject.cs, \
              ConvertBytesToLandBitmap and IsLandBitmapEmpty",
    }

    REG005 "" "Region settings or parcel not readable" {
        about: Entry,
        effect: Loses,
        message: "Region settings or parcel data cannot be read: {detail}",
        why: "One value that cannot be read, and all settings are lost. An unreadable field of a parcel gets a default \
              value.",
        engines: [
            "OpenSimulator" => "Keeps the settings that the region had if these lack General, GroundTextures and Terrain \
                in this order. It does the same for a value of the wrong type, an unknown element, or no white space \
                between elements. It declares utf-16 over UTF-8 bytes: that does no harm.",
        ],
        fix: "Set the region's settings by hand after loading, or mend the named element in the file before loading.",
        fix_owner: "After the move, check your parcel in About Land.",
        source: "OpenSim, ArchiveReadRequest.cs, LoadRegionSettings; LandDataSerializer.cs, Deserialize",
    }

    REG006 "" "Parcel stops the load" {
        about: Entry,
        effect: Stops,
        message: "The parcel's XML cannot be read: {detail}",
        why: "The load stops at this parcel, after the region was cleared: no object is loaded.",
        engines: [
            "OpenSimulator" => "Clears the region, loads parcels, then objects. Stops at a parcel whose XML is not \
                well-formed, has another root element or begins with a byte order mark.",
        ],
        fix: "`hullmark repair` mends it in a copy. Or save the region again. Or remove the file from the \
              archive, and set the parcel by hand after loading.",
        fix_owner: "Ask the operator of your grid to save the region again.",
        source: "OpenSim, ArchiveReadRequest.cs, DearchiveRegion and LoadParcels; LandDataSerializer.cs, Deserialize",
    }

    REG007 "" "Region settings are too new" {
        about: Entry,
        effect: Loses,
        check: newer_settings,
        message: "The target ignores all region settings: {detail}",
        why: "One unknown element and the simulator keeps the settings that the region had: ground textures, water \
              height, telehub, maturity, and rights.",
        engines: [
            "OpenSimulator" => "0.9.3 and later write PBR1 to PBR4 into GroundTextures. Up to 0.9.2, the first of them \
                ends the reading with an exception.",
        ],
        fix: "Set the region's settings by hand after loading. Or remove PBR1 to PBR4 from the file in settings/ before \
              loading. If your simulator is 0.9.3 or later, set simulator = \"0.9.3\" in the profile.",
        source: "OpenSim, RegionSettingsSerializer.cs, Deserialize; ArchiveReadRequest.cs, LoadRegionSettings; measured \
                 with 0.9.2.2",
    }

    REG008 "m²" "Parcel overlaps an earlier one" {
        about: Entry,
        effect: Loses,
        check: overlapping_parcels,
        message: "The parcel is lost, because its land belongs to an earlier one: {detail}",
        why: "A piece of land has one parcel. The parcel is lost with its name, owner, rights and landing point, and its \
              land stays with the parcel that was read before.",
        engines: [
            "OpenSimulator" => "Drops the later parcel in the archive, and writes a line in the log.",
        ],
        fix: "Divide the land and set up the parcel again after loading. Or clear the shared cells in one of the two bitmaps \
              before loading.",
        fix_owner: "Check your parcel in About Land after the move.",
        source: "OpenSim, LandManagementModule.cs, EventManagerOnIncomingLandDataFromStorage; measured with 0.9.2.2",
    }

    REG009 "" "Terrain is missing" {
        about: Region,
        effect: Loses,
        check: terrain_missing,
        message: "The archive has no terrain: {detail}",
        why: "The target keeps its old ground. Objects float above it or are under it.",
        engines: [
            "OpenSimulator" => "Reads terrain from the folder terrains/ alone. `save oar` always writes it.",
        ],
        fix: "If the archive has terrain in another folder, such as terrain/, rename that folder to terrains/. Else save \
              the terrain with `terrain save`, and load it with `terrain load` after the archive.",
        source: "OpenSim, ArchiveConstants.cs (TERRAINS_PATH); ArchiveReadRequest.cs, LoadTerrain",
    }

    REG010 "heights" "Archive of a megaregion" {
        about: Region,
        effect: Changes,
        check: megaregion,
        message: "The archive {detail}",
        why: "A megaregion joined several regions. Its south-western region was saved with all objects, and with the \
              parcels and the terrain of that one region. In a region of 256 m, the other objects are lost (POS002).",
        engines: [
            "OpenSimulator" => "Has no megaregions since 0.9. A single region may be as large.",
        ],
        fix: "Make a region of this size on the target (SizeX and SizeY in Regions.ini), and load the archive into it. \
              Then load the terrain of the other regions, if you saved it. Or divide it: `hullmark extract --per square` \
              writes an archive for each square of 256 m.",
        source: "OpenSim, ArchiveWriteRequest.cs (is_megaregion, size_in_meters); RegionCombinerModule.cs until 0.8",
    }

    REG011 "m" "Region is too large" {
        about: Region,
        effect: Loses,
        check: too_large,
        message: "The target has no region of this size: {detail}",
        why: "The simulator limits the sides of a region. Objects further out do not load (POS002).",
        engines: [
            "OpenSimulator" => "Limits a region to 8,192 m, and says so in its log.",
        ],
        fix: "Load the archive into several regions, each with --displacement and --bounding-origin.",
        source: "OpenSim, Constants.cs (MaximumRegionSize); RegionInfo.cs, DoRegionSizeSanityChecks",
    }
}

/// Regions with a side that the target does not have.
fn too_large(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    let most = measured.profile.placement.largest_region_m;
    let is_opensim = measured.profile.loader() == Grid::OpenSim;
    for region in measured.ledger.regions.iter().filter(|region| is_opensim && region.size_stated) {
        let [east, north] = region.size;
        if east.max(north) > most {
            let detail = format!(
                "region \"{}\" of {} × {} m",
                region.name,
                grouped(east.into()),
                grouped(north.into())
            );
            let finding =
                Finding::new(Code::REG011).entry(&region.folder).measured(east.max(north)).limit(most);
            outcomes.push(finding.detail(detail));
        }
    }
}

/// Regions without terrain. An archive of objects alone has neither settings nor parcels, and needs no terrain.
fn terrain_missing(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    if !is_archive(measured) {
        return;
    }
    let lacks = |region: &&RegionFacts| {
        let is_whole = region.settings.is_some() || !region.parcels.is_empty();
        region.terrain.is_none() && (is_whole || region.unread_terrain.is_some())
    };
    for region in measured.ledger.regions.iter().filter(lacks) {
        if measured.ledger.status == Status::Complete {
            let mut detail = format!("region \"{}\" keeps the ground of the target", region.name);
            if let Some(entry) = &region.unread_terrain {
                detail += &format!("; no loader reads {entry}");
            }
            outcomes.push(Finding::new(Code::REG009).entry(&region.folder).detail(detail));
        } else {
            outcomes.not_evaluated(Code::REG009, SkipReason::Incomplete, 1);
        }
    }
}

/// Regions that archive.xml calls megaregions. Older files state no size, so objects show it.
fn megaregion(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    if measured.ledger.container.control.is_none() {
        return;
    }
    for (number, region) in measured.ledger.regions.iter().enumerate() {
        let is_stated = region.is_megaregion;
        let size = if is_stated { region.size } else { size_by_objects(measured, number, region) };
        if size == SMALLEST_M {
            continue;
        }
        let [east, north] = size;
        let is = match is_stated {
            true => "is of a megaregion",
            false => "may be of a megaregion: it states no size, and objects are outside of 256 m",
        };
        let mut finding = Finding::new(Code::REG010).entry(&region.folder);
        if !is_stated {
            finding = finding.at_most(Severity::Info);
        }
        let mut ground = String::new();
        if let Some(heights) = region.terrain.as_ref().and_then(|terrain| terrain.heights) {
            let all = u64::from(east) * u64::from(north);
            let lacks = all.saturating_sub(heights.samples);
            finding = finding.measured(lacks as f64).limit(all as f64);
            if lacks > 0 {
                ground = format!("; {} of {} heights are not in the file", thousands(lacks), thousands(all));
            }
        }
        let detail = format!("{is}; load it into a region of {east} × {north} m{ground}");
        outcomes.push(finding.detail(detail));
    }
}

/// Returns the sides in metres of the region that holds all objects near a region whose size is not stated.
fn size_by_objects(measured: &Measured<'_>, number: usize, region: &RegionFacts) -> [u32; 2] {
    let standing = measured.regions[number].standing.iter();
    let roots = standing.filter_map(|&object| measured.ledger.objects[object].linkset.parts.first());
    match region.size_stated {
        true => SMALLEST_M,
        false => size_by_places(roots.map(|root| root.group_position)),
    }
}

fn overlapping_parcels(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    if !is_archive(measured) {
        return;
    }
    for region in &measured.ledger.regions {
        let fits = |parcel: &&ParcelFacts| misfit(parcel.parcel.bitmap.len(), region).is_none();
        let mut parcels: Vec<&ParcelFacts> = region.parcels.iter().filter(fits).collect();
        parcels.sort_by_key(|parcel| parcel.order);
        // The cells that are taken, and the parcels that took them. All of these bitmaps have the same size.
        let mut taken: Vec<u8> = Vec::new();
        let mut owners: Vec<&ParcelFacts> = Vec::new();
        for parcel in parcels {
            let bitmap = &parcel.parcel.bitmap;
            taken.resize(bitmap.len(), 0);
            let shared = || bitmap.iter().zip(&taken).map(|(bits, taken)| bits & taken);
            let Some(at) = shared().position(|bits| bits > 0) else {
                taken.iter_mut().zip(bitmap).for_each(|(taken, bits)| *taken |= bits);
                owners.push(parcel);
                continue;
            };
            let first_cell = 1 << (bitmap[at] & taken[at]).trailing_zeros();
            let first = owners.iter().find(|owner| owner.parcel.bitmap[at] & first_cell > 0);
            let m2 = f64::from(shared().map(u8::count_ones).sum::<u32>()) * CELL_M * CELL_M;
            let (name, entry) = first.map_or(("", ""), |first| (&first.parcel.name, &first.entry));
            let detail = format!("“{name}” ({entry}) has {} m² of it", grouped(m2));
            outcomes.push(Finding::new(Code::REG008).entry(&parcel.entry).measured(m2).detail(detail));
        }
    }
}

/// Returns the numbers of the cells that a bitmap marks.
fn cells(bitmap: &[u8]) -> impl Iterator<Item = usize> {
    let bits = |(byte, &bits): (usize, &u8)| {
        (0..8).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| 8 * byte + bit)
    };
    bitmap.iter().enumerate().flat_map(bits)
}

fn newer_settings(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    if measured.profile.simulator > Simulator::Until092 {
        return;
    }
    for defect in &measured.ledger.defects {
        if let DefectKind::Document(DocumentDefect::SettingsTooNew) = defect.kind {
            let detail = format!(
                "OpenSimulator {} does not know {}",
                measured.profile.simulator.name(),
                defect.place.within
            );
            outcomes
                .push(Finding { place: defect.place.clone(), ..Finding::new(Code::REG007).detail(detail) });
        }
    }
}

fn too_many_prims(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    if measured.profile.land.counted == Counted::Prims {
        land::over_capacity(measured, Code::REG001, outcomes);
    }
}

fn telehub_missing(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    for (facts, region) in measured.ledger.regions.iter().zip(&measured.regions) {
        let Some(telehub) = facts.settings.as_ref().and_then(|settings| settings.telehub) else { continue };
        let root = |number: usize| measured.ledger.objects[number].linkset.parts.first();
        let stands =
            region.standing.iter().filter_map(|&number| root(number)).any(|root| root.uuid == telehub);
        // The unread part may contain the object.
        if !stands && measured.ledger.status == Status::Complete {
            let detail = format!("{telehub} in region \"{}\"", facts.name);
            outcomes.push(Finding::new(Code::REG003).entry(&facts.folder).detail(detail));
        }
    }
}

/// A parcel bitmap without any cell, or of another size than its region. OpenSim takes every bitmap as square and as
/// large as its region.
fn bitmap_does_not_fit(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    for region in &measured.ledger.regions {
        // Without archive.xml, or terrain in a database, the size of a region is unknown.
        let stated = region.size_stated || measured.ledger.container.control.is_some();
        // A bitmap that cannot be read is empty here; the decoder reports it.
        for parcel in region.parcels.iter().filter(|parcel| !parcel.parcel.bitmap.is_empty()) {
            let bitmap = &parcel.parcel.bitmap;
            let finding = Finding::new(Code::REG004).entry(&parcel.entry).within("Bitmap");
            if bitmap.iter().all(|&byte| byte == 0) {
                let detail = "it marks no land";
                outcomes.push(finding.measured(bitmap.len() as f64).detail(detail));
            } else if !stated {
                outcomes.not_evaluated(Code::REG004, SkipReason::NotStated, 1);
            } else if let Some((bytes, detail)) = misfit(bitmap.len(), region)
                && !arrives(bitmap, region)
            {
                outcomes.push(finding.measured(bitmap.len() as f64).limit(bytes).detail(detail));
            }
        }
    }
}

/// Whether a parcel keeps all of its land, although its bitmap is of another size than the region. OpenSim lays a square
/// bitmap over the south-western corner.
fn arrives(bitmap: &[u8], region: &RegionFacts) -> bool {
    let side = (8 * bitmap.len()).isqrt();
    let [east, north] = region.size.map(|side| side as usize / CELL_M as usize);
    side * side == 8 * bitmap.len() && cells(bitmap).all(|cell| cell % side < east && cell / side < north)
}

/// Returns the right number of bytes of the bitmap, and the problem. `None` if the number is right.
fn misfit(bytes: usize, region: &RegionFacts) -> Option<(f64, String)> {
    let [east, north] = region.size.map(f64::from);
    let expected = (east / CELL_M).floor() * (north / CELL_M).floor() / 8.0;
    let side = (8.0 * bytes as f64).sqrt() * CELL_M;
    (bytes as f64 != expected).then(|| {
        let detail = format!("it covers {side} × {side} m, but the region has {east} × {north} m");
        (expected, detail)
    })
}
