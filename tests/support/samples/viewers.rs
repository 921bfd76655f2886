//! Files of viewers: exports of objects, and a cache.

use super::File;
use crate::support::{
    mesh::{MeshFile, deflate},
    object::{OWNER, uuid},
    oxp::Oxp,
};
use glam::DVec3;
use hullmark_format::{
    object::{Item, Linkset, Part, Permissions},
    reference::Use,
};
use std::fmt::Write;
use uuid::Uuid;

/// Plywood, which every viewer has.
const PLYWOOD: &str = "89556747-24cb-43ed-920b-47caed15465f";

/// A permission to do anything.
const ALL: u32 = 0x7fff_ffff;

pub(super) fn all() -> Vec<File> {
    vec![
        ("placeholders.oxp".into(), placeholders()),
        ("shed.hpa".into(), shed().into_bytes()),
        ("bench.xml".into(), bench().into_bytes()),
    ]
}

/// Returns a cache: a mesh of which only two levels were fetched, an older one with a hole, and a sound.
pub(super) fn cache() -> Vec<File> {
    let name = |number| format!("sl_cache_{}_0.asset", super::mesh_uuid(number));
    let cube = MeshFile::cube().encode();
    let preamble = [1_u32, 0, 0b11].map(u32::to_le_bytes).concat();
    // The highest level is the last block. A hole has zeros.
    let last = MeshFile::cube().blocks.pop().map_or(0, |(_, content)| deflate(&content).len());
    let mut older = cube.clone();
    let end = older.len();
    older[end - last..].fill(0);
    vec![
        (name(901), [preamble, cube].concat()),
        (name(902), older),
        (name(903), b"OggS\0\x02 a sound".to_vec()),
    ]
}

fn id(kind: u32, number: u32) -> Uuid {
    Uuid::try_parse(&uuid(kind, number)).unwrap()
}

/// Returns a cart of three parts, with a placeholder of a mesh. The root has a script with its text.
fn placeholders() -> Vec<u8> {
    let owner = Uuid::try_parse(OWNER).unwrap();
    let everything = Permissions { base: ALL, owner: ALL, everyone: 0, next_owner: ALL };
    let part = |number: u32, name: &str| Part {
        uuid: id(0x0b0b_0b0b, number),
        name: name.into(),
        owner,
        creator: owner,
        permissions: Some(everything),
        created: 1_600_000_000,
        scale: DVec3::new(2.0, 1.0, 0.5),
        physics_shape_type: Some(0),
        references: vec![Use::Texture.reference(Uuid::try_parse(PLYWOOD).unwrap())],
        ..Part::default()
    };
    let script = Item {
        uuid: id(0x1a1a_1a1a, 1),
        name: "drive".into(),
        asset: id(0x5c5c_5c5c, 1),
        asset_type: 10,
        inventory_type: 10,
        owner,
        creator: owner,
        permissions: Some(everything),
        ..Item::default()
    };
    let root =
        Part { group_position: DVec3::new(128.0, 64.0, 22.0), inventory: vec![script], ..part(1, "Cart") };
    let wheel = Part { offset_position: DVec3::new(1.0, 0.0, 0.0), ..part(2, "Wheel") };
    let hood = Part {
        uuid: id(0x0b0b_0b0b, 3),
        offset_position: DVec3::new(0.0, 0.0, 1.0),
        scale: DVec3::new(2.0, 2.0, 2.0),
        placeholder: true,
        ..Part::default()
    };
    let linkset = Linkset { parts: vec![root, wheel, hood], ..Linkset::default() };
    let text = b"default { state_entry() { llSay(0, \"go\"); } }".to_vec();
    Oxp { assets: vec![(id(0x5c5c_5c5c, 1), "lsltext", text)], ..Oxp::of(&[linkset]) }.encode()
}

