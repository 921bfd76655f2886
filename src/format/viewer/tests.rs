//! Exports made by hand: HPA, LLSD XML, OXP, and files of a cache.

use super::*;
use crate::{
    defect::{DefectKind, MeshDefect},
    mesh::{self, build},
    object::{Sculpt, Shape},
    reference::Use,
};
use cached_mesh::CachedMesh;
use glam::{DQuat, DVec3};
use hullmark_util::json_number::Number;
use uuid::Uuid;

fn decoded(text: &str) -> (Export, Vec<Defect>) {
    decode(text.as_bytes(), &Limits::default())
}

fn faults(defects: &[Defect]) -> Vec<&ViewerFault> {
    let faults = defects.iter().filter_map(|defect| match &defect.kind {
        DefectKind::Object(ObjectDefect::ViewerExport { why }) => Some(why),
        _ => None,
    });
    faults.collect()
}

const TEXTURE: &str = "89556747-24cb-43ed-920b-47caed15465f";

fn hpa(group: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\" standalone=\"yes\" ?>\n<project>\n<schema>1.0</schema>\n\
        <name>test</name><date>[2009]</date><software>Phoenix</software><platform>Second Life</platform>\
        <grid>Agni</grid>\n<group><max x=\"1\" y=\"1\" z=\"1\" /><min x=\"0\" y=\"0\" z=\"0\" />\
        <center x=\"0\" y=\"0\" z=\"0\" />{group}</group></project>"
    )
}

const PLACED: &str = "<position x=\"10\" y=\"20\" z=\"30\" /><size x=\"1.5\" y=\"2\" z=\"3\" />\
    <rotation x=\"0\" y=\"0\" z=\"0\" w=\"1\" />";

#[test]
fn every_form_of_hpa_has_its_curves() {
    let of = |form: &str| {
        let (export, defects) = decoded(&hpa(&format!("<{form}>{PLACED}</{form}>")));
        assert_eq!((export.layout, defects), (Layout::Hpa, vec![]), "{form}");
        let shape = export.linksets[0].parts[0].shape;
        (shape.profile_curve, shape.path_curve, shape.pcode)
    };
    assert_eq!(of("box"), (1, 16, 9));
    assert_eq!(of("cylinder"), (0, 16, 9));
    assert_eq!(of("prism"), (3, 16, 9));
    assert_eq!(of("sphere"), (5, 32, 9));
    assert_eq!(of("torus"), (0, 32, 9));
    assert_eq!(of("tube"), (1, 32, 9));
    assert_eq!(of("ring"), (3, 32, 9));
    assert_eq!(of("sculpt"), (0, 32, 9));
    assert_eq!((of("tree").2, of("grass").2), (255, 95));
}

#[test]
fn parameters_of_hpa_become_those_of_simulators() {
    let torus = format!(
        "<torus><name><![CDATA[Ring & more]]></name>{PLACED}<phantom val=\"true\" />\
        <top_shear x=\"0.1\" y=\"-0.2\" /><taper x=\"0.3\" y=\"-0.3\" /><hole_size x=\"1\" y=\"0.25\" />\
        <profile_cut begin=\"0.2\" end=\"0.8\" /><path_cut begin=\"0.1\" end=\"0.9\" /><skew val=\"0.05\" />\
        <radius_offset val=\"-0.1\" /><revolutions val=\"1.3\" /><twist begin=\"-90\" end=\"180\" />\
        <hollow amount=\"40\" shape=\"4\" />\
        <texture><face id=\"0\"><tile u=\"1\" v=\"1\" /><image_uuid>{TEXTURE}</image_uuid></face></texture>\
        <inventory><item><name>script</name><item_id>{TEXTURE}</item_id><type>lsltext</type></item></inventory>\
        </torus>"
    );
    let (export, defects) = decoded(&hpa(&torus));
    assert_eq!(defects, []);
    let part = &export.linksets[0].parts[0];
    assert_eq!((part.name.as_str(), part.flags, part.link_number), ("Ring & more", 0x400, 0));
    assert_eq!((part.group_position, part.scale), (DVec3::new(10.0, 20.0, 30.0), DVec3::new(1.5, 2.0, 3.0)));
    let expected = Shape {
        profile_curve: 0x30,
        path_curve: 32,
        path_begin: 5_000,
        path_end: 5_000,
        profile_begin: 10_000,
        profile_end: 10_000,
        profile_hollow: 20_000,
        path_scale_x: 100,
        path_scale_y: 175,
        path_shear_x: 10,
        path_shear_y: 236,
        path_skew: 5,
        path_twist: 100,
        path_twist_begin: -50,
        path_radius_offset: -10,
        path_taper_x: 30,
        path_taper_y: -30,
        path_revolutions: 20,
        ..Shape::default()
    };
    assert_eq!(part.shape, expected);
    assert_eq!(part.references, [Use::Texture.reference(Uuid::try_parse(TEXTURE).unwrap())]);
    assert_eq!((part.inventory[0].name.as_str(), part.inventory[0].asset_type), ("script", 10));
    // The cut of a box is that of its profile, and its taper is a scale.
    let cut = "<path_cut begin=\"0.1\" end=\"0.9\" /><taper x=\"0.25\" y=\"0\" /><flexible />";
    let (export, _) = decoded(&hpa(&format!("<box>{PLACED}{cut}</box>")));
    let shape = export.linksets[0].parts[0].shape;
    assert_eq!((shape.profile_begin, shape.profile_end, shape.path_begin), (5_000, 5_000, 0));
    assert_eq!((shape.path_scale_x, shape.path_curve, shape.flexi_entry), (125, 128, true));
    let sculpt =
        format!("<sculpt>{PLACED}<topology val=\"65\" /><sculptmap_uuid>{TEXTURE}</sculptmap_uuid></sculpt>");
    let (export, _) = decoded(&hpa(&sculpt));
    let asset = Uuid::try_parse(TEXTURE).unwrap();
    assert_eq!(export.linksets[0].parts[0].shape.sculpt, Some(Sculpt { asset, kind: 65 }));
}

