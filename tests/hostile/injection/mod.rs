//! Names that want to be more than names: an export whose every word is an attack, in every format and command.
//!
//! What is looked for in the outputs is written down here anew, and not taken from what is tested.

use crate::{
    cli::{DONE, Desk, FINDINGS, INCOMPLETE},
    support::{
        archive::{Archive, control, parcel, settings, write_member},
        llsd::Llsd,
        mesh::{MeshFile, ball, convex},
        object::{OWNER, Prim, uuid, xml2},
    },
};
use base64::{Engine, prelude::BASE64_STANDARD};
use icu_properties::{
    CodePointSetData,
    props::{BidiControl, DefaultIgnorableCodePoint},
};
use quick_xml::{Reader, events::Event};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::{self, Cursor, Read, Write},
    path::Path,
};
use walkdir::WalkDir;

/// What a name may try. Every element is called `evil`, every file `hullmark-escaped`.
const PAYLOADS: [&str; 25] = [
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

/// Longer than a spreadsheet's cell.
fn long() -> String {
    format!("=<evil>{}", "ä".repeat(33_000))
}

/// Whether a terminal, a log or a person would be misled.
fn misleads(c: char) -> bool {
    (c.is_control() && c != '\n') || matches!(c, '\u{2028}' | '\u{2029}') || is_unseen(c)
}

/// Whether Unicode says that a character takes no room or turns the direction of text.
fn is_unseen(c: char) -> bool {
    CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c)
        || CodePointSetData::new::<BidiControl>().contains(c)
}

