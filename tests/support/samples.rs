//! The files of `sample_data`, each made for one thing that it shows. `expected.toml` says what.

use super::{
    archive::{Archive, control, control_of_many, parcel, settings},
    llsd::Llsd,
    mesh::{MeshFile, ball, convex, convex_named, cube_corners, cube_submesh, scene, submesh},
    object::{OWNER, Prim, coalesced, uuid, xml1, xml2},
};

/// Made by OpenJPEG; see the page beside them.
const SPHERE_MAP: &[u8] = include_bytes!("sculpt_maps/sphere.j2c");
const WIDE_MAP: &[u8] = include_bytes!("sculpt_maps/wide.j2c");

const REGION: &str = "4e4e4e4e-0000-4000-8000-000000000001";
const SECOND_REGION: &str = "4e4e4e4e-0000-4000-8000-000000000002";
const PARCEL: &str = "9a9a9a9a-0000-4000-8000-000000000001";
const SECOND_PARCEL: &str = "9a9a9a9a-0000-4000-8000-000000000002";

/// Every sample: its path below `sample_data`, and its bytes.
pub fn all() -> Vec<(String, Vec<u8>)> {
    // A quarter of a megabyte of flat terrain, once is enough.
    let mut bare = clean_region();
    bare.members.retain(|(name, _)| !name.starts_with("terrains/"));
    let mut files = vec![
        ("regions/clean-region.oar".to_owned(), clean_region().gzip()),
        ("regions/over-the-cap.oar".into(), over_the_cap().gzip()),
        ("regions/two-regions.oar".into(), two_regions().gzip()),
        ("regions/library.iar".into(), library().gzip()),
        ("regions/empty-box.oar".into(), empty_box().gzip()),
        ("regions/sculpts.oar".into(), sculpts(true).gzip()),
        ("regions/full-parcels.oar".into(), full_parcels().gzip()),
        ("regions/land-that-does-not-fit.oar".into(), land_that_does_not_fit().gzip()),
        ("regions/plain-tar.oar".into(), bare.tar()),
    ];
    let tree = bare.members.into_iter().filter(|(name, _)| !name.ends_with('/'));
    files.extend(tree.map(|(name, content)| (format!("regions/unpacked/{name}"), content)));
    files.extend(meshes().into_iter().map(|(name, bytes)| (format!("meshes/{name}"), bytes)));
    files.extend(objects().into_iter().map(|(name, text)| (format!("objects/{name}"), text.into_bytes())));
    files
}

fn mesh_uuid(number: u32) -> String {
    uuid(0x3e3e_3e3e, number)
}

fn asset(number: u32, suffix: &str) -> String {
    format!("assets/{}_{suffix}", mesh_uuid(number))
}

fn object_path(prim: &Prim) -> String {
    let [x, y, z] = prim.position.map(f64::round);
    format!("objects/{}_{x:03}-{y:03}-{z:03}__{}.xml", prim.name, prim.uuid)
}

/// Nothing is wrong here: two linksets, one of them a mesh, on a parcel of half the region.
fn clean_region() -> Archive {
    let table = Prim { position: [10.25, 20.5, 21.0], scale: [2.0, 1.0, 0.1], ..Prim::new("Table", 1) };
    let leg = Prim {
        offset: [0.9, 0.4, -0.5],
        position: table.position,
        scale: [0.1, 0.1, 0.9],
        ..Prim::new("Leg", 2)
    };
    let crate_ = Prim {
        position: [200.0, 200.0, 22.0],
        scale: [1.0, 2.0, 3.0],
        mesh: Some(mesh_uuid(1)),
        physics_shape_type: Some(2),
        scripts: 1,
        ..Prim::new("Crate", 3)
    };
    Archive::new(&control(REGION, "256,256"))
        .add("objects/", "")
        .add(&object_path(&table), xml2(&[table.clone(), leg]))
        .add(&object_path(&crate_), xml2(std::slice::from_ref(&crate_)))
        .add(&asset(1, "mesh.llmesh"), MeshFile::cube().encode())
        .add("settings/Clean.xml", settings("1"))
        .add(&format!("landdata/{PARCEL}.xml"), parcel(PARCEL, "West", OWNER, 64, |x, _| x < 32))
        .add(
            &format!("landdata/{SECOND_PARCEL}.xml"),
            parcel(SECOND_PARCEL, "East", OWNER, 64, |x, _| x >= 32),
        )
        .add("terrains/Clean.r32", vec![0; 256 * 256 * 4])
}

