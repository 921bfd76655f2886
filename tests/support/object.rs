//! Makes object XML as OpenSim writes it.

use base64::{Engine, prelude::BASE64_STANDARD};
use std::fmt::Write;
use uuid::Uuid;

/// The owner of all objects that the tests make.
pub const OWNER: &str = "0a0a0a0a-0000-4000-8000-000000000001";

/// Returns a UUID that shows its purpose: `kind` at the start, `number` at the end.
pub fn uuid(kind: u32, number: u32) -> String {
    format!("{kind:08x}-0000-4000-8000-{number:012x}")
}

/// The texture, colour, glow and material of one face of a part.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Face {
    pub texture: Uuid,
    pub colour: u32,
    pub glow: u8,
    pub material: Uuid,
}

/// Returns the packed faces of a part, as a viewer writes them. The values of the last face are the default, and each
/// other value is an exception. Old writers leave out materials.
pub fn texture_entry(faces: &[Face], with_materials: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    property(faces, |face| face.texture.as_bytes().to_vec(), &mut bytes);
    property(faces, |face| face.colour.to_le_bytes().to_vec(), &mut bytes);
    for size in [4, 4, 2, 2, 2, 1, 1] {
        property(faces, |_| vec![0x5A; size], &mut bytes);
    }
    property(faces, |face| vec![face.glow], &mut bytes);
    if with_materials {
        property(faces, |face| face.material.as_bytes().to_vec(), &mut bytes);
    }
    // The empty field behind the last property is left out.
    bytes.pop();
    bytes
}

fn property(faces: &[Face], value: impl Fn(&Face) -> Vec<u8>, bytes: &mut Vec<u8>) {
    let default = faces.last().map(&value).unwrap_or_default();
    let mut written = vec![default.clone()];
    bytes.extend(default);
    for face in faces {
        let value_here = value(face);
        if written.contains(&value_here) {
            continue;
        }
        // The base-128 digits of a bit mask of the faces.
        let having = faces.iter().enumerate().filter(|(_, other)| value(other) == value_here);
        let number: u64 = having.map(|(face, _)| 1 << face).sum();
        let digits = number.ilog(128);
        for digit in (0..=digits).rev() {
            let low = (number / 128_u64.pow(digit) % 128) as u8;
            bytes.push(if digit > 0 { low + 128 } else { low });
        }
        bytes.extend(&value_here);
        written.push(value_here);
    }
    bytes.push(0);
}

/// Builder of a part: a box of half a metre, unless changed.
#[derive(Debug, Clone)]
pub struct Prim {
    pub name: String,
    pub uuid: String,
    pub position: [f64; 3],
    pub offset: [f64; 3],
    pub rotation: [f64; 4],
    pub scale: [f64; 3],
    pub flags: &'static str,
    pub physics_shape_type: Option<u8>,
    /// A ring in place of a box: a prim with a high triangle cost.
    pub torus: bool,
    pub mesh: Option<String>,
    /// UUID of a sculpt map.
    pub sculpt: Option<String>,
    /// An empty list leaves the part without textures.
    pub faces: Vec<Face>,
    pub scripts: u32,
    /// UUID of an object asset in the contents.
    pub contains: Option<String>,
}

impl Prim {
    /// Creates a box with this name. Its UUID contains the number.
    pub fn new(name: &str, number: u32) -> Self {
        Self {
            name: name.into(),
            uuid: uuid(0x0b0b_0b0b, number),
            position: [128.0, 128.0, 25.0],
            offset: [0.0; 3],
            rotation: [0.0, 0.0, 0.0, 1.0],
            scale: [0.5; 3],
            flags: "None",
            physics_shape_type: Some(0),
            torus: false,
            mesh: None,
            sculpt: None,
            faces: Vec::new(),
            scripts: 0,
            contains: None,
        }
    }

