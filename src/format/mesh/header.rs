//! The header: a map with the names and positions of the blocks.

use super::{Block, COST_DATA, PhysicsCostData, diagnostics::Notes, names};
use crate::{
    defect::{Defect, LlsdDocument, MeshDefect},
    llsd::{self, Map, Value},
};
use hullmark_settings::limits::Limits;
use hullmark_util::json_number::Number;

/// Bytes that viewers fetch to read the header (`MESH_HEADER_SIZE` in `llmeshrepository.cpp`).
const HEADER_BYTES: usize = 4096;

/// The largest `version` that viewers accept (`MAX_MESH_VERSION` in `llmeshrepository.cpp`).
const MAX_VERSION: i64 = 999;

/// Bytes of the MD5 in `hash`.
const HASH_BYTES: usize = 16;

/// Maximum number of blocks that are kept. The format has eleven.
const MOST_BLOCKS: usize = 64;

/// Maximum number of characters kept of a block's name. The longest name in the format has fourteen.
const NAME_CHARS: usize = 40;

/// Maximum number of figures read from `mesh` in the cost data; simulators write nine.
const COST_FIGURES: usize = 16;

#[derive(Debug)]
pub(super) struct Header {
    /// Bytes up to the end of the header. Offsets of blocks count from there.
    pub(super) bytes: usize,
    /// `version`; `None` if it is missing or not an integer.
    pub(super) version: Option<i64>,
    /// Blocks in file order.
    pub(super) blocks: Vec<Block>,
    pub(super) cost_data: Option<PhysicsCostData>,
    /// Whether the header contains a viewer's note that the asset does not exist.
    pub(super) is_missing_marker: bool,
}

/// Reads the header at the start of `bytes`; `None` if it cannot be read.
pub(super) fn read(bytes: &[u8], limits: &Limits, notes: &mut Notes) -> Option<Header> {
    let document = match llsd::parse_at_most(bytes, limits.llsd_depth, limits.llsd_values) {
        Ok(document) => document,
        Err(error) => {
            let kind = MeshDefect::Llsd { of: LlsdDocument::Header, problem: error.problem };
            notes.find(Defect::new(kind).offset(error.offset));
            return None;
        }
    };
    let Value::Map(map) = &document.value else {
        notes.find(Defect::new(MeshDefect::HeaderNotMap { found: document.value.kind().into() }));
        return None;
    };
    check_document(&document, notes);
    Some(Header {
        bytes: document.consumed,
        version: read_version(map, notes),
        blocks: read_blocks(map, notes),
        cost_data: read_cost_data(map, notes),
        is_missing_marker: check_markers(map, notes),
    })
}

fn check_document(document: &llsd::Document<'_>, notes: &mut Notes) {
    if document.prefixed {
        notes.odd("text-prefix");
    }
    if let Some(doubles) = &document.doubles {
        notes.find(doubled_keys(LlsdDocument::Header, doubles));
    }
    if document.consumed > HEADER_BYTES {
        let defect = Defect::new(MeshDefect::HeaderTooLong).measured(document.consumed as f64);
        notes.find(defect.limit(HEADER_BYTES as f64));
    }
}

/// Creates a defect for keys that a map contains more than once.
pub(super) fn doubled_keys(of: LlsdDocument, doubles: &llsd::Doubles) -> Defect {
    Defect::new(MeshDefect::KeysTwice { of, key: doubles.key.clone() }).measured(doubles.count as f64)
}

fn read_version(map: &Map<'_>, notes: &mut Notes) -> Option<i64> {
    let value = map.get("version")?;
    let Some(version) = value.as_i64() else {
        notes.find(Defect::new(MeshDefect::VersionNotInteger { found: value.kind().into() }));
        return None;
    };
    if version > MAX_VERSION {
        let defect = Defect::new(MeshDefect::VersionTooNew).measured(version as f64);
        notes.find(defect.limit(MAX_VERSION as f64));
    }
    Some(version)
}

