//! Fields of a part that no rule asks for. OpenSim gives up an object over any of them that it cannot read, so they are
//! checked.

use super::values::{self, Field};
use crate::format::xml::{Result, Xml};

/// Reads the innermost open element and keeps nothing. There is one for each kind of value that `SceneObjectSerializer`
/// does not take whatever it is, as it takes truth values, UUIDs and texts.
pub(super) type Check = fn(&mut Xml<'_>) -> Result<Field<()>>;

pub(super) const INT: Check = |xml| Ok(values::int(xml)?.map(drop));
pub(super) const LONG: Check = |xml| Ok(values::long(xml)?.map(drop));
pub(super) const UNSIGNED: Check = |xml| Ok(values::unsigned(xml)?.map(drop));
pub(super) const FLOAT: Check = |xml| Ok(values::float(xml)?.map(drop));
pub(super) const VECTOR: Check = |xml| Ok(values::vector(xml)?.map(drop));
pub(super) const QUATERNION: Check = |xml| Ok(values::quaternion(xml)?.map(drop));
pub(super) const BASE64: Check = |xml| Ok(values::bytes(&xml.text()?).map(drop));
