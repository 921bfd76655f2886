//! Objects that look alike at one position.

use hullmark_format::object::{Part, Shape};
use hullmark_ledger::facts::ObjectFacts;
use std::collections::HashMap;

/// Key of objects that look alike: lengths in millimetres, rotations in thousandths.
#[derive(PartialEq, Eq, Hash)]
struct Look<'a> {
    region: Option<u32>,
    name: &'a str,
    parts: usize,
    position: [i64; 3],
    rotation: [i64; 4],
    scale: [i64; 3],
    shape: Shape,
}

impl<'a> Look<'a> {
    /// `None` if a number is not finite.
    fn new(object: &ObjectFacts, root: &'a Part) -> Option<Self> {
        let finite = root.group_position.is_finite() && root.rotation.is_finite() && root.scale.is_finite();
        let thousandths = |number: f64| (number * 1000.0).round() as i64;
        // A quaternion and its negative are the same rotation.
        let sign = if root.rotation.w < 0.0 { -1.0 } else { 1.0 };
        finite.then(|| Self {
            region: object.region,
            name: &root.name,
            parts: object.linkset.parts.len(),
            position: root.group_position.to_array().map(thousandths),
            rotation: root.rotation.to_array().map(|number| thousandths(number * sign)),
            scale: root.scale.to_array().map(thousandths),
            shape: root.shape,
        })
    }
}

/// Returns the groups of objects whose roots have the same name, form, size and rotation at one position, to the
/// millimetre. Groups and objects are in the order of the objects, and each group has at least two.
pub fn at_one_position<'a>(objects: impl Iterator<Item = (usize, &'a ObjectFacts)>) -> Vec<Vec<usize>> {
    // A look is long, so a map that grows would spend more on hashing than all else here takes.
    let mut places: HashMap<Look<'a>, usize> = HashMap::with_capacity(objects.size_hint().1.unwrap_or(0));
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (number, object) in objects {
        let root = object.linkset.parts.first();
        let Some(look) = root.and_then(|root| Look::new(object, root)) else { continue };
        let place = *places.entry(look).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(before) => before.push(number),
            None => groups.push(vec![number]),
        }
    }
    groups.retain(|group| group.len() > 1);
    groups
}
