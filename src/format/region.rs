//! Region settings and parcels.

use super::{
    defect::{Defect, DefectKind, DocumentDefect, DocumentType},
    loader::settings::{self as loader_settings, IgnoredFor, SINCE_0_9_3},
    reference::{Reference, Use},
    xml::{
        Result, SMALL_DOCUMENT_DEPTH, SMALL_DOCUMENT_ROWS, Source, Xml, XmlFault, excerpt, marked,
        parse_bool, parse_uuid,
    },
};
use glam::DVec3;
use hullmark_finding::Capped;
use hullmark_util::{
    base64,
    json_number::{self, Number},
};
use memchr::{memchr, memmem, memrchr};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use uuid::Uuid;

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Settings {
    /// `ObjectBonus`: factor on the capacity of parcels.
    pub object_bonus: Option<Number>,
    /// `AgentLimit`.
    pub agent_limit: Option<i64>,
    /// `MaturityRating`: 0, 1 or 2.
    pub maturity: Option<i64>,
    /// `DisablePhysics`.
    pub disable_physics: Option<bool>,
    /// `DisableScripts`.
    pub disable_scripts: Option<bool>,
    /// `DisableCollisions`.
    pub disable_collisions: Option<bool>,
    /// `WaterHeight`, in metres.
    pub water_height: Option<Number>,
    /// `TelehubObject`; `None` if nil or missing.
    pub telehub: Option<Uuid>,
    /// Number of `SpawnPoint`s: places around the telehub where visitors arrive. They are lost without the object.
    pub spawn_points: u32,
    /// Whether the region has its own `Environment`: a newer sky, water and day length.
    pub environment: bool,
    /// Textures and PBR materials of the ground, in file order, without nil.
    pub references: Vec<Reference>,
}

/// An estate: regions with one owner and one list of people. Only databases have estates.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Estate {
    pub name: String,
    pub owner: Uuid,
    /// Whether everybody may enter.
    pub public: Option<bool>,
    /// The UUIDs of its regions.
    pub regions: BTreeSet<Uuid>,
    pub managers: BTreeSet<Uuid>,
    /// Those who may enter if it is not public.
    pub users: BTreeSet<Uuid>,
    pub groups: BTreeSet<Uuid>,
    pub bans: BTreeSet<Uuid>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Parcel {
    /// `GlobalID`.
    pub uuid: Option<Uuid>,
    pub name: String,
    pub owner: Uuid,
    /// `GroupID`; nil without a group.
    pub group: Uuid,
    /// `IsGroupOwned`.
    pub group_owned: bool,
    /// `Area` as stated, in m².
    pub area: Option<Number>,
    /// `Flags`, with the bits that viewers use.
    pub flags: Option<u32>,
    /// `UserLocation`: the landing point of visitors.
    #[serde(with = "json_number::any_vector")]
    pub landing: Option<DVec3>,
    /// The bitmap: one bit for each cell of 4 × 4 m, lowest bit first, eastward, then northward.
    #[serde(with = "base64")]
    pub bitmap: Vec<u8>,
    /// Whether the parcel has its own `Environment`.
    pub environment: bool,
    /// The media texture and the picture of the parcel, without nil.
    pub references: Vec<Reference>,
}

/// Decodes a settings file; `None` if it cannot be read. The only defect is that OpenSim takes none of the settings.
pub fn decode_settings(bytes: &[u8]) -> (Option<Settings>, Vec<Defect>) {
    let source = Source::new(bytes, DocumentType::Settings);
    let (settings, mut defects) = decode(&source, "RegionSettings", read_settings);
    defects.retain(|defect| matches!(&defect.kind, DefectKind::Document(DocumentDefect::Marked { .. })));
    if defects.is_empty() {
        defects.extend(ignored(source.text()));
    }
    (settings, defects)
}

/// Returns the defect of settings that OpenSim does not take.
fn ignored(text: &str) -> Option<Defect> {
    if let Some(ignored) = loader_settings::ignored(text, true) {
        let crowded = crowded_at(text, ignored.offset);
        let kind = match ignored.why {
            IgnoredFor::Malformed(why) => {
                DocumentDefect::IllFormed { of: DocumentType::Settings, why: why.into() }
            }
            IgnoredFor::Fault(_) if crowded.is_some() => DocumentDefect::SettingsCrowded,
            IgnoredFor::Fault(why) => DocumentDefect::SettingsIgnored { why },
        };
        let offset = crowded.unwrap_or(ignored.offset);
        return Some(Defect::new(kind).within(ignored.element).offset(offset));
    }
    loader_settings::ignored(text, false)?;
    let found = |name: &&'static str| Some((text.find(&format!("<{name}"))?, *name));
    let (offset, element) = SINCE_0_9_3.iter().filter_map(found).min()?;
    Some(Defect::new(DocumentDefect::SettingsTooNew).within(element).offset(offset))
}

