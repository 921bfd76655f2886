//! Documents as exporters write them, and hostile ones.

mod geometry;
mod hostile;
mod scene_graph;
mod skin;

use super::*;
use glam::{DVec3, Vec3};
use hullmark_finding::Capped;
use hullmark_format::defect::DefectKind;
use hullmark_settings::limits::Limits;
use hullmark_util::work::Work;
use std::fmt::Write as _;

/// Corners of a cube from 0 to 1. The bits of the number of a corner are its x, y and z.
const CUBE: &str = "0 0 0 1 0 0 0 1 0 1 1 0 0 0 1 1 0 1 0 1 1 1 1 1";
/// Its sides, counter-clockwise from outside, in the order of `NORMALS`.
const SIDES: [[u32; 4]; 6] =
    [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
const NORMALS: &str = "0 0 -1 0 0 1 0 -1 0 0 1 0 -1 0 0 1 0 0";

const Z_UP_METRES: &str = r#"<unit meter="1"/><up_axis>Z_UP</up_axis>"#;

/// Reads a document. Returns its defects with their places.
fn read_text(text: &str) -> (Scene, Vec<(ModelDefect, String)>) {
    read_within(text.as_bytes(), &mut Work::unlimited())
}

fn read_within(bytes: &[u8], work: &mut Work) -> (Scene, Vec<(ModelDefect, String)>) {
    let limits = Limits::default();
    let mut reading = Reading { beside: &[], limits: &limits, work, defects: Capped::new(50), triangles: 0 };
    let scene = read(bytes, &mut reading);
    let placed = |defect: Defect| match defect.kind {
        DefectKind::Model(kind) => (kind, defect.place.within.into_owned()),
        other => panic!("{other:?}"),
    };
    (scene, reading.defects.finish().into_iter().map(placed).collect())
}

/// Reads a document without defects.
fn clean(text: &str) -> Scene {
    let (scene, defects) = read_text(text);
    assert_eq!(defects, []);
    scene
}

fn document(asset: &str, libraries: &str, nodes: &str) -> String {
    format!(
        r##"<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset><created>2024-01-01T00:00:00</created>{asset}</asset>
  {libraries}
  <library_visual_scenes><visual_scene id="Scene" name="Scene">{nodes}</visual_scene></library_visual_scenes>
  <scene><instance_visual_scene url="#Scene"/></scene>
</COLLADA>"##
    )
}

fn library(geometries: &str) -> String {
    format!("<library_geometries>{geometries}</library_geometries>")
}

/// A geometry with positions, normals and these primitives. Its `id` is its name.
fn geometry(name: &str, positions: &str, primitives: &str) -> String {
    let source = |what: &str, numbers: &str| {
        let count = numbers.split_whitespace().count();
        format!(
            r##"<source id="{name}-{what}"><float_array id="{name}-{what}-array" count="{count}">{numbers}</float_array>
            <technique_common><accessor source="#{name}-{what}-array" count="{}" stride="3"/></technique_common></source>"##,
            count / 3,
        )
    };
    format!(
        r##"<geometry id="{name}" name="{name}"><mesh>{}{}{}
        <vertices id="{name}-vertices"><input semantic="POSITION" source="#{name}-positions"/></vertices>
        {primitives}</mesh></geometry>"##,
        source("positions", positions),
        source("normals", NORMALS),
        source("uvs", "0 0 1 0 1 1 0 1"),
    )
}

/// The inputs of a primitive of [`geometry`]: vertices, and normals if they have an offset.
fn inputs(name: &str, normals: bool) -> String {
    let normals = if normals {
        format!(r##"<input semantic="NORMAL" source="#{name}-normals" offset="1"/>"##)
    } else {
        String::new()
    };
    format!(r##"<input semantic="VERTEX" source="#{name}-vertices" offset="0"/>{normals}"##)
}

/// The indices of the sides of a cube with normals, as fans or one by one.
fn cube_lists(is_triangles: bool) -> Vec<String> {
    let side = |(normal, side): (usize, &[u32; 4])| {
        let corners = if is_triangles { vec![0, 1, 2, 0, 2, 3] } else { vec![0, 1, 2, 3] };
        corners.iter().fold(String::new(), |mut list, &corner: &usize| {
            let _ = write!(list, "{} {normal} ", side[corner]);
            list
        })
    };
    SIDES.iter().enumerate().map(side).collect()
}

fn cube_of_triangles(name: &str) -> String {
    let (inputs, p) = (inputs(name, true), cube_lists(true).concat());
    geometry(name, CUBE, &format!(r#"<triangles material="wood" count="12">{inputs}<p>{p}</p></triangles>"#))
}

fn instance(name: &str) -> String {
    format!(r##"<instance_geometry url="#{name}"/>"##)
}

/// A document with one geometry and a node for it.
fn with_geometry(geometry: &str) -> String {
    document(Z_UP_METRES, &library(geometry), &format!("<node>{}</node>", instance("g")))
}

/// A document with one primitive of a geometry of these positions.
fn with_primitive(positions: &str, primitive: &str) -> String {
    with_geometry(&geometry("g", positions, primitive))
}

/// Returns the corners of the box around a part, in metres.
fn extent(node: &crate::scene::Node) -> (DVec3, DVec3) {
    let positions = node.faces.iter().flat_map(|face| &face.vertices);
    let mut points = positions.map(|vertex| node.placement.transform_point3(vertex.position.as_dvec3()));
    let first = points.next().unwrap();
    points.fold((first, first), |(min, max), point| (min.min(point), max.max(point)))
}

/// Returns the volume of a closed part in cubic metres; negative if it is inside out.
fn volume(node: &crate::scene::Node) -> f64 {
    let point = |face: &Face, index: u32| {
        node.placement.transform_point3(face.vertices[index as usize].position.as_dvec3())
    };
    let of_face = |face: &Face| -> f64 {
        let corner = |[a, b, c]: [u32; 3]| point(face, a).dot(point(face, b).cross(point(face, c)));
        face.triangles.iter().copied().map(corner).sum()
    };
    node.faces.iter().map(of_face).sum::<f64>() / 6.0
}

fn assert_near(found: DVec3, expected: [f64; 3]) {
    assert!(found.abs_diff_eq(expected.into(), 1e-6), "{found} instead of {expected:?}");
}

/// Whether no index is outside, and all numbers are finite.
fn assert_sound(scene: &Scene) {
    for node in &scene.nodes {
        assert!(node.placement.is_finite());
        let joints = node.skin.as_ref().map_or(0, |skin| skin.joints.len());
        if let Some(skin) = &node.skin {
            assert_eq!(skin.inverse_bind.len(), joints);
        }
        for face in &node.faces {
            assert!(!face.triangles.is_empty() && face.vertices.len() <= 65_536);
            assert!(
                face.triangles.as_flattened().iter().all(|&index| (index as usize) < face.vertices.len())
            );
            for Vertex { position, normal, uv } in &face.vertices {
                assert!(position.is_finite() && normal.is_finite() && uv.is_finite());
                assert!(normal.is_normalized() || *normal == Vec3::ZERO);
            }
            assert!(face.influences.is_empty() || face.influences.len() == face.vertices.len());
            for (joint, weight) in face.influences.iter().flatten() {
                assert!(usize::from(*joint) < joints && weight.is_finite());
            }
        }
    }
}

#[test]
fn the_samples_of_these_tests_are_sound() {
    let scene = clean(&with_geometry(&cube_of_triangles("g")));
    assert_sound(&scene);
    assert_eq!(scene.nodes.len(), 1);
    assert_eq!(scene.nodes[0].name, "g");
}
