//! Convex hulls as ubODE builds them. Corners are added farthest first, until the remaining points are at most a
//! thousandth of the diagonal outside. So a hull has fewer corners than its points have extreme ones. Their number
//! depends on the order of the points.

use super::{Mesh, farthest::Cloud};
use glam::Vec3;
use hullmark_util::work::{Stopped, Work};

/// Maximum distance of the remaining points, as part of the diagonal of their bounding box.
const TOLERANCE: f32 = 0.001;
/// Tilt of a direction for checking whether a farthest point stays the farthest.
const TILT: f32 = 0.025;
/// Radians of a degree, with the engine's digits.
const DEGREE: f32 = 0.017_453_29;
/// A cloud of points counts as flat along an axis if it is thinner than this.
const FLAT: f32 = 1e-6;
/// Points of a cloud that are nearer on every axis count as one, in parts of the cloud's size.
const SAME: f32 = 0.001;

enum End {
    Failed,
    /// The work budget is used up.
    Stopped,
}

impl From<Stopped> for End {
    fn from(_: Stopped) -> Self {
        Self::Stopped
    }
}

/// Returns the triangles of the hull of these points, as indices of points; `None` if the engine fails to build it.
pub fn hull(
    points: &[Vec3],
    most_vertices: Option<u32>,
    work: &mut Work,
) -> Result<Option<Vec<[u32; 3]>>, Stopped> {
    match Builder::build(points, most_vertices, work) {
        Ok(triangles) => Ok(Some(triangles)),
        Err(End::Failed) => Ok(None),
        Err(End::Stopped) => Err(Stopped),
    }
}

/// Builds the hull of a cloud of points. Points that nearly coincide are merged first, and a flat cloud becomes a box.
/// `None` if the engine fails to build it.
pub fn hull_of_cloud(points: &[Vec3], most_vertices: u32, work: &mut Work) -> Result<Option<Mesh>, Stopped> {
    let points = thinned(points, work)?;
    let triangles = hull(&points, Some(most_vertices), work)?;
    Ok(triangles.map(|triangles| Mesh { points, triangles }))
}

/// Merges points that nearly coincide: of two, the one farther from the middle is kept.
fn thinned(cloud: &[Vec3], work: &mut Work) -> Result<Vec<Vec3>, Stopped> {
    let (low, high) = bounds(cloud);
    let size = high - low;
    if size.min_element() < FLAT {
        return Ok(thick_box(size * 0.5 + low, size));
    }
    let inverse = size.map(|side| 1.0 / side);
    let middle = (size * 0.5 + low) * inverse;
    let mut kept: Vec<Vec3> = Vec::new();
    for &point in cloud {
        work.charge(kept.len() as u64 + 1)?;
        let unit = point * inverse;
        let near = |other: &&mut Vec3| (**other - unit).abs().cmplt(Vec3::splat(SAME)).all();
        match kept.iter_mut().find(near) {
            Some(other) if unit.distance_squared(middle) > other.distance_squared(middle) => *other = unit,
            Some(_) => (),
            None => kept.push(unit),
        }
    }
    let (low, high) = bounds(&kept);
    if (high - low).min_element() < FLAT || kept.len() < 3 {
        let size = high - low;
        // The engine adds the box to the points and does not replace them.
        kept.extend(thick_box(size * 0.5 + low, size));
    }
    kept.iter_mut().for_each(|point| *point *= size);
    Ok(kept)
}

fn bounds(points: &[Vec3]) -> (Vec3, Vec3) {
    let around = |(low, high): (Vec3, Vec3), point: &Vec3| (point.min(low), point.max(high));
    points.iter().fold((Vec3::MAX, Vec3::MIN), around)
}

/// Returns the corners of a box twice as large as a flat cloud, and a tenth of its shortest side thick.
fn thick_box(middle: Vec3, size: Vec3) -> Vec<Vec3> {
    let shortest = size.to_array().into_iter().filter(|&side| side > FLAT).fold(f32::MAX, f32::min);
    let half = if shortest == f32::MAX {
        Vec3::splat(0.01)
    } else {
        size.map(|side| if side < FLAT { shortest * 0.05 } else { side })
    };
    let signs = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
    let layer = |z: f32| signs.map(|(x, y)| middle + half * Vec3::new(x, y, z));
    [layer(-1.0), layer(1.0)].concat()
}

