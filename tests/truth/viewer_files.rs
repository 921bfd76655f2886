//! Viewers' files: random objects through a writer of their own, and a real export.

use crate::support::{oxp::Oxp, scan_one, shared};
use glam::{DQuat, DVec3};
use hullmark_analysis::{Measured, cost::NotEvaluated};
use hullmark_format::{
    object::{Item, Layout, Linkset, Part, Permissions, Sculpt, Shape},
    reference::{Reference, Use},
    viewer::{self, oxp},
};
use hullmark_ledger::facts::Role;
use hullmark_settings::{limits::Limits, profile::Profile};
use proptest::{collection::vec, option, prelude::*};
use std::{collections::BTreeMap, fs};
use uuid::Uuid;

fn id() -> impl Strategy<Value = Uuid> {
    (1..u128::MAX).prop_map(Uuid::from_u128)
}

fn vector(most: f64) -> impl Strategy<Value = DVec3> {
    [-most..most, -most..most, -most..most].prop_map(DVec3::from_array)
}

fn permissions() -> impl Strategy<Value = Permissions> {
    any::<[u32; 4]>().prop_map(Permissions::from)
}

/// Rotations of length 1, whose normalization changes no digit.
fn rotation() -> impl Strategy<Value = DQuat> {
    prop::sample::select(vec![[0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0], [0.6, 0.0, 0.8, 0.0]])
        .prop_map(DQuat::from_array)
}

fn item() -> impl Strategy<Value = Item> {
    let kinds = prop::sample::select(vec![(10, 10), (0, 0)]);
    (kinds, [id(), id(), id(), id()], "[a-zA-Z0-9 ]{0,20}", option::of(permissions())).prop_map(
        |((asset_type, inventory_type), [uuid, asset, owner, creator], name, permissions)| Item {
            uuid,
            name,
            asset,
            asset_type,
            inventory_type,
            owner,
            creator,
            creator_data: false,
            permissions,
        },
    )
}

fn shape() -> impl Strategy<Value = Shape> {
    let sculpt = option::of((id(), 0..=255_u8).prop_map(|(asset, kind)| Sculpt { asset, kind }));
    let bytes = any::<[u8; 7]>();
    let signed = any::<[i8; 6]>();
    (sculpt, bytes, signed, any::<[u16; 3]>(), [0..=50_000_u16, 0..=50_000], any::<bool>()).prop_map(
        |(
            sculpt,
            bytes,
            signed,
            [path_begin, profile_begin, profile_hollow],
            [path_end, profile_end],
            flexi_entry,
        )| {
            let [
                profile_curve,
                path_curve,
                path_scale_x,
                path_scale_y,
                path_shear_x,
                path_shear_y,
                path_revolutions,
            ] = bytes;
            let [path_skew, path_twist, path_twist_begin, path_radius_offset, path_taper_x, path_taper_y] =
                signed;
            Shape {
                pcode: 9,
                profile_curve,
                path_curve,
                path_begin,
                path_end,
                profile_begin,
                profile_end,
                profile_hollow,
                path_scale_x,
                path_scale_y,
                path_shear_x,
                path_shear_y,
                path_skew,
                path_twist,
                path_twist_begin,
                path_radius_offset,
                path_taper_x,
                path_taper_y,
                path_revolutions,
                sculpt,
                flexi_entry,
                animesh: false,
            }
        },
    )
}

fn references() -> impl Strategy<Value = Vec<Reference>> {
    let uses = [Use::Texture, Use::NormalMap, Use::SpecularMap];
    let faces = vec((prop::sample::select(uses.to_vec()), id()), 0..6);
    (faces, option::of(id()), option::of(id())).prop_map(|(faces, particle, light)| {
        let mut references: Vec<_> = faces.into_iter().map(|(what, id)| what.reference(id)).collect();
        references.extend(particle.map(|id| Use::Particle.reference(id)));
        references.extend(light.map(|id| Use::Projector.reference(id)));
        references.sort_unstable();
        references.dedup();
        references
    })
}

