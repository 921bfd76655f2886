//! Joins corners with equal attributes to one vertex.

use crate::scene::Vertex;
use std::collections::HashMap;

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
        // Both zeros are one number.
        let key = [x, y, z, nx, ny, nz, uv.x, uv.y].map(|part| (part + 0.0).to_bits());
        let next = self.numbers.len() as u32;
        *self.numbers.entry(key).or_insert(next)
    }
}