    fn write(&self, link_number: usize, out: &mut String) {
        let xyz = |tag: &str, [x, y, z]: [f64; 3]| format!("<{tag}><X>{x}</X><Y>{y}</Y><Z>{z}</Z></{tag}>");
        let [rx, ry, rz, rw] = self.rotation;
        out.push_str("<SceneObjectPart xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">");
        let _ = write!(
            out,
            "<CreatorID><UUID>{OWNER}</UUID></CreatorID>{}<UUID><UUID>{}</UUID></UUID><Name>{}</Name>{}{}\
             <RotationOffset><X>{rx}</X><Y>{ry}</Y><Z>{rz}</Z><W>{rw}</W></RotationOffset>\
             <LinkNum>{link_number}</LinkNum>{}{}<CreationDate>1500000000</CreationDate>\
             <OwnerID><UUID>{OWNER}</UUID></OwnerID><Flags>{}</Flags>\
             <VolumeDetectActive>false</VolumeDetectActive>",
            self.inventory(),
            self.uuid,
            escape(&self.name),
            xyz("GroupPosition", self.position),
            xyz("OffsetPosition", self.offset),
            self.shape(),
            xyz("Scale", self.scale),
            self.flags,
        );
        if let Some(kind) = self.physics_shape_type {
            let _ = write!(out, "<PhysicsShapeType>{kind}</PhysicsShapeType>");
        }
        out.push_str("</SceneObjectPart>");
    }

    fn shape(&self) -> String {
        let sculpted = |asset: &str, kind: u8| {
            format!(
                "<SculptTexture><UUID>{asset}</UUID></SculptTexture><SculptType>{kind}</SculptType>\
                 <SculptEntry>true</SculptEntry>"
            )
        };
        let whole =
            "<ProfileBegin>0</ProfileBegin><ProfileEnd>0</ProfileEnd><ProfileHollow>0</ProfileHollow>";
        let (hollow, sculpt) = match (&self.mesh, &self.sculpt) {
            // The prim shape that the viewer gives a mesh: a cut and hollow box.
            (Some(mesh), _) => (
                "<ProfileBegin>12500</ProfileBegin><ProfileEnd>0</ProfileEnd><ProfileHollow>27500</ProfileHollow>",
                sculpted(mesh, 5),
            ),
            // The map as a ball, turned inside out.
            (None, Some(map)) => (whole, sculpted(map, 1 | 64)),
            (None, None) => (whole, "<SculptEntry>false</SculptEntry>".into()),
        };
        let faces = match self.faces.as_slice() {
            [] => String::new(),
            faces => {
                let packed = BASE64_STANDARD.encode(texture_entry(faces, true));
                format!("<TextureEntry>{packed}</TextureEntry>")
            }
        };
        let [profile, path, hole, outline] =
            if self.torus { ["0", "32", "150", "Circle"] } else { ["1", "16", "100", "Square"] };
        format!(
            "<Shape><ProfileCurve>{profile}</ProfileCurve>{faces}<PathBegin>0</PathBegin><PathCurve>{path}</PathCurve>\
             <PathEnd>0</PathEnd><PathScaleX>100</PathScaleX><PathScaleY>{hole}</PathScaleY><PCode>9</PCode>{hollow}\
             <State>0</State><ProfileShape>{outline}</ProfileShape><HollowShape>Same</HollowShape>{sculpt}</Shape>"
        )
    }

    fn inventory(&self) -> String {
        let item = |number: u32, name: &str, asset: &str, kind: u8| {
            let item = uuid(0x1717_1717, number);
            format!(
                "<TaskInventoryItem><AssetID><UUID>{asset}</UUID></AssetID><InvType>{kind}</InvType>\
                 <ItemID><UUID>{item}</UUID></ItemID><Name>{name}</Name><Type>{kind}</Type></TaskInventoryItem>"
            )
        };
        // A script of OpenSim's library, which an export need not contain.
        let asset = "7ceba3f1-b1a0-11dc-8314-0800200c9a66";
        let scripts = (0..self.scripts).map(|i| item(i, &format!("script {i}"), asset, 10));
        let contains = self.contains.iter().map(|asset| item(u32::MAX, "a box in a box", asset, 6));
        let items: String = scripts.chain(contains).collect();
        if items.is_empty() { items } else { format!("<TaskInventory>{items}</TaskInventory>") }
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// Writes the layout of OAR `objects/`.
pub fn xml2(parts: &[Prim]) -> String {
    let mut out = "<SceneObjectGroup>".to_owned();
    write_parts(parts, &mut out, "", "");
    out + "</SceneObjectGroup>"
}

/// Writes the layout of inventory assets, with the NUL that OpenSim appends.
pub fn xml1(parts: &[Prim]) -> String {
    let mut out = "<SceneObjectGroup>".to_owned();
    write_parts(parts, &mut out, "RootPart", "Part");
    out + "</SceneObjectGroup>\0"
}

/// Writes several objects that were taken together.
pub fn coalesced(objects: &[Vec<Prim>]) -> String {
    let mut out =
        "<?xml version=\"1.0\" encoding=\"utf-16\"?><CoalescedObject x=\"2\" y=\"1\" z=\"1\">".to_owned();
    for (number, parts) in objects.iter().enumerate() {
        let inner = xml1(parts);
        let inner = inner.trim_end_matches('\0');
        let _ = write!(
            out,
            "<SceneObjectGroup offsetx=\"{number}\" offsety=\"0\" offsetz=\"0\">{inner}</SceneObjectGroup>"
        );
    }
    out + "</CoalescedObject>"
}

fn write_parts(parts: &[Prim], out: &mut String, root_tag: &str, part_tag: &str) {
    let wrap =
        |tag: &str, slash: &str| if tag.is_empty() { String::new() } else { format!("<{slash}{tag}>") };
    for (index, part) in parts.iter().enumerate() {
        let tag = if index == 0 { root_tag } else { part_tag };
        if index == 1 {
            out.push_str("<OtherParts>");
        }
        out.push_str(&wrap(tag, ""));
        let link_number = if parts.len() == 1 { 0 } else { index + 1 };
        part.write(link_number, out);
        out.push_str(&wrap(tag, "/"));
    }
    out.push_str(if parts.len() > 1 { "</OtherParts>" } else { "<OtherParts />" });
}
