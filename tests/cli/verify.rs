//! What arrived after a move, as an operator asks for it.

use super::failed_dumps::dump;
use crate::support::{
    archive::{Archive, control, parcel, settings},
    desk::{DONE, Desk, FINDINGS, INCOMPLETE, Row, USAGE},
    flat,
    object::{OWNER, Prim, uuid, xml2},
    read_csv, repository,
};
use serde_json::Value;
use std::{collections::BTreeMap, fs};

const BEN: &str = "0a0a0a0a-0000-4000-8000-000000000002";

/// Returns a prim that stands at a place.
fn at(place: [f64; 3], prim: Prim) -> Prim {
    Prim { position: place, ..prim }
}

/// Returns a region with these objects of an owner, the gifts that are in objects, and one parcel.
fn region(objects: &[Vec<Prim>], gifts: &[u32], owner: &str) -> Vec<u8> {
    region_on_land_of(owner, objects, gifts, owner)
}

fn region_on_land_of(landlord: &str, objects: &[Vec<Prim>], gifts: &[u32], owner: &str) -> Vec<u8> {
    let land = parcel(&uuid(0x9a9a_9a9a, 1), "Market", landlord, 64, |_, _| true);
    let mut archive = Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"))
        .flat_ground("terrains/Here.r32", 256)
        .add("settings/Here.xml", settings("1"))
        .add("landdata/market.xml", land);
    for (object, number) in objects.iter().zip(0..) {
        archive = archive.add(&format!("objects/{number}.xml"), xml2(object).replace(OWNER, owner));
    }
    for &gift in gifts {
        let content = xml2(&[Prim::new("Gift", 900 + gift)]).replace(OWNER, owner);
        archive = archive.add(&format!("assets/{}_object.xml", uuid(0x1010_1010, gift)), content);
    }
    archive.gzip()
}

fn cut(archive: &[u8]) -> Vec<u8> {
    archive[..archive.len() * 2 / 3].to_vec()
}

/// Returns the objects before the move: a shop of two prims, a chair, and three equal lamps.
fn before() -> Vec<Vec<Prim>> {
    let sign = Prim { offset: [1.0, 0.0, 0.0], ..Prim::new("Sign", 2) };
    let lamp = |number: u32| vec![at([10.0 * f64::from(number), 20.0, 25.0], Prim::new("Lamp", number))];
    let mut objects = vec![
        vec![
            at([100.0, 100.0, 25.0], Prim { contains: Some(uuid(0x1010_1010, 1)), ..Prim::new("Shop", 1) }),
            sign,
        ],
        vec![at([120.0, 100.0, 25.0], Prim::new("Chair", 3))],
    ];
    objects.extend((4..7).map(lamp));
    objects
}

/// Returns the same objects in another order with other UUIDs, as a load writes them.
fn moved() -> Vec<Vec<Prim>> {
    let mut objects = before();
    objects.reverse();
    for (part, number) in objects.iter_mut().flatten().zip(1_000..) {
        part.uuid = uuid(0x5e5e_5e5e, number);
    }
    objects
}

fn statuses(rows: &[Row]) -> BTreeMap<(String, String), usize> {
    let mut counts = BTreeMap::new();
    for row in rows {
        *counts.entry((row["kind"].clone(), row["status"].clone())).or_default() += 1;
    }
    counts
}

