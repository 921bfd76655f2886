//! Texts of databases that were encoded twice, dumped in another charset, or lost letters.

use super::failed_dumps::{dump, found};
use crate::support::desk::{DONE, Desk};

/// Returns a dump with these names of two prims and the region.
fn named(table: &[u8], leg: &[u8], region: &[u8], charset: &str) -> Vec<u8> {
    let dump = dump().replace("utf8mb4", charset);
    let mut bytes = dump.into_bytes();
    for (old, new) in [(&b"'Table'"[..], table), (b"'Leg'", leg), (b"'Harbour'", region)] {
        let place = bytes.windows(old.len()).position(|window| window == old).unwrap();
        bytes.splice(place..place + old.len(), [b"'", new, b"'"].concat());
    }
    bytes
}

/// The names of the table, its leg and the region, and the findings about texts.
fn names(bytes: &[u8]) -> ([String; 3], Vec<[String; 3]>) {
    let desk = Desk::with(&[("opensim.sql", bytes)]);
    desk.run_to(DONE, "audit opensim.sql --out report --format csv");
    let object = desk.table("report", "objects").into_iter().find(|row| row["parts"] == "2").unwrap();
    let leg = desk.table("report", "parts").into_iter().find(|row| row["link_number"] == "2").unwrap();
    let region = desk.column("report", "regions", "region").remove(0);
    ([object["name"].clone(), leg["name"].clone(), region], found(&desk, "report", "DBS003"))
}

#[test]
fn texts_are_shown_as_they_were_meant() {
    let meant = ["Café María", "Møbel", "Ciudad Niña"].map(String::from);
    let utf8 = |text: &str| text.as_bytes().to_vec();
    let good = named(&utf8("Café María"), &utf8("Møbel"), &utf8("Ciudad Niña"), "utf8mb4");
    assert_eq!(names(&good), (meant.clone(), vec![]));
    let dumped = named(&utf8("Café María"), &utf8("Møbel"), &utf8("Ciudad Niña"), "latin1");
    let (shown, told) = names(&dumped);
    assert_eq!(shown, meant);
    assert!(told.len() == 1 && told[0][0] == "warning", "{told:?}");
    assert!(told[0][2].contains("3 texts in UTF-8, although the dump says Latin-1"), "{told:?}");
    assert!(told[0][2].contains("all rows are readable"), "{told:?}");
    let twice = named(&utf8("CafÃ© MarÃ\u{ad}a"), &utf8("MÃ¸bel"), &utf8("Ciudad NiÃ±a"), "utf8mb4");
    let (shown, told) = names(&twice);
    assert_eq!(shown, meant);
    let words =
        "2 texts in prims, 1 text in regions encoded twice, and read as they were meant: \"Café María\"";
    assert!(told.len() == 1 && told[0][0] == "warning" && told[0][2].contains(words), "{told:?}");
    let latin1 = named(b"Caf\xe9 Mar\xeda", b"M\xf8bel", b"Ciudad Ni\xf1a", "latin1");
    assert_eq!(names(&latin1), (meant, vec![]));
}

#[test]
fn letters_that_are_question_marks_are_lost() {
    let (shown, told) = names(&named(b"Caf? Mar?a", b"M?bel", b"What? A region?", "utf8mb4"));
    assert_eq!(shown, ["Caf? Mar?a", "M?bel", "What? A region?"]);
    assert!(
        told.len() == 1 && told[0][2].contains("2 texts in prims with question marks inside of words"),
        "{told:?}"
    );
    assert!(told[0][2].contains("\"Caf? Mar?a\""), "{told:?}");
}
