//! Each number of an input may be NaN, infinite, too large or −0. Its ledger is written, read and the same.

use crate::{
    properties,
    support::{
        archive::{Archive as NewArchive, control},
        desk::{DONE, Desk, region},
        mesh::deflate,
        mutate::{Archive, Mesh, llsd::tokens},
        object::{Prim, uuid, xml2},
        repository,
        samples::{self, File},
        shared,
    },
};
use flate2::read::ZlibDecoder;
use hullmark_ledger::Ledger;
use hullmark_scan::{ReadOptions, Unwatched, read_inputs};
use hullmark_settings::{database_selection::DatabaseSelection, inventories::InventoryOwner, limits::Limits};
use hullmark_source as source;
use std::{
    collections::BTreeSet,
    fs,
    io::Read,
    ops::Range,
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
};

/// Texts of numbers that JSON cannot write, or that are easily changed.
const TEXTS: [&str; 7] = ["NaN", "INF", "-INF", "Infinity", "1e400", "-1e400", "-0"];

/// Such numbers.
const REALS: [f64; 8] =
    [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e308, -1e308, f32::MAX as f64, -0.0, 5e-324];

/// Reads everything in a folder. Each ledger returns from its file as it was. Returns their number.
fn read(folder: &Path) -> usize {
    let inputs = source::walk(&[folder.to_owned()], &[]).unwrap();
    let read = AtomicUsize::new(0);
    let keep = |ledger: Ledger| {
        properties::returns(&ledger);
        read.fetch_add(1, Ordering::Relaxed);
        Ok(())
    };
    let limits = Limits::default();
    let mut options = ReadOptions::new(&limits, 2);
    options.request.selection = DatabaseSelection { owners: &[InventoryOwner::All], databases: &[] };
    read_inputs(&inputs, &options, &Unwatched, &keep).unwrap();
    read.into_inner()
}

/// Writes files into a folder and reads them. Returns the number of ledgers.
fn read_files(files: impl IntoIterator<Item = File>) -> usize {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    read(folder.path())
}

/// The numbers in an XML document: the names of the elements around each, and its place.
fn numbers(document: &str) -> Vec<(String, Range<usize>)> {
    let (mut path, mut found, mut at) = (Vec::new(), Vec::new(), 0);
    while let Some(start) = document[at..].find('<').map(|start| at + start) {
        let Some(end) = document[start..].find('>').map(|end| start + end) else { break };
        let tag = &document[start + 1..end];
        if tag.starts_with('/') {
            path.pop();
        } else if !tag.starts_with(['?', '!']) && !tag.ends_with('/') {
            path.push(tag.split_ascii_whitespace().next().unwrap_or_default());
            let text = end + 1..document[end..].find('<').map_or(document.len(), |next| end + next);
            if changed(&document[text.clone()], "1").is_some() {
                found.push((path.join("/"), text));
            }
        }
        at = end + 1;
    }
    found
}

/// Returns a number, or a list of numbers, with another in the place of each. `None` for other text.
fn changed(text: &str, number: &str) -> Option<String> {
    let inner = text.trim().trim_start_matches("&lt;").trim_end_matches("&gt;");
    let count = inner.split(',').filter(|part| part.trim().parse::<f64>().is_ok()).count();
    (count > 0 && count == inner.split(',').count())
        .then(|| text.replacen(inner, &[number].repeat(count).join(", "), 1))
}

/// Returns documents in which each number of `document` is another one, except those in elements that are already known.
fn variants(document: &[u8], known: &mut BTreeSet<String>) -> Vec<Vec<u8>> {
    let Ok(document) = std::str::from_utf8(document) else { return Vec::new() };
    let mut all = Vec::new();
    for (path, place) in numbers(document) {
        if !known.insert(path) {
            continue;
        }
        for number in TEXTS {
            let mut copy = document.to_owned();
            let new = changed(&document[place.clone()], number).unwrap();
            copy.replace_range(place.clone(), &new);
            all.push(copy.into_bytes());
        }
    }
    all
}

