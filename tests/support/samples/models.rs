//! Models before their upload: glTF and COLLADA.

use super::File;
use hullmark_model::maker::{BOX, Maker, corners};
use serde_json::{Value, json};

/// Sides and center of a box, in metres.
type Block = ([f32; 3], [f32; 3]);

pub(super) fn all() -> Vec<File> {
    let files = [stool(), table(), one_file(), shelf(), glove(), vec![packed(), ramp()]];
    files.concat()
}

/// A stool with all that the uploader looks for: every level, and a physics model of two convex pieces.
fn stool() -> Vec<File> {
    let seat = ([0.4, 0.05, 0.4], [0.0, 0.475, 0.0]);
    let legs = [-0.18, 0.18].map(|x| ([0.04, 0.45, 0.4], [x, 0.225, 0.0]));
    let whole = ([0.4, 0.5, 0.4], [0.0, 0.25, 0.0]);
    let blocks: [(&str, &[Block]); 5] = [
        ("", &[seat, legs[0], legs[1]]),
        ("_LOD2", &[seat, legs[0], legs[1]]),
        ("_LOD1", &[whole]),
        ("_LOD0", &[whole]),
        ("_PHYS", &[seat, ([0.36, 0.45, 0.36], [0.0, 0.22, 0.0])]),
    ];
    let file = |(suffix, blocks): (&str, &[Block])| {
        let mut maker = Maker::default();
        let wood = maker.material("wood");
        let primitive = of_blocks(&mut maker, blocks, wood);
        maker.node(&format!("stool{suffix}"), &[primitive]);
        (format!("stool{suffix}.glb"), maker.glb())
    };
    blocks.map(file).to_vec()
}

/// The lowest level has a material of its own, and the physics model has only the top.
fn table() -> Vec<File> {
    let top = ([2.0, 0.125, 1.0], [0.0, 0.9375, 0.0]);
    let foot = ([0.2, 0.875, 0.2], [0.0, 0.4375, 0.0]);
    let blocks: [(&str, &str, &[Block]); 3] = [
        ("", "wood", &[top, foot]),
        ("_LOD0", "plain", &[([2.0, 1.0, 1.0], [0.0, 0.5, 0.0])]),
        ("_PHYS", "wood", &[top]),
    ];
    let file = |(suffix, material, blocks): (&str, &str, &[Block])| {
        let mut maker = Maker::default();
        let material = maker.material(material);
        let primitive = of_blocks(&mut maker, blocks, material);
        maker.node(&format!("table{suffix}"), &[primitive]);
        (format!("table{suffix}.glb"), maker.glb())
    };
    blocks.map(file).to_vec()
}

/// A box with its physics model in the same file, which has an open edge.
fn one_file() -> Vec<File> {
    let mut maker = Maker::default();
    let wood = maker.material("wood");
    let primitive = of_blocks(&mut maker, &[([1.0; 3], [0.0; 3])], wood);
    maker.node("box", &[primitive]);
    let open = maker.primitive([1.0; 3], [0.0; 3], &BOX[3..]);
    maker.node("box_PHYS", &[open]);
    vec![("physics-in-one-file.glb".into(), maker.glb())]
}

/// Nine boards, each of its own material. The buffer is a file.
fn shelf() -> Vec<File> {
    let mut maker = Maker::new("shelf-of-nine-materials.bin");
    let boards: Vec<Value> = (0u8..9)
        .map(|at| {
            let material = maker.material(&format!("board {at}"));
            of_blocks(&mut maker, &[([1.0, 0.05, 0.3], [0.0, f32::from(at) * 0.25, 0.0])], material)
        })
        .collect();
    maker.node("shelf", &boards);
    vec![
        ("shelf-of-nine-materials.gltf".into(), maker.text()),
        ("shelf-of-nine-materials.bin".into(), maker.buffer),
    ]
}

/// Rigged to a wrist, and to a bone that no avatar has.
fn glove() -> Vec<File> {
    let mut maker = Maker::default();
    let leather = maker.material("leather");
    let mut primitive = of_blocks(&mut maker, &[([0.1, 0.2, 0.05], [0.0; 3])], leather);
    maker.weigh(&mut primitive, &[(0, 0.5), (1, 0.5)]);
    let node = maker.node("glove", &[primitive]);
    let joints = [maker.joint("mWristLeft"), maker.joint("Bone.001")];
    maker.json["skins"] = json!([{ "joints": joints }]);
    maker.json["nodes"][node]["skin"] = 0.into();
    vec![("glove-with-a-bone.glb".into(), maker.glb())]
}

/// Compressed in a way that the uploader refuses.
fn packed() -> File {
    let mut maker = Maker::default();
    maker.boxed("box", [1.0; 3]);
    maker.json["extensionsRequired"] = json!(["KHR_draco_mesh_compression"]);
    ("compressed.glb".into(), maker.glb())
}

/// A wedge as COLLADA, in inches, without texture coordinates.
fn ramp() -> File {
    let positions = "0 0 0 80 0 0 80 40 0 0 40 0 80 0 30 80 40 30";
    let triangles = "0 2 1 0 3 2 0 1 4 3 5 2 0 4 5 0 5 3 1 2 5 1 5 4";
    let text = format!(
        r##"<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset><unit name="inch" meter="0.0254"/><up_axis>Z_UP</up_axis></asset>
  <library_geometries>
    <geometry id="wedge" name="wedge"><mesh>
      <source id="positions">
        <float_array id="numbers" count="18">{positions}</float_array>
        <technique_common><accessor source="#numbers" count="6" stride="3"/></technique_common>
      </source>
      <vertices id="vertices"><input semantic="POSITION" source="#positions"/></vertices>
      <triangles count="8"><input semantic="VERTEX" source="#vertices" offset="0"/><p>{triangles}</p></triangles>
    </mesh></geometry>
  </library_geometries>
  <library_visual_scenes>
    <visual_scene id="Scene"><node id="ramp" name="ramp"><instance_geometry url="#wedge"/></node></visual_scene>
  </library_visual_scenes>
  <scene><instance_visual_scene url="#Scene"/></scene>
</COLLADA>
"##
    );
    ("ramp-without-texture-coordinates.dae".into(), text.into_bytes())
}

/// Returns the triangles of boxes, with texture coordinates.
fn of_blocks(maker: &mut Maker, blocks: &[Block], material: usize) -> Value {
    let positions: Vec<f32> = blocks.iter().flat_map(|(sides, center)| corners(*sides, *center)).collect();
    let triangles: Vec<u16> =
        (0..blocks.len() as u16).flat_map(|block| BOX.map(|corner| 8 * block + corner)).collect();
    let mut primitive = maker.primitive_of(&positions, &triangles);
    maker.texture(&mut primitive, &positions);
    primitive["material"] = material.into();
    primitive
}
