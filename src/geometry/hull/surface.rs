//! The surface of a solid hull, grown point by point.
//!
//! Each point outside watches one face that it sees, which means that the point is strictly above the face's plane. A
//! new point replaces the faces that it sees with a fan over their border, the *horizon*. Points that watched a
//! replaced face look for a visible face of the fan. A point that sees none is inside.
//!
//! The faces that a point sees are connected by edges. Either all of them were replaced, or they cross an edge of the
//! horizon. Then the point sees both faces at that edge. So it also sees the fan's face there, whose plane lies between
//! theirs or equals that of the outer face. Conversely, a point that sees a face of the fan has seen one of those two.
//! So only the faces of a large fan that border on the seen faces are tested. In shuffled order this takes O(n log n)
//! expected time. The shuffle is fixed, so points can be built against it, but the grid bounds the effect.
//!
//! Coplanar points do no harm. A point does not see a face whose plane contains it. The faces that it sees still form
//! one patch without holes. The point is on the line of no edge of their border, so every triangle of the fan has an
//! area. A vertex can end up inside a flat face or on a straight edge, when later ones extend these. It then touches
//! fewer than three planes, and the surface is built again without such points.

use super::exact::{Point, cross, difference, dot};
use hullmark_util::work::{Stopped, Work};

/// Units of work for one test of a point against a plane, with its consequences.
pub(super) const TEST: u64 = 8;

const NONE: u32 = u32::MAX;

pub struct Surface {
    /// Triangles of sites, counter-clockwise from outside. Every corner is an extreme point.
    pub faces: Vec<[usize; 3]>,
    /// The number of each triangle's plane, equal for triangles in one plane.
    plane_of: Vec<u32>,
}

/// Builds the surface of the hull of distinct points, sorted by coordinates. `None` if they do not span a solid.
pub fn build(sites: &[Point], work: &mut Work) -> Result<Option<Surface>, Stopped> {
    let all: Vec<usize> = (0..sites.len()).collect();
    let Some(first) = grow(sites, &all, work)? else { return Ok(None) };
    let (corners, extreme) = corners(sites.len(), &first);
    if corners == extreme.len() {
        return Ok(Some(first));
    }
    grow(sites, &extreme, work)
}

/// Returns the number of sites that are corners, and those of them that touch at least three planes. A corner inside a
/// flat face touches one, and one on a straight edge two.
fn corners(sites: usize, surface: &Surface) -> (usize, Vec<usize>) {
    let mut touched = vec![[NONE; 3]; sites];
    for (face, &plane) in surface.faces.iter().zip(&surface.plane_of) {
        for &corner in face {
            let new = touched[corner].iter_mut().find(|touched| **touched == plane || **touched == NONE);
            new.into_iter().for_each(|touched| *touched = plane);
        }
    }
    let corners = touched.iter().filter(|planes| planes[0] != NONE).count();
    let extreme = (0..sites).filter(|&site| touched[site][2] != NONE).collect();
    (corners, extreme)
}

/// Grows the surface around some of the sites; `None` if they do not span a solid.
fn grow(sites: &[Point], chosen: &[usize], work: &mut Work) -> Result<Option<Surface>, Stopped> {
    let Some(simplex) = simplex(sites, chosen) else { return Ok(None) };
    let mut builder = Builder::new(sites, simplex, shuffled(chosen));
    for place in 0..builder.order.len() {
        builder.insert(place as u32);
        work.charge(TEST * std::mem::take(&mut builder.tests))?;
    }
    Ok(Some(builder.finish()))
}

/// Returns four sites that span a solid and are far from each other. The last is behind the plane of the others.
fn simplex(sites: &[Point], chosen: &[usize]) -> Option<[u32; 4]> {
    let (&first, &second) = (chosen.first()?, chosen.last()?);
    let from_first = |site: usize| difference(sites[site], sites[first]);
    let line = from_first(second);
    // Twice the area of a triangle is at most 2⁴⁷, so its square fits.
    let square = |c: i64| i128::from(c) * i128::from(c);
    let area = |site: usize| cross(line, from_first(site)).map(square).iter().sum::<i128>();
    let third = chosen.iter().copied().max_by_key(|&site| area(site)).filter(|&site| area(site) > 0)?;
    let normal = cross(line, from_first(third));
    let height = |site: usize| dot(normal, from_first(site));
    let fourth = chosen.iter().copied().max_by_key(|&site| height(site).abs())?;
    let found = match height(fourth) {
        0 => return None,
        below if below < 0 => [first, second, third, fourth],
        _ => [first, third, second, fourth],
    };
    Some(found.map(|site| site as u32))
}

