//! The `SceneObjectPart` element.

use super::{
    Part, animations, checked_fields,
    diagnostics::Report,
    dynamic_attributes::{self, OwnMaterials},
    fields::Fields,
    item_element, oddity, particles,
    shape_element::{self, ShapeElement},
    values::{self, Masks},
};
use crate::format::{
    defect::FieldFault,
    reference::{Reference, Use},
    xml::{Result, Xml},
};
use glam::{DQuat, DVec3};

/// Fields that a part must have, or that something is made of later.
#[derive(Default)]
struct Read {
    scale: Option<DVec3>,
    shape: Option<ShapeElement>,
    group_position: Option<DVec3>,
    rotation: Option<DQuat>,
    flags: Option<u32>,
    object_flags: Option<u32>,
    masks: Masks,
    own_materials: OwnMaterials,
    /// Elements that were there, whether or not they could be read.
    seen: Seen,
}

#[derive(Default)]
struct Seen {
    scale: bool,
    group_position: bool,
    rotation: bool,
    flags: bool,
}

/// What is done with an element of a part.
enum Take {
    /// Stored in the part.
    Uuid(fn(&mut Part) -> &mut uuid::Uuid),
    Vector(fn(&mut Part) -> &mut DVec3),
    /// Stored with the other masks.
    Mask(fn(&mut Masks) -> &mut Option<u32>),
    /// Stored in a way of its own.
    By(fn(&mut Part, &mut Read, &mut Xml<'_>, &mut Report) -> Result<()>),
    /// Checked only.
    Check(checked_fields::Check),
    /// Passed over: OpenSim takes whatever it is.
    Pass,
}

use Take::{By, Check, Mask, Pass, Uuid, Vector};

/// In the order in which OpenSim writes them.
const FIELDS: [(&str, Take); 85] = [
    ("AllowedDrop", Pass),
    ("CreatorID", Uuid(|part| &mut part.creator)),
    (
        "CreatorData",
        By(|part, _, xml, _| {
            let text = xml.name()?;
            part.creator_data = (!text.trim_ascii().is_empty()).then_some(text);
            Ok(())
        }),
    ),
    ("FolderID", Pass),
    ("InventorySerial", Check(checked_fields::INT)),
    (
        "TaskInventory",
        By(|part, _, xml, report| {
            part.inventory = report.forgiving(|report| item_element::read_all(xml, report))?;
            Ok(())
        }),
    ),
    ("UUID", Uuid(|part| &mut part.uuid)),
    ("LocalId", Check(checked_fields::LONG)),
    (
        "Name",
        By(|part, _, xml, _| {
            part.name = xml.name()?;
            Ok(())
        }),
    ),
    ("Material", Check(checked_fields::INT)),
    ("PassTouches", Pass),
    ("PassCollisions", Pass),
    ("RegionHandle", Check(checked_fields::LONG)),
    ("ScriptAccessPin", Check(checked_fields::INT)),
    (
        "GroupPosition",
        By(|_, read, xml, report| {
            read.seen.group_position = true;
            read.group_position = report.good("GroupPosition", values::vector(xml)?);
            Ok(())
        }),
    ),
    ("OffsetPosition", Vector(|part| &mut part.offset_position)),
    (
        "RotationOffset",
        By(|_, read, xml, report| {
            read.seen.rotation = true;
            read.rotation = report.good("RotationOffset", values::quaternion(xml)?);
            Ok(())
        }),
    ),
    ("Velocity", Vector(|part| &mut part.velocity)),
    ("AngularVelocity", Vector(|part| &mut part.angular_velocity)),
    ("Acceleration", Check(checked_fields::VECTOR)),
    ("Description", Pass),
    ("Color", Pass),
    ("Text", Pass),
    ("SitName", Pass),
    ("TouchName", Pass),
    (
        "LinkNum",
        By(|part, _, xml, report| {
            report.keep("LinkNum", values::int(xml)?, &mut part.link_number);
            Ok(())
        }),
    ),
    ("ClickAction", Check(checked_fields::INT)),
    (
        "Shape",
        By(|_, read, xml, report| {
            read.shape = Some(report.forgiving(|report| shape_element::read(xml, report))?);
            Ok(())
        }),
    ),
    (
        "Scale",
        By(|_, read, xml, report| {
            read.seen.scale = true;
            read.scale = report.good("Scale", values::vector(xml)?);
            Ok(())
        }),
    ),
    ("UpdateFlag", Pass),
    ("SitTargetOrientation", Check(checked_fields::QUATERNION)),
    ("SitTargetPosition", Check(checked_fields::VECTOR)),
    ("SitTargetPositionLL", Check(checked_fields::VECTOR)),
    ("SitTargetOrientationLL", Check(checked_fields::QUATERNION)),
    ("StandTarget", Check(checked_fields::VECTOR)),
    ("ParentID", Check(checked_fields::UNSIGNED)),
    (
        "CreationDate",
        By(|part, _, xml, report| {
            report.keep("CreationDate", values::int(xml)?.map(i64::from), &mut part.created);
            Ok(())
        }),
    ),
    ("Category", Check(checked_fields::INT)),
    ("SalePrice", Check(checked_fields::INT)),
    ("ObjectSaleType", Check(checked_fields::INT)),
    ("OwnershipCost", Check(checked_fields::INT)),
    ("GroupID", Uuid(|part| &mut part.group)),
    ("OwnerID", Uuid(|part| &mut part.owner)),
    ("LastOwnerID", Uuid(|part| &mut part.last_owner)),
    ("RezzerID", Pass),
    ("BaseMask", Mask(|masks| &mut masks.base)),
    ("OwnerMask", Mask(|masks| &mut masks.owner)),
    ("GroupMask", Check(checked_fields::INT)),
    ("EveryoneMask", Mask(|masks| &mut masks.everyone)),
    ("NextOwnerMask", Mask(|masks| &mut masks.next_owner)),
    (
        "Flags",
        By(|_, read, xml, report| {
            read.seen.flags = true;
            read.flags = report.good("Flags", values::flags(xml)?);
            Ok(())
        }),
    ),
    (
        "ObjectFlags",
        By(|_, read, xml, report| {
            // OpenSim no longer reads it.
            let flags = values::flags(xml)?;
            read.object_flags = report.forgiving(|report| report.good("ObjectFlags", flags));
            Ok(())
        }),
    ),
    (
        "CollisionSound",
        By(|part, _, xml, report| {
            let sound = report.good("CollisionSound", values::uuid(xml)?);
            // All bits set are OpenSim's word for silence.
            let sound = sound.filter(|sound| !sound.is_max());
            part.references.extend(sound.and_then(|sound| Use::CollisionSound.unless_nil(sound)));
            Ok(())
        }),
    ),
    ("CollisionSoundVolume", Check(checked_fields::FLOAT)),
    ("MediaUrl", Pass),
    ("AttachedPos", Check(checked_fields::VECTOR)),
    (
        "DynAttrs",
        By(|_, read, xml, _| {
            read.own_materials = dynamic_attributes::read(xml)?;
            Ok(())
        }),
    ),
    ("TextureAnimation", Check(checked_fields::BASE64)),
    (
        "ParticleSystem",
        By(|part, _, xml, report| {
            let texture = packed("ParticleSystem", &xml.text()?, report, particles::texture);
            part.references.extend(texture.flatten());
            Ok(())
        }),
    ),
    ("PayPrice0", Check(checked_fields::INT)),
    ("PayPrice1", Check(checked_fields::INT)),
    ("PayPrice2", Check(checked_fields::INT)),
    ("PayPrice3", Check(checked_fields::INT)),
    ("PayPrice4", Check(checked_fields::INT)),
    ("Buoyancy", Check(checked_fields::FLOAT)),
    ("Force", Check(checked_fields::VECTOR)),
    ("Torque", Check(checked_fields::VECTOR)),
    (
        "VolumeDetectActive",
        By(|part, _, xml, report| {
            report.keep("VolumeDetectActive", values::bool(xml)?, &mut part.volume_detect);
            Ok(())
        }),
    ),
    ("Vehicle", Pass),
    ("PhysicsInertia", Pass),
    ("RotationAxisLocks", Check(checked_fields::INT)),
    (
        "PhysicsShapeType",
        By(|part, _, xml, report| {
            let number = report.good("PhysicsShapeType", values::int(xml)?);
            part.physics_shape_type = number.map(|n| n as u8);
            Ok(())
        }),
    ),
    ("Density", Check(checked_fields::FLOAT)),
    ("Friction", Check(checked_fields::FLOAT)),
    ("Bounce", Check(checked_fields::FLOAT)),
    ("GravityModifier", Check(checked_fields::FLOAT)),
    ("CameraEyeOffset", Check(checked_fields::VECTOR)),
    ("CameraAtOffset", Check(checked_fields::VECTOR)),
    (
        "SoundID",
        By(|part, _, xml, report| {
            let sound = report.good("SoundID", values::uuid(xml)?);
            part.references.extend(sound.and_then(|sound| Use::Sound.unless_nil(sound)));
            Ok(())
        }),
    ),
    ("SoundGain", Check(checked_fields::FLOAT)),
    ("SoundFlags", Check(checked_fields::INT)),
    ("SoundRadius", Check(checked_fields::FLOAT)),
    ("SoundQueueing", Pass),
    (
        "SOPAnims",
        By(|part, _, xml, report| {
            let text = xml.text()?;
            let playing =
                report.forgiving(|report| packed("SOPAnims", &text, report, animations::references));
            part.references.extend(playing.unwrap_or_default());
            Ok(())
        }),
    ),
    ("SitActRange", Check(checked_fields::FLOAT)),
];

/// Reads the innermost open element.
pub(super) fn read(xml: &mut Xml<'_>, report: &mut Report) -> Result<Part> {
    let mut part = Part::default();
    let mut read = Read::default();
    let mut fields = Fields::new(&FIELDS);
    while let Some(child) = xml.child()? {
        match fields.find(child.name()) {
            Some((name, Uuid(place))) => report.keep(name, values::uuid(xml)?, place(&mut part)),
            Some((name, Vector(place))) => report.keep(name, values::vector(xml)?, place(&mut part)),
            Some((name, Mask(place))) => *place(&mut read.masks) = report.good(name, values::bits(xml)?),
            Some((_, By(take))) => take(&mut part, &mut read, xml, report)?,
            Some((name, Check(check))) => _ = report.good(name, check(xml)?),
            Some((_, Pass)) | None => xml.skip()?,
        }
    }
    complete(&mut part, read, xml, report);
    Ok(part)
}

/// What a decoder makes of the bytes of an element.
fn packed<T>(
    element: &'static str,
    text: &str,
    report: &mut Report,
    decode: fn(&[u8]) -> Option<T>,
) -> Option<T> {
    let bytes = report.good(element, values::bytes(text))?;
    let decoded = decode(&bytes);
    if decoded.is_none() {
        report.field(element, FieldFault::Undecodable { bytes: bytes.len() as u64 });
    }
    decoded
}

/// Puts together what may stand in several places, and says what is missing.
fn complete(part: &mut Part, read: Read, xml: &mut Xml<'_>, report: &mut Report) {
    let shape = read.shape.unwrap_or_else(|| {
        report.thrown("Shape", FieldFault::Missing { taken: "a box".into() });
        ShapeElement::default()
    });
    part.shape = shape.shape;
    part.state = shape.state;
    part.permissions = read.masks.complete();
    complete_references(part, shape.references, read.own_materials);
    match (read.scale, shape.scale) {
        (Some(scale), _) => part.scale = scale,
        (None, Some(scale)) => {
            xml.note(oddity::SCALE_IN_SHAPE);
            part.scale = scale;
        }
        (None, None) if !read.seen.scale => {
            report.field("Scale", FieldFault::Missing { taken: "0.5 m".into() });
        }
        // It was there and could not be read, which was said.
        (None, None) => {}
    }
    match read.group_position {
        Some(position) => part.group_position = position,
        None if !read.seen.group_position => {
            report.field("GroupPosition", FieldFault::Missing { taken: "0".into() });
        }
        None => {}
    }
    match read.rotation {
        Some(rotation) => {
            part.rotation_length = rotation.length() as f32;
            part.rotation = values::normalised(xml, rotation);
        }
        None if !read.seen.rotation => {
            report.field("RotationOffset", FieldFault::Missing { taken: "none".into() });
        }
        None => {}
    }
    match (read.flags, read.object_flags) {
        (Some(flags), _) => part.flags = flags,
        (None, Some(flags)) if !read.seen.flags => {
            xml.note(oddity::OBJECT_FLAGS_NUMBER);
            part.flags = flags;
        }
        _ => {}
    }
    complete_physics_shape_type(part, xml, report);
}

/// A material that the part itself describes is no asset.
fn complete_references(part: &mut Part, of_shape: Vec<Reference>, own: OwnMaterials) {
    let is_own =
        |reference: &Reference| reference.what == Use::Material && own.ids.contains(&reference.asset);
    part.references.extend(of_shape.into_iter().filter(|reference| !is_own(reference)));
    part.references.extend(own.references);
    part.references.sort_unstable();
    part.references.dedup();
    part.references.shrink_to_fit();
}

/// OpenSim replaces what it does not know by the default of the part's form.
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
