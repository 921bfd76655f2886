//! Defects of mesh assets.

use super::Name;
use crate::{inflate::Flaw, llsd::Problem};
use serde::{Deserialize, Serialize};

/// An LLSD document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LlsdDocument {
    /// The header of a mesh asset.
    Header,
    /// A block of a mesh asset; the place of the defect names it.
    Block,
    /// An uploader's scene.
    Scene,
}

/// Corners of the box in which points are decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Corner {
    /// The lowest corner.
    Min,
    /// The highest corner.
    Max,
}

/// A defect of a mesh asset or a scene. `found` is the kind of the value in the file. `produced` is the number of bytes
/// inflated before the defect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case")]
#[allow(missing_docs, reason = "a variant says what its parameters are")]
pub enum MeshDefect {
    /// The asset has no bytes, or only zeros.
    BlankAsset,
    /// An LLSD document cannot be read.
    Llsd { of: LlsdDocument, problem: Problem },
    /// A map contains keys more than once; `key` is the first.
    KeysTwice { of: LlsdDocument, key: String },
    /// The header is not a map.
    HeaderNotMap { found: Name },
    /// The header is longer than the bytes that viewers fetch to read it.
    HeaderTooLong,
    /// `version` is not an integer.
    VersionNotInteger { found: Name },
    /// `version` is above the largest that viewers accept.
    VersionTooNew,
    /// The header contains the key 404: a viewer's note that the asset does not exist.
    MissingMarker,
    /// The header lists more blocks than this program keeps.
    TooManyBlocks,
    /// The header's entry for a block is not a map.
    BlockEntryNotMap { found: Name },
    /// The offset or size of a block is not an integer.
    BlockNumberNotInteger { key: Name, found: Name },
    /// The hash of a block is not an MD5.
    BlockHashNotMd5,
    /// The simulator's cost data is not a map.
    CostDataNotMap { found: Name },
    /// The offset or size of a block is negative.
    NegativeRange { offset: i64, size: i64 },
    /// A block extends past the end of the file.
    BlockOutside { offset: i64, size: i64 },
    /// A block overlaps another block.
    BlocksOverlap { size: i64, other: String },
    /// The stream of a block has a flaw, but can be read.
    FlawedStream { flaw: Flaw },
    /// The stream of a block does not end within the block.
    TruncatedStream { produced: u64 },
    /// The stream of a block is damaged. `gzip` is true if it begins like a gzip stream.
    CorruptStream { size: u64, gzip: bool, produced: u64 },
    /// A block inflates to more than its limit, or all blocks of the mesh `together` inflate to more than theirs.
    InflatesTooFar { together: bool },
    /// The process had no memory for a block.
    BlockWithoutMemory,
    /// A block is not a map.
    BlockNotMap { found: Name },
    /// A level of detail is not an array of submeshes.
    LevelNotArray { found: Name },
    /// A level of detail has no submeshes.
    EmptyLevel,
    /// A level of detail has more submeshes than this program reads.
    TooManySubmeshes,
    /// A submesh is not a map.
    SubmeshNotMap { found: Name },
    /// A list of a submesh is not binary data.
    SubmeshListNotBinary { list: Name, found: Name },
    /// A submesh with geometry lacks one of its lists.
    SubmeshListMissing { list: Name },
    /// The size of a submesh's point list is not a multiple of the size of a point.
    UnevenPositions,
    /// A submesh has more vertices than an index can name.
    TooManyVertices,
    /// The size of a submesh's triangle list is not a multiple of the size of a triangle.
    UnevenTriangles,
    /// A submesh has no triangles and no mark that it is empty.
    NoTriangles,
    /// Triangle indices refer to missing vertices.
    IndicesOutside,
    /// The header does not list the highest level of detail.
    HighestLevelMissing,
    /// A level of detail exists, but the next higher one is missing.
    UpperLevelMissing { upper: Name },
    /// The number of submeshes differs from the one in `reference`, the highest level of detail that can be read.
    SubmeshCountsDiffer { reference: Name },
    /// The convex block lacks a corner of its box; both corners if `corner` is `None`.
    DomainMissing { corner: Option<Corner> },
    /// A submesh lacks a corner of its box; the whole box if `corner` is `None`.
    SubmeshDomainMissing { corner: Option<Corner> },
    /// The box of a submesh is not a map.
    SubmeshDomainNotMap { found: Name },
    /// A corner is not a list of three numbers.
    CornerMalformed { corner: Corner },
    /// A corner contains a number that is not finite.
    CornerNotFinite { corner: Corner },
    /// The lowest corner is above the highest.
    InvertedDomain,
    /// The convex block is missing.
    ConvexMissing,
    /// The convex block is present under both of its names.
    ConvexTwice,
    /// The convex block has its pre-release name.
    ConvexOldName,
    /// The convex block has hulls under its pre-release name, where no reader finds them.
    HullsUnderOldName,
    /// The physics mesh is present under both of its names.
    PhysicsMeshTwice,
    /// The physics mesh has its pre-release name.
    PhysicsMeshOldName,
    /// A list of the convex block is not binary data.
    ConvexListNotBinary { list: Name, found: Name },
    /// The convex block has points under the released name and the pre-release name. The released one is read.
    PointsTwice { released: Name, beta: Name },
    /// Points of the convex block have their pre-release name.
    PointsOldName { released: Name, beta: Name },
    /// The size of a point list in the convex block is not a multiple of the size of a point.
    UnevenPoints { list: Name },
    /// The decomposition has more hulls than this program reads.
    TooManyHulls,
    /// The convex block has no point list for the base hull.
    BasePointsMissing,
    /// The base hull has too few points.
    TooFewBasePoints,
    /// The decomposition announces hulls but has no points.
    HullsWithoutPoints,
    /// The decomposition has points but announces no hulls.
    PointsWithoutHulls,
    /// The number of points in the decomposition differs from the sum that its hulls announce.
    HullSizesDiffer,
    /// The skin has no list of joints.
    JointsMissing,
    /// A bind matrix is not a list of sixteen finite numbers.
    UnusableBindMatrices,
    /// The number of bind matrices differs from the number of joints.
    BindMatricesDiffer,
    /// The skin has more joints than viewers use.
    TooManyJoints,
    /// Joints have names that no skeleton has.
    UnknownJoints { first: Name },
    /// The weights of vertices are all 0.
    ZeroWeights,
    /// Vertices of a mesh with a skin have no weights.
    WeightsMissing,
    /// Weights are for more joints than the skin has.
    JointOutside,
    /// A scene is not a map.
    SceneNotMap,
    /// A scene has a version that viewers do not read, or no version.
    SceneVersion { version: Option<i64> },
    /// A scene has no array of meshes.
    SceneMeshesMissing,
    /// A mesh of a scene is not a string.
    SceneMeshNotString { found: Name },
    /// An instance of a scene is not a map.
    SceneInstanceNotMap { found: Name },
    /// An instance of a scene refers to a mesh that the scene does not contain.
    SceneInstanceWithoutMesh,
}
