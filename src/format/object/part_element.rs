//! The `SceneObjectPart` element.

use super::{
    Part, animations,
    diagnostics::Report,
    dynamic_attributes::{self, OwnMaterials},
    item_element, oddity, particles,
    shape_element::{self, ShapeElement},
    values::{self, Masks},
};
use crate::{
    defect::FieldFault,
    reference::{Reference, Use},
    xml::{Result, Xml},
};
use glam::{DQuat, DVec3};

/// Fields that a part must have or that are combined later. In an `Option<Option<_>>` the outer one is `Some` if the
/// element exists, readable or not.
#[derive(Default)]
struct Read {
    scale: Option<Option<DVec3>>,
    shape: Option<ShapeElement>,
    group_position: Option<Option<DVec3>>,
    rotation: Option<Option<DQuat>>,
    flags: Option<Option<u32>>,
    object_flags: Option<u32>,
    masks: Masks,
    own_materials: OwnMaterials,
}

/// Reads the innermost open element.
pub(super) fn read(xml: &mut Xml<'_>, report: &mut Report) -> Result<Part> {
    let mut part = Part::default();
    let mut read = Read::default();
    while let Some(child) = xml.child()? {
        element(child.name(), &mut part, &mut read, xml, report)?;
    }
    complete(&mut part, read, xml, report);
    Ok(part)
}

/// Reads an element of a part. OpenSim accepts any content for booleans, UUIDs and texts. For other fields that it
/// cannot read, it gives up the object, so fields that no rule uses are also checked.
fn element(
    name: &str,
    part: &mut Part,
    read: &mut Read,
    xml: &mut Xml<'_>,
    report: &mut Report,
) -> Result<()> {
    match name {
        "CreatorID" => report.keep(name, values::uuid(xml)?, &mut part.creator),
        "CreatorData" => part.creator_data = Some(xml.name()?).filter(|text| !text.trim_ascii().is_empty()),
        "TaskInventory" => {
            part.inventory = report.forgiving(|report| item_element::read_all(xml, report))?;
        }
        "UUID" => report.keep(name, values::uuid(xml)?, &mut part.uuid),
        "Name" => part.name = xml.name()?,
        "GroupPosition" => read.group_position = Some(report.good(name, values::vector(xml)?)),
        "OffsetPosition" => report.keep(name, values::vector(xml)?, &mut part.offset_position),
        "RotationOffset" => read.rotation = Some(report.good(name, values::quaternion(xml)?)),
        "Velocity" => report.keep(name, values::vector(xml)?, &mut part.velocity),
        "AngularVelocity" => report.keep(name, values::vector(xml)?, &mut part.angular_velocity),
        "LinkNum" => report.keep(name, values::int(xml)?, &mut part.link_number),
        "Shape" => read.shape = Some(report.forgiving(|report| shape_element::read(xml, report))?),
        "Scale" => read.scale = Some(report.good(name, values::vector(xml)?)),
        "CreationDate" => report.keep(name, values::int(xml)?.map(i64::from), &mut part.created),
        "GroupID" => report.keep(name, values::uuid(xml)?, &mut part.group),
        "OwnerID" => report.keep(name, values::uuid(xml)?, &mut part.owner),
        "LastOwnerID" => report.keep(name, values::uuid(xml)?, &mut part.last_owner),
        "BaseMask" => read.masks.base = report.good(name, values::bits(xml)?),
        "OwnerMask" => read.masks.owner = report.good(name, values::bits(xml)?),
        "EveryoneMask" => read.masks.everyone = report.good(name, values::bits(xml)?),
        "NextOwnerMask" => read.masks.next_owner = report.good(name, values::bits(xml)?),
        "Flags" => read.flags = Some(report.good(name, values::flags(xml)?)),
        "ObjectFlags" => {
            // OpenSim no longer reads this element.
            let flags = values::flags(xml)?;
            read.object_flags = report.forgiving(|report| report.good(name, flags));
        }
        "CollisionSound" => {
            let sound = report.good(name, values::uuid(xml)?);
            // For OpenSim, a UUID with all bits set means silence.
            let sound = sound.filter(|sound| !sound.is_max());
            part.references.extend(sound.and_then(|sound| Use::CollisionSound.unless_nil(sound)));
        }
        "DynAttrs" => read.own_materials = dynamic_attributes::read(xml)?,
        "ParticleSystem" => {
            let texture = packed(name, &xml.text()?, report, particles::texture);
            part.references.extend(texture.flatten());
        }
        "VolumeDetectActive" => report.keep(name, values::bool(xml)?, &mut part.volume_detect),
        "PhysicsShapeType" => {
            part.physics_shape_type = report.good(name, values::int(xml)?).map(|number| number as u8);
        }
        "SoundID" => {
            let sound = report.good(name, values::uuid(xml)?);
            part.references.extend(sound.and_then(|sound| Use::Sound.unless_nil(sound)));
        }
        "SOPAnims" => {
            let text = xml.text()?;
            let playing = report.forgiving(|report| packed(name, &text, report, animations::references));
            part.references.extend(playing.unwrap_or_default());
        }
        "InventorySerial" | "Material" | "ScriptAccessPin" | "ClickAction" | "Category" | "SalePrice"
        | "ObjectSaleType" | "OwnershipCost" | "GroupMask" | "PayPrice0" | "PayPrice1" | "PayPrice2"
        | "PayPrice3" | "PayPrice4" | "RotationAxisLocks" | "SoundFlags" => {
            report.check(name, values::int(xml)?);
        }
        "LocalId" | "RegionHandle" => report.check(name, values::long(xml)?),
        "ParentID" => report.check(name, values::unsigned(xml)?),
        "Buoyancy" | "Density" | "Friction" | "Bounce" | "GravityModifier" | "SoundGain" | "SoundRadius"
        | "SitActRange" => report.check(name, values::float(xml)?),
        "CollisionSoundVolume" => report.check(name, values::float(xml)?),
        "Acceleration" | "SitTargetPosition" | "StandTarget" | "AttachedPos" | "Force" | "Torque"
        | "CameraEyeOffset" | "CameraAtOffset" => report.check(name, values::vector(xml)?),
        "SitTargetPositionLL" => report.check(name, values::vector(xml)?),
        "SitTargetOrientation" | "SitTargetOrientationLL" => report.check(name, values::quaternion(xml)?),
        "TextureAnimation" => report.check(name, values::bytes(&xml.text()?)),
        _ => xml.skip()?,
    }
    Ok(())
}

