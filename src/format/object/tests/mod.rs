mod damaged;
mod round_trip;

use super::*;
use crate::{
    defect::{DefectKind, DocumentDefect, FieldFault, LoadFault, ObjectDefect},
    reference::{Reference, Use},
};
use base64::{Engine, prelude::BASE64_STANDARD};
use glam::{DQuat, DVec3};
use hullmark_util::json_number::Number;
use std::fmt::Write;
use uuid::Uuid;

/// Creates a part element as OpenSim writes it, with `more` at its end.
fn part(uuid: &str, name: &str, link: i32, more: &str) -> String {
    format!(
        "<SceneObjectPart xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\
         <CreatorID><UUID>a6dacf01-4636-4bb9-8a97-30609438af9d</UUID></CreatorID>\
         <UUID><UUID>{uuid}</UUID></UUID><Name>{name}</Name>\
         <GroupPosition><X>147.23</X><Y>92.698</Y><Z>22.78084</Z></GroupPosition>\
         <OffsetPosition><X>0</X><Y>0</Y><Z>0</Z></OffsetPosition>\
         <RotationOffset><X>0</X><Y>0</Y><Z>0</Z><W>1</W></RotationOffset>\
         <LinkNum>{link}</LinkNum>\
         <Shape><ProfileCurve>1</ProfileCurve><PathCurve>16</PathCurve><PCode>9</PCode></Shape>\
         <Scale><X>1</X><Y>2</Y><Z>3</Z></Scale><Flags>None</Flags>\
         <PhysicsShapeType>0</PhysicsShapeType>{more}</SceneObjectPart>"
    )
}

const RIDE: &str = "e6a5a05e-e8cc-4816-8701-04165e335790";
const HEAD_1: &str = "9958feb1-02a6-49e4-a4ce-eba6f578ee13";
const HEAD_2: &str = "674b6b86-f5aa-439a-8e00-0d75bc08c80a";

fn xml2(parts: &[String]) -> String {
    let (root, others) = parts.split_first().unwrap();
    format!("<SceneObjectGroup>{root}<OtherParts>{}</OtherParts></SceneObjectGroup>", others.concat())
}

fn xml1(parts: &[String]) -> String {
    let (root, others) = parts.split_first().unwrap();
    let others = others.iter().fold(String::new(), |mut text, part| {
        write!(text, "<Part>{part}</Part>").unwrap();
        text
    });
    format!(
        "<SceneObjectGroup><RootPart>{root}</RootPart><OtherParts>{others}</OtherParts></SceneObjectGroup>"
    )
}

fn read(document: &str) -> (Document, Vec<Defect>) {
    decode(document.as_bytes(), &Limits::default())
}

/// Reads a document without defects.
fn good(document: &str) -> Document {
    let (document, defects) = read(document);
    assert_eq!(defects, []);
    document
}

/// Reads the only part of a document without defects.
fn only(document: &str) -> (Part, Vec<&'static str>) {
    let mut document = good(document);
    assert_eq!((document.linksets.len(), document.linksets[0].parts.len()), (1, 1));
    (document.linksets.remove(0).parts.remove(0), document.oddities)
}

fn words_of(defects: &[Defect]) -> Vec<(String, &str)> {
    defects.iter().map(|defect| (defect.name(), defect.place.within.as_ref())).collect()
}

fn one<'e>(name: &str, element: &'e str) -> (String, &'e str) {
    (name.to_owned(), element)
}

#[test]
fn the_older_layout() {
    let document = good(&xml1(&[
        part(RIDE, "PrimMyRide", 1, ""),
        part(HEAD_1, "Alien Head 1", 2, ""),
        part(HEAD_2, "Alien Head 2", 3, ""),
    ]));
    assert_eq!(document.layout, Some(Layout::Xml1));
    let parts = &document.linksets[0].parts;
    assert_eq!(
        parts.iter().map(|part| part.name.as_str()).collect::<Vec<_>>(),
        ["PrimMyRide", "Alien Head 1", "Alien Head 2"]
    );
    assert_eq!(parts[0].uuid.to_string(), RIDE);
    assert_eq!(parts[0].creator.to_string(), "a6dacf01-4636-4bb9-8a97-30609438af9d");
    assert_eq!(parts[0].group_position, DVec3::new(147.23, 92.698, 22.78084));
    assert_eq!(parts[1].scale, DVec3::new(1.0, 2.0, 3.0));
    assert_eq!(parts[2].uuid.to_string(), HEAD_2);
    assert!(document.linksets[0].document_in_link_order);
}

