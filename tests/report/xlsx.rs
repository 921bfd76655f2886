//! The workbook, read back.

use crate::support::{
    archive::{Archive, control, settings},
    desk::{DONE, Desk},
    object::{Prim, uuid, xml2},
    repository,
};
use calamine::{Data, DataType, Range, Reader, Xlsx, open_workbook};
use hullmark_finding::Code;
use hullmark_pages::column_words::heading;
use hullmark_report::{table::Kind, tables::heads};
use std::{fs::File, io};
use zip::ZipArchive;

const SHEETS: [&str; 12] = [
    "Summary", "Actions", "Objects", "Findings", "Missing", "Regions", "Parcels", "Owners", "Creators",
    "Meshes", "Rules", "About",
];

/// Returns a sheet of the report.
fn sheet(desk: &Desk, name: &str) -> Range<Data> {
    let mut book: Xlsx<_> = open_workbook(desk.at("report/audit.xlsx")).unwrap();
    assert_eq!(book.sheet_names(), SHEETS);
    for name in SHEETS {
        assert!(book.worksheet_formula(name).unwrap().is_empty(), "{name} has a formula");
    }
    book.worksheet_range(name).unwrap()
}

/// Returns the cells of a column below its heading, which is in the second row.
fn column(sheet: &Range<Data>, name: &str) -> Vec<Data> {
    let mut heads = sheet.rows().nth(1).unwrap().iter();
    let place = heads.position(|head| *head == Data::String(heading(name).into())).unwrap();
    sheet.rows().skip(2).map(|row| row[place].clone()).collect()
}

/// Audits one region with prims of these names.
fn audited(names: &[&str]) -> Desk {
    let mut archive = Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"))
        .add("settings/Somewhere.xml", settings("1"))
        .add(&format!("assets/{}_notecard.txt", uuid(0x1010_1010, 1)), "a note");
    for (number, name) in (0..).zip(names) {
        let thing = Prim { position: [-3.5, 128.0, 25.0], ..Prim::new(name, 1 + number) };
        archive = archive.add(&format!("objects/thing{number}.xml"), xml2(&[thing]));
    }
    let desk = Desk::with(&[("region.oar", &archive.gzip())]);
    desk.run_to(DONE, "audit region.oar --out report");
    desk
}

#[test]
fn hostile_names_stay_text() {
    let long = "ä".repeat(40_000);
    let names = ["=HYPERLINK(\"http://x\",\"y\")", "<script>alert(1)</script>", "_x0041_&amp;", &long];
    let desk = audited(&names);
    let read = column(&sheet(&desk, "Objects"), "name");
    // No grid stores such a long name, so it is cut when it is read.
    let cut = format!("{}…", "ä".repeat(512));
    let expected = [names[0], names[1], names[2], &cut].map(|name| Data::String(name.into()));
    assert!(read == expected, "{:?}", &read[..3]);
    // The objects are outside the region, so findings name them too.
    let reported = column(&sheet(&desk, "Findings"), "object_name");
    assert!(expected.iter().all(|name| reported.contains(name)));
}

#[test]
fn numbers_are_numbers_and_every_column_is_there() {
    let desk = audited(&["Chair"]);
    let objects = sheet(&desk, "Objects");
    let head = heads(&[]).into_iter().find(|head| head.name == "objects").unwrap();
    for at in &head.columns {
        for cell in column(&objects, &at.name) {
            let right = match at.kind {
                Kind::Bool => cell.is_bool(),
                Kind::Int | Kind::Real | Kind::Percent => cell.is_float(),
                Kind::Time => cell.is_datetime(),
                Kind::Uuid | Kind::Text => cell.is_string(),
            };
            assert!(cell.is_empty() || right, "{}: {cell:?}", at.name);
        }
    }
    assert_eq!(column(&objects, "position_x_m"), [Data::Float(-3.5)]);
    assert_eq!(column(&objects, "parts"), [Data::Float(1.0)]);
    let codes = column(&sheet(&desk, "Rules"), "code");
    assert_eq!(codes, Code::all().map(|code| Data::String(code.name().into())).collect::<Vec<_>>());
}

/// Audits all samples. Some names have control characters.
fn samples() -> Desk {
    let desk = Desk::with(&[]);
    desk.run_to(DONE, &format!("audit {}/sample_data --out report", repository().display()));
    desk
}

#[test]
fn every_part_is_xml_that_spreadsheets_read() {
    let desk = samples();
    let mut book = ZipArchive::new(File::open(desk.at("report/audit.xlsx")).unwrap()).unwrap();
    // XML 1.0 has no other characters: https://www.w3.org/TR/xml/#charsets.
    let allowed = |char| matches!(char, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..);
    for number in 0..book.len() {
        let part = book.by_index(number).unwrap();
        let name = part.name().unwrap().into_owned();
        let text = io::read_to_string(part).unwrap();
        let other = text.find(|char| !allowed(char));
        assert_eq!(other, None, "{name} has a character that is none");
        assert!(!text.contains("TargetMode=\"External\""), "{name} leads out of the workbook");
    }
    // One object has the character U+0001 in its name, which is a link. A dot replaces it.
    let named = column(&sheet(&desk, "Findings"), "object_name");
    assert!(named.contains(&Data::String("Prim ·0".into())), "{named:?}");
}

#[test]
fn the_worst_come_first_and_counts_match_audit_json() {
    let desk = samples();
    let findings = sheet(&desk, "Findings");
    let severities = column(&findings, "severity");
    let mut sorted: Vec<usize> = Vec::new();
    for severity in &severities {
        let names = ["blocker", "error", "warning", "info"];
        sorted.push(names.iter().position(|name| *severity == Data::String((*name).into())).unwrap());
    }
    assert!(sorted.is_sorted() && sorted.first() != sorted.last(), "{severities:?}");
    let json = desk.audit_json("report");
    let summary = sheet(&desk, "Summary");
    for severity in ["blocker", "error", "warning", "info"] {
        let line = summary.rows().find(|row| row[0] == Data::String(severity.into())).unwrap();
        assert_eq!(line[1].as_f64(), json["findings"][severity].as_f64(), "{severity}");
    }
}

#[test]
fn a_date_is_written_as_a_date_and_only_if_given() {
    let desk = audited(&["Chair"]);
    let dated = |desk: &Desk| {
        let summary = sheet(desk, "Summary");
        let line = summary.rows().find(|row| row[0] == Data::String("Written (UTC)".into()));
        line.map(|row| row[1].clone())
    };
    assert_eq!(dated(&desk), None);
    desk.run_to(DONE, "audit region.oar --out report --now 2026-01-02T12:00:00Z");
    // Days since the end of 1899, the epoch of spreadsheets.
    let Some(Data::DateTime(date)) = dated(&desk) else { panic!("{:?}", dated(&desk)) };
    assert_eq!(date.as_f64(), 46_024.5);
}
