//! The box in which points are decoded: `Min` and `Max`.

use super::diagnostics::Notes;
use crate::{
    defect::{self, Defect, MeshDefect},
    llsd::{Map, Value},
};
use glam::DVec3;
use hullmark_geometry::quantized::Domain;

/// The corners in the order in which they are read.
const BOTH: [defect::Corner; 2] = [defect::Corner::Min, defect::Corner::Max];

#[derive(Debug, Clone, Copy, PartialEq)]
enum Corner {
    Absent,
    /// The value is not a list of three numbers.
    Malformed,
    At(DVec3),
}

impl Corner {
    fn read(map: &Map<'_>, key: &str) -> Self {
        let Some(value) = map.get(key) else { return Self::Absent };
        match value.as_array() {
            // Readers take the first three numbers and ignore further ones.
            Some([x, y, z, ..]) => match (x.as_f64(), y.as_f64(), z.as_f64()) {
                (Some(x), Some(y), Some(z)) => Self::At(DVec3::new(x, y, z)),
                _ => Self::Malformed,
            },
            _ => Self::Malformed,
        }
    }

    fn or(self, default: DVec3) -> DVec3 {
        if let Self::At(corner) = self { corner } else { default }
    }
}

/// Reads the domain of the convex block from its map. A missing or malformed corner is replaced by that of the unit
/// cube.
pub(super) fn read_convex(map: &Map<'_>, within: &'static str, notes: &mut Notes) -> Domain {
    let corners = [Corner::read(map, "Min"), Corner::read(map, "Max")];
    let missing = match corners {
        [Corner::Absent, Corner::Absent] => Some(None),
        [Corner::Absent, _] => Some(Some(defect::Corner::Min)),
        [_, Corner::Absent] => Some(Some(defect::Corner::Max)),
        _ => None,
    };
    if let Some(corner) = missing {
        notes.odd("no-domain");
        notes.find(Defect::new(MeshDefect::DomainMissing { corner }).within(within));
    }
    evaluated(corners, within, None, notes)
}

/// Reads the domain of a submesh from its `PositionDomain`.
pub(super) fn read_submesh(face: &Map<'_>, within: &'static str, index: usize, notes: &mut Notes) -> Domain {
    let domain = face.get("PositionDomain");
    let Some(map) = domain.and_then(Value::as_map) else {
        if let Some(value) = domain {
            let defect = Defect::new(MeshDefect::SubmeshDomainNotMap { found: value.kind().into() });
            notes.find(defect.within(within).index(index));
        } else {
            missing_in_submesh(None, within, index, notes);
        }
        return Domain::UNIT;
    };
    let corners = [Corner::read(map, "Min"), Corner::read(map, "Max")];
    for (corner, which) in corners.iter().zip(BOTH) {
        if *corner == Corner::Absent {
            missing_in_submesh(Some(which), within, index, notes);
        }
    }
    evaluated(corners, within, Some(index), notes)
}

fn missing_in_submesh(corner: Option<defect::Corner>, within: &'static str, index: usize, notes: &mut Notes) {
    notes.odd("no-domain");
    notes.find(Defect::new(MeshDefect::SubmeshDomainMissing { corner }).within(within).index(index));
}

/// Returns the domain with these corners, and notes a defect for each unusable corner. A flat domain is valid: a planar
/// mesh has `Min` = `Max` on an axis.
fn evaluated(corners: [Corner; 2], within: &'static str, index: Option<usize>, notes: &mut Notes) -> Domain {
    let mut find = |kind: MeshDefect| {
        let defect = Defect::new(kind).within(within);
        notes.find(if let Some(index) = index { defect.index(index) } else { defect });
    };
    for (read, corner) in corners.iter().zip(BOTH) {
        match read {
            Corner::Malformed => find(MeshDefect::CornerMalformed { corner }),
            Corner::At(at) if !is_usable(*at) => find(MeshDefect::CornerNotFinite { corner }),
            _ => {}
        }
    }
    let [min, max] = corners;
    let domain = Domain { min: min.or(Domain::UNIT.min), max: max.or(Domain::UNIT.max) };
    if domain.min.cmpgt(domain.max).any() {
        find(MeshDefect::InvertedDomain);
    }
    domain
}

/// Whether the numbers are finite for a viewer, which computes in 32-bit floats.
fn is_usable(corner: DVec3) -> bool {
    corner.abs().cmple(DVec3::splat(f32::MAX.into())).all()
}
