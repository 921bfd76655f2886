//! The surface of a solid hull, grown point by point.
//!
//! Each face knows the points that see it (are strictly above its plane), and each point one face that it sees.
//! A new point replaces the faces that it sees by a fan over their border, the *horizon*. A point that sees a
//! face of the fan has seen one of the two faces at that piece of the horizon, since the new normal lies
//! between theirs: so only their lists are asked. In a shuffled order this takes O(n log n) expected time,
//! and the shuffle is always the same.
//!
//! Why coplanar points do no harm: what a point lies in the plane of, it does not see. The faces that it does
//! see still form one patch without holes, and it is on the line of no edge of their border, so no triangle
//! of the fan is without area. What can happen is that a vertex ends up inside a flat face or on a straight
//! edge, when later ones extend these. It then touches less than three planes; the surface is built once more
//! without such points.

use super::exact::{Plane, Point, cross, difference, dot, wide};

/// No face.
const NONE: u32 = u32::MAX;

/// The surface of a hull.
pub struct Surface {
    /// Triangles of sites, counter-clockwise seen from outside. Every corner is an extreme point.
    pub faces: Vec<[usize; 3]>,
    /// Their planes, each once, with the shortest normals.
    pub planes: Vec<Plane>,
    /// For each face the number of its plane.
    plane_of: Vec<usize>,
    /// How often a point was held against a plane.
    pub work: u64,
}

/// The surface of the hull of different points, sorted by coordinates. `None` where they span no solid.
pub fn of(sites: &[Point]) -> Option<Surface> {
    let all: Vec<usize> = (0..sites.len()).collect();
    let first = grow(sites, &all)?;
    let extreme = extreme(&first);
    let mut corners: Vec<usize> = first.faces.as_flattened().to_vec();
    corners.sort_unstable();
    corners.dedup();
    if corners == extreme {
        return Some(first);
    }
    let mut second = grow(sites, &extreme)?;
    second.work += first.work;
    Some(second)
}

/// The corners that lie in three planes or more: in a flat face it is one, on a straight edge two.
fn extreme(surface: &Surface) -> Vec<usize> {
    let mut touches: Vec<(usize, usize)> = Vec::with_capacity(3 * surface.faces.len());
    for (face, &plane) in surface.faces.iter().zip(&surface.plane_of) {
        touches.extend(face.map(|corner| (corner, plane)));
    }
    touches.sort_unstable();
    touches.dedup();
    touches.chunk_by(|a, b| a.0 == b.0).filter(|planes| planes.len() >= 3).map(|planes| planes[0].0).collect()
}

/// Grows the surface around some of the sites; `None` where they span no solid.
fn grow(sites: &[Point], chosen: &[usize]) -> Option<Surface> {
    let simplex = simplex(sites, chosen)?;
    let mut builder = Builder::new(sites, simplex, shuffled(chosen));
    for place in 0..builder.order.len() {
        builder.insert(place as u32);
    }
    Some(builder.finish())
}

/// Four sites that span a solid, far from each other, the last behind the plane of the others.
fn simplex(sites: &[Point], chosen: &[usize]) -> Option<[u32; 4]> {
    let (&first, &second) = (chosen.first()?, chosen.last()?);
    let from_first = |site: usize| difference(sites[site], sites[first]);
    let line = from_first(second);
    // Twice the area of a triangle is at most 2⁴⁷, so its square fits.
    let area = |site: usize| wide(line, from_first(site)).map(|c| c * c).iter().sum::<i128>();
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

/// A fixed sequence that looks like chance orders them, whatever their order was made for.
fn shuffled(chosen: &[usize]) -> Vec<u32> {
    let mut order: Vec<u32> = chosen.iter().map(|&site| site as u32).collect();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for place in (1..order.len()).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        order.swap(place, ((state >> 33) % (place as u64 + 1)) as usize);
    }
    order
}

/// A triangle of the growing surface.
struct Face {
    /// Counter-clockwise seen from outside.
    corners: [u32; 3],
    /// The faces over the edges that start at these corners.
    across: [u32; 3],
    plane: Plane,
    /// Places in the order of insertion, ascending, of the sites that see it.
    watchers: Vec<u32>,
    /// The last site that was held against it when it was inserted, and whether it sees this face.
    judged: (u32, bool),
}

/// A directed edge of the border of what a site sees: seen on its left, not seen on its right.
struct Border {
    from: u32,
    to: u32,
    seen: u32,
    unseen: u32,
}

struct Builder<'a> {
    sites: &'a [Point],
    /// Sites in the order of insertion.
    order: Vec<u32>,
    faces: Vec<Face>,
    /// Faces that are no more: their places are used again.
    free: Vec<u32>,
    /// For each place in the order, a face that its site sees, if it sees any. The face may be gone since; then
    /// the site sees nothing, for one that still sees something was entered at a face of each later fan that
    /// took a seen one.
    view: Vec<u32>,
    /// For each site on a horizon, the face of the fan whose edge starts there.
    starts: Vec<u32>,
    work: u64,
}

impl<'a> Builder<'a> {
    fn new(sites: &'a [Point], [a, b, c, d]: [u32; 4], order: Vec<u32>) -> Self {
        let mut builder = Self {
            sites,
            view: vec![NONE; order.len()],
            order,
            faces: Vec::new(),
            free: Vec::new(),
            starts: vec![NONE; sites.len()],
            work: 0,
        };
        let all: Vec<u32> = (0..builder.order.len() as u32).collect();
        // In each face, the one over the edge from corner i: it has the two corners of that edge.
        for (corners, across) in
            [([a, b, c], [1, 2, 3]), ([b, a, d], [0, 3, 2]), ([c, b, d], [0, 1, 3]), ([a, c, d], [0, 2, 1])]
        {
            builder.add(corners, across, &all, &[]);
        }
        builder
    }