/// A physical cart whose decomposition costs 4 × 0.04 × 257 = 41.12, and a name that looks like a formula.
fn over_the_cap() -> Archive {
    let corners = [[-0.25, -0.25, 0.0], [0.25, -0.25, 0.0], [-0.25, 0.25, 0.0], [0.25, 0.25, 0.0]];
    let hulls: Vec<_> = corners.iter().map(|&centre| ball(256, centre, 0.2)).collect();
    let mesh = MeshFile::cube().block("physics_convex", &convex(&cube_corners(), &hulls));
    let cart = Prim {
        scale: [4.0, 2.0, 1.0],
        flags: "Physics, Scripted",
        mesh: Some(mesh_uuid(2)),
        scripts: 2,
        contains: Some(mesh_uuid(9)),
        ..Prim::new("=Cart", 4)
    };
    let gift = Prim::new("Gift", 5);
    Archive::new(&control(REGION, "256,256"))
        .add(&object_path(&cart), xml2(std::slice::from_ref(&cart)))
        .add(&asset(2, "mesh.llmesh"), mesh.encode())
        .add(&asset(9, "object.xml"), xml1(&[gift]))
        .add("settings/Race Track.xml", settings("1.5"))
        .add(&format!("landdata/{PARCEL}.xml"), parcel(PARCEL, "All", OWNER, 64, |_, _| true))
}

/// Two regions with a gap between them, one of them 512 m wide, and a name too long for a tar header.
fn two_regions() -> Archive {
    let hut = Prim { position: [500.0, 300.0, 30.0], ..Prim::new("Hut", 6) };
    let long = Prim { position: [1.0, 2.0, 3.0], ..Prim::new(&"A very long name ".repeat(7), 7) };
    let rows = [
        vec![Some((REGION, "1_1_Wide_Plains", "512,512")), None],
        vec![None, Some((SECOND_REGION, "2_2_Hill", "256,256"))],
    ];
    Archive::new(&control_of_many(&rows))
        .add(&format!("regions/1_1_Wide_Plains/{}", object_path(&hut)), xml2(&[hut]))
        .add("regions/1_1_Wide_Plains/settings/Wide Plains.xml", settings("1"))
        .add(
            &format!("regions/1_1_Wide_Plains/landdata/{PARCEL}.xml"),
            parcel(PARCEL, "Plains", OWNER, 128, |_, _| true),
        )
        .add(&format!("regions/2_2_Hill/{}", object_path(&long)), xml2(&[long]))
        .add("regions/2_2_Hill/settings/Hill.xml", settings("20,5"))
}

/// A box whose content did not come along.
fn empty_box() -> Archive {
    let chest = Prim { contains: Some(mesh_uuid(99)), ..Prim::new("Chest", 8) };
    Archive::new(&control(REGION, "256,256"))
        .add(&object_path(&chest), xml2(&[chest]))
        .add(&asset(1, "mesh.llmesh"), MeshFile::cube().encode())
}

