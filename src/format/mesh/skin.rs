//! The skin block: the avatar joints that move the mesh.

use super::{SKIN, Submesh, diagnostics::Notes, skeleton};
use crate::{
    defect::{Defect, MeshDefect},
    llsd::Value,
    xml::excerpt,
};

/// Number of joints of a skin that viewers use: V `lljoint.h`, `LL_MAX_JOINTS_PER_MESH_OBJECT`.
const MOST_JOINTS: usize = 110;

/// Returns the number of joints; `None` if the block has no list of them.
pub(super) fn read(value: &Value<'_>, notes: &mut Notes) -> Option<u32> {
    let defect = |kind: MeshDefect| Defect::new(kind).within(SKIN);
    let Some(map) = value.as_map() else {
        notes.find(defect(MeshDefect::BlockNotMap { found: value.kind().into() }));
        return None;
    };
    let Some(joints) = map.get("joint_names").and_then(Value::as_array) else {
        notes.find(defect(MeshDefect::JointsMissing));
        return None;
    };
    let matrices = map.get("inverse_bind_matrix").and_then(Value::as_array).unwrap_or_default();
    let bindings = matrices.len();
    let unusable = matrices.iter().filter(|matrix| !is_usable(matrix)).count();
    if unusable > 0 {
        let defect = defect(MeshDefect::UnusableBindMatrices).measured(unusable as f64);
        notes.find(defect.limit(bindings as f64));
    }
    if bindings != joints.len() {
        let defect = defect(MeshDefect::BindMatricesDiffer).measured(bindings as f64);
        notes.find(defect.limit(joints.len() as f64));
    }
    if joints.len() > MOST_JOINTS {
        let defect = defect(MeshDefect::TooManyJoints).measured(joints.len() as f64);
        notes.find(defect.limit(MOST_JOINTS as f64));
    }
    let unknown: Vec<&Value<'_>> = joints.iter().filter(|joint| !is_known(joint)).collect();
    if let Some(first) = unknown.first() {
        let name = String::from_utf8_lossy(first.as_string().unwrap_or_default());
        let defect = defect(MeshDefect::UnknownJoints { first: excerpt(&name).into() });
        notes.find(defect.measured(unknown.len() as f64).limit(joints.len() as f64));
    }
    u32::try_from(joints.len()).ok()
}

/// Returns the names of the joints. Bytes that are not UTF-8 are replaced.
pub(super) fn names(value: &Value<'_>) -> Vec<String> {
    let joints = value.as_map().and_then(|map| map.get("joint_names")?.as_array()).unwrap_or_default();
    let name =
        |joint: &Value<'_>| String::from_utf8_lossy(joint.as_string().unwrap_or_default()).into_owned();
    joints.iter().map(name).collect()
}

fn is_known(joint: &Value<'_>) -> bool {
    let name = joint.as_string().and_then(|name| str::from_utf8(name).ok());
    name.is_some_and(skeleton::has)
}

/// Checks the weights of all levels of detail against the number of joints.
pub(super) fn check_weights(lods: &[Option<Vec<Submesh>>; 4], joints: u32, notes: &mut Notes) {
    let faces = || lods.iter().flatten().flatten();
    let vertices: usize = faces().map(|face| face.positions.len()).sum();
    let weighted: usize = faces().map(|face| face.weights.weighted).sum();
    let zero: usize = faces().map(|face| face.weights.zero).sum();
    let last_joint = faces().filter_map(|face| face.weights.last_joint).max().map_or(0, u32::from);
    let mut find = |kind: MeshDefect, measured: usize, limit: usize| {
        let defect = Defect::new(kind).within(SKIN);
        notes.find(defect.measured(measured as f64).limit(limit as f64));
    };
    if zero > 0 {
        find(MeshDefect::ZeroWeights, zero, vertices);
    }
    if weighted < vertices {
        find(MeshDefect::WeightsMissing, vertices - weighted, vertices);
    }
    if last_joint >= joints {
        find(MeshDefect::JointOutside, last_joint as usize + 1, joints as usize);
    }
}

fn is_usable(matrix: &Value<'_>) -> bool {
    let finite = |value: &Value<'_>| value.as_f64().is_some_and(f64::is_finite);
    matrix.as_array().is_some_and(|numbers| numbers.len() == 16 && numbers.iter().all(finite))
}
