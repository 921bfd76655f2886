//! The schemas in `docs/schema`, written from the columns of the tables and the types of the pages.
//! `UPDATE_DOCS=1 cargo test docs` writes them again.

use hullmark_report::{
    Summary, arrived,
    diff::ChangesSummary,
    doctor::DoctorPage,
    places::PlacesPage,
    preflight::Page,
    table::{ColumnHead, Head, Kind},
    tables::{heads, heads_of_arrivals},
    whereabouts::Whereabouts,
};
use schemars::{JsonSchema, Schema, generate::SchemaSettings, transform::transform_subschemas};
use serde_json::{Map, Value, json};
use std::{env, fs, path::Path};

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// A profile name in place of all further profiles.
const FURTHER: &str = "further";

#[test]
fn docs_have_a_schema_for_each_table() {
    for (own, with_further) in heads(&[]).iter().zip(heads(&[FURTHER.into()])) {
        hold(own.name, &table(own, &with_further.columns[own.columns.len()..]));
    }
    for own in heads_of_arrivals() {
        hold(own.name, &table(&own, &[]));
    }
}

#[test]
fn docs_have_a_schema_for_each_page() {
    let about =
        "Summary of a run: `audit.json`. A missing limit is `null`, like every number that is not finite.";
    let mut audit = page::<Summary>("audit", about);
    // The manifest has no settings that cannot change a result or may contain a secret.
    without(&mut audit, "Config", "threads");
    without(&mut audit, "Config", "ledgers");
    without(&mut audit, "Config", "notify");
    for only_there in ["Email", "Matrix", "Notify"] {
        audit["$defs"].as_object_mut().unwrap().remove(only_there).unwrap();
    }
    without(&mut audit, "Config", "baseline");
    without(&mut audit, "Config", "letters");
    without(&mut audit, "ReportConfig", "formats");
    without(&mut audit, "ReportConfig", "across_bytes");
    hold("audit", &audit);
    hold(
        "diff",
        &page::<ChangesSummary>("diff", "Differences between two runs: `changes.json` of `diff --out`."),
    );
    hold(
        "preflight",
        &page::<Page>("preflight", "Verdict and losses of a move: output of `preflight --json`."),
    );
    hold(
        "verify",
        &page::<arrived::Page>(
            "verify",
            "What arrived after a move: `verify.json`, and output of `verify --json`.",
        ),
    );
    hold(
        "places",
        &page::<PlacesPage>(
            "places",
            "Databases and folders that the settings of simulators name: output of `places --json`.",
        ),
    );
    hold("doctor", &page::<DoctorPage>("doctor", "Checks of an installation: output of `doctor --json`."));
    hold(
        "where",
        &page::<Whereabouts>(
            "where",
            "All places of an asset, or of things with a UUID or a name: output of `where --json`.",
        ),
    );
}

/// Checks that a schema is up to date, or writes it.
fn hold(name: &str, schema: &Value) {
    let path = format!("docs/schema/{name}.json");
    let file = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(&path);
    let mut schema = schema.clone();
    schema["$id"] = format!("urn:hullmark:schema:{}:{name}", minor_version()).into();
    let expected = format!("{schema:#}\n");
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&file, &expected).unwrap();
    }
    let found = fs::read_to_string(&file).unwrap_or_default();
    assert!(found == expected, "{path} is out of date: run UPDATE_DOCS=1 cargo test docs");
}

/// Returns the version for which a schema holds: patches change none.
fn minor_version() -> String {
    format!("{}.{}", env!("CARGO_PKG_VERSION_MAJOR"), env!("CARGO_PKG_VERSION_MINOR"))
}

/// Returns the schema of a line of a table. `per_profile` has its columns for a further profile.
fn table(own: &Head, per_profile: &[ColumnHead]) -> Value {
    let names: Vec<_> = own.columns.iter().map(|column| &column.name).collect();
    let properties: Map<String, Value> =
        own.columns.iter().map(|column| (column.name.to_string(), cell(column))).collect();
    let stem = |column: &ColumnHead| column.name.trim_end_matches(FURTHER).to_owned();
    let further: Map<String, Value> = per_profile
        .iter()
        .map(|column| {
            // Excludes other columns with the same prefix: `land_impact_basis` is not `land_impact` of a profile.
            let others = own.columns.iter().map(|other| format!("{}$", other.name));
            let others = others.chain(per_profile.iter().map(stem));
            let others: Vec<_> = others
                .filter_map(|other| Some(other.strip_prefix(&stem(column))?.to_owned()))
                .filter(|rest| !rest.is_empty())
                .collect();
            let but = if others.is_empty() { String::new() } else { format!("(?!{})", others.join("|")) };
            (format!("^{}{but}[a-z0-9_]+$", stem(column)), cell(column))
        })
        .collect();
    json!({
        "$schema": DIALECT,
        "title": format!("A line of {}.jsonl", own.name),
        "description": own.about,
        "type": "object",
        "required": names,
        "properties": properties,
        "patternProperties": further,
        "additionalProperties": false,
    })
}

/// Returns the schema of a cell.
fn cell(column: &ColumnHead) -> Value {
    let number = json!([{ "type": ["number", "null"] }, { "enum": hullmark_util::json_number::NOT_FINITE }]);
    let mut schema = match column.kind {
        Kind::Bool => json!({ "type": ["boolean", "null"] }),
        Kind::Int => json!({ "type": ["integer", "null"] }),
        Kind::Real => json!({ "anyOf": number }),
        Kind::Percent => json!({ "anyOf": number, "$comment": "In percent." }),
        Kind::Time => json!({ "type": ["string", "null"], "format": "date-time" }),
        Kind::Uuid => json!({ "type": ["string", "null"], "format": "uuid" }),
        Kind::Text => json!({ "type": ["string", "null"] }),
    };
    schema["description"] = column.about.into();
    schema
}

/// Returns the schema of a page, as its type is serialized.
fn page<T: JsonSchema>(title: &str, about: &str) -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = settings.with_transform(as_written).into_generator().into_root_schema_for::<T>();
    schema.insert("title".into(), title.into());
    schema.insert("description".into(), about.into());
    schema.to_value()
}

/// Forbids properties that are not named. Allows `null` for numbers, because serde writes it for numbers that are not
/// finite.
fn as_written(schema: &mut Schema) {
    transform_subschemas(&mut as_written, schema);
    if schema.get("properties").is_some() {
        schema.insert("additionalProperties".into(), false.into());
    }
    if schema.get("type").is_some_and(|kind| kind == "number") {
        schema.insert("type".into(), json!(["number", "null"]));
    }
}

/// Removes a property from a definition.
fn without(schema: &mut Value, definition: &str, property: &str) {
    let definition = &mut schema["$defs"][definition];
    definition["properties"].as_object_mut().unwrap().remove(property).unwrap();
    definition["required"].as_array_mut().unwrap().retain(|name| name != property);
}