/// Parcels of a cell or two, which hold 5 or 11. One owner has two, of which one is over alone and both together
/// are not; a second one is over. A third has room for what stands there and not for what it may become: a ring that
/// is dear under new accounting, and a scripted mesh that is dear when it is physical.
fn full_parcels() -> Archive {
    let other_owner = |number| uuid(0x0a0a_0a0a, number);
    let at = |name: &str, number, x: f64| Prim { position: [x, 2.0, 25.0], ..Prim::new(name, number) };
    let stack = |name: &str, number, x: f64, prims: u32| -> Vec<Prim> {
        (0..prims).map(|i| Prim { position: [x, 2.0, 25.0], ..at(name, number + i, x) }).collect()
    };
    let ring = Prim { torus: true, ..at("Ring", 240, 66.0) };
    let boat = Prim {
        mesh: Some(mesh_uuid(1)),
        physics_shape_type: Some(2),
        scale: [40.0; 3],
        scripts: 1,
        ..at("Boat", 241, 70.0)
    };
    let objects = [stack("Shelf", 200, 2.0, 6), stack("Wall", 210, 34.0, 6), vec![ring], vec![boat]];
    let land = |number, name: &str, owner: &str, cells: std::ops::Range<usize>| {
        let uuid = uuid(0x9a9a_9a9a, number);
        let text = parcel(&uuid, name, owner, 64, |x, y| y == 0 && cells.contains(&x));
        (format!("landdata/{uuid}.xml"), text)
    };
    let lands = [
        land(11, "Crowded", OWNER, 0..1),
        land(12, "Empty", OWNER, 1..2),
        land(13, "Over", &other_owner(2), 8..9),
        land(14, "Room for little", &other_owner(3), 16..18),
    ];
    let archive = objects.iter().fold(Archive::new(&control(REGION, "256,256")), |archive, parts| {
        archive.add(&object_path(&parts[0]), xml2(parts))
    });
    let archive = archive.add(&asset(1, "mesh.llmesh"), MeshFile::cube().encode());
    lands.iter().fold(archive, |archive, (name, text)| archive.add(name, text))
}

/// A region of 512 m with a telehub that is not there, and parcels whose bitmaps are of a smaller region, without a
/// cell, and absent; and one whose settings end too early, in a region of its own.
fn land_that_does_not_fit() -> Archive {
    let rows = [vec![Some((REGION, "1_1_Large", "512,512")), Some((SECOND_REGION, "2_1_Cut", "256,256"))]];
    let hut = |number| Prim::new("Hut", number);
    let land = |number| format!("regions/1_1_Large/landdata/{}.xml", uuid(0x9a9a_9a9a, number));
    let of = |number, name, cells, covers: fn(usize, usize) -> bool| {
        parcel(&uuid(0x9a9a_9a9a, number), name, OWNER, cells, covers)
    };
    let whole = of(24, "No bitmap", 128, |_, _| true);
    let (before, rest) = whole.split_once("<Bitmap>").unwrap();
    let without = format!("{before}<Bitmap>{}", &rest[rest.find("</Bitmap>").unwrap()..]);
    let cut = settings("1");
    let telehub =
        format!("<Telehub><TelehubObject>{}</TelehubObject></Telehub></Region", uuid(0x0b0b_0b0b, 999));
    let lost = cut.replace("</Region", &telehub);
    Archive::new(&control_of_many(&rows))
        .add(&format!("regions/1_1_Large/{}", object_path(&hut(250))), xml2(&[hut(250)]))
        .add("regions/1_1_Large/settings/Large.xml", lost)
        .add(&land(21), of(21, "Fits", 128, |_, _| true))
        .add(&land(22), of(22, "Of 256 m", 64, |_, _| true))
        .add(&land(23), of(23, "Nowhere", 128, |_, _| false))
        .add(&land(24), without)
        .add(&format!("regions/2_1_Cut/{}", object_path(&hut(251))), xml2(&[hut(251)]))
        .add("regions/2_1_Cut/settings/Cut.xml", &cut[..cut.len() / 2])
        .add(&asset(1, "mesh.llmesh"), MeshFile::cube().encode())
}

/// Three sculpted prims: with their map, without, with one that is cut short; and a texture that nobody sculpts
/// with. Maps stand behind the objects, as OpenSim writes them, or before.
pub fn sculpts(objects_first: bool) -> Archive {
    let prim =
        |name: &str, number: u32, map: u32| Prim { sculpt: Some(mesh_uuid(map)), ..Prim::new(name, number) };
    let prims = [prim("Ball", 30, 30), prim("Lost", 31, 31), prim("Torn", 32, 32), prim("Wide", 33, 33)];
    let torn = &SPHERE_MAP[..SPHERE_MAP.len() / 2];
    let maps = [(30, SPHERE_MAP), (32, torn), (33, WIDE_MAP), (34, SPHERE_MAP)];
    let objects = |archive: Archive| {
        prims
            .iter()
            .fold(archive, |archive, prim| archive.add(&object_path(prim), xml2(std::slice::from_ref(prim))))
    };
    let textures = |archive: Archive| {
        maps.iter().fold(archive, |archive, (number, map)| archive.add(&asset(*number, "texture.jp2"), map))
    };
    let archive = Archive::new(&control(REGION, "256,256"));
    if objects_first { textures(objects(archive)) } else { objects(textures(archive)) }
}