/// Returns a shed of a box and a cylinder in the XML of Phoenix.
fn shed() -> String {
    let part = |form: &str, name: &str, place: [f64; 3], more: &str| {
        let [x, y, z] = place;
        format!(
            "<{form}>\n<name><![CDATA[{name}]]></name>\n<position x=\"{x:.5}\" y=\"{y:.5}\" z=\"{z:.5}\" />\n\
            <size x=\"4.00000\" y=\"3.00000\" z=\"2.50000\" />\n\
            <rotation x=\"0.00000\" y=\"0.00000\" z=\"0.00000\" w=\"1.00000\" />\n{more}\
            <texture><face id=\"0\"><image_uuid>{PLYWOOD}</image_uuid></face></texture>\n</{form}>\n"
        )
    };
    let hollow =
        "<path_cut begin=\"0.00000\" end=\"0.75000\" />\n<hollow amount=\"90.00000\" shape=\"1\" />\n";
    let mut text =
        "<?xml version=\"1.0\" encoding=\"utf-8\" standalone=\"yes\" ?>\n<project>\n<schema>1.0</schema>\n\
        <name>shed</name>\n<date>[2010/01/31 12:00]</date>\n<software>Phoenix Viewer 1.5.2.0</software>\n\
        <platform>Second Life</platform>\n<grid>secondlife</grid>\n<group>\n\
        <center x=\"100.00000\" y=\"50.00000\" z=\"25.00000\" />\n<linkset>\n"
            .to_owned();
    text += &part("box", "Shed", [100.0, 50.0, 25.0], hollow);
    text += &part("cylinder", "Post", [102.0, 50.0, 25.0], "");
    text + "</linkset>\n</group>\n</project>\n"
}

/// Returns a bench of two boxes in the XML of Singularity.
fn bench() -> String {
    let reals = |values: &[f64]| -> String {
        values.iter().fold(String::new(), |mut text, value| {
            write!(text, "<real>{value}</real>").unwrap();
            text
        })
    };
    let zeros = [
        "begin",
        "radius_offset",
        "shear_x",
        "shear_y",
        "skew",
        "taper_x",
        "taper_y",
        "twist",
        "twist_begin",
    ];
    let ones = ["end", "revolutions", "scale_x", "scale_y"];
    let fields = |names: &[&str], value: f64| -> String {
        names.iter().map(|name| format!("<key>{name}</key><real>{value}</real>")).collect()
    };
    let path = format!("<key>curve</key><integer>16</integer>{}{}", fields(&zeros, 0.0), fields(&ones, 1.0));
    let profile = "<key>begin</key><real>0</real><key>curve</key><integer>1</integer><key>end</key><real>1</real>\
        <key>hollow</key><real>0</real>";
    let prim = |name: &str, place: [f64; 3], more: &str| {
        format!(
            "<map>\n<key>name</key><string>{name}</string>\n{more}<key>phantom</key><boolean>0</boolean>\n\
            <key>physical</key><boolean>0</boolean>\n<key>position</key><array>{}</array>\n\
            <key>rotation</key><array>{}</array>\n<key>scale</key><array>{}</array>\n\
            <key>textures</key><array><map><key>imageid</key><uuid>{PLYWOOD}</uuid></map></array>\n\
            <key>volume</key><map><key>path</key><map>{path}</map><key>profile</key><map>{profile}</map></map>\n</map>\n",
            reals(&place),
            reals(&[0.0, 0.0, 0.0, 1.0]),
            reals(&[2.0, 0.5, 0.1]),
        )
    };
    format!(
        "<?xml version=\"1.0\" ?>\n<llsd>\n<map>\n<key>data</key>\n<array>\n<map>\n<key>group_body</key>\n<map>\n\
        <key>1001</key>\n{}<key>1002</key>\n{}</map>\n<key>root_position</key><array>{}</array>\n\
        <key>root_rotation</key><array>{}</array>\n</map>\n</array>\n</map>\n</llsd>\n",
        prim("Leg", [0.8, 0.0, -0.3], "<key>parent</key><string>1002</string>\n"),
        prim("Bench", [10.0, 20.0, 30.0], ""),
        reals(&[10.0, 20.0, 30.0]),
        reals(&[0.0, 0.0, 0.0, 1.0]),
    )
}
