//! DBS: rows of databases. Whether a simulator makes objects of them.

use super::archive::for_all;
use crate::{RuleOutcomes, SkipReason};
use hullmark_analysis::Measured;
use hullmark_finding::{Code, Finding};
use hullmark_format::defect::{Defect, DefectKind, InputDefect};
use hullmark_ledger::{Ledger, facts::Status};

rules! {
    DBS001 "prims" "Prims in the database are not loaded" {
        about: Archive,
        effect: Loses,
        message: "OpenSimulator does not load prims: {detail}",
        why: "Each row of prims names the root of its linkset. If the root is not in the region, its children are \
              orphans: they disappear at the next restart, and only the database still has them. Such rows remain \
              after a crash, after a region was copied in part, and after cleaning by hand.",
        engines: [
            "OpenSimulator" => "With MySQL it logs \"orphan child prim … Prim not loaded\" and continues. With SQLite \
                the lookup fails, with the same result. With PostgreSQL it makes the first of these prims the root.",
        ],
        fix: "Restore the root from an older backup, or delete the rows. An archive that the simulator writes does \
              not have them.",
        source: "OpenSim, MySQLSimulationData.cs, LoadObjects; SQLiteSimulationData.cs; PGSQLSimulationData.cs",
    }

    DBS002 "prims" "Prims in the database have no shape" {
        about: Archive,
        effect: Changes,
        message: "Prims without a shape become boxes: {detail}",
        why: "The shape of a prim is in the table primshapes. Without this row the size, the texture and the mesh of \
              the prim are lost.",
        engines: [
            "OpenSimulator" => "Creates the default shape, a box of 0.5 m, and saves it.",
        ],
        fix: "Restore the rows of primshapes from an older backup before the region starts.",
        source: "OpenSim, MySQLSimulationData.cs, LoadObjects; PrimitiveBaseShape.cs, Default",
    }

    DBS003 "rows" "Rows or texts are not as they were meant" {
        about: Archive,
        effect: Unknown,
        message: "Rows or texts of the database are not as they were meant: {detail}",
        why: "The order of values is in CREATE TABLE, or in a list of columns at each INSERT. Without both, nobody \
              knows what a value is. Another number of values than columns shows damage, or an edit by hand. Such rows \
              cannot be read. Texts in another charset can: a program that takes UTF-8 for Latin-1 stores Ã± for ñ, and \
              hullmark undoes that. A charset without a letter stores a question mark, and the letter is lost.",
        engines: [
            "OpenSimulator" => "Shows texts as the database gives them, so names have wrong letters in viewers.",
        ],
        fix: "Rows: write the dump again with the structure of its tables, or with --complete-insert. Texts in another \
              charset or encoded twice: write the dump with --default-character-set=latin1. Then replace latin1 by \
              utf8mb4 in its SET NAMES and its tables, and load it. Letters that are question marks: take the names from an \
              older backup.",
        source: "mysqldump, --no-create-info, --complete-insert and --default-character-set; MySQL, INSERT statement; \
              MySQL, Connection Character Sets",
    }

    DBS004 "" "A dump may be incomplete" {
        about: Archive,
        effect: Unknown,
        message: "The dump may be incomplete: {detail}",
        why: "A complete dump ends with a line that says so. A dump of a full disk or a broken connection may end \
              between two statements. It then lacks whole tables, and looks intact.",
        fix: "Compare its size with earlier dumps. Write it without --skip-comments, so that its end is known.",
        source: "mysqldump, \"-- Dump completed\"; pg_dump, \"-- PostgreSQL database dump complete\"",
    }

    DBS005 "" "Rows may be of different moments" {
        about: Archive,
        effect: Unknown,
        message: "The database changed while it was read: {detail}",
        why: "hullmark takes no lock, so that a running simulator never waits. It reads a database again if it \
              changes meanwhile. If it changes each time, an object may be missing, or be there in an old state.",
        engines: [
            "OpenSimulator" => "Saves changed objects after one to ten minutes, each in a transaction of its own.",
        ],
        fix: "Audit again when less is built, or audit a copy that sqlite3 makes with .backup.",
        source: "SQLite, file format, sections 3 and 4; OpenSimDefaults.ini, \
              MinimumTimeBeforePersistenceConsidered",
    }

    DBS006 "columns" "Columns of the database's version are missing" {
        about: Archive,
        effect: Stops,
        message: "The database lacks columns that its version has: {detail}",
        why: "The table migrations says which version a database has. OpenSimulator writes the new version also if a \
              migration fails, so columns may be missing. Forks of OpenSimulator count versions in other ways.",
        engines: [
            "OpenSimulator" => "Logs the failed migration and continues. The loader reads columns by name and stops \
                at a missing one, so that no object of the region loads.",
        ],
        fix: "Add the columns by the statements of RegionStore.migrations, before a simulator uses the database.",
        source: "OpenSim, Migration.cs, Update; RegionStore.migrations; tried with PostgreSQL 15",
    }

    DBS007 "rows" "Values were probably cut at 65,535 bytes" {
        about: Archive,
        effect: Changes,
        message: "Values have as many bytes as their column can hold: {detail}",
        why: "Columns of the types TEXT and BLOB hold 65,535 bytes. Without its strict mode MySQL cuts longer values, \
              and logs a warning only. The rest of the value is lost.",
        engines: [
            "OpenSimulator" => "Reads the rest. Data of linksets, materials and attributes that end in the middle \
                are dropped or damaged.",
        ],
        fix: "Restore the value from an archive or an older backup. Change the column to MEDIUMBLOB or MEDIUMTEXT.",
        source: "MySQL, Data Type Storage Requirements and sql_mode; OpenSim, RegionStore.migrations",
    }

    DBS008 "rows" "Rows belong to prims that are gone" {
        about: Archive,
        effect: Note,
        message: "The database has rows without a prim: {detail}",
        why: "Shapes and contents of prims are in tables of their own. Rows remain there if a prim is deleted by hand \
              or in a crash. They take space, and nobody sees them.",
        engines: [
            "OpenSimulator" => "Never reads them.",
        ],
        fix: "Delete the rows, or leave them. Archives do not have them.",
        source: "OpenSim, MySQLSimulationData.cs, LoadObjects and LoadItems; SQLiteSimulationData.cs",
    }

    DBS009 "rows" "Rows of a region that no list has" {
        about: Region,
        effect: Note,
        check: unknown_region,
        message: "No file of regions and no table of the grid has this region: {detail}",
        why: "A database keeps the rows of a region that was removed, renamed or moved to another simulator. Nobody \
              sees these objects, but they take space and count in the figures of the database. Or the file of a \
              region was lost, and the region with it.",
        engines: [
            "OpenSimulator" => "A simulator loads the rows of the regions in its files, by RegionUUID.",
            "Robust" => "Removes a region from its table when it is shut down, unless DeleteOnUnregister is false or \
                the region has the flag Persistent.",
        ],
        fix: "Check first whether the region is shut down, or belongs to a simulator whose settings were not given \
              with --from-ini. If it is gone, delete its rows. If its file is lost, write the file again with this \
              UUID.",
        source: "OpenSim, RegionLoaderFileSystem.cs; RegionInfo.cs; GridService.cs, DeleteOnUnregister",
    }

    DBS010 "tables" "Tables were not read at one moment" {
        about: Archive,
        effect: Unknown,
        message: "Tables are not in the snapshot of the database: {detail}",
        why: "The tables of a region belong together. hullmark reads them in one snapshot, which only tables of \
              InnoDB have. Others show changes that a simulator writes while they are read. A linkset may then lack \
              parts that were moved to another one.",
        engines: [
            "MyISAM" => "Has no transactions. A statement that reads a table makes its writers wait. So hullmark reads \
                such a table in small pieces.",
        ],
        fix: "Convert the tables while the simulator is stopped: ALTER TABLE prims ENGINE=InnoDB. OpenSimulator uses \
              InnoDB for new tables since 2017, but converts no old ones.",
        source: "MariaDB, START TRANSACTION WITH CONSISTENT SNAPSHOT; OpenSim, commit 53fe204eed",
    }

    DBS011 "" "Tables of a dump may be of different moments" {
        about: Archive,
        effect: Unknown,
        message: "MyISAM tables: {detail}",
        why: "A dump with --single-transaction shows one moment of the tables in InnoDB. Tables in MyISAM have no \
              transactions, so rows that were written during the dump are in them. Objects may then name assets or \
              items of another moment. Many grids have MyISAM tables: OpenSimulator made its tables so from 2011 to \
              2017, and converts none.",
        fix: "Convert the tables with ALTER TABLE … ENGINE=InnoDB while the grid is stopped. Or write the dump while \
              the grid is stopped, or with --lock-tables.",
        source: "OpenSim, commits 9149ef6c89 and 53fe204eed; mysqldump, --single-transaction",
    }

    DBS012 "tables" "Tables are missing or have no rows" {
        about: Archive,
        effect: Loses,
        message: "Content of the database is unknown: {detail}",
        why: "A table that is not there is not empty: its content was not saved. A region needs prims, primshapes, \
              primitems, land, regionsettings and terrain. An inventory needs folders and items. A table is left out by \
              --ignore-table, by a list of tables, or if the server cannot read it. A dump with --no-data has no rows \
              at all. What these rows decide is not evaluated.",
        engines: [
            "OpenSimulator" => "Creates missing tables empty when it starts. So regions come up without these objects, \
                shapes, contents, parcels or settings, and no error is shown.",
        ],
        fix: "Write the dump again with these tables, and compare the number of tables with the server's. If a table \
              crashed, run REPAIR TABLE on it first, or restore it. If the user may not read it, grant SELECT and \
              LOCK TABLES. Remove --no-data and --ignore-table from the script of the backup.",
        source: "mysqldump, --ignore-table, --no-data and --force; MySQL errors 1142, 1146 and 1194; OpenSim, \
              RegionStore.migrations",
    }

    DBS013 "messages" "A dump has messages of a program" {
        about: Archive,
        effect: Unknown,
        message: "The dump has messages between its statements: {detail}",
        why: "A script that sends errors and output to one file (2>&1) mixes messages into the dump. hullmark reads \
              such a dump. A server does not: it stops at the first message. An error says that rows are missing.",
        engines: [
            "MySQL and MariaDB" => "Stop a restore at the message with a syntax error, unless --force is given.",
        ],
        fix: "Send the messages to a file of their own: 2> backup.log, or use --result-file for the dump. To restore \
              this dump, remove the lines first. After an error, write the dump again.",
        source: "mysqldump, --result-file and --force; tried with mysqldump 8.0.36",
    }

    DBS014 "bytes" "Backup of a database failed" {
        about: Entry,
        effect: Loses,
        check: failed_dump,
        message: "The file has the name of a dump and no content of a database: {detail}",
        why: "A dump that fails leaves an empty file, or one with only the message of the error. Packed with gzip, \
              nothing is 20 bytes long. Such a file replaces a good backup, and nobody notices it for weeks.",
        fix: "Run the command of the backup by hand and read its message. Access denied: check user and password. Lost \
              connection: raise max_allowed_packet and net_write_timeout. No space left: free the disk. Then write \
              the dump again, and keep the last good one until then.",
        source: "mysqldump, exit status; MySQL errors 1045, 2002, 2006 and 2013; gzip, RFC 1952",
    }

    DBS015 "" "A listed region has no rows" {
        about: Run,
        effect: Loses,
        message: "No database of this run has a row of a region that a file of regions names: {detail}",
        why: "A simulator loads the rows of the regions in its files, by RegionUUID. If a file has another UUID than the \
              rows, for example after it was written again, the region starts empty. Its objects remain in the \
              database under the old UUID (DBS009). A region that is new has no rows either.",
        engines: [
            "OpenSimulator" => "Starts the region with default ground and without objects, and shows no error.",
        ],
        fix: "Check whether the region is new, or its database was not given. If DBS009 names rows of an unknown region, \
              write that UUID into the file of the region.",
        source: "OpenSim, RegionInfo.cs; MySQLSimulationData.cs, LoadObjects",
    }
}

