//! The box that points are decoded into: `Min` and `Max`.

use super::diagnostics::Notes;
use crate::{
    finding::{Code, Finding},
    format::llsd::{Map, Value},
    geometry::quantized::Domain,
};
use glam::DVec3;

/// One corner, as the map has it.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Corner {
    Absent,
    /// Something else than three numbers.
    Malformed,
    At(DVec3),
}

impl Corner {
    fn read(map: &Map<'_>, key: &str) -> Self {
        let Some(value) = map.get(key) else { return Self::Absent };
        match value.as_array() {
            // Readers take three and do not count.
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

/// Reads the domain of the convex block from its map. A corner that is missing or malformed is that of the
/// unit cube.
pub(super) fn read_convex(map: &Map<'_>, within: &'static str, notes: &mut Notes) -> Domain {
    let corners = [Corner::read(map, "Min"), Corner::read(map, "Max")];
    let missing = match corners {
        [Corner::Absent, Corner::Absent] => Some(
            "neither Min nor Max; viewers, ubODE, the ODE and BulletSim meshers, LibreMetaverse, node-metaverse, Halcyon, \
             WhiteCore and SilverSim take −0.5 to 0.5",
        ),
        [Corner::Absent, _] => {
            Some("no Min; OpenSim takes −0.5 for it, viewers take −0.5 to 0.5 for both corners")
        }
        [_, Corner::Absent] => Some("no Max; OpenSim takes 0.5 for it, viewers take 0"),
        _ => None,
    };
    if let Some(missing) = missing {
        notes.odd("no-domain");
        let finding = Finding::new(Code::MSH016).within(within).aspect("domain");
        notes.find(finding.detail(format!("block {within} has {missing}")));
    }
    judged(corners, within, None, notes)
}

/// Reads the domain of a submesh from its `PositionDomain`.
pub(super) fn read_submesh(face: &Map<'_>, within: &'static str, index: usize, notes: &mut Notes) -> Domain {
    let domain = face.get("PositionDomain");
    let Some(map) = domain.and_then(Value::as_map) else {
        if let Some(value) = domain {
            let detail =
                format!("PositionDomain of submesh {index} is {}, where a map should be", value.kind());
            let finding = Finding::new(Code::HUL007).within(within).index(index).aspect("PositionDomain");
            notes.find(finding.detail(detail));
        } else {
            missing_in_submesh("PositionDomain", within, index, notes);
        }
        return Domain::UNIT;
    };
    let corners = [Corner::read(map, "Min"), Corner::read(map, "Max")];
    for (corner, key) in corners.iter().zip(["Min of PositionDomain", "Max of PositionDomain"]) {
        if *corner == Corner::Absent {
            missing_in_submesh(key, within, index, notes);
        }
    }
    judged(corners, within, Some(index), notes)
}

fn missing_in_submesh(what: &'static str, within: &'static str, index: usize, notes: &mut Notes) {
    notes.odd("no-domain");
    notes.find(Finding::new(Code::MSH016).within(within).index(index).aspect(what).detail(format!(
        "submesh {index} of {within} has no {what}; OpenSim takes −0.5 to 0.5, viewers take 0"
    )));
}

/// The domain of these corners, with a finding for each that is of no use. A flat one is of use: a planar
/// mesh has `Min` = `Max` on an axis.
fn judged(corners: [Corner; 2], within: &'static str, index: Option<usize>, notes: &mut Notes) -> Domain {
    let of = index.map_or_else(String::new, |index| format!(" of submesh {index}"));
    let mut find = |aspect: &'static str, detail: String| {
        let finding = Finding::new(Code::HUL007).within(within).detail(detail).aspect(aspect);
        notes.find(if let Some(index) = index { finding.index(index) } else { finding });
    };
    for (corner, key) in corners.iter().zip(["Min", "Max"]) {
        match corner {
            Corner::Malformed => find(key, format!("{key}{of} is not three numbers; −0.5 or 0.5 is taken")),
            Corner::At(at) if !is_usable(*at) => {
                find(key, format!("{key}{of} holds a number that is not finite"));
            }
            _ => {}
        }
    }
    let [min, max] = corners;
    let domain = Domain { min: min.or(Domain::UNIT.min), max: max.or(Domain::UNIT.max) };
    if domain.min.cmpgt(domain.max).any() {
        find("Min above Max", format!("Min{of} is above Max, which turns the shape inside out"));
    }
    domain
}

/// Whether these are numbers to a viewer too, which computes in 32-bit floats.
fn is_usable(corner: DVec3) -> bool {
    corner.abs().cmple(DVec3::splat(f32::MAX.into())).all()
}