#[test]
fn ledgers_of_samples_and_real_exports_return_from_their_files() {
    let samples = read(&repository().join("sample_data"));
    assert!(samples > 50, "{samples}");
    let incomplete = read(&repository().join("tests/incomplete"));
    assert!(incomplete > 3, "{incomplete}");
    let Some(shared) = shared() else { return };
    let real = read(&shared.join("data"));
    assert!(real > 5, "{real}");
    read(&shared.join("simulator/second/smallest"));
}

#[test]
fn each_number_of_a_document_may_be_none() {
    let (mut known, mut files) = (BTreeSet::new(), Vec::new());
    let mut take = |name: &str, bytes: Vec<u8>| {
        files.push((format!("{}/{name}", files.len()), bytes));
    };
    for (name, bytes) in samples::all() {
        let name = name.rsplit('/').next().unwrap().to_owned();
        if name.ends_with(".xml") || name.ends_with(".hpa") {
            variants(&bytes, &mut known).into_iter().for_each(|copy| take(&name, copy));
        }
        if !name.ends_with(".oar") && !name.ends_with(".iar") {
            continue;
        }
        let archive = Archive::open(&bytes);
        for (number, member) in
            archive.members.iter().enumerate().filter(|(_, member)| member.name().ends_with(".xml"))
        {
            for copy in variants(member.data(), &mut known) {
                let mut members = archive.clone().members;
                members[number] = members[number].with_data(copy);
                take(&name, Archive::of(members).bytes().to_vec());
            }
        }
    }
    assert!(known.len() > 100, "{known:?}");
    let count = files.len();
    assert_eq!(read_files(files), count);
}

#[test]
fn each_number_of_a_mesh_may_be_none() {
    let mut meshes = 0;
    for (name, bytes) in samples::all().into_iter().filter(|(name, _)| name.starts_with("meshes/")) {
        let mesh = Mesh::open(&bytes);
        let mut known = BTreeSet::new();
        for (document, content) in mesh.documents().iter().enumerate() {
            let (mut key, mut place) = (Vec::new(), 0);
            for token in tokens(content) {
                if token.tag == b'k' {
                    (key, place) = (token.text(content).to_vec(), 0);
                }
                place += 1;
                // The second of two equal faces shows nothing new.
                if token.tag != b'r' || !known.insert((document, key.clone(), place)) {
                    continue;
                }
                for real in REALS {
                    let mut copy = content.clone();
                    copy[token.range.start + 1..token.range.end].copy_from_slice(&real.to_be_bytes());
                    properties::mesh(&mesh.with_document(document, &copy));
                    meshes += 1;
                }
            }
        }
        assert!(meshes > 0 || name.contains("text"), "{name}");
    }
    assert!(meshes > 1000, "{meshes}");
}

#[test]
fn each_number_of_a_viewers_export_may_be_none() {
    let mut exports = 0;
    for (_, bytes) in samples::all().into_iter().filter(|(name, _)| name.ends_with(".oxp")) {
        let mut content = Vec::new();
        ZlibDecoder::new(&*bytes).read_to_end(&mut content).unwrap();
        for token in tokens(&content).iter().filter(|token| token.tag == b'r') {
            for real in REALS {
                let mut copy = content.clone();
                copy[token.range.start + 1..token.range.end].copy_from_slice(&real.to_be_bytes());
                properties::viewer_export(&deflate(&copy));
                exports += 1;
            }
        }
    }
    assert!(exports > 50, "{exports}");
}

#[test]
fn each_height_of_a_terrain_may_be_none() {
    let terrain = |height: f32, at: usize| {
        let mut heights = [21.0_f32; 256];
        heights[at..].fill(height);
        let bytes: Vec<u8> = heights.into_iter().flat_map(f32::to_le_bytes).collect();
        NewArchive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256")).add("terrains/Here.r32", bytes).gzip()
    };
    let odd = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, f32::MAX, f32::MIN_POSITIVE / 2.0];
    let files = odd.iter().flat_map(|&height| [0, 1, 255].map(|at| terrain(height, at)));
    let files: Vec<File> = files.enumerate().map(|(n, bytes)| (format!("{n}/region.oar"), bytes)).collect();
    let count = files.len();
    assert_eq!(read_files(files), count);
}

