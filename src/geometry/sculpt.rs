//! The surface of a sculpt map, as created by the viewer's volume generator.
//!
//! The map is sampled on a grid, whose size depends on the level of detail and the map's proportions. A pixel's red,
//! green and blue are a point's x, y and z. The map's stitching decides how the borders of the grid meet. The viewer
//! shows a ball instead of a map with hardly any area. Here the map's own points are used.

use super::{
    bitmap::Bitmap,
    level_of_detail::Detail,
    surface::{Builder, Surface},
};
use glam::DVec3;

/// Minimum number of rows and of columns of a grid.
const FEWEST_PARTS: u32 = 4;
const PIXELS_PER_POINT: u32 = 4;

/// The connections between the borders of the grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stitch {
    /// The left and right sides meet. The first and the last row are one point each.
    Sphere,
    /// The left and right sides meet, and so do the first and the last row.
    Torus,
    /// No borders meet.
    Plane,
    /// The left and right sides meet.
    Cylinder,
}

/// Creates the surface of a complete map in the unit cube, before the part's scale. `invert` turns it inside out, and
/// `mirror` flips its x. A square map gives at most 1,089 points, and any map at most 1,285.
pub fn sculpt(map: &Bitmap<'_>, stitch: Stitch, invert: bool, mirror: bool, detail: Detail) -> Surface {
    grid_surface(map, stitch, invert, mirror, detail).finish()
}

/// Returns the area of the surface of a complete map in the unit cube, in units of the cube.
pub fn area(map: &Bitmap<'_>, stitch: Stitch, detail: Detail) -> f64 {
    grid_surface(map, stitch, false, false, detail).area()
}

fn grid_surface(map: &Bitmap<'_>, stitch: Stitch, invert: bool, mirror: bool, detail: Detail) -> Builder {
    let (rows, columns) = grid([map.width, map.height], detail);
    let parts = (rows * columns) as usize;
    let mut builder = Builder::with_room(parts + (rows + columns + 1) as usize, 2 * parts);
    let places: Vec<Option<usize>> =
        (0..=columns).map(|column| column_of(map, stitch, pixel(column, columns, map.width))).collect();
    let middle = map.column(map.width / 2);
    for row in 0..=rows {
        let y = pixel(row, rows, map.height);
        let is_pole = stitch == Stitch::Sphere && (y == 0 || y == map.height);
        let row = row_of(map, stitch, y);
        for column in 0..=columns {
            // A mirrored surface faces inward unless its columns are reversed too.
            let column = if invert != mirror { columns - column } else { column };
            let column = if is_pole { middle } else { places[column as usize] };
            // Every pixel of a complete map that is sampled is known.
            let color = column.zip(row).and_then(|(column, row)| map.known(column, row)).unwrap_or_default();
            let point = DVec3::from(color.map(f64::from)) / 255.0 - 0.5;
            builder.point(if mirror { point * DVec3::new(-1.0, 1.0, 1.0) } else { point });
        }
    }
    for row in 0..rows {
        for column in 0..columns {
            let here = row * (columns + 1) + column;
            let there = here + columns + 1;
            builder.quad([here, here + 1, there + 1, there], true);
        }
    }
    builder
}

/// Returns the columns and rows that the surfaces of a map of this size sample, in any order.
pub(super) fn samples(size: [u32; 2]) -> Vec<[Vec<u32>; 2]> {
    let [width, height] = size;
    let of_level = |detail| {
        let (rows, columns) = grid(size, detail);
        let ends = |side: u32| [0, side / 2, side.saturating_sub(1)].into_iter();
        let columns = (0..=columns).map(|column| pixel(column, columns, width)).chain(ends(width));
        let rows = (0..=rows).map(|row| pixel(row, rows, height)).chain(ends(height));
        let columns = columns.filter(|&x| x < width).collect();
        [columns, rows.filter(|&y| y < height).map(|y| height - 1 - y).collect()]
    };
    Detail::ALL.map(of_level).into()
}

/// Returns the sides of the square grid of a level.
fn sides(detail: Detail) -> u32 {
    match detail {
        Detail::Lowest => 6,
        Detail::Low => 8,
        Detail::Medium => 16,
        Detail::High => 32,
    }
}

/// Returns the rows and columns into which the map is divided. They follow the map's proportions, with no more points
/// than the level and the map allow. Roots are computed in f32, because they are truncated to integers.
fn grid([width, height]: [u32; 2], detail: Detail) -> (u32, u32) {
    let of_level = sides(detail).pow(2);
    let of_map = width * height / PIXELS_PER_POINT;
    let points = if of_map > 0 { of_level.min(of_map) } else { of_level };
    let ratio = width as f32 / height as f32;
    let rows = ((points as f32 / ratio).sqrt() as u32).max(FEWEST_PARTS);
    let columns = (points / rows).max(FEWEST_PARTS);
    ((points / columns).max(1), columns)
}

/// Returns the place of the column of pixels for a column of the grid. The one past the last is the first, except of a
/// plane.
fn column_of(map: &Bitmap<'_>, stitch: Stitch, x: u32) -> Option<usize> {
    let end = if stitch == Stitch::Plane { map.width - 1 } else { 0 };
    map.column(if x == map.width { end } else { x })
}

/// Returns the place of the row of pixels for a row of the grid. Rows of the grid count from the bottom, as in the viewer.
fn row_of(map: &Bitmap<'_>, stitch: Stitch, y: u32) -> Option<usize> {
    let end = if stitch == Stitch::Torus { 0 } else { map.height - 1 };
    map.row(map.height - 1 - if y == map.height { end } else { y })
}

/// Returns the pixel at a fraction of a side; at the end, one past the last. In f32, because it is truncated.
fn pixel(step: u32, steps: u32, side: u32) -> u32 {
    (step as f32 / steps as f32 * side as f32) as u32
}

