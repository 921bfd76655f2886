//! DBS: rows of databases. Whether a simulator makes objects of them.

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
              knows what a value is. Another number of values than columns shows damage, or an edit by hand.",
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
}
