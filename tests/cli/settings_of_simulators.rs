//! What an audit takes from the settings of a simulator: places, and the limits and the list of regions.

use crate::support::{
    archive::{Archive, control},
    desk::{DONE, Desk, USAGE},
    mesh::MeshFile,
    object::{Prim, uuid, xml2},
    samples,
    stores::{cached, hash, packed, table},
};
use std::{collections::BTreeMap, fs};

const REGION: &str = "4e4e4e4e-0000-4000-8000-000000000001";

/// Returns a sample by its path.
fn sample(path: &str) -> Vec<u8> {
    samples::all().into_iter().find(|(name, _)| name == path).unwrap().1
}

/// The tables of a report, without the names of inputs and stores.
fn figures(desk: &Desk, report: &str) -> BTreeMap<String, Vec<BTreeMap<String, String>>> {
    let tables = ["regions", "parcels", "objects", "parts", "findings"].map(|table| {
        let mut rows = desk.table(report, table);
        rows.iter_mut().for_each(|row| _ = row.remove("archive"));
        (table.to_owned(), rows)
    });
    tables.into()
}

/// Audits the places of the settings and `more`, and the same places as they are named. Asserts equal figures, with a
/// known cost.
fn assert_read(desk: &Desk, more: &str, named: &str) {
    desk.run(&format!("audit {more}--from-ini bin/OpenSim.ini --out found --format csv"));
    desk.run(&format!("audit {named} --out named --format csv"));
    assert_eq!(figures(desk, "found"), figures(desk, "named"));
    assert_eq!(desk.column("found", "objects", "name"), ["Vase"]);
    assert_eq!(desk.column("found", "objects", "physics_cost"), ["0.36"]);
    assert_eq!(desk.column("found", "objects", "unevaluated_parts"), ["0"]);
}

const SIMULATION: &str = "[SimulationDataStore]\nStorageProvider = OpenSim.Data.SQLite.dll\n\
    ConnectionString = \"URI=file:OpenSim.db\"\n";

#[test]
fn sqlite_databases_in_different_folders_are_read() {
    let ini = format!(
        "{SIMULATION}[AssetService]\nStorageProvider = OpenSim.Data.SQLite.dll\n\
         ConnectionString = \"URI=file:assets/Asset.db\"\n"
    );
    let desk = Desk::with(&[
        ("bin/OpenSim.ini", ini.as_bytes()),
        ("bin/OpenSim.db", &sample("databases/standalone/OpenSim.db")),
        ("bin/assets/Asset.db", &sample("databases/standalone/Asset.db")),
    ]);
    assert_read(&desk, "", "sqlite:bin/OpenSim.db --assets sqlite:bin/assets/Asset.db");
    fs::remove_dir_all(desk.at("bin/assets")).unwrap();
    desk.run("audit --from-ini bin/OpenSim.ini --out alone --format csv");
    assert_eq!(desk.column("alone", "objects", "unevaluated_parts"), ["1"], "the store has the mesh");
}

#[test]
fn a_flotsam_cache_is_read() {
    let ini = format!(
        "{SIMULATION}[AssetService]\nAssetServerURI = \"http://grid:8003\"\n[Modules]\n\
         AssetCaching = FlotsamAssetCache\n[AssetCache]\nCacheDirectory = ./assetcache\n"
    );
    let mesh = uuid(0x3e3e_3e3e, 2060);
    let desk = Desk::with(&[
        ("bin/OpenSim.ini", ini.as_bytes()),
        ("bin/OpenSim.db", &sample("databases/standalone/OpenSim.db")),
        (&format!("bin/assetcache/3e3/{mesh}"), &cached(&mesh, 49, &MeshFile::cube().encode())),
    ]);
    assert_read(&desk, "", "sqlite:bin/OpenSim.db --assets flotsam:bin/assetcache");
}

