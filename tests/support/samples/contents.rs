//! Regions with faults in assets and ownership.

use super::{
    File, REGION, asset, mesh_uuid, object, object_path,
    regions::{SPHERE_MAP, inventory_control, inventory_item},
};
use crate::support::{
    archive::{Archive, control},
    llsd::Llsd,
    mesh::MeshFile,
    object::{Face, OWNER, Prim, uuid, xml1, xml2},
};
use base64::{Engine, prelude::BASE64_STANDARD};
use uuid::Uuid;

/// Another owner than `OWNER`.
const OTHER: &str = "0a0a0a0a-0000-4000-8000-000000000002";

pub(super) fn all() -> Vec<File> {
    let named = |name: &str, archive: Archive| (format!("{name}.oar"), archive.gzip());
    let painted = |number, textures: &[Uuid]| {
        let face = |&texture: &Uuid| Face { texture, colour: 0, glow: 0, material: Uuid::nil() };
        Prim { faces: textures.iter().map(face).collect(), ..Prim::new("Wall", number) }
    };
    let wall = |number| painted(number, &[]);
    let far = |number| Uuid::try_parse(&mesh_uuid(number)).unwrap_or_default();
    let script = format!("default {{ touch(integer n) {{ llPlaySound(\"{}\", 1.0); }} }}", far(304));
    let mut unused = b"OggS".to_vec();
    unused.resize(1 << 20, 1);
    let mut wide = vec![0, 0, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16, 32, 0, 24, 0];
    wide.extend([0xff, 0, 0, 0].repeat(4096 * 32 / 128));
    vec![
        named("no-textures-at-all", region(&painted(301, &[far(301), far(302)]), |xml| xml)),
        named("blank-face", region(&painted(302, &[Uuid::nil()]), |xml| xml)),
        named("uuid-in-a-script", region(&wall(303), |xml| xml).add(&asset(303, "script.lsl"), script)),
        named("no-sound", region(&wall(304), |xml| xml).add(&asset(305, "sound.ogg"), "ID3")),
        named("unused-sound", region(&wall(305), |xml| xml).add(&asset(306, "sound.ogg"), &unused)),
        named("wide-texture", region(&wall(306), |xml| xml).add(&asset(307, "texture.tga"), wide)),
        named(
            "texture-of-uneven-sides",
            region(&painted(330, &[far(330)]), |xml| xml).add(&asset(330, "texture.jp2"), uneven_texture()),
        ),
        named("newer-formats", newer_formats()),
        named("boxes-in-boxes", boxes_in_boxes()),
        named("boxes-that-hold-the-loader", boxes_that_hold_the_loader()),
        named("appearance-with-gaps", appearance_with_gaps()),
        named(
            "state-of-no-script",
            region(&Prim { scripts: 1, ..wall(333) }, |xml| {
                let item = uuid(0x1212_1212, 333);
                let states = format!(
                    "<GroupScriptStates><SavedScriptState UUID=\"{item}\"><State/></SavedScriptState></GroupScriptStates>"
                );
                xml.replace("</SceneObjectGroup>", &(states + "</SceneObjectGroup>"))
            }),
        ),
        ("inventory-with-gaps.iar".into(), inventory_with_gaps(&unused).gzip()),
        ("item-that-ends-early.iar".into(), item_that_ends_early().gzip()),
        named("scripts-in-c-sharp", scripted(310, "//c#\npublic void default_event_touch() {}")),
        named(
            "scripts-in-lua",
            scripted(314, "function touch_start(total_number)\n    ll.Say(0, \"Touched.\")\nend\n"),
        ),
        named(
            "script-that-commands-the-server",
            scripted(311, "default { touch(integer n) { osConsoleCommand(\"shutdown\"); } }"),
        ),
        named(
            "script-that-calls-home",
            scripted(
                312,
                "default { touch(integer n) { llLoadURL(llGetOwner(), \"\", \"http://grid.example/\"); } }",
            ),
        ),
        named(
            "ring-with-a-pbr-material",
            with_pbr_material(&Prim { torus: true, ..Prim::new("Ring", 315) }, 315),
        ),
        named("crowded-with-scripts", region(&Prim { scripts: 101, ..wall(313) }, |xml| xml)),
        named(
            "creator-from-another-grid",
            region(&wall(307), |xml| {
                let creator = "</CreatorID><CreatorData>http://grid.example:8002/;Ann Other</CreatorData>";
                xml.replace("</CreatorID>", creator)
            }),
        ),
        named(
            "bought-without-copy",
            region(&wall(308), |xml| {
                // Move, modify, transfer.
                let masks: String = ["Base", "Owner", "Group", "Everyone", "NextOwner"]
                    .map(|whose| format!("<{whose}Mask>548864</{whose}Mask>"))
                    .concat();
                let other = xml.replacen(OWNER, OTHER, 1);
                other.replace("</SceneObjectPart>", &format!("{masks}</SceneObjectPart>"))
            }),
        ),
        named(
            "owned-by-nobody",
            region(&wall(309), |xml| {
                xml.replace(&format!("<OwnerID><UUID>{OWNER}"), &format!("<OwnerID><UUID>{}", Uuid::nil()))
            }),
        ),
    ]
}

