//! Levels of detail that could be coarser.
//!
//! By convention, each level has at most a third of the triangles of the next better one. A level that has fewer keeps
//! them. A goal may need a lowest level with even fewer: see [`FEW`].

use super::Terms;
use crate::{
    assets::Assets,
    cost::{
        Cost,
        streaming::{self, estimated_triangles, level_bytes, static_mesh},
    },
};
use hullmark_ledger::facts::{MeshFacts, ObjectFacts};
use hullmark_settings::profile::{Profile, Streaming, StreamingModel};
use std::collections::BTreeMap;
use uuid::Uuid;

/// Ratio of the triangles of a level to those of the next coarser one.
const DECIMATION: f64 = 3.0;
/// Fewest triangles of a level: those of a box.
const LEAST: f64 = 12.0;
/// Triangles of the lowest level that still show a shape from far away.
pub const FEW: u32 = 50;
/// Least share by which the download weight of a mesh must fall. Small changes are not worth an upload.
const WORTH: f64 = 0.1;

/// New numbers of triangles of a mesh, by level from lowest to high.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LevelTarget {
    pub mesh: Uuid,
    /// Present triangles. Of a level that is not readable, as the viewer estimates them from the compressed size.
    pub present: [u64; 4],
    /// Triangles after the upload, at most. The compressed size of a level changes in proportion.
    pub triangles: [u64; 4],
}

/// A mesh whose levels could be coarser, with its parts and their download weights after the change.
pub(super) type Target = (LevelTarget, Vec<(usize, Cost)>);

/// Returns the meshes whose levels could be coarser. Animated
/// meshes are left out, because they are charged by another formula.
pub(super) fn targets(
    object: &ObjectFacts,
    assets: &Assets<'_>,
    terms: Terms,
    profile: &Profile,
) -> Vec<Target> {
    let parts = &object.linkset.parts;
    let animated = parts.first().is_some_and(|root| root.shape.animesh);
    if profile.streaming.model != StreamingModel::SecondLife || animated {
        return Vec::new();
    }
    let mut users: BTreeMap<Uuid, Vec<usize>> = BTreeMap::new();
    for (index, part) in parts.iter().enumerate() {
        if let Some(mesh) = part.mesh().filter(|_| part.scale.is_finite()) {
            users.entry(mesh).or_default().push(index);
        }
    }
    let target = |(mesh, users): (Uuid, Vec<usize>)| {
        let facts = assets.mesh(mesh)?;
        let present = level_bytes(facts);
        let coarser = coarser(present, terms.lowest_at_most, &profile.streaming)?;
        let costs = |bytes| {
            let cost = move |&index: &usize| static_mesh(bytes, parts[index].scale, &profile.streaming).cost;
            users.iter().map(cost).collect::<Vec<_>>()
        };
        let (before, after) = (costs(present), costs(coarser));
        let sum = |costs: &[Cost]| Cost::sum(costs.iter().copied()).exact();
        let falls = sum(&before)? - sum(&after)? > WORTH * sum(&before)?;
        let level = level_target(mesh, facts, [present, coarser], &profile.streaming)?;
        let costs = users.into_iter().zip(after.into_iter().map(Cost::assumed)).collect();
        (falls && !streaming::is_rigged(facts)).then_some((level, costs))
    };
    users.into_iter().filter_map(target).collect()
}

/// Returns the numbers of triangles at the present compressed sizes and at new ones.
fn level_target(
    mesh: Uuid,
    facts: &MeshFacts,
    bytes: [[f64; 4]; 2],
    settings: &Streaming,
) -> Option<LevelTarget> {
    let [present, after] = bytes.map(|bytes| estimated_triangles(bytes, settings));
    let (present, after) = (present?, after?);
    let stored = |level: usize| facts.lods[level].map_or(present[level], |lod| lod.triangles.into());
    Some(LevelTarget {
        mesh,
        present: [0, 1, 2, 3].map(|level| stored(level).round() as u64),
        triangles: [0, 1, 2, 3].map(|level| match after[level] < present[level] {
            true => (stored(level) * after[level] / present[level]).round() as u64,
            false => stored(level).round() as u64,
        }),
    })
}

/// Returns the compressed sizes of the four levels, if each has at most a third of the triangles of the next better one.
/// `None` without a highest level.
fn coarser(bytes: [f64; 4], lowest_at_most: Option<u32>, settings: &Streaming) -> Option<[f64; 4]> {
    let mut triangles = estimated_triangles(bytes, settings)?;
    for level in (0..3).rev() {
        triangles[level] = triangles[level].min((triangles[level + 1] / DECIMATION).max(LEAST));
    }
    if let Some(most) = lowest_at_most {
        triangles[0] = triangles[0].min(most.into());
    }
    let size = |count: f64| count * settings.bytes_per_triangle + settings.metadata_bytes;
    Some(triangles.map(size))
}
