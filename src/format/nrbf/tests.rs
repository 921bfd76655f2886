//! Tests with a file in the layout of 0.9.2, and the same file mutated.

use super::*;
use proptest::prelude::*;

const ID: &str = "bcac468f-87bc-4d59-94f1-bcff6e41cb6f";

/// Writes a text as .NET does.
fn text(bytes: &mut Vec<u8>, text: &str) {
    bytes.push(u8::try_from(text.len()).unwrap());
    bytes.extend(text.as_bytes());
}

/// Returns a serialized asset, with a reference to an object that follows, and an enumeration.
fn file(data: &[u8]) -> Vec<u8> {
    let number = |number: i32| number.to_le_bytes();
    let mut file = vec![0];
    [1, -1, 1, 0].iter().for_each(|value| file.extend(number(*value)));
    file.push(12);
    file.extend(number(2));
    text(&mut file, "OpenSim.Framework, Version=0.9.2.0");
    file.push(5);
    file.extend(number(1));
    text(&mut file, ASSET);
    file.extend(number(3));
    ["m_data", "m_metadata", "m_uploadAttempts"].iter().for_each(|name| text(&mut file, name));
    file.extend([7, 4, 0, 2]);
    text(&mut file, "OpenSim.Framework.AssetMetadata");
    file.extend(number(2));
    file.push(8);
    file.extend(number(2));
    file.push(9);
    file.extend(number(3));
    file.push(9);
    file.extend(number(4));
    file.extend(number(0));
    file.push(15);
    file.extend(number(3));
    file.extend(number(data.len() as i32));
    file.push(2);
    file.extend(data);
    file.push(5);
    file.extend(number(4));
    text(&mut file, "OpenSim.Framework.AssetMetadata");
    file.extend(number(5));
    ["m_id", "m_name", "m_creation_date", "m_type", "m_flags"].iter().for_each(|name| text(&mut file, name));
    file.extend([1, 1, 0, 0, 4, 13, 10]);
    text(&mut file, "OpenSim.Framework.AssetFlags");
    file.extend(number(2));
    file.extend(number(2));
    file.push(6);
    file.extend(number(6));
    text(&mut file, ID);
    file.push(6);
    file.extend(number(7));
    text(&mut file, "Bridge");
    file.extend([0; 8]);
    file.push(49);
    file.push(5);
    file.extend(number(-8));
    text(&mut file, "OpenSim.Framework.AssetFlags");
    file.extend(number(1));
    text(&mut file, "value__");
    file.extend([0, 8]);
    file.extend(number(2));
    file.extend(number(0));
    file.push(11);
    file
}

#[test]
fn members_are_found_by_name() {
    let file = file(b"content");
    let asset = CachedAsset { id: ID, name: "Bridge", asset_type: 49, bytes: b"content" };
    assert_eq!(decode(&file), Ok(asset));
    assert!(is_asset(&file) && !is_asset(&file[1..]));
}

#[test]
fn every_cut_is_one() {
    let file = file(b"content");
    assert_eq!(decode(b""), Err(NrbfFault::Empty));
    for end in 1..file.len() {
        assert_eq!(decode(&file[..end]), Err(NrbfFault::Cut { position: end as u64 }), "{end}");
    }
}

#[test]
fn nested_records_end() {
    let mut file = file(b"");
    file.truncate(17);
    for _ in 0..100_000 {
        file.extend([12, 2, 0, 0, 0, 0]);
    }
    assert_eq!(decode(&file), Err(NrbfFault::TooComplex));
}

#[test]
fn real_files_are_read_and_every_cut_is_found() {
    let Ok(folders) = std::fs::read_dir("../shared/data/flotsam-cache") else { return };
    let mut assets = 0;
    for folder in folders.filter(|folder| folder.as_ref().unwrap().path().is_dir()) {
        for file in std::fs::read_dir(folder.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|ending| ending == "fac") {
                continue;
            }
            let bytes = std::fs::read(&path).unwrap();
            let asset = decode(&bytes).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
            assert_eq!(asset.id, path.file_name().unwrap().to_str().unwrap());
            assert!(is_asset(&bytes));
            let step = bytes.len() / 50 + 1;
            assert!((0..bytes.len()).step_by(step).all(|end| decode(&bytes[..end]).is_err()));
            assets += 1;
        }
    }
    assert!(assets > 20, "{assets}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]
    #[test]
    fn mutants_give_an_asset_or_a_fault(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        end in any::<prop::sample::Index>(),
        is_cut in any::<bool>(),
    ) {
        let mut file = file(b"content");
        for (at, byte) in changes {
            let at = at.index(file.len());
            file[at] = byte;
        }
        if is_cut {
            file.truncate(end.index(file.len()));
        }
        if let Ok(asset) = decode(&file) {
            prop_assert!(asset.bytes.len() < file.len());
        }
    }

    #[test]
    fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = decode(&bytes);
    }
}
