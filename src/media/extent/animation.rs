//! Keyframe motions (V `llkeyframemotion.cpp`, `LLKeyframeMotion::deserialize`).

use super::{Known, Record, Step, field, has};

pub(super) const CONSTRAINT: u64 = 86;
/// Bytes of a count, the smallest part of any record.
const COUNT: u64 = 4;

pub(super) fn header(head: &[u8]) -> Known {
    let key = if has(head, 0, &[1, 0, 0, 0])? {
        8
    } else if has(head, 0, &[0, 0, 1, 0])? {
        16
    } else {
        return Ok(Step::End);
    };
    let name = text(head, 12)?;
    // Loop, ease and pose take seven numbers.
    let joints = u32::from_le_bytes(field(head, name + 24)?);
    Ok(followed(name as u64 + 28, joint(joints, key)))
}

/// Returns a step over `bytes` to another record, which must be present.
fn followed(bytes: u64, record: Record) -> Step {
    Step::Next { bytes: bytes + COUNT, next: bytes, record }
}

/// Returns the record of the next joint, or the constraints if no joint is left.
fn joint(left: u32, key: u64) -> Record {
    if left == 0 { Record::Constraints } else { Record::Rotations { left, key } }
}

/// Returns the position after the NUL-terminated text at `start`.
fn text(head: &[u8], start: usize) -> Result<usize, usize> {
    let rest = head.get(start..).ok_or(start + 1)?;
    rest.iter().position(|&byte| byte == 0).map(|length| start + length + 1).ok_or(head.len() + 1)
}

pub(super) fn rotations(head: &[u8], left: u32, key: u64) -> Known {
    let name = text(head, 0)?;
    let keys = u64::from(u32::from_le_bytes(field(head, name + 4)?));
    Ok(followed(name as u64 + 8 + keys * key, Record::Positions { left, key }))
}

pub(super) fn positions(head: &[u8], left: u32, key: u64) -> Known {
    let keys = u64::from(u32::from_le_bytes(field(head, 0)?));
    Ok(followed(4 + keys * key, joint(left - 1, key)))
}

pub(super) fn constraints(head: &[u8]) -> Known {
    Ok(Step::last(4 + u64::from(u32::from_le_bytes(field(head, 0)?)) * CONSTRAINT))
}