/// Shuffles with a fixed pseudo-random sequence.
fn shuffled(chosen: &[usize]) -> Vec<u32> {
    let mut order: Vec<u32> = chosen.iter().map(|&site| site as u32).collect();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for place in (1..order.len()).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        order.swap(place, ((state >> 33) % (place as u64 + 1)) as usize);
    }
    order
}

/// Coordinates, as integers that f64 represents exactly.
type Place = [f64; 3];

fn place(site: Point) -> Place {
    site.map(|c| c as f64)
}

/// Heights above this have the right sign in floating point.
const CLEAR: f64 = (1 << 20) as f64;

/// Maximum number of faces of a fan that are tested one after the other.
const SMALL: usize = 16;

#[derive(Clone, Copy)]
struct Side {
    /// The outward normal. Its coordinates are integers below 2⁴⁶.
    normal: Place,
    corner: Place,
}

impl Side {
    /// Returns the side of a triangle that is counter-clockwise from outside.
    fn from_triangle([a, b, c]: [Place; 3]) -> Self {
        let to = |p: Place| [p[0] - a[0], p[1] - a[1], p[2] - a[2]];
        let (b, c) = (to(b), to(c));
        let normal = [b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]];
        Self { normal, corner: a }
    }

    /// Returns the height of a point above the triangle times the length of the normal. The sign is exact.
    fn height(&self, point: Place) -> f64 {
        let Self { normal: [a, b, c], corner: [x, y, z] } = *self;
        let height = a * (point[0] - x) + b * (point[1] - y) + c * (point[2] - z);
        // Factors are exact, and products are below 2⁶⁹, so the error of a sum of three is below 2¹⁹.
        if height.abs() > CLEAR {
            return height;
        }
        // The true value is small too, so it is exact even if products wrap around.
        let exact = |place: Place| place.map(|c| c as i64);
        let to = difference(exact(point), exact(self.corner));
        let product = |(a, b): (i64, i64)| a.wrapping_mul(b);
        exact(self.normal).into_iter().zip(to).map(product).fold(0, i64::wrapping_add) as f64
    }
}

/// A triangle of the growing surface.
struct Face {
    /// Counter-clockwise seen from outside.
    corners: [u32; 3],
    /// The faces across the edges that start at these corners.
    across: [u32; 3],
    side: Side,
    /// Place in the insertion order of one site that watches this face; `next` links to the others.
    watcher: u32,
    /// Place of the last site tested against this face, when that was inserted or the face was removed, and whether it
    /// sees the face.
    evaluated: (u32, bool),
    gone: bool,
}

impl Face {
    fn edge_from(&self, corner: u32) -> usize {
        self.corners.iter().position(|&other| other == corner).expect("it is a corner of this face")
    }
}

/// A directed edge of the border of the faces that a site sees. The seen face is on its left, the unseen one on its
/// right.
struct Border {
    from: u32,
    to: u32,
    unseen: u32,
}

/// The data of one insertion, kept to reuse its memory.
#[derive(Default)]
struct Round {
    seen: Vec<u32>,
    horizon: Vec<Border>,
    /// The faces that replace them, with their sides.
    fan: Vec<(u32, Side)>,
}

struct Builder<'a> {
    sites: &'a [Point],
    /// Sites in the order of insertion.
    order: Vec<u32>,
    /// The coordinates of the sites, in the same order.
    places: Vec<Place>,
    faces: Vec<Face>,
    /// Removed faces, whose slots are reused.
    free: Vec<u32>,
    /// For each place in the order, the face that its site watches; `NONE` if it sees no face.
    view: Vec<u32>,
    /// For each place in the order, the next one that watches the same face.
    next: Vec<u32>,
    /// For each site on a horizon, the face of the fan whose edge starts there.
    starts: Vec<u32>,
    round: Round,
    /// The stack of a walk over faces, kept to reuse its memory.
    ahead: Vec<u32>,
    /// Number of tests that are not charged yet.
    tests: u64,
}

