//! Regions and inventories: objects with their assets, and the land under them.

use super::{File, PARCEL, REGION, SECOND_PARCEL, SECOND_REGION, asset, mesh_uuid, object, object_path};
use crate::support::{
    archive::{Archive, control, control_of_many, parcel, settings},
    llsd::Llsd,
    mesh::{MeshFile, ball, convex, cube_corners, cube_submesh},
    object::{Face, OWNER, Prim, coalesced, uuid, xml1, xml2},
};

/// Made by OpenJPEG; see `tests/support/sculpt_maps/README.md`.
pub(super) const SPHERE_MAP: &[u8] = include_bytes!("../sculpt_maps/sphere.j2c");
const WIDE_MAP: &[u8] = include_bytes!("../sculpt_maps/wide.j2c");

pub(super) fn all() -> Vec<File> {
    // Flat terrain takes a quarter of a megabyte, so only one sample has it.
    let mut bare = clean_region();
    bare.members.retain(|(name, _)| !name.starts_with("terrains/"));
    let mut files = vec![
        ("clean-region.oar".to_owned(), clean_region().gzip()),
        ("over-the-cap.oar".into(), over_the_cap().gzip()),
        ("too-costly-to-move.oar".into(), too_costly_to_move().gzip()),
        ("closed-doorway.oar".into(), closed_doorway().gzip()),
        ("two-grids.oar".into(), two_grids().gzip()),
        ("two-regions.oar".into(), two_regions().gzip()),
        ("full-parcel.oar".into(), full_parcel().gzip()),
        ("unreadable-land.oar".into(), unreadable_land().gzip()),
        ("library.iar".into(), library().gzip()),
        ("empty-box.oar".into(), empty_box().gzip()),
        ("sculpts.oar".into(), sculpts(true).gzip()),
        ("savings.oar".into(), savings().gzip()),
        ("full-parcels.oar".into(), full_parcels().gzip()),
        ("land-that-does-not-fit.oar".into(), land_that_does_not_fit().gzip()),
        ("odd-objects.oar".into(), odd_objects().gzip()),
        ("what-stops-a-load.oar".into(), what_stops_a_load().gzip()),
        ("misplaced.oar".into(), misplaced().gzip()),
        ("megaregion.oar".into(), megaregion().gzip()),
        ("torn-terrain.oar".into(), torn_terrain().gzip()),
        ("terrain-of-a-larger-region.oar".into(), terrain_of_a_larger_region().gzip()),
        ("settings-without-textures.oar".into(), settings_without_textures().gzip()),
        ("settings-of-a-newer-simulator.oar".into(), settings_of_a_newer_simulator().gzip()),
        ("parcels-that-overlap.oar".into(), parcels_that_overlap().gzip()),
        ("plain-tar.oar".into(), bare.tar()),
    ];
    let tree = bare.members.into_iter().filter(|(name, _)| !name.ends_with('/'));
    files.extend(tree.map(|(name, content)| (format!("unpacked/{name}"), content)));
    files
}