/// A triangle of the current hull.
#[derive(Clone, Copy)]
struct Face {
    corners: [u32; 3],
    normal: Vec3,
    /// The faces across the side opposite to each corner.
    behind: [usize; 3],
    /// The farthest point outside; `None` before the search, or if that point is already a corner of the hull.
    farthest: Option<u32>,
    /// Height of that point above the face.
    rise: f32,
}

impl Face {
    fn has(&self, corner: u32) -> bool {
        self.corners.contains(&corner)
    }

    /// Returns the side between these corners: the index of the corner opposite to it.
    fn side(&self, a: u32, b: u32) -> Option<usize> {
        (0..3).find(|&corner| {
            let (next, last) = (self.corners[(corner + 1) % 3], self.corners[(corner + 2) % 3]);
            (next, last) == (a, b) || (next, last) == (b, a)
        })
    }
}

struct Builder<'a> {
    points: &'a [Vec3],
    /// The points without rejected ones.
    cloud: Cloud,
    /// Points that are the farthest in some direction and in those around it.
    is_stable: Vec<bool>,
    /// Faces by index; `None` if one was replaced.
    faces: Vec<Option<Face>>,
    work: &'a mut Work,
}

impl<'a> Builder<'a> {
    fn build(
        points: &'a [Vec3],
        most_vertices: Option<u32>,
        work: &'a mut Work,
    ) -> Result<Vec<[u32; 3]>, End> {
        if points.len() < 4 {
            return Err(End::Failed);
        }
        let (low, high) = bounds(points);
        let tolerance = (high - low).length() * TOLERANCE;
        let (cloud, is_stable) = (Cloud::new(points), vec![false; points.len()]);
        let mut builder = Self { points, cloud, is_stable, faces: Vec::new(), work };
        let corners = builder.tetrahedron()?;
        let middle = corners.iter().map(|&corner| builder.point(corner)).sum::<Vec3>() * 0.25;
        builder.begin(corners)?;
        let mut is_corner = vec![false; points.len()];
        corners.iter().for_each(|&corner| is_corner[corner as usize] = true);
        let mut left = most_vertices.map_or(u32::MAX, |most| most.saturating_sub(4));
        while left > 0
            && let Some(corner) = builder.next_corner(tolerance)?
        {
            is_corner[corner as usize] = true;
            builder.cover(corner, tolerance)?;
            builder.mend(corner, middle, tolerance)?;
            builder.look_outside(&is_corner)?;
            left -= 1;
        }
        Ok(builder.faces.iter().flatten().map(|face| face.corners).collect())
    }

    fn point(&self, index: u32) -> Vec3 {
        self.points[index as usize]
    }

    /// Returns four points that span a solid.
    fn tetrahedron(&mut self) -> Result<[u32; 4], End> {
        let up = Vec3::new(0.01, 0.02, 1.0);
        let (a, b) = (self.stable(up)?, self.stable(-up)?);
        let along = self.point(a) - self.point(b);
        if a == b || along == Vec3::ZERO {
            return Err(End::Failed);
        }
        let sideways = [Vec3::new(1.0, 0.02, 0.0).cross(along), Vec3::new(-0.02, 1.0, 0.0).cross(along)];
        let aside = unit(if sideways[0].length() > sideways[1].length() { sideways[0] } else { sideways[1] });
        let c = self.either_way(aside, &[a, b])?;
        let across = unit((self.point(c) - self.point(a)).cross(along));
        let d = self.either_way(across, &[a, b, c])?;
        let [p, q, r, s] = [a, b, c, d].map(|index| self.point(index));
        Ok(if (s - p).dot((q - p).cross(r - p)) < 0.0 { [a, b, d, c] } else { [a, b, c, d] })
    }

    /// Returns the farthest point in this direction or, if that is taken, in the opposite one.
    fn either_way(&mut self, direction: Vec3, taken: &[u32]) -> Result<u32, End> {
        let first = self.stable(direction)?;
        if !taken.contains(&first) {
            return Ok(first);
        }
        let second = self.stable(-direction)?;
        if taken.contains(&second) { Err(End::Failed) } else { Ok(second) }
    }