impl<'a> Builder<'a> {
    fn new(sites: &'a [Point], [a, b, c, d]: [u32; 4], order: Vec<u32>) -> Self {
        let mut builder = Self {
            sites,
            places: order.iter().map(|&site| place(sites[site as usize])).collect(),
            view: vec![NONE; order.len()],
            next: vec![NONE; order.len()],
            order,
            faces: Vec::new(),
            free: Vec::new(),
            starts: vec![NONE; sites.len()],
            round: Round::default(),
            ahead: Vec::new(),
            tests: 0,
        };
        // For each face, the index of the face across the edge from corner i.
        let simplex =
            [([a, b, c], [1, 2, 3]), ([b, a, d], [0, 3, 2]), ([c, b, d], [0, 1, 3]), ([a, c, d], [0, 2, 1])];
        let fan = simplex.map(|(corners, across)| builder.add(corners, across));
        for place in 0..builder.order.len() as u32 {
            let seen = builder.first_seen(place, &fan);
            builder.watch(place, seen);
        }
        builder
    }

    /// Adds a face without watchers.
    fn add(&mut self, corners: [u32; 3], across: [u32; 3]) -> (u32, Side) {
        let side = Side::from_triangle(corners.map(|site| place(self.sites[site as usize])));
        let face = Face { corners, across, side, watcher: NONE, evaluated: (NONE, false), gone: false };
        let index = match self.free.pop() {
            Some(gone) => {
                self.faces[gone as usize] = face;
                gone
            }
            None => {
                self.faces.push(face);
                self.faces.len() as u32 - 1
            }
        };
        (index, side)
    }

    /// Makes the site at a place watch a face; `None` if it is inside.
    fn watch(&mut self, place: u32, face: Option<u32>) {
        self.view[place as usize] = face.unwrap_or(NONE);
        if let Some(face) = face {
            let last = std::mem::replace(&mut self.faces[face as usize].watcher, place);
            self.next[place as usize] = last;
        }
    }

    /// Returns the first of some faces that the site at a place sees.
    fn first_seen(&mut self, place: u32, fan: &[(u32, Side)]) -> Option<u32> {
        let at = self.places[place as usize];
        let found = fan.iter().position(|(_, side)| side.height(at) > 0.0);
        self.tests += found.map_or(fan.len(), |number| number + 1) as u64;
        found.map(|number| fan[number].0)
    }

    /// Returns a face of the fan that the site at a place sees. It searches along the border of the removed faces that
    /// the site saw, from the one that it watched.
    fn beyond(&mut self, place: u32, watched: u32) -> Option<u32> {
        self.ahead.clear();
        self.ahead.push(watched);
        self.faces[watched as usize].evaluated = (place, true);
        while let Some(face) = self.ahead.pop() {
            let Face { corners, across, .. } = self.faces[face as usize];
            for edge in 0..3 {
                let beyond = across[edge];
                let outer = &self.faces[beyond as usize];
                if outer.gone {
                    if outer.evaluated.0 != place && self.sees(place, beyond) {
                        self.ahead.push(beyond);
                    }
                    continue;
                }
                // The edge has the opposite direction there, and the fan already has the face across it.
                let raised = outer.across[outer.edge_from(corners[(edge + 1) % 3])];
                self.tests += 1;
                if self.faces[raised as usize].side.height(self.places[place as usize]) > 0.0 {
                    return Some(raised);
                }
            }
        }
        None
    }

    /// Whether the site at a place sees a face. The result for the last site is cached.
    fn sees(&mut self, place: u32, face: u32) -> bool {
        let face = &mut self.faces[face as usize];
        if face.evaluated.0 != place {
            self.tests += 1;
            face.evaluated = (place, face.side.height(self.places[place as usize]) > 0.0);
        }
        face.evaluated.1
    }

