//! Tables of a database, and the columns that a reader cannot do without.

use crate::database;
use hullmark_database::Dialect;

/// Makes MySQL read a table by its key. It may sort the table otherwise.
pub(super) const BY_KEY: &str = " FORCE INDEX (PRIMARY)";

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Table {
    /// The name, as the server writes it.
    pub name: String,
    /// The names of the columns, as the server writes them.
    pub columns: Vec<String>,
    /// The column of the primary key, if it is a single one.
    pub key: Option<String>,
    /// The engine of MySQL; empty for PostgreSQL.
    pub engine: String,
}

impl Table {
    /// Whether this is the table of a name in lower case.
    pub fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// Whether snapshots cover the table. Other tables block their writers while they are read.
    pub fn is_transactional(&self) -> bool {
        self.engine.is_empty() || self.engine.eq_ignore_ascii_case("InnoDB")
    }

    /// Returns the name of a column as the server writes it.
    pub fn column(&self, name: &str) -> Option<&str> {
        self.columns.iter().find(|column| column.eq_ignore_ascii_case(name)).map(String::as_str)
    }

    /// Returns the first column that every version of the table has and that is missing.
    pub fn missing_column(&self) -> Option<&'static str> {
        required(&self.name.to_ascii_lowercase()).find(|name| self.column(name).is_none())
    }
}

/// Whether a table is read. Others do not matter.
#[cfg_attr(not(feature = "database"), allow(dead_code, reason = "only clients list tables"))]
pub(super) fn is_read(table: &str) -> bool {
    let table = table.to_ascii_lowercase();
    database::is_known(&table) || required(&table).next().is_some()
}

/// Returns the columns without which a row would be misread. They are in every version of OpenSimulator.
fn required(table: &str) -> impl Iterator<Item = &'static str> {
    let columns = match table {
        "prims" => {
            "UUID RegionUUID SceneGroupID Name OwnerID CreatorID ObjectFlags LinkNumber PositionX PositionY PositionZ \
             GroupPositionX GroupPositionY GroupPositionZ RotationX RotationY RotationZ RotationW"
        }
        "primshapes" => {
            "UUID ScaleX ScaleY ScaleZ PCode PathBegin PathEnd PathScaleX PathScaleY PathShearX PathShearY PathSkew \
             PathCurve PathRadiusOffset PathRevolutions PathTaperX PathTaperY PathTwist PathTwistBegin ProfileBegin \
             ProfileEnd ProfileCurve ProfileHollow Texture ExtraParams"
        }
        "primitems" => "itemID primID assetID assetType",
        "land" => "UUID RegionUUID Bitmap",
        "terrain" => "RegionUUID Revision Heightfield",
        "regionsettings" => "regionUUID",
        "regionenvironment" => "region_id",
        "regions" => "uuid regionName",
        "fsassets" => "id type hash",
        "estate_settings" => "EstateID EstateName EstateOwner",
        "estate_map" => "RegionID EstateID",
        "estate_managers" | "estate_users" | "estate_groups" => "EstateID uuid",
        "estateban" => "EstateID bannedUUID",
        "inventoryfolders" => "folderID agentID parentFolderID type",
        "inventoryitems" => "inventoryID assetID assetType parentFolderID avatarID",
        "useraccounts" => "PrincipalID FirstName LastName",
        "assets" => "id assetType data",
        "xassetsmeta" => "ID Hash AssetType",
        "xassetsdata" => "Hash Data",
        _ => "",
    };
    columns.split_ascii_whitespace()
}

/// Returns a name in the quotes of the product.
pub(super) fn quoted(dialect: Dialect, name: &str) -> String {
    match dialect {
        Dialect::PostgreSql => format!("\"{}\"", name.replace('"', "\"\"")),
        _ => format!("`{}`", name.replace('`', "``")),
    }
}

/// Returns a key as a literal that means the same in every mode of the server. Keys of PostgreSQL are UUIDs.
fn literal(dialect: Dialect, key: &[u8]) -> String {
    let hex: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
    match dialect {
        Dialect::PostgreSql => format!("convert_from('\\x{hex}', 'UTF8')::uuid"),
        _ => format!("_utf8mb4 X'{hex}'"),
    }
}

/// Returns a query whose rows MySQL stores before it sends them, so that writers need not wait for the client.
///
/// Next to a limit, the server would store all rows first, and apply the limit to those. So the limit is inside.
pub(super) fn buffered(query: &str) -> String {
    format!("SELECT SQL_BUFFER_RESULT * FROM ({query}) AS piece")
}

/// Returns the end of a query for the next rows after a key.
pub(super) fn after(dialect: Dialect, key: &str, last: Option<&[u8]>, rows: u64) -> String {
    let after = last.map_or(String::new(), |last| format!("WHERE {key} > {} ", literal(dialect, last)));
    format!("{after}ORDER BY {key} LIMIT {rows}")
}