#[test]
fn the_newer_layout_in_any_document_order() {
    let document = good(&xml2(&[
        part(RIDE, "PrimFun", 1, ""),
        part(HEAD_1, "third", 3, ""),
        part(HEAD_2, "second", 2, ""),
    ]));
    assert_eq!(document.layout, Some(Layout::Xml2));
    let linkset = &document.linksets[0];
    assert_eq!(linkset.parts.iter().map(|part| part.link_number).collect::<Vec<_>>(), [1, 2, 3]);
    assert!(!linkset.document_in_link_order);
}

#[test]
fn several_objects_in_one_document() {
    let (one, two) =
        (xml1(&[part(RIDE, "a", 0, "")]), xml1(&[part(HEAD_1, "b", 1, ""), part(HEAD_2, "c", 2, "")]));
    let coalesced = format!(
        "<CoalescedObject x=\"1\" y=\"2\" z=\"3\"><SceneObjectGroup offsetx=\"0\">{one}</SceneObjectGroup>\
         <SceneObjectGroup offsetx=\"1\">{two}</SceneObjectGroup></CoalescedObject>"
    );
    for (text, layout) in
        [(coalesced, Layout::Coalesced), (format!("<scene>{one}\n{two}</scene>"), Layout::Scene)]
    {
        let document = good(&text);
        assert_eq!(document.layout, Some(layout));
        assert_eq!(document.linksets.iter().map(|linkset| linkset.parts.len()).collect::<Vec<_>>(), [1, 2]);
    }
    let bare = good(&part(RIDE, "bare", 0, ""));
    assert_eq!((bare.layout, bare.linksets[0].parts.len()), (Some(Layout::Xml2), 1));
}

#[test]
fn values_of_a_whole_group() {
    let tail = "<KeyframeMotion>AAEC</KeyframeMotion><lnkstdt>AYCAAgEBawF2AA==</lnkstdt><GroupScriptStates>\
                <SavedScriptState UUID=\"674b6b86-f5aa-439a-8e00-0d75bc08c80a\"><State><SceneObjectPart/></State>\
                </SavedScriptState></GroupScriptStates></SceneObjectGroup>";
    let text = xml1(&[part(RIDE, "a", 0, "")]).replace("</SceneObjectGroup>", tail);
    let document = good(&text);
    let linkset = &document.linksets[0];
    assert_eq!((linkset.parts.len(), linkset.linkset_data, linkset.keyframe_motion), (1, Some(2), true));
    assert_eq!(linkset.script_states, [HEAD_2.parse::<Uuid>().unwrap()]);
    let still = good(&text.replace("AAEC", " "));
    assert!(!still.linksets[0].keyframe_motion);
}

#[test]
fn state_that_cannot_be_restored() {
    // The limit is one character, and the data has two.
    let tail = "<KeyframeMotion>?</KeyframeMotion><lnkstdt>AQEBAWsBdgA=</lnkstdt><lnkstdt>AQEB</lnkstdt>\
                <GroupScriptStates><SavedScriptState/><SavedScriptState UUID=\"x\"/></GroupScriptStates>\
                </SceneObjectGroup>";
    let with_tail = |text: String| text.replace("</SceneObjectGroup>", tail);
    let (_, defects) = read(&with_tail(xml1(&[part(RIDE, "a", 0, "")])));
    assert_eq!(
        words_of(&defects),
        [
            one("motion-not-base64", "KeyframeMotion"),
            one("linkset-data-too-large", "lnkstdt"),
            one("linkset-data-unreadable", "lnkstdt"),
            one("states-without-item", "SavedScriptState"),
        ]
    );
    assert_eq!((defects[1].measured, defects[1].limit), (Some(Number(2.0)), Some(Number(1.0))));
    assert_eq!(defects[3].kind, ObjectDefect::StatesWithoutItem { states: 2 }.into());
    let (_, of_a_region) = read(&with_tail(xml2(&[part(RIDE, "a", 0, "")])));
    assert_eq!(words_of(&of_a_region)[0], one("state-of-no-item", "SavedScriptState"));
    assert!(defects.iter().all(|defect| defect.place.object == Some(RIDE.parse().unwrap())));
}