    /// Adds the site at a place to the hull, if it is outside.
    fn insert(&mut self, place: u32) {
        let start = self.view[place as usize];
        if start == NONE {
            return;
        }
        let mut round = std::mem::take(&mut self.round);
        self.look(place, start, &mut round);
        round.fan.clear();
        for border in &round.horizon {
            let face = self.raise(place, border);
            round.fan.push(face);
        }
        self.close(&round.fan);
        for &face in &round.seen {
            self.faces[face as usize].gone = true;
        }
        for &face in &round.seen {
            let mut watcher = self.faces[face as usize].watcher;
            while watcher != NONE {
                let next = self.next[watcher as usize];
                if watcher != place {
                    let seen = match round.fan.len() {
                        ..=SMALL => self.first_seen(watcher, &round.fan),
                        _ => self.beyond(watcher, face),
                    };
                    self.watch(watcher, seen);
                }
                watcher = next;
            }
        }
        self.free.extend_from_slice(&round.seen);
        self.round = round;
    }

    /// Collects all faces that a site sees, from one of them, and their border.
    fn look(&mut self, place: u32, start: u32, Round { seen, horizon, .. }: &mut Round) {
        seen.clear();
        horizon.clear();
        self.faces[start as usize].evaluated = (place, true);
        seen.push(start);
        let mut next = 0;
        while let Some(&face) = seen.get(next) {
            next += 1;
            let Face { corners, across, .. } = self.faces[face as usize];
            for edge in 0..3 {
                let beyond = across[edge];
                let fresh = self.faces[beyond as usize].evaluated.0 != place;
                if !self.sees(place, beyond) {
                    let (from, to) = (corners[edge], corners[(edge + 1) % 3]);
                    horizon.push(Border { from, to, unseen: beyond });
                } else if fresh {
                    seen.push(beyond);
                }
            }
        }
    }

    /// Adds the face from a piece of the horizon to the site at a place. Its neighbours in the fan are not yet set.
    fn raise(&mut self, place: u32, border: &Border) -> (u32, Side) {
        let corners = [border.from, border.to, self.order[place as usize]];
        let raised = self.add(corners, [border.unseen, NONE, NONE]);
        let outer = &mut self.faces[border.unseen as usize];
        // The edge has the opposite direction there.
        let edge = outer.edge_from(border.to);
        outer.across[edge] = raised.0;
        raised
    }

    /// Links the faces of a fan to each other. The horizon is one loop, so exactly one edge starts at each corner.
    fn close(&mut self, fan: &[(u32, Side)]) {
        for &(face, _) in fan {
            self.starts[self.faces[face as usize].corners[0] as usize] = face;
        }
        for &(face, _) in fan {
            let next = self.starts[self.faces[face as usize].corners[1] as usize];
            self.faces[face as usize].across[1] = next;
            self.faces[next as usize].across[2] = face;
        }
    }

    fn finish(self) -> Surface {
        let mut plane_of = vec![NONE; self.faces.len()];
        let mut planes = 0_u32;
        for first in 0..self.faces.len() {
            if plane_of[first] != NONE || self.faces[first].gone {
                continue;
            }
            // Faces in one plane are connected.
            let mut next = vec![first];
            while let Some(face) = next.pop() {
                plane_of[face] = planes;
                let across = self.faces[face].across.map(|beyond| beyond as usize);
                next.extend(across.into_iter().filter(|&beyond| {
                    plane_of[beyond] == NONE && self.is_level(&self.faces[face], &self.faces[beyond])
                }));
            }
            planes += 1;
        }
        let live = (0..self.faces.len()).filter(|&face| !self.faces[face].gone);
        let (faces, plane_of) =
            live.map(|face| (self.faces[face].corners.map(|site| site as usize), plane_of[face])).unzip();
        Surface { faces, plane_of }
    }

    /// Whether two adjacent faces lie in one plane: the corner that is not on their edge does.
    fn is_level(&self, face: &Face, beyond: &Face) -> bool {
        let opposite = beyond.corners.iter().find(|corner| !face.corners.contains(corner));
        opposite.is_some_and(|&site| face.side.height(place(self.sites[site as usize])) == 0.0)
    }
}
