//! Limits that depend on the target: the same exports evaluated for grids with other limits.

use crate::support::{
    archive::{Archive, control, settings},
    audit_for,
    llsd::Llsd,
    mesh::{MeshFile, cube_corners, submesh},
    object::{Prim, uuid, xml2},
    read_csv, repository, scan_one,
};
use hullmark_analysis::Measured;
use hullmark_finding::Code;
use hullmark_rules::{self as rules, SkipReason};
use hullmark_settings::{
    config::Config,
    profile::{Product, Profile, ScriptEngine},
};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// Severity, measured value, limit and message of a finding.
type Told = (String, String, String, String);

/// Returns the findings of this code in a file, for this target.
fn found(profile: &Profile, file: &Path, code: &str) -> Vec<Told> {
    let out = tempfile::tempdir().unwrap();
    audit_for(profile, &[file.to_owned()], out.path(), 1);
    let reported = |row: &BTreeMap<String, String>| {
        (row["severity"].clone(), row["measured"].clone(), row["limit"].clone(), row["message"].clone())
    };
    read_csv(&out.path().join("findings.csv"))
        .iter()
        .filter(|row| row["code"] == code)
        .map(reported)
        .collect()
}

fn sample(name: &str) -> PathBuf {
    repository().join("sample_data").join(name)
}

fn numbers(reported: &[Told]) -> Vec<(&str, &str)> {
    reported.iter().map(|(_, measured, limit, _)| (measured.as_str(), limit.as_str())).collect()
}

#[test]
fn opensim_refuses_large_objects_and_too_many_parts() {
    let ship = sample("objects/physical-ship-with-a-mast-of-70-metres.xml");
    assert_eq!(found(&Profile::default(), &ship, "PHY004"), []);
    for name in ["opensim-ubode", "opensim-bulletsim"] {
        let mut profile = Profile::load(name).unwrap();
        let large = found(&profile, &ship, "PHY004");
        assert_eq!(numbers(&large), [("70", "64")]);
        assert!(large[0].3.ends_with("(links 2, 3)"), "{large:?}");
        assert_eq!(found(&profile, &ship, "PHY005"), []);
        profile.physics.max_physical_parts = 3;
        assert_eq!(found(&profile, &ship, "PHY005"), []);
        profile.physics.max_physical_parts = 2;
        assert_eq!(numbers(&found(&profile, &ship, "PHY005")), [("3", "2")]);
        profile.physics.max_physical_side_m = 70.0;
        assert_eq!(found(&profile, &ship, "PHY004"), [], "a side as long as the limit is not above it");
    }
}

#[test]
fn linkset_prims_of_opensim_is_a_warning() {
    let many = sample("objects/linkset-of-256-prims.xml");
    let mut profile = Profile::load("opensim-ubode").unwrap();
    assert_eq!(found(&profile, &many, "LNK002"), []);
    profile.linkability.max_prims = 200;
    let reported = found(&profile, &many, "LNK002");
    assert_eq!(numbers(&reported), [("256", "200")]);
    assert_eq!(reported[0].0, "warning");
}

#[test]
fn exactly_256_prims_are_a_warning_that_names_both_sources() {
    let profile = Profile::default();
    let both = "; the page Linkability Rules says fewer than 256, viewers and the page Limits say 256";
    let reported = found(&profile, &sample("objects/linkset-of-256-prims.xml"), "LNK002");
    assert_eq!((numbers(&reported), &*reported[0].0), (vec![("256", "255")], "warning"));
    assert!(reported[0].3.contains(both), "{reported:?}");
    let folder = tempfile::tempdir().unwrap();
    let more = folder.path().join("more.xml");
    let prims: Vec<Prim> = (0..257).map(|number| Prim::new("Prim", 1 + number)).collect();
    fs::write(&more, xml2(&prims)).unwrap();
    let reported = found(&profile, &more, "LNK002");
    assert_eq!((numbers(&reported), &*reported[0].0), (vec![("257", "255")], "error"));
    assert!(!reported[0].3.contains(both), "{reported:?}");
}

#[test]
fn lua_compiles_on_second_life_only() {
    let lua = sample("contents/scripts-in-lua.oar");
    assert_eq!(found(&Profile::default(), &lua, "SCR002"), []);
    let mut opensim = Profile::load("opensim-ubode").unwrap();
    for engine in [ScriptEngine::Yengine, ScriptEngine::Xengine] {
        opensim.scripts.engine = engine;
        let reported = found(&opensim, &lua, "SCR002");
        let messages: Vec<&str> = reported.iter().map(|(.., message)| &**message).collect();
        let expected = "The target does not compile the script's language: Lua (SLua of Second Life)";
        assert_eq!(messages, [expected], "{engine:?}");
    }
    let c_sharp = sample("contents/scripts-in-c-sharp.oar");
    assert_eq!(found(&opensim, &c_sharp, "SCR002"), [], "XEngine compiles it");
}

