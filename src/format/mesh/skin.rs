//! The skin block: the avatar joints that move the mesh.

use super::{SKIN, diagnostics::Notes};
use crate::{
    defect::{Defect, MeshDefect},
    llsd::Value,
};

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
    u32::try_from(joints.len()).ok()
}

fn is_usable(matrix: &Value<'_>) -> bool {
    let finite = |value: &Value<'_>| value.as_f64().is_some_and(f64::is_finite);
    matrix.as_array().is_some_and(|numbers| numbers.len() == 16 && numbers.iter().all(finite))
}