/// An inventory archive: a coalesced object and a single one.
fn library() -> Archive {
    let control = "<?xml version=\"1.0\" encoding=\"utf-16\"?><archive major_version=\"0\" minor_version=\"3\">\
                   <assets_included>True</assets_included></archive>";
    let item = |name: &str, asset: &str| {
        format!(
            "<?xml version=\"1.0\" encoding=\"utf-16\"?><InventoryItem><Name>{name}</Name><ID>{asset}</ID>\
             <InvType>6</InvType><CreatorUUID>{OWNER}</CreatorUUID><Owner>{OWNER}</Owner><AssetType>6</AssetType>\
             <AssetID>{asset}</AssetID></InventoryItem>"
        )
    };
    let folder = "inventory/Things__11111111-0000-4000-8000-000000000001/";
    let pair = [vec![Prim::new("First", 10)], vec![Prim::new("Second", 11)]];
    Archive::new(control)
        .add(folder, "")
        .add(&format!("{folder}Pair__{}.xml", uuid(0x1212_1212, 1)), item("Pair", &mesh_uuid(10)))
        .add(&format!("{folder}Box__{}.xml", uuid(0x1212_1212, 2)), item("Box", &mesh_uuid(11)))
        .add(&asset(10, "object.xml"), coalesced(&pair))
        .add(&asset(11, "object.xml"), xml1(&[Prim::new("Box", 12)]))
}

/// Loose mesh assets.
fn meshes() -> Vec<(String, Vec<u8>)> {
    let hull = |points: usize| ball(points, [0.0; 3], 0.5);
    let lod = Llsd::Array(vec![cube_submesh()]);
    let tetrahedra: Vec<_> = (0..257_u16)
        .map(|i| {
            let x = i * 200;
            vec![[x, 0, 0], [x + 100, 0, 0], [x, 100, 0], [x, 0, 100]]
        })
        .collect();
    let with_convex = |block: &Llsd| MeshFile::cube().block("physics_convex", block);
    let base_257 = with_convex(&convex(&hull(257), &[])).encode();
    let hull_256 = with_convex(&convex(&cube_corners(), &[hull(256)])).encode();
    let hulls_257 = with_convex(&convex(&cube_corners(), &tetrahedra)).encode();
    let beta = MeshFile::cube()
        .without("physics_convex")
        .block("decomposition", &convex_named(&cube_corners(), &[cube_corners()], "Hull", "Position"))
        .block("physics_shape", &lod);
    let both =
        beta.clone().block("physics_mesh", &lod).block("physics_convex", &convex(&cube_corners(), &[]));
    let costs = Llsd::map([
        ("hull", Llsd::Real(0.3)),
        ("hull_discounted_vertices", Llsd::Int(6)),
        ("mesh_triangles", Llsd::Int(12)),
    ]);
    let sliver =
        submesh(&[[0, 0, 0], [65_535, 0, 0], [30_000, 0, 0], [0, 65_535, 0]], &[[0, 1, 2], [0, 1, 3]]);
    let mut prefixed = b"<? LLSD/Binary ?>\n".to_vec();
    prefixed.extend(MeshFile::cube().encode());
    let cube = MeshFile::cube().encode();
    let hull_list = |sizes: &[u8]| {
        let Llsd::Map(mut entries) = convex(&cube_corners(), &[cube_corners()]) else { unreachable!() };
        entries
            .iter_mut()
            .filter(|(key, _)| key == "HullList")
            .for_each(|(_, list)| *list = Llsd::Bytes(sizes.to_vec()));
        with_convex(&Llsd::Map(entries)).encode()
    };
    let without_domain = {
        let Llsd::Map(mut entries) = convex(&cube_corners(), &[]) else { unreachable!() };
        entries.retain(|(key, _)| key != "Min" && key != "Max");
        with_convex(&Llsd::Map(entries)).encode()
    };
    let flat = [cube_corners()[..3].to_vec(), cube_corners(), cube_corners()[..2].to_vec()];
    let named = |name: &str, bytes| (name.to_owned(), bytes);
    vec![
        named("clean-cube.llmesh", cube.clone()),
        named("base-hull-of-257-points.llmesh", base_257),
        named("hull-of-256-points.llmesh", hull_256),
        named("decomposition-of-257-hulls.llmesh", hulls_257),
        named("hull-list-longer-than-positions.llmesh", hull_list(&[8, 8])),
        named("hull-list-shorter-than-positions.llmesh", hull_list(&[6])),
        named(
            "hulls-of-three-and-of-two-points.llmesh",
            with_convex(&convex(&cube_corners(), &flat)).encode(),
        ),
        named("base-hull-of-two-points.llmesh", with_convex(&convex(&cube_corners()[..2], &[])).encode()),
        named("convex-block-without-domain.llmesh", without_domain),
        named("beta-spelling.mesh", beta.encode()),
        named("both-spellings.mesh", both.encode()),
        named("text-prefix.mesh", prefixed),
        named("costs-from-the-simulator.llmesh", MeshFile::cube().entry("physics_cost_data", costs).encode()),
        named(
            "sliver-in-physics-mesh.llmesh",
            MeshFile::cube().block("physics_mesh", &Llsd::Array(vec![sliver])).encode(),
        ),
        named("truncated.llmesh", cube[..cube.len() - 40].to_vec()),
        named("scene-of-two.slm", scene(&[cube.clone(), MeshFile::cube().without("lowest_lod").encode()])),
        named("bare-mesh.slm", cube),
    ]
}

