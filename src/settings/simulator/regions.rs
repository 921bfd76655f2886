//! The files of regions: names, UUIDs, sizes and limits of prims.

use super::{
    compose::read_file,
    ini::Ini,
    limits::{LimitKey, RegionLimits},
};
use quick_xml::{Reader, events::Event};
use serde::Serialize;
use std::{
    borrow::Cow,
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};
use uuid::Uuid;

/// Maximum number of files in a folder.
const MOST_FILES: usize = 100_000;

/// Maximum number of regions in one file.
const MOST_REGIONS: usize = 10_000;

/// A region of a simulator.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RegionFile {
    /// Name of the region.
    pub name: String,
    /// UUID of the region; `None` if the file has none.
    pub uuid: Option<Uuid>,
    /// Sides in metres. Regions are squares: OpenSimulator ignores `SizeY`.
    pub size_m: [u32; 2],
    /// Position on the map, in regions of 256 m.
    pub location: Option<[u32; 2]>,
    /// Limits on prims, also those in `[Startup]` of the simulator.
    pub limits: RegionLimits,
    /// The file.
    pub file: String,
}

/// Reads a file of regions, or all files of a folder in the order of their names. Adds damaged files to the notes.
pub fn read(path: &Path, notes: &mut Vec<String>) -> io::Result<Vec<RegionFile>> {
    let files = if path.is_dir() { files(path)? } else { vec![path.to_owned()] };
    let mut regions = Vec::new();
    for file in &files {
        match read_file(file) {
            Ok(bytes) => regions.extend(of_file(file, &bytes)),
            Err(error) if files.len() == 1 => return Err(error),
            Err(error) => notes.push(format!("{} cannot be read: {error}.", file.display())),
        }
    }
    Ok(regions)
}

/// Returns the files that a simulator reads.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)?.take(MOST_FILES) {
        let path = entry?.path();
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        if matches!(ending.as_deref(), Some("ini" | "xml")) && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn of_file(file: &Path, bytes: &[u8]) -> Vec<RegionFile> {
    let is_xml = file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("xml"));
    let sections = if is_xml { of_xml(bytes) } else { of_ini(bytes) };
    let sections = sections.into_iter().take(MOST_REGIONS);
    sections.map(|(name, keys)| region(name, &keys, file)).collect()
}

/// The keys of a section, in lower case.
type Keys = BTreeMap<String, String>;

fn of_ini(bytes: &[u8]) -> Vec<(String, Keys)> {
    let ini = Ini::read(bytes);
    let names = ini.sections();
    let mut sections: Vec<(String, Keys)> =
        names.into_iter().map(|name| (name.into(), Keys::new())).collect();
    let numbers: BTreeMap<String, usize> = sections.iter().map(|(name, _)| name.clone()).zip(0..).collect();
    for entry in ini.entries {
        sections[numbers[&entry.section]].1.insert(entry.key.to_lowercase(), entry.value);
    }
    sections.retain(|(name, _)| !name.is_empty());
    sections
}

/// Returns the sections of a file in the form of Nini, or the only region of an old file.
fn of_xml(bytes: &[u8]) -> Vec<(String, Keys)> {
    let mut reader = Reader::from_reader(bytes);
    let mut sections: Vec<(String, Keys)> = Vec::new();
    let mut buffer = Vec::new();
    while let Ok(event) = reader.read_event_into(&mut buffer) {
        let (Event::Start(element) | Event::Empty(element)) = event else {
            if matches!(event, Event::Eof) {
                break;
            }
            buffer.clear();
            continue;
        };
        let attributes = element.attributes().flatten().map(|attribute| {
            let value = quick_xml::escape::unescape(&attribute.value);
            let value = value.map_or_else(|_| attribute.value.to_string(), Cow::into_owned);
            (attribute.key.as_ref().to_lowercase(), value)
        });
        let attributes: Keys = attributes.collect();
        match element.name().as_ref().to_ascii_lowercase().as_str() {
            "section" => {
                let name = attributes.get("name").cloned().unwrap_or_default();
                sections.push((name, Keys::new()));
            }
            "key" => {
                if let (Some((_, keys)), Some(name)) = (sections.last_mut(), attributes.get("name")) {
                    keys.insert(name.to_lowercase(), attributes.get("value").cloned().unwrap_or_default());
                }
            }
            "config" => {
                let name = attributes.get("sim_name").cloned().unwrap_or_default();
                sections.push((name, old_keys(&attributes)));
            }
            _ => {}
        }
        buffer.clear();
    }
    sections.retain(|(name, _)| !name.is_empty());
    sections
}