#[test]
fn a_whole_move_is_proven() {
    let desk = Desk::with(&[
        ("before.oar", &region(&before(), &[1], OWNER)),
        ("after.oar", &region(&moved(), &[1], OWNER)),
    ]);
    let run = desk.run_to(DONE, "verify before.oar after.oar --out out --format csv");
    let answer = "5 of 5 objects arrived; 1 of 1 asset; terrain equal.\n";
    assert!(run.stdout.starts_with(answer), "{}", run.stdout);
    let rows = desk.table("out", "arrivals");
    let expected = [(("object", "arrived"), 5), (("region", "arrived"), 1)];
    assert_eq!(
        statuses(&rows),
        expected.map(|((kind, status), count)| ((kind.into(), status.into()), count)).into()
    );
    assert_eq!(desk.column("out", "asset_arrivals", "found"), ["equal"]);
    // Kept ledgers say the same when the old grid is gone.
    desk.run_to(DONE, "scan before.oar --ledgers kept");
    fs::remove_file(desk.at("before.oar")).unwrap();
    let again = desk.run_to(DONE, "verify kept after.oar");
    assert!(again.stdout.starts_with(answer), "{}", again.stdout);
}

#[test]
fn losses_and_changes_have_names_and_places() {
    let mut after = moved();
    // The lamps come first. One of them is lost, and the other two stay where they were.
    after.remove(1);
    let shop = after.iter_mut().find(|object| object[0].name == "Shop").unwrap();
    shop[0].contains = None;
    let chair = after.iter_mut().find(|object| object[0].name == "Chair").unwrap();
    chair[0].position[0] += 2.5;
    after.push(vec![at([200.0, 200.0, 25.0], Prim::new("Kiosk", 77))]);
    let desk = Desk::with(&[
        ("before.oar", &region(&before(), &[1], OWNER)),
        ("after.oar", &region_on_land_of(BEN, &after, &[], OWNER)),
    ]);
    let run = desk.run_to(FINDINGS, "verify before.oar after.oar --out out --format csv,jsonl,html");
    let words = flat(&run.stdout);
    assert!(
        words.starts_with(
            "Lost content: 4 of 5 objects arrived, 2 of them changed, 1 with lost content, 1 new there; 0 of 1 asset; \
             terrain equal."
        ),
        "{words}"
    );
    assert!(
        words.contains(&format!("\"Lamp\" of {OWNER}, Here 50, 20, 25 (2 of 3 equal objects arrived)")),
        "{words}"
    );
    assert!(words.contains("moved by: 1 object; first: \"Chair\", Here: 2.50 m"), "{words}");
    assert!(words.contains("1 of 1 parcel, 1 changed (owner)"), "{words}");
    let rows = desk.table("out", "arrivals");
    let of = |name: &str| rows.iter().find(|row| row["name"] == name && row["status"] != "arrived").unwrap();
    assert_eq!([&of("Lamp")["status"], &of("Lamp")["position_x_m"]], ["lost", "50"]);
    assert_eq!([&of("Lamp")["equal_before"], &of("Lamp")["equal_after"]], ["3", "2"]);
    assert_eq!([&of("Shop")["status"], &of("Shop")["changes"]], ["changed", "item_missing"]);
    assert_eq!([&of("Chair")["changes"], &of("Chair")["position_x_m_after"]], ["moved", "122.5"]);
    assert_eq!(of("Kiosk")["status"], "new");
    assert_eq!([&of("Market")["changes"], &of("Market")["owner_uuid_after"]], ["owner", BEN]);
    assert_eq!(desk.column("out", "asset_arrivals", "found"), ["missing"]);
    let page = fs::read_to_string(desk.at("out/verify.html")).unwrap();
    assert!(page.contains("What arrived after the move") && page.contains("Lost content: 4 of 5"), "{page}");
    let json: Value = serde_json::from_slice(&fs::read(desk.at("out/verify.json")).unwrap()).unwrap();
    assert_eq!(
        [&json["verdict"], &json["objects"]["lost"], &json["assets"]["lost"]],
        [&"lost".into(), &1.into(), &1.into()] as [&Value; 3]
    );
    // Another order of both sides, and other threads, give the same tables.
    desk.run_to(FINDINGS, "verify before.oar after.oar --out again --format csv,jsonl,html --threads 1");
    assert!(desk.files("out") == desk.files("again"));
}

