//! Parts and meshes for tests here and elsewhere.

use super::{Kind, classify};
use glam::DVec3;
use hullmark_format::{
    mesh::Block,
    object::{Part, Sculpt},
};
use hullmark_geometry::{bitmap::Bitmap, quantized::Domain, ubode::Built};
use hullmark_ledger::facts::{
    ConvexFacts, HullFacts, MeshFacts, SculptFacts, SculptState, TriangleMesh, TriangleSubmesh,
};
use hullmark_media::image::sculpt_map::SculptMap;
use hullmark_settings::profile::Profile;
use uuid::Uuid;

/// Returns a box with sides of 0.5 m, as the viewer creates it.
pub fn prim() -> Part {
    Part { physics_shape_type: Some(0), ..Part::default() }
}

/// Returns a prim with these curves and sides of 1 m.
pub fn curved(profile: u8, path: u8) -> Part {
    let mut part = prim();
    (part.shape.profile_curve, part.shape.path_curve) = (profile, path);
    part.scale = DVec3::ONE;
    part
}

/// Returns a mesh part with sides of 1 m and the profile begin that importers write.
pub fn mesh_part() -> Part {
    let mut part = curved(1, 16);
    part.shape.profile_begin = 12_500;
    part.shape.sculpt = Some(Sculpt { asset: Uuid::from_u128(7), kind: 5 });
    part
}

/// Returns a sculpt map with these pixels and the UUID 9.
pub fn sculpt_map(side: u32, rgb: &[u8]) -> SculptFacts {
    let map = SculptMap::new(&Bitmap::whole(side, side, rgb.as_chunks().0));
    SculptFacts {
        uuid: Uuid::from_u128(9),
        entry: String::new(),
        bytes: 0,
        stored_size: None,
        is_boxed: false,
        loss_levels: None,
        state: SculptState::Decoded(map),
    }
}

/// Returns facts of a mesh with these numbers of hull points and of triangles in a unit square.
pub fn mesh(base: Option<u32>, hulls: &[u32], triangles: Option<usize>) -> MeshFacts {
    let hull = |points| HullFacts {
        points,
        unique_points: points,
        rank: 3,
        vertices: Some(points),
        volume: None,
        outside_base: None,
    };
    let square = |triangles| TriangleSubmesh {
        domain: Domain::UNIT,
        points: vec![[0, 0, 0], [65_535, 0, 0], [0, 65_535, 0]],
        triangles: vec![[0, 1, 2]; triangles],
    };
    // The number of faces of a solid hull whose points are all corners.
    let faces = |points: &u32| match points {
        0..=2 => 0,
        3 => 1,
        more => 2 * more - 4,
    };
    let built = |hulls: &[u32]| match hulls.iter().map(faces).sum() {
        0 => Built::FAILED,
        triangles => Built { triangles, size: DVec3::ONE },
    };
    MeshFacts {
        physics_shape: None,
        entry: String::new(),
        uuid: None,
        bytes: 0,
        content_hash: String::new(),
        version: None,
        blocks: vec![Block { name: "medium_lod".into(), offset: 0, size: 0, inflated: None }],
        lods: [None; 4],
        convex: Some(ConvexFacts {
            announced: None,
            points: None,
            built_base: Some(built(base.as_slice())),
            built_hulls: Some(built(hulls)),
            base: base.map(hull),
            hulls: hulls.iter().copied().map(hull).collect(),
            positions: None,
        }),
        physics_mesh: triangles.map(|count| TriangleMesh { submeshes: vec![square(count)] }),
        source_hull: None,
        cost_data: None,
        joints: None,
        absent: Vec::new(),
        oddities: Vec::new(),
        model: None,
    }
}

pub fn kind(part: &Part) -> Kind {
    classify(part, None, &Profile::default()).kind
}
