//! Reads `archive.xml`, the control file of OAR and IAR archives.

use super::{
    defect::{Defect, DefectKind, DocumentDefect, DocumentType},
    loader,
    xml::{Element, Result, SMALL_DOCUMENT_DEPTH, Source, Xml, parse_bool, parse_uuid},
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ArchiveManifest {
    /// `major_version`; `None` if the attribute is missing or is not a number.
    pub major: Option<i64>,
    /// `minor_version`; `None` if the attribute is missing or is not a number.
    pub minor: Option<i64>,
    /// `datetime`: time of the export, in seconds since 1970.
    pub created: Option<i64>,
    /// `assets_included`.
    pub assets_included: Option<bool>,
    /// Whether the file lists several regions in rows.
    pub multi_region: bool,
    /// The regions, in file order; exactly one for a single-region archive.
    pub regions: Vec<ControlRegion>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ControlRegion {
    /// `id`.
    pub uuid: Option<Uuid>,
    /// `dir`: its folder below `regions/`; empty in a single-region archive.
    pub folder: String,
    /// `size_in_meters`.
    pub size: Option<[u32; 2]>,
    /// `is_megaregion`: several regions that were joined.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_megaregion: bool,
}

/// Decodes the control file of an OAR or an IAR.
///
/// Old OAR files and all IAR files list no regions. They count as one region without an id.
pub fn decode(bytes: &[u8]) -> (ArchiveManifest, Vec<Defect>) {
    let source = Source::new(bytes, DocumentType::ArchiveManifest);
    let mut xml = Xml::new(&source, SMALL_DOCUMENT_DEPTH);
    let mut control = ArchiveManifest::default();
    let mut single = ControlRegion::default();
    let result = read(&mut xml, &mut control, &mut single);
    let mut defects = xml.into_notes().defects;
    defects.extend(result.err().map(|fault| fault.defect(DocumentType::ArchiveManifest, 0)));
    let is_mark =
        |defect: &Defect| matches!(&defect.kind, DefectKind::Document(DocumentDefect::Marked { .. }));
    if !defects.iter().any(is_mark)
        && let Ok(stop) = loader::control::stops(bytes)
    {
        defects = stop.into_iter().collect();
    }
    if !control.multi_region {
        control.regions = vec![single];
    }
    (control, defects)
}

/// Reads the document. OpenSim asks for no name of the root.
fn read(xml: &mut Xml<'_>, control: &mut ArchiveManifest, single: &mut ControlRegion) -> Result<()> {
    let root = xml.root()?;
    control.major = version(&root, "major_version");
    control.minor = version(&root, "minor_version");
    while let Some(child) = xml.child()? {
        match child.name() {
            "creation_info" => read_creation_info(xml, control, single)?,
            "assets_included" => control.assets_included = parse_bool(&xml.text()?),
            "region_info" => read_region(xml, single)?,
            "regions" => read_regions(xml, control)?,
            _ => xml.skip()?,
        }
    }
    xml.finish()
}

fn version(root: &Element<'_>, name: &'static str) -> Option<i64> {
    root.attribute(name)?.trim_ascii().parse::<i32>().ok().map(i64::from)
}

fn read_creation_info(
    xml: &mut Xml<'_>,
    control: &mut ArchiveManifest,
    single: &mut ControlRegion,
) -> Result<()> {
    while let Some(child) = xml.child()? {
        match child.name() {
            "datetime" => control.created = xml.text()?.trim_ascii().parse().ok(),
            "id" => single.uuid = parse_uuid(&xml.text()?),
            _ => xml.skip()?,
        }
    }
    Ok(())
}

/// Rows run from south to north, and the regions of a row from west to east. An empty element is a gap.
fn read_regions(xml: &mut Xml<'_>, control: &mut ArchiveManifest) -> Result<()> {
    while let Some(child) = xml.child()? {
        if child.name() != "row" {
            xml.skip()?;
            continue;
        }
        control.multi_region = true;
        while let Some(child) = xml.child()? {
            if child.name() != "region" {
                xml.skip()?;
                continue;
            }
            let mut region = ControlRegion::default();
            read_region(xml, &mut region)?;
            if region != ControlRegion::default() {
                control.regions.push(region);
            }
        }
    }
    Ok(())
}

fn read_region(xml: &mut Xml<'_>, region: &mut ControlRegion) -> Result<()> {
    while let Some(child) = xml.child()? {
        match child.name() {
            "id" => region.uuid = parse_uuid(&xml.text()?),
            "dir" => region.folder = xml.name()?,
            "size_in_meters" => region.size = parse_size(&xml.text()?),
            "is_megaregion" => region.is_megaregion = parse_bool(&xml.text()?) == Some(true),
            _ => xml.skip()?,
        }
    }
    Ok(())
}

/// Parses `256,256`. Some programs write fractions, which have no meaning.
fn parse_size(text: &str) -> Option<[u32; 2]> {
    let (x, y) = text.trim_ascii().trim_matches(['<', '>']).split_once(',')?;
    let side = |text: &str| {
        let side: f64 = text.trim_ascii().parse().ok()?;
        (side >= 1.0 && side <= f64::from(u32::MAX)).then_some(side as u32)
    };
    Some([side(x)?, side(y)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    const REGION: &str = "540758cc-7892-4c8d-ae43-44bab790bd00";

    fn words_of(bytes: &str) -> Vec<(String, String)> {
        let defects = decode(bytes.as_bytes()).1.into_iter();
        defects.map(|defect| (defect.name(), defect.place.within.into_owned())).collect()
    }

    #[test]
    fn one_region() {
        let text = format!(
            "<?xml version=\"1.0\" encoding=\"utf-16\"?>\n<archive major_version=\"0\" minor_version=\"8\">\
             <creation_info><datetime>1678847010</datetime><id>{REGION}</id></creation_info>\
             <assets_included>True</assets_included><region_info><is_megaregion>False</is_megaregion>\
             <size_in_meters>512,256</size_in_meters></region_info></archive>"
        );
        let region = ControlRegion {
            uuid: Some(REGION.parse().unwrap()),
            folder: String::new(),
            size: Some([512, 256]),
            is_megaregion: false,
        };
        let mega = decode(text.replace("False</is", "True</is").as_bytes()).0;
        assert!(mega.regions[0].is_megaregion);
        let expected = ArchiveManifest {
            major: Some(0),
            minor: Some(8),
            created: Some(1_678_847_010),
            assets_included: Some(true),
            multi_region: false,
            regions: vec![region],
        };
        assert_eq!(decode(text.as_bytes()), (expected, vec![]));
    }

    #[test]
    fn rows_of_regions_with_gaps() {
        let text = format!(
            "<archive major_version=\"1\" minor_version=\"0\"><creation_info><datetime>1</datetime></creation_info>\
             <assets_included>False</assets_included><regions><row><region/><region><id>{REGION}</id>\
             <dir>2_1_A_&amp;_B</dir><size_in_meters>256,256</size_in_meters></region></row><row/>\
             <row><region><id>{REGION}</id><dir>1_3_C</dir></region></row></regions></archive>"
        );
        let (control, defects) = decode(text.as_bytes());
        assert_eq!(defects, []);
        assert!(control.multi_region);
        assert_eq!(control.assets_included, Some(false));
        let regions: Vec<_> = control.regions.iter().map(|r| (r.folder.as_str(), r.size)).collect();
        assert_eq!(regions, [("2_1_A_&_B", Some([256, 256])), ("1_3_C", None)]);
    }

    #[test]
    fn old_files_and_inventories_say_little() {
        let (control, defects) =
            decode(b"<?xml version=\"1.0\"?><archive major_version=\"0\" minor_version=\"1\" />");
        assert_eq!(defects, []);
        assert_eq!(control.regions, [ControlRegion::default()]);
        assert_eq!((control.assets_included, control.created), (None, None));
    }

    #[test]
    fn versions_that_cannot_be_loaded() {
        let one = |name: &str, within: &str| (name.to_owned(), within.to_owned());
        assert_eq!(
            words_of("<archive major_version=\"2\" minor_version=\"0\"/>"),
            [one("control-too-new", "major_version")]
        );
        assert_eq!(words_of("<archive major_version=\"one\"/>"), [one("control-version", "major_version")]);
        assert_eq!(words_of("<html/>"), []);
        assert_eq!(words_of(""), [one("ill-formed", "")]);
    }

    #[test]
    fn a_cut_file_keeps_the_part_that_was_read() {
        let (control, defects) = decode(b"<archive major_version=\"0\" minor_version=\"8\"><creation_info>");
        assert_eq!((control.major, defects.len()), (Some(0), 1));
    }

    #[test]
    fn sizes() {
        assert_eq!(parse_size(" 256, 512 "), Some([256, 512]));
        assert_eq!(parse_size("<256.0,256.0>"), Some([256, 256]));
        for bad in ["", "256", "0,256", "-1,2", "a,b", "1e99,1"] {
            assert_eq!(parse_size(bad), None);
        }
    }
}