#[cfg(test)]
mod tests {
    use super::{super::surface::tests::closed, *};
    use std::f64::consts::{PI, TAU};

    /// Returns the pixels of a map of 64 × 64, from a function of the fractions of width and height.
    fn map(point: impl Fn(f64, f64) -> DVec3) -> Vec<[u8; 3]> {
        let colour = |x: u32, y: u32| {
            let point = point(f64::from(x) / 64.0, f64::from(y) / 63.0);
            ((point + 0.5) * 255.0).round().to_array().map(|part| part as u8)
        };
        let places = (0..64).rev().flat_map(|y| (0..64).map(move |x| (x, y)));
        places.map(|(x, y)| colour(x, y)).collect()
    }

    fn sculpt(rgb: &[[u8; 3]], stitch: Stitch, invert: bool, mirror: bool, detail: Detail) -> Surface {
        super::sculpt(&Bitmap::whole(64, 64, rgb), stitch, invert, mirror, detail)
    }

    fn ball() -> Vec<[u8; 3]> {
        map(|u, v| {
            let (around, up) = (TAU * u, PI * (v - 0.5));
            DVec3::new(up.cos() * around.cos(), up.cos() * around.sin(), up.sin()) * 0.5
        })
    }

    fn ring() -> Vec<[u8; 3]> {
        map(|u, v| {
            let (around, along) = (TAU * u, TAU * v * 63.0 / 64.0);
            let radius = 0.35 + 0.15 * along.cos();
            DVec3::new(radius * around.cos(), radius * around.sin(), 0.15 * along.sin())
        })
    }

    #[test]
    fn grids_follow_level_and_proportions() {
        let size = |width, height, detail| grid([width, height], detail);
        assert_eq!(Detail::ALL.map(|detail| size(64, 64, detail)), [(6, 6), (8, 8), (16, 16), (32, 32)]);
        assert_eq!(size(32, 32, Detail::High), (16, 16), "a point needs four pixels");
        assert_eq!(size(128, 32, Detail::High), (16, 64));
        assert_eq!(size(16, 256, Detail::High), (128, 8));
        assert_eq!(size(2, 2, Detail::High), (1, 4));
        assert_eq!(size(1, 1, Detail::Lowest), (6, 6));
    }

    #[test]
    fn balls_and_rings_are_closed_and_look_outward() {
        for detail in Detail::ALL {
            for (map, stitch, expected) in [
                (ball(), Stitch::Sphere, PI / 6.0),
                (ring(), Stitch::Torus, TAU * 0.35 * PI * 0.15f64.powi(2)),
            ] {
                let surface = sculpt(&map, stitch, false, false, detail);
                assert_eq!(closed(&surface.triangles), Some(1), "{stitch:?} {detail:?}");
                assert!(surface.volume() > 0.5 * expected && surface.volume() < 1.01 * expected);
            }
        }
        let volume = sculpt(&ball(), Stitch::Sphere, false, false, Detail::High).volume();
        assert!((volume / (PI / 6.0) - 1.0).abs() < 0.02, "{volume}");
    }

    #[test]
    fn inverting_turns_inside_out_and_mirroring_does_not() {
        let volume = |invert, mirror| sculpt(&ball(), Stitch::Sphere, invert, mirror, Detail::High).volume();
        let plain = volume(false, false);
        assert!((volume(true, false) + plain).abs() < 1e-2 * plain);
        assert!((volume(false, true) - plain).abs() < 1e-2 * plain);
        assert!((volume(true, true) + plain).abs() < 1e-2 * plain);
        let leaning = map(|u, v| DVec3::new(0.4 * u, u - 0.5, v - 0.5));
        let lowest = |mirror| {
            let surface = sculpt(&leaning, Stitch::Plane, false, mirror, Detail::High);
            surface.points.iter().fold(f64::INFINITY, |least, point| least.min(point.x))
        };
        assert!(lowest(false).abs() < 0.01 && lowest(true) < -0.35);
    }

    #[test]
    fn planes_and_cylinders_have_borders() {
        let flat = map(|u, v| DVec3::new(u - 0.5, v - 0.5, 0.0));
        let surface = sculpt(&flat, Stitch::Plane, false, false, Detail::High);
        assert_eq!((surface.points.len(), surface.triangles.len()), (33 * 33, 2 * 32 * 32));
        assert!((surface.area() - 1.0).abs() < 0.05);
        let tube = map(|u, v| DVec3::new(0.5 * (TAU * u).cos(), 0.5 * (TAU * u).sin(), v - 0.5));
        let surface = sculpt(&tube, Stitch::Cylinder, false, false, Detail::High);
        assert_eq!(surface.points.len(), 33 * 32);
        assert!((surface.area() / PI - 1.0).abs() < 0.02);
    }

    #[test]
    fn any_map_will_do() {
        for (width, height) in [(1, 1), (1, 300), (300, 1), (3, 3), (65_535, 1), (7, 4), (512, 512)] {
            let rgb = crate::bitmap::tests::noise(width * height);
            let map = Bitmap::whole(width, height, &rgb);
            for stitch in [Stitch::Sphere, Stitch::Torus, Stitch::Plane, Stitch::Cylinder] {
                let surface = super::sculpt(&map, stitch, true, true, Detail::High);
                assert!(
                    (area(&map, stitch, Detail::High) - surface.area()).abs()
                        < 1e-12 * (1.0 + surface.area())
                );
                assert!(surface.points.len() <= 1285 && surface.points.iter().all(|point| point.is_finite()));
            }
        }
        let one = vec![[7; 3]; 64 * 64];
        assert_eq!(sculpt(&one, Stitch::Sphere, false, false, Detail::High), Surface::default());
    }
}
