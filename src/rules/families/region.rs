//! REG: settings and parcels of a region, as far as facts show. The decoder reports unreadable ones.

use super::land;
use crate::{
    analysis::{CELL_M, Measured},
    finding::{Code, Finding},
    ledger::facts::{RegionFacts, Status},
    rules::{RuleOutcomes, SkipReason},
    settings::profile::LandModel,
};

/// More prims than a region holds, or the parcels of one owner, on a grid that counts prims.
pub(crate) fn reg001_too_many_prims(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    if measured.profile.land.model == LandModel::Opensim {
        land::over_capacity(measured, Code::REG001, verdicts);
    }
}

/// The telehub of the settings is the root of no object in the region.
pub(crate) fn reg003_telehub_missing(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    for (facts, region) in measured.ledger.regions.iter().zip(&measured.regions) {
        let Some(telehub) = facts.settings.as_ref().and_then(|settings| settings.telehub) else { continue };
        let root = |number: usize| measured.ledger.objects[number].linkset.parts.first();
        let stands =
            region.standing.iter().filter_map(|&number| root(number)).any(|root| root.uuid == telehub);
        // Its object may stand in the part that was not read.
        if !stands && measured.ledger.status == Status::Complete {
            let detail = format!("{telehub} in region \"{}\"", facts.name);
            verdicts.push(Finding::new(Code::REG003).entry(&facts.folder).detail(detail));
        }
    }
}

/// A bitmap without a cell, or of another size than its region's. OpenSim takes a bitmap for square and for as
/// large as it is, whatever region it comes from.
pub(crate) fn reg004_bitmap_does_not_fit(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    // Without the control file nobody knows the size of a region.
    let stated = measured.ledger.container.control.is_some();
    for region in &measured.ledger.regions {
        // One that cannot be read is empty, and was told by the decoder.
        for parcel in region.parcels.iter().filter(|parcel| !parcel.parcel.bitmap.is_empty()) {
            let bitmap = &parcel.parcel.bitmap;
            let finding = Finding::new(Code::REG004).entry(&parcel.entry).within("Bitmap");
            if bitmap.iter().all(|&byte| byte == 0) {
                let detail = "it has no cell, and OpenSim skips a parcel without land";
                verdicts.push(finding.measured(bitmap.len() as f64).detail(detail));
            } else if !stated {
                verdicts.not_evaluated(Code::REG004, SkipReason::NotStated, 1);
            } else if let Some((bytes, detail)) = misfit(bitmap.len(), region) {
                verdicts.push(finding.measured(bitmap.len() as f64).limit(bytes).detail(detail));
            }
        }
    }
}

/// How many bytes the bitmap should have, and what becomes of it, where it has another number.
fn misfit(bytes: usize, region: &RegionFacts) -> Option<(f64, String)> {
    let [east, north] = region.size.map(f64::from);
    let expected = (east / CELL_M).floor() * (north / CELL_M).floor() / 8.0;
    let side = (8.0 * bytes as f64).sqrt() * CELL_M;
    (bytes as f64 != expected).then(|| {
        let detail = format!(
            "it is of {side} m × {side} m and the region of {east} m × {north} m, so OpenSim lays it over the \
             south-western corner"
        );
        (expected, detail)
    })
}