#[test]
fn a_region_over_its_capacity_names_the_smallest_product_that_holds_it() {
    let folder = tempfile::tempdir().unwrap();
    let objects: Vec<Prim> = (0..12).map(|number| Prim::new("Prim", 1 + number)).collect();
    let path = folder.path().join("region.oar");
    let archive = Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"));
    fs::write(&path, archive.add("objects/many.xml", xml2(&objects)).gzip()).unwrap();
    let mut profile = Profile::default();
    let message = |profile: &Profile| found(profile, &path, "CST001").remove(0).3;
    profile.land.object_capacity = 10;
    assert!(message(&profile).ends_with("; the smallest product that holds it: Openspace (1,000)"));
    profile.land.products = vec![Product(10, "yard".into()), Product(11, "garden".into())];
    assert!(message(&profile).ends_with(" (yard); no product holds it, the largest is garden (11)"));
    profile.land.products.push(Product(12, "park".into()));
    assert!(message(&profile).ends_with(" (yard); the smallest product that holds it: park (12)"));
    profile.land.products.clear();
    assert!(message(&profile).ends_with('"'));
}

#[test]
fn opensim_counts_prims_and_second_life_land_impact() {
    let full = sample("regions/full-parcels.oar");
    let mut opensim = Profile::load("opensim-bulletsim").unwrap();
    // A cell of 16 m² holds 22,500 / 4,096 = 5 prims. The first owner has two cells.
    opensim.land.object_capacity = 22_500;
    assert_eq!(found(&opensim, &full, "CST001"), []);
    assert_eq!(numbers(&found(&opensim, &full, "REG001")), [("6", "5")]);
    opensim.land.object_capacity = 13;
    let region: Vec<_> = found(&opensim, &full, "REG001");
    assert_eq!(numbers(&region).last(), Some(&("14", "13")), "{region:?}");
    assert!(found(&opensim, &full, "CST002").is_empty() && found(&opensim, &full, "PHY009").is_empty());

    let balloon = sample("objects/physical-balloon.xml");
    let mut second_life = Profile::default();
    assert_eq!(found(&second_life, &balloon, "CST001"), []);
    second_life.land.max_object_impact = 20.0;
    assert_eq!(numbers(&found(&second_life, &balloon, "CST001")), [("24", "20")]);
}

#[test]
fn meshes_have_separate_limits() {
    let region = sample("regions/clean-region.oar");
    let bytes = MeshFile::cube().encode().len() as f64;
    let mut profile = Profile::default();
    (profile.meshes.max_bytes, profile.meshes.max_region_bytes) = (bytes, bytes);
    assert_eq!(found(&profile, &region, "MSH007"), []);
    (profile.meshes.max_bytes, profile.meshes.max_region_bytes) = (bytes - 1.0, bytes - 2.0);
    let reported = found(&profile, &region, "MSH007");
    let size = bytes.to_string();
    let limits = [(bytes - 1.0).to_string(), (bytes - 2.0).to_string()];
    assert_eq!(numbers(&reported), [(&*size, &*limits[0]), (&*size, &*limits[1])]);
}

#[test]
fn ubode_warns_of_a_physics_mesh_of_64_000_indices() {
    let folder = tempfile::tempdir().unwrap();
    let of = |triangles: usize| {
        let face = submesh(&cube_corners(), &vec![[0, 1, 2]; triangles]);
        let mesh = MeshFile::cube().block("physics_mesh", &Llsd::Array(vec![face]));
        let path = folder.path().join(format!("{triangles}.llmesh"));
        fs::write(&path, mesh.encode()).unwrap();
        path
    };
    let ubode = Profile::load("opensim-ubode").unwrap();
    assert_eq!(found(&ubode, &of(21_333), "MSH008"), []);
    assert_eq!(numbers(&found(&ubode, &of(21_334), "MSH008")), [("64002", "64000")]);
    assert_eq!(found(&Profile::default(), &of(21_334), "MSH008"), []);
}

