//! Exports in which every word is an attack.

use crate::support::{
    archive::{Archive, control, parcel, settings, write_member},
    desk::Desk,
    llsd::Llsd,
    mesh::{MeshFile, ball, convex},
    object::{OWNER, Prim, uuid, xml2},
};

/// Attacks in names. Every element is called `evil`, every file `hullmark-escaped`.
pub(super) const PAYLOADS: [&str; 25] = [
    "=cmd|' /C calc'!A0",
    "+1;=HYPERLINK(\"http://evil.example\")",
    "-1\t=1",
    "@SUM(A1);@SUM(A1)",
    "＝1",
    "\t=1",
    "\r=1",
    "a\"b'c,d;e\n=f\r\n+g",
    "</script><evil>alert(1)</evil>",
    "<!--<evil",
    "\" onload=\"evil()\" x=\"",
    "' onclick='evil()",
    "javascript:evil()",
    "&lt;evil&gt;&#60;evil&#62;",
    "]]><evil/><![CDATA[",
    "\u{1b}[2J\u{1b}[31mred\u{1b}]8;;http://evil.example\u{7}link\u{1b}]8;;\u{7}",
    "\u{9b}31m\u{9d}0;title\u{9c}\u{7f}\u{8}\u{8}",
    "\u{202e}gpj.exe\u{202c}\u{2066}x\u{2069}\u{61c}\u{200f}",
    "in\u{200b}vis\u{2060}ible\u{feff}\u{ad}\u{e0041}",
    "line\n2026-11-21T00:00:00Z all is well\r\n<3>all is lost\u{2028}\u{85}x",
    "Ben\r\nBcc: evil@example.org\r\n\r\n<evil>",
    "\",\"evil\":true,\"\\u0022\\",
    "[here](http://evil.example) {0} ${HOME} %s `evil` $(evil)",
    "../../../../../../hullmark-escaped",
    "\u{fffe}\u{ffff}_x0041_",
];

/// Returns a name that is longer than a spreadsheet cell.
pub(super) fn long() -> String {
    format!("=<evil>{}", "ä".repeat(33_000))
}

