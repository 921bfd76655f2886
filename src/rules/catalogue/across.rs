//! XAR: what only several inputs together show. The mesh under two faces is MSH013, with the meshes.

rules! {
    XAR001 "objects" "Objects stand in several archives" {
        about: Archive,
        effect: Note,
        message: "{measured} objects have the UUIDs of objects in {within}: {detail}",
        why: "The UUID of an object may exist once on a grid. Regions that were copied in the database share \
              them, and so do two exports of one region. Where both copies stand on one grid, nothing can \
              tell one object from the other. Operators have the rule: a backup is SQL, a copy is an OAR. \
              Archives whose paths differ in nothing but dates are backups of one region and are not compared.",
        engines: [
            "OpenSimulator" => "OpenSim gives objects new UUIDs when it loads an archive. With --merge it first \
                looks whether the region has the old one, and skips the object, or replaces it with \
                --mergeReplaceObjects.",
        ],
        fix: "Leave one of the two out if they are exports of the same region; else load the copy from an \
              OAR, so that it gets UUIDs of its own.",
        source: "OpenSim, ArchiveReadRequest.cs, LoadObjects; hyperweb.eu, on copies of regions",
    }

    XAR002 "" "One UUID, two assets" {
        about: Asset,
        effect: Breaks,
        message: "The asset has other bytes under its UUID in {within}",
        why: "A grid stores an asset once, and takes what has its UUID for the same. The archive that is \
              loaded second loses its asset and shows that of the first: another picture, sound or script. \
              Meshes are told by MSH013. Objects are left out, because OpenSim writes them anew: with \
              creators when it saves with --home, with owners that it knows when it loads.",
        engines: [
            "OpenSimulator" => "OpenSim asks its asset service which UUIDs exist and skips those.",
        ],
        fix: "Load the two on different grids, or upload one of the assets again and let its users name the new \
              UUID.",
        source: "OpenSim, ArchiveReadRequest.cs, loadNeededAssets and TryUploadAsset; AssetsRequest.cs, \
              PostProcess",
    }

    XAR003 "bytes" "One mesh under several UUIDs" {
        about: Asset,
        effect: Note,
        message: "The same mesh is {detail} in {within}; its {measured} bytes could be stored once",
        why: "A mesh that was uploaded again, or came along with every copy of a kit, is stored and \
              downloaded once for each of its UUIDs. OSgrid found a very high number of such duplicates.",
        engines: [
            "All" => "FSAssets and XAssets of OpenSim store equal contents once, so they save no disk; viewers \
                and caches still fetch each UUID. The plain table of assets stores each.",
        ],
        fix: "Nothing is wrong; let objects use one of the UUIDs where the builder can.",
        source: "OpenSim, FSAssetService.cs",
    }
}