/// The table of the files is on a server, which this test replaces by a dump.
#[test]
fn files_of_fsassets_are_read() {
    let ini = format!(
        "{SIMULATION}[AssetService]\nLocalServiceModule = \"OpenSim.Services.FSAssetService.dll:FSAssetConnector\"\n\
         BaseDirectory = ./fsassets\n"
    );
    let (mesh, content) = (uuid(0x3e3e_3e3e, 2060), MeshFile::cube().encode());
    let (file, bytes) = packed(&content);
    let desk = Desk::with(&[
        ("bin/OpenSim.ini", ini.as_bytes()),
        ("bin/OpenSim.db", &sample("databases/standalone/OpenSim.db")),
        ("robust.sql", table([(&*mesh, 49, hash(&content))]).as_bytes()),
        (&format!("bin/fsassets/{file}"), &bytes),
    ]);
    let named = "sqlite:bin/OpenSim.db --assets robust.sql --assets fsassets:bin/fsassets";
    assert_read(&desk, "--assets robust.sql ", named);
}

/// The password is in the settings alone: not in the command, its output, the ledgers or the reports.
#[test]
fn the_password_of_a_server_is_in_no_output() {
    let ini = "[DatabaseService]\nStorageProvider = \"OpenSim.Data.MySQL.dll\"\n\
        ConnectionString = \"Data Source=127.0.0.1;Port=1;Database=opensim;User ID=sim;Password=s3cret;\"\n";
    let desk = Desk::with(&[("bin/OpenSim.ini", ini.as_bytes())]);
    let run =
        desk.run("audit --from-ini bin/OpenSim.ini --out report --ledgers kept --format csv,html --verbose");
    assert_eq!(desk.column("report", "archives", "archive"), ["mysql://sim@127.0.0.1:1/opensim"]);
    assert!(!run.stdout.contains("s3cret") && !run.stderr.contains("s3cret"), "{run:?}");
    for (name, bytes) in desk.files("report").into_iter().chain(desk.files("kept")) {
        assert!(!String::from_utf8_lossy(&bytes).contains("s3cret"), "{name}");
    }
}

const STARTUP: &str =
    "[Startup]\nLinksetPrims = 1\nPhysicalPrimMax = 9\nLinksetPhysPrims = 1\nClampPrimSize = true\n";

/// Returns a desk with an archive of three prims, two of them in a physical linkset, and settings with lower limits.
fn limited() -> Desk {
    let prim =
        |name: &str, number, scale| Prim { flags: "Physics", scale: [scale; 3], ..Prim::new(name, number) };
    let cart = [prim("Cart", 1, 2.5), prim("Wheel", 2, 0.5)];
    let archive = Archive::new(&control(REGION, "256,256"))
        .add("objects/cart.xml", xml2(&cart))
        .add("objects/box.xml", xml2(&[Prim::new("Box", 3)]))
        .gzip();
    let region = format!(
        "[Welcome]\nRegionUUID = {REGION}\nMaxPrims = 2\nPhysicalPrimMax = 2\nMaxPrimsPerUser = 7\nNonPhysicalPrimMin = 0.01\n"
    );
    Desk::with(&[
        ("region.oar", &archive),
        ("bin/OpenSim.ini", STARTUP.as_bytes()),
        ("bin/Regions/Regions.ini", region.as_bytes()),
    ])
}

/// Returns measured value, limit and message of the finding of a code.
fn finding(desk: &Desk, report: &str, code: &str) -> Option<(String, String, String)> {
    let rows = desk.table(report, "findings");
    let row = rows.into_iter().find(|row| row["code"] == code)?;
    Some((row["measured"].clone(), row["limit"].clone(), row["message"].clone()))
}