#[test]
fn an_old_grid_does_not_understand_newer_formats() {
    let folder = tempfile::tempdir().unwrap();
    let with = |assets: &str| {
        let path = folder.path().join("old-grid.toml");
        fs::write(&path, format!("base = \"opensim-ubode\"\n[assets]\n{assets}")).unwrap();
        Profile::load(path.to_str().unwrap()).unwrap()
    };
    let newer = sample("contents/newer-formats.oar");
    assert_eq!(found(&with(""), &newer, "AST008"), []);
    for (assets, measured, words) in [
        ("pbr_materials = false", "2", "PBR materials (1 asset, used in 1 place)"),
        ("environments = false", "1", "environments (1 asset, used in 0 places)"),
    ] {
        let reported = found(&with(assets), &newer, "AST008");
        assert_eq!(numbers(&reported), [(measured, "")]);
        assert!(reported[0].0 == "warning" && reported[0].3.ends_with(words), "{reported:?}");
    }
    let neither = with("pbr_materials = false\nenvironments = false");
    assert_eq!(numbers(&found(&neither, &newer, "AST008")), [("3", "")]);
    assert_eq!(found(&neither, &sample("regions/clean-region.oar"), "AST008"), []);

    let region = "6c1cb6ba-9f08-4c8c-a3a9-7f1d9b6a0a01";
    let sky = settings("1").replace("</RegionSettings>", "<Environment>x</Environment></RegionSettings>");
    let own = folder.path().join("own-sky.oar");
    fs::write(&own, Archive::new(&control(region, "256,256")).add("settings/Sky.xml", sky).gzip()).unwrap();
    assert_eq!(numbers(&found(&neither, &own, "AST008")), [("1", "")]);
}

#[test]
fn textures_and_nesting_have_budgets() {
    let uneven = sample("contents/texture-of-uneven-sides.oar");
    let mut profile = Profile::default();
    profile.assets.max_texture_pixels = 6400;
    assert_eq!(found(&profile, &uneven, "AST006"), [], "as many pixels as there may be");
    profile.assets.max_texture_pixels = 6399;
    assert_eq!(numbers(&found(&profile, &uneven, "AST006")), [("6400", "6399")]);
    // An image that is too long is not reported again for its area.
    profile.assets.max_texture_px = 99;
    assert_eq!(numbers(&found(&profile, &uneven, "AST006")), [("100", "99")]);

    let boxes = sample("contents/boxes-in-boxes.oar");
    profile.assets.deep_nesting = 3;
    assert_eq!(found(&profile, &boxes, "OBJ012"), []);
    profile.assets.deep_nesting = 1;
    let reported = found(&profile, &boxes, "OBJ012");
    assert_eq!(numbers(&reported), [("2", "1")], "only the outermost is told");
    assert!(reported[0].3.ends_with("\"a box in a box\", in it \"a box in a box\""), "{reported:?}");
}

#[test]
fn only_opensim_has_a_limit_of_scripts_in_a_region() {
    let crowded = sample("contents/crowded-with-scripts.oar");
    assert_eq!(found(&Profile::default(), &crowded, "SCR001"), []);
    for name in ["opensim-ubode", "opensim-bulletsim"] {
        let reported = found(&Profile::load(name).unwrap(), &crowded, "SCR001");
        assert_eq!(numbers(&reported), [("101", "100")], "{name}");
    }
}

#[test]
fn an_object_holds_as_many_scripts_as_the_operator_says() {
    let crowded = sample("contents/crowded-with-scripts.oar");
    let mut profile = Profile::default();
    profile.scripts.max_per_region = 101;
    profile.scripts.max_per_object = 100;
    let reported = found(&profile, &crowded, "SCR006");
    assert_eq!(numbers(&reported), [("101", "100")]);
    assert!(reported[0].3.ends_with("object \"Wall\""), "{reported:?}");
    profile.scripts.max_per_object = 101;
    assert_eq!(found(&profile, &crowded, "SCR006"), []);
}

#[test]
fn sizes_are_those_of_the_grid() {
    let folder = tempfile::tempdir().unwrap();
    let prim = |number: u32, side: f64| Prim { scale: [side, 1.0, 1.0], ..Prim::new("Prim", number) };
    let objects = [prim(1, 0.01), prim(2, 0.009), prim(3, 64.0), prim(4, 68.0), prim(5, 300.0)];
    let archive = Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "16384,256"));
    let archive = objects.iter().fold(archive, |archive, prim| {
        archive.add(&format!("objects/{}.xml", prim.uuid), xml2(std::slice::from_ref(prim)))
    });
    let path = folder.path().join("sizes.oar");
    fs::write(&path, archive.gzip()).unwrap();
    let said = |profile: &Profile, code| {
        let mut said: Vec<_> =
            found(profile, &path, code).into_iter().map(|row| (row.0, row.1, row.2)).collect();
        said.sort();
        said
    };
    let rows = |severity: &str, rows: &[[&str; 2]]| -> Vec<(String, String, String)> {
        rows.iter().map(|[measured, limit]| (severity.into(), (*measured).into(), (*limit).into())).collect()
    };
    let second_life = rows("error", &[["0.009", "0.01"], ["300", "64"], ["68", "64"]]);
    assert_eq!(said(&Profile::default(), "POS009"), second_life);
    let hollow = folder.path().join("hollow.oar");
    let pipe = xml2(&[Prim::new("Pipe", 6)]).replace("<ProfileHollow>0<", "<ProfileHollow>49500<");
    fs::write(
        &hollow,
        Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256")).add("objects/pipe.xml", pipe).gzip(),
    )
    .unwrap();
    let hollows = found(&Profile::default(), &hollow, "POS009");
    assert_eq!(hollows.len(), 1);
    assert!(hollows[0].3.contains("1 prim with a hollow of up to 99 %, above 95 %"), "{hollows:?}");
    assert_eq!(found(&Profile::load("opensim-ubode").unwrap(), &hollow, "POS009"), []);
    assert_eq!(said(&Profile::default(), "REG011"), []);
    let mut opensim = Profile::load("opensim-ubode").unwrap();
    assert_eq!(said(&opensim, "POS009"), rows("info", &[["300", "256"]]));
    assert_eq!(said(&opensim, "REG011"), rows("error", &[["16384", "8192"]]));
    opensim.placement.clamps_sides = true;
    assert_eq!(said(&opensim, "POS009"), rows("warning", &[["300", "256"]]));
}