/// A part with all fields that an OXP holds, or a placeholder.
fn part() -> impl Strategy<Value = Part> {
    let ids = [id(), id(), id(), id(), id()];
    let texts = ("\\PC{0,30}", vec(item(), 0..3), references());
    let numbers = (any::<u32>(), option::of(0..=2_u8), any::<u8>(), 0..4_000_000_000_i64);
    let places = (vector(64.0), vector(4096.0), rotation());
    (ids, texts, numbers, places, shape(), option::of(permissions()), any::<bool>()).prop_map(
        |(
            ids,
            texts,
            (flags, physics_shape_type, state, created),
            (scale, place, rotation),
            shape,
            masks,
            real,
        )| {
            let [uuid, owner, last_owner, group, creator] = ids;
            let placed = Part {
                uuid,
                scale,
                rotation,
                group_position: place,
                offset_position: place,
                ..Part::default()
            };
            if !real {
                return Part { placeholder: true, ..placed };
            }
            let (name, inventory, references) = texts;
            Part {
                name,
                owner,
                last_owner,
                group,
                creator,
                permissions: masks,
                created,
                flags,
                physics_shape_type,
                state,
                shape,
                references,
                inventory,
                ..placed
            }
        },
    )
}

/// An object whose parts have link numbers and places as the decoder gives them.
fn linkset() -> impl Strategy<Value = Linkset> {
    vec(part(), 1..6).prop_map(|mut parts| {
        let is_alone = parts.len() == 1;
        for (part, number) in parts.iter_mut().zip(1..) {
            part.link_number = if is_alone { 0 } else { number };
            // A prim of the file has one place.
            let other = if number == 1 { &mut part.offset_position } else { &mut part.group_position };
            *other = DVec3::ZERO;
        }
        Linkset { parts, document_in_link_order: true, ..Linkset::default() }
    })
}

proptest! {
    #[test]
    fn objects_come_back_from_an_oxp_as_they_went_in(linksets in vec(linkset(), 0..4)) {
        let bytes = Oxp::of(&linksets).encode();
        prop_assert_eq!(viewer::sniff(&bytes), Some(Layout::Oxp));
        let (export, defects) = viewer::decode(&bytes, &Limits::default());
        prop_assert_eq!(defects, vec![]);
        prop_assert_eq!(export.linksets, linksets);
    }

    #[test]
    fn assets_come_back_from_an_oxp(assets in vec((id(), vec(any::<u8>(), 0..200)), 0..5)) {
        let assets: BTreeMap<Uuid, Vec<u8>> = assets.into_iter().collect();
        let written = assets.iter().map(|(uuid, data)| (*uuid, "notecard", data.clone())).collect();
        let bytes = Oxp { assets: written, ..Oxp::default() }.encode();
        let mut read = BTreeMap::new();
        oxp::assets(&bytes, &Limits::default(), |uuid, kind, data| {
            assert_eq!(kind, 7);
            read.insert(uuid, data.to_vec());
        });
        prop_assert_eq!(read, assets);
    }
}

/// The numbers were read from the file by another program: 151 boxes of half a metre.
#[test]
fn a_real_export_has_all_its_prims() {
    let Some(shared) = shared() else { return };
    let ledger = scan_one(&shared.join("data/opencollar-remote-8.0.oxp"), &Limits::default());
    assert_eq!((ledger.kind.name(), &ledger.defects[..], ledger.objects.len()), ("folder", &[][..], 1));
    let object = &ledger.objects[0];
    assert_eq!((object.role, object.layout, object.linkset.parts.len()), (Role::Loose, Layout::Oxp, 151));
    let parts = &object.linkset.parts;
    let root = &parts[0];
    assert_eq!(root.uuid.to_string(), "9ae6e56c-40ed-13a9-f2da-e4f39c39be63");
    assert_eq!((root.name.as_str(), root.flags), ("OpenCollar - Remote 8.0", 0x1002_093e));
    for part in &parts[1..] {
        assert_eq!((part.name.as_str(), part.flags), ("Object", 0x1002_097c));
    }
    let owner = "5556d037-3990-4204-a949-73e56cd3cb06";
    for part in parts {
        assert_eq!(
            (part.shape, part.physics_shape_type, part.placeholder),
            (Shape::default(), Some(0), false)
        );
        assert_eq!((part.owner.to_string(), part.creator.to_string()), (owner.into(), owner.into()));
        let masks =
            Permissions { base: 0x7fff_ffff, owner: 0x7fff_ffff, everyone: 0, next_owner: 0x0008_2000 };
        assert_eq!(part.permissions, Some(masks));
        assert_eq!(part.references.len(), 1, "plywood on every face");
    }
    let one =
        parts.iter().find(|part| part.uuid.to_string() == "0057e9db-9199-94a9-0f80-98ecba19686a").unwrap();
    assert_eq!((one.scale, one.offset_position), (DVec3::splat(0.5), DVec3::new(0.0, 0.0, 1.0)));
    assert_eq!(one.created, 0x0005_b5b9_8d05_0bcd / 1_000_000);
    // 151 boxes: legacy accounting counts each as one.
    let profile = Profile::default();
    let measured = Measured::new(&ledger, &profile);
    let (_, measures) = measured.objects().next().unwrap();
    assert_eq!((measures.land_impact.exact(), measures.accounting.name()), (Some(151.0), "legacy"));
    assert!((measures.physics_cost_if_new.exact().unwrap() - 15.1).abs() < 1e-9);
}

