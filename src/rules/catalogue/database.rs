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
