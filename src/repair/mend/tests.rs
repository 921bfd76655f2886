//! Changes that somebody chose, of documents that were changed anywhere.

use super::{Mended, cut_parcel, in_inventory_layout, object, shaped, shifted};
use glam::DVec3;
use hullmark_settings::limits::Limits;
use proptest::prelude::*;

const OBJECT: &[u8] = b"<SceneObjectGroup><SceneObjectPart><UUID><UUID>0b0b0b0b-0000-4000-8000-000000000001</UUID></UUID>\
    <Name>Root</Name><LinkNum>1</LinkNum><GroupPosition><X>10.5</X><Y>20</Y><Z>30</Z></GroupPosition><Shape></Shape>\
    <PhysicsShapeType>0</PhysicsShapeType></SceneObjectPart><OtherParts><SceneObjectPart><UUID><UUID>\
    0b0b0b0b-0000-4000-8000-000000000002</UUID></UUID><LinkNum>2</LinkNum><GroupPosition><X>10.5</X><Y>20</Y><Z>30</Z>\
    </GroupPosition><Shape></Shape></SceneObjectPart></OtherParts></SceneObjectGroup>";

const PARCEL: &[u8] =
    b"<LandData><Area>65536</Area><GlobalID>0b0b0b0b-0000-4000-8000-000000000003</GlobalID><Bitmap>AA==\
    </Bitmap><UserLocation>&lt;300, 20, 30&gt;</UserLocation></LandData>";

fn changed(document: &[u8], changes: &[(usize, u8)], cut: usize) -> Vec<u8> {
    let mut bytes = document.to_vec();
    for &(at, byte) in changes {
        let at = at % bytes.len();
        bytes[at] = byte;
    }
    bytes.truncate(cut);
    bytes
}

fn is_sound(bytes: &[u8], of_inventories: bool) -> bool {
    object(bytes, of_inventories, &Limits::default()) == Mended::Sound
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn a_changed_object_is_taken_if_it_was(
        changes in prop::collection::vec((any::<usize>(), any::<u8>()), 0..3),
        cut in prop_oneof![3 => Just(9_999_usize), 1 => 0..900_usize],
        by in prop::array::uniform3(-512.0..512.0_f64),
        number in 0..4_u8,
    ) {
        let bytes = changed(OBJECT, &changes, cut);
        let was_sound = is_sound(&bytes, false);
        if let Some(item) = in_inventory_layout(&bytes) {
            prop_assert!(!was_sound || is_sound(&item, true), "{}", String::from_utf8_lossy(&item));
            prop_assert_eq!(in_inventory_layout(&item), Some(item.clone()), "a second change");
        } else {
            prop_assert!(!was_sound || !changes.is_empty());
        }
        if let Some(moved) = shifted(&bytes, DVec3::from(by)) {
            prop_assert!(!was_sound || is_sound(&moved, false), "{}", String::from_utf8_lossy(&moved));
        }
        if let Some((set, all)) = shaped(&bytes, &[], number) {
            prop_assert!(!all.is_empty());
            prop_assert!(!was_sound || is_sound(&set, false), "{}", String::from_utf8_lossy(&set));
            prop_assert!(shaped(&set, &[], number).is_none(), "a second change of {}", String::from_utf8_lossy(&set));
        }
        _ = shaped(&bytes, &[1..=i32::MAX], number);
    }

    #[test]
    fn a_parcel_of_a_square_is_what_it_was_elsewhere(
        changes in prop::collection::vec((any::<usize>(), any::<u8>()), 0..3),
        cut in 0..200_usize,
    ) {
        let bytes = changed(PARCEL, &changes, cut);
        let parcel = cut_parcel(&bytes, &[0xFF; 512], DVec3::new(-256.0, 0.0, 0.0), None);
        if changes.is_empty() && cut >= PARCEL.len() {
            let text = String::from_utf8(parcel).unwrap();
            prop_assert!(text.contains("<Area>65536</Area>"));
            prop_assert!(text.contains("<UserLocation>&lt;44, 20, 30&gt;</UserLocation>"));
            prop_assert!(text.contains("0b0b0b0b-0000-4000-8000-000000000003"));
        }
    }
}

#[test]
fn only_the_named_prims_get_another_shape() {
    let (set, changes) = shaped(OBJECT, &[2..=7], 1).unwrap();
    assert_eq!(changes.len(), 1);
    assert_eq!(changes[0].part.unwrap().to_string(), "0b0b0b0b-0000-4000-8000-000000000002");
    let text = String::from_utf8(set).unwrap();
    assert_eq!(text.matches("<PhysicsShapeType>0</PhysicsShapeType>").count(), 1);
    assert_eq!(
        text.matches("<PhysicsShapeType>1</PhysicsShapeType></SceneObjectPart></OtherParts>").count(),
        1
    );
    // A link number of two prims names neither.
    let twins = String::from_utf8(OBJECT.to_vec()).unwrap().replace("<LinkNum>2", "<LinkNum>1");
    assert!(shaped(twins.as_bytes(), &[1..=1], 2).is_none());
}
