//! REG: settings and parcels of a region, and DBS009. The decoder reports unreadable ones.

use super::land;
use crate::{RuleOutcomes, SkipReason};
use hullmark_analysis::{CELL_M, Measured};
use hullmark_finding::{Code, Finding};
use hullmark_ledger::facts::{RegionFacts, Status};
use hullmark_settings::profile::LandModel;

/// More prims than the capacity of a region, or of the parcels of one owner, on a grid that counts prims.
pub(crate) fn reg001_too_many_prims(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    if measured.profile.land.model == LandModel::Opensim {
        land::over_capacity(measured, Code::REG001, verdicts);
    }
}

/// Rows of a region in a database that no list of regions has.
pub(crate) fn dbs009_unknown_region(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    if !measured.ledger.is_database() {
        return;
    }
    let unknown = match measured.ledger.status {
        Status::Complete => SkipReason::NoRegions,
        _ => SkipReason::Incomplete,
    };
    for region in &measured.ledger.regions {
        match region.listed {
            Some(true) => {}
            None => verdicts.not_evaluated(Code::DBS009, unknown, 1),
            Some(false) => {
                let uuid = region.uuid.unwrap_or_default().to_string();
                let name = if region.name == uuid { String::new() } else { format!(" \"{}\"", region.name) };
                let tables: Vec<String> =
                    region.rows.iter().map(|(table, rows)| format!("{rows} in {table}")).collect();
                let detail = format!("{uuid}{name}; rows: {}", tables.join(", "));
                let rows: u64 = region.rows.values().sum();
                let finding = Finding::new(Code::DBS009).entry(&region.folder).detail(detail);
                verdicts.push(finding.measured(rows as f64));
            }
        }
    }
}

/// The telehub of the settings is not a root prim in the region.
pub(crate) fn reg003_telehub_missing(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    for (facts, region) in measured.ledger.regions.iter().zip(&measured.regions) {
        let Some(telehub) = facts.settings.as_ref().and_then(|settings| settings.telehub) else { continue };
        let root = |number: usize| measured.ledger.objects[number].linkset.parts.first();
        let stands =
            region.standing.iter().filter_map(|&number| root(number)).any(|root| root.uuid == telehub);
        // The unread part may contain the object.
        if !stands && measured.ledger.status == Status::Complete {
            let detail = format!("{telehub} in region \"{}\"", facts.name);
            verdicts.push(Finding::new(Code::REG003).entry(&facts.folder).detail(detail));
        }
    }
}

/// A parcel bitmap without any cell, or of another size than its region. OpenSim takes every bitmap as square and as
/// large as its region.
pub(crate) fn reg004_bitmap_does_not_fit(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    for region in &measured.ledger.regions {
        // Without archive.xml, or terrain in a database, the size of a region is unknown.
        let stated = region.size_stated || measured.ledger.container.control.is_some();
        // A bitmap that cannot be read is empty here; the decoder reports it.
        for parcel in region.parcels.iter().filter(|parcel| !parcel.parcel.bitmap.is_empty()) {
            let bitmap = &parcel.parcel.bitmap;
            let finding = Finding::new(Code::REG004).entry(&parcel.entry).within("Bitmap");
            if bitmap.iter().all(|&byte| byte == 0) {
                let detail = "it marks no land";
                verdicts.push(finding.measured(bitmap.len() as f64).detail(detail));
            } else if !stated {
                verdicts.not_evaluated(Code::REG004, SkipReason::NotStated, 1);
            } else if let Some((bytes, detail)) = misfit(bitmap.len(), region) {
                verdicts.push(finding.measured(bitmap.len() as f64).limit(bytes).detail(detail));
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
