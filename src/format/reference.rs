//! References to assets in an object or a region.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A certain reference to an asset: the field can hold only an asset, unlike free text.
///
/// In a ledger it is a pair, because every part has several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "(Uuid, Use)", into = "(Uuid, Use)")]
pub struct Reference {
    /// The asset. Nil is kept only if the field requires an asset: for the texture of a face.
    pub asset: Uuid,
    /// The use of the asset, which gives its type.
    pub what: Use,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Use {
    Texture,
    /// A material on a face of a part: a normal map, a specular map and their shine.
    Material,
    /// A normal map that the part describes without a material asset.
    NormalMap,
    /// A specular map that the part describes without a material asset.
    SpecularMap,
    /// A PBR (glTF) material on a face of a part.
    RenderMaterial,
    Particle,
    Projector,
    CollisionSound,
    /// The sound that a part plays without a script.
    Sound,
    Animation,
    GroundTexture,
    GroundMaterial,
    /// The texture that the media of a parcel replace.
    MediaTexture,
    Snapshot,
    /// A body part of a saved appearance.
    BodyPart,
    /// A piece of clothing of a saved appearance.
    Clothing,
    /// An attachment of a saved appearance.
    Attachment,
}

impl Use {
    /// Creates a reference to `asset` with this use.
    pub fn reference(self, asset: Uuid) -> Reference {
        Reference { asset, what: self }
    }

    /// Like [`Use::reference`], but `None` for nil, in fields that allow nil.
    pub fn unless_nil(self, asset: Uuid) -> Option<Reference> {
        (!asset.is_nil()).then(|| self.reference(asset))
    }
}

impl From<(Uuid, Use)> for Reference {
    fn from((asset, what): (Uuid, Use)) -> Self {
        what.reference(asset)
    }
}

impl From<Reference> for (Uuid, Use) {
    fn from(reference: Reference) -> Self {
        (reference.asset, reference.what)
    }
}
