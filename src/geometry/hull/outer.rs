//! Leaving out what is plainly inside.
//!
//! Most points of a shape are inside of the hull of a few that lie far out, and need not be asked at each step of its
//! growth. Only clear cases are told, in floating point: a site near a plane is left to the exact growth.

use super::{exact::Point, surface};
use glam::DVec3;

/// Below this many sites there is nothing to gain.
const FEW: usize = 128;

/// Points that are held against the planes together.
const LANES: usize = 4;

/// Blocks in which an end is looked for.
const GROUP: usize = 16;

/// How deep inside of all planes a site has to be, in steps of the grid: coordinates are below 2²² steps, so heights
/// that are computed in floating point are wrong by less than a millionth of a step.
const DEPTH: f64 = 1e-3;

/// Coordinates of some sites, axis by axis; the last site fills the lanes.
type Block = [[f64; LANES]; 3];

/// For each site, whether it is plainly inside of the hull of all. Nothing where nothing was asked.
pub(super) fn mask(sites: &[Point]) -> Vec<bool> {
    if sites.len() < FEW {
        return Vec::new();
    }
    let mut inside = vec![false; sites.len()];
    // The second time there are fewer to look at, and so more directions to look in.
    for reach in [1, 2] {
        let left: Vec<usize> = (0..sites.len()).filter(|&site| !inside[site]).collect();
        let blocks = blocks(sites, &left);
        let Some(frame) = surface::grow(sites, &farthest(&blocks, &left, reach), &[]) else { break };
        let planes: Vec<[f64; 4]> =
            frame.faces.iter().map(|face| unit_plane(face.map(|site| sites[site]))).collect();
        for (block, sites) in blocks.iter().zip(left.chunks(LANES)) {
            let heights = heights(block, &planes);
            for (&site, height) in sites.iter().zip(heights) {
                inside[site] = height < -DEPTH;
            }
        }
    }
    inside
}

fn blocks(sites: &[Point], chosen: &[usize]) -> Vec<Block> {
    let block = |chosen: &[usize]| {
        let site = |lane: usize| sites[chosen[lane.min(chosen.len() - 1)]];
        [0, 1, 2].map(|axis| std::array::from_fn(|lane| site(lane)[axis] as f64))
    };
    chosen.chunks(LANES).map(block).collect()
}

/// The plane of a triangle: its normal with unit length, and how far along this it is.
fn unit_plane(corners: [Point; 3]) -> [f64; 4] {
    let [a, b, c] = corners.map(|corner| DVec3::from_array(corner.map(|c| c as f64)));
    let normal = (b - a).cross(c - a).normalize();
    [normal.x, normal.y, normal.z, normal.dot(a)]
}

/// The greatest height of each site above any of the planes.
fn heights([x, y, z]: &Block, planes: &[[f64; 4]]) -> [f64; LANES] {
    let mut greatest = [f64::NEG_INFINITY; LANES];
    for &[a, b, c, offset] in planes {
        for lane in 0..LANES {
            let height = a * x[lane] + b * y[lane] + c * z[lane] - offset;
            greatest[lane] = if height > greatest[lane] { height } else { greatest[lane] };
        }
    }
    greatest
}

/// The sites that are farthest along each direction with coordinates up to `reach`, and against it.
fn farthest(blocks: &[Block], sites: &[usize], reach: i32) -> Vec<usize> {
    let steps = || -reach..=reach;
    let all = steps().flat_map(|a| steps().flat_map(move |b| steps().map(move |c| [a, b, c])));
    // Of two opposite ones only one.
    let half = all.filter(|direction| *direction > [0; 3]);
    let mut found: Vec<usize> = half
        .flat_map(|direction| ends(blocks, direction.map(f64::from)))
        .map(|number| sites[number])
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The numbers of a site that is farthest against a direction, and of one along it.
fn ends(blocks: &[Block], direction: [f64; 3]) -> [usize; 2] {
    let (mut first, mut last) = ((f64::INFINITY, 0), (f64::NEG_INFINITY, 0));
    for (group, blocks) in blocks.chunks(GROUP).enumerate() {
        let (mut least, mut greatest) = ([f64::INFINITY; LANES], [f64::NEG_INFINITY; LANES]);
        for block in blocks {
            let along = along(block, direction);
            for lane in 0..LANES {
                least[lane] = if along[lane] < least[lane] { along[lane] } else { least[lane] };
                greatest[lane] = if along[lane] > greatest[lane] { along[lane] } else { greatest[lane] };
            }
        }
        let least = least.into_iter().fold(f64::INFINITY, f64::min);
        let greatest = greatest.into_iter().fold(f64::NEG_INFINITY, f64::max);
        first = if least < first.0 { (least, group) } else { first };
        last = if greatest > last.0 { (greatest, group) } else { last };
    }
    [first, last].map(|(end, group)| {
        let mut all = blocks.iter().skip(group * GROUP).flat_map(|block| along(block, direction));
        group * GROUP * LANES + all.position(|along| along == end).unwrap_or(0)
    })
}

fn along([x, y, z]: &Block, [a, b, c]: [f64; 3]) -> [f64; LANES] {
    std::array::from_fn(|lane| a * x[lane] + b * y[lane] + c * z[lane])
}