/// Loose objects.
fn objects() -> Vec<(String, String)> {
    let row = |count: u32, step: f64| -> Vec<Prim> {
        (0..count)
            .map(|i| Prim {
                offset: [step * f64::from(i), 0.0, 0.0],
                ..Prim::new(&format!("Prim {i}"), 100 + i)
            })
            .collect()
    };
    let physical = |parts: Vec<Prim>| -> Vec<Prim> {
        parts.into_iter().map(|part| Prim { flags: "Physics", ..part }).collect()
    };
    let mut ship = physical(row(3, 2.0));
    ship[1].scale = [65.0, 2.0, 0.5];
    ship[2].scale = [0.5, 0.5, 70.0];
    let balloon =
        Prim { scale: [10.0; 3], torus: true, physics_shape_type: Some(2), ..Prim::new("Balloon", 21) };
    let mut porch = row(2, 1.0);
    porch[0].physics_shape_type = Some(1);
    let missing_mesh = Prim { mesh: Some(mesh_uuid(77)), ..Prim::new("Ghost", 20) };
    let cut = xml2(&row(3, 1.0));
    let named = |name: &str, text| (name.to_owned(), text);
    vec![
        named("sixty-metres-across.xml", xml2(&row(2, 60.0))),
        named("exactly-54-metres-across.xml", xml2(&row(2, 54.0))),
        named("just-below-54-metres.xml", xml2(&row(2, 53.999))),
        named("linkset-of-256-prims.xml", xml2(&row(256, 0.1))),
        named("linkset-of-255-prims.xml", xml2(&row(255, 0.1))),
        named("physical-linkset-of-33-prims.xml", xml2(&physical(row(33, 0.5)))),
        named("physical-linkset-of-32-prims.xml", xml2(&physical(row(32, 0.5)))),
        named("physical-ship-with-a-mast-of-70-metres.xml", xml2(&ship)),
        named("physical-balloon.xml", xml2(&physical(vec![balloon]))),
        named("root-of-shape-none.xml", xml2(&porch)),
        named("mesh-is-missing.xml", xml2(&[missing_mesh])),
        named("cut-in-its-last-part.xml", cut[..cut.len() - 400].to_owned()),
        named("saved-scene.xml", format!("<scene>{}{}</scene>", xml2(&row(1, 0.0)), xml2(&row(2, 1.0)))),
    ]
}
