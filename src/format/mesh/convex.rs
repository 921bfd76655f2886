//! The convex block: base hull and decomposition.

use super::{CONVEX, Convex, diagnostics::Notes, domain};
use crate::{
    finding::{Code, Finding},
    format::llsd::{Map, Value},
    geometry::quantized::triples,
};

/// Points that a base hull needs: ubODE makes no collision shape of fewer.
pub(super) const LEAST_BASE: f64 = 3.0;

/// What programs make of fewer.
const READERS_OF_FEW: &str = "ubODE makes no collision shape of it, and people fall through; the ODE and BulletSim \
                              meshers and WhiteCore never collide with a base hull; viewers, LibreMetaverse, \
                              node-metaverse, Halcyon and SilverSim keep it as it is";

/// Bytes of a point.
const POINT: usize = 6;

/// Reads the convex block; `within` is the name it has in the header. Of hulls so many are kept.
pub(super) fn read(
    value: &Value<'_>,
    within: &'static str,
    most_hulls: usize,
    notes: &mut Notes,
) -> Option<Convex> {
    let Some(map) = value.as_map() else {
        let detail = format!("{}, where a map should be", value.kind());
        notes.find(Finding::new(Code::MSH015).within(within).detail(detail));
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

/// The block being read.
struct Block<'a, 'n> {
    map: &'a Map<'a>,
    within: &'static str,
    notes: &'n mut Notes,
}

impl<'a> Block<'a, '_> {
    fn finding(&self, code: Code) -> Finding {
        Finding::new(code).within(self.within)
    }

    /// The bytes of `key`, where it is there and holds any.
    fn binary(&mut self, key: &'static str) -> Option<&'a [u8]> {
        let value = self.map.get(key)?;
        let bytes = value.as_binary();
        if bytes.is_none() {
            let detail = format!("{key} is {}, where binary data should be", value.kind());
            self.notes.find(self.finding(Code::MSH015).detail(detail).aspect(key));
        }
        bytes
    }

    /// The points under one of two names: the released one, and the one from before.
    fn points(&mut self, [released, beta]: [&'static str; 2]) -> Option<Vec<[u16; 3]>> {
        let name = match (self.map.has(released), self.map.has(beta)) {
            (false, false) => return None,
            (true, false) => released,
            (true, true) => {
                let detail =
                    format!("{released} and {beta} are both there; {released} is read, {beta} by nobody");
                self.notes.find(self.finding(Code::MSH011).detail(detail).aspect(released));
                released
            }
            (false, true) => {
                self.notes.odd("beta-names");
                // Under the block's own old name nobody finds the block anyway.
                if self.within == CONVEX[0] {
                    let detail = format!(
                        "the points have their name from before the release, {beta}; viewers and OpenSim look for \
                         {released} only"
                    );
                    self.notes.find(self.finding(Code::MSH011).detail(detail).aspect(released));
                }
                beta
            }
        };
        let bytes = self.binary(name)?;
        if !bytes.len().is_multiple_of(POINT) {
            let finding = self.finding(Code::HUL004).detail(name).aspect(name);
            self.notes.find(finding.measured(bytes.len() as f64));
        }
        Some(triples(bytes).collect())
    }

    fn hull_sizes(&mut self, most: usize) -> Option<Vec<u32>> {
        let list = self.binary("HullList")?;
        if list.len() > most {
            let finding = self.finding(Code::ARC012).measured(list.len() as f64).limit(most as f64);
            self.notes.find(finding.detail("HullList has too many hulls, and the others are left out"));
        }
        // A byte cannot say 256, so 0 does.
        let size = |&byte| if byte == 0 { 256 } else { u32::from(byte) };
        Some(list.iter().take(most).map(size).collect())
    }

    fn check_base(&mut self, convex: &Convex) {
        let points = convex.base.as_ref().map_or(0, Vec::len);
        if (points as f64) < LEAST_BASE {
            let detail = match (&convex.base, points) {
                (None, _) => "the block has no list of its points, BoundingVerts".to_owned(),
                (Some(_), 1) => format!("BoundingVerts has 1 point. {READERS_OF_FEW}"),
                _ => format!("BoundingVerts has {points} points. {READERS_OF_FEW}"),
            };
            let finding = self.finding(Code::HUL008).measured(points as f64).limit(LEAST_BASE);
            self.notes.find(finding.detail(detail));
        }
    }

    fn check_decomposition(&mut self, convex: &Convex) {
        match (&convex.hull_sizes, &convex.positions) {
            (Some(sizes), Some(positions)) => {
                let announced: u64 = sizes.iter().copied().map(u64::from).sum();
                self.check_sum(announced, positions.len() as u64);
            }
            (Some(sizes), None) if !sizes.is_empty() => {
                let detail = format!(
                    "HullList announces {} hulls and the block has no list of their points, Positions",
                    sizes.len()
                );
                self.notes.find(self.finding(Code::HUL010).measured(sizes.len() as f64).detail(detail));
            }
            (None, Some(positions)) if !positions.is_empty() => {
                let detail = format!(
                    "Positions holds {} points and the block has no list of hulls, HullList",
                    positions.len()
                );
                self.notes.find(self.finding(Code::HUL010).measured(positions.len() as f64).detail(detail));
            }
            _ => {}
        }
    }

    /// Says what each engine makes of a list of hulls that does not add up.
    fn check_sum(&mut self, announced: u64, present: u64) {
        let detail = match announced.cmp(&present) {
            std::cmp::Ordering::Equal => return,
            std::cmp::Ordering::Greater => format!(
                "{} points are missing. Viewers read past the end of the list; ubODE ignores the decomposition and \
                 uses the base hull; the ODE and BulletSim meshers, LibreMetaverse and WhiteCore add points at Min; \
                 Halcyon keeps the points that are there; node-metaverse fails; SilverSim fails, and makes hulls of \
                 the high level of detail",
                announced - present
            ),
            std::cmp::Ordering::Less => format!(
                "{} points belong to no hull. Viewers, the ODE and BulletSim meshers, LibreMetaverse, Halcyon, \
                 WhiteCore and SilverSim ignore them; ubODE ignores the whole decomposition and uses the base hull; \
                 node-metaverse fails",
                present - announced
            ),
        };
        let finding = self.finding(Code::HUL003).measured(present as f64).limit(announced as f64);
        self.notes.find(finding.detail(detail));
    }
}