/// Returns a small harbour for the first audit, with three problems: a texture of the market stall is missing, the mesh of
/// the lighthouse has a hull with too many vertices, and the pier is too long for one linkset.
pub(super) fn first_region() -> Vec<u8> {
    let at = |position: [f64; 3], scale: [f64; 3], prim: Prim| Prim { position, scale, ..prim };
    let deck = at([96.0, 40.0, 21.5], [12.0, 4.0, 0.5], Prim::new("Pier", 901));
    let plank = |number: u32| Prim {
        offset: [f64::from(number) * 12.0, 0.0, 0.0],
        position: deck.position,
        scale: deck.scale,
        ..Prim::new("Plank", 901 + number)
    };
    let pier: Vec<Prim> = [deck.clone()].into_iter().chain((1..=5).map(plank)).collect();
    let tower = at([40.0, 60.0, 27.0], [4.0, 4.0, 12.0], Prim::new("Lighthouse", 910));
    let lighthouse = Prim { mesh: Some(mesh_uuid(910)), physics_shape_type: Some(2), scripts: 1, ..tower };
    let counter = at([140.0, 120.0, 21.6], [3.0, 1.0, 1.2], Prim::new("Market stall", 920));
    // Stored inverted: a red of 200, 60 and 50.
    let awning = Face { texture: mesh_uuid(921).parse().unwrap(), colour: 0x00cd_c337, ..Face::default() };
    let roof = Prim {
        offset: [0.0, 0.0, 1.4],
        position: counter.position,
        scale: [3.4, 1.6, 0.1],
        faces: vec![awning],
        ..Prim::new("Awning", 921)
    };
    let bench = at([150.0, 130.0, 21.3], [2.0, 0.6, 0.5], Prim::new("Bench", 930));
    let lamp = at([146.0, 126.0, 23.0], [0.2, 0.2, 4.0], Prim::new("Street lamp", 931));
    let boat = at([80.0, 30.0, 20.4], [6.0, 2.0, 1.2], Prim::new("Rowing boat", 940));
    let keeper = uuid(0x0a0a_0a0a, 7);
    let linksets = [pier, vec![lighthouse], vec![counter, roof], vec![bench], vec![lamp], vec![boat]];
    let mut archive = Archive::new(&control(REGION, "256,256"));
    for parts in &linksets {
        let xml = xml2(parts);
        // The shopkeeper has the stall and the bench.
        let is_of_keeper = ["Market stall", "Bench"].contains(&parts[0].name.as_str());
        archive = archive
            .add(&object_path(&parts[0]), if is_of_keeper { xml.replace(OWNER, &keeper) } else { xml });
    }
    let too_round = convex(&ball(257, [0.0; 3], 0.5), &[]);
    archive
        .flat_ground("terrains/Harbour.r32", 256)
        .add(&asset(910, "mesh.llmesh"), MeshFile::cube().block("physics_convex", &too_round).encode())
        .add("settings/Harbour.xml", settings("1"))
        .add(&format!("landdata/{PARCEL}.xml"), parcel(PARCEL, "Quay", OWNER, 64, |x, _| x < 32))
        .add(
            &format!("landdata/{SECOND_PARCEL}.xml"),
            parcel(SECOND_PARCEL, "Market", &keeper, 64, |x, _| x >= 32),
        )
        .gzip()
}

/// Returns a region without faults: two linksets, one of them a mesh, on a parcel of half the region.
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

/// Returns a physical cart whose decomposition costs 4 × 0.04 × 257 = 41.12, and a name that looks like a formula.
fn over_the_cap() -> Archive {
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
        .flat_ground("terrains/Race Track.r32", 256)
        .add(&object_path(&cart), xml2(std::slice::from_ref(&cart)))
        .add(&asset(2, "mesh.llmesh"), four_balls().encode())
        .add(&asset(9, "object.xml"), xml1(&[gift]))
        .add("settings/Race Track.xml", settings("1.5"))
        .add(&format!("landdata/{PARCEL}.xml"), parcel(PARCEL, "All", OWNER, 64, |_, _| true))
}

/// Returns a mesh whose decomposition is four balls of 256 points.
fn four_balls() -> MeshFile {
    let corners = [[-0.25, -0.25, 0.0], [0.25, -0.25, 0.0], [-0.25, 0.25, 0.0], [0.25, 0.25, 0.0]];
    let hulls: Vec<_> = corners.iter().map(|&centre| ball(256, centre, 0.2)).collect();
    MeshFile::cube().block("physics_convex", &convex(&cube_corners(), &hulls))
}

/// Returns a region with the same mesh on an object that does not move.
fn too_costly_to_move() -> Archive {
    let statue = Prim { scale: [1.0; 3], mesh: Some(mesh_uuid(2)), ..Prim::new("Statue", 40) };
    let (path, xml) = object(&statue);
    Archive::new(&control(REGION, "256,256"))
        .add(&path, xml)
        .add(&asset(2, "mesh.llmesh"), four_balls().encode())
}

/// Returns a region with a mesh of physics shape type Prim that has only a base hull.
fn closed_doorway() -> Archive {
    let arch = Prim { scale: [4.0, 1.0, 3.0], mesh: Some(mesh_uuid(1)), ..Prim::new("Arch", 41) };
    let (path, xml) = object(&arch);
    Archive::new(&control(REGION, "256,256"))
        .add(&path, xml)
        .add(&asset(1, "mesh.llmesh"), MeshFile::cube().encode())
}

/// Returns a mesh with a decomposition and a physics mesh, and a box linked to it. Each engine uses another one of the
/// two. Second Life charges 1 for both prims, and OpenSim 2.
fn two_grids() -> Archive {
    let bridge = Prim { scale: [20.0, 4.0, 2.0], mesh: Some(mesh_uuid(42)), ..Prim::new("Bridge", 42) };
    let mesh = MeshFile::cube()
        .block("physics_convex", &convex(&cube_corners(), &[cube_corners()]))
        .block("physics_mesh", &Llsd::Array(vec![cube_submesh()]));
    let linked = [bridge, Prim::new("Rail", 43)];
    Archive::new(&control(REGION, "256,256"))
        .add(&object_path(&linked[0]), xml2(&linked))
        .add(&asset(42, "mesh.llmesh"), mesh.encode())
}

