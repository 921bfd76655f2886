//! Skins: joints and weights.

use super::*;

fn skin(names: &[&str]) -> Vec<u8> {
    let matrices = vec![array(&[const { 0.0 }; 16].map(real)); names.len()];
    let names: Vec<_> = names.iter().map(string).collect();
    map(&[("joint_names", array(&names)), ("inverse_bind_matrix", array(&matrices))])
}

/// Returns the names of the defects of a skin, each with the measured value and the limit.
fn defects_of(names: &[&str], weights: &[u8]) -> Vec<(String, f64, f64)> {
    let face = map(&[
        ("Position", triples(&CORNERS)),
        ("PositionDomain", unit()),
        ("TriangleList", triples(&[[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]])),
        ("Weights", binary(weights)),
    ]);
    let mut blocks = blocks_with("skin", skin(names));
    blocks.retain(|(name, _)| *name != "high_lod");
    blocks.push(("high_lod", array(&[face])));
    let (_, defects) = decoded(&asset(&blocks));
    let number = |number: Option<Number>| number.map_or(f64::NAN, |Number(number)| number);
    defects.iter().map(|defect| (defect.name(), number(defect.measured), number(defect.limit))).collect()
}

#[test]
fn joints_are_those_of_the_skeleton_and_at_most_110() {
    let weights = [0, 255, 255, 255].repeat(4);
    let of = |names: &[&str]| defects_of(names, &weights);
    assert_eq!(of(&["mPelvis", "L_HAND", "mTail6"]), []);
    assert_eq!(of(&["mPelvis", "Bone.001", "Bone.002"]), [("unknown-joints".into(), 2.0, 3.0)]);
    assert_eq!(of(&["mHead"; 110]), []);
    assert_eq!(of(&["mHead"; 111]), [("too-many-joints".into(), 111.0, 110.0)]);
}

#[test]
fn weights_are_counted_over_all_levels() {
    let of = |weights: &[u8]| defects_of(&["mPelvis", "mTorso"], weights);
    let good = [1, 9, 0, 255];
    assert_eq!(of(&good.repeat(4)), []);
    assert_eq!(of(&[&[0, 0, 0, 255][..], &good.repeat(3)].concat()), [("zero-weights".into(), 1.0, 16.0)]);
    assert_eq!(of(&good.repeat(3)), [("weights-missing".into(), 1.0, 16.0)]);
    assert_eq!(of(&[&good.repeat(3)[..], &[2, 9, 0, 255]].concat()), [("joint-outside".into(), 3.0, 2.0)]);
}