/// Maximum length of an end tag of settings: those in comments have no end.
const LONGEST_TAG: usize = 256;

/// Returns the first place before `offset` with a tag directly behind the end of a value. The loader skips such a tag.
fn crowded_at(text: &str, offset: usize) -> Option<usize> {
    let before = &text.as_bytes()[..offset.min(text.len())];
    let mut ends = memmem::find_iter(before, b"</");
    ends.find_map(|start| {
        let tag = &before[start..before.len().min(start + LONGEST_TAG)];
        let behind = start + memchr(b'>', tag)? + 1;
        (text.as_bytes().get(behind) == Some(&b'<')).then_some(behind)
    })
}

/// Decodes a parcel; `None` if it cannot be read.
pub fn decode_parcel(bytes: &[u8]) -> (Option<Parcel>, Vec<Defect>) {
    let source = Source::new(bytes, DocumentType::Parcel);
    let (parcel, mut defects) = decode(&source, "LandData", read_parcel);
    for defect in &mut defects {
        let DefectKind::Document(kind) = &mut defect.kind else { continue };
        let offset = defect.place.offset.unwrap_or_default() as usize;
        if stops_readers(kind) && follows_an_end_tag(bytes, offset) {
            *kind = DocumentDefect::ParcelEndsEarly;
        }
    }
    (parcel, defects)
}

/// Whether a document is not well-formed at the place of the defect.
fn stops_readers(kind: &DocumentDefect) -> bool {
    match kind {
        DocumentDefect::Unclean { what, .. } => what.stops_readers(),
        DocumentDefect::Unreadable { why, .. } => !matches!(why, XmlFault::OtherRoot { .. }),
        _ => false,
    }
}

/// Whether a fault is in the node behind the end of a field. OpenSim takes that end for the end of the parcel, and loads
/// the fields before it.
fn follows_an_end_tag(bytes: &[u8], offset: usize) -> bool {
    let before = &bytes[..offset.min(bytes.len())];
    let Some(end) = memrchr(b'>', before) else { return false };
    let is_end_tag = memrchr(b'<', &before[..end]).is_some_and(|start| before[start..].starts_with(b"</"));
    // A tag, and the end of the document, may follow white space, which is a node of its own.
    let is_text = bytes.get(offset).is_some_and(|&byte| byte != b'<') && !before[end..].contains(&b'<');
    is_end_tag && (is_text || offset == end + 1)
}