#[test]
fn bad_numbers_of_flexible_paths_do_no_harm() {
    let shape = "<FlexiTension>yellow</FlexiTension><FlexiDrag>1,5</FlexiDrag><LightRadius>much</LightRadius></Shape>";
    let (naughty, _) = only(&xml1(&[part(RIDE, "NaughtyPrim", 0, "").replace("</Shape>", shape)]));
    assert_eq!((naughty.name.as_str(), naughty.shape.path_curve), ("NaughtyPrim", 16));
}

#[test]
fn a_shape_in_full() {
    let id = "d1d2d3d4-0000-4000-8000-000000000001";
    let text = format!(
        "<Shape><ProfileCurve>0</ProfileCurve><ExtraParams>AA==</ExtraParams><PathBegin>1</PathBegin>\
         <PathCurve>32</PathCurve><PathEnd>2</PathEnd><PathRadiusOffset>-3</PathRadiusOffset>\
         <PathRevolutions>4</PathRevolutions><PathScaleX>5</PathScaleX><PathScaleY>6</PathScaleY>\
         <PathShearX>250</PathShearX><PathShearY>8</PathShearY><PathSkew>-9</PathSkew><PathTaperX>10</PathTaperX>\
         <PathTaperY>-11</PathTaperY><PathTwist>-12</PathTwist><PathTwistBegin>13</PathTwistBegin>\
         <PCode>255</PCode><ProfileBegin>14</ProfileBegin><ProfileEnd>15</ProfileEnd>\
         <ProfileHollow>50000</ProfileHollow><State>17</State><ProfileShape>HalfCircle</ProfileShape>\
         <HollowShape>Triangle</HollowShape><SculptTexture><UUID>{id}</UUID></SculptTexture>\
         <SculptType>69</SculptType><FlexiEntry>True</FlexiEntry><SculptEntry>1</SculptEntry></Shape>"
    );
    let whole = part(RIDE, "a", 0, "");
    let (start, end) = (whole.find("<Shape>").unwrap(), whole.find("<Scale>").unwrap());
    let (part, oddities) = only(&format!("{}{text}{}", &whole[..start], &whole[end..]));
    let expected = Shape {
        pcode: 255,
        profile_curve: 0x35,
        path_curve: 32,
        path_begin: 1,
        path_end: 2,
        profile_begin: 14,
        profile_end: 15,
        profile_hollow: 50_000,
        path_scale_x: 5,
        path_scale_y: 6,
        path_shear_x: 250,
        path_shear_y: 8,
        path_skew: -9,
        path_twist: -12,
        path_twist_begin: 13,
        path_radius_offset: -3,
        path_taper_x: 10,
        path_taper_y: -11,
        path_revolutions: 4,
        sculpt: Some(Sculpt { asset: id.parse().unwrap(), kind: 69 }),
        flexi_entry: true,
        animesh: false,
    };
    assert_eq!((part.shape, part.state), (expected, 17));
    assert_eq!(part.mesh(), Some(id.parse().unwrap()));
    assert_eq!(oddities, ["sculpt-flag-bits"]);
}

#[test]
fn packed_parameters_serve_where_elements_are_missing() {
    // One parameter: 0x30 with 17 bytes, which are sixteen 7s and the type 5.
    let packed = "<ExtraParams>ATAAEQAAAAcHBwcHBwcHBwcHBwcHBwcF</ExtraParams>";
    let shape = |more: &str| {
        let text = part(RIDE, "a", 0, "").replace("</Shape>", &format!("{packed}{more}</Shape>"));
        only(&text).0.shape.sculpt
    };
    let asset = Uuid::from_bytes([7; 16]);
    assert_eq!(shape(""), Some(Sculpt { asset, kind: 5 }));
    assert_eq!(shape("<SculptType>1</SculptType>"), Some(Sculpt { asset, kind: 1 }));
    assert_eq!(shape("<SculptEntry>false</SculptEntry>"), None);
    // OpenSimulator reads type 0 as a plane. For viewers it is not a sculpt.
    assert_eq!(
        shape("<SculptEntry>true</SculptEntry><SculptType>128</SculptType>"),
        Some(Sculpt { asset, kind: 128 })
    );
}

#[test]
fn the_profile_curve_has_only_known_values() {
    let text = part(RIDE, "a", 0, "").replace("<ProfileCurve>1<", "<ProfileCurve>127<");
    let (document, defects) = read(&text);
    assert_eq!(document.linksets[0].parts[0].shape.profile_curve, 0x01);
    assert_eq!(words_of(&defects), [one("field", "ProfileCurve")]);
}