/// Returns a parcel of 64 m², which holds 22 prims, and a fence of 30 prims on it.
fn full_parcel() -> Archive {
    let root = Prim { position: [4.0, 4.0, 22.0], ..Prim::new("Fence", 50) };
    let post = |number| Prim { position: root.position, ..Prim::new("Post", number) };
    let fence: Vec<_> = std::iter::once(root.clone()).chain((51..80).map(post)).collect();
    Archive::new(&control(REGION, "256,256"))
        .add(&object_path(&root), xml2(&fence))
        .add(&asset(1, "mesh.llmesh"), MeshFile::cube().encode())
        .add(&format!("landdata/{PARCEL}.xml"), parcel(PARCEL, "Stall", OWNER, 64, |x, y| x < 2 && y < 2))
        .flat_ground("terrains/Market.r32", 256)
}

/// Returns a parcel whose bitmap is not a square, and settings with an agent limit that is no number.
fn unreadable_land() -> Archive {
    let land = parcel(PARCEL, "Strip", OWNER, 64, |_, _| true);
    let (before, rest) = land.split_once("<Bitmap>").unwrap();
    let (_, after) = rest.split_once("</Bitmap>").unwrap();
    let settings = settings("1").replace("<AgentLimit>40", "<AgentLimit>forty");
    Archive::new(&control(REGION, "256,256"))
        .add(&asset(1, "mesh.llmesh"), MeshFile::cube().encode())
        .add("settings/Strip.xml", settings)
        .add(&format!("landdata/{PARCEL}.xml"), format!("{before}<Bitmap>AAAA</Bitmap>{after}"))
        .flat_ground("terrains/Strip.r32", 256)
}

/// Returns two regions with a gap between them, one of them 512 m wide, and a name too long for a tar header.
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
        .flat_ground("regions/1_1_Wide_Plains/terrains/Wide Plains.r32", 512)
        .add(
            &format!("regions/1_1_Wide_Plains/landdata/{PARCEL}.xml"),
            parcel(PARCEL, "Plains", OWNER, 128, |_, _| true),
        )
        .add(&format!("regions/2_2_Hill/{}", object_path(&long)), xml2(&[long]))
        .add("regions/2_2_Hill/settings/Hill.xml", settings("20,5"))
        .flat_ground("regions/2_2_Hill/terrains/Hill.r32", 256)
}

/// Returns a box whose content is missing.
fn empty_box() -> Archive {
    let chest = Prim { contains: Some(mesh_uuid(99)), ..Prim::new("Chest", 8) };
    Archive::new(&control(REGION, "256,256"))
        .add(&object_path(&chest), xml2(&[chest]))
        .add(&asset(1, "mesh.llmesh"), MeshFile::cube().encode())
}

/// Returns parcels of one or two cells, which hold 5 or 11 prims. One owner has two parcels: one alone is over its
/// limit, but both together are not. A second owner is over the limit. A third has room for the current objects but not
/// for their later costs. These objects are a ring that is expensive under new accounting, and a scripted mesh that is
/// expensive when physical.
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
    let archive = archive.flat_ground("terrains/Lots.r32", 256);
    lands.iter().fold(archive, |archive, (name, text)| archive.add(name, text))
}

/// Returns a region of 512 m whose telehub object is missing. The bitmaps of its parcels are of a smaller region, which
/// does no harm, without a cell, or absent. A separate region has settings that end too early.
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
        .flat_ground("regions/1_1_Large/terrains/Large.r32", 512)
        .add(&land(21), of(21, "Fits", 128, |_, _| true))
        .add(&land(22), of(22, "Of 256 m", 64, |_, _| true))
        .add(&land(23), of(23, "Nowhere", 128, |_, _| false))
        .add(&land(24), without)
        .add(&format!("regions/2_1_Cut/{}", object_path(&hut(251))), xml2(&[hut(251)]))
        .add("regions/2_1_Cut/settings/Cut.xml", &cut[..cut.len() / 2])
        .flat_ground("regions/2_1_Cut/terrains/Cut.r32", 256)
        .add(&asset(1, "mesh.llmesh"), MeshFile::cube().encode())
}