const LIMITED: [(&str, &str, &str, &str); 4] = [
    ("REG001", "3", "2", "[Welcome] MaxPrims, bin/Regions/Regions.ini"),
    ("LNK002", "2", "1", "[Startup] LinksetPrims, bin/OpenSim.ini line 2"),
    ("PHY004", "2.5", "2", "[Welcome] PhysicalPrimMax, bin/Regions/Regions.ini"),
    ("PHY005", "2", "1", "[Startup] LinksetPhysPrims, bin/OpenSim.ini line 4"),
];

#[test]
fn limits_of_a_region_are_those_of_its_simulator() {
    let desk = limited();
    let audit = "audit region.oar --out report --format csv --profile opensim-ubode";
    desk.run(audit);
    for (code, ..) in LIMITED {
        assert_eq!(finding(&desk, "report", code), None, "{code} without settings");
    }
    desk.run(&format!("{audit} --from-ini bin/OpenSim.ini"));
    for (code, measured, limit, source) in LIMITED {
        let found = finding(&desk, "report", code);
        let (value, most, message) = found.unwrap_or_else(|| panic!("{code}"));
        assert_eq!((&*value, &*most), (measured, limit), "{code}");
        assert!(message.contains(&format!("the limit is that of {source}")), "{code}: {message}");
    }
    assert_eq!(desk.column("report", "regions", "capacity"), ["2"]);
    // Files of regions alone have no [Startup].
    desk.run(&format!("{audit} --regions bin/Regions"));
    assert!(finding(&desk, "report", "REG001").is_some());
    assert_eq!(finding(&desk, "report", "LNK002"), None);
    // A flag wins.
    desk.run(&format!("{audit} --from-ini bin/OpenSim.ini --max-prims 5"));
    assert_eq!(finding(&desk, "report", "LNK002"), None);
    desk.run(&format!("{audit} --from-ini bin/OpenSim.ini --capacity 3"));
    assert_eq!(finding(&desk, "report", "REG001"), None);
    assert_eq!(desk.column("report", "regions", "capacity"), ["3"]);
    desk.run(&format!("{audit} --capacity 1"));
    assert_eq!(finding(&desk, "report", "REG001").map(|(_, limit, _)| limit), Some("1".into()));
    // The limits of a simulator are not those of another target, or of another region.
    desk.run("audit region.oar --out report --format csv --from-ini bin/OpenSim.ini --profile second-life");
    let messages = desk.column("report", "findings", "message");
    assert!(!messages.iter().any(|message| message.contains("the limit is that of")), "{messages:?}");
    // Without a target, its simulator loads the region. The published limits stay.
    desk.run("audit region.oar --out report --format csv --from-ini bin/OpenSim.ini");
    let limited = LIMITED.map(|(code, ..)| finding(&desk, "report", code).is_some());
    assert_eq!(limited, [true, false, false, false]);
    assert_eq!(desk.column("report", "regions", "capacity"), ["2"]);
    desk.write(
        "bin/Regions/Regions.ini",
        "[Welcome]\nRegionUUID = 11111111-2222-3333-4444-555555555555\nMaxPrims = 2\n",
    );
    desk.run(&format!("{audit} --from-ini bin/OpenSim.ini"));
    assert_eq!(finding(&desk, "report", "REG001"), None);
}

#[test]
fn a_report_of_ledgers_takes_the_same_settings() {
    let desk = limited();
    let target = "--format csv --profile opensim-ubode --from-ini bin/OpenSim.ini";
    desk.run(&format!("audit region.oar --out audited {target}"));
    desk.run_to(DONE, "scan region.oar --ledgers ledgers");
    desk.run(&format!("report ledgers --out reported {target}"));
    assert_eq!(figures(&desk, "reported"), figures(&desk, "audited"));
    assert!(finding(&desk, "reported", "LNK002").is_some());
    desk.run("report ledgers --out plain --format csv --profile opensim-ubode");
    assert_eq!(finding(&desk, "plain", "LNK002"), None);
    desk.write("bin/Regions/too-large.ini", vec![b';'; 5 << 20]);
    let run = desk.run(&format!("report ledgers --out plain {target}"));
    assert!(
        run.stderr.contains("too-large.ini cannot be read: it has more than 4,194,304 bytes"),
        "{}",
        run.stderr
    );
    desk.write("none/OpenSim.ini", "[Startup]\n");
    let run = desk.run_to(USAGE, "report ledgers --out plain --from-ini none/OpenSim.ini");
    assert!(run.stderr.contains("The settings name no region"), "{}", run.stderr);
}