/// Decodes the bytes of an element; `None` and a defect if that fails.
fn packed<T>(element: &str, text: &str, report: &mut Report, decode: fn(&[u8]) -> Option<T>) -> Option<T> {
    let bytes = report.good(element, values::bytes(text))?;
    let decoded = decode(&bytes);
    if decoded.is_none() {
        report.field(element, FieldFault::Undecodable { bytes: bytes.len() as u64 });
    }
    decoded
}

/// Combines fields that may be in several places, and reports missing ones.
fn complete(part: &mut Part, read: Read, xml: &mut Xml<'_>, report: &mut Report) {
    let shape = read.shape.unwrap_or_else(|| {
        report.thrown("Shape", FieldFault::Missing { taken: "a box".into() });
        ShapeElement::default()
    });
    part.shape = shape.shape;
    part.state = shape.state;
    part.colors = shape.colors;
    part.permissions = read.masks.complete();
    complete_references(part, shape.references, read.own_materials);
    match (read.scale, shape.scale) {
        (Some(Some(scale)), _) => part.scale = scale,
        (_, Some(scale)) => {
            xml.note(oddity::SCALE_IN_SHAPE);
            part.scale = scale;
        }
        (None, None) => report.field("Scale", FieldFault::Missing { taken: "0.5 m".into() }),
        // The element was present but unreadable, which is already reported.
        (Some(None), None) => {}
    }
    match read.group_position {
        Some(position) => part.group_position = position.unwrap_or_default(),
        None => report.field("GroupPosition", FieldFault::Missing { taken: "0".into() }),
    }
    match read.rotation {
        Some(Some(rotation)) => {
            part.rotation_length = rotation.length() as f32;
            part.rotation = values::normalised(xml, rotation);
        }
        Some(None) => {}
        None => report.field("RotationOffset", FieldFault::Missing { taken: "none".into() }),
    }
    match (read.flags, read.object_flags) {
        (Some(flags), _) => part.flags = flags.unwrap_or_default(),
        (None, Some(flags)) => {
            xml.note(oddity::OBJECT_FLAGS_NUMBER);
            part.flags = flags;
        }
        (None, None) => {}
    }
    complete_physics_shape_type(part, xml, report);
}

/// Adds the references of the faces. A material that the part itself describes is not an asset.
fn complete_references(part: &mut Part, of_shape: Vec<Reference>, own: OwnMaterials) {
    let is_own =
        |reference: &Reference| reference.what == Use::Material && own.ids.contains(&reference.asset);
    part.references.extend(of_shape.into_iter().filter(|reference| !is_own(reference)));
    part.references.extend(own.references);
    part.references.sort_unstable();
    part.references.dedup();
    part.references.shrink_to_fit();
}

/// OpenSim replaces an unknown value by the default for the shape.
fn complete_physics_shape_type(part: &mut Part, xml: &mut Xml<'_>, report: &mut Report) {
    match part.physics_shape_type {
        Some(0..=2) => {}
        Some(unknown) => {
            let default = if part.shape.is_opensim_mesh() { 2 } else { 0 };
            let why = FieldFault::UnknownNumber { number: unknown.into(), taken: default.into() };
            report.field("PhysicsShapeType", why);
            part.physics_shape_type = Some(default);
        }
        None => xml.note(oddity::NO_PHYSICS_SHAPE_TYPE),
    }
}