#[test]
fn a_changed_owner_is_no_loss() {
    let desk = Desk::with(&[
        ("before.oar", &region(&before(), &[1], OWNER)),
        ("after.oar", &region(&moved(), &[1], BEN)),
    ]);
    let run = desk.run_to(DONE, "verify before.oar after.oar");
    assert!(
        run.stdout.starts_with("5 of 5 objects arrived, 5 of them changed; 1 of 1 asset;"),
        "{}",
        run.stdout
    );
    assert!(
        flat(&run.stdout).contains(&format!("owner of 5 objects: {OWNER} → {BEN} (5)")),
        "{}",
        run.stdout
    );
    desk.run_to(FINDINGS, "verify before.oar after.oar --fail-on changed");
}

/// What `preflight` announces is laid beside what happened.
#[test]
fn announced_losses_are_told_from_others() {
    let outside = vec![at([300.0, 20.0, 25.0], Prim::new("Balloon", 50))];
    let all: Vec<Vec<Prim>> = before().into_iter().chain([outside]).collect();
    let desk = Desk::with(&[
        ("before.oar", &region(&all, &[1], OWNER)),
        ("without.oar", &region(&moved(), &[1], OWNER)),
        ("less.oar", &region(&moved()[1..], &[1], OWNER)),
        ("whole.oar", &region(&all, &[1], OWNER)),
    ]);
    let of = |code: i32, after: &str| {
        let arguments =
            format!("verify before.oar {after}.oar --target opensim-ubode --out {after} --format csv");
        let run = desk.run_to(code, &arguments);
        let rows = desk.table(after, "arrivals").into_iter().filter(|row| !row["announcement"].is_empty());
        let rows = rows.map(|row| ["name", "announcement", "announced_by"].map(|column| row[column].clone()));
        (flat(run.stdout.split("\n\n").next().unwrap()), rows.collect::<Vec<_>>())
    };
    let row = |name: &str, outcome: &str, code: &str| [name, outcome, code].map(String::from);
    let (first, rows) = of(FINDINGS, "without");
    assert!(first.ends_with("; as announced."), "{first}");
    assert_eq!(rows, [row("Balloon", "as_announced", "POS002")]);
    let (first, rows) = of(FINDINGS, "less");
    assert!(first.ends_with("1 loss was not announced."), "{first}");
    assert_eq!(rows, [row("Lamp", "unannounced", ""), row("Balloon", "as_announced", "POS002")]);
    let (first, rows) = of(DONE, "whole");
    assert!(first.ends_with("1 object arrived although its loss was announced."), "{first}");
    assert_eq!(rows, [row("Balloon", "arrived_anyway", "POS002")]);
}