    /// Creates the faces of the tetrahedron.
    fn begin(&mut self, [a, b, c, d]: [u32; 4]) -> Result<(), End> {
        let faces =
            [([c, d, b], [2, 3, 1]), ([d, c, a], [3, 2, 0]), ([a, b, d], [0, 1, 3]), ([b, a, c], [1, 0, 2])];
        for (corners, behind) in faces {
            self.add(corners, behind);
        }
        for number in 0..4 {
            self.measure(number, &[])?;
        }
        Ok(())
    }

    /// Returns the next corner: the point farthest outside of any face.
    fn next_corner(&mut self, tolerance: f32) -> Result<Option<u32>, End> {
        self.work.charge(self.faces.len() as u64)?;
        let mut farthest: Option<&Face> = None;
        for face in self.faces.iter().flatten() {
            if farthest.is_none_or(|most| most.rise < face.rise) {
                farthest = Some(face);
            }
        }
        let face = farthest.ok_or(End::Failed)?;
        if face.rise > tolerance { Ok(Some(face.farthest.ok_or(End::Failed)?)) } else { Ok(None) }
    }

    /// Replaces all faces below a new corner.
    fn cover(&mut self, corner: u32, tolerance: f32) -> Result<(), End> {
        self.work.charge(8 * self.faces.len() as u64)?;
        for number in (0..self.faces.len()).rev() {
            let above = |face: Face| self.is_above(&face, self.point(corner), tolerance);
            if self.faces[number].is_some_and(above) {
                self.raise(number, corner)?;
            }
        }
        Ok(())
    }

    /// Replaces the neighbours of new faces that face inward or are slivers.
    fn mend(&mut self, corner: u32, middle: Vec3, tolerance: f32) -> Result<(), End> {
        let mut number = self.faces.len();
        while number > 0 {
            number -= 1;
            self.work.charge(8)?;
            let Some(face) = self.faces[number] else { continue };
            if !face.has(corner) {
                break;
            }
            let [a, b, c] = face.corners.map(|index| self.point(index));
            let sliver = (b - a).cross(c - b).length() < tolerance * tolerance * 0.1;
            if sliver || self.is_above(&face, middle, tolerance) {
                self.raise(face.behind[0], corner)?;
                number = self.faces.len();
            }
        }
        Ok(())
    }

    /// Finds the farthest point outside of each new face.
    fn look_outside(&mut self, is_corner: &[bool]) -> Result<(), End> {
        for number in (0..self.faces.len()).rev() {
            let Some(face) = &self.faces[number] else { continue };
            if face.farthest.is_some() {
                break;
            }
            self.measure(number, is_corner)?;
        }
        Ok(())
    }

    /// Finds the point farthest outside of a face, unless it is a corner of the hull.
    fn measure(&mut self, number: usize, is_corner: &[bool]) -> Result<(), End> {
        let Some(mut face) = self.faces[number] else { return Ok(()) };
        let normal = face.normal;
        let farthest = self.stable(normal)?;
        if !is_corner.get(farthest as usize).is_some_and(|&is| is) {
            face.farthest = Some(farthest);
            face.rise = normal.dot(self.point(farthest) - self.point(face.corners[0]));
            self.faces[number] = Some(face);
        }
        Ok(())
    }

    fn add(&mut self, corners: [u32; 3], behind: [usize; 3]) {
        let normal = self.normal(corners);
        self.faces.push(Some(Face { corners, normal, behind, farthest: None, rise: 0.0 }));
    }

    fn normal(&self, corners: [u32; 3]) -> Vec3 {
        let [a, b, c] = corners.map(|index| self.point(index));
        let cross = (b - a).cross(c - b);
        let length = cross.length();
        if length == 0.0 { Vec3::X } else { cross * (1.0 / length) }
    }

    fn is_above(&self, face: &Face, point: Vec3, tolerance: f32) -> bool {
        face.normal.dot(point - self.point(face.corners[0])) > 0.01 * tolerance
    }

    /// Replaces a face by three that join its sides with a corner. Removes pairs of faces that are back to back.
    fn raise(&mut self, number: usize, corner: u32) -> Result<(), End> {
        let old = self.face(number)?;
        let first = self.faces.len();
        for side in 0..3 {
            let (a, b) = (old.corners[(side + 1) % 3], old.corners[(side + 2) % 3]);
            let behind = [old.behind[side], first + (side + 1) % 3, first + (side + 2) % 3];
            self.add([corner, a, b], behind);
            self.join(old.behind[side], a, b, first + side)?;
        }
        for new in first..first + 3 {
            let other = self.face(new)?.behind[0];
            if self.face(other)?.has(corner) {
                self.remove_pair(new, other)?;
            }
        }
        self.faces[number] = None;
        Ok(())
    }

