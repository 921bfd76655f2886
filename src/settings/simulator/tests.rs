//! Trees of settings as operators have them.

use super::*;
use std::fs;

struct Tree(tempfile::TempDir);

impl Tree {
    fn with(files: &[(&str, &str)]) -> Self {
        let tree = Self(tempfile::tempdir().unwrap());
        for (name, text) in files {
            let path = tree.0.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        tree
    }

    fn places(&self, inis: &[&str]) -> Places {
        let inis: Vec<PathBuf> = inis.iter().map(|ini| self.0.path().join(ini)).collect();
        Places::read(&inis).unwrap()
    }

    /// Returns a text without the path of the tree.
    fn short(&self, text: &str) -> String {
        text.replace(&format!("{}/", self.0.path().display()), "")
    }

    fn rows(&self, places: &Places) -> Vec<(Service, Role, String)> {
        places.places.iter().map(|found| (found.service, found.role, self.short(&found.place))).collect()
    }

    fn short_all(&self, paths: &[PathBuf]) -> Vec<String> {
        paths.iter().map(|path| self.short(&path.display().to_string())).collect()
    }
}

const STANDALONE: &str = "[AssetService]\nLocalServiceModule = \"OpenSim.Services.AssetService.dll:AssetService\"\n\
    [InventoryService]\nLocalServiceModule = \"OpenSim.Services.InventoryService.dll:XInventoryService\"\n\
    [Modules]\nInclude-Common = \"config-include/StandaloneCommon.ini\"\n";

const SQLITE: &str = "[DatabaseService]\nStorageProvider = \"OpenSim.Data.SQLite.dll\"\n\
    ConnectionString = \"URI=file:OpenSim.db;UseUTF16Encoding=True\"\n\
    [AssetService]\nConnectionString = \"URI=file:Asset.db\"\n\
    [InventoryService]\nConnectionString = \"URI=file:inventory.db;UseUTF16Encoding=True\"\n\
    [UserAccountService]\nConnectionString = \"URI=file:userprofiles.db\"\n";

const FLOTSAM: &str = "[AssetCache]\nCacheDirectory = ./assetcache\n";

#[test]
fn a_standalone_with_sqlite() {
    let tree = Tree::with(&[
        ("bin/OpenSimDefaults.ini", "[Startup]\nregionload_regionsdir = \"Worlds\"\n"),
        ("bin/OpenSim.ini", "[Architecture]\nInclude-Architecture = \"config-include/Standalone.ini\"\n"),
        ("bin/config-include/Standalone.ini", STANDALONE),
        (
            "bin/config-include/StandaloneCommon.ini",
            "[DatabaseService]\nInclude-Storage = \"config-include/storage/SQLiteStandalone.ini\";\n\
             [Modules]\nAssetCaching = \"FlotsamAssetCache\"\nInclude-FlotsamCache = \"config-include/FlotsamCache.ini\"\n",
        ),
        ("bin/config-include/storage/SQLiteStandalone.ini", SQLITE),
        ("bin/config-include/FlotsamCache.ini", FLOTSAM),
        ("bin/OpenSim.db", "SQLite format 3\0and so on"),
        ("bin/Asset.db", ""),
        ("bin/assetcache/abc/x", "x"),
        ("bin/Worlds/Regions.ini", "[Welcome]\nRegionUUID = 11111111-2222-3333-4444-555555555555\n"),
    ]);
    let places = tree.places(&["bin/OpenSim.ini"]);
    let row = |service, role, place: &str| (service, role, place.to_owned());
    let expected = [
        row(Service::Regions, Role::Input, "sqlite:bin/OpenSim.db"),
        row(Service::Assets, Role::Store, "sqlite:bin/Asset.db"),
        row(Service::Inventories, Role::Listed, "sqlite:bin/inventory.db"),
        row(Service::Users, Role::Listed, "sqlite:bin/userprofiles.db"),
        row(Service::Cache, Role::Store, "flotsam:bin/assetcache"),
    ];
    assert_eq!(tree.rows(&places), expected);
    assert_eq!(places.notes, [""; 0]);
    assert_eq!(tree.short_all(&places.inputs()), ["sqlite:bin/OpenSim.db"]);
    assert_eq!(tree.short_all(&places.stores()), ["flotsam:bin/assetcache", "sqlite:bin/Asset.db"]);
    let looks: Vec<Look> = places.places.iter().map(Places::look).collect();
    let expected = [
        Look::Sqlite { bytes: 25 },
        Look::Empty,
        Look::Missing,
        Look::Missing,
        Look::Folder { entries: 1, more: false },
    ];
    assert_eq!(looks, expected);
    let from = tree.short(&places.places[0].from);
    assert_eq!(
        from,
        "[DatabaseService] ConnectionString, bin/config-include/storage/SQLiteStandalone.ini line 3"
    );
    assert_eq!(places.regions.iter().map(|region| region.name.as_str()).collect::<Vec<_>>(), ["Welcome"]);
}

#[test]
fn a_standalone_with_one_database_of_mysql() {
    let tree = Tree::with(&[
        (
            "OpenSim.ini",
            "[Architecture]\nInclude-Architecture = \"config-include/Standalone.ini\"\n[Environment]\nHULLMARK_TEST_NONE = s3cret\n",
        ),
        ("config-include/Standalone.ini", STANDALONE),
        (
            "config-include/StandaloneCommon.ini",
            "[DatabaseService]\nStorageProvider = \"OpenSim.Data.MySQL.dll\"\nConnectionString = \"Data Source=localhost;\
             Database=opensim;User ID=opensim;Password=${Environment|HULLMARK_TEST_NONE};Old Guids=true;\"\n",
        ),
    ]);
    let places = tree.places(&["OpenSim.ini"]);
    let url = "mysql://opensim@localhost/opensim";
    assert_eq!(tree.short_all(&places.inputs()), [url]);
    assert!(places.stores().is_empty(), "the database is an input already");
    assert_eq!(places.places[0].password, Some(Password::new("s3cret")));
    let printed = format!("{places:?}");
    assert!(!printed.contains("s3cret"), "{printed}");
}

#[test]
fn a_grid_has_its_assets_in_robust() {
    let tree = Tree::with(&[
        ("bin/OpenSim.ini", "[Architecture]\nInclude-Architecture = \"config-include\\Grid.ini\"\n"),
        ("bin/config-include/Grid.ini", "[Modules]\nInclude-Common = \"config-include/GridCommon.ini\"\n"),
        (
            "bin/config-include/GridCommon.ini",
            "[Const]\nName = regions\n[DatabaseService]\nStorageProvider = \"OpenSim.Data.PGSQL.dll\"\n\
             ConnectionString = \"Server=db;Database=${Const|Name};User Id=sim; password=x;\"\n\
             [AssetService]\nAssetServerURI = \"http://grid:8003\"\n",
        ),
        (
            "bin/Robust.HG.ini",
            "[ServiceList]\nA = b\n[DatabaseService]\nStorageProvider = \"OpenSim.Data.MySQL.dll\"\n\
             ConnectionString = \"Data Source=db;Database=robust;User ID=robust;Password=y;\"\n\
             [AssetService]\nLocalServiceModule = \"OpenSim.Services.FSAssetService.dll:FSAssetConnector\"\n\
             BaseDirectory = \"./fsassets/data\"\nSpoolDirectory = \"./fsassets/tmp\"\nStorageProvider = \"\"\n\
             ConnectionString = \"\"\nRealm = \"fsassets\"\n",
        ),
    ]);
    let alone = tree.places(&["bin/OpenSim.ini"]);
    assert_eq!(tree.short_all(&alone.inputs()), ["postgres://sim@db/regions"]);
    assert!(alone.notes.iter().any(|note| note.contains("Robust.ini")), "{:?}", alone.notes);

    let robust = tree.places(&["bin/Robust.HG.ini"]);
    let inputs = ["fsassets:bin/fsassets/data", "mysql://robust@db/robust"];
    assert_eq!(tree.short_all(&robust.inputs()), inputs, "without regions, the assets are audited");

    fs::create_dir_all(tree.0.path().join("bin/fsassets/data")).unwrap();
    let both = tree.places(&["bin/OpenSim.ini", "bin/Robust.HG.ini"]);
    assert_eq!(tree.short_all(&both.inputs()), ["postgres://sim@db/regions"]);
    assert_eq!(tree.short_all(&both.stores()), inputs);
    assert!(!both.notes.iter().any(|note| note.contains("Robust.ini")), "{:?}", both.notes);
    let spool = both.places.iter().find(|found| found.service == Service::Spool).unwrap();
    assert_eq!((spool.role, tree.short(&spool.place)), (Role::Listed, "bin/fsassets/tmp".into()));
}

#[test]
#[cfg(not(windows))]
fn paths_of_dreamgrid_stay_as_they_are() {
    let tree = Tree::with(&[(
        "Robust.HG.ini",
        "[DatabaseService]\nStorageProvider = \"OpenSim.Data.MySQL.dll\"\nConnectionString = \"Data Source=127.0.0.1;\
         Database=robust;Port=3309;User ID=robustuser;Password=p;\"\n[AssetService]\n\
         LocalServiceModule = \"OpenSim.Services.FSAssetService.dll:FSAssetConnector\"\n\
         BaseDirectory = C:\\Opensim\\Outworldz Dreamgrid/fsassets/data\n",
    )]);
    let places = tree.places(&["Robust.HG.ini"]);
    let folder = &places.places[0];
    assert_eq!(folder.place, "fsassets:C:\\Opensim\\Outworldz Dreamgrid/fsassets/data");
    assert_eq!(Places::look(folder), Look::OtherSystem);
    assert_eq!(places.places[1].place, "mysql://robustuser@127.0.0.1:3309/robust");
}

#[test]
fn the_section_of_a_service_overrides_the_common_one() {
    let tree = Tree::with(&[(
        "OpenSim.ini",
        "[DatabaseService]\nStorageProvider = OpenSim.Data.SQLite.dll\nConnectionString = \"URI=file:a.db\"\n\
         [SimulationDataStore]\nConnectionString = \"URI=file:sub/b.db,version=3\"\n[AssetService]\nAssetServerURI = x\n",
    )]);
    assert_eq!(tree.short_all(&tree.places(&["OpenSim.ini"]).inputs()), ["sqlite:sub/b.db"]);
}

#[test]
fn a_file_that_is_absent_is_an_error() {
    let error = Places::read(&["no/such/OpenSim.ini".into()]).unwrap_err();
    assert!(error.to_string().starts_with("no/such/OpenSim.ini: "), "{error}");
}
