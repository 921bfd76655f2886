//! The points of a sculpt map, sampled as ubODE samples them.

use super::{Built, Mesh, prim::finished};
use crate::{bitmap::Bitmap, sculpt::Stitch};
use glam::Vec3;
use hullmark_util::work::{Stopped, Work};

/// Points along a side of the grid: for the mesh, and for a hull.
const DETAIL: [u32; 2] = [32, 8];

/// Reduces a map as the mesher does. Returns width, height and pixels, with no more pixels than the mesh uses.
pub fn reduced(map: &Bitmap<'_>) -> (u32, u32, Vec<[u8; 3]>) {
    let [across, down] = kept([map.width, map.height], DETAIL[0]);
    let places = down.iter().flat_map(|&y| across.iter().map(move |&x| (x, y)));
    let rgb: Vec<[u8; 3]> = places.filter_map(|(x, y)| map.pixel(x, y)).collect();
    (across.len() as u32, down.len() as u32, rgb)
}

/// Builds the mesh of a sculpt map, or its hull. Turning it inside out changes neither figure.
pub fn sculpt(
    map: &Bitmap<'_>,
    stitch: Stitch,
    mirror: bool,
    convex: bool,
    work: &mut Work,
) -> Result<Built, Stopped> {
    let Some(mut rows) = rows(map, DETAIL[usize::from(convex)]) else { return Ok(Built::FAILED) };
    if mirror {
        rows.iter_mut().flatten().for_each(|point| point.x = -point.x);
    }
    stitched(&mut rows, stitch);
    finished(grid(&rows), convex, work)
}

/// Returns the columns and rows that the meshes of a map of this size sample.
pub fn samples(size: [u32; 2]) -> Vec<[Vec<u32>; 2]> {
    DETAIL.into_iter().filter_map(|detail| places(size, detail)).collect()
}

/// Returns the map at the detail of the mesher. `None` if the engine fails, because a side is halved to nothing.
fn rows(map: &Bitmap<'_>, detail: u32) -> Option<Vec<Vec<Vec3>>> {
    let [columns, lines] = places([map.width, map.height], detail)?;
    lines.iter().map(|&y| columns.iter().map(|&x| point(map, x, y)).collect()).collect()
}

fn point(map: &Bitmap<'_>, x: u32, y: u32) -> Option<Vec3> {
    let coordinate = |byte: u8| f32::from(byte) * (1.0 / 255.0) - 0.5;
    Some(map.pixel(x, y)?.map(coordinate).into())
}

/// Returns the columns and rows of a map that the mesher samples. The map is halved until it has at most four times the
/// points. If there are still more points than requested, every second pixel is used. The last row and column are the
/// map's own. `None` if a side is halved to nothing.
fn places(size: [u32; 2], detail: u32) -> Option<[Vec<u32>; 2]> {
    let most = u64::from(detail) * u64::from(detail);
    let [width, height] = reduced_size(size, detail);
    let every = if u64::from(width) * u64::from(height) > most { 2 } else { 1 };
    let [across, down] = kept(size, detail);
    let of_side = |side: u32, kept: Vec<u32>| {
        let sampled = samples_of_side(side / every, every)?;
        sampled.into_iter().map(|place| kept.get(place as usize).copied()).collect::<Option<Vec<_>>>()
    };
    Some([of_side(width, across)?, of_side(height, down)?])
}

/// Returns the columns and rows that reducing keeps.
fn kept(size: [u32; 2], detail: u32) -> [Vec<u32>; 2] {
    let [width, height] = reduced_size(size, detail);
    [nearest(size[0], width), nearest(size[1], height)]
}

fn reduced_size([mut width, mut height]: [u32; 2], detail: u32) -> [u32; 2] {
    let most = 4 * u64::from(detail) * u64::from(detail);
    while u64::from(width) * u64::from(height) > most {
        (width, height) = (width / 2, height / 2);
    }
    [width, height]
}

/// Returns the pixels along a side of the map that reducing keeps: the nearest ones, and the last one at the end.
fn nearest(side: u32, reduced: u32) -> Vec<u32> {
    if side == reduced {
        return (0..side).collect();
    }
    let step = side as f32 / reduced as f32;
    let mut at = 0.5;
    let mut taken = Vec::new();
    for _ in 1..reduced {
        taken.push(at as u32);
        at += step;
    }
    taken.extend(side.checked_sub(1));
    taken
}

/// Returns the indices to sample: `count` with a stride, and the last one.
fn samples_of_side(count: u32, stride: u32) -> Option<Vec<u32>> {
    let last = (count * stride).checked_sub(1)?;
    Some((0..count).map(|step| step * stride).chain([last]).collect())
}

/// Joins the borders of the grid.
fn stitched(rows: &mut Vec<Vec<Vec3>>, stitch: Stitch) {
    let even = rows.len().is_multiple_of(2);
    let middle = rows[0].len() / 2;
    if stitch != Stitch::Plane {
        for row in rows.iter_mut() {
            if even {
                row.push(row[0]);
            } else if let Some(&last) = row.last() {
                row[0] = last;
            }
        }
    }
    match stitch {
        Stitch::Sphere => {
            let bottom = rows.len() - 1;
            let [top_pole, bottom_pole] = [0, bottom].map(|row| vec![rows[row][middle]; rows[row].len()]);
            if even {
                rows.insert(0, top_pole);
                rows.push(bottom_pole);
            } else {
                rows[0] = top_pole;
                rows[bottom] = bottom_pole;
            }
        }
        Stitch::Torus => rows.push(rows[0].clone()),
        Stitch::Plane | Stitch::Cylinder => (),
    }
}

/// Adds two triangles for each cell of a grid.
fn grid(rows: &[Vec<Vec3>]) -> Mesh {
    let width = rows[0].len() as u32;
    let mut mesh = Mesh { points: rows.concat(), triangles: Vec::new() };
    for row in 1..rows.len() as u32 {
        for column in 1..width {
            let here = row * width + column;
            let above = here - width;
            mesh.triangles.extend([[above - 1, here - 1, here], [above - 1, here, above]]);
        }
    }
    mesh
}
