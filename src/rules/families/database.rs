//! DBS: rows of databases. Whether a simulator makes objects of them.

use crate::{RuleOutcomes, SkipReason};
use hullmark_analysis::Measured;
use hullmark_finding::{Code, Finding};
use hullmark_ledger::facts::Status;

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

    DBS003 "rows" "Rows of a dump cannot be read" {
        about: Archive,
        effect: Unknown,
        message: "Rows of the dump cannot be read: {detail}",
        why: "The order of values is in CREATE TABLE, or in a list of columns at each INSERT. Without both, nobody \
              knows what a value is. Another number of values than columns shows damage, or an edit by hand. Texts \
              in another charset than the dump states were stored wrongly, or the dump was converted.",
        fix: "Write the dump again with the structure of its tables, or with --complete-insert.",
        source: "mysqldump, --no-create-info and --complete-insert; MySQL, INSERT statement",
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
