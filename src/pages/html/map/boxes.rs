//! The prims of the heaviest objects as boxes, for the view of a region in 3-D.
//!
//! A box has nine numbers of two bytes: its middle, its sides, and the first three parts of its rotation. Places count in
//! a 16,384th of the longer side of the region, sizes in a 65,536th.

use super::super::top_rows::Place;
use base64::{Engine, prelude::BASE64_STANDARD};
use glam::{DQuat, DVec3};
use hullmark_format::height_grid::HeightGrid;
use hullmark_ledger::facts::Role;
use hullmark_report::tables::objects::Row;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Maximum number of boxes on a page: those of the heaviest objects. They take 576 kB of the page.
const MOST: usize = 24_000;
/// Bytes of a box.
const BOX: usize = 18;

const PLACES: f64 = 16_384.0;
const SIZES: f64 = 65_536.0;

/// Maximum number of cells of the ground along a side.
const CELLS: usize = 32;

/// The boxes of objects by the places of their rows, the heaviest first.
#[derive(Debug, Default)]
pub(in crate::html) struct Boxes {
    objects: BTreeMap<Place, Box<[u8]>>,
    /// Number of all boxes.
    count: usize,
}

impl Boxes {
    /// Adds an object in a region, and drops the lightest ones if there are too many boxes.
    pub(in crate::html) fn object(&mut self, place: &Place, row: &Row<'_>) {
        let region = row.object.region.and_then(|number| row.measured.ledger.regions.get(number as usize));
        let Some(region) = region.filter(|_| row.object.role == Role::Rezzed) else { return };
        let is_last = self.objects.last_key_value().is_some_and(|(last, _)| place > last);
        if self.count >= MOST && is_last {
            return;
        }
        let side = f64::from(region.size[0].max(region.size[1]).max(1));
        let parts = row.object.linkset.parts.iter().zip(&row.measures.parts);
        let boxes = parts.filter_map(|(part, at)| packed(at.position, part.scale, at.rotation, side));
        let boxes: Box<[u8]> = boxes.flatten().collect();
        if boxes.is_empty() {
            return;
        }
        self.count += boxes.len() / BOX;
        self.objects.insert(place.clone(), boxes);
        while self.count > MOST {
            let Some((_, dropped)) = self.objects.pop_last() else { break };
            self.count -= dropped.len() / BOX;
        }
    }

    pub(super) fn get(&self, place: &Place) -> Option<&[u8]> {
        self.objects.get(place).map(|boxes| &**boxes)
    }
}

/// Packs a box. `None` if a number is not finite, or the box is far outside of the region.
fn packed(middle: DVec3, sides: DVec3, rotation: DQuat, of_region: f64) -> Option<[u8; BOX]> {
    let place = middle / of_region * PLACES;
    if !(place.is_finite() && sides.is_finite() && rotation.is_finite())
        || place.abs().max_element() > 32_767.0
    {
        return None;
    }
    // The fourth part is the positive root of the rest.
    let rotation = if rotation.w < 0.0 { -rotation } else { rotation };
    let places = place.to_array().map(|part| part.round() as i16);
    let sizes =
        sides.abs().to_array().map(|side| (side / of_region * SIZES).round().clamp(1.0, 65_535.0) as u16);
    let spins = [rotation.x, rotation.y, rotation.z].map(|part| (part * 32_767.0).round() as i16);
    let mut bytes = [0; BOX];
    let numbers = places.map(i16::to_le_bytes).into_iter().chain(sizes.map(u16::to_le_bytes));
    let numbers = numbers.chain(spins.map(i16::to_le_bytes));
    bytes.as_chunks_mut().0.iter_mut().zip(numbers).for_each(|(to, from)| *to = from);
    Some(bytes)
}

/// The boxes of a map under construction.
#[derive(Debug, Default)]
pub(super) struct MapBoxes {
    /// Rows of objects, and their numbers of boxes.
    objects: Vec<(usize, usize)>,
    bytes: Vec<u8>,
}

impl MapBoxes {
    pub(super) fn add(&mut self, row: usize, boxes: &[u8]) {
        self.objects.push((row, boxes.len() / BOX));
        self.bytes.extend(boxes);
    }

    /// Returns the data for the script. `None` without boxes.
    pub(super) fn json(
        &self,
        size: [f64; 2],
        ground: Option<&HeightGrid>,
        water: Option<f64>,
    ) -> Option<Value> {
        let boxes = BASE64_STANDARD.encode(&self.bytes);
        let ground = ground.and_then(|ground| coarse(ground, water));
        (!self.bytes.is_empty())
            .then(|| json!({ "size": size, "objects": self.objects, "boxes": boxes, "ground": ground }))
    }
}

/// Returns a ground with few cells: 1 to 255 from the lowest to the highest, and 0 where the height is unknown.
fn coarse(grid: &HeightGrid, water: Option<f64>) -> Option<Value> {
    let side = grid.side();
    let step = side.div_ceil(CELLS).max(1);
    let few = side / step;
    let heights: Vec<Option<f64>> = grid.heights().collect();
    let [low, high] = [grid.lowest, grid.highest].map(f64::from);
    let cell = |row: usize, column: usize| {
        let cells =
            (0..step * step).map(|at| heights[(row * step + at / step) * side + column * step + at % step]);
        let known: Vec<f64> = cells.flatten().collect();
        let mean = known.iter().sum::<f64>() / known.len().max(1) as f64;
        let share = if high > low { (mean - low) / (high - low) } else { 0.0 };
        if known.is_empty() { 0 } else { 1 + (share.clamp(0.0, 1.0) * 254.0).round() as u8 }
    };
    let cells: Vec<u8> = (0..few * few).map(|at| cell(at / few, at % few)).collect();
    (few > 1)
        .then(|| json!({ "side": few, "low": low, "high": high, "water": water, "cells": BASE64_STANDARD.encode(cells) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(bytes: &[u8]) -> Vec<i16> {
        bytes.as_chunks::<2>().0.iter().map(|&pair| i16::from_le_bytes(pair)).collect()
    }

    #[test]
    fn a_box_is_nine_numbers() {
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let turned = DQuat::from_xyzw(0.0, 0.0, -half, -half);
        let bytes =
            packed(DVec3::new(128.0, 64.0, -1.0), DVec3::new(-1.0, 2.0, 0.001), turned, 256.0).unwrap();
        assert_eq!(numbers(&bytes), [8192, 4096, -64, 256, 512, 1, 0, 0, 23170]);
        for far in [DVec3::splat(600.0), DVec3::splat(f64::NAN)] {
            assert_eq!(packed(far, DVec3::ONE, turned, 256.0), None);
        }
    }
}
