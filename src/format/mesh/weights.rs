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

/// Reads the weights of a face with this number of vertices.
pub(super) fn read(face: &Map<'_>, vertices: usize) -> Weights {
    let mut rest = face.get("Weights").and_then(Value::as_binary).unwrap_or_default();
    let mut weights = Weights::default();
    for _ in 0..vertices {
        let Some(is_zero) = vertex(&mut rest, &mut weights.last_joint) else { break };
        weights.weighted += 1;
        weights.zero += usize::from(is_zero);
    }
    weights
}

/// Reads the influences of a vertex. Returns whether all weights are 0, and `None` if the list ends before them.
fn vertex(rest: &mut &[u8], last_joint: &mut Option<u8>) -> Option<bool> {
    let mut is_zero = true;
    for influence in 0..MOST_INFLUENCES {
        let (&joint, after) = rest.split_first()?;
        *rest = after;
        if joint == END {
            // A vertex without influences follows the first joint.
            return Some(is_zero && influence > 0);
        }
        let (weight, after) = rest.split_first_chunk::<WEIGHT>()?;
        *rest = after;
        is_zero &= *weight == [0; WEIGHT];
        *last_joint = (*last_joint).max(Some(joint));
    }
    Some(is_zero)
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
