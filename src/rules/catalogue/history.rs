//! HIS: what an earlier archive or night tells. HIS003 is left free: findings that are new since a night are told by
//! the comparison of nights, which is no rule.

rules! {
    HIS001 "%" "Much is gone since the last archive" {
        about: Archive,
        effect: Loses,
        message: "More than {limit} % is gone: {detail}",
        why: "A backup that fails is often written all the same: the archive is whole and loads, and holds a part of \
              what it held the night before. Nobody notices until it is needed. Objects that stand, that lie in \
              inventories and that are loose are counted each for itself, and those that stand also by region where there are \
              several; assets with nothing in them do not count; \
              bytes are those of the unpacked members, so that another compression is no fall. An archive is compared \
              with those before it in the same run, where their paths differ in nothing but dates; with what the same \
              file held before, where ledgers are kept (the last seven states that were whole); and with the \
              newest of the earlier night that --baseline gives. A fall is told until it is made good, or until nothing \
              is left of what was before it; what shrinks little by little is no fall.",
        engines: [
            "OpenSimulator" => "OpenSim leaves out assets that its service does not deliver, stops asking after \
                90 seconds without an answer, writes the archive all the same, and says so in its log only.",
        ],
        fix: "Keep the earlier archive, and see that nothing rotates it away (AutoBackupKeepFilesForDays). If the region \
              was cleared on purpose, all is well: waive the finding, which is the same one as long as it is told. Else look into the \
              simulator's log of the save, mend the cause, and save again.",
        source: "OpenSim, AssetsRequest.cs, Execute; AutoBackupModule.cs, RemoveOldFiles; Halcyon, issue 88; thresholds: \
              hullmark, [history]",
    }

    HIS002 "hours" "Expected archive absent or too old" {
        about: Archive,
        effect: Loses,
        message: "The archive \"{within}\" is expected: {detail}",
        why: "A backup that did not run leaves no archive in which something could be wrong: only who knows what \
              should be there can miss it. The settings [expected] name archives and regions. The age is that of \
              the export's own statement in archive.xml, which goes with it wherever it is copied; else of the \
              file's time, where the date in its name allows that; else of that date, of which the time zone is not \
              known: it counts as too old when it is so in every time zone.",
        engines: [
            "OpenSimulator" => "OpenSim's AutoBackup passes over a region that is not ready, and is switched \
                off where its folder cannot be used; either is a line in its log.",
        ],
        fix: "See whether the job ran and could write; save the archive again. If it is not expected any more, \
              take its name out of [expected] or its list.",
        source: "OpenSim, AutoBackupModule.cs, DoRegionBackup; ArchiveWriteRequest.cs, datetime; hullmark, [expected]",
    }

    HIS004 "%" "A region costs more" {
        about: Region,
        effect: Note,
        message: "It grew by more than {limit} %: {detail}",
        why: "Regions grow until they are slow or full, and one night shows who built what. Compared are land impact, \
              physics cost and server weight of all that stands in the region with those of the earlier night that \
              --baseline gives, where both are known and judged for the same target.",
        fix: "Nothing is wrong. The table of objects, sorted by cost, shows what it is.",
        source: "hullmark, [history]",
    }

    HIS005 "assets" "No asset is left" {
        about: Archive,
        effect: Loses,
        message: "It has no asset any more; {detail} had {measured}",
        why: "Objects without the meshes, textures, scripts and sounds that they name are empty boxes when they \
              are loaded on another grid. An archive whose assets became none, or all of zero bytes, while its \
              objects stayed was written while the asset service did not answer, or with --noassets. An operator found by luck \
              that an archive of 8 GB had become one of 56 MB with no asset in it. Few assets (few_assets) that went together with objects are no \
              finding. It is told until there are assets again: that objects are fewer on a later night brings none back.",
        engines: [
            "OpenSimulator" => "OpenSim leaves out assets that its service does not deliver, stops asking after \
                90 seconds without an answer, and writes the archive all the same.",
        ],
        fix: "Keep the earlier archive: it may be the last that holds the assets. See whether the asset service \
              answers, and save again without --noassets.",
        source: "Halcyon, issue 88 (8 GB became 56 MB); hypergridbusiness.com, April 2015; OpenSim, AssetsRequest.cs, \
              Execute",
    }

    HIS006 "" "The newest copy is not whole" {
        about: Archive,
        effect: Unknown,
        message: "The newest of its dated copies was not read to its end: {detail}",
        why: "Of dated copies only one is judged: the newest that was read to its end. Where that is not the newest copy, \
              the report shows what was there before the last backup. The last backup itself cannot be trusted. \
              The row of the copy that is judged names the newest in the column in_place_of. The audit is \
              incomplete and exits with 3.",
        fix: "See what is wrong with the newest copy (the findings beside this one), and save again. Keep the older copies \
              until a new one is whole.",
        source: "hullmark, docs/nightly.md, Dated copies",
    }

    HIS007 "inputs" "A folder with exports is empty now" {
        about: Run,
        effect: Loses,
        message: "This folder has nothing to audit any more: {detail}",
        why: "An export disk that is not mounted looks like an empty folder. Ledgers remember which inputs an earlier run \
              had below each path that you name, and below each folder in it. Where none is left, that is told each \
              night while the folder stays and is empty, and once where the folder is gone too. Folders whose names \
              differ in dates only are one. The ledgers of an empty folder are kept.",
        fix: "Check whether the disk is mounted and whether the backup job writes to this folder. If you moved the \
              exports on purpose, remove the empty folder.",
        source: "hullmark, docs/architecture.md, What came before",
    }

    HIS008 "" "An older copy is not whole" {
        about: Archive,
        effect: Unknown,
        message: "The older copy {within} was not read to its end: {detail}",
        why: "You keep older copies to go back to them. One that cannot be read is no copy to go back to. Nothing else is \
              judged of it, because another copy is. The audit is incomplete and exits with 3 as long as it is there.",
        fix: "Delete the copy or replace it by a whole one. See whether the disk, or the job that copies archives, damages \
              files.",
        source: "hullmark, docs/nightly.md, Dated copies",
    }
}
