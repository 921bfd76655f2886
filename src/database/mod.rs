//! Rows of OpenSimulator's databases: region, asset and inventory tables of SQLite, MariaDB and PostgreSQL.
//!
//! ```text
//! SQL dump ────┐         ┌─▶ prims, parcels, settings, terrain ─▶ regions and linksets
//! SQLite file ─┼─▶ Row ──┤
//! server ──────┘         └─▶ folders and items of inventories ─▶ items with paths
//! ```
//!
//! Columns are found by name, because versions differ. The version of a database proves no column.

mod checks;
mod estates;
pub mod inventories;
mod prims;
mod regions;
mod room;
mod settings;
pub mod sqlite;
mod terrain;
mod value;

pub use checks::is_of_regions;
pub use estates::{ESTATE_TABLES, EstateTables, is_estate_table};
pub use regions::{GridRegions, Region, RegionTables, UnreadTables, is_region_table};
pub use room::{Room, RoomLimits};
pub use value::{Columns, Row, Value, has_lost_letters, meant};

/// The product that wrote a database. Loaders of OpenSimulator differ by product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    MySql,
    PostgreSql,
    Sqlite,
}