#[test]
fn contents_and_flags() {
    let more = format!(
        "<TaskInventory><TaskInventoryItem><AssetID><UUID>{HEAD_1}</UUID></AssetID><InvType>10</InvType>\
         <BasePermissions>2147483647</BasePermissions><CreatorID><UUID>{RIDE}</UUID></CreatorID>\
         <CreatorData>http://elsewhere:8002/;A Builder</CreatorData><EveryonePermissions>0</EveryonePermissions>\
         <ItemID><UUID>{HEAD_2}</UUID></ItemID><Name>R&amp;D</Name><NextPermissions>532480</NextPermissions>\
         <OwnerID><UUID>{HEAD_1}</UUID></OwnerID><CurrentPermissions>581632</CurrentPermissions>\
         <Type>10</Type></TaskInventoryItem>\
         <TaskInventoryItem><Name>box</Name><InvType>6</InvType><Type>6</Type></TaskInventoryItem></TaskInventory>\
         <VolumeDetectActive>TRUE</VolumeDetectActive><CreationDate>1542139903</CreationDate>"
    );
    let text = part(RIDE, "a", 0, &more).replace("<Flags>None<", "<Flags>Physics Phantom Scripted<");
    let (part, oddities) = only(&text);
    let script = Item {
        uuid: HEAD_2.parse().unwrap(),
        name: "R&D".into(),
        asset: HEAD_1.parse().unwrap(),
        asset_type: 10,
        inventory_type: 10,
        owner: HEAD_1.parse().unwrap(),
        creator: RIDE.parse().unwrap(),
        creator_data: true,
        permissions: Some([0x7FFF_FFFF, 581_632, 0, 532_480].into()),
    };
    assert_eq!(part.scripts().collect::<Vec<_>>(), [&script]);
    let second = &part.inventory[1];
    assert_eq!((part.inventory.len(), second.asset, second.permissions), (2, Uuid::nil(), None));
    assert_eq!(part.flags, part::flag::PHYSICS | part::flag::PHANTOM | part::flag::SCRIPTED);
    assert_eq!((part.volume_detect, part.created), (true, 1_542_139_903));
    assert_eq!(oddities, [""; 0]);
}

#[test]
fn who_may_do_what() {
    let more = format!(
        "<CreatorData>http://elsewhere:8002/;A Builder</CreatorData><GroupID><UUID>{HEAD_1}</UUID></GroupID>\
         <LastOwnerID><UUID>{HEAD_2}</UUID></LastOwnerID><BaseMask>2147483647</BaseMask>\
         <OwnerMask>-1</OwnerMask><GroupMask>0</GroupMask><EveryoneMask>32768</EveryoneMask>\
         <NextOwnerMask>532480</NextOwnerMask>"
    );
    let (owned, _) = only(&part(RIDE, "a", 0, &more));
    assert_eq!(owned.creator_data.as_deref(), Some("http://elsewhere:8002/;A Builder"));
    assert_eq!((owned.group.to_string(), owned.last_owner.to_string()), (HEAD_1.into(), HEAD_2.into()));
    assert_eq!(owned.permissions, Some([0x7FFF_FFFF, u32::MAX, 32_768, 532_480].into()));
    let (document, defects) = read(&part(RIDE, "a", 0, &more.replace("32768", "all")));
    assert_eq!(document.linksets[0].parts[0].permissions, None);
    assert_eq!(words_of(&defects), [one("throws", "EveryoneMask")]);
    let (bare, _) = only(&part(RIDE, "a", 0, "<CreatorData/>"));
    assert_eq!((bare.creator_data, bare.permissions, bare.group), (None, None, Uuid::nil()));
}

/// Returns a UUID of 16 equal bytes, which is easy to recognize in base64.
fn asset(byte: u8) -> Uuid {
    Uuid::from_bytes([byte; 16])
}

