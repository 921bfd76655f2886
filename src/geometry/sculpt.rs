//! The surface of a sculpt map, as the viewer's volume generator makes it.
//!
//! The map is sampled on a grid, whose size depends on the level of detail and the map's proportions. A pixel's red,
//! green and blue are a point's x, y and z. The map's stitching decides how the borders of the grid meet. The viewer
//! shows a ball instead of a map with hardly any area. Here the map's own points are used.

use super::{
    level_of_detail::Detail,
    surface::{Builder, Surface},
};
use glam::DVec3;

/// Neither side of a grid is divided less by choice.
const FEWEST_PARTS: u32 = 4;
/// A point of the grid needs so many pixels of the map.
const PIXELS_PER_POINT: u32 = 4;

/// A picture of three bytes for each pixel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rgb8Map {
    width: u16,
    height: u16,
    pixels: Vec<[u8; 3]>,
}

impl Rgb8Map {
    /// A picture, its rows from the bottom upward, as the viewer keeps them: decoders that begin at the top must
    /// turn it over. `None` unless there are as many pixels as the sides say, and at least one.
    pub fn new(width: u16, height: u16, pixels: Vec<[u8; 3]>) -> Option<Self> {
        let right = !pixels.is_empty() && pixels.len() == usize::from(width) * usize::from(height);
        right.then_some(Self { width, height, pixels })
    }

    /// The point that a pixel stands for, in the cube of −0.5 to 0.5.
    fn point(&self, x: u32, y: u32) -> DVec3 {
        let [red, green, blue] = self.pixels[y as usize * usize::from(self.width) + x as usize];
        DVec3::new(f64::from(red), f64::from(green), f64::from(blue)) / 255.0 - 0.5
    }
}

/// How the borders of the grid meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stitch {
    /// The sides meet; the first and the last row are one point each.
    Sphere,
    /// The sides meet, and so do the first and the last row.
    Torus,
    /// Nothing meets.
    Plane,
    /// The sides meet.
    Cylinder,
}

/// The surface of a map in the unit cube, before the part's scale. `invert` turns it inside out, `mirror` flips
/// its x. At most 1,089 points for a square map, 1,285 for any.
pub fn sculpt(map: &Rgb8Map, stitch: Stitch, invert: bool, mirror: bool, detail: Detail) -> Surface {
    let (rows, columns) = grid(map, detail);
    let parts = (rows * columns) as usize;
    let mut builder = Builder::with_room(parts + (rows + columns + 1) as usize, 2 * parts);
    let sampling = Sampling { map, stitch, rows, columns };
    for row in 0..=rows {
        for column in 0..=columns {
            // A mirrored surface looks inward until its columns are reversed too.
            let column = if invert != mirror { columns - column } else { column };
            let point = sampling.point(row, column);
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
    builder.finish()
}

/// Sides of the square grid of a level.
fn sides(detail: Detail) -> u32 {
    match detail {
        Detail::Lowest => 6,
        Detail::Low => 8,
        Detail::Medium => 16,
        Detail::High => 32,
    }
}

/// Into how many rows and columns the map is divided: as the map's proportions have it, with no more points
/// than the level and the map allow. Roots are those of f32, because they are cut to whole numbers.
fn grid(map: &Rgb8Map, detail: Detail) -> (u32, u32) {
    let (width, height) = (u32::from(map.width), u32::from(map.height));
    let of_level = sides(detail).pow(2);
    let of_map = width * height / PIXELS_PER_POINT;
    let points = if of_map > 0 { of_level.min(of_map) } else { of_level };
    let ratio = width as f32 / height as f32;
    let rows = ((points as f32 / ratio).sqrt() as u32).max(FEWEST_PARTS);
    let columns = (points / rows).max(FEWEST_PARTS);
    ((points / columns).max(1), columns)
}

/// Which pixel a point of the grid takes.
struct Sampling<'a> {
    map: &'a Rgb8Map,
    stitch: Stitch,
    rows: u32,
    columns: u32,
}

impl Sampling<'_> {
    fn point(&self, row: u32, column: u32) -> DVec3 {
        let (width, height) = (u32::from(self.map.width), u32::from(self.map.height));
        let (mut x, mut y) = (pixel(column, self.columns, width), pixel(row, self.rows, height));
        if self.stitch == Stitch::Sphere && (y == 0 || y == height) {
            x = width / 2;
        }
        if y == height {
            y = if self.stitch == Stitch::Torus { 0 } else { height - 1 };
        }
        if x == width {
            x = if self.stitch == Stitch::Plane { width - 1 } else { 0 };
        }
        self.map.point(x, y)
    }
}

