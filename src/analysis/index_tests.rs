//! The index of a ledger holds each thing that a search of its facts finds.

use crate::whereabouts::{find, tests::ledger as ledger_of_all};
use hullmark_format::inventory::InventoryItem;
use hullmark_ledger::{
    Ledger,
    facts::{ItemFacts, Status},
    index::{Sought, may_hold, of},
};
use proptest::prelude::*;
use uuid::Uuid;

fn holds(ledger: &Ledger, sought: &Sought) -> bool {
    may_hold(&of(ledger), sought).unwrap()
}

fn of_names(names: &[String]) -> Ledger {
    let item = |name: &String| {
        let item = InventoryItem { name: name.clone(), ..InventoryItem::default() };
        ItemFacts { entry: "inventory/a.xml".into(), item }
    };
    let items = names.iter().map(item).collect();
    Ledger { items, ..Ledger::empty("a.iar", hullmark_ledger::InputKind::Iar, Status::Complete) }
}

fn named(name: &str) -> Sought {
    Sought::Name(name.to_lowercase())
}

/// Each UUID and each name of a ledger gets its own value. So a place that the index omits is noticed.
#[test]
fn each_place_that_a_search_finds_is_in_the_index() {
    let json = serde_json::to_string(&ledger_of_all()).unwrap();
    let (mut numbered, mut uuids, mut names) = (String::new(), Vec::new(), Vec::new());
    let mut rest = json.as_str();
    while let Some(first) = rest.chars().next() {
        if let Some(Ok(_)) = rest.get(..36).map(Uuid::try_parse) {
            let uuid = Uuid::from_u128(0xbeef_0000 + uuids.len() as u128);
            uuids.push(uuid);
            numbered += &uuid.to_string();
            rest = &rest[36..];
        } else if let Some(after) = rest.strip_prefix("\"name\":\"") {
            let name = format!("Thing {}.", names.len());
            numbered += &format!("\"name\":\"{name}");
            names.push(name);
            rest = &after[after.find('"').unwrap()..];
        } else {
            numbered.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    let ledger: Ledger = serde_json::from_str(&numbered).unwrap();
    let sought = uuids.into_iter().map(Sought::Uuid).chain(names.iter().map(|name| named(name)));
    let found: Vec<Sought> = sought.filter(|sought| !find(&ledger, sought).is_empty()).collect();
    assert!(found.len() > 30, "{found:?}");
    found.iter().for_each(|sought| assert!(holds(&ledger, sought), "{sought:?}"));
}

#[test]
fn absent_things_are_seldom_in_the_index() {
    let ledger = ledger_of_all();
    assert!(!holds(&ledger, &named("garden")));
    let wrong = (1..=3000_u128).filter(|number| holds(&ledger, &Sought::Uuid(Uuid::from_u128(number << 64))));
    assert!(wrong.count() < 60);
    let empty = Ledger::empty("", hullmark_ledger::InputKind::Oar, Status::Complete);
    assert!(!holds(&empty, &Sought::Uuid(Uuid::max())) && !holds(&empty, &named("a")));
}

#[test]
fn damaged_indexes_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = of_names(&["Garden chair".into()]);
    let path = ledger.write(folder.path()).unwrap();
    let facts = |read: Ledger| Ledger { checksum: String::new(), ..read };
    let read = |sought: &Sought| Ledger::read_if_it_holds(&path, sought).map(|(_, ledger)| ledger.map(facts));
    assert_eq!(read(&named("GARDEN")).unwrap(), Some(ledger));
    assert_eq!(read(&named("table")).unwrap(), None);
    let mut bytes = std::fs::read(&path).unwrap();
    let start = bytes.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    bytes[start + 9] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    assert!(read(&named("table")).unwrap_err().to_string().contains("its index is damaged"));
    std::fs::write(&path, &bytes[..start + 5]).unwrap();
    assert!(read(&named("table")).unwrap_err().to_string().contains("its index is damaged"));
    for index in [&[][..], &[1; 8], &[255; 30], &[0; 20]] {
        assert!(may_hold(index, &named("a")).is_err());
    }
}

proptest! {
    #[test]
    fn the_index_says_what_a_search_finds(names in vec_of_names(), name in ".{1,4}") {
        let ledger = of_names(&names);
        let parts = names.iter().flat_map(|name| {
            let ends = name.char_indices().map(|(at, _)| at).chain([name.len()]);
            ends.clone().zip(ends.skip(2)).map(|(start, end)| &name[start..end])
        });
        for sought in parts.chain([&*name]).map(named) {
            let finds = !find(&ledger, &sought).is_empty();
            // A text that goes from one name to the next is the only other match.
            let Sought::Name(text) = &sought else { unreachable!() };
            let is_inside = finds || text.contains('\n');
            prop_assert!(!finds || holds(&ledger, &sought), "{sought:?}");
            prop_assert!(is_inside || !holds(&ledger, &sought), "{sought:?}");
        }
    }
}

/// Names with letters whose lower case is longer, shorter or depends on its place.
fn vec_of_names() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec("[a-zA-Z0-9 \u{130}\u{212a}\u{3a3}\u{1e9e}ÄéЖ水\n]{0,12}", 0..20)
}