/// Returns four sculpted prims and a texture that no sculpt uses. Two prims have their map, one has none, and the map
/// of one is cut short. Maps come after the objects, as OpenSim writes them, or before.
pub fn sculpts(objects_first: bool) -> Archive {
    let prim =
        |name: &str, number: u32, map: u32| Prim { sculpt: Some(mesh_uuid(map)), ..Prim::new(name, number) };
    let prims = [prim("Ball", 30, 30), prim("Lost", 31, 31), prim("Torn", 32, 32), prim("Wide", 33, 33)];
    let torn = &SPHERE_MAP[..140];
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

/// Returns loose stones of a path, and a gate in which only one prim has a script.
fn savings() -> Archive {
    let stone = |number: u32| {
        let position = [100.0 + 2.0 * f64::from(number), 100.0, 21.0];
        vec![Prim { position, ..Prim::new("Stone", 440 + number) }]
    };
    let bar = |number: u32| {
        let name = if number == 0 { "Gate" } else { "Bar" };
        let offset = [0.2 * f64::from(number), 0.0, 0.0];
        Prim { offset, scripts: (number == 0).into(), ..Prim::new(name, 450 + number) }
    };
    let gate: Vec<Prim> = (0..8).map(bar).collect();
    let linksets = (0..4).map(stone).chain([gate]);
    linksets
        .fold(Archive::new(&control(REGION, "256,256")), |archive, parts| {
            archive.add(&object_path(&parts[0]), xml2(&parts))
        })
        .add(&asset(1, "mesh.llmesh"), MeshFile::cube().encode())
        .add("settings/Garden.xml", settings("1"))
        .flat_ground("terrains/Garden.r32", 256)
}

/// Returns `archive.xml` of an inventory archive.
pub fn inventory_control() -> &'static str {
    "<?xml version=\"1.0\" encoding=\"utf-16\"?><archive major_version=\"0\" minor_version=\"3\">\
     <assets_included>True</assets_included></archive>"
}

/// Returns an item of an inventory archive. It refers to an asset of this type.
pub fn inventory_item(name: &str, kind: u8, asset: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-16\"?><InventoryItem><Name>{name}</Name><ID>{asset}</ID>\
         <InvType>{kind}</InvType><CreatorUUID>{OWNER}</CreatorUUID><Owner>{OWNER}</Owner><AssetType>{kind}</AssetType>\
         <AssetID>{asset}</AssetID></InventoryItem>"
    )
}

/// Returns an inventory archive: a coalesced object and a single one.
fn library() -> Archive {
    let folder = "inventory/Things__11111111-0000-4000-8000-000000000001/";
    let pair = [vec![Prim::new("First", 10)], vec![Prim::new("Second", 11)]];
    Archive::new(inventory_control())
        .add(folder, "")
        .add(
            &format!("{folder}Pair__{}.xml", uuid(0x1212_1212, 1)),
            inventory_item("Pair", 6, &mesh_uuid(10)),
        )
        .add(&format!("{folder}Box__{}.xml", uuid(0x1212_1212, 2)), inventory_item("Box", 6, &mesh_uuid(11)))
        .add(&asset(10, "object.xml"), coalesced(&pair))
        .add(&asset(11, "object.xml"), xml1(&[Prim::new("Box", 12)]))
}

const NOBODY: &str = "00000000-0000-0000-0000-000000000000";

/// Returns objects that a loader accepts, but whose content is misleading.
fn odd_objects() -> Archive {
    let at = |x: f64, prim: Prim| Prim { position: [x, 40.0, 25.0], ..prim };
    let nobody = at(10.0, Prim { uuid: NOBODY.into(), ..Prim::new("Nobody", 0) });
    let lamp = at(20.0, Prim::new("Lamp", 711));
    let second_lamp = at(30.0, Prim::new("Second Lamp", 711));
    let pond = at(40.0, Prim::new("Pond", 712));
    let ghost = at(40.0, Prim::new("Pond", 713));
    let moved = at(50.0, Prim::new("Moved", 714));
    let hat = at(60.0, Prim::new("Hat", 715));
    let mut archive = Archive::new(&control(REGION, "256,256"));
    for prim in [nobody, lamp, second_lamp, pond, ghost] {
        let (path, xml) = object(&prim);
        archive = archive.add(&path, xml);
    }
    let (path, xml) = object(&hat);
    archive
        .add(&object_path(&moved).replace("050-", "150-"), object(&moved).1)
        // The attach point 6 is the right hand.
        .add(&path, xml.replace("<State>0", "<State>6"))
        .add(&asset(1, "mesh.llmesh"), MeshFile::cube().encode())
}

/// Returns an object whose parts share a UUID, an object that an editor saved with a byte order mark, and half a
/// parcel.
fn what_stops_a_load() -> Archive {
    let twins = [Prim::new("Twins", 733), Prim::new("Twin", 733)];
    let saved = Prim::new("Saved by an editor", 734);
    let parcel = parcel(PARCEL, "Torn", OWNER, 64, |_, _| true);
    Archive::new(&control(REGION, "256,256"))
        .add(&object_path(&twins[0]), xml2(&twins))
        .add(&object_path(&saved), format!("\u{feff}{}", object(&saved).1))
        .add(&format!("landdata/{PARCEL}.xml"), &parcel[..parcel.len() / 2])
        .add(&asset(1, "mesh.llmesh"), MeshFile::cube().encode())
}

