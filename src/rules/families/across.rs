//! XAR: findings that need several inputs, from [`cross_input`](crate::cross_input). One mesh UUID with two contents is
//! MSH013, with the meshes.

rules! {
    XAR001 "objects" "Same objects in several archives" {
        about: Archive,
        effect: Changes,
        message: "{within} also contains {detail}",
        why: "A grid may have an object UUID only once. Regions copied in the database share UUIDs, and so do two \
              exports of one region. With both copies on one grid, the two objects cannot be told apart. Copies \
              of one region, under names with dates or rotating names, are not compared.",
        engines: [
            "OpenSimulator" => "Gives objects new UUIDs when it loads an archive. With --merge it skips an object \
                whose UUID is in the region, or replaces it with --mergeReplaceObjects.",
        ],
        fix: "If both are exports of one region, leave one out. Else load the copy from an OAR: its objects get new \
              UUIDs. Use SQL for backups and an OAR for copies.",
        source: "OpenSim, ArchiveReadRequest.cs, LoadObjects; hyperweb.eu, on copies of regions",
    }

    XAR002 "" "One UUID, two assets" {
        about: Asset,
        effect: Breaks,
        message: "The asset has different content under the same UUID in {within}",
        why: "A grid stores one asset for each UUID. The archive that you load second loses its asset and shows the \
              first: another picture, sound or script. MSH013 reports meshes.",
        engines: [
            "OpenSimulator" => "Asks its asset service which UUIDs exist and skips those. Rewrites object assets, so \
                objects are not compared: with creators on a save with --home, with known owners on a load.",
        ],
        fix: "Load the two archives on different grids. Or upload one asset again and use its new UUID in the \
              objects.",
        source: "OpenSim, ArchiveReadRequest.cs, loadNeededAssets and TryUploadAsset; AssetsRequest.cs, PostProcess",
    }

    XAR003 "bytes" "One mesh under several UUIDs" {
        about: Asset,
        effect: Note,
        message: "The mesh of {measured} bytes is a duplicate of {detail} in {within}",
        why: "A mesh that was uploaded again, or copied with each kit, is stored and downloaded once for each UUID. \
              OSgrid found a very high number of such duplicates.",
        engines: [
            "OpenSimulator" => "FSAssets and XAssets store equal content once, so duplicates use no extra disk. The \
                plain asset table stores each.",
            "Viewers" => "Download and cache each UUID.",
        ],
        fix: "Nothing is wrong. Let objects use one of the UUIDs where their builder can change them.",
        source: "OpenSim, FSAssetService.cs",
    }

    XAR004 "regions" "One region in two inputs" {
        about: Archive,
        effect: Note,
        message: "{within} has the same region, and both count: {detail}",
        why: "Two backups of one region are one series, and the newest counts. Here neither is known to be newer: both \
              have one date, or other regions with them. So sums over archives count the region twice.",
        engines: [
            "hullmark" => "Compares UUIDs and names of regions in inputs of one kind. XAR001 reports two inputs that also \
                share objects.",
        ],
        fix: "Leave one of the two out.",
        source: "hullmark, docs/failed-backups.md, Rotating names",
    }

    XAR005 "objects" "Equal objects in two archives" {
        about: Archive,
        effect: Note,
        message: "{within} also has {detail}",
        why: "A region that was copied, or loaded again, has new UUIDs. At least half of the objects are equal here. So \
              both inputs count, and a repair of one leaves the other as it is.",
        engines: [
            "OpenSimulator" => "Gives objects new UUIDs when it loads an archive.",
        ],
        fix: "If one of the two is a copy of the other, leave it out, and load only one. A load to the same grid doubles \
              the objects.",
        source: "OpenSim, ArchiveReadRequest.cs, LoadObjects",
    }
}