/// Text of XML in which everything may stand: controls stand in it as they are.
fn xml(words: &str) -> String {
    words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Two prims too far apart, each word of which is hostile, on a mesh whose hull has too many points.
fn object(words: &str, number: u32, mesh: &str) -> String {
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

/// A region in which every word is one of the payloads.
fn hostile() -> Vec<u8> {
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

/// A control file in which every word is hostile.
fn hostile_control(words: &str) -> Vec<u8> {
    let words = xml(words);
    let control = format!(
        "<?xml version=\"1.0\"?><archive major_version=\"{words}\" minor_version=\"{words}\"><creation_info>\
         <datetime>{words}</datetime><id>{words}</id></creation_info><assets_included>{words}</assets_included>\
         <region_info><is_megaregion>{words}</is_megaregion><size_in_meters>{words}</size_in_meters></region_info>\
         </archive>"
    );
    Archive::new(&control.replace("\"\"", "'\"'")).gzip()
}

/// The name of a mesh, where names may have such characters.
const HOSTILE_FILE: &str = if cfg!(unix) {
    "work/exports/\"onload=\"evil()<evil>&\u{9b}&#1;.llmesh"
} else {
    "work/exports/evil.llmesh"
};

/// A folder with the hostile archive, others whose own names are hostile, and a list of users with hostile names.
fn desk() -> Desk {
    let desk = Desk::with(&[("work/exports/a.oar", &hostile())]);
    for (number, words) in PAYLOADS.iter().enumerate() {
        desk.write(&format!("work/exports/control/{number}.oar"), hostile_control(words));
    }
    desk.write(HOSTILE_FILE, MeshFile::cube().encode());
    desk.write("work/exports/unknown.xml", "<evil\u{9b}31m\u{202e}>x</evil>");
    if cfg!(unix) {
        for words in PAYLOADS.iter().filter(|words| !words.contains('/')) {
            desk.write(&format!("work/exports/{words}.oar"), crate::cli::faulty());
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

/// What is printed misleads nobody, and each line of the log is one of ours.
fn assert_printed(arguments: &str, stdout: &str, stderr: &str) {
    for (stream, text) in [("stdout", stdout), ("stderr", stderr)] {
        let harm = text.lines().find(|line| line.contains(misleads));
        assert!(harm.is_none(), "{arguments}: {stream}: {harm:?}");
    }
    for line in stderr.lines() {
        let dated = line.len() > 20 && line.as_bytes()[10] == b'T' && line.as_bytes()[19] == b'Z';
        let ours = dated || line.starts_with("hullmark: ") || line.starts_with("  ");
        assert!(ours && !line.starts_with("2026-11-21T00:00:00Z all"), "{arguments}: {line:?}");
    }
}

/// XML that can be read, has no element and no attribute of a stranger, and no character that XML forbids.
fn assert_xml(name: &str, text: &str) {
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = true;
    loop {
        match reader.read_event().unwrap_or_else(|error| panic!("{name}: {error}")) {
            Event::Eof => break,
            Event::Start(tag) | Event::Empty(tag) => {
                assert!(!["evil", "script"].contains(&tag.name().as_ref()), "{name}: {tag:?}");
                for attribute in tag.attributes() {
                    let attribute = attribute.unwrap_or_else(|error| panic!("{name}: {error}"));
                    let (key, value) = (attribute.key.as_ref(), &attribute.value);
                    assert!(!key.starts_with("on") || key == "on", "{name}: {attribute:?}");
                    assert!(!key.ends_with("href") || !value.contains(':'), "{name}: {value}");
                }
            }
            _ => {}
        }
    }
    let allowed = |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..);
    assert!(text.chars().all(allowed), "{name}: a character that XML forbids");
}

/// A page in which nothing but its own markup stands, with a policy that forbids the rest.
fn assert_page(name: &str, page: &str, scripts: usize) {
    let (_, policy) = page.split_once("http-equiv=\"Content-Security-Policy\" content=\"").unwrap();
    let (policy, _) = policy.split_once('"').unwrap();
    assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{name}: {policy}");
    for part in
        ["script-src 'sha256-", "base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'"]
    {
        let part = if scripts == 0 { part.replace("'sha256-", "'none'") } else { part.into() };
        assert!(policy.contains(&part) && !policy.contains("unsafe"), "{name}: {policy}");
    }
    let unseen = page.chars().find(|&c| is_unseen(c));
    assert!(unseen.is_none(), "{name}: {unseen:?} stands in the page");
    assert_eq!(page.matches("<script").count(), scripts, "{name}");
    assert_eq!(page.matches("<style").count(), 1, "{name}");
    let style = page.split_once("<style>").and_then(|(_, behind)| behind.split_once("</style>")).unwrap().0;
    let hash = BASE64_STANDARD.encode(Sha256::digest(style));
    assert!(policy.contains(&format!("style-src 'sha256-{hash}'")), "{name}: its own style is refused");
    for harm in ["<evil", "</evil", "<!--", "<img", "href=\"javascript"] {
        assert!(!page.contains(harm), "{name}: {harm}");
    }
    // In what scripts read, quotes are no quotes of markup.
    for piece in page.split("</script>") {
        let markup = piece.split("<script").next().unwrap_or_default();
        for harm in [" onload=\"", " onclick='"] {
            assert!(!markup.contains(harm), "{name}: {harm}");
        }
    }
}

/// Cells that a spreadsheet runs nowhere, wherever it thinks that a cell begins.
fn assert_csv(name: &str, text: &str) {
    let run = |words: &str| {
        let first = words.trim_start_matches('"').chars().next();
        first.is_some_and(|first| "=+-@＝＋－＠\t".contains(first))
            && words.split(',').next().unwrap_or_default().parse::<f64>().is_err()
    };
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    for record in reader.records() {
        let record = record.unwrap_or_else(|error| panic!("{name}: {error}"));
        let cell = record.iter().find(|cell| run(cell));
        assert!(cell.is_none(), "{name}: {cell:?}");
    }
    let cell = text.split([';', '\n', '\r', '\t']).find(|cell| run(cell));
    assert!(cell.is_none(), "{name}: a cell elsewhere: {cell:?}");
}

/// A workbook of XML that can be read, without formulas and without links to other places.
fn assert_workbook(name: &str, bytes: &[u8]) {
    let mut zip = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    for index in 0..zip.len() {
        let mut part = zip.by_index(index).unwrap();
        let part_name = format!("{name}: {}", part.name().unwrap());
        let mut text = String::new();
        part.read_to_string(&mut text).unwrap();
        if part_name.contains("/worksheets/") {
            assert!(!text.contains("<f>") && !text.contains("<f "), "{part_name} has a formula");
            assert!(!text.contains("TargetMode=\"External\""), "{part_name} leads elsewhere");
        }
        let unseen = text.chars().find(|&c| is_unseen(c));
        assert!(unseen.is_none(), "{part_name}: {unseen:?}");
        // Names of schemas are not followed.
        if !part_name.contains("_rels") {
            assert_xml(&part_name, &text);
        }
    }
}

fn assert_sarif(text: &str) {
    let sarif: Value = serde_json::from_str(text).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert!(!results.is_empty());
    for result in results {
        let mut message = result["message"]["text"].as_str().unwrap().chars();
        while let Some(c) = message.next() {
            match c {
                '\\' => drop(message.next()),
                '{' => assert_eq!(message.next(), Some('{'), "{result}"),
                _ => assert!(c != '[' && c != ']', "{result}: a link"),
            }
        }
        for location in result["locations"].as_array().unwrap() {
            let uri = location["physicalLocation"]["artifactLocation"]["uri"].as_str().unwrap_or_default();
            let plain = |c: char| c.is_ascii_alphanumeric() || "-._~/%".contains(c);
            assert!(uri.chars().all(plain), "{uri}");
        }
    }
}

/// Every file below the desk but those in folders for outputs.
fn others(desk: &Desk) -> BTreeMap<String, Vec<u8>> {
    let root = desk.at("");
    let files =
        WalkDir::new(&root).into_iter().map(Result::unwrap).filter(|entry| entry.file_type().is_file());
    files
        .map(|entry| (entry.path().strip_prefix(&root).unwrap().to_string_lossy().into_owned(), entry))
        .filter(|(name, _)| !name.starts_with("work/out"))
        .map(|(name, entry)| (name, fs::read(entry.path()).unwrap()))
        .collect()
}

/// No member of an archive was written anywhere.
fn assert_nothing_escaped(desk: &Desk, before: &BTreeMap<String, Vec<u8>>) {
    assert!(*before == others(desk), "something outside of --out was written");
    let outputs = WalkDir::new(desk.at("work")).into_iter().map(Result::unwrap);
    for entry in outputs.filter(|entry| entry.path().starts_with(desk.at("work/out"))) {
        let name = entry.file_name().to_string_lossy().into_owned();
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        assert!(name.chars().all(plain) && name.len() < 100 && !name.contains("escaped"), "{name:?}");
    }
    let root = desk.at("");
    for folder in root.ancestors().chain([Path::new("/tmp")]) {
        assert!(!folder.join("hullmark-escaped").exists(), "{}", folder.display());
    }
}

fn read(desk: &Desk, name: &str) -> String {
    fs::read_to_string(desk.at(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn every_format_holds_words_as_words() {
    let desk = desk();
    let before = others(&desk);
    let formats =
        if cfg!(feature = "xlsx") { "csv,jsonl,xlsx,html,sarif,junit" } else { "csv,jsonl,html,sarif,junit" };
    let audit = format!(
        "audit work/exports --out work/out --ledgers work/out-ledgers --letters work/out-letters --users work/users.csv \
         --format {formats} --profile second-life --profile opensim-ubode -v"
    );
    let run = desk.run(&audit);
    assert_printed(&audit, &run.stdout, &run.stderr);
    assert_nothing_escaped(&desk, &before);

    let mut endings = BTreeSet::new();
    for (name, bytes) in desk.files("work/out").into_iter().chain(desk.files("work/out-letters")) {
        let (stem, ending) = name.rsplit_once('.').unwrap();
        endings.insert(ending.to_owned());
        if ending == "xlsx" {
            assert_workbook(&name, &bytes);
            continue;
        }
        let text = String::from_utf8(bytes).unwrap();
        match ending {
            "csv" => assert_csv(&name, &text),
            "jsonl" => text.lines().for_each(|line| drop(serde_json::from_str::<Value>(line).unwrap())),
            "json" => drop(serde_json::from_str::<Value>(&text).unwrap()),
            "sarif" => assert_sarif(&text),
            "xml" => assert_xml(&name, &text),
            "html" => assert_page(&name, &text, if stem == "audit" { 8 } else { 0 }),
            "txt" => {
                assert!(!text.contains(misleads), "{name}");
                let header = text.lines().find(|line| line.starts_with("Bcc:") || line.starts_with("<3>"));
                assert!(header.is_none(), "{name}: {header:?}");
            }
            _ => panic!("{name}: nothing is known of such files"),
        }
    }
    assert_eq!(endings.len(), formats.split(',').count() + 2, "{endings:?}");

    // Nothing was lost: programs get the words as the export has them.
    let rows: Vec<Value> = read(&desk, "work/out/objects.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let names: BTreeSet<&str> = rows.iter().filter_map(|row| row["name"].as_str()).collect();
    // Longer than any that a grid stores.
    let cut = format!("=<evil>{}…", "ä".repeat(508));
    for words in PAYLOADS.iter().copied().chain([cut.as_str(), "Bench", "bench"]) {
        assert!(names.contains(words), "{words:?} is gone");
    }
    let restored: Vec<String> = desk.column("work/out", "objects", "name");
    let restored: BTreeSet<_> =
        restored.iter().map(|cell| hullmark::report::csv::restore(cell).into_owned()).collect();
    assert_eq!(restored.iter().map(String::as_str).collect::<BTreeSet<_>>(), names);
    let found = desk.table("work/out", "findings");
    let unsafe_names: BTreeSet<&str> =
        found.iter().filter(|row| row["code"] == "ARC011").map(|row| row["entry"].as_str()).collect();
    for name in [
        "/tmp/hullmark-escaped",
        "C:\\hullmark-escaped",
        "C:/hullmark-escaped",
        "\\\\evil\\share\\hullmark-escaped",
    ] {
        assert!(unsafe_names.contains(name), "{name} is not told: {unsafe_names:?}");
    }
}

#[test]
fn every_command_prints_words_as_words() {
    let desk = desk();
    desk.run("audit work/exports --out work/out --ledgers work/out-ledgers -q");
    let before = others(&desk);
    let meshes = uuid(0x3e3e_3e3e, 16);
    let commands = [
        "scan work/exports --ledgers work/out-more -v".to_owned(),
        "report work/out-ledgers --out work/out-report --baseline work/out -v".into(),
        "diff work/out work/out-report".into(),
        "diff work/out-nothing work/out --out work/out-diff --format csv,html".into(),
        "preflight work/exports --target opensim-ubode --users work/users.csv -v".into(),
        "preflight work/exports --target opensim-ubode --format html".into(),
        "preflight work/exports --target opensim-ubode --format json".into(),
        "preflight work/exports --target opensim-ubode --out work/out-page.html --format html".into(),
        "inspect work/exports/a.oar --entry objects".into(),
        format!("inspect work/exports/a.oar --entry {}", uuid(0x0b0b_0b0b, 16)),
        format!("inspect work/exports/a.oar --entry {} --json", uuid(0x0b0b_0b0b, 17)),
        format!("inspect work/exports/a.oar --entry {meshes} -v"),
        format!("inspect work/exports/a.oar --entry {meshes} --json"),
        "inspect work/exports/a.oar --entry assets/]]><evil/><![CDATA[_mesh.llmesh --svg work/out-hulls.svg"
            .into(),
        format!("inspect {HOSTILE_FILE} --svg work/out-more.svg"),
        format!("inspect {HOSTILE_FILE} --json"),
        "slim work/exports/a.oar -v".into(),
        "slim work/exports/a.oar --budget 0.2 --allow-none --json".into(),
        "link work/exports/a.oar --split -v".into(),
        "link work/exports/a.oar --split --json".into(),
        "link work/exports/a.oar --object nobody".into(),
        "link work/exports/a.oar --rule havok4".into(),
        "audit work/exports/unknown.xml --out work/out-unknown".into(),
        "plan work/exports --out work/out-plan.json -v".into(),
        "scan --plan work/out-plan.json --shard 1/2 --ledgers work/out-shares -v".into(),
        "report --plan work/out-plan.json work/out-shares --out work/out-shared".into(),
        "report --plan work/out-plan.json work/out-shares --out work/out-shared --partial -v".into(),
    ];
    desk.run("audit work/exports/control --out work/out-nothing -q");
    for arguments in &commands {
        let run = desk.run(arguments);
        // What names nothing that is there, and a report without all shares of its plan.
        let refused = arguments.contains("--entry objects")
            || arguments.contains("nobody")
            || arguments.starts_with("report") && arguments.ends_with("out-shared");
        assert_eq!(run.code == 2, refused, "{arguments}: {}", run.stderr);
        assert_printed(arguments, &run.stdout, &run.stderr);
        assert!(
            !run.stdout.is_empty() || !run.stderr.is_empty() || arguments.contains("--svg"),
            "{arguments}"
        );
        if arguments.ends_with("json") {
            let value: Value = serde_json::from_str(&run.stdout).unwrap();
            assert!(value.is_object() || value.is_array());
        }
        if arguments.ends_with("--format html") && !arguments.contains("--out") {
            assert_page(arguments, &run.stdout, 0);
        }
    }
    for name in ["work/out-hulls.svg", "work/out-more.svg"] {
        assert_xml(name, &read(&desk, name));
    }
    assert!(read(&desk, "work/out-more.svg").contains("&lt;evil"), "the picture does not name its file");
    assert_page("page.html", &read(&desk, "work/out-page.html"), 0);
    assert_csv("changes.csv", &read(&desk, "work/out-diff/changes.csv"));
    assert_nothing_escaped(&desk, &before);
}

/// Whatever Unicode lists: a person sees that something stands there, and a program gets the words as they are.
#[test]
fn no_unseen_character_reaches_a_person() {
    let unseen: Vec<char> = (char::MIN..=char::MAX).filter(|&c| is_unseen(c)).collect();
    assert!(unseen.len() > 4000, "{}", unseen.len());
    // Between letters, where none of them is part of a word; not more than a name may have.
    let name = |unseen: &[char]| unseen.iter().fold("Ann".to_owned(), |name, c| name + &format!("{c}a"));
    let names: Vec<String> = unseen.chunks(60).map(name).collect();
    let mut archive = Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"));
    for (name, number) in names.iter().zip(1..) {
        let short: String = name.chars().take(20).collect();
        let file = format!("objects/{number} {short}.xml");
        let far = Prim { offset: [60.0, 0.0, 0.0], ..Prim::new(name, 1000 + number) };
        archive = archive.add(&file, xml2(&[Prim::new(name, number), far]));
    }
    let desk = Desk::with(&[("work/exports/a.oar", &archive.add("settings/Here.xml", settings("1")).gzip())]);
    let formats = if cfg!(feature = "xlsx") { "csv,jsonl,xlsx,html" } else { "csv,jsonl,html" };
    let audit = format!("audit work/exports --out work/out --letters work/letters --format {formats} -v");
    let run = desk.run(&audit);
    assert_printed(&audit, &run.stdout, &run.stderr);
    for inspect in ["", " --json"] {
        let inspect = format!("inspect work/exports/a.oar --entry {}{inspect}", uuid(0x0b0b_0b0b, 1));
        let run = desk.run(&inspect);
        assert!(run.stdout.contains("Ann"), "{inspect}: {}", run.stderr);
        assert_printed(&inspect, &run.stdout, &run.stderr);
    }
    let mut read = BTreeSet::new();
    for (name, bytes) in desk.files("work/out").into_iter().chain(desk.files("work/letters")) {
        let (stem, ending) = name.rsplit_once('.').unwrap();
        read.insert(ending.to_owned());
        match ending {
            "html" => {
                assert_page(&name, &String::from_utf8(bytes).unwrap(), if stem == "audit" { 8 } else { 0 });
            }
            "txt" => assert!(!String::from_utf8(bytes).unwrap().contains(misleads), "{name}"),
            "xlsx" => assert_workbook(&name, &bytes),
            _ => {}
        }
    }
    assert!(read.is_superset(&["html", "txt", "csv", "jsonl"].map(String::from).into()), "{read:?}");
    let told: BTreeSet<String> = desk.column("work/out", "objects", "name").into_iter().collect();
    assert_eq!(told, names.into_iter().collect());
}

/// On a terminal there is a bar with the names of inputs, and control sequences of its own.
#[cfg(target_os = "linux")]
#[test]
fn a_terminal_gets_no_sequence_of_a_stranger() {
    let desk = desk();
    let program = env!("CARGO_BIN_EXE_hullmark");
    let command = format!(
        "{program} audit work/exports --out work/out --threads 1 -v; {program} audit --out work/out $'\\e]8;;evil\\e[2J\\n\\xc2\\x9b'"
    );
    let mut script = std::process::Command::new("script");
    script.args(["-qec", &format!("bash -c {}", quoted(&command)), "/dev/null"]).current_dir(desk.at(""));
    let Ok(output) = script.output() else {
        // Not `eprintln!`, which the test harness would swallow.
        let _ = writeln!(io::stderr(), "skipped: there is no program `script`, which makes a terminal");
        return;
    };
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("\u{1b}[") && text.contains("Audited "), "there was no terminal: {text}");
    for harm in [
        "\u{1b}]",
        "\u{1b}[31mred",
        "\u{7}",
        "\u{9b}",
        "\u{9d}",
        "\u{202e}",
        "\u{200b}",
        "\u{2028}",
        "\u{7f}",
    ] {
        let line = text.lines().find(|line| line.contains(harm));
        assert!(line.is_none(), "{harm:?}: {line:?}");
    }
    // Bars move the cursor within their lines; nothing of ours clears a screen.
    assert!(!text.contains("\u{1b}[2J"), "the screen was cleared");
}

/// Words for a shell.
fn quoted(words: &str) -> String {
    format!("'{}'", words.replace('\'', "'\\''"))
}

#[test]
fn a_waiver_of_a_hostile_name_is_one_waiver() {
    let desk = Desk::with(&[("work/exports/a.oar", &hostile())]);
    desk.run("audit work/exports --out work/out --format csv -q");
    let findings = desk.table("work/out", "findings");
    let mut waived = 0;
    for row in findings.iter().filter(|row| row["code"] == "LNK001") {
        let fingerprint = &row["fingerprint"];
        let arguments = format!(
            "waive {fingerprint} --report work/out --file work/out-waivers.toml --reason {} --who Ann --until 2026-12-31 \
             --now 2026-11-21T00:00:00Z",
            PAYLOADS[16]
        );
        let run = desk.run_to(DONE, &arguments);
        assert_printed(&arguments, &run.stdout, &run.stderr);
        waived += 1;
        let written: toml::Table = read(&desk, "work/out-waivers.toml").parse().unwrap();
        assert_eq!(written.keys().collect::<Vec<_>>(), ["waiver"]);
        assert_eq!(written["waiver"].as_array().unwrap().len(), waived);
    }
    assert!(waived > 20, "{waived}");
    let run = desk.run(
        "audit work/exports --out work/out-again --waivers work/out-waivers.toml --now 2026-11-21T00:00:00Z",
    );
    assert!([DONE, FINDINGS, INCOMPLETE].contains(&run.code), "{}", run.stderr);
}

#[test]
fn ledgers_of_different_inputs_have_names_of_their_own() {
    let long = "x".repeat(5000);
    let inputs =
        ["A.oar", "a.oar", "x/a.oar", "../a.oar", "/", "..", "", "a\0.oar", "CON", "a:b", "ä.oar", &long];
    let names: BTreeSet<String> =
        inputs.iter().map(|input| hullmark::ledger::file_name(input, false).to_lowercase()).collect();
    assert_eq!(names.len(), inputs.len());
    for name in names {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        assert!(name.chars().all(plain) && name.len() < 100, "{name}");
    }
}

/// The compiler sees to it that there is none: this holds that it is asked to, and everywhere.
#[test]
fn no_code_is_unsafe() {
    let manifest: toml::Table =
        fs::read_to_string(crate::support::repository().join("Cargo.toml")).unwrap().parse().unwrap();
    assert_eq!(manifest["lints"]["rust"]["unsafe_code"].as_str(), Some("forbid"));
}
