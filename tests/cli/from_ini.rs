//! `hullmark places` and `--from-ini`: databases, folders and regions from the settings of a simulator.

use crate::support::desk::{DONE, Desk, USAGE};
use serde_json::{Value, json};

const OPENSIM: &str = "[Startup]\n[DatabaseService]\nStorageProvider = \"OpenSim.Data.MySQL.dll\"\n\
    ConnectionString = \"Data Source=localhost;Database=opensim;User ID=sim;Password=s3cret;\"\n\
    [AssetService]\nAssetServerURI = \"http://grid:8003\"\n\
    [Modules]\nAssetCaching = \"FlotsamAssetCache\"\n[AssetCache]\nCacheDirectory = ./assetcache\n";

const REGION: &str =
    "[Welcome]\nRegionUUID = 11111111-2222-3333-4444-555555555555\nSizeX = 512\nMaxPrims = 15000\n";

fn desk() -> Desk {
    Desk::with(&[
        ("bin/OpenSim.ini", OPENSIM.as_bytes()),
        ("bin/Regions/Regions.ini", REGION.as_bytes()),
        ("bin/assetcache/abc/x", b"x"),
    ])
}

#[test]
fn places_are_listed_without_passwords() {
    let desk = desk();
    let page = desk.run("places --from-ini bin/OpenSim.ini --json");
    assert_eq!(page.code, DONE, "{page:?}");
    let json: Value = serde_json::from_str(&page.stdout).unwrap();
    let expected = json!([
        {
            "service": "regions",
            "role": "input",
            "place": "mysql://sim@localhost/opensim",
            "has_password": true,
            "from": "[DatabaseService] ConnectionString, bin/OpenSim.ini line 4",
            "state": "server",
        },
        {
            "service": "cache",
            "role": "store",
            "place": "flotsam:bin/assetcache",
            "has_password": false,
            "from": "[AssetCache] CacheDirectory, bin/OpenSim.ini line 10",
            "state": "folder",
            "entries": 1,
            "more": false,
        },
    ]);
    assert_eq!(json["places"], expected);
    assert_eq!(json["regions"][0]["size_m"], json!([512, 512]));
    let text = desk.run("places --from-ini bin/OpenSim.ini").stdout;
    assert!(text.contains("mysql://sim@localhost/opensim  a server, not contacted, password ***"), "{text}");
    assert!(
        text.contains("Welcome") && text.contains("512 × 512 m") && text.contains("MaxPrims 15000"),
        "{text}"
    );
    assert!(text.contains("Add --from-ini Robust.ini"), "{text}");
    assert!(!text.contains("s3cret") && !page.stdout.contains("s3cret"));
}

#[test]
fn settings_without_a_place_are_refused() {
    let desk = desk();
    let absent = desk.run("places --from-ini none.ini");
    assert!(absent.code == USAGE && absent.stderr.contains("none.ini"), "{absent:?}");
    desk.write("empty/OpenSim.ini", "");
    let empty = desk.run("audit --from-ini empty/OpenSim.ini");
    assert!(empty.code == USAGE && empty.stderr.contains("`hullmark places` lists"), "{empty:?}");
}

#[test]
fn a_plan_has_the_places_of_the_settings() {
    let desk = desk();
    desk.write(
        "bin/OpenSim.ini",
        OPENSIM.replace("MySQL", "SQLite").replace("Data Source=localhost", "URI=file:a.db"),
    );
    desk.write("bin/a.db", "SQLite format 3\0");
    let plan = desk.run("plan --from-ini bin/OpenSim.ini --out plan.json");
    let text = std::fs::read_to_string(desk.at("plan.json")).unwrap_or_default();
    assert!(text.contains("sqlite:bin/a.db") || text.contains("bin/a.db"), "{plan:?} {text}");
}

/// A dump has no names of regions, and those of the simulator are in its files.
#[test]
fn files_of_regions_name_the_regions_of_a_dump() {
    let desk = desk();
    let uuid = "11111111-2222-3333-4444-555555555555";
    desk.write(
        "region.sql",
        format!(
            "-- MySQL dump 10.13\nCREATE TABLE `regionsettings` (\n  `regionUUID` char(36) NOT NULL,\n  `water_height` double NOT NULL\n);\n\
             INSERT INTO `regionsettings` VALUES ('{uuid}',20);\n-- Dump completed on 2026-11-22\n"
        ),
    );
    desk.run("audit region.sql --out report --format csv");
    assert_eq!(desk.column("report", "regions", "region"), [uuid]);
    desk.run("audit region.sql --out report --format csv --regions bin/Regions");
    assert_eq!(desk.column("report", "regions", "region"), ["Welcome"]);
    desk.run("audit region.sql --out report --format csv --regions bin/Regions --region welcome");
    assert_eq!(desk.column("report", "regions", "region"), ["Welcome"]);
    desk.run(&format!("audit region.sql --out report --format csv --regions bin/Regions --region {uuid}"));
    assert_eq!(desk.column("report", "regions", "region"), ["Welcome"]);
    let gone = desk.run("audit region.sql --out report --format csv --regions bin/Regions --region welcom");
    assert!(gone.code == USAGE && gone.stderr.contains("Did you mean \"Welcome\"?"), "{gone:?}");
    let none = desk.run("audit region.sql --regions bin/assetcache");
    assert!(none.code == USAGE && none.stderr.contains("has no region"), "{none:?}");
}