#[test]
fn assets_that_a_part_names() {
    let base64 = |bytes: &[u8]| BASE64_STANDARD.encode(bytes);
    let others = [4, 4, 4, 2, 2, 2, 1, 1, 1].map(|size| vec![0; size + 1]).concat();
    // Face 0 has texture 2 and material 9; face 1 has material 8, which is the part's own.
    let faces =
        [&[1; 16][..], &[1], &[2; 16], &[0], &others, &[0; 16], &[1], &[9; 16], &[2], &[8; 16]].concat();
    let projector = [&[1, 0x40, 0, 28, 0, 0, 0][..], &[3; 28]].concat();
    let particles = [[0; 36].as_slice(), &[4; 16], &[0; 34]].concat();
    let animations = [&[1, 0][..], &[5; 16], b"\x04walk"].concat();
    let more = format!(
        "<CollisionSound><UUID>{}</UUID></CollisionSound><SoundID><UUID>{}</UUID></SoundID>\
         <ParticleSystem>{}</ParticleSystem><SOPAnims>{}</SOPAnims><DynAttrs><llsd><map><key>OpenSim</key><map>\
         <key>Materials</key><map><key>Materials</key><array><map><key>ID</key><uuid>{}</uuid>\
         <key>Material</key><map><key>NormMap</key><uuid>{}</uuid><key>NormOffsetX</key><integer>1</integer>\
         <key>SpecMap</key><uuid/></map></map></array></map></map></map></llsd></DynAttrs>",
        asset(6),
        asset(7),
        base64(&particles),
        base64(&animations),
        asset(8),
        asset(10),
    );
    let shape = format!(
        "<TextureEntry>{}</TextureEntry><ExtraParams>{}</ExtraParams></Shape>",
        base64(&faces),
        base64(&projector)
    );
    let text = part(RIDE, "a", 0, &more).replace("</Shape>", &shape);
    let expected = [
        Use::Texture.reference(asset(1)),
        Use::Texture.reference(asset(2)),
        Use::Projector.reference(asset(3)),
        Use::Particle.reference(asset(4)),
        Use::Animation.reference(asset(5)),
        Use::CollisionSound.reference(asset(6)),
        Use::Sound.reference(asset(7)),
        Use::Material.reference(asset(9)),
        Use::NormalMap.reference(asset(10)),
    ];
    assert_eq!(only(&text).0.references, expected);
    // A blank face is reported as blank; the value for no sound is not a reference.
    let blank = text.replace(&base64(&faces), &base64(&[&[0; 16][..], &[0], &others].concat()));
    let silent = blank.replace(&asset(6).to_string(), &Uuid::max().to_string());
    let references = only(&silent).0.references;
    assert_eq!(references[0], Use::Texture.reference(Uuid::nil()));
    assert!(references.iter().all(|reference| reference.what != Use::CollisionSound));
}

#[test]
fn packed_fields_that_cannot_be_read() {
    let more = "<ParticleSystem>AAAA</ParticleSystem><SOPAnims>AQAA</SOPAnims>";
    let shape = "<Shape><TextureEntry>AAAA</TextureEntry>";
    let text = part(RIDE, "a", 0, more).replace("<Shape>", shape);
    let no_base64 = text.replace(">AAAA<", ">?<").replace(">AQAA<", ">?<");
    let no_field = FieldFault::Other { text: "?".into(), wanted: "base64".into() };
    for (text, particles, kind) in [
        (text.clone(), "field", ObjectDefect::Field { why: FieldFault::CutShort { bytes: 3 } }),
        (no_base64, "throws", ObjectDefect::Field { why: no_field }),
    ] {
        let (document, defects) = read(&text);
        let mut found = words_of(&defects);
        found.sort_by_key(|(_, within)| *within);
        let [animations, texture] = ["SOPAnims", "TextureEntry"].map(|element| one("field", element));
        assert_eq!(found, [one(particles, "ParticleSystem"), animations, texture]);
        assert_eq!(defects[0].kind, kind.into());
        assert_eq!(document.linksets[0].parts[0].references, []);
    }
    // For a part without textures OpenSim writes one byte.
    let none = text.replace(more, "").replace(">AAAA<", ">AA==<");
    assert_eq!(only(&none).0.references, []);
}