    /// Adds a face; those who see it are among two ascending lists of places.
    fn add(&mut self, corners: [u32; 3], across: [u32; 3], left: &[u32], right: &[u32]) -> u32 {
        let plane = Plane::through(corners.map(|site| self.sites[site as usize]));
        let index = self.free.pop().unwrap_or(self.faces.len() as u32);
        let mut watchers = Vec::new();
        for place in merged(left, right) {
            self.work += 1;
            if plane.height(self.site(place)) > 0 {
                watchers.push(place);
                self.view[place as usize] = index;
            }
        }
        let face = Face { corners, across, plane, watchers, judged: (NONE, false) };
        match self.faces.get_mut(index as usize) {
            Some(gone) => *gone = face,
            None => self.faces.push(face),
        }
        index
    }

    fn site(&self, place: u32) -> Point {
        self.sites[self.order[place as usize] as usize]
    }

    /// Whether the site at a place sees a face; each pair is computed once.
    fn sees(&mut self, place: u32, face: u32) -> bool {
        let point = self.site(place);
        let face = &mut self.faces[face as usize];
        if face.judged.0 != place {
            self.work += 1;
            face.judged = (place, face.plane.height(point) > 0);
        }
        face.judged.1
    }

    /// Makes the site at a place part of the hull, if it is outside.
    fn insert(&mut self, place: u32) {
        let start = self.view[place as usize];
        if start == NONE || !self.sees(place, start) {
            return;
        }
        let (seen, horizon) = self.look(place, start);
        let fan: Vec<u32> = horizon.iter().map(|border| self.raise(place, border)).collect();
        self.close(&fan);
        for &face in &seen {
            let face = &mut self.faces[face as usize];
            face.watchers = Vec::new();
            // Nobody is above it: a view that still names it leads nowhere.
            face.plane = Plane { normal: [0; 3], offset: 0 };
        }
        self.free.extend(seen);
    }

    /// All faces that a site sees, from one of them on, and the border of what it sees.
    fn look(&mut self, place: u32, start: u32) -> (Vec<u32>, Vec<Border>) {
        let (mut seen, mut horizon) = (vec![start], Vec::new());
        let mut next = 0;
        while let Some(&face) = seen.get(next) {
            next += 1;
            let Face { corners, across, .. } = self.faces[face as usize];
            for edge in 0..3 {
                let beyond = across[edge];
                let fresh = self.faces[beyond as usize].judged.0 != place;
                if !self.sees(place, beyond) {
                    let (from, to) = (corners[edge], corners[(edge + 1) % 3]);
                    horizon.push(Border { from, to, seen: face, unseen: beyond });
                } else if fresh {
                    seen.push(beyond);
                }
            }
        }
        (seen, horizon)
    }

    /// The face from a piece of the horizon to the site at a place. Its neighbours in the fan are not known yet.
    fn raise(&mut self, place: u32, border: &Border) -> u32 {
        let take = |face: &mut Face| std::mem::take(&mut face.watchers);
        let left = take(&mut self.faces[border.seen as usize]);
        let right = take(&mut self.faces[border.unseen as usize]);
        let corners = [border.from, border.to, self.order[place as usize]];
        let index = self.add(corners, [border.unseen, NONE, NONE], &left, &right);
        self.faces[border.seen as usize].watchers = left;
        let outer = &mut self.faces[border.unseen as usize];
        outer.watchers = right;
        // The edge runs the other way there.
        for edge in 0..3 {
            if outer.corners[edge] == border.to {
                outer.across[edge] = index;
            }
        }
        index
    }

    /// Joins the faces of a fan to each other: the horizon is one loop, so at each corner one edge starts.
    fn close(&mut self, fan: &[u32]) {
        for &face in fan {
            self.starts[self.faces[face as usize].corners[0] as usize] = face;
        }
        for &face in fan {
            let next = self.starts[self.faces[face as usize].corners[1] as usize];
            self.faces[face as usize].across[1] = next;
            self.faces[next as usize].across[2] = face;
        }
    }

    fn finish(self) -> Surface {
        let live = self.faces.iter().filter(|face| face.plane.normal != [0; 3]);
        let (faces, reduced): (Vec<_>, Vec<_>) =
            live.map(|face| (face.corners.map(|site| site as usize), face.plane.reduced())).unzip();
        let mut planes = reduced.clone();
        planes.sort_unstable();
        planes.dedup();
        let plane_of = reduced.iter().map(|plane| planes.partition_point(|other| other < plane)).collect();
        Surface { faces, planes, plane_of, work: self.work }
    }
}

/// Two ascending lists as one, what is in both once.
fn merged(left: &[u32], right: &[u32]) -> impl Iterator<Item = u32> {
    let (mut left, mut right) = (left.iter().copied(), right.iter().copied());
    let (mut a, mut b) = (left.next().unwrap_or(NONE), right.next().unwrap_or(NONE));
    std::iter::from_fn(move || {
        let least = a.min(b);
        if a == least {
            a = left.next().unwrap_or(NONE);
        }
        if b == least {
            b = right.next().unwrap_or(NONE);
        }
        (least != NONE).then_some(least)
    })
}