#[test]
fn limits_that_no_rule_uses_are_listed() {
    let desk = limited();
    let page = desk.run_to(DONE, "places --from-ini bin/OpenSim.ini").stdout;
    for limit in
        ["MaxPrims 2", "MaxPrimsPerUser 7", "NonPhysicalPrimMin 0.01", "PhysicalPrimMax 2", "LinksetPrims 1"]
    {
        assert!(page.contains(limit), "{limit}: {page}");
    }
    assert!(page.contains("ClampPrimSize") && !page.contains("PhysicalPrimMax 9"), "{page}");
    let json = desk.run_to(DONE, "places --from-ini bin/OpenSim.ini --json").stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let limit = serde_json::json!(
        { "key": "MaxPrims", "value": 2.0, "from": "[Welcome] MaxPrims, bin/Regions/Regions.ini" }
    );
    assert_eq!(json["regions"][0]["limits"][0], limit);
}

/// Returns the messages of DBS009 and the numbers of regions for which it is not evaluated.
fn unknown_regions(desk: &Desk, report: &str) -> (Vec<String>, Vec<String>) {
    let found = desk.table(report, "findings").into_iter().filter(|row| row["code"] == "DBS009");
    let checks = desk.table(report, "checks").into_iter().filter(|row| row["code"] == "DBS009");
    (
        found.map(|row| row["message"].clone()).collect(),
        checks.map(|row| row["not_evaluated"].clone()).collect(),
    )
}

/// A database has no list of its regions. Only a list shows that one is unknown.
#[test]
fn rows_of_regions_that_no_list_has() {
    let other = "11111111-2222-3333-4444-555555555555";
    let in_file = |uuid: &str| format!("[Welcome]\nRegionUUID = {uuid}\n");
    let desk = Desk::with(&[
        ("dump.sql", &sample("databases/unknown-region.sql")),
        ("bin/OpenSim.db", &sample("databases/standalone/OpenSim.db")),
        ("known/Regions.ini", in_file(REGION).as_bytes()),
        ("unknown/Regions.ini", in_file(other).as_bytes()),
        ("bin/OpenSim.ini", SIMULATION.as_bytes()),
        ("bin/Regions/Regions.ini", in_file(other).as_bytes()),
    ]);
    let audit = |arguments: &str| {
        desk.run(&format!("audit {arguments} --out report --format csv"));
        unknown_regions(&desk, "report")
    };
    // SQLite, without a list.
    assert_eq!(audit("sqlite:bin/OpenSim.db"), (vec![], vec!["1".into()]));
    assert_eq!(audit("sqlite:bin/OpenSim.db --regions known"), (vec![], vec!["0".into()]));
    let message = format!(
        "No file of regions and no table of the grid has this region: {REGION}; rows: 1 in land, 1 in prims, 1 in \
         primshapes, 1 in regionsettings"
    );
    let expected = (vec![message], vec!["0".into()]);
    assert_eq!(audit("sqlite:bin/OpenSim.db --regions unknown"), expected);
    assert_eq!(audit("--from-ini bin/OpenSim.ini"), expected);
    // A dump with the table of a grid, which has one of two regions.
    let (found, unevaluated) = audit("dump.sql");
    assert!(found.len() == 1 && found[0].contains("0000000000ff; rows: 1 in land"), "{found:?}");
    assert_eq!(unevaluated, ["0"]);
    // A region needs only one list.
    let (found, _) = audit("dump.sql --regions unknown");
    assert_eq!(found.len(), 1, "the table of the grid has the other");
    desk.write("unknown/more.ini", in_file("4e4e4e4e-0000-4000-8000-0000000000ff"));
    assert_eq!(audit("dump.sql --regions unknown"), (vec![], vec!["0".into()]));
    // Of a cut dump, a part of the list is unread.
    let text = String::from_utf8(sample("databases/unknown-region.sql")).unwrap();
    let text = text.replace("('4e4e4e4e-0000-4000-8000-000000000001','Harbour',256,256)", "(");
    desk.write("cut.sql", text);
    assert_eq!(audit("cut.sql").0, [""; 0]);
}

