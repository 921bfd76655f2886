//! Defects of mesh assets.

use super::Name;
use crate::format::{inflate::Flaw, llsd::Problem};
use serde::{Deserialize, Serialize};

/// A document in LLSD.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LlsdDocument {
    /// The header of a mesh.
    Header,
    /// A block of a mesh, which the place names.
    Block,
    /// An uploader's scene.
    Scene,
}

/// Corners of the box that points are decoded into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Corner {
    /// The lowest one.
    Min,
    /// The highest one.
    Max,
}

/// What is wrong with a mesh asset or a scene. `found` is the kind of value that stands there.
/// `produced` is how many bytes had come out of a stream.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case")]
#[allow(missing_docs, reason = "a variant says what its parameters are")]
pub enum MeshDefect {
    /// It has no bytes, or nothing but zeros.
    BlankAsset,
    /// A document in LLSD cannot be read.
    Llsd { of: LlsdDocument, problem: Problem },
    /// A map holds keys more than once, this one among them.
    KeysTwice { of: LlsdDocument, key: String },
    /// The header is no map.
    HeaderNotMap { found: Name },
    /// The header ends behind the bytes that viewers fetch to find it in.
    HeaderTooLong,
    /// `version` is no integer.
    VersionNotInteger { found: Name },
    /// `version` is above the largest that viewers take.
    VersionTooNew,
    /// The header holds the key 404, a viewer's note that there is no such asset.
    MissingMarker,
    /// The header lists more blocks than are remembered.
    TooManyBlocks,
    /// The header's entry of a block is no map.
    BlockEntryNotMap { found: Name },
    /// The offset or size of a block is no integer.
    BlockNumberNotInteger { key: Name, found: Name },
    /// The hash of a block is no MD5.
    BlockHashNotMd5,
    /// The simulator's figures are no map.
    CostDataNotMap { found: Name },
    /// The offset or size of a block is negative.
    NegativeRange { offset: i64, size: i64 },
    /// A block reaches past the end of the file.
    BlockOutside { offset: i64, size: i64 },
    /// A block lies over another one.
    BlocksOverlap { size: i64, other: String },
    /// The stream of a block is flawed, and can be read.
    FlawedStream { flaw: Flaw },
    /// The stream of a block does not end within its bytes.
    TruncatedStream { produced: u64 },
    /// The stream of a block is damaged; it may begin as one of gzip.
    CorruptStream { size: u64, gzip: bool, produced: u64 },
    /// A block inflates to more than is allowed, or to more than all of a mesh may together.
    InflatesTooFar { together: bool },
    /// There was no memory for a block.
    BlockWithoutMemory,
    /// A block is no map.
    BlockNotMap { found: Name },
    /// A level of detail is no array of submeshes.
    LevelNotArray { found: Name },
    /// A level of detail has no submeshes.
    EmptyLevel,
    /// A level of detail has more submeshes than are read.
    TooManySubmeshes,
    /// A submesh is no map.
    SubmeshNotMap { found: Name },
    /// A list of a submesh is no binary data.
    SubmeshListNotBinary { list: Name, found: Name },
    /// A submesh with geometry lacks one of its lists.
    SubmeshListMissing { list: Name },
    /// The bytes of a submesh's points are no whole points.
    UnevenPositions,
    /// A submesh has more vertices than an index can name.
    TooManyVertices,
    /// The bytes of a submesh's triangles are no whole triangles.
    UnevenTriangles,
    /// A submesh has no triangles, and is not marked so.
    NoTriangles,
    /// Indices of triangles name no vertex.
    IndicesOutside,
    /// The highest level of detail is not listed.
    HighestLevelMissing,
    /// A level of detail is there, and the next higher one is not.
    UpperLevelMissing { upper: Name },
    /// A level of detail has not as many submeshes as the highest that can be read, the reference.
    SubmeshCountsDiffer { reference: Name },
    /// The convex block lacks a corner of its box; both where none is named.
    DomainMissing { corner: Option<Corner> },
    /// A submesh lacks a corner of its box; the whole box where none is named.
    SubmeshDomainMissing { corner: Option<Corner> },
    /// The box of a submesh is no map.
    SubmeshDomainNotMap { found: Name },
    /// A corner is not three numbers.
    CornerMalformed { corner: Corner },
    /// A corner holds a number that is not finite.
    CornerNotFinite { corner: Corner },
    /// The lowest corner is above the highest.
    InvertedDomain,
    /// There is no convex block.
    ConvexMissing,
    /// The convex block is there under both of its names.
    ConvexTwice,
    /// The convex block has its name from before the release.
    ConvexOldName,
    /// So nobody finds the hulls in it.
    HullsUnderOldName,
    /// The physics mesh is there under both of its names.
    PhysicsMeshTwice,
    /// The physics mesh has its name from before the release.
    PhysicsMeshOldName,
    /// A list of the convex block is no binary data.
    ConvexListNotBinary { list: Name, found: Name },
    /// Points of the convex block are there under the released name, which is read, and the one from before.
    PointsTwice { released: Name, beta: Name },
    /// Points of the convex block have their name from before the release.
    PointsOldName { released: Name, beta: Name },
    /// The bytes of a list of the convex block are no whole points.
    UnevenPoints { list: Name },
    /// The decomposition has more hulls than are read.
    TooManyHulls,
    /// The convex block has no list of the base hull's points.
    BasePointsMissing,
    /// The base hull has too few points.
    TooFewBasePoints,
    /// The decomposition announces hulls and has no points.
    HullsWithoutPoints,
    /// The decomposition has points and announces no hulls.
    PointsWithoutHulls,
    /// The decomposition has not as many points as its hulls announce.
    HullSizesDiffer,
    /// The skin has no list of joints.
    JointsMissing,
    /// Bind matrices are not sixteen finite numbers.
    UnusableBindMatrices,
    /// There are not as many bind matrices as joints.
    BindMatricesDiffer,
    /// A scene is no map.
    SceneNotMap,
    /// A scene has another version than viewers read, or none.
    SceneVersion { version: Option<i64> },
    /// A scene has no array of meshes.
    SceneMeshesMissing,
    /// A mesh of a scene is no string.
    SceneMeshNotString { found: Name },
    /// An instance of a scene is no map.
    SceneInstanceNotMap { found: Name },
    /// An instance of a scene names a mesh that is not in it.
    SceneInstanceWithoutMesh,
}
