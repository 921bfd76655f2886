//! Tables of OpenSim's serializers of objects and items: the call that reads each element, in the order in which they
//! write them.

/// How the value of an element is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Take {
    /// A text that may hold comments (`ReadElementContentAsString`).
    Content,
    /// A text (`ReadElementString`).
    Text,
    /// A text (`ReadElementString`) in an element without a namespace.
    PlainText,
    Boolean,
    Int,
    Long,
    Float,
    Unsigned,
    Flags,
    Base64,
    /// A text in base64, without comments.
    PackedText,
    Uuid,
    Vector,
    Quaternion,
    Color,
    Profile,
    Hole,
    Shape,
    Contents,
    Vehicle,
    Inertia,
    /// A text whose exceptions OpenSim catches inside the field.
    Forgiven,
    DynamicAttributes,
    Media,
    /// An element of a vehicle's data, whose name is not checked.
    AnyInt,
    AnyFloat,
    /// This many numbers, in elements of any names.
    AnyFloats(usize),
}

use Take::*;

/// Names of elements and how each is read. Elements may come in any order; they are found fastest in this one.
pub(super) type Table = &'static [(&'static str, Take)];

/// Returns the name of an element, and how it is read; `None` for an unknown element.
pub(super) fn find(table: Table, name: &str) -> Option<(&'static str, Take)> {
    table.iter().find(|(field, _)| *field == name).copied()
}

macro_rules! table {
    ($table:ident: $($take:expr => $($field:literal)*;)*) => {
        pub(super) const $table: Table = &[$($(($field, $take),)*)*];
    };
}

table! { PART:
    Boolean => "AllowedDrop";
    Uuid => "CreatorID";
    Content => "CreatorData";
    Uuid => "FolderID";
    Int => "InventorySerial";
    Contents => "TaskInventory";
    Uuid => "UUID";
    Long => "LocalId";
    Text => "Name";
    Int => "Material";
    Boolean => "PassTouches" "PassCollisions";
    Long => "RegionHandle";
    Int => "ScriptAccessPin";
    Vector => "GroupPosition" "OffsetPosition";
    Quaternion => "RotationOffset";
    Vector => "Velocity" "AngularVelocity" "Acceleration";
    Text => "Description";
    Color => "Color";
    PlainText => "Text" "SitName" "TouchName";
    Int => "LinkNum" "ClickAction";
    Shape => "Shape";
    Vector => "Scale";
    Quaternion => "SitTargetOrientation";
    Vector => "SitTargetPosition" "SitTargetPositionLL";
    Quaternion => "SitTargetOrientationLL";
    Vector => "StandTarget";
    Unsigned => "ParentID";
    Int => "CreationDate" "Category" "SalePrice" "ObjectSaleType" "OwnershipCost";
    Uuid => "GroupID" "OwnerID" "LastOwnerID" "RezzerID";
    Int => "BaseMask" "OwnerMask" "GroupMask" "EveryoneMask" "NextOwnerMask";
    Flags => "Flags";
    Uuid => "CollisionSound";
    Float => "CollisionSoundVolume";
    Content => "MediaUrl";
    Vector => "AttachedPos";
    DynamicAttributes => "DynAttrs";
    Base64 => "TextureAnimation" "ParticleSystem";
    Int => "PayPrice0" "PayPrice1" "PayPrice2" "PayPrice3" "PayPrice4";
    Float => "Buoyancy";
    Vector => "Force" "Torque";
    Boolean => "VolumeDetectActive";
    Vehicle => "Vehicle";
    Inertia => "PhysicsInertia";
    Int => "RotationAxisLocks" "PhysicsShapeType";
    Float => "Density" "Friction" "Bounce" "GravityModifier";
    Vector => "CameraEyeOffset" "CameraAtOffset";
    Uuid => "SoundID";
    Float => "SoundGain";
    Int => "SoundFlags";
    Float => "SoundRadius";
    Boolean => "SoundQueueing";
    Forgiven => "SOPAnims";
    Float => "SitActRange";
    Forgiven => "LinksetData";
}

table! { ITEM:
    Uuid => "AssetID";
    Int => "BasePermissions" "CreationDate";
    Uuid => "CreatorID";
    Content => "CreatorData" "Description";
    Int => "EveryonePermissions" "Flags";
    Uuid => "GroupID";
    Int => "GroupPermissions" "InvType";
    Uuid => "ItemID" "OldItemID" "LastOwnerID";
    Content => "Name";
    Int => "NextPermissions";
    Uuid => "OwnerID";
    Int => "CurrentPermissions";
    Uuid => "ParentID" "ParentPartID" "PermsGranter";
    Int => "PermsMask" "Type";
    Boolean => "OwnerChanged";
}

table! { ARCHIVED_ITEM:
    Content => "Name";
    Uuid => "ID";
    Int => "InvType";
    Content => "CreatorUUID" "CreatorID" "CreatorData";
    Int => "CreationDate";
    Uuid => "Owner";
    Content => "Description";
    Int => "AssetType";
    Uuid => "AssetID";
    Int => "SaleType" "SalePrice" "BasePermissions" "CurrentPermissions" "EveryOnePermissions" "NextPermissions" "Flags";
    Uuid => "GroupID";
    Boolean => "GroupOwned";
}

table! { SHAPE:
    Int => "ProfileCurve";
    PackedText => "TextureEntry" "ExtraParams";
    Int =>
        "PathBegin" "PathCurve" "PathEnd" "PathRadiusOffset" "PathRevolutions" "PathScaleX" "PathScaleY"
        "PathShearX" "PathShearY" "PathSkew" "PathTaperX" "PathTaperY" "PathTwist" "PathTwistBegin" "PCode"
        "ProfileBegin" "ProfileEnd" "ProfileHollow";
    Vector => "Scale";
    Int => "State" "LastAttachPoint";
    Profile => "ProfileShape";
    Hole => "HollowShape";
    Uuid => "SculptTexture";
    Int => "SculptType" "FlexiSoftness";
    Float =>
        "FlexiTension" "FlexiDrag" "FlexiGravity" "FlexiWind" "FlexiForceX" "FlexiForceY" "FlexiForceZ"
        "LightColorR" "LightColorG" "LightColorB" "LightColorA" "LightRadius" "LightCutoff" "LightFalloff"
        "LightIntensity";
    Boolean => "FlexiEntry" "LightEntry" "SculptEntry";
    Media => "Media";
    PackedText => "MatOvrd";
}

table! { VEHICLE:
    AnyInt => "TYPE" "FLAGS";
    AnyFloats(3) => "LMDIR" "LMFTIME" "LMOFF" "AMDIR" "AMFTIME";
    AnyFloat =>
        "LMDTIME" "LMTIME" "AMTIME" "AMDTIME" "ADEFF" "ADTIME" "LDEFF" "LDTIME" "BEFF" "BMIX" "BTIME" "HHEI"
        "HEFF" "HTIME" "VBUO" "VAEFF" "VATIME";
    AnyFloats(4) => "REF_FRAME";
}

table! { INERTIA:
    AnyFloat => "MASS";
    AnyFloats(3) => "CM" "INERTIA";
    AnyFloats(4) => "IROT";
}
