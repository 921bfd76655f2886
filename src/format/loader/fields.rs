//! Tables of OpenSim's serializers of objects and items: the call that reads each element.

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

/// Returns the name of an element, and how it is read; `None` for an unknown element.
pub(super) type Table = fn(&str) -> Option<(&'static str, Take)>;

macro_rules! table {
    ($table:ident: $($take:expr => $($field:literal)*;)*) => {
        pub(super) fn $table(name: &str) -> Option<(&'static str, Take)> {
            Some(match name {
                $($($field => ($field, $take),)*)*
                _ => return None,
            })
        }
    };
}

table! { part:
    Boolean => "AllowedDrop" "PassTouches" "PassCollisions" "VolumeDetectActive" "SoundQueueing";
    Uuid => "CreatorID" "FolderID" "UUID" "GroupID" "OwnerID" "LastOwnerID" "RezzerID" "CollisionSound" "SoundID";
    Content => "CreatorData" "MediaUrl";
    Int =>
        "InventorySerial" "Material" "ScriptAccessPin" "LinkNum" "ClickAction" "CreationDate" "Category"
        "SalePrice" "ObjectSaleType" "OwnershipCost" "BaseMask" "OwnerMask" "GroupMask" "EveryoneMask"
        "NextOwnerMask" "PayPrice0" "PayPrice1" "PayPrice2" "PayPrice3" "PayPrice4" "RotationAxisLocks"
        "PhysicsShapeType" "SoundFlags";
    Contents => "TaskInventory";
    Long => "LocalId" "RegionHandle";
    Text => "Name" "Description";
    Vector =>
        "GroupPosition" "OffsetPosition" "Velocity" "AngularVelocity" "Acceleration" "Scale" "SitTargetPosition"
        "SitTargetPositionLL" "StandTarget" "AttachedPos" "Force" "Torque" "CameraEyeOffset" "CameraAtOffset";
    Quaternion => "RotationOffset" "SitTargetOrientation" "SitTargetOrientationLL";
    Color => "Color";
    PlainText => "Text" "SitName" "TouchName";
    Shape => "Shape";
    Unsigned => "ParentID";
    Flags => "Flags";
    Float =>
        "CollisionSoundVolume" "Buoyancy" "Density" "Friction" "Bounce" "GravityModifier" "SoundGain"
        "SoundRadius" "SitActRange";
    DynamicAttributes => "DynAttrs";
    Base64 => "TextureAnimation" "ParticleSystem";
    Vehicle => "Vehicle";
    Inertia => "PhysicsInertia";
    Forgiven => "SOPAnims" "LinksetData";
}

table! { item:
    Uuid =>
        "AssetID" "CreatorID" "GroupID" "ItemID" "OldItemID" "LastOwnerID" "OwnerID" "ParentID" "ParentPartID"
        "PermsGranter";
    Int =>
        "BasePermissions" "CreationDate" "EveryonePermissions" "Flags" "GroupPermissions" "InvType"
        "NextPermissions" "CurrentPermissions" "PermsMask" "Type";
    Content => "CreatorData" "Description" "Name";
    Boolean => "OwnerChanged";
}

table! { archived_item:
    Content => "Name" "CreatorUUID" "CreatorID" "CreatorData" "Description";
    Uuid => "ID" "Owner" "AssetID" "GroupID";
    Int =>
        "InvType" "CreationDate" "AssetType" "SaleType" "SalePrice" "BasePermissions" "CurrentPermissions"
        "EveryOnePermissions" "NextPermissions" "Flags";
    Boolean => "GroupOwned";
}

table! { shape:
    Int =>
        "ProfileCurve" "PathBegin" "PathCurve" "PathEnd" "PathRadiusOffset" "PathRevolutions" "PathScaleX"
        "PathScaleY" "PathShearX" "PathShearY" "PathSkew" "PathTaperX" "PathTaperY" "PathTwist" "PathTwistBegin"
        "PCode" "ProfileBegin" "ProfileEnd" "ProfileHollow" "State" "LastAttachPoint" "SculptType"
        "FlexiSoftness";
    PackedText => "TextureEntry" "ExtraParams" "MatOvrd";
    Profile => "ProfileShape";
    Hole => "HollowShape";
    Uuid => "SculptTexture";
    Float =>
        "FlexiTension" "FlexiDrag" "FlexiGravity" "FlexiWind" "FlexiForceX" "FlexiForceY" "FlexiForceZ"
        "LightColorR" "LightColorG" "LightColorB" "LightColorA" "LightRadius" "LightCutoff" "LightFalloff"
        "LightIntensity";
    Boolean => "FlexiEntry" "LightEntry" "SculptEntry";
    Media => "Media";
    Vector => "Scale";
}

table! { vehicle:
    AnyInt => "TYPE" "FLAGS";
    AnyFloats(3) => "LMDIR" "LMFTIME" "LMOFF" "AMDIR" "AMFTIME";
    AnyFloat =>
        "LMDTIME" "LMTIME" "AMTIME" "AMDTIME" "ADEFF" "ADTIME" "LDEFF" "LDTIME" "BEFF" "BMIX" "BTIME" "HHEI"
        "HEFF" "HTIME" "VBUO" "VAEFF" "VATIME";
    AnyFloats(4) => "REF_FRAME";
}

table! { inertia:
    AnyFloat => "MASS";
    AnyFloats(3) => "CM" "INERTIA";
    AnyFloats(4) => "IROT";
}
