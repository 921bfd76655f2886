//! Assets: those in use by lists of ids, or all by ranges of ids.
//!
//! They need no snapshot, because assets are not changed. Short statements hold no old versions of rows, and a reading
//! continues after a lost connection.

use super::{
    Failure, ServerReader,
    regions::Piece,
    tables::{BY_KEY, Table, after, buffered, quoted},
};
use hullmark_database::Dialect;
use uuid::Uuid;

/// Ids in a list, and rows in a range, where reading blocks nobody.
const IDS: usize = 200;
const ROWS: u64 = 1000;

/// Rows of the first piece of a table that is locked while it is read. An asset may have megabytes.
const FIRST_PIECE: u64 = 8;

/// A table of assets, or the two tables of XAssetService.
struct AssetTable {
    /// The selected columns, with the names that [`DatabaseRows`](super::DatabaseRows) knows.
    columns: String,
    table: String,
    /// The second table, with its condition.
    joined: String,
    /// The column of the id, quoted, as the query names it.
    id: String,
    is_transactional: bool,
    dialect: Dialect,
}

impl ServerReader<'_, '_> {
    /// Reads the assets in use, or all. `used` says whether anything is known to use assets.
    pub(super) fn assets(&mut self, tables: &[Table], used: bool) -> Result<(), Failure> {
        let mut sources = Vec::new();
        for source in AssetTable::of(tables, self.dialect, self.request.limits.entry_bytes) {
            match source {
                Ok(source) => sources.push(source),
                Err(failure) => self.rows.reading.give_up(failure.of("assets")),
            }
        }
        if sources.is_empty() && !used && !self.rows.reading.incomplete {
            let why = "the database has no tables of regions or assets, or its user may not read them";
            return Err(Failure::lasting(why));
        }
        if self.rows.uses.is_none() {
            return sources.iter().try_for_each(|source| self.all_of(source));
        }
        if !sources.is_empty() && !used {
            let why = "the database has assets, but no regions that use them. Give it to --assets beside the database \
                       of the regions, choose owners with --inventory, or add --all-assets";
            return Err(Failure::lasting(why));
        }
        self.in_use(&sources)
    }

    /// Reads all assets of a table, in the order of their ids.
    fn all_of(&mut self, source: &AssetTable) -> Result<(), Failure> {
        let (mut piece, mut last) = (Piece::new(FIRST_PIECE), None);
        while !self.is_over() {
            let rows = if source.is_transactional { ROWS } else { piece.rows };
            let query = source.after(last.as_deref(), rows);
            // A piece that was interrupted is read again: assets that it passed on are known.
            let selected = self.patiently(|reader| reader.select(&query, "assets", "id"))?;
            if selected.rows < rows {
                return Ok(());
            }
            last = selected.last;
            piece.took(selected.wait);
        }
        Ok(())
    }

    /// Reads the assets in use. Each may use further ones, so this ends when none is new.
    fn in_use(&mut self, sources: &[AssetTable]) -> Result<(), Failure> {
        let mut piece = Piece::new(FIRST_PIECE);
        loop {
            let mut ids = self.rows.uses.as_mut().map(super::Uses::take).unwrap_or_default();
            if ids.is_empty() {
                return Ok(());
            }
            for source in sources {
                ids.retain(|&id| !self.rows.has(id));
                let mut rest = ids.as_slice();
                while !rest.is_empty() && !self.is_over() {
                    let most = if source.is_transactional { IDS } else { IDS.min(piece.rows as usize) };
                    let (now, later) = rest.split_at(most.min(rest.len()));
                    let query = source.among(now);
                    let selected = self.patiently(|reader| reader.select(&query, "assets", ""))?;
                    piece.took(selected.wait);
                    rest = later;
                }
            }
        }
    }
}

impl AssetTable {
    /// Returns the tables of assets in a database, and why one cannot be read. Assets above `longest` bytes are not
    /// sent.
    fn of(tables: &[Table], dialect: Dialect, longest: u64) -> Vec<Result<Self, Failure>> {
        let find = |name| tables.iter().find(|table| table.is(name));
        let plain = find("assets").map(|table| Self::new(table, table, dialect, longest));
        let by_hash = find("xassetsmeta").zip(find("xassetsdata"));
        let by_hash = by_hash.map(|(meta, data)| Self::new(meta, data, dialect, longest));
        plain.into_iter().chain(by_hash).collect()
    }

    /// Creates the table of metadata and that of the bytes, which may be the same.
    fn new(meta: &Table, data: &Table, dialect: Dialect, longest: u64) -> Result<Self, Failure> {
        for table in [meta, data] {
            if let Some(column) = table.missing_column() {
                let why = format!("the table {} has no column {column}, so it was not read", table.name);
                return Err(Failure::lasting(why));
            }
        }
        let quote = |name: &str| quoted(dialect, name);
        let column = |of: &str, table: &Table, name: &str| {
            format!("{of}.{}", quote(table.column(name).unwrap_or(name)))
        };
        let is_same = meta.name == data.name;
        let at = if is_same { "m" } else { "d" };
        let (id, kind, bytes) =
            (column("m", meta, "id"), column("m", meta, "assettype"), column(at, data, "data"));
        let joined = match is_same {
            true => String::new(),
            false => format!(
                " JOIN {} d ON {} = {}",
                quote(&data.name),
                column("m", meta, "hash"),
                column("d", data, "hash")
            ),
        };
        Ok(Self {
            columns: format!(
                "{id} AS id, {kind} AS assettype, OCTET_LENGTH({bytes}) AS bytes, \
                 CASE WHEN OCTET_LENGTH({bytes}) <= {longest} THEN {bytes} END AS data"
            ),
            table: format!("{} m", quote(&meta.name)),
            joined,
            id,
            is_transactional: meta.is_transactional() && data.is_transactional(),
            dialect,
        })
    }

    /// Returns the query as it is sent. Writers of MyISAM wait while a table is read.
    fn sent(&self, query: String) -> String {
        if self.is_transactional { query } else { buffered(&query) }
    }

    /// Returns the query for these assets.
    fn among(&self, ids: &[Uuid]) -> String {
        let ids: Vec<String> = ids.iter().map(|id| format!("'{id}'")).collect();
        let Self { columns, table, joined, id, .. } = self;
        self.sent(format!("SELECT {columns} FROM {table}{joined} WHERE {id} IN ({})", ids.join(", ")))
    }

    /// Returns the query for the assets after this one.
    fn after(&self, last: Option<&[u8]>, rows: u64) -> String {
        let Self { columns, table, joined, id, dialect, .. } = self;
        let hint = if *dialect == Dialect::PostgreSql { "" } else { BY_KEY };
        let rest = after(*dialect, id, last, rows);
        self.sent(format!("SELECT {columns} FROM {table}{hint}{joined} {rest}"))
    }
}