/// Each field of the file is read by the raw bytes of the inflated stream, with no decoder in between.
#[test]
fn a_real_export_agrees_with_its_raw_bytes() {
    let Some(shared) = shared() else { return };
    let bytes = fs::read(shared.join("data/opencollar-remote-8.0.oxp")).unwrap();
    let mut raw = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::ZlibDecoder::new(&bytes[..]), &mut raw).unwrap();
    let (export, _) = viewer::decode(&bytes, &Limits::default());
    for part in &export.linksets[0].parts {
        let key = part.uuid.to_string();
        let start =
            memchr::memmem::find(&raw, [&b"k\0\0\0\x24"[..], key.as_bytes()].concat().as_slice()).unwrap();
        let of = |name: &str, count: usize| -> Vec<f64> {
            let name = [&(name.len() as u32).to_be_bytes()[..], name.as_bytes(), b"["].concat();
            let at = start + memchr::memmem::find(&raw[start..], &name).unwrap() + name.len() + 4;
            (0..count)
                .map(|index| f64::from_be_bytes(raw[at + 9 * index + 1..][..8].try_into().unwrap()))
                .collect()
        };
        let place = if part.link_number == 1 { part.group_position } else { part.offset_position };
        assert_eq!(of("position", 3), place.to_array());
        assert_eq!(of("scale", 3), part.scale.to_array());
        let rotation = DQuat::from_slice(&of("rotation", 4));
        assert!((rotation.normalize() - part.rotation).length() < 1e-12);
    }
}

/// A placeholder of a mesh has no cost on any grid, and makes the sums lower bounds.
#[test]
fn placeholders_have_no_costs() {
    let box_ = |number: u128, placeholder| Part {
        uuid: Uuid::from_u128(number),
        name: if placeholder { String::new() } else { "Box".into() },
        references: if placeholder { Vec::new() } else { vec![Use::Texture.reference(Uuid::from_u128(9))] },
        placeholder,
        ..Part::default()
    };
    let linkset = Linkset { parts: vec![box_(1, false), box_(2, true)], ..Linkset::default() };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cart.oxp");
    fs::write(&path, Oxp::of(&[linkset]).encode()).unwrap();
    let ledger = scan_one(&path, &Limits::default());
    for profile in ["second-life", "opensim-ubode", "opensim-bulletsim"] {
        let profile = Profile::load(profile).unwrap();
        let measured = Measured::new(&ledger, &profile);
        let (_, measures) = measured.objects().next().unwrap();
        let [real, placeholder] = &measures.parts[..] else { panic!("two parts") };
        let reason = Some(NotEvaluated::Placeholder);
        for cost in [
            placeholder.collision.physics_cost,
            placeholder.collision.physics_cost_dynamic,
            placeholder.streaming_cost,
        ] {
            assert_eq!((cost.value(), cost.basis().reason()), (None, reason));
        }
        assert!(real.collision.physics_cost.exact().is_some());
        for sum in [measures.physics_cost, measures.streaming_cost] {
            assert_eq!((sum.exact(), sum.basis().reason()), (None, reason));
        }
    }
}