#[test]
fn children_of_hpa_placeholder_the_region() {
    // The root is turned by 90° about z, and its child is one metre ahead of it in its own axes.
    let half = 0.5_f64.sqrt();
    let turned = format!("<rotation x=\"0\" y=\"0\" z=\"{half}\" w=\"{half}\" />");
    let size = "<size x=\"1\" y=\"1\" z=\"1\" />";
    let root = format!("<box><position x=\"10\" y=\"20\" z=\"30\" />{size}{turned}</box>");
    let child = format!("<box><position x=\"10\" y=\"21\" z=\"30\" />{size}{turned}</box>");
    let nested = format!("<group><group><linkset>{root}{child}</linkset></group><box>{PLACED}</box></group>");
    let (export, defects) = decoded(&hpa(&nested));
    assert_eq!((export.linksets.len(), defects), (2, vec![]));
    let [root, child] = &export.linksets[0].parts[..] else { panic!("two parts") };
    assert_eq!((root.link_number, child.link_number), (1, 2));
    assert!((child.offset_position - DVec3::X).length() < 1e-9, "{}", child.offset_position);
    assert!(child.rotation.angle_between(DQuat::IDENTITY) < 1e-6);
}

#[test]
fn what_hpa_does_not_say_is_reported() {
    let (export, defects) = decoded(&hpa("<box><position x=\"1\" y=\"2\" /></box>"));
    assert_eq!(export.linksets.len(), 1);
    let fields: Vec<_> = defects.iter().map(|defect| &*defect.place.within).collect();
    assert_eq!(fields, ["position", "size"]);
    let newer = hpa("<box />").replace("<schema>1.0", "<schema>2.0");
    let (export, defects) = decoded(&newer);
    assert_eq!(faults(&defects), [&ViewerFault::Schema { schema: "2.0".into() }]);
    assert_eq!(export.linksets.len(), 0);
}

