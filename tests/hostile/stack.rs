//! No decoder takes stack for each byte or each level of a file. All properties run on a thread with little stack
//! (`properties::on_small_stack`), and so do the readers and decoders of a debug build.

use crate::{
    properties::{self, on_small_stack},
    support::{
        archive::{Archive, control},
        desk::{Desk, INCOMPLETE, sound},
        mesh::{MeshFile, deflate},
        object::uuid,
    },
};
use hullmark_format::llsd;

/// Levels of a file that is nested as deeply as it can be.
const LEVELS: usize = 100_000;

/// Returns an array in an array, with a map in each second level.
fn nested(levels: usize) -> Vec<u8> {
    let mut bytes = b"[\0\0\0\x01{\0\0\0\x01k\0\0\0\x01a".repeat(levels / 2);
    bytes.push(b'!');
    bytes.extend(b"}]".repeat(levels / 2));
    bytes
}

#[test]
fn nested_values_of_llsd() {
    for levels in [2, 96, 128, 130, LEVELS] {
        properties::llsd(&nested(levels));
        on_small_stack(|| {
            let bytes = nested(levels);
            assert_eq!(llsd::parse(&bytes, usize::MAX).is_ok(), levels <= 128, "{levels}");
        });
        let mut mesh = MeshFile::cube();
        mesh.blocks.push(("physics_mesh".into(), nested(levels)));
        properties::mesh(&mesh.encode());
    }
}

#[test]
fn nested_elements_of_xml() {
    for (open, close) in [
        ("<SceneObjectGroup>", "</SceneObjectGroup>"),
        ("<SceneObjectGroup><RootPart><SceneObjectPart>", ""),
        ("<SceneObjectPart><TaskInventory><TaskInventoryItem>", ""),
        ("<a>", "</a>"),
    ] {
        for levels in [30, 64, LEVELS] {
            let document = format!("<SceneObjectGroup>{}{}", open.repeat(levels), close.repeat(levels));
            properties::object_xml(document.as_bytes());
            properties::repaired(document.as_bytes());
        }
    }
}

/// Groups in groups, and values in values, with a limit of the cursor that is no limit.
#[test]
fn nested_exports_of_viewers() {
    let hpa = |levels: usize| {
        format!(
            "<project><schema>1.0</schema><platform/>{}{}</project>",
            "<group>".repeat(levels),
            "</group>".repeat(levels)
        )
    };
    let values = |open: &str, close: &str, levels: usize| {
        let (open, close) = (open.repeat(levels), close.repeat(levels));
        format!("<llsd><map><key>Header</key><map/><key>Objects</key>{open}{close}</map></llsd>")
    };
    for levels in [50, 200, LEVELS] {
        let arrays = values("<array>", "</array>", levels);
        let maps = values("<map><key>a</key>", "</map>", levels);
        for text in [hpa(levels), arrays, maps] {
            properties::viewer_export(text.as_bytes());
            let desk = Desk::with(&[("in/a.xml", text.as_bytes()), ("in/sound.oar", &sound())]);
            desk.write("wide.toml", "[limits]\nxml_depth = 1_000_000\nllsd_depth = 1_000_000\n");
            let code = desk.run("audit in --out report --format csv --config wide.toml").code;
            assert!([0, INCOMPLETE].contains(&code), "{levels}: {code}");
            assert!(desk.column("report", "objects", "archive").contains(&"in/sound.oar".to_owned()));
        }
        properties::viewer_export(&deflate(&nested(levels)));
    }
}

#[test]
fn nested_members_of_archives() {
    let json = |levels: usize| format!("{{\"images\":{}{}}}", "[".repeat(levels), "]".repeat(levels));
    for levels in [100, 126, 127, 130, LEVELS] {
        let text = json(levels);
        let mut gltf = b"<? LLSD/Binary ?>\n{\0\0\0\x01k\0\0\0\x04datas".to_vec();
        gltf.extend((text.len() as u32).to_be_bytes());
        gltf.extend(text.as_bytes());
        gltf.push(b'}');
        let xml = |root: &str| format!("<{root}>{}", "<a>".repeat(levels));
        let archive = Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"))
            .add(&format!("assets/{}_prmat.dat", uuid(1, 1)), gltf)
            .add(&format!("assets/{}_material.xml", uuid(1, 2)), nested(levels))
            .add(&format!("assets/{}_settings.bin", uuid(1, 3)), nested(levels))
            .add(&format!("assets/{}_object.xml", uuid(1, 4)), xml("SceneObjectGroup"))
            .add("landdata/a.xml", xml("LandData"))
            .add("settings/a.xml", xml("RegionSettings"));
        properties::archive(&archive.gzip());
    }
    // An object in an object, as .NET serializes it.
    let mut serialized = vec![0, 1, 0, 0, 0, 255, 255, 255, 255, 1, 0, 0, 0, 0, 0, 0, 0];
    serialized.extend(b"\x04\x01\0\0\0\x01A\x01\0\0\0\x01a\x04\x01A\0\0\0\0".repeat(LEVELS / 10));
    properties::cached_asset(&serialized);
    serialized.truncate(17);
    serialized.extend(b"\x0c\x01\0\0\0\x01A".repeat(LEVELS / 10));
    properties::cached_asset(&serialized);
}

/// Words before a value, and brackets around it. Words took a step of the stack each, and the run ended.
#[test]
fn rows_of_dumps() {
    let head = "-- MySQL dump 10.13\n--\n-- Host: localhost    Database: opensim\n";
    let table = "CREATE TABLE prims (UUID text, Name text);\n";
    let (open, close) = ("(".repeat(LEVELS), ")".repeat(LEVELS));
    for words in ["n ".repeat(LEVELS), "_utf8 ".repeat(LEVELS), "e n _binary ".repeat(LEVELS), open.clone()] {
        let dump = format!("{head}{table}INSERT INTO prims VALUES ({words}'a','b');\n-- Dump completed\n");
        properties::archive(dump.as_bytes());
        let desk = Desk::with(&[("in/a.sql", dump.as_bytes()), ("in/sound.oar", &sound())]);
        desk.run("audit in --out report --format csv");
        assert!(desk.column("report", "objects", "archive").contains(&"in/sound.oar".to_owned()));
    }
    for statement in [
        format!("CREATE TABLE prims (a int default {open}1{close});"),
        format!("CREATE TABLE prims {open}"),
        format!("/*{}", "/*".repeat(LEVELS)),
        format!("SELECT {open}"),
    ] {
        properties::archive(format!("{head}{statement}\n-- Dump completed\n").as_bytes());
    }
}