/// Columns with numbers, by table.
const COLUMNS: [(&str, &str); 5] = [
    (
        "prims",
        "LinkNumber,ObjectFlags,GroupPositionX,GroupPositionY,GroupPositionZ,PositionX,PositionY,PositionZ,RotationX,\
      RotationY,RotationZ,RotationW,VelocityX,VelocityY,VelocityZ,AngularVelocityX,AngularVelocityY,AngularVelocityZ,\
      AccelerationX,SitTargetOffsetX,PhysicsShapeType,Density,GravityModifier,Friction,Restitution,CreationDate",
    ),
    (
        "primshapes",
        "Shape,ScaleX,ScaleY,ScaleZ,PCode,PathBegin,PathEnd,PathScaleX,PathTwist,ProfileBegin,ProfileHollow,State",
    ),
    ("land", "Area,LandFlags,IsGroupOwned,UserLocationX,UserLocationY,UserLocationZ,UserLookAtX"),
    ("regionsettings", "water_height,object_bonus,agent_limit,maturity,sun_position,covenant_datetime"),
    ("regions", "locX,locY,sizeX,sizeY"),
];

#[test]
fn each_number_of_a_database_may_be_none() {
    let [region, prim] = [uuid(0x4e4e_4e4e, 1), uuid(0x0b0b_0b0b, 1)];
    let dump = |odd: (&str, usize), number: &str| {
        let mut text = "-- MySQL dump 10.13\n--\n-- Host: localhost    Database: opensim\n".to_owned();
        for (table, columns) in COLUMNS {
            let columns: Vec<&str> = columns.split(',').collect();
            let values: Vec<&str> =
                (0..columns.len()).map(|at| if (table, at) == odd { number } else { "1" }).collect();
            text += &format!(
                "INSERT INTO `{table}` (`UUID`,`RegionUUID`,`SceneGroupID`,`uuid`,`{}`) VALUES \
                 ('{prim}','{region}','{prim}','{region}',{});\n",
                columns.join("`,`"),
                values.join(",")
            );
        }
        text + "-- Dump completed on 2026-01-01\n"
    };
    let mut files = Vec::new();
    for (table, columns) in COLUMNS {
        for at in 0..columns.split(',').count() {
            for number in ["1e400", "-1e400", "-0", "-0.0", "'NaN'", "'inf'", "'-Infinity'", "1e308"] {
                files.push((format!("{}/opensim.sql", files.len()), dump((table, at), number).into_bytes()));
            }
        }
    }
    let count = files.len();
    assert_eq!(read_files(files), count);
}

/// One colour without a number made a ledger that could never be read again, and one ledger ended the report of all.
#[test]
fn a_colour_that_is_no_number_is_reported_from_its_ledger() {
    let object = |number: u32, alpha: &str| {
        let colour = format!("<Color><R>0</R><G>0</G><B>0</B><A>{alpha}</A></Color></SceneObjectPart>");
        let xml = xml2(&[Prim::new("Lamp", number)]);
        region(&[Prim::new("Chair", 9)])
            .add("objects/lamp.xml", xml.replacen("</SceneObjectPart>", &colour, 1))
            .gzip()
    };
    let desk = Desk::with(&[]);
    for (number, alpha) in ["1e400", "-1e400", "INF", "NaN", "255"].into_iter().enumerate() {
        desk.write(&format!("in/lamp-{number}.oar"), object(number as u32 + 1, alpha));
    }
    desk.run_to(DONE, "scan in --ledgers kept");
    desk.run_to(DONE, "report kept --out report");
    desk.run_to(DONE, "audit in --out audited");
    assert_eq!(desk.files("report"), desk.files("audited"));
    let rows = desk.table("report", "archives");
    assert_eq!(rows.iter().filter(|row| row["status"] == "complete").count(), 5);
    let stops =
        desk.table("report", "findings").into_iter().filter(|row| row["message"].contains("0 to 255"));
    assert_eq!(stops.count(), 4);
}
