//! HIS: comparison with an earlier archive or run. HIS003 is unused: the comparison of runs reports new findings and is
//! not a rule.

rules! {
    HIS001 "%" "Archive lost much of its content" {
        about: Archive,
        effect: Loses,
        message: "Content fell by more than {limit} %: {detail}",
        why: "A backup that fails is often written all the same: the archive is complete and loads, but content is \
              missing. Nobody notices until the backup is needed.",
        engines: [
            "hullmark" => "Compares each archive with earlier ones of its series in this run and with the --baseline \
                run. Also compares it with the last seven complete states of its file in the ledgers. Counts objects \
                in regions, in inventories and loose separately, and by region if there are several. Ignores empty \
                assets; bytes are those of unpacked members. Reports the loss until it is restored or nothing of the \
                earlier content is left. Does not report slow decline.",
            "OpenSimulator" => "Leaves out assets that its service does not deliver, and stops asking after 90 \
                seconds without an answer. Writes the archive all the same, and reports this in its log only.",
        ],
        fix: "Keep the earlier archive and protect it from rotation (AutoBackupKeepFilesForDays). Read the \
              simulator's log of the save, fix the cause and save again. If the region was cleared on purpose, accept \
              the finding with `hullmark waive FINGERPRINT --report DIR`.",
        source: "OpenSim, AssetsRequest.cs, Execute; AutoBackupModule.cs, RemoveOldFiles; Halcyon, issue 88; \
              thresholds: hullmark, [history]",
    }

    HIS002 "hours" "Expected archive absent or too old" {
        about: Archive,
        effect: Loses,
        message: "The expected archive \"{within}\" is absent or too old: {detail}",
        why: "A backup that did not run leaves no archive to check. The settings [expected] name the archives and \
              regions that must be there.",
        engines: [
            "hullmark" => "Counts the age from the date in archive.xml, else from the file's time if the date in its \
                name allows it, else from that date. A date in a name has no time zone: the archive is too old only \
                if it is so in every time zone.",
            "OpenSimulator" => "AutoBackup skips a region that is not ready, and turns itself off if it cannot use \
                its folder. Both are reported in the log only.",
        ],
        fix: "Check that the backup job ran and could write, then save the archive again. If the archive is not \
              expected any more, remove its name from [expected] or its list.",
        source: "OpenSim, AutoBackupModule.cs, DoRegionBackup; ArchiveWriteRequest.cs, datetime; hullmark, \
              [expected]",
    }

    HIS004 "%" "Region costs grew" {
        about: Region,
        effect: Note,
        message: "The costs of the region grew by more than {limit} %: {detail}",
        why: "Regions grow until they are slow or full, and a comparison of two runs shows who built what.",
        engines: [
            "hullmark" => "Compares land impact, physics weight (physics cost) and server weight of the region with \
                the --baseline run. Both must be known and evaluated for the same target.",
        ],
        fix: "Sort the table of objects by cost to see what grew. Nothing is wrong.",
        source: "hullmark, [history]",
    }

    HIS005 "assets" "Archive lost all assets" {
        about: Archive,
        effect: Loses,
        message: "The archive has no assets left: {detail}",
        why: "Without their meshes, textures, scripts and sounds, objects are empty boxes on another grid. The asset \
              service did not answer during the save, or the archive was saved with --noassets. An operator found by \
              chance that an archive had shrunk from 8 GB to 56 MB without any asset.",
        engines: [
            "hullmark" => "Reports the loss until the archive has assets again, even if later runs have fewer \
                objects. Does not report a few assets (few_assets) that disappear with their objects.",
            "OpenSimulator" => "Leaves out assets that its service does not deliver, and stops asking after 90 \
                seconds without an answer. Writes the archive all the same.",
        ],
        fix: "Keep the earlier archive: it may be the last one with assets. Check that the asset service answers, \
              and save again without --noassets.",
        source: "Halcyon, issue 88 (8 GB became 56 MB); hypergridbusiness.com, April 2015; OpenSim, \
              AssetsRequest.cs, Execute",
    }

    HIS006 "" "Newest copy is not complete" {
        about: Archive,
        effect: Unknown,
        message: "The newest dated copy was not read to its end: {detail}",
        why: "Of dated copies, only the newest that was read to its end is evaluated. If that is an older copy, the \
              report shows the state before the last backup. The row of the evaluated copy names the newest in the \
              column in_place_of. The audit is incomplete and exits with 3.",
        fix: "Read the other findings of the newest copy, and save again. Keep the older copies until a new copy is \
              complete.",
        source: "hullmark, docs/nightly.md, Dated copies",
    }

    HIS007 "inputs" "Folder with exports is now empty" {
        about: Run,
        effect: Loses,
        message: "The folder has no exports any more: {detail}",
        why: "An export disk that is not mounted looks like an empty folder.",
        engines: [
            "hullmark" => "Remembers in the ledgers which inputs were below each path that you name. Reports the \
                folder in every run while it is empty, and once if the folder is gone too. Takes folders whose names \
                differ only in dates for one. Does not delete the ledgers of an empty folder.",
        ],
        fix: "Check that the disk is mounted and that the backup job writes to this folder. If you moved the exports \
              on purpose, remove the empty folder.",
        source: "hullmark, docs/architecture.md, What came before",
    }

    HIS008 "" "Older copy is not complete" {
        about: Archive,
        effect: Unknown,
        message: "The older copy {within} was not read to its end: {detail}",
        why: "You cannot go back to a copy that cannot be read. No other rule evaluates it, because another copy is \
              evaluated. While it exists, the audit is incomplete and exits with 3.",
        fix: "Delete the copy or replace it with a complete one. Check whether the disk, or the job that copies \
              archives, damages files.",
        source: "hullmark, docs/nightly.md, Dated copies",
    }
}