/// A side that was not read to its end proves nothing.
#[test]
fn what_was_not_read_is_not_lost_and_did_not_arrive() {
    let whole = region(&before(), &[1], OWNER);
    let desk = Desk::with(&[
        ("whole.oar", &whole),
        ("cut.oar", &cut(&region(&moved(), &[1], OWNER))),
        ("empty.oar", &Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256")).gzip()),
        ("a.ledger", b"{\"hullmark_ledger\":1}\n"),
    ]);
    for arguments in ["verify whole.oar cut.oar", "verify cut.oar whole.oar", "verify empty.oar whole.oar"] {
        let run = desk.run_to(INCOMPLETE, &format!("{arguments} --out out --format csv"));
        assert!(run.stdout.starts_with("Not proven: "), "{}", run.stdout);
        let rows = desk.table("out", "arrivals");
        assert!(rows.iter().all(|row| row["status"] != "lost"), "{arguments}: {rows:?}");
    }
    // An older ledger lacks what the comparison needs.
    let run = desk.run_to(INCOMPLETE, "verify a.ledger whole.oar");
    assert!(run.stdout.starts_with("Not proven: "), "{}{}", run.stdout, run.stderr);
    desk.run_to(USAGE, "verify whole.oar whole.oar");
    desk.run_to(USAGE, "verify whole.oar cut.oar --out out --format sarif");
}

#[test]
fn names_stay_text() {
    let hostile = vec![at([10.0, 10.0, 25.0], Prim::new("<img src=x onerror=y>\u{1b}[2J=1+1", 1))];
    let desk = Desk::with(&[
        ("before.oar", &region(&[hostile], &[], OWNER)),
        ("after.oar", &region(&[vec![at([9.0, 9.0, 25.0], Prim::new("Chair", 2))]], &[], OWNER)),
    ]);
    let run = desk.run_to(FINDINGS, "verify before.oar after.oar --out out --format csv,html,xlsx");
    assert!(!run.stdout.contains('\u{1b}'), "{}", run.stdout);
    let page = fs::read_to_string(desk.at("out/verify.html")).unwrap();
    assert!(page.contains("&lt;img src=x") && !page.contains("<img src=x"), "{page}");
}

/// Returns an inventory with these items: folders, name and asset.
fn inventory(items: &[(&str, &str, u32)]) -> Vec<u8> {
    let control =
        "<?xml version=\"1.0\" encoding=\"utf-16\"?><archive major_version=\"0\" minor_version=\"3\"/>";
    let mut archive = Archive::new(control);
    for ((folders, name, asset), number) in items.iter().zip(1..) {
        let folder = |name: &str| format!("{name}__{}", uuid(0x1f1f_1f1f, number));
        let path: Vec<String> = folders.split('/').map(folder).collect();
        let item = format!(
            "<?xml version=\"1.0\"?><InventoryItem><Name>{name}</Name><ID>{}</ID><InvType>7</InvType>\
             <CreatorUUID>{OWNER}</CreatorUUID><CreationDate>1</CreationDate><Owner>{OWNER}</Owner>\
             <Description>a</Description><AssetType>7</AssetType><AssetID>{}</AssetID><SaleType>0</SaleType>\
             <SalePrice>0</SalePrice><BasePermissions>1</BasePermissions><CurrentPermissions>1</CurrentPermissions>\
             <EveryOnePermissions>1</EveryOnePermissions><NextPermissions>1</NextPermissions><Flags>0</Flags>\
             <GroupID>{}</GroupID><GroupOwned>0</GroupOwned></InventoryItem>",
            uuid(0x1717_1717, number),
            uuid(0x1010_1010, *asset),
            uuid(0, 0)
        );
        archive = archive
            .add(&format!("inventory/{}/{name}__{}.xml", path.join("/"), uuid(0x1717_1717, number)), item)
            .add(&format!("assets/{}_notecard.txt", uuid(0x1010_1010, *asset)), format!("note {asset}"));
    }
    archive.gzip()
}

/// Items are compared folder by folder. A load may put all folders into another one.
#[test]
fn inventories_are_compared_by_folder() {
    let before =
        [("Notes", "A", 1), ("Notes", "B", 2), ("Notes/Old", "C", 3), ("Plans", "D", 4), ("Plans", "E", 5)];
    let after = [
        ("Loaded/Notes", "A", 1),
        ("Loaded/Notes", "B", 9),
        ("Loaded/Plans", "C", 3),
        ("Loaded/Plans", "D two", 4),
        ("Loaded/Elsewhere", "F", 6),
    ];
    let desk = Desk::with(&[("before.iar", &inventory(&before)), ("after.iar", &inventory(&after))]);
    let run = desk.run_to(FINDINGS, "verify before.iar after.iar --out out --format csv");
    let first = "Lost content: 4 of 5 items arrived, 3 of them changed; 3 of 5 assets.";
    assert!(run.stdout.starts_with(first), "{}", run.stdout);
    assert!(run.stdout.contains("lost: Plans/E"), "{}", run.stdout);
    let rows = desk.table("out", "arrivals").into_iter().filter(|row| row["kind"] == "item");
    let told: Vec<[String; 3]> =
        rows.map(|row| ["name", "status", "changes"].map(|column| row[column].clone())).collect();
    let row = |name: &str, status: &str, changes: &str| [name, status, changes].map(String::from);
    let expected = [
        row("E", "lost", ""),
        row("B", "changed", "asset"),
        row("C", "changed", "folder"),
        row("D", "changed", "name"),
        row("A", "arrived", ""),
    ];
    assert_eq!(told, expected);
    desk.write("same.iar", inventory(&before));
    let run = desk.run_to(DONE, "verify before.iar same.iar");
    assert!(run.stdout.starts_with("5 of 5 items arrived; 5 of 5 assets.\n"), "{}", run.stdout);
}

/// Owners learn which of their objects did not arrive, in their language.
#[test]
fn letters_name_what_did_not_arrive() {
    let mut after = moved();
    // Two lamps, and the content of the shop.
    after.drain(..2);
    after.iter_mut().flatten().for_each(|part| part.contains = None);
    let desk = Desk::with(&[
        ("before.oar", &region(&before(), &[1], OWNER)),
        ("after.oar", &region(&after, &[1], BEN)),
        ("users.csv", format!("{OWNER},Ann Archer,de\n").as_bytes()),
    ]);
    desk.run_to(FINDINGS, "verify before.oar after.oar --letters letters");
    let letter = flat(&fs::read_to_string(desk.at(&format!("letters/{OWNER}.txt"))).unwrap());
    assert!(letter.contains("After the move: your objects"), "{letter}");
    assert!(letter.contains("3 of your 5 objects arrived."), "{letter}");
    assert!(letter.contains("2 × “Lamp”, region “Here” at"), "{letter}");
    assert!(
        letter.contains("“Shop”, region “Here” at 100, 100, 25 – 1 part or item is missing (a box in a box)"),
        "{letter}"
    );
    assert!(
        letter.ends_with("ask the operators of your grid.") && !letter.contains("We changed nothing"),
        "{letter}"
    );
    assert!(!letter.contains("Chair") && !desk.at(&format!("letters/{BEN}.txt")).exists(), "{letter}");
    let list = read_csv(&desk.at("letters/letters.csv"));
    assert_eq!(list.len(), 1);
    let numbers = ["objects", "lost", "incomplete", "parcels", "items"];
    assert_eq!(numbers.map(|column| list[0][column].clone()), ["5", "2", "1", "0", "0"]);
    desk.run_to(FINDINGS, "verify before.oar after.oar --letters letters --users users.csv");
    let letter = flat(&fs::read_to_string(desk.at(&format!("letters/{OWNER}.txt"))).unwrap());
    assert!(letter.contains("Ann Archer") && letter.contains("Angekommen: 3 von 5 Objekten."), "{letter}");
    assert!(desk.at(&format!("letters/{OWNER}.html")).exists());
}

/// Land and inventories have owners, too. Who owned only land reads nothing about objects.
#[test]
fn letters_name_lost_parcels_and_items() {
    let bare = Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"))
        .flat_ground("terrains/Here.r32", 256)
        .add("settings/Here.xml", settings("1"));
    let dump = fs::read_to_string(repository().join("sample_data/databases/inventories.sql")).unwrap();
    let lost = dump.lines().find(|line| line.contains(",6,'Chair',6,")).unwrap();
    let desk = Desk::with(&[
        ("before.oar", &region_on_land_of(BEN, &[], &[], OWNER)),
        ("after.oar", &bare.gzip()),
        ("before.sql", dump.as_bytes()),
        ("after.sql", dump.replace(&format!("{lost}\n"), "").as_bytes()),
    ]);
    desk.run_to(FINDINGS, "verify before.oar after.oar --letters letters");
    let letter = flat(&fs::read_to_string(desk.at(&format!("letters/{BEN}.txt"))).unwrap());
    assert!(letter.contains("These parcels did not arrive."), "{letter}");
    assert!(letter.contains("“Market”, region “Here”"), "{letter}");
    assert!(!letter.contains("0 of your") && !letter.contains("These objects"), "{letter}");
    let list = read_csv(&desk.at("letters/letters.csv"));
    assert_eq!(
        ["objects", "lost", "parcels", "items"].map(|column| list[0][column].clone()),
        ["0", "0", "1", "0"]
    );

    desk.run_to(FINDINGS, "verify before.sql after.sql --inventory all --letters of-items");
    let letter = fs::read_to_string(desk.at("of-items/abababab-0000-4000-8000-000000000001.txt")).unwrap();
    let letter = flat(&letter);
    assert!(letter.contains("These items of your inventory did not arrive."), "{letter}");
    assert!(letter.contains("“Chair”, in an inventory: “Objects/Furniture”"), "{letter}");
}

/// Returns the dump of the samples with the estate of a region: its number, its name, and the numbers of those it bans.
fn with_estate(number: u32, name: &str, bans: &[u32], region: &str) -> String {
    let end = "-- Dump completed";
    let dump = dump();
    let (tables, rest) = dump.split_once(end).unwrap();
    let mut tables = tables.to_owned();
    let mut table = |name: &str, columns: &str, rows: &[String]| {
        let columns: Vec<String> =
            columns.split(' ').map(|column| format!("`{column}` varchar(64)")).collect();
        tables += &format!("CREATE TABLE `{name}` ({});\n", columns.join(", "));
        for row in rows {
            tables += &format!("INSERT INTO `{name}` VALUES ({row});\n");
        }
    };
    table("estate_settings", "EstateID EstateName EstateOwner", &[format!("{number}, '{name}', '{OWNER}'")]);
    table("estate_map", "RegionID EstateID", &[format!("'{region}', {number}")]);
    let ban = |banned: &u32| format!("{number}, '{}'", uuid(0x7a7a_7a7a, *banned));
    table("estateban", "EstateID bannedUUID", &bans.iter().map(ban).collect::<Vec<_>>());
    format!("{tables}{end}{rest}")
}

#[test]
fn estates_are_compared_between_databases() {
    let region = uuid(0x4e4e_4e4e, 1);
    let before = with_estate(101, "Isle", &[1, 2, 3], &region);
    let other = with_estate(101, "Isle\u{1b}[31m <b>", &[2, 3, 4], &region);
    let elsewhere = with_estate(101, "Isle", &[1, 2, 3], &uuid(0x7a7a_7a7a, 9));
    let desk = Desk::with(&[
        ("before.sql", before.as_bytes()),
        ("same.sql", with_estate(7, "Isle", &[3, 2, 1], &region).as_bytes()),
        ("other.sql", other.as_bytes()),
        ("elsewhere.sql", elsewhere.as_bytes()),
        ("without.sql", dump().as_bytes()),
    ]);
    let page = |after: &str| {
        desk.run_to(DONE, &format!("verify before.sql {after} --out out --format csv,html")).stdout
    };
    // The number of an estate says nothing. A database without these tables may have them elsewhere.
    for after in ["same.sql", "without.sql"] {
        let page = page(after);
        assert!(page.contains("settings equal"), "{page}");
    }
    assert!(flat(&page("elsewhere.sql")).contains("estate \"Isle\" → missing"));
    let text = page("other.sql");
    assert!(flat(&text).contains("estate bans 3 → 2 of them and 1 more"), "{text}");
    assert!(!text.contains('\u{1b}'), "{text}");
    let changes = desk.column("out", "arrivals", "changes");
    assert!(changes.contains(&"estate estate_bans".to_owned()), "{changes:?}");
    assert!(!fs::read_to_string(desk.at("out/verify.html")).unwrap().contains("31m <b>"));
    // Kept ledgers have the estates, too.
    desk.run_to(DONE, "scan before.sql --ledgers kept");
    let again = desk.run_to(DONE, "verify kept other.sql");
    assert!(flat(&again.stdout).contains("estate bans 3 → 2 of them"), "{}", again.stdout);
}
