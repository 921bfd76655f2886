//! STO: stores of assets and caches. Whether the files are there and whole.

rules! {
    STO001 "" "A file of the asset store is missing" {
        about: Asset,
        effect: Loses,
        message: "The asset's file is missing: {detail}",
        why: "The table of the service names the file of each asset. Without the file the asset exists only in the \
              table, and every object that uses it is incomplete.",
        engines: [
            "FSAssetService" => "Looks in the spool, then for the file with .gz, then without. It then asks its \
                FallbackService, if there is one, which may have the asset.",
        ],
        fix: "Restore the file from a backup. Files never change, so any older copy will do. If the table is newer \
              than the copy of the files, compare both of the same night.",
        source: "OpenSim, FSAssetService.cs, GetFile and HashToPath",
    }

    STO002 "" "A file of the asset store is damaged" {
        about: Entry,
        effect: Loses,
        message: "The file of the asset store is damaged: {detail}",
        why: "The name of a file is the SHA-256 hash of its content, so damage is certain. Objects are an exception: \
              the service rewrites their XML after it computed the hash, so they are not compared.",
        engines: [
            "FSAssetService" => "Checks no hash. For a file that it cannot read it returns nothing, and asks its \
                FallbackService.",
        ],
        fix: "Restore the file from a backup. Check the disk if there are several.",
        source: "OpenSim, FSAssetService.cs, GetFile and SanitizeXml",
    }

    STO003 "" "A damaged file hides a good one" {
        about: Entry,
        effect: Loses,
        message: "The file with .gz is damaged, so the good file without .gz is never read: {detail}",
        why: "The service reads the file with .gz if there is one, and looks at no other. The asset is lost, although \
              its content is on the disk.",
        engines: [
            "FSAssetService" => "Returns nothing for a file with .gz that it cannot read. It does not try the other.",
        ],
        fix: "Delete the file with .gz. The service then reads the file without it.",
        source: "OpenSim, FSAssetService.cs, GetFile",
    }

    STO004 "files" "Files are left in the spool" {
        about: Archive,
        effect: Note,
        message: "Files are left in the spool of the asset store: {detail}",
        why: "The service writes new assets to the spool and moves them to the tree a moment later. Files that stay \
              show that it cannot move them, or that it does not run. Until then they are in no backup of the tree.",
        fix: "If the service runs, read its log for errors of the spool. Files of the last minute are harmless.",
        source: "OpenSim, FSAssetService.cs, Writer",
    }

    STO005 "files" "The asset service never reads files of its store" {
        about: Archive,
        effect: Note,
        message: "The service never reads files of its store: {detail}",
        why: "The service finds a file by its hash, and the hash in its table. Files that no row names, or in a wrong \
              folder, take space only. They remain after assets were deleted, or after an import.",
        engines: [
            "FSAssetService" => "Never looks at them. It writes files of invalid hashes to the folder junkyard.",
        ],
        fix: "Keep them until you know where they come from. Files that are newer than the copy of the table have \
              their rows in the next copy.",
        source: "OpenSim, FSAssetService.cs, HashToPath",
    }

    STO006 "bytes" "Assets of the store are not seen in use" {
        about: Run,
        effect: Note,
        message: "Assets of the store are not seen in use: {detail}",
        why: "No region, no inventory and no other asset of this run names them. They may be in use nevertheless: in \
              other regions and inventories, in appearances of avatars, or in profiles.",
        fix: "Add all regions and all inventories of the grid to the run before you believe it. Never delete assets by \
              this number alone. --list-assets writes all assets of the store to assets.csv.",
        source: "OpenSim, FSAssetService.cs; a comparison of uses, as wasAssetCleaner makes it",
    }

    STO007 "" "A file of the cache is damaged" {
        about: Entry,
        effect: Note,
        message: "The file of the asset cache is damaged: {detail}",
        why: "A simulator keeps assets that it used lately in its cache. Damaged files show that it was killed, or \
              that the disk fails.",
        engines: [
            "FlotsamAssetCache" => "Deletes the file when it meets it, and asks the grid for the asset.",
        ],
        fix: "Nothing is lost: the cache may be emptied at any time. Check the disk if the number grows.",
        source: "OpenSim, FlotsamAssetCache.cs, GetFromFileCache",
    }
}