/// The pixel at a part of a side, one past the last at its end. In f32, because it is cut to a whole number.
fn pixel(step: u32, steps: u32, side: u32) -> u32 {
    (step as f32 / steps as f32 * side as f32) as u32
}

#[cfg(test)]
mod tests {
    use super::{super::surface::tests::closed, *};
    use std::f64::consts::{PI, TAU};

    /// A map made by a function of the parts of width and height.
    fn map(width: u16, height: u16, point: impl Fn(f64, f64) -> DVec3) -> Rgb8Map {
        let colour = |x: u16, y: u16| {
            let point = point(f64::from(x) / f64::from(width), f64::from(y) / f64::from(height - 1));
            ((point + 0.5) * 255.0).round().to_array().map(|part| part as u8)
        };
        let pixels = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        Rgb8Map::new(width, height, pixels.map(|(x, y)| colour(x, y)).collect()).unwrap()
    }

    fn ball() -> Rgb8Map {
        map(64, 64, |u, v| {
            let (around, up) = (TAU * u, PI * (v - 0.5));
            DVec3::new(up.cos() * around.cos(), up.cos() * around.sin(), up.sin()) * 0.5
        })
    }

    fn ring() -> Rgb8Map {
        map(64, 64, |u, v| {
            let (around, along) = (TAU * u, TAU * v * 63.0 / 64.0);
            let radius = 0.35 + 0.15 * along.cos();
            DVec3::new(radius * around.cos(), radius * around.sin(), 0.15 * along.sin())
        })
    }

    #[test]
    fn grids_follow_level_and_proportions() {
        let size = |width: u16, height: u16, detail| {
            let pixels = vec![[0; 3]; usize::from(width) * usize::from(height)];
            grid(&Rgb8Map::new(width, height, pixels).unwrap(), detail)
        };
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
        let leaning = map(64, 64, |u, v| DVec3::new(0.4 * u, u - 0.5, v - 0.5));
        let lowest = |mirror| {
            let surface = sculpt(&leaning, Stitch::Plane, false, mirror, Detail::High);
            surface.points.iter().fold(f64::INFINITY, |least, point| least.min(point.x))
        };
        assert!(lowest(false).abs() < 0.01 && lowest(true) < -0.35);
    }

    #[test]
    fn planes_and_cylinders_have_borders() {
        let flat = map(64, 64, |u, v| DVec3::new(u - 0.5, v - 0.5, 0.0));
        let surface = sculpt(&flat, Stitch::Plane, false, false, Detail::High);
        assert_eq!((surface.points.len(), surface.triangles.len()), (33 * 33, 2 * 32 * 32));
        assert!((surface.area() - 1.0).abs() < 0.05);
        let tube = map(64, 64, |u, v| DVec3::new(0.5 * (TAU * u).cos(), 0.5 * (TAU * u).sin(), v - 0.5));
        let surface = sculpt(&tube, Stitch::Cylinder, false, false, Detail::High);
        assert_eq!(surface.points.len(), 33 * 32);
        assert!((surface.area() / PI - 1.0).abs() < 0.02);
    }

    #[test]
    fn any_map_will_do() {
        assert_eq!(Rgb8Map::new(0, 0, vec![]), None);
        assert_eq!(Rgb8Map::new(2, 2, vec![[0; 3]; 3]), None);
        for (width, height) in [(1, 1), (1, 300), (300, 1), (3, 3), (65_535, 1), (7, 4), (512, 512)] {
            let mut state = 1u32;
            let mut byte = || {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 24) as u8
            };
            let pixels =
                (0..u32::from(width) * u32::from(height)).map(|_| [byte(), byte(), byte()]).collect();
            let map = Rgb8Map::new(width, height, pixels).unwrap();
            for stitch in [Stitch::Sphere, Stitch::Torus, Stitch::Plane, Stitch::Cylinder] {
                let surface = sculpt(&map, stitch, true, true, Detail::High);
                assert!(surface.points.len() <= 1285 && surface.points.iter().all(|point| point.is_finite()));
            }
        }
        let one = Rgb8Map::new(8, 8, vec![[7; 3]; 64]).unwrap();
        assert_eq!(sculpt(&one, Stitch::Sphere, false, false, Detail::High), Surface::default());
    }
}