/// Returns the keys of an old file by their present names.
fn old_keys(attributes: &Keys) -> Keys {
    let get = |key: &str| attributes.get(key).cloned();
    let mut keys = Keys::new();
    keys.extend(get("sim_uuid").map(|uuid| ("regionuuid".into(), uuid)));
    let [x, y] = ["sim_location_x", "sim_location_y"].map(get);
    if let (Some(x), Some(y)) = (x, y) {
        keys.insert("location".into(), format!("{x},{y}"));
    }
    keys
}

fn region(name: String, keys: &Keys, file: &Path) -> RegionFile {
    let side = keys.get("sizex").and_then(|text| text.trim().parse::<u32>().ok()).unwrap_or_default();
    // OpenSimulator cuts the size to a multiple of 256 m.
    let side = (side / 256).max(1).saturating_mul(256);
    let location = keys.get("location").and_then(|text| {
        let (x, y) = text.split_once([',', '-'])?;
        Some([x.trim().parse().ok()?, y.trim().parse().ok()?])
    });
    let file = file.display().to_string();
    let mut limits = RegionLimits::default();
    for key in LimitKey::ALL.into_iter().filter(|key| key.is_of_regions()) {
        if let Some(text) = keys.get(&key.name().to_lowercase()) {
            limits.add(key, text, format!("[{name}] {}, {file}", key.name()));
        }
    }
    RegionFile {
        name,
        uuid: keys.get("regionuuid").and_then(|text| Uuid::try_parse(text.trim()).ok()),
        size_m: [side, side],
        location,
        limits,
        file,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UUID: &str = "11111111-2222-3333-4444-555555555555";

    #[test]
    fn regions_of_ini_files() {
        let text = format!(
            "; comment\n[Welcome]\nRegionUUID = {UUID}\nLocation = 1000,1001\nSizeX = 600\nSizeY = 1024\nMaxPrims = 15000 ; all\n\
             LinksetPrims = 256\nNonPhysicalPrimMax=1024\nPhysicalPrimMax = 64\n[Plain]\nRegionUUID = no\n"
        );
        let regions = of_file(Path::new("Regions.ini"), text.as_bytes());
        let mut limits = RegionLimits::default();
        for (key, value) in [
            (LimitKey::MaxPrims, "15000"),
            (LimitKey::LinksetPrims, "256"),
            (LimitKey::NonPhysicalPrimMax, "1024"),
            (LimitKey::PhysicalPrimMax, "64"),
        ] {
            limits.add(key, value, format!("[Welcome] {}, Regions.ini", key.name()));
        }
        let welcome = RegionFile {
            name: "Welcome".into(),
            uuid: Some(UUID.parse().unwrap()),
            size_m: [512, 512],
            location: Some([1000, 1001]),
            limits,
            file: "Regions.ini".into(),
        };
        let plain = RegionFile {
            name: "Plain".into(),
            size_m: [256, 256],
            file: "Regions.ini".into(),
            ..RegionFile::default()
        };
        assert_eq!(regions, [welcome, plain]);
    }

    #[test]
    fn regions_of_xml_files() {
        let of = |text: String| {
            let regions = of_file(Path::new("r.xml"), text.as_bytes());
            regions.into_iter().map(|region| (region.name, region.uuid, region.size_m[0])).collect::<Vec<_>>()
        };
        let nini = format!(
            "<Nini><Section Name=\"A &amp; B\"><Key Name=\"RegionUUID\" Value=\"{UUID}\"/><Key Name=\"SizeX\" Value=\"512\"/>\
             </Section></Nini>"
        );
        assert_eq!(of(nini), [("A & B".into(), UUID.parse().ok(), 512)]);
        let old = format!(
            "<Root><Config sim_UUID=\"{UUID}\" sim_name=\"Old\" sim_location_x=\"1\" sim_location_y=\"2\"/></Root>"
        );
        assert_eq!(of(old), [("Old".into(), UUID.parse().ok(), 256)]);
        assert!(of("<Root><Section Name=\"x".into()).is_empty());
    }
}
