//! Regions with something wrong in what they use, and in whose it is.

use super::{File, REGION, asset, mesh_uuid, object};
use crate::support::{
    archive::{Archive, control},
    mesh::MeshFile,
    object::{Face, OWNER, Prim},
};
use uuid::Uuid;

/// Somebody else than the owner of everything.
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
    let wide = [0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16, 32, 0, 24, 0, 9];
    vec![
        named("no-textures-at-all", region(&painted(301, &[far(301), far(302)]), |xml| xml)),
        named("blank-face", region(&painted(302, &[Uuid::nil()]), |xml| xml)),
        named("uuid-in-a-script", region(&wall(303), |xml| xml).add(&asset(303, "script.lsl"), script)),
        named("no-sound", region(&wall(304), |xml| xml).add(&asset(305, "sound.ogg"), "ID3")),
        named("unused-sound", region(&wall(305), |xml| xml).add(&asset(306, "sound.ogg"), unused)),
        named("wide-texture", region(&wall(306), |xml| xml).add(&asset(307, "texture.tga"), wide)),
        named("scripts-in-c-sharp", scripted(310, "//c#\npublic void default_event_touch() {}")),
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

/// A region with a script.
fn scripted(number: u32, script: &str) -> Archive {
    region(&Prim::new("Wall", number), |xml| xml).add(&asset(number, "script.lsl"), script)
}

/// A region with one object, whose XML may be changed, and an asset, so that nothing else is wrong.
fn region(prim: &Prim, change: impl Fn(String) -> String) -> Archive {
    let (path, xml) = object(prim);
    Archive::new(&control(REGION, "256,256"))
        .add(&path, change(xml))
        .add(&asset(1, "mesh.llmesh"), MeshFile::cube().encode())
}
