//! Weights: which joints move a vertex, and how much.
//!
//! The list of a face has up to four influences of each vertex: the index of a joint in one byte, and a 16-bit weight.
//! The byte 255 ends fewer than four (V `LLVolume::unpackVolumeFacesInternal`).

use crate::llsd::{Map, Value};

/// The joint index that ends the influences of a vertex.
const END: u8 = 255;

const MOST_INFLUENCES: usize = 4;

/// Bytes of a weight.
const WEIGHT: usize = 2;

/// The weights of a face.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Weights {
    /// Number of vertices with influences.
    pub weighted: usize,
    /// Number of those whose weights are all 0.
    pub zero: usize,
    /// The greatest index of a joint.
    pub last_joint: Option<u8>,
}

/// A joint of the skin, and its weight from 0 to 65,535.
pub type Influence = (u8, u16);

/// Returns the influences on each vertex of a face. Empty if the list ends before the last one.
pub(super) fn influences(face: &Map<'_>, vertices: usize) -> Vec<Vec<Influence>> {
    let mut rest = face.get("Weights").and_then(Value::as_binary).unwrap_or_default();
    let all: Option<Vec<_>> = (0..vertices)
        .map(|_| of_vertex(&mut rest).map(|(influences, count)| influences[..count].to_vec()))
        .collect();
    all.filter(|all| !all.is_empty()).unwrap_or_default()
}

/// Reads the weights of a face with this number of vertices.
pub(super) fn read(face: &Map<'_>, vertices: usize) -> Weights {
    let mut rest = face.get("Weights").and_then(Value::as_binary).unwrap_or_default();
    let mut weights = Weights::default();
    for _ in 0..vertices {
        let Some((influences, count)) = of_vertex(&mut rest) else { break };
        let influences = &influences[..count];
        weights.weighted += 1;
        // A vertex without influences follows the first joint.
        weights.zero +=
            usize::from(!influences.is_empty() && influences.iter().all(|(_, weight)| *weight == 0));
        weights.last_joint = weights.last_joint.max(influences.iter().map(|(joint, _)| *joint).max());
    }
    weights
}

/// Reads the influences of a vertex, and their number. `None` if the list ends before them.
fn of_vertex(rest: &mut &[u8]) -> Option<([Influence; MOST_INFLUENCES], usize)> {
    let mut influences = [(0, 0); MOST_INFLUENCES];
    for (count, influence) in influences.iter_mut().enumerate() {
        let (&joint, after) = rest.split_first()?;
        *rest = after;
        if joint == END {
            return Some((influences, count));
        }
        let (weight, after) = rest.split_first_chunk::<WEIGHT>()?;
        *rest = after;
        *influence = (joint, u16::from_le_bytes(*weight));
    }
    Some((influences, MOST_INFLUENCES))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        llsd,
        mesh::build::{binary, map},
    };

    fn weights(list: &[u8], vertices: usize) -> Weights {
        let face = map(&[("Weights", binary(list))]);
        let document = llsd::parse(&face, 4).unwrap();
        read(document.value.as_map().unwrap(), vertices)
    }

    #[test]
    fn influences_end_with_the_fourth_or_with_a_mark() {
        let four = [0, 1, 0, 1, 0, 0, 7, 0, 0, 2, 0, 9];
        let one = [3, 255, 255, END];
        let zero = [9, 0, 0, 1, 0, 0, END];
        let none = [END];
        let list = [&four[..], &one, &zero, &none].concat();
        assert_eq!(weights(&list, 4), Weights { weighted: 4, zero: 1, last_joint: Some(9) });
        assert_eq!(weights(&list, 2), Weights { weighted: 2, zero: 0, last_joint: Some(7) });
        // The list ends inside of the second vertex.
        assert_eq!(weights(&list[..14], 4), Weights { weighted: 1, zero: 0, last_joint: Some(7) });
        assert_eq!(weights(&[], 4), Weights::default());
    }
}