/// Returns objects at wrong positions.
fn misplaced() -> Archive {
    let at = |position: [f64; 3], prim: Prim| Prim { position, ..prim };
    let objects = [
        vec![at([f64::NAN, 128.0, 25.0], Prim::new("Nowhere", 720))],
        vec![at([300.0, 128.0, 25.0], Prim::new("Off-world", 721))],
        vec![at([128.0, 128.0, 5000.0], Prim::new("Satellite", 722))],
        vec![Prim::new("Root", 723), Prim { offset: [300.0, 0.0, 0.0], ..Prim::new("Lost", 724) }],
        vec![Prim { rotation: [0.0, 0.0, 0.0, 1.5], scale: [1.0, 1.0, 0.0], ..Prim::new("Bent", 725) }],
        vec![at([255.9, 128.0, 25.0], Prim::new("Fence", 726))],
    ];
    let mut archive = Archive::new(&control(REGION, "256,256"));
    for parts in &objects {
        archive = archive.add(&object_path(&parts[0]), xml2(parts));
    }
    archive.add(&asset(1, "mesh.llmesh"), MeshFile::cube().encode())
}

/// Returns four heights for a whole region: fewer than OpenSim reads.
fn torn_terrain() -> Archive {
    let heights = [21.0, 22.0, f32::NAN, 23.0].map(f32::to_le_bytes).concat();
    Archive::new(&control(REGION, "256,256")).add("terrains/Torn.r32", heights)
}

/// Returns terrain of 512 m on each side for a region of 256 m, with one height that is no number.
fn terrain_of_a_larger_region() -> Archive {
    let mut heights = vec![21.0_f32; 512 * 512];
    heights[7] = f32::NAN;
    let heights: Vec<u8> = heights.into_iter().flat_map(f32::to_le_bytes).collect();
    Archive::new(&control(REGION, "256,256")).add("terrains/Large.r32", heights)
}

/// Returns a megaregion of two regions by two: its archive has the parcels and the terrain of the south-western one.
fn megaregion() -> Archive {
    let control = control(REGION, "512,512")
        .replace("<size_in_meters>", "<is_megaregion>True</is_megaregion><size_in_meters>");
    let at = |x: f64, prim: Prim| Prim { position: [x, 128.0, 25.0], ..prim };
    let objects = [at(128.0, Prim::new("Quay", 727)), at(400.0, Prim::new("Pier", 728))];
    let archive = Archive::new(&control)
        .flat_ground("terrains/Bay.r32", 256)
        .add(&format!("landdata/{PARCEL}.xml"), parcel(PARCEL, "Bay", OWNER, 64, |_, _| true))
        .add(&asset(1, "mesh.llmesh"), MeshFile::cube().encode());
    let add = |archive: Archive, prim: &Prim| {
        let (path, xml) = object(prim);
        archive.add(&path, xml)
    };
    objects.iter().fold(archive, add)
}

/// Returns settings of a program that leaves out optional elements.
fn settings_without_textures() -> Archive {
    let settings = settings("1").replace("<GroundTextures>\n</GroundTextures>\n", "");
    Archive::new(&control(REGION, "256,256")).add("settings/Bare.xml", settings)
}

/// Returns settings with a material on the ground, as OpenSim 0.9.3 writes them.
fn settings_of_a_newer_simulator() -> Archive {
    let material = "<GroundTextures>\n<PBR1>00000000-0000-0000-0000-000000000000</PBR1>";
    let settings = settings("1").replace("<GroundTextures>", material);
    Archive::new(&control(REGION, "256,256"))
        .add("settings/Newer.xml", settings)
        .flat_ground("terrains/Newer.r32", 256)
}

/// Returns two parcels that share two cells.
fn parcels_that_overlap() -> Archive {
    Archive::new(&control(REGION, "256,256"))
        .add(
            &format!("landdata/{SECOND_PARCEL}.xml"),
            parcel(SECOND_PARCEL, "East", OWNER, 64, |x, _| x >= 32),
        )
        .add(
            &format!("landdata/{PARCEL}.xml"),
            parcel(PARCEL, "West", OWNER, 64, |x, y| x < 32 || y == 0 && x < 34),
        )
        .flat_ground("terrains/Halves.r32", 256)
}