/// A file with the name of a dump that has no content of a database.
fn failed_dump(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    let failed = measured.ledger.unknown.iter().filter_map(|file| Some((file, file.failed_dump()?)));
    outcomes.extend(
        failed.map(|(file, why)| for_all(file, Finding::new(Code::DBS014).entry(&file.entry).detail(why))),
    );
}

/// Whether a database may have more objects, in rows that were not read.
pub fn has_unread_objects(ledger: &Ledger) -> bool {
    let is_of_prims = |defect: &Defect| match &defect.kind {
        DefectKind::Input(InputDefect::TableMissing { table, .. }) => table == "prims",
        DefectKind::Input(InputDefect::NoRows { .. }) => true,
        _ => false,
    };
    ledger.regions.iter().any(|region| region.objects_unread) || ledger.defects.iter().any(is_of_prims)
}

fn unknown_region(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    if !measured.ledger.is_database() {
        return;
    }
    let unknown = match measured.ledger.status {
        Status::Complete => SkipReason::NoRegions,
        _ => SkipReason::Incomplete,
    };
    for region in &measured.ledger.regions {
        match region.listed {
            Some(true) => {}
            None => outcomes.not_evaluated(Code::DBS009, unknown, 1),
            Some(false) => {
                let uuid = region.uuid.unwrap_or_default().to_string();
                let name = if region.name == uuid { String::new() } else { format!(" \"{}\"", region.name) };
                let tables: Vec<String> =
                    region.rows.iter().map(|(table, rows)| format!("{rows} in {table}")).collect();
                let detail = format!("{uuid}{name}; rows: {}", tables.join(", "));
                let rows: u64 = region.rows.values().sum();
                let finding = Finding::new(Code::DBS009).entry(&region.folder).detail(detail);
                outcomes.push(finding.measured(rows as f64));
            }
        }
    }
}
