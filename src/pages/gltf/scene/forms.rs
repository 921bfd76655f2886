//! The forms of a scene, each once: surfaces of prims and sculpts, meshes, ground, and a box.

use super::super::builder::{Geometry, Mode};
use glam::DVec3;
use hullmark_analysis::{Measured, cost::NotEvaluated};
use hullmark_format::object::{Part, Sculpt, Shape};
use hullmark_geometry::{level_of_detail::Detail, prim, surface::Surface};
use hullmark_ledger::facts::{LodFacts, MeshFacts};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use uuid::Uuid;

/// Maximum number of vertices of all forms of a file. A form that does not fit is drawn in less detail, else as a box.
const MOST_VERTICES: u64 = 2_000_000;

/// Parts with a larger diagonal are drawn in high and in medium detail, metres. Others are drawn in low detail.
const HIGH_M: f64 = 4.0;
const MEDIUM_M: f64 = 1.0;

/// The form of a part that has no other: a box of its size.
pub(super) const BOX: usize = 0;

/// In how much detail parts are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Levels {
    /// By the diagonal of each part.
    BySize,
    /// In the highest detail.
    Highest,
}

/// Where a mesh is read again.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum MeshSource {
    /// The input with this name.
    Input(String),
    /// One of the stores, because the input lacks it.
    Stores,
}

/// A level of a mesh that is read again.
#[derive(Debug)]
pub(super) struct WantedLevel {
    /// Index of the level, from the lowest.
    pub(super) level: usize,
    /// What the level had when the input was scanned.
    pub(super) facts: LodFacts,
}

#[derive(Debug)]
pub(super) enum Form {
    Surface(Geometry),
    Mesh(WantedLevel),
}

#[derive(Debug, PartialEq, Eq, Hash)]
enum Key {
    Prim(Shape, Detail),
    /// A sculpt map of an input, with its number.
    Sculpt(usize, Sculpt, Detail),
    /// The content of a mesh, and its level.
    Mesh(String, usize),
}

/// All forms, in the order of their first use.
#[derive(Debug)]
pub(super) struct Forms {
    pub(super) forms: Vec<Form>,
    /// Forms by key. `None` if a form cannot be drawn.
    known: HashMap<Key, Result<usize, Why>>,
    /// The meshes that are read again: the forms of each entry.
    pub(super) wanted: BTreeMap<MeshSource, BTreeMap<String, Vec<usize>>>,
    vertices: u64,
}

/// Why a part is drawn as a box.
pub(super) type Why = &'static str;

const TOO_MANY: Why = "too many vertices for one file";
const NO_LEVEL: Why = "mesh asset without readable triangles";

impl Forms {
    pub(super) fn new() -> Self {
        let corners = prim::surface(&(&Shape::default()).into(), Detail::Lowest);
        let forms = geometry(&corners).map(Form::Surface).into_iter().collect();
        Self { forms, known: HashMap::new(), wanted: BTreeMap::new(), vertices: 0 }
    }

    /// Adds a form that is used once. `None` if it does not fit.
    pub(super) fn add_once(&mut self, geometry: Geometry) -> Option<usize> {
        self.fits(geometry.positions.len() as u64).then(|| self.add(Form::Surface(geometry)))
    }

    /// Returns the form of a part, or why it is a box.
    pub(super) fn of_part(
        &mut self,
        part: &Part,
        input: usize,
        measured: &Measured<'_>,
        levels: Levels,
    ) -> Result<usize, Why> {
        if let Some(reason) = NotEvaluated::of_unknown(part) {
            return Err(reason.name());
        }
        if part.shape.pcode != Shape::default().pcode {
            return Err(NotEvaluated::Plant.name());
        }
        let highest = match levels {
            Levels::Highest => Detail::High,
            Levels::BySize => detail(part.scale.length()),
        };
        if let Some(uuid) = part.mesh() {
            let mesh = measured.assets.mesh(uuid).ok_or(NotEvaluated::MeshMissing.name())?;
            let source = match measured.assets.in_stores(uuid) {
                true => MeshSource::Stores,
                false => MeshSource::Input(measured.ledger.input.clone()),
            };
            return self.of_mesh(mesh, &source, highest);
        }
        let key = |detail| match part.shape.sculpted() {
            Some(sculpt) => Key::Sculpt(input, sculpt, detail),
            None => Key::Prim(of_prim(part.shape), detail),
        };
        let mut result = Err(TOO_MANY);
        for detail in Detail::ALL.into_iter().rev().filter(|detail| *detail <= highest) {
            result = self.remember(key(detail), |forms| {
                let surface = measured.assets.body(part).surface(part, detail).map_err(NotEvaluated::name)?;
                let geometry = geometry(&surface).ok_or(NotEvaluated::SurfaceEmpty.name())?;
                forms.add_once(geometry).ok_or(TOO_MANY)
            });
            if result != Err(TOO_MANY) {
                break;
            }
        }
        result
    }