    /// Removes two faces that are back to back, and joins the faces behind them.
    fn remove_pair(&mut self, one: usize, other: usize) -> Result<(), End> {
        let corners = self.face(one)?.corners;
        for side in 0..3 {
            let (a, b) = (corners[(side + 1) % 3], corners[(side + 2) % 3]);
            let behind_one = self.behind(one, a, b)?;
            let behind_other = self.behind(other, b, a)?;
            self.join(behind_one, b, a, behind_other)?;
            // Read again: the two may have been each other's neighbours.
            let behind_other = self.behind(other, b, a)?;
            let behind_one = self.behind(one, a, b)?;
            self.join(behind_other, a, b, behind_one)?;
        }
        self.faces[one] = None;
        self.faces[other] = None;
        Ok(())
    }

    fn face(&self, number: usize) -> Result<Face, End> {
        self.faces.get(number).copied().flatten().ok_or(End::Failed)
    }

    /// Returns the face behind a face's side between these corners.
    fn behind(&self, number: usize, a: u32, b: u32) -> Result<usize, End> {
        let face = self.face(number)?;
        Ok(face.behind[face.side(a, b).ok_or(End::Failed)?])
    }

    /// Sets the face behind a face's side between these corners.
    fn join(&mut self, number: usize, a: u32, b: u32, behind: usize) -> Result<(), End> {
        let mut face = self.face(number)?;
        if let Some(side) = face.side(a, b) {
            face.behind[side] = behind;
        }
        self.faces[number] = Some(face);
        Ok(())
    }

    /// Returns the farthest point in a direction that is also farthest in the directions around it. Rejects the others.
    fn stable(&mut self, direction: Vec3) -> Result<u32, End> {
        loop {
            let found = self.farthest(direction)?;
            if self.is_stable[found as usize] {
                return Ok(found);
            }
            if self.stays(found, direction)? {
                self.is_stable[found as usize] = true;
                return Ok(found);
            }
            // It is the farthest in one direction but in none around it: it lies on a side.
            self.cloud.remove(found as usize);
        }
    }

    /// Whether this point is the farthest in two adjacent directions around this one.
    fn stays(&mut self, found: u32, direction: Vec3) -> Result<bool, End> {
        let u = perpendicular(direction);
        let v = u.cross(direction);
        let tilted = |degrees: f32| {
            let (sin, cos) = f64::from(DEGREE * degrees).sin_cos();
            direction + (u * sin as f32 + v * cos as f32) * TILT
        };
        let mut before = None;
        for eighth in 0..=8u8 {
            let degrees = 45.0 * f32::from(eighth);
            let here = self.farthest(tilted(degrees))?;
            if before == Some(found) && here == found {
                return Ok(true);
            }
            // Between two directions with different points, a smaller step may find this point twice.
            if let Some(mut last) = before
                && last != here
            {
                for step in 0..=8u8 {
                    let between = self.farthest(tilted(degrees - 40.0 + 5.0 * f32::from(step)))?;
                    if last == found && between == found {
                        return Ok(true);
                    }
                    last = between;
                }
            }
            before = Some(here);
        }
        Ok(false)
    }

    /// Returns the farthest point in a direction, without rejected ones; of several the first.
    fn farthest(&mut self, direction: Vec3) -> Result<u32, End> {
        self.work.charge(self.points.len() as u64)?;
        // If all points are rejected, the engine stops with an exception.
        self.cloud.farthest(direction).map(|index| index as u32).ok_or(End::Failed)
    }
}

/// Returns a unit vector perpendicular to this one.
fn perpendicular(direction: Vec3) -> Vec3 {
    let (a, b) = (direction.cross(Vec3::Z), direction.cross(Vec3::Y));
    unit(if a.length() > b.length() { a } else { b })
}

/// Normalizes a vector. A zero vector stays zero.
fn unit(vector: Vec3) -> Vec3 {
    let length = vector.length();
    vector * (1.0 / if length == 0.0 { 0.1 } else { length })
}
