//! The skin block: which joints of an avatar carry the mesh.

use super::{SKIN, diagnostics::Notes};
use crate::{
    finding::{Code, Finding},
    format::llsd::Value,
};

/// Counts the joints; absent where the block does not name any list of them.
pub(super) fn read(value: &Value<'_>, notes: &mut Notes) -> Option<u32> {
    let finding = |code| Finding::new(code).within(SKIN);
    let Some(map) = value.as_map() else {
        let detail = format!("{}, where a map should be", value.kind());
        notes.find(finding(Code::MSH015).detail(detail));
        return None;
    };
    let Some(joints) = map.get("joint_names").and_then(Value::as_array) else {
        notes.find(finding(Code::MSH015).detail("joint_names is missing or not an array"));
        return None;
    };
    let matrices = map.get("inverse_bind_matrix").and_then(Value::as_array).unwrap_or_default();
    let bindings = matrices.len();
    let unusable = matrices.iter().filter(|matrix| !is_usable(matrix)).count();
    if unusable > 0 {
        notes.find(
            finding(Code::MSH015)
                .aspect("bind matrix")
                .measured(unusable as f64)
                .limit(bindings as f64)
                .detail(format!("{unusable} of {bindings} bind matrices are not sixteen finite numbers")),
        );
    }
    if bindings != joints.len() {
        notes.find(
            finding(Code::MSH016)
                .aspect("bind matrices")
                .measured(bindings as f64)
                .limit(joints.len() as f64)
                .detail(format!(
                    "skin has {bindings} bind matrices for {} joints, so viewers drop all of them",
                    joints.len()
                )),
        );
    }
    u32::try_from(joints.len()).ok()
}

/// Whether this is a matrix of sixteen finite numbers.
fn is_usable(matrix: &Value<'_>) -> bool {
    let finite = |value: &Value<'_>| value.as_f64().is_some_and(f64::is_finite);
    matrix.as_array().is_some_and(|numbers| numbers.len() == 16 && numbers.iter().all(finite))
}
