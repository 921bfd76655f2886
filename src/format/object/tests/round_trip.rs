//! Tests that a ledger preserves decoded data.

use super::*;
use proptest::{array, collection::vec, option, prelude::*};

/// Returns any number that JSON can store, and some that it cannot.
fn number() -> impl Strategy<Value = f64> {
    let odd = [0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    prop_oneof![4 => -1e300..1e300, 2 => prop::sample::select(odd.to_vec())]
}

fn vector() -> impl Strategy<Value = DVec3> {
    array::uniform3(number()).prop_map(DVec3::from_array)
}

/// Returns a UUID that is often nil.
fn id() -> impl Strategy<Value = Uuid> {
    prop_oneof![Just(Uuid::nil()), any::<u128>().prop_map(Uuid::from_u128)]
}

fn permissions() -> impl Strategy<Value = Option<Permissions>> {
    option::of(any::<[u32; 4]>().prop_map(Permissions::from))
}

fn any_item() -> impl Strategy<Value = Item> {
    (".*", any::<[i32; 2]>(), array::uniform4(id()), any::<bool>(), permissions()).prop_map(
        |(name, [asset_type, inventory_type], [uuid, asset, owner, creator], creator_data, permissions)| {
            Item { uuid, name, asset, asset_type, inventory_type, owner, creator, creator_data, permissions }
        },
    )
}

fn any_reference() -> impl Strategy<Value = Reference> {
    let uses = [Use::Texture, Use::NormalMap, Use::RenderMaterial, Use::CollisionSound, Use::Animation];
    (id(), prop::sample::select(uses.to_vec())).prop_map(|(asset, what)| what.reference(asset))
}

prop_compose! {
    fn any_part()(
        [scale, group_position, offset_position, velocity] in array::uniform4(vector()),
        rotation in array::uniform4(number()).prop_map(DQuat::from_array),
        rotation_length in prop_oneof![0.0..2.0_f32, Just(f32::NAN), Just(f32::INFINITY)],
        [uuid, owner, last_owner, group, creator] in array::uniform5(id()),
        creator_data in option::of(".*"),
        permissions in permissions(),
        references in vec(any_reference(), 0..4),
        inventory in vec(any_item(), 0..4),
    ) -> Part {
        Part {
            scale, group_position, offset_position, velocity, rotation, rotation_length, uuid, owner,
            last_owner, group, creator, creator_data, permissions, references, inventory, ..Part::default()
        }
    }
}

proptest! {
    #[test]
    fn a_linkset_comes_back_from_a_ledger_as_it_went_in(
        parts in vec(any_part(), 0..3),
        script_states in vec(id(), 0..3),
        linkset_data in option::of(any::<u64>()),
        keyframe_motion in any::<bool>(),
    ) {
        let linkset = Linkset { parts, script_states, linkset_data, keyframe_motion, ..Linkset::default() };
        let text = serde_json::to_string(&linkset).unwrap();
        let back: Linkset = serde_json::from_str(&text).unwrap();
        // As text, because NaN does not equal itself.
        prop_assert_eq!(format!("{back:?}"), format!("{linkset:?}"));
    }
}
