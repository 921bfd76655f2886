//! The convex block: base hull and decomposition.

use super::{CONVEX, Convex, diagnostics::Notes, domain};
use crate::{
    defect::{Defect, MeshDefect},
    llsd::{Map, Value},
};
use hullmark_geometry::quantized::triples;

/// Minimum number of points of a base hull: ubODE builds no collision shape from fewer.
pub(super) const LEAST_BASE: f64 = 3.0;

const POINT: usize = 6;

/// Reads the convex block and keeps at most `most_hulls` hulls. `within` is the block's name in the header.
pub(super) fn read(
    value: &Value<'_>,
    within: &'static str,
    most_hulls: usize,
    notes: &mut Notes,
) -> Option<Convex> {
    let Some(map) = value.as_map() else {
        notes.find(Defect::new(MeshDefect::BlockNotMap { found: value.kind().into() }).within(within));
        return None;
    };
    let mut block = Block { map, within, notes };
    let positions = block.points(["Positions", "Position"]);
    let base = block.points(["BoundingVerts", "Hull"]);
    let hull_sizes = block.hull_sizes(most_hulls);
    let domain = domain::read_convex(map, within, block.notes);
    let convex = Convex { domain, base, hull_sizes, positions };
    block.check_base(&convex);
    block.check_decomposition(&convex);
    Some(convex)
}

struct Block<'a, 'n> {
    map: &'a Map<'a>,
    within: &'static str,
    notes: &'n mut Notes,
}

impl<'a> Block<'a, '_> {
    fn defect(&self, kind: MeshDefect) -> Defect {
        Defect::new(kind).within(self.within)
    }

    /// Returns the bytes of `key`; `None` if the key is missing or its value is not binary data.
    fn binary(&mut self, key: &'static str) -> Option<&'a [u8]> {
        let value = self.map.get(key)?;
        let bytes = value.as_binary();
        if bytes.is_none() {
            let (list, found) = (key.into(), value.kind().into());
            self.notes.find(self.defect(MeshDefect::ConvexListNotBinary { list, found }));
        }
        bytes
    }

    /// Returns the points under the released name or, if that is missing, the pre-release name.
    fn points(&mut self, [released, beta]: [&'static str; 2]) -> Option<Vec<[u16; 3]>> {
        let name = match (self.map.has(released), self.map.has(beta)) {
            (false, false) => return None,
            (true, false) => released,
            (true, true) => {
                let kind = MeshDefect::PointsTwice { released: released.into(), beta: beta.into() };
                self.notes.find(self.defect(kind));
                released
            }
            (false, true) => {
                self.notes.odd("beta-names");
                // No reader finds a block under its own old name, so old names inside it change nothing.
                if self.within == CONVEX[0] {
                    let kind = MeshDefect::PointsOldName { released: released.into(), beta: beta.into() };
                    self.notes.find(self.defect(kind));
                }
                beta
            }
        };
        let bytes = self.binary(name)?;
        if !bytes.len().is_multiple_of(POINT) {
            let defect = self.defect(MeshDefect::UnevenPoints { list: name.into() });
            self.notes.find(defect.measured(bytes.len() as f64));
        }
        Some(triples(bytes).collect())
    }

    fn hull_sizes(&mut self, most: usize) -> Option<Vec<u32>> {
        let list = self.binary("HullList")?;
        if list.len() > most {
            let defect = self.defect(MeshDefect::TooManyHulls).measured(list.len() as f64);
            self.notes.find(defect.limit(most as f64));
        }
        // A byte cannot store 256, so 0 means 256.
        let size = |&byte| if byte == 0 { 256 } else { u32::from(byte) };
        Some(list.iter().take(most).map(size).collect())
    }

    fn check_base(&mut self, convex: &Convex) {
        let points = convex.base.as_ref().map_or(0, Vec::len);
        if (points as f64) < LEAST_BASE {
            let defect = self.defect(match convex.base {
                None => MeshDefect::BasePointsMissing,
                Some(_) => MeshDefect::TooFewBasePoints,
            });
            self.notes.find(defect.measured(points as f64).limit(LEAST_BASE));
        }
    }

    fn check_decomposition(&mut self, convex: &Convex) {
        match (&convex.hull_sizes, &convex.positions) {
            (Some(sizes), Some(positions)) => {
                let announced: u64 = sizes.iter().copied().map(u64::from).sum();
                self.check_sum(announced, positions.len() as u64);
            }
            (Some(sizes), None) if !sizes.is_empty() => {
                self.notes.find(self.defect(MeshDefect::HullsWithoutPoints).measured(sizes.len() as f64));
            }
            (None, Some(positions)) if !positions.is_empty() => {
                self.notes.find(self.defect(MeshDefect::PointsWithoutHulls).measured(positions.len() as f64));
            }
            _ => {}
        }
    }

    /// Checks that the sizes of the hulls add up to the number of points.
    fn check_sum(&mut self, announced: u64, present: u64) {
        if announced != present {
            let defect = self.defect(MeshDefect::HullSizesDiffer).measured(present as f64);
            self.notes.find(defect.limit(announced as f64));
        }
    }
}
