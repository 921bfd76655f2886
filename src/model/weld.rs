//! Joins corners with equal attributes, and points with equal positions.
//!
//! Numbers are equal if their bits are. Both zeros are one number.

use crate::scene::Vertex;
use glam::Vec3;
use std::collections::HashMap;

/// Returns the key of equal numbers.
pub(crate) fn key<const N: usize>(numbers: [f32; N]) -> [u32; N] {
    numbers.map(|number| (number + 0.0).to_bits())
}

/// Numbers of distinct vertices, in the order of their first use.
pub(crate) struct Welder {
    numbers: HashMap<[u32; 8], u32>,
}

impl Welder {
    pub(crate) fn with_room(vertices: usize) -> Self {
        Self { numbers: HashMap::with_capacity(vertices) }
    }

    /// Returns the number of a vertex. A new one has the next number.
    pub(crate) fn number(&mut self, vertex: Vertex) -> u32 {
        let Vertex { position, normal, uv } = vertex;
        let [x, y, z] = position.to_array();
        let [nx, ny, nz] = normal.to_array();
        let next = self.numbers.len() as u32;
        *self.numbers.entry(key([x, y, z, nx, ny, nz, uv.x, uv.y])).or_insert(next)
    }
}

/// Distinct positions, in the order of their first use.
#[derive(Default)]
pub(crate) struct Points {
    numbers: HashMap<[u32; 3], u32>,
    pub(crate) positions: Vec<Vec3>,
}

impl Points {
    /// Returns the number of a position. A new one has the next number.
    pub(crate) fn number(&mut self, position: Vec3) -> u32 {
        *self.numbers.entry(key(position.to_array())).or_insert_with(|| {
            self.positions.push(position);
            self.positions.len() as u32 - 1
        })
    }
}
