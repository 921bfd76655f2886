//! REG: settings and parcels of a region. The decoder reports unreadable ones.

use super::land;
use crate::{RuleOutcomes, SkipReason};
use hullmark_analysis::{CELL_M, Measured};
use hullmark_finding::{Code, Finding};
use hullmark_ledger::facts::{RegionFacts, Status};
use hullmark_settings::profile::LandModel;

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
        why: "Unreadable settings are lost as a whole. An unreadable field of a parcel gets a default value.",
        engines: [
            "OpenSimulator" => "Keeps the target's settings if these cannot be read, or lack General, GroundTextures \
                and Terrain in this order. It declares utf-16 over UTF-8 bytes and writes numbers in the server's \
                culture: hullmark reads both and reports neither.",
        ],
        fix: "Save the region again, or set these values by hand after loading.",
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
        fix: "Save the region again. Or remove the file from the archive, and set the parcel by hand after loading.",
        fix_owner: "Ask the operator of your grid to save the region again.",
        source: "OpenSim, ArchiveReadRequest.cs, DearchiveRegion and LoadParcels; LandDataSerializer.cs, Deserialize",
    }
}

fn too_many_prims(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    if measured.profile.land.model == LandModel::Opensim {
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
            } else if let Some((bytes, detail)) = misfit(bitmap.len(), region) {
                outcomes.push(finding.measured(bitmap.len() as f64).limit(bytes).detail(detail));
            }
        }
    }
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