/// Returns an image whose header states 100 × 64 pixels.
fn uneven_texture() -> Vec<u8> {
    let mut texture = SPHERE_MAP.to_vec();
    texture[8..12].copy_from_slice(&100_u32.to_be_bytes());
    texture
}

/// Returns a wall with a PBR material on its first face, the material, and a sky in somebody's inventory.
fn newer_formats() -> Archive {
    let sky = Llsd::map([("gamma", Llsd::Real(1.0))]);
    with_pbr_material(&Prim::new("Wall", 331), 331).add(&asset(332, "settings.bin"), sky.encode())
}

/// Returns a region with this prim, which has a PBR material on its first face, and the material.
fn with_pbr_material(prim: &Prim, number: u32) -> Archive {
    let material = Uuid::try_parse(&mesh_uuid(number)).unwrap_or_default();
    // One parameter, 0x80, of 18 bytes: one entry, for face 0.
    let packed = [&[1, 0x80, 0, 18, 0, 0, 0, 1, 0][..], material.as_bytes()].concat();
    let packed = format!("<ExtraParams>{}</ExtraParams></Shape>", BASE64_STANDARD.encode(packed));
    let gltf = Llsd::map([("data", Llsd::Text(b"{\"asset\":{\"version\":\"2.0\"}}".to_vec()))]);
    region(prim, |xml| xml.replace("</Shape>", &packed)).add(&asset(number, "prmat.dat"), gltf.encode())
}

/// Returns a chest with a box in it that holds another one.
fn boxes_in_boxes() -> Archive {
    let holding = |name: &str, number: u32, asset| {
        xml1(&[Prim { contains: Some(mesh_uuid(asset)), ..Prim::new(name, number) }])
    };
    region(&Prim { contains: Some(mesh_uuid(334)), ..Prim::new("Chest", 334) }, |xml| xml)
        .add(&asset(334, "object.xml"), holding("Box", 335, 335))
        .add(&asset(335, "object.xml"), xml1(&[Prim::new("Ring", 336)]))
}

/// Returns a chest with two boxes, whose names somebody changed in the XML without a reference for the ampersand.
fn boxes_that_hold_the_loader() -> Archive {
    let named = |name: &str, number| xml1(&[Prim::new("Box", number)]).replace("Box", name);
    let holds = |number| Prim { contains: Some(mesh_uuid(number)), ..Prim::new("Chest", number) };
    let chests = [holds(345), holds(346)];
    let chest = xml2(&chests);
    Archive::new(&control(REGION, "256,256"))
        .add(&object_path(&chests[0]), chest)
        .add(&asset(1, "mesh.llmesh"), MeshFile::cube().encode())
        .add(&asset(345, "object.xml"), named("Bed &Table", 347))
        .add(&asset(346, "object.xml"), named("Cup &Plate", 348))
}