/// A simulator starts the regions of its files, whether or not its database has their rows.
#[test]
fn a_listed_region_without_rows_will_be_empty() {
    let other = "11111111-2222-3333-4444-555555555555";
    let file = |name: &str, uuid: &str| format!("[{name}]\nRegionUUID = {uuid}\n");
    let desk = Desk::with(&[
        ("bin/OpenSim.db", &sample("databases/standalone/OpenSim.db")),
        ("Regions/a.ini", file("Harbour", REGION).as_bytes()),
        ("cut.sql", b"-- MySQL dump 10.13\nCREATE TABLE `land` (`UUID` char(36),`RegionUUID` char(36),`Bitmap` blob);\nINSERT INTO `land` VALUES ('"),
    ]);
    let found = |arguments: &str| {
        desk.run(&format!("audit {arguments} --regions Regions --out report --format csv"));
        let rows = desk.table("report", "findings").into_iter().filter(|row| row["code"] == "DBS015");
        rows.map(|row| row["message"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(found("bin"), [""; 0]);
    desk.write("Regions/b.ini", file("Alpha", other));
    let messages = found("bin");
    assert!(
        messages.len() == 1 && messages[0].contains(&format!("Alpha will be empty ({other}")),
        "{messages:?}"
    );
    let checks = desk.table("report", "checks").into_iter().find(|row| row["code"] == "DBS015").unwrap();
    assert_eq!((&*checks["checked"], &*checks["failed"]), ("2", "1"));
    // A database that was not read to its end may have it, and archives say nothing about databases.
    assert_eq!(found("bin cut.sql"), [""; 0]);
    desk.write("a.oar", crate::support::desk::sound());
    assert_eq!(found("a.oar"), [""; 0]);
    let run = desk.run("preflight --target opensim-ubode bin --regions Regions");
    let words = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("Alpha will be empty"), "{}{}", run.stdout, run.stderr);
}

/// The list of a grid counts for the regions in all databases of a dump, and gives them names.
#[test]
fn the_list_of_a_grid_may_be_in_another_database_of_the_dump() {
    let dump = format!(
        "-- MySQL dump 10.13\nUSE `opensim`;\nCREATE TABLE `regionsettings` (`regionUUID` char(36), `water_height` double);\n\
         INSERT INTO `regionsettings` VALUES ('{REGION}',20);\nUSE `robust`;\n\
         CREATE TABLE `regions` (`uuid` char(36), `regionName` varchar(64), `sizeX` int, `sizeY` int);\n\
         INSERT INTO `regions` VALUES ('{REGION}','Harbour',512,512);\n-- Dump completed on 2026-11-24\n"
    );
    let desk = Desk::with(&[("dump.sql", dump.as_bytes())]);
    desk.run_to(DONE, "audit dump.sql --out report --format csv");
    assert_eq!(desk.column("report", "regions", "region"), ["Harbour"]);
    assert_eq!(unknown_regions(&desk, "report"), (vec![], vec!["0".into()]));
    desk.run_to(DONE, "audit dump.sql --out report --format csv --database opensim");
    assert_eq!(desk.column("report", "regions", "region"), [REGION]);
    assert_eq!(unknown_regions(&desk, "report"), (vec![], vec!["1".into()]));
}