fn llsd_prim(more: &str) -> String {
    let numbers = |numbers: &[f64]| -> String {
        numbers.iter().map(|number| format!("<real>{number}</real>")).collect()
    };
    let names = [
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
    let zeros: String = names.iter().map(|name| format!("<key>{name}</key><real>0</real>")).collect();
    let ones = ["end", "revolutions", "scale_x", "scale_y"];
    let ones: String = ones.iter().map(|name| format!("<key>{name}</key><real>1</real>")).collect();
    format!(
        "<map><key>name</key><string>Seat</string><key>position</key><array>{}</array>\
        <key>rotation</key><array>{}</array><key>scale</key><array>{}</array>\
        <key>volume</key><map><key>path</key><map><key>curve</key><integer>16</integer>{zeros}{ones}</map>\
        <key>profile</key><map><key>begin</key><real>0</real><key>curve</key><integer>1</integer>\
        <key>end</key><real>1</real><key>hollow</key><real>0.95</real></map></map>\
        <key>textures</key><array><map><key>imageid</key><uuid>{TEXTURE}</uuid></map></array>{more}</map>",
        numbers(&[1.0, 2.0, 3.0]),
        numbers(&[0.0, 0.0, 0.0, 1.0]),
        numbers(&[0.5, 0.5, 4.0]),
    )
}

fn backup(group_body: &str) -> String {
    format!(
        "<?xml version=\"1.0\" ?>\n<llsd><map><key>data</key><array><map><key>group_body</key><map>{group_body}</map>\
        <key>root_position</key><array><real>100</real><real>101</real><real>22</real></array></map></array>\
        </map></llsd>"
    )
}

#[test]
fn a_backup_of_singularity_has_its_root_where_no_parent_is() {
    let child = llsd_prim("<key>parent</key><string>900</string><key>physical</key><boolean>1</boolean>");
    let root = llsd_prim(
        "<key>phantom</key><boolean>true</boolean>\
        <key>ExtraPhysics</key><map><key>PhysicsShapeType</key><integer>2</integer></map>\
        <key>materials</key><array><map><key>NormMap</key><uuid>89556747-24cb-43ed-920b-47caed15465f</uuid></map></array>",
    );
    let (export, defects) = decoded(&backup(&format!("<key>100</key>{child}<key>900</key>{root}")));
    assert_eq!((export.layout, defects), (Layout::LlsdXml, vec![]));
    let [root, child] = &export.linksets[0].parts[..] else { panic!("two parts") };
    assert_eq!(root.group_position, DVec3::new(100.0, 101.0, 22.0));
    assert_eq!(child.offset_position, DVec3::new(1.0, 2.0, 3.0));
    assert_eq!((root.flags, child.flags, root.physics_shape_type), (0x400, 1, Some(2)));
    assert_eq!((root.shape.profile_hollow, root.name.as_str()), (47_500, "Seat"));
    assert_eq!(root.references.iter().filter(|reference| reference.what == Use::NormalMap).count(), 1);
    assert!(!root.placeholder);
}

#[test]
fn a_backup_without_one_root_is_refused() {
    let two = format!("<key>1</key>{}<key>2</key>{}", llsd_prim(""), llsd_prim(""));
    let (export, defects) = decoded(&backup(&two));
    assert_eq!(faults(&defects), [&ViewerFault::Roots { object: 1, roots: 2 }]);
    assert_eq!(export.linksets.len(), 0);
}

fn older(version: i32, prims: &[String]) -> String {
    format!(
        "<llsd><map><key>Header</key><map><key>Version</key><integer>{version}</integer></map><key>Objects</key>\
        <array><map><key>Object</key><array>{}</array><key>ObjectPos</key><array><real>5</real><real>6</real>\
        <real>7</real></array></map></array></map></llsd>",
        prims.concat()
    )
}

#[test]
fn an_older_export_is_read_where_its_places_are_known() {
    let at_zero = llsd_prim("")
        .replace("<real>1</real><real>2</real><real>3</real>", "<real>0</real><real>0</real><real>0</real>");
    let (export, defects) = decoded(&older(2, &[at_zero, llsd_prim("")]));
    assert_eq!(defects, []);
    let [root, child] = &export.linksets[0].parts[..] else { panic!("two parts") };
    assert_eq!(root.group_position, DVec3::new(5.0, 6.0, 7.0));
    assert_eq!(child.offset_position, DVec3::new(1.0, 2.0, 3.0));
    let (_, defects) = decoded(&older(2, &[llsd_prim(""), llsd_prim("")]));
    assert_eq!(faults(&defects), [&ViewerFault::Places { object: 1 }]);
    let (_, defects) = decoded(&older(3, &[llsd_prim("")]));
    assert_eq!(faults(&defects), [&ViewerFault::OtherVersion { version: 3 }]);
}

#[test]
fn cuts_and_foreign_documents_are_reported() {
    let texts = [
        hpa(&format!("<linkset><box>{PLACED}</box></linkset>")),
        backup(&format!("<key>1</key>{}", llsd_prim(""))),
    ];
    for text in texts {
        for cut in 0..text.trim_end().len() {
            let (export, defects) = decoded(&text[..cut]);
            assert!(!defects.is_empty(), "{cut}: {export:?}");
        }
        assert_eq!(decoded(&text).1, []);
    }
    assert_eq!(sniff(b"<project><target/></project>"), None, "a project of another program");
    assert_eq!(sniff(b"<llsd><map><key>a</key></map></llsd>"), None);
}

#[test]
fn values_without_end_are_limited() {
    let limits = Limits { llsd_values: 100, ..Limits::default() };
    let many = backup(&format!("<key>1</key>{}", llsd_prim(&"<key>x</key><integer />".repeat(200))));
    let (export, defects) = decode(many.as_bytes(), &limits);
    assert_eq!((export.linksets.len(), faults(&defects)), (0, vec![&ViewerFault::TooManyValues]));
    let deep = backup(&"<array>".repeat(10_000));
    assert!(!decode(deep.as_bytes(), &Limits::default()).1.is_empty());
}

#[test]
fn values_have_a_budget_of_memory() {
    // A text counts as far as it is read, and a key with it.
    let limits = Limits { llsd_values: 350, ..Limits::default() };
    let of = |fields: &str| {
        let text = backup(&format!("<key>1</key>{}", llsd_prim(fields)));
        let (export, defects) = decode(text.as_bytes(), &limits);
        let names: Vec<usize> = export.linksets.iter().map(|linkset| linkset.parts[0].name.len()).collect();
        (names, faults(&defects).len())
    };
    let text = "x".repeat(1 << 20);
    assert_eq!(of(&format!("<key>a</key><string>{text}</string>")), (vec![4], 0));
    assert_eq!(of(&format!("<key>a</key><string>{text}</string>").repeat(3)), (vec![], 1));
    assert_eq!(of(&format!("<key>{text}</key><integer />").repeat(3)), (vec![], 1));
}

#[test]
fn a_stream_of_zeros_stops_at_the_limit() {
    // The first bytes are those of an export.
    let head = [&b"{\0\0\0\x01k\0\0\0\x05assetb\x7f\xff\xff\xff"[..], &vec![0; 1 << 22]].concat();
    let bytes = build::zlib(&head);
    assert_eq!(sniff(&bytes), Some(Layout::Oxp));
    let limits = Limits { entry_bytes: 1 << 20, ..Limits::default() };
    let (_, defects) = decode(&bytes, &limits);
    assert!(matches!(defects[0].kind, DefectKind::Object(ObjectDefect::ViewerExportTooLarge)), "{defects:?}");
    assert_eq!(defects[0].limit, Some(Number(1048576.0)));
    oxp::assets(&bytes, &limits, |_, _, _| panic!("a file that is not read has no assets"));
}

fn cached(asset: &[u8], flags: u32) -> Vec<u8> {
    [&1_u32.to_le_bytes()[..], &0_u32.to_le_bytes(), &flags.to_le_bytes(), asset].concat()
}

#[test]
fn a_cached_mesh_lacks_what_its_flags_do_not_name() {
    let asset = build::asset(&build::blocks());
    let whole = mesh::decode(&asset, &Limits::default());
    let of = |file: &[u8]| {
        let cached = CachedMesh::with_preamble(file).expect("a preamble");
        cached.decode(&Limits::default())
    };
    assert_eq!(of(&cached(&asset, 0xff)), whole, "all blocks were fetched");
    // Only the lowest level and the joints: all else is unknown, although the file has other bytes there.
    let (found, defects) = of(&cached(&asset, 0b10_0001));
    assert_eq!(defects, []);
    assert_eq!(found.lods.each_ref().map(Option::is_some), [true, false, false, false]);
    assert_eq!((found.convex.is_none(), found.physics_mesh.is_none(), found.joints), (true, true, Some(1)));
    assert_eq!(found.absent, ["low_lod", "medium_lod", "high_lod", "physics_convex", "physics_mesh"]);
    // The physics mesh is stored last and does not fit.
    let short = asset.len() - whole.0.blocks.last().unwrap().size as usize;
    let (found, defects) = of(&cached(&asset[..short], 0x7f));
    assert_eq!((found.absent, defects), (vec!["physics_mesh"], vec![]));
    // A block that should be there and is not is damage.
    let (_, defects) = of(&cached(&asset[..short], 0xff));
    assert!(
        defects.iter().any(|defect| matches!(defect.kind, DefectKind::Mesh(MeshDefect::BlockOutside { .. })))
    );
}

#[test]
fn an_older_cached_mesh_has_zeros_for_holes() {
    let mut asset = build::asset(&build::blocks());
    let whole = mesh::decode(&asset, &Limits::default()).0;
    let hole = whole.blocks.iter().find(|block| block.name == "high_lod").unwrap();
    let start = whole.header_bytes as usize + hole.offset as usize;
    asset[start..start + hole.size as usize].fill(0);
    let name = "cache/sl_cache_89556747-24cb-43ed-920b-47caed15465f_0.asset";
    let cached = CachedMesh::of_file(name, &asset).expect("a file of a cache");
    let (found, defects) = cached.decode(&Limits::default());
    assert_eq!((found.absent, defects), (vec!["high_lod"], vec![]));
    assert_eq!(CachedMesh::of_file("89556747-24cb-43ed-920b-47caed15465f.llmesh", &asset), None);
    assert!(!mesh::decode(&asset, &Limits::default()).1.is_empty(), "elsewhere a hole is damage");
}