/// Returns a wall that makes an NPC. Of its appearance, a texture, a body part and a hat are missing.
fn appearance_with_gaps() -> Archive {
    let asset_of = |number| format!("<key>asset</key><uuid>{}</uuid>", mesh_uuid(number));
    let worn = |number| {
        let item = uuid(0x1212_1212, number);
        format!("<map><key>item</key><uuid>{item}</uuid>{}</map>", asset_of(number))
    };
    let texture = |number| format!("<uuid>{}</uuid>", mesh_uuid(number));
    let saved = format!(
        "<llsd><map><key>serial</key><integer>1</integer><key>wearables</key><array><array>{}</array></array>\
         <key>textures</key><array>{}{}</array><key>visualparams</key><binary>AAAA</binary>\
         <key>attachments</key><array>{}</array></map></llsd>",
        worn(361),
        texture(364),
        texture(362),
        worn(363)
    );
    let notecard = format!(
        "Linden text version 2\n{{\nLLEmbeddedItems version 1\n{{\ncount 0\n}}\nText length {}\n{saved}}}\n",
        saved.len()
    );
    let holds = Prim { contains: Some(mesh_uuid(360)), ..Prim::new("NPC maker", 360) };
    // An item of type 7 is a notecard.
    region(&holds, |xml| xml.replace("<Type>6</Type>", "<Type>7</Type>"))
        .add(&asset(360, "notecard.txt"), notecard)
        .add(&asset(364, "texture.jp2"), SPHERE_MAP)
}

/// Returns an inventory with a notecard whose last element is empty: OpenSim takes the end of the item for its end.
fn item_that_ends_early() -> Archive {
    let folder = "inventory/Things__11111111-0000-4000-8000-000000000002/";
    let item = inventory_item("Letter", 7, &mesh_uuid(349));
    Archive::new(inventory_control())
        .add(
            &format!("{folder}Letter__{}.xml", uuid(0x1212_1212, 349)),
            item.replace("</InventoryItem>", "<GroupOwned /></InventoryItem>"),
        )
        .add(
            &asset(349, "notecard.txt"),
            "Linden text version 2\n{\nLLEmbeddedItems version 1\n{\ncount 0\n}\nText length 2\nHi}\n",
        )
}

/// Returns an inventory that lacks a notecard and a box, and has a sound without an item.
fn inventory_with_gaps(sound: &[u8]) -> Archive {
    let folder = "inventory/Things__11111111-0000-4000-8000-000000000002/";
    let path = |name: &str, number| format!("{folder}{name}__{}.xml", uuid(0x1212_1212, number));
    Archive::new(inventory_control())
        .add(&path("Letter", 337), inventory_item("Letter", 7, &mesh_uuid(337)))
        .add(&path("Box", 338), inventory_item("Box", 6, &mesh_uuid(338)))
        .add(&path("Ring", 339), inventory_item("Ring", 6, &mesh_uuid(339)))
        // A link to the letter: its asset is the item.
        .add(&path("Link", 340), inventory_item("Link", 24, &uuid(0x1212_1212, 337)))
        .add(&asset(339, "object.xml"), xml1(&[Prim::new("Ring", 339)]))
        .add(&asset(340, "sound.ogg"), sound)
}

/// Returns a region with a script.
fn scripted(number: u32, script: &str) -> Archive {
    region(&Prim::new("Wall", number), |xml| xml).add(&asset(number, "script.lsl"), script)
}

/// Returns a region with one object, whose XML may be changed, and an asset, so that nothing else is wrong.
fn region(prim: &Prim, change: impl Fn(String) -> String) -> Archive {
    let (path, xml) = object(prim);
    Archive::new(&control(REGION, "256,256"))
        .add(&path, change(xml))
        .add(&asset(1, "mesh.llmesh"), MeshFile::cube().encode())
}