/// Escapes text for XML. Control characters stay.
pub(super) fn xml(words: &str) -> String {
    words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Returns two prims that are too far apart, with hostile words. Their mesh has a hull with too many points.
pub(super) fn object(words: &str, number: u32, mesh: &str) -> String {
    let first = Prim {
        mesh: Some(mesh.into()),
        flags: "Physics",
        scripts: 1,
        contains: Some(uuid(0x7171_7171, number)),
        ..Prim::new(words, number)
    };
    let second = Prim { offset: [60.0, 0.0, 0.0], ..Prim::new(words, 1000 + number) };
    let words = xml(words);
    let more = format!(
        "<Name>{words}</Name><Description>{words}</Description><Text>{words}</Text><SitName>{words}</SitName>\
         <CreatorData>{words}</CreatorData><GroupID><UUID>{words}</UUID></GroupID><MediaUrl>{words}</MediaUrl>"
    );
    let name = format!("<Name>{words}</Name>");
    xml2(&[first, second])
        .replacen(&name, &more, 1)
        .replace("a box in a box", &words)
        .replace("script 0", &words)
}

/// Returns a region in which every word is one of the payloads.
pub(super) fn hostile() -> Vec<u8> {
    let long = long();
    let words: Vec<&str> = PAYLOADS.into_iter().chain([long.as_str()]).collect();
    let round = convex(&ball(257, [0.0; 3], 0.5), &[]);
    let mut archive = Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"));
    for (words, number) in words.iter().zip(1..) {
        let mesh = uuid(0x3e3e_3e3e, number);
        let short: String = words.chars().take(200).collect();
        let mut file =
            MeshFile::cube().block("physics_convex", &round).entry(&short, Llsd::Text(short.clone().into()));
        file = file.block(&short, &Llsd::Text(short.clone().into()));
        let owner = uuid(0x0a0a_0a0a, number);
        archive = archive
            .add(&format!("objects/{short}.xml"), object(words, number, &mesh).replace(OWNER, &owner))
            .add(&format!("assets/{mesh}_mesh.llmesh"), file.encode())
            .add(&format!("assets/{short}_mesh.llmesh"), MeshFile::cube().encode())
            .add(&format!("assets/{}_{short}", uuid(0x5e5e_5e5e, number)), short.as_bytes())
            .add(&format!("assets/{}_script.lsl", uuid(0x6e6e_6e6e, number)), words.as_bytes())
            .add(&format!("assets/{}_notecard.txt", uuid(0x8e8e_8e8e, number)), words.as_bytes())
            .add(
                &format!("landdata/{number}.xml"),
                parcel(&uuid(0x9a9a_9a9a, number), &xml(words), &xml(words), 64, |_, y| y as u32 == number),
            )
            .add(&format!("{short}/hullmark-escaped"), "x");
    }
    // The region has the name of its settings file.
    let archive = archive
        .add(&format!("settings/{}.xml", PAYLOADS[15]), settings(PAYLOADS[15]))
        .add("/tmp/hullmark-escaped", "x")
        .add("C:\\hullmark-escaped", "x")
        .add("C:/hullmark-escaped", "x")
        .add("\\\\evil\\share\\hullmark-escaped", "x")
        .add("objects/Bench.xml", xml2(&[Prim::new("Bench", 2001)]))
        .add("objects/bench.xml", xml2(&[Prim::new("bench", 2002)]));
    let mut tar = archive.tar();
    tar.truncate(tar.len() - 1024);
    write_member(&mut tar, "././@LongLink", b'L', b"objects/nul\0../../hullmark-escaped.xml\0");
    write_member(&mut tar, "objects/nul", b'0', b"x");
    tar.resize(tar.len() + 1024, 0);
    crate::support::archive::gzip(&tar)
}

/// Returns a control file in which every word is hostile.
pub(super) fn hostile_control(words: &str) -> Vec<u8> {
    let words = xml(words);
    let control = format!(
        "<?xml version=\"1.0\"?><archive major_version=\"{words}\" minor_version=\"{words}\"><creation_info>\
         <datetime>{words}</datetime><id>{words}</id></creation_info><assets_included>{words}</assets_included>\
         <region_info><is_megaregion>{words}</is_megaregion><size_in_meters>{words}</size_in_meters></region_info>\
         </archive>"
    );
    Archive::new(&control.replace("\"\"", "'\"'")).gzip()
}

/// The name of a mesh. On Unix, file names may have such characters.
pub(super) const HOSTILE_FILE: &str = if cfg!(unix) {
    "work/exports/\"onload=\"evil()<evil>&\u{9b}&#1;.llmesh"
} else {
    "work/exports/evil.llmesh"
};

/// Creates a folder with the hostile archive, archives with hostile names, and a list of users with hostile names.
pub(super) fn desk() -> Desk {
    let desk = Desk::with(&[("work/exports/a.oar", &hostile())]);
    for (number, words) in PAYLOADS.iter().enumerate() {
        desk.write(&format!("work/exports/control/{number}.oar"), hostile_control(words));
    }
    desk.write(HOSTILE_FILE, MeshFile::cube().encode());
    desk.write("work/exports/unknown.xml", "<evil\u{9b}31m\u{202e}>x</evil>");
    if cfg!(unix) {
        for words in PAYLOADS.iter().filter(|words| !words.contains('/')) {
            desk.write(&format!("work/exports/{words}.oar"), crate::support::desk::faulty());
            desk.write(&format!("work/exports/{words}.txt"), "a text");
        }
    }
    let users = PAYLOADS.iter().zip(1..).map(|(words, number)| {
        let words = words.replace(['\n', '\r', ','], " ");
        format!("{},{words}\n", uuid(0x0a0a_0a0a, number))
    });
    desk.write("work/users.csv", users.collect::<String>());
    desk
}