    fn of_mesh(&mut self, mesh: &MeshFacts, source: &MeshSource, highest: Detail) -> Result<usize, Why> {
        let highest = highest as usize;
        let is_drawn = |level: &usize| mesh.lods[*level].is_some_and(|facts| facts.triangles > 0);
        // The level itself or a lower one, else the next higher one: viewers do so if a level is missing.
        let lower = (0..=highest).rev().filter(is_drawn);
        let levels: Vec<usize> = lower.chain((highest + 1..mesh.lods.len()).filter(is_drawn)).collect();
        let mut result = Err(NO_LEVEL);
        for level in levels {
            let Some(facts) = mesh.lods[level] else { continue };
            result = self.remember(Key::Mesh(mesh.content_hash.clone(), level), |forms| {
                if !forms.fits(facts.vertices.into()) {
                    return Err(TOO_MANY);
                }
                let form = forms.add(Form::Mesh(WantedLevel { level, facts }));
                let entries = forms.wanted.entry(source.clone()).or_default();
                entries.entry(mesh.entry.clone()).or_default().push(form);
                Ok(form)
            });
            if result != Err(TOO_MANY) {
                break;
            }
        }
        result
    }

    /// Number of faces that can have colours of their own.
    pub(super) fn faces(&self, form: usize) -> usize {
        match &self.forms[form] {
            Form::Mesh(wanted) => wanted.facts.submeshes as usize,
            Form::Surface(_) => 1,
        }
    }

    /// Returns the entries of a source that are read again.
    pub(super) fn entries(&self, source: &MeshSource) -> BTreeSet<String> {
        self.wanted.get(source).into_iter().flat_map(BTreeMap::keys).cloned().collect()
    }

    fn remember(
        &mut self,
        key: Key,
        make: impl FnOnce(&mut Self) -> Result<usize, Why>,
    ) -> Result<usize, Why> {
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let made = make(self);
        self.known.insert(key, made);
        made
    }

    /// Whether so many vertices fit. They are charged then.
    fn fits(&mut self, vertices: u64) -> bool {
        let fits = self.vertices + vertices <= MOST_VERTICES;
        self.vertices += if fits { vertices } else { 0 };
        fits
    }

    fn add(&mut self, form: Form) -> usize {
        self.forms.push(form);
        self.forms.len() - 1
    }
}

/// Returns the detail of a part with this diagonal in metres. NaN counts as small.
fn detail(diagonal: f64) -> Detail {
    if diagonal >= HIGH_M {
        Detail::High
    } else if diagonal >= MEDIUM_M {
        Detail::Medium
    } else {
        Detail::Low
    }
}

/// Returns the values that determine the surface of a prim.
fn of_prim(shape: Shape) -> Shape {
    let Shape { pcode, flexi_entry, animesh, .. } = Shape::default();
    Shape { pcode, flexi_entry, animesh, sculpt: None, ..shape }
}

/// Returns the triangles that a viewer draws. `None` without any.
pub(super) fn geometry(surface: &Surface) -> Option<Geometry> {
    let indices = surface.drawn().as_flattened().to_vec();
    Geometry::new(Mode::Triangles, surface.points.iter().copied(), indices)
}

/// Returns a geometry of a ground: heights of cells in rows, eastward, then northward. Borders get the nearest heights.
pub(super) fn ground(heights: &[Option<f64>], side: usize, size: [f64; 2]) -> Option<Geometry> {
    if side < 2 || heights.len() != side * side {
        return None;
    }
    let place = |cell: usize, length: f64| match cell {
        0 => 0.0,
        cell if cell + 1 == side => length,
        cell => (cell as f64 + 0.5) * length / side as f64,
    };
    let points = heights.iter().enumerate().map(|(cell, height)| {
        let [x, y] = [place(cell % side, size[0]), place(cell / side, size[1])];
        DVec3::new(x, y, height.unwrap_or(0.0))
    });
    let mut indices = Vec::new();
    for row in 0..side - 1 {
        for column in 0..side - 1 {
            let [a, b] = [row * side + column, (row + 1) * side + column];
            let corners = [a, a + 1, b + 1, b];
            if corners.iter().all(|&corner| heights[corner].is_some()) {
                indices.extend([a, a + 1, b + 1, a, b + 1, b].map(|corner| corner as u32));
            }
        }
    }
    Geometry::new(Mode::Triangles, points, indices)
}

/// The UUID in the name of an entry, which a store is searched for.
pub fn uuid_of(entry: &str) -> Option<Uuid> {
    hullmark_format::member::uuid_in(entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ground_reaches_the_borders_and_has_holes_where_heights_are_unknown() {
        let mut heights: Vec<Option<f64>> = (0..16).map(|cell| Some(f64::from(cell))).collect();
        let whole = ground(&heights, 4, [256.0, 512.0]).unwrap();
        assert_eq!((whole.positions.len(), whole.indices.len()), (16, 2 * 9 * 3));
        assert_eq!((whole.positions[0], whole.positions[15]), ([0.0, 0.0, 0.0], [256.0, 512.0, 15.0]));
        assert_eq!(whole.positions[5], [96.0, 192.0, 5.0]);
        heights[5] = None;
        assert_eq!(ground(&heights, 4, [256.0; 2]).unwrap().indices.len(), 2 * 5 * 3);
        assert!(ground(&heights[..9], 4, [256.0; 2]).is_none() && ground(&[None; 4], 2, [1.0; 2]).is_none());
    }

    #[test]
    fn large_parts_have_more_detail() {
        let expected = [Detail::Low, Detail::Medium, Detail::Medium, Detail::High, Detail::Low];
        assert_eq!([0.9, 1.0, 3.9, 4.0, f64::NAN].map(detail), expected);
    }
}