/// Reads a whole document with the root element `name`. Like OpenSim, it returns nothing from a file that it cannot
/// read to the end.
fn decode<T: Default>(
    source: &Source<'_>,
    name: &'static str,
    read: fn(&mut Xml<'_>, &mut T, &mut Capped<Defect>) -> Result<()>,
) -> (Option<T>, Vec<Defect>) {
    let mut xml = Xml::new(source, SMALL_DOCUMENT_DEPTH);
    let mut content = T::default();
    let mut defects = Capped::new(SMALL_DOCUMENT_ROWS);
    let result = match xml.root() {
        Ok(root) if root.name() == name => {
            read(&mut xml, &mut content, &mut defects).and_then(|()| xml.finish())
        }
        Ok(root) => {
            let found = excerpt(root.name());
            Err(xml.fault(XmlFault::OtherRoot { found, expected: Some(name.into()) }))
        }
        Err(fault) => Err(fault),
    };
    let notes = xml.into_notes();
    let mut all = notes.defects;
    all.extend(marked(&notes.oddities, source.of));
    match result {
        Ok(()) => {
            all.extend(defects.finish());
            (Some(content), all)
        }
        Err(fault) => {
            all.push(fault.defect(source.of, 0));
            (None, all)
        }
    }
}

/// Reads the settings. The groups (`General`, `GroundTextures` and so on) share no element names, so all are read as
/// one.
///
/// OpenSim requires three of them by name, in this order. It reads nothing from a file with other groups in their
/// place.
fn read_settings(xml: &mut Xml<'_>, settings: &mut Settings, defects: &mut Capped<Defect>) -> Result<()> {
    let mut expected = ["General", "GroundTextures", "Terrain"].into_iter();
    while let Some(group) = xml.child()? {
        if let Some(expected) = expected.next().filter(|expected| group.name() != *expected) {
            let found = excerpt(group.name());
            return Err(xml.fault(XmlFault::Misplaced { found, expected: expected.into() }));
        }
        settings.environment |= group.name() == "Environment";
        if !matches!(group.name(), "General" | "GroundTextures" | "Terrain" | "Telehub") {
            xml.skip()?;
            continue;
        }
        while let Some(child) = xml.child()? {
            let name = child.name();
            match name {
                "ObjectBonus" => settings.object_bonus = xml.value(name, defects, parse_number)?.map(Number),
                "AgentLimit" => settings.agent_limit = xml.value(name, defects, parse_whole)?,
                "MaturityRating" => settings.maturity = xml.value(name, defects, parse_whole)?,
                "DisablePhysics" => settings.disable_physics = xml.value(name, defects, parse_bool)?,
                "DisableScripts" => settings.disable_scripts = xml.value(name, defects, parse_bool)?,
                "DisableCollisions" => settings.disable_collisions = xml.value(name, defects, parse_bool)?,
                "WaterHeight" => settings.water_height = xml.value(name, defects, parse_number)?.map(Number),
                "TelehubObject" => {
                    let object = xml.value(name, defects, parse_uuid)?;
                    settings.telehub = object.filter(|uuid| !uuid.is_nil());
                }
                "SpawnPoint" => {
                    let point = xml.value(name, defects, parse_spawn_point)?;
                    settings.spawn_points += u32::from(point.is_some());
                }
                "Texture1" | "Texture2" | "Texture3" | "Texture4" => {
                    let texture = reference(xml, "GroundTextures", defects, Use::GroundTexture)?;
                    settings.references.extend(texture);
                }
                "PBR1" | "PBR2" | "PBR3" | "PBR4" => {
                    let material = reference(xml, "GroundTextures", defects, Use::GroundMaterial)?;
                    settings.references.extend(material);
                }
                _ => xml.skip()?,
            }
        }
    }
    match expected.next() {
        Some(missing) => Err(xml.fault(XmlFault::Missing { element: missing.into() })),
        None => Ok(()),
    }
}

fn read_parcel(xml: &mut Xml<'_>, parcel: &mut Parcel, defects: &mut Capped<Defect>) -> Result<()> {
    let mut bitmap = None;
    while let Some(child) = xml.child()? {
        let name = child.name();
        match name {
            "GlobalID" => parcel.uuid = xml.value(name, defects, parse_uuid)?,
            "Name" => parcel.name = xml.name()?,
            "OwnerID" => parcel.owner = xml.value(name, defects, parse_uuid)?.unwrap_or_default(),
            "GroupID" => parcel.group = xml.value(name, defects, parse_uuid)?.unwrap_or_default(),
            "IsGroupOwned" => parcel.group_owned = xml.value(name, defects, parse_bool)?.unwrap_or_default(),
            "Area" => parcel.area = xml.value(name, defects, parse_number)?.map(Number),
            "Flags" => parcel.flags = xml.value(name, defects, parse_flags)?,
            "MediaID" => parcel.references.extend(reference(xml, name, defects, Use::MediaTexture)?),
            "SnapshotID" => parcel.references.extend(reference(xml, name, defects, Use::Snapshot)?),
            "Environment" => {
                parcel.environment = true;
                xml.skip()?;
            }
            "UserLocation" => parcel.landing = xml.value(name, defects, parse_position)?,
            "Bitmap" => bitmap = Some(xml.text()?),
            _ => xml.skip()?,
        }
    }
    match decode_bitmap(bitmap.as_deref()) {
        Ok(bytes) => parcel.bitmap = bytes,
        Err(defect) => defects.push(*defect),
    }
    Ok(())
}

/// Like [`Xml::value`], for an asset; `None` for nil.
fn reference(
    xml: &mut Xml<'_>,
    element: &str,
    defects: &mut Capped<Defect>,
    what: Use,
) -> Result<Option<Reference>> {
    let asset = xml.value(element, defects, parse_uuid)?;
    Ok(asset.and_then(|asset| what.unless_nil(asset)))
}

/// Parses a finite number in any server locale: the decimal point may be a comma, and the minus sign may be the
/// typographic one.
fn parse_number(text: &str) -> Option<f64> {
    let text = text.trim();
    let number = text.parse().ok().or_else(|| text.replace('−', "-").replacen(',', ".", 1).parse().ok());
    number.filter(|number: &f64| number.is_finite())
}

fn parse_whole(text: &str) -> Option<i64> {
    let text = text.trim();
    text.parse().ok().or_else(|| text.replace('−', "-").parse().ok())
}

fn parse_flags(text: &str) -> Option<u32> {
    text.trim().parse().ok()
}

/// Parses yaw, pitch and distance, separated by commas. A server with a decimal comma writes more than three pieces,
/// and then OpenSim does not load the settings.
fn parse_spawn_point(text: &str) -> Option<[f64; 3]> {
    let numbers: Vec<f64> = text.split(',').map(parse_number).collect::<Option<_>>()?;
    numbers.try_into().ok()
}

/// Parses `<x, y, z>`. If the decimal point is a comma, only blanks separate the numbers.
fn parse_position(text: &str) -> Option<DVec3> {
    let text = text.trim().trim_start_matches('<').trim_end_matches('>');
    let by = |separator| {
        let mut numbers = text.split(separator).map(parse_number);
        let position = DVec3::new(numbers.next()??, numbers.next()??, numbers.next()??);
        numbers.next().is_none().then_some(position)
    };
    by(", ").or_else(|| by(","))
}

/// Returns the bytes of a bitmap if its cells form a square: OpenSim reads no other shape.
fn decode_bitmap(text: Option<&str>) -> std::result::Result<Vec<u8>, Box<Defect>> {
    let defect = |kind: DocumentDefect| Box::new(Defect::new(kind).within("Bitmap"));
    let text = text.map(str::trim_ascii).filter(|text| !text.is_empty());
    let text = text.ok_or_else(|| defect(DocumentDefect::BitmapMissing))?;
    let bytes = base64::decode(text).ok_or_else(|| defect(DocumentDefect::BitmapNotBase64))?;
    let cells = bytes.len() * 8;
    if cells.isqrt().pow(2) != cells {
        return Err(Box::new(defect(DocumentDefect::BitmapNotSquare).measured(bytes.len() as f64)));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::defect::DefectKind;

    /// Whether the only defect is that such a document cannot be read.
    fn is_unreadable(defects: &[Defect], document: DocumentType) -> bool {
        let [Defect { kind: DefectKind::Document(kind), .. }] = defects else { return false };
        matches!(kind, DocumentDefect::Unreadable { of, .. } if *of == document)
    }

    fn through_a_ledger<T: Serialize + serde::de::DeserializeOwned>(facts: &T) -> T {
        serde_json::from_str(&serde_json::to_string(facts).unwrap()).unwrap()
    }

    #[test]
    fn settings() {
        let text = "<?xml version=\"1.0\" encoding=\"utf-16\"?><RegionSettings><General>\
            <DisableCollisions>True</DisableCollisions><DisablePhysics>False</DisablePhysics>\
            <DisableScripts>false</DisableScripts><MaturityRating>2</MaturityRating><AgentLimit>40</AgentLimit>\
            <ObjectBonus>1,5</ObjectBonus></General><GroundTextures><Texture1>b8d3965a-ad78-bf43-699b-bff8eca6c975</Texture1>\
            <Texture2>00000000-0000-0000-0000-000000000000</Texture2>\
            <PBR4>abb783e6-3e93-26c0-248a-247666855da3</PBR4></GroundTextures>\
            <Terrain><WaterHeight>20,5</WaterHeight></Terrain><Other><AgentLimit>9</AgentLimit></Other><Telehub>\
            <TelehubObject>2b219141-71ce-4c54-bd27-fbfc39ff5fdf</TelehubObject><SpawnPoint>0,0,0</SpawnPoint>\
            <SpawnPoint>-1.75815E-07,0,3.68413</SpawnPoint></Telehub><Environment><data>x</data></Environment>\
            </RegionSettings>";
        let text = lines(text);
        let expected = Settings {
            object_bonus: Some(Number(1.5)),
            agent_limit: Some(40),
            maturity: Some(2),
            disable_physics: Some(false),
            disable_scripts: Some(false),
            disable_collisions: Some(true),
            water_height: Some(Number(20.5)),
            telehub: Some("2b219141-71ce-4c54-bd27-fbfc39ff5fdf".parse().unwrap()),
            spawn_points: 2,
            environment: true,
            references: vec![
                Use::GroundTexture.reference("b8d3965a-ad78-bf43-699b-bff8eca6c975".parse().unwrap()),
                Use::GroundMaterial.reference("abb783e6-3e93-26c0-248a-247666855da3".parse().unwrap()),
            ],
        };
        assert_eq!(through_a_ledger(&expected), expected);
        let (read, defects) = decode_settings(text.as_bytes());
        assert_eq!((read.as_ref(), &*defects[0].place.within), (Some(&expected), "PBR4"));
        assert_eq!(defects[0].kind, DefectKind::Document(DocumentDefect::SettingsTooNew));
        let (nil, _) = decode_settings(
            text.replace("2b219141-71ce-4c54-bd27-fbfc39ff5fdf", &Uuid::nil().to_string()).as_bytes(),
        );
        assert_eq!(nil.unwrap().telehub, None);
    }

    #[test]
    fn settings_that_cannot_be_read() {
        let text = lines(
            "<RegionSettings><General><AgentLimit>many</AgentLimit></General><GroundTextures></GroundTextures>\
            <Terrain></Terrain></RegionSettings>",
        );
        let (settings, defects) = decode_settings(text.as_bytes());
        assert_eq!((settings, ignored_at(&defects)), (Some(Settings::default()), "AgentLimit"));
        let textures = lines("<RegionSettings><General></General><Terrain></Terrain></RegionSettings>");
        for (bad, element) in [(textures.as_str(), "GroundTextures"), ("<LandData/>", "RegionSettings")] {
            let (settings, defects) = decode_settings(bad.as_bytes());
            assert_eq!((settings, ignored_at(&defects)), (None, element), "{bad}");
        }
        for bad in ["", "none", "<RegionSettings><General>"] {
            let (settings, defects) = decode_settings(bad.as_bytes());
            let is_ill_formed =
                matches!(&defects[0].kind, DefectKind::Document(DocumentDefect::IllFormed { .. }));
            assert!(settings.is_none() && is_ill_formed, "{bad}: {defects:?}");
        }
    }

    /// Returns the element at which settings are ignored: the only defect.
    fn ignored_at(defects: &[Defect]) -> &str {
        let [Defect { kind: DefectKind::Document(DocumentDefect::SettingsIgnored { .. }), place, .. }] =
            defects
        else {
            return "";
        };
        &place.within
    }

    /// Returns a document with its elements on lines of their own, as OpenSim writes settings.
    fn lines(text: &str) -> String {
        text.replace("><", ">\n<")
    }

    #[test]
    fn one_element_makes_a_simulator_ignore_all_settings() {
        let text = lines(
            "<RegionSettings><General><AllowDamage>True</AllowDamage></General><GroundTextures>\
            <Texture1>b8d3965a-ad78-bf43-699b-bff8eca6c975</Texture1></GroundTextures><Terrain><WaterHeight>1,234.5\
            </WaterHeight><FixedSun>false</FixedSun></Terrain></RegionSettings>",
        );
        assert_eq!(decode_settings(text.as_bytes()).1, []);
        for (whole, with, element) in [
            ("True", "1", "AllowDamage"),
            ("false", "", "FixedSun"),
            ("1,234.5", ",5", "WaterHeight"),
            ("<AllowDamage>", "<New>1</New>\n<AllowDamage>", "GroundTextures"),
            ("</General>\n", "</General>", ""),
        ] {
            let (settings, defects) = decode_settings(text.replacen(whole, with, 1).as_bytes());
            assert_eq!(ignored_at(&defects), element, "{with}: {defects:?}");
            assert!(settings.is_some());
        }
        for crowded in [text.replace(">\n<", "><"), text.replace("e>\n</General>", "e></General>")] {
            let (_, defects) = decode_settings(crowded.as_bytes());
            assert_eq!(defects[0].kind, DefectKind::Document(DocumentDefect::SettingsCrowded), "{crowded}");
        }
        let newer =
            text.replace("<Texture1>", "<PBR1>b8d3965a-ad78-bf43-699b-bff8eca6c975</PBR1>\n<Texture1>");
        let (_, defects) = decode_settings(newer.as_bytes());
        assert_eq!(defects[0].kind, DefectKind::Document(DocumentDefect::SettingsTooNew));
    }

    #[test]
    fn spawn_points_of_a_server_with_comma_decimals_are_lost() {
        let text = lines(
            "<RegionSettings><General></General><GroundTextures></GroundTextures><Terrain></Terrain><Telehub>\
            <SpawnPoint>1,0,3</SpawnPoint><SpawnPoint>0,5,0,3,25</SpawnPoint></Telehub></RegionSettings>",
        );
        let (settings, defects) = decode_settings(text.as_bytes());
        assert_eq!((settings.unwrap().spawn_points, ignored_at(&defects)), (1, "SpawnPoint"));
    }

    #[test]
    fn a_parcel_that_stops_the_load() {
        let whole = parcel("<Bitmap>/wA=</Bitmap>");
        for bad in ["", "none", "<RegionSettings/>", &whole[..whole.len() / 2]] {
            let (parcel, defects) = decode_parcel(bad.as_bytes());
            assert!(parcel.is_none() && is_unreadable(&defects, DocumentType::Parcel), "{bad}");
        }
        let marked = decode_parcel(format!("\u{feff}{whole}").as_bytes());
        assert!(marked.0.is_some());
        let mark = DocumentDefect::Marked { of: DocumentType::Parcel, utf_16: false };
        assert_eq!(marked.1, [Defect::new(mark)]);
    }

    fn parcel(bitmap: &str) -> String {
        format!(
            "<LandData><Area>64</Area><GlobalID>532c7606-7030-4559-bc8d-8a0f46067f7b</GlobalID>\
             <GroupID>0a81f4cc-9b5d-4d3a-8c5e-3f9d3a1d4f6b</GroupID><IsGroupOwned>True</IsGroupOwned>{bitmap}\
             <Flags>2147484027</Flags><MediaID>4ac90f25-2bca-4e82-a015-227df43d1411</MediaID>\
             <SnapshotID>00000000-0000-0000-0000-000000000000</SnapshotID><Environment>x</Environment><Name>Caf\u{e9} &amp; Bar</Name>\
             <OwnerID>d5f1046f-7582-40e3-951c-b902143a2c9c</OwnerID>\
             <UserLocation>&lt;128, 64.5, 23&gt;</UserLocation></LandData>"
        )
    }

    #[test]
    fn parcels() {
        let (read, defects) = decode_parcel(parcel("<Bitmap>\n/wA=\n</Bitmap>").as_bytes());
        let expected = Parcel {
            uuid: Some("532c7606-7030-4559-bc8d-8a0f46067f7b".parse().unwrap()),
            name: "Café & Bar".into(),
            owner: "d5f1046f-7582-40e3-951c-b902143a2c9c".parse().unwrap(),
            group: "0a81f4cc-9b5d-4d3a-8c5e-3f9d3a1d4f6b".parse().unwrap(),
            group_owned: true,
            flags: Some(2_147_484_027),
            environment: true,
            references: vec![
                Use::MediaTexture.reference("4ac90f25-2bca-4e82-a015-227df43d1411".parse().unwrap()),
            ],
            area: Some(Number(64.0)),
            landing: Some(DVec3::new(128.0, 64.5, 23.0)),
            bitmap: vec![0xFF, 0],
        };
        assert_eq!(through_a_ledger(&expected), expected);
        assert_eq!((read, defects), (Some(expected), vec![]));
    }

    #[test]
    fn bitmaps_that_cannot_be_used() {
        let defect = |kind: DocumentDefect| Defect::new(kind).within("Bitmap");
        for (bitmap, expected) in [
            ("", defect(DocumentDefect::BitmapMissing)),
            ("<Bitmap/>", defect(DocumentDefect::BitmapMissing)),
            ("<Bitmap>?</Bitmap>", defect(DocumentDefect::BitmapNotBase64)),
            ("<Bitmap>AA==</Bitmap>", defect(DocumentDefect::BitmapNotSquare).measured(1)),
        ] {
            let (read, defects) = decode_parcel(parcel(bitmap).as_bytes());
            assert_eq!(read.unwrap().bitmap, [0; 0]);
            assert_eq!(defects, [expected]);
        }
    }

    #[test]
    fn positions_in_any_culture() {
        let expected = Some(DVec3::new(1.5, -2.5, 3.0));
        for text in ["<1.5, -2.5, 3>", "<1,5, −2,5, 3>", "1.5,-2.5,3", " <1.5,-2.5,3.0> "] {
            assert_eq!(parse_position(text), expected, "{text}");
        }
        for text in ["", "<1, 2>", "<1, 2, 3, 4>", "<a, b, c>", "<1, NaN, 3>"] {
            assert_eq!(parse_position(text), None, "{text}");
        }
    }

    #[test]
    fn cut_files_are_read_without_panic() {
        let text = parcel("<Bitmap>/wA=</Bitmap>");
        for cut in 0..text.len() {
            let (read, defects) = decode_parcel(&text.as_bytes()[..cut]);
            assert_eq!((read, defects.is_empty()), (None, false));
        }
    }
}