/// Notes keys that do not describe a block. Returns whether the header says that the asset does not exist.
fn check_markers(map: &Map<'_>, notes: &mut Notes) -> bool {
    if map.get("submodel_id").and_then(Value::as_i64).is_some_and(|id| id != 0) {
        // Faces after the eighth of a larger model. Viewers read neither its skin nor its hulls.
        notes.odd("submodel");
    }
    let missing = map.has("404");
    if missing {
        notes.find(Defect::new(MeshDefect::MissingMarker));
    }
    missing
}

fn read_blocks(map: &Map<'_>, notes: &mut Notes) -> Vec<Block> {
    let mut blocks: Vec<Block> =
        map.iter().filter_map(|(key, value)| read_block(&name(key), value, notes)).collect();
    if blocks.len() > MOST_BLOCKS {
        let defect = Defect::new(MeshDefect::TooManyBlocks).measured(blocks.len() as f64);
        notes.find(defect.limit(MOST_BLOCKS as f64));
        blocks.retain(|block| is_read(&block.name));
    }
    // File order, regardless of the order of the keys.
    blocks.sort_by(|a, b| (a.offset, a.size, &a.name).cmp(&(b.offset, b.size, &b.name)));
    blocks
}

fn name(key: &[u8]) -> String {
    let printable = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    // A character takes at most four bytes, so there is no need to read a key of megabytes.
    let key = &key[..key.len().min(4 * NAME_CHARS)];
    String::from_utf8_lossy(key).chars().take(NAME_CHARS).map(printable).collect()
}

fn is_read(name: &str) -> bool {
    names().any(|read| read == name)
}

fn read_block(name: &str, value: &Value<'_>, notes: &mut Notes) -> Option<Block> {
    let Some(entry) = value.as_map() else {
        if is_read(name) {
            let kind = MeshDefect::BlockEntryNotMap { found: value.kind().into() };
            notes.find(Defect::new(kind).within(name.to_owned()));
        }
        return None;
    };
    let is_block = is_read(name) || entry.has("offset") || entry.has("size");
    if !is_block || name == COST_DATA {
        return None;
    }
    let mut number = |key: &'static str| {
        // Every reader takes a missing number as 0.
        let Some(value) = entry.get(key) else { return Some(0) };
        let number = value.as_i64();
        if number.is_none() {
            let found = value.kind().into();
            let kind = MeshDefect::BlockNumberNotInteger { key: key.into(), found };
            notes.find(Defect::new(kind).within(name.to_owned()));
        }
        number
    };
    let (offset, size) = (number("offset")?, number("size")?);
    let hash = entry.get("hash");
    let block = Block { name: name.to_owned(), offset, size, inflated: None };
    if size == 0 || offset == -1 {
        return None;
    }
    if let Some(hash) = hash {
        check_hash(name, hash, notes);
    }
    Some(block)
}

fn check_hash(name: &str, hash: &Value<'_>, notes: &mut Notes) {
    notes.odd("block-hash");
    if hash.as_binary().is_none_or(|bytes| bytes.len() != HASH_BYTES) {
        notes.find(Defect::new(MeshDefect::BlockHashNotMd5).within(name.to_owned()));
    }
}

fn read_cost_data(map: &Map<'_>, notes: &mut Notes) -> Option<PhysicsCostData> {
    let value = map.get(COST_DATA)?;
    let Some(data) = value.as_map() else {
        notes.find(Defect::new(MeshDefect::CostDataNotMap { found: value.kind().into() }));
        return None;
    };
    // The simulator has written some of these as integers and others as reals.
    let finite = |value: &Value<'_>| value.as_f64().filter(|figure| figure.is_finite()).map(Number);
    let figure = |key| data.get(key).and_then(finite);
    let list = data.get("mesh").and_then(Value::as_array).unwrap_or_default();
    let mesh: Option<Vec<Number>> = list.iter().take(COST_FIGURES).map(finite).collect();
    Some(PhysicsCostData {
        hull: figure("hull"),
        hull_discounted_vertices: figure("hull_discounted_vertices"),
        decomposition: figure("decomposition"),
        decomposition_discounted_vertices: figure("decomposition_discounted_vertices"),
        decomposition_hulls: figure("decomposition_hulls"),
        // If one figure is missing, the others have the wrong index.
        mesh: mesh.unwrap_or_default(),
        mesh_triangles: figure("mesh_triangles"),
    })
}