#[test]
fn quirks_of_old_files() {
    let text = part(RIDE, "a", 0, "")
        .replace("UUID><UUID>", "UUID><Guid>")
        .replace("</UUID></UUID>", "</Guid></UUID>")
        .replace("<Scale><X>1</X><Y>2</Y><Z>3</Z></Scale>", "")
        .replace("</Shape>", "<Scale><x>4</x><y>5</y><z>6</z></Scale></Shape>")
        .replace("<Flags>None</Flags>", "<ObjectFlags>1025</ObjectFlags>")
        .replace("<PhysicsShapeType>0</PhysicsShapeType>", "")
        .replace("<W>1</W>", "<W>0</W>")
        .replace("xmlns:xsi", "xmlns:xmlns:xsi");
    let (part, oddities) = only(&format!("{}\n\0", xml1(&[text])));
    assert_eq!(part.uuid.to_string(), RIDE);
    assert_eq!(part.scale, DVec3::new(4.0, 5.0, 6.0));
    assert_eq!((part.flags, part.physics_shape_type, part.rotation), (0x401, None, DQuat::IDENTITY));
    assert_eq!(part.rotation_length, 0.0);
    assert_eq!(
        oddities,
        [
            "doubled-xmlns",
            "guid-ids",
            "no-physics-shape-type",
            "object-flags-number",
            "scale-in-shape",
            "trailing-nul",
            "zero-rotation"
        ]
    );
}

#[test]
fn fields_that_nobody_asks_for_are_checked_too() {
    let more = "<Density>1000,5</Density><SitTargetPosition><X>0</X><Y>0</Y></SitTargetPosition>\
                <Material>3</Material><SalePrice/><Colour>green</Colour><LastOwnerID>nobody</LastOwnerID>";
    let (_, defects) = read(&part(RIDE, "a", 0, more));
    let refused = ["Density", "SitTargetPosition", "SalePrice"].map(|element| one("throws", element));
    assert_eq!(words_of(&defects), [&[one("field", "LastOwnerID")], &refused[..]].concat());
}

#[test]
fn parts_without_a_form_stop_the_load() {
    let without = |text: String| text.replace("Shape>", "Lost>");
    let parts = [part(RIDE, "a", 1, ""), part(HEAD_1, "b", 2, "")].map(without);
    let (_, defects) = read(&xml2(&parts));
    assert_eq!(words_of(&defects), [one("no-shape", "Shape"), one("no-shape", "Shape")]);
}

#[test]
fn an_unknown_physics_shape_type_is_the_default_of_the_form() {
    let unknown = part(RIDE, "a", 0, "").replace("<PhysicsShapeType>0<", "<PhysicsShapeType>7<");
    let mesh = "<SculptType>5</SculptType><SculptEntry>true</SculptEntry></Shape>";
    for (text, expected) in [(unknown.clone(), 0), (unknown.replace("</Shape>", mesh), 2)] {
        let (document, defects) = read(&text);
        assert_eq!(document.linksets[0].parts[0].physics_shape_type, Some(expected));
        assert_eq!(words_of(&defects), [one("field", "PhysicsShapeType")]);
    }
}

#[test]
fn missing_and_unreadable_fields_are_found_in_their_part() {
    let child = part(HEAD_1, "b", 2, "")
        .replace("<Scale><X>1</X>", "<Scale><X>1,5</X>")
        .replace("<GroupPosition>", "<Elsewhere>")
        .replace("</GroupPosition>", "</Elsewhere>");
    let (document, defects) = read(&xml2(&[part(RIDE, "a", 1, ""), child]));
    assert_eq!(words_of(&defects), [one("field", "GroupPosition"), one("throws", "Scale")]);
    for defect in &defects {
        let place = &defect.place;
        assert_eq!(place.part, Some(HEAD_1.parse().unwrap()));
        assert_eq!((place.object, place.link_number), (Some(RIDE.parse().unwrap()), Some(2)));
    }
    let why = LoadFault::Other { text: "1,5".into(), wanted: "a number".into() };
    assert_eq!(
        (&defects[1].kind, defects[1].place.offset),
        (&ObjectDefect::Throws { line: 1, why }.into(), Some(1174))
    );
    assert_eq!(document.linksets[0].parts[1].scale, DVec3::splat(0.5));

    let (document, defects) = read("<SceneObjectGroup><SceneObjectPart/></SceneObjectGroup>");
    assert_eq!(
        words_of(&defects).iter().map(|(_, within)| *within).collect::<Vec<_>>(),
        ["Scale", "GroupPosition", "RotationOffset", "SceneObjectPart"]
    );
    assert_eq!(document.linksets[0].parts, [Part::default()]);
}

#[test]
fn link_numbers_are_checked() {
    let (document, defects) = read(&xml2(&[part(RIDE, "a", 2, ""), part(HEAD_1, "b", 1, "")]));
    assert_eq!(words_of(&defects), [one("root-number", "LinkNum")]);
    assert_eq!(defects[0].place.object, Some(RIDE.parse().unwrap()));
    assert_eq!(document.linksets[0].parts[0].name, "a");
}
