//! Fields of a part that no rule asks for. OpenSim gives up an object over any of them that it cannot read, so they are
//! checked.

use super::{
    report::Report,
    value::{self, Field},
};
use crate::format::xml::{Result, Xml};

/// Reads the innermost open element and keeps nothing.
type Check = fn(&mut Xml<'_>) -> Result<Field<()>>;

const INT: Check = |xml| Ok(value::int(xml)?.map(drop));
const LONG: Check = |xml| Ok(value::long(xml)?.map(drop));
const UNSIGNED: Check = |xml| Ok(value::unsigned(xml)?.map(drop));
const FLOAT: Check = |xml| Ok(value::float(xml)?.map(drop));
const VECTOR: Check = |xml| Ok(value::vector(xml)?.map(drop));
const QUATERNION: Check = |xml| Ok(value::quaternion(xml)?.map(drop));
const BASE64: Check = |xml| Ok(value::bytes(&xml.text()?).map(drop));

/// What `SceneObjectSerializer` reads them as. Truth values, UUIDs and texts are not here: it takes any.
const FIELDS: [(&str, Check); 40] = [
    ("Acceleration", VECTOR),
    ("AttachedPos", VECTOR),
    ("Bounce", FLOAT),
    ("Buoyancy", FLOAT),
    ("CameraAtOffset", VECTOR),
    ("CameraEyeOffset", VECTOR),
    ("Category", INT),
    ("ClickAction", INT),
    ("CollisionSoundVolume", FLOAT),
    ("Density", FLOAT),
    ("Force", VECTOR),
    ("Friction", FLOAT),
    ("GravityModifier", FLOAT),
    ("GroupMask", INT),
    ("InventorySerial", INT),
    ("LocalId", LONG),
    ("Material", INT),
    ("ObjectSaleType", INT),
    ("OwnershipCost", INT),
    ("ParentID", UNSIGNED),
    ("PayPrice0", INT),
    ("PayPrice1", INT),
    ("PayPrice2", INT),
    ("PayPrice3", INT),
    ("PayPrice4", INT),
    ("RegionHandle", LONG),
    ("RotationAxisLocks", INT),
    ("SalePrice", INT),
    ("ScriptAccessPin", INT),
    ("SitActRange", FLOAT),
    ("SitTargetOrientation", QUATERNION),
    ("SitTargetOrientationLL", QUATERNION),
    ("SitTargetPosition", VECTOR),
    ("SitTargetPositionLL", VECTOR),
    ("SoundFlags", INT),
    ("SoundGain", FLOAT),
    ("SoundRadius", FLOAT),
    ("StandTarget", VECTOR),
    ("TextureAnimation", BASE64),
    ("Torque", VECTOR),
];

/// Checks the innermost open element, or passes over it.
pub(super) fn check(name: &str, xml: &mut Xml<'_>, report: &mut Report) -> Result<()> {
    let Ok(place) = FIELDS.binary_search_by_key(&name, |(name, _)| name) else { return xml.skip() };
    let (name, check) = FIELDS[place];
    report.good(name, check(xml)?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_in_the_order_in_which_they_are_looked_for() {
        assert!(FIELDS.is_sorted_by_key(|(name, _)| *name));
    }
}