/// Returns a region of 256 m with one linkset. Its root is at 250 m, its child is `child` metres further east.
fn at_the_border(folder: &Path, child: f64) -> PathBuf {
    let root = Prim { position: [250.0, 128.0, 25.0], ..Prim::new("Root", 1) };
    let child = Prim { offset: [child, 0.0, 0.0], ..Prim::new("Child", 2) };
    let archive = Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"));
    let path = folder.join("border.oar");
    fs::write(&path, archive.add("objects/thing.xml", xml2(&[root, child])).gzip()).unwrap();
    path
}

#[test]
fn a_child_at_the_border_is_not_lost() {
    let folder = tempfile::tempdir().unwrap();
    let mut profile = Profile::default();
    let near = at_the_border(folder.path(), 16.0);
    assert_eq!(found(&profile, &near, "POS004"), []);
    assert_eq!(found(&profile, &near, "POS006").len(), 1);
    profile.placement.region_size_m = [512, 512];
    assert_eq!(found(&profile, &near, "POS006"), [], "the target's region is larger");
    profile.placement.region_size_m = [0, 0];
    let far = at_the_border(folder.path(), 16.001);
    assert_eq!(numbers(&found(&profile, &far, "POS004")), [("1", "")]);
}

/// Returns the checks that were not evaluated in a file, for this target.
fn doubts(profile: &Profile, file: &Path) -> BTreeMap<(Code, SkipReason), u64> {
    let ledger = scan_one(file, &Config::default().limits);
    rules::evaluate(&Measured::new(&ledger, profile), &rules::RuleContext::default()).not_evaluated
}

#[test]
fn skipped_checks_are_counted_with_their_reason() {
    let misplaced = doubts(&Profile::default(), &sample("regions/misplaced.oar"));
    let count = |code, reason| misplaced.get(&(code, reason)).copied();
    assert_eq!(count(Code::OWN001, SkipReason::NoUsers), Some(1));
    assert_eq!(count(Code::PHY008, SkipReason::OneProfile), Some(6));
    assert_eq!(count(Code::LNK003, SkipReason::NoOldRules), Some(6));
    // The object whose position is NaN.
    for code in [Code::POS002, Code::POS004] {
        assert_eq!(count(code, SkipReason::NotFinite), Some(1), "{code}");
    }
    assert_eq!(count(Code::POS003, SkipReason::NotFinite), None, "its height is a number");

    let mut old = Profile::default();
    old.linkability.old_rules = true;
    assert!(
        !doubts(&old, &sample("regions/misplaced.oar")).contains_key(&(Code::LNK003, SkipReason::NoOldRules))
    );
    let clean = doubts(&Profile::default(), &sample("regions/clean-region.oar"));
    let of_choice = clean.keys().all(|(_, reason)| reason.is_choice());
    assert!(of_choice, "{clean:?}");
}

/// Advice about a switch of OpenSimulator helps nobody in Second Life.
#[test]
fn advice_in_findings_follows_the_target() {
    let sample = repository().join("sample_data/contents/script-that-commands-the-server.oar");
    let advice = |target: &str| {
        let out = tempfile::tempdir().unwrap();
        audit_for(&Profile::load(target).unwrap(), std::slice::from_ref(&sample), out.path(), 1);
        let rows = read_csv(&out.path().join("findings.csv"));
        rows.iter().find(|row| row["code"] == "SCR003").unwrap()["advice"].clone()
    };
    let (second_life, opensim) = (advice("second-life"), advice("opensim-ubode"));
    assert!(
        !second_life.contains("osslEnable") && second_life.contains("Rewrite the script"),
        "{second_life}"
    );
    assert!(opensim.contains("osslEnable.ini"), "{opensim}");
}
