//! MSH, HUL: words for defects of mesh assets.

use super::{byte, whole};
use hullmark_finding::{Finding, Severity};
use hullmark_format::{
    defect::{Corner, Defect, LlsdDocument, MeshDefect},
    inflate::Flaw,
    llsd::{LlsdError, Problem},
};
use hullmark_util::{advice, number_text::counted};

pub(super) fn said(kind: &MeshDefect, defect: &Defect) -> Finding {
    use MeshDefect as D;
    let within = &*defect.place.within;
    let index = defect.place.index.unwrap_or_default();
    let of = defect.place.index.map_or_else(String::new, |index| format!(" of submesh {index}"));
    let byte = byte(defect);
    let (measured, limit) = (whole(defect.measured), whole(defect.limit));
    match kind {
        D::BlankAsset if measured == 0 => say!(MSH014, "it has no bytes"),
        D::BlankAsset => say!(MSH014, "all its bytes are zero"),
        D::Llsd { of, problem } => unreadable(*of, *problem, defect),
        D::KeysTwice { of, key } => keys_twice(*of, within, key),
        D::HeaderNotMap { found } => say!(MSH001, "it is {found}, not a map"),
        D::HeaderTooLong => say!(
            MSH016,
            "the header ends at byte {measured}, but viewers look for it in the first {limit} bytes"
        )
        .aspect("header"),
        D::VersionNotInteger { found } => {
            say!(MSH016, "version is {found}, not an integer").aspect("version")
        }
        D::VersionTooNew => {
            say!(MSH001, "its version is {measured}, and viewers treat versions above {limit} as missing")
                .aspect("version")
        }
        D::MissingMarker => {
            say!(MSH001, "it holds the key 404, a viewer's note that the asset does not exist").aspect("404")
        }
        D::TooManyBlocks => {
            say!(MSH016, "the header lists {measured} blocks; unknown ones are left out").aspect("blocks")
        }
        D::BlockEntryNotMap { found } => say!(MSH015, "its header entry is {found}, not a map"),
        D::BlockNumberNotInteger { key, found } => {
            say!(MSH015, "its {key} in the header is {found}, not an integer")
        }
        D::BlockHashNotMd5 => say!(MSH016, "the hash of {within} is not an MD5 of 16 bytes").aspect("hash"),
        D::CostDataNotMap { found } => {
            say!(MSH016, "physics_cost_data is {found}, not a map").aspect("physics_cost_data")
        }
        D::NegativeRange { offset, size } => say!(MSH002, "its offset is {offset} and its size {size}"),
        D::BlockOutside { offset, size } => say!(
            MSH002,
            "it reaches from byte {offset} to {} after the header, but the file ends at {limit}",
            offset.saturating_add(*size)
        ),
        D::BlocksOverlap { size, other } => {
            say!(MSH002, "{measured} of its {size} bytes overlap block {other}")
        }
        D::FlawedStream { flaw } => {
            let what = match flaw {
                Flaw::WrongChecksum => "a wrong checksum (Adler-32)",
                Flaw::MissingChecksum => "a checksum (Adler-32) that is cut off",
                Flaw::WrongHeader => "a wrong zlib header",
            };
            say!(MSH016, "block {within} has {what}").aspect("stream")
        }
        D::TruncatedStream { produced } => say!(
            MSH003,
            "the stream does not end within its {measured} bytes; {produced} bytes were decompressed"
        ),
        D::CorruptStream { size, gzip, produced } => {
            let gzip = if *gzip { ", because it is gzip and not zlib" } else { "" };
            say!(
                MSH003,
                "the stream is damaged at byte {byte} of {size}{gzip}; {produced} bytes were decompressed"
            )
        }
        D::InflatesTooFar { together } => {
            let what = match together {
                true => "bytes in all blocks of the mesh, decompressed up to block",
                false => "bytes in the decompressed block",
            };
            say!(ARC012, "{what} {within}")
        }
        D::BlockWithoutMemory => {
            say!(RUN001, "there is not enough memory for block {within}: {}", advice::MORE_MEMORY)
        }
        D::BlockNotMap { found } => say!(MSH015, "it is {found}, not a map"),
        D::LevelNotArray { found } => say!(MSH015, "it is {found}, not an array of submeshes"),
        D::EmptyLevel => say!(MSH015, "it is an array without submeshes"),
        D::TooManySubmeshes => say!(ARC012, "submeshes in {within}; the others are left out"),
        D::SubmeshNotMap { found } => say!(MSH015, "submesh {index} is {found}, not a map").aspect("submesh"),
        D::SubmeshListNotBinary { list, found } => {
            say!(MSH015, "{list} of submesh {index} is {found}, not binary data").aspect(list.clone())
        }
        D::SubmeshListMissing { list } => {
            say!(MSH015, "submesh {index} has neither {list} nor the mark NoGeometry").aspect(list.clone())
        }
        D::UnevenPositions => say!(HUL004, "Position of submesh {index}"),
        D::TooManyVertices => say!(
            MSH016,
            "submesh {index} of {within} has {measured} vertices, but indices reach only {limit}"
        )
        .aspect("vertices"),
        D::UnevenTriangles => {
            say!(MSH015, "TriangleList of submesh {index} has {measured} bytes, not a multiple of 6")
                .aspect("TriangleList")
        }
        D::NoTriangles => {
            say!(MSH016, "submesh {index} of {within} has neither triangles nor the mark NoGeometry")
                .aspect("no triangles")
        }
        D::IndicesOutside => say!(MSH006, ""),
        D::HighestLevelMissing => say!(MSH004, "the header does not list it"),
        D::UpperLevelMissing { upper } => {
            say!(MSH016, "{within} is present without {upper}, on which it depends").aspect("upper level")
        }
        D::SubmeshCountsDiffer { reference } => {
            say!(MSH016, "the number of submeshes is {measured} in {within} and {limit} in {reference}")
                .aspect("submeshes")
        }
        D::DomainMissing { corner } => {
            let missing = match corner {
                None => "neither Min nor Max, so −0.5 to 0.5 is used",
                Some(Corner::Min) => "no Min, and engines use different defaults",
                Some(Corner::Max) => "no Max, and engines use different defaults",
            };
            say!(MSH016, "block {within} has {missing}").aspect("domain")
        }
        D::SubmeshDomainMissing { corner } => {
            let what = match corner {
                None => "PositionDomain",
                Some(Corner::Min) => "Min of PositionDomain",
                Some(Corner::Max) => "Max of PositionDomain",
            };
            say!(MSH016, "submesh {index} of {within} has no {what}").aspect(what)
        }
        D::SubmeshDomainNotMap { found } => {
            say!(HUL007, "PositionDomain{of} is {found}, not a map").aspect("PositionDomain")
        }
        D::CornerMalformed { corner } => {
            let key = name(*corner);
            say!(HUL007, "{key}{of} is not three numbers, so −0.5 or 0.5 is used").aspect(key)
        }
        D::CornerNotFinite { corner } => {
            let key = name(*corner);
            say!(HUL007, "{key}{of} has a number that is not finite").aspect(key)
        }
        D::InvertedDomain => {
            say!(HUL007, "Min{of} is above Max, so the shape is inside out").aspect("Min above Max")
        }
        D::ConvexTwice => {
            say!(MSH011, "it has both physics_convex and decomposition, and no program reads decomposition")
                .aspect("block")
        }
        D::ConvexOldName => say!(
            MSH011,
            "the block physics_convex has its old name, decomposition, and programs find no hulls"
        )
        .aspect("block"),
        D::HullsUnderOldName => say!(
            HUL008,
            "the hulls are in the block decomposition, the name of the specification page; Second Life, ubODE and \
             other current engines read only physics_convex"
        )
        .at_most(Severity::Warning),
        D::ConvexMissing => say!(HUL008, "the mesh has no block physics_convex"),
        D::PhysicsMeshTwice => say!(
            MSH011,
            "it has both physics_shape and physics_mesh, and engines read and charge different ones"
        ),
        D::PhysicsMeshOldName => say!(
            MSH011,
            "the block physics_mesh has its old name, physics_shape, which not every engine reads"
        ),
        D::ConvexListNotBinary { list, found } => {
            say!(MSH015, "{list} is {found}, not binary data").aspect(list.clone())
        }
        D::PointsTwice { released, beta } => {
            let detail = format!("it has both {released} and {beta}, and no program reads {beta}");
            say!(MSH011, "{detail}").aspect(released.clone())
        }
        D::PointsOldName { released, beta } => {
            say!(MSH011, "the list {released} has its old name, {beta}, and programs find no points")
                .aspect(released.clone())
        }
        D::UnevenPoints { list } => say!(HUL004, "{}", &**list).aspect(list.clone()),
        D::TooManyHulls => say!(ARC012, "hulls in HullList; the others are left out"),
        D::BasePointsMissing => say!(HUL008, "physics_convex has no BoundingVerts, the list of its points"),
        D::TooFewBasePoints => say!(HUL008, "BoundingVerts has {}", counted(measured as u64, "point")),
        D::HullsWithoutPoints => say!(
            HUL010,
            "HullList announces {}, but Positions, the list of points, is missing",
            counted(measured as u64, "hull")
        ),
        D::PointsWithoutHulls => say!(
            HUL010,
            "Positions holds {}, but HullList, the list of hulls, is missing",
            counted(measured as u64, "point")
        ),
        D::HullSizesDiffer => hull_sizes(limit, measured),
        D::JointsMissing => say!(MSH015, "joint_names is missing or not an array"),
        D::UnusableBindMatrices => {
            say!(MSH015, "it has bind matrices without 16 finite numbers ({measured} of {limit})")
                .aspect("bind matrix")
        }
        D::BindMatricesDiffer => {
            say!(MSH016, "the number of bind matrices is {measured} and that of joints {limit}")
                .aspect("bind matrices")
        }
        D::TooManyJoints => {
            say!(MSH017, "it has {measured} joints, and viewers use the first {limit}").aspect("joints")
        }
        D::UnknownJoints { first } => {
            say!(MSH017, "{measured} of {limit} joints have names that no skeleton has, such as {first:?}")
                .aspect("joint names")
        }
        D::ZeroWeights => {
            say!(MSH017, "{measured} of {limit} vertices have only weights of 0").aspect("zero weights")
        }
        D::WeightsMissing => {
            say!(MSH017, "{measured} of {limit} vertices have no weights").aspect("no weights")
        }
        D::JointOutside => {
            say!(MSH017, "weights are for {measured} joints, and it has {limit}").aspect("joint index")
        }
        D::SceneNotMap => say!(MSH001, "the scene is not a map"),
        D::SceneVersion { version } => {
            let found =
                version.map_or_else(|| "no version".to_owned(), |version| format!("version {version}"));
            say!(MSH016, "the scene has {found}; viewers read only version 3").aspect("version")
        }
        D::SceneMeshesMissing => say!(MSH015, "the scene's list mesh is missing or not an array"),
        D::SceneMeshNotString { found } => say!(MSH015, "mesh {index} of the scene is {found}, not a string"),
        D::SceneInstanceNotMap { found } => {
            say!(MSH015, "instance {index} of the scene is {found}, not a map")
        }
        D::SceneInstanceWithoutMesh => {
            say!(MSH016, "instance {index} of the scene names a mesh that the scene lacks")
        }
    }
}

fn unreadable(of: LlsdDocument, problem: Problem, defect: &Defect) -> Finding {
    let error = LlsdError { problem, offset: byte(defect) as usize };
    match of {
        LlsdDocument::Header => say!(MSH001, "{error}"),
        LlsdDocument::Scene => say!(MSH001, "the scene cannot be read: {error}"),
        LlsdDocument::Block if matches!(problem, Problem::TooDeep(_) | Problem::TooMany(_)) => {
            say!(ARC012, "{error}")
        }
        LlsdDocument::Block => say!(MSH015, "{error}"),
    }
}

fn keys_twice(of: LlsdDocument, within: &str, key: &str) -> Finding {
    let of = match of {
        LlsdDocument::Header => "the header",
        LlsdDocument::Block => within,
        LlsdDocument::Scene => "the scene",
    };
    let detail =
        format!("{of} repeats keys, such as {key:?}; the first counts here, in some programs the last");
    say!(MSH016, "{detail}").aspect("keys twice")
}

fn name(corner: Corner) -> &'static str {
    match corner {
        Corner::Min => "Min",
        Corner::Max => "Max",
    }
}

/// The points of hulls and the hull list disagree.
fn hull_sizes(announced: i64, present: i64) -> Finding {
    let difference = counted(announced.abs_diff(present), "point");
    let detail = format!("{difference} too {}", if announced > present { "few" } else { "many" });
    say!(HUL003, "{detail}")
}
