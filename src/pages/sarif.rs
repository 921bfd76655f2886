//! SARIF 2.1.0: the findings for code-scanning tools. One file, `audit.sarif`.
//!
//! Results are written one by one, the rules after them, so nothing is buffered. The archive is the artifact of a result;
//! entry and object are logical locations, because members of an archive have no URI. Columns without a place in SARIF are
//! properties with the name of the column.

use hullmark_finding::{Code, FAMILIES, Finding, Severity};
use hullmark_report::{
    Summary,
    json_lines::Json,
    output::{Output, OutputError, OutputFile},
    page::{Page, Writer},
    reported::Piece,
    table::{self, Cell, Head, Key, Table},
    tables::findings::{self, Findings, key},
};
use hullmark_rules::{catalogue, waivers::Waiver};
use hullmark_settings::profile::Profile;
use hullmark_util::escape::percent_encoded;
use serde_json::{Map, Value, json};
use std::io::{self, BufWriter, Write};

/// URI of the schema.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Name and version of the fingerprints. Raise it if they are computed differently.
const FINGERPRINT: &str = "hullmark/v1";

/// Opens the file and writes its head.
pub fn open(output: &mut Output, tables: &[Head]) -> Result<Writer, OutputError> {
    let name = "audit.sarif";
    let mut file = output.open(name)?;
    let begun = write!(file, "{{\"$schema\":\"{SCHEMA}\",\"version\":\"2.1.0\",\"runs\":[{{\"results\":[");
    begun.map_err(|source| OutputError { path: name.into(), source })?;
    let head = tables.iter().find(|head| head.name == Findings::NAME);
    let names = head.iter().flat_map(|head| head.columns.iter().map(|column| column.name.to_string()));
    let is_property = |place| PLACED.iter().all(|key| key.place() != place);
    let properties: Vec<_> = names.enumerate().filter(|(place, _)| is_property(*place)).collect();
    Ok(Writer::new(move |piece: &Piece<'_>| results(piece, &properties), Sarif { file, begun: false }))
}

/// Writes findings as SARIF.
struct Sarif {
    file: BufWriter<OutputFile>,
    begun: bool,
}

impl Page for Sarif {
    /// Results, separated by commas.
    type Part = Vec<u8>;

    fn append(&mut self, _: &Piece<'_>, results: Vec<u8>) -> io::Result<()> {
        if results.is_empty() {
            return Ok(());
        }
        self.file.write_all(if self.begun { SEPARATOR } else { b"\n" })?;
        self.begun = true;
        self.file.write_all(&results)
    }

    fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        self.file.write_all(b"\n],\"tool\":")?;
        serde_json::to_writer(&mut self.file, &tool(summary.profile_of_rules()))?;
        self.file.write_all(b",\"invocations\":[")?;
        serde_json::to_writer(&mut self.file, &invocation(summary))?;
        self.file.write_all(b"]}]}\n")?;
        self.file.flush()
    }
}

/// Separates results.
const SEPARATOR: &[u8] = b",\n";

/// Returns the findings of a piece as results.
fn results(piece: &Piece<'_>, properties: &[(usize, String)]) -> io::Result<Vec<u8>> {
    let mut results = Vec::new();
    let Piece::Findings(input, numbers) = piece else { return Ok(results) };
    for row in input.findings(numbers.clone()) {
        if !results.is_empty() {
            results.extend_from_slice(SEPARATOR);
        }
        table::write::<Findings>(
            &mut |_: &'static str, cells: &[Cell<'_>]| {
                Ok(serde_json::to_writer(&mut results, &result(&row, cells, properties))?)
            },
            &row,
        )?;
    }
    Ok(results)
}

/// Columns with a place in SARIF or in its rules.
const PLACED: [Key<Findings>; 13] = [
    key::SEVERITY,
    key::CODE,
    key::TITLE,
    key::MESSAGE,
    key::ARCHIVE,
    key::ENTRY,
    key::OBJECT_UUID,
    key::OBJECT_NAME,
    key::ADVICE,
    key::WAIVED_UNTIL,
    key::WAIVED_BY,
    key::WAIVED_REASON,
    key::FINGERPRINT,
];

/// Converts a finding to a result. Its cells become the properties.
fn result(row: &findings::Row<'_>, cells: &[Cell<'_>], properties: &[(usize, String)]) -> Value {
    let left = properties.iter().filter_map(|(place, name)| Some((name, cells.get(*place)?)));
    let left = left.filter(|(_, cell)| **cell != Cell::Empty);
    let properties: Map<String, Value> = left.map(|(name, cell)| (name.clone(), json!(Json(cell)))).collect();
    let Finding { code, place, .. } = row.reported.finding;
    let object = place.object.filter(|uuid| !uuid.is_nil()).map(|uuid| uuid.to_string());
    let name = row.root().map_or("", |root| &root.name);
    let logical: Vec<Value> =
        [("member", place.entry.clone(), ""), ("object", object.unwrap_or_default(), name)]
            .into_iter()
            .filter(|(_, full, _)| !full.is_empty())
            .map(|(kind, full, name)| match name {
                "" => json!({ "kind": kind, "fullyQualifiedName": full }),
                _ => json!({ "kind": kind, "fullyQualifiedName": full, "name": name }),
            })
            .collect();
    let mut location = Map::new();
    let archive = &row.measured.ledger.input;
    // Findings about the run have no file.
    if !archive.is_empty() {
        location.insert("physicalLocation".into(), artifact(archive));
    }
    if !logical.is_empty() {
        location.insert("logicalLocations".into(), logical.into());
    }
    let locations: Vec<_> = Some(location).filter(|location| !location.is_empty()).into_iter().collect();
    json!({
        "ruleId": code,
        "level": level(row.reported.severity),
        "message": { "text": message(&catalogue::message(row.reported.finding)) },
        "locations": locations,
        "suppressions": row.reported.waived().map(suppression).into_iter().collect::<Vec<_>>(),
        "partialFingerprints": { FINGERPRINT: format!("{:016x}", row.reported.fingerprint) },
        "properties": properties,
    })
}

/// Converts a waiver to a suppression.
fn suppression(waiver: &Waiver) -> Value {
    let justification = format!("{} ({}, until {})", waiver.reason, waiver.who, waiver.until());
    json!({ "kind": "external", "status": "accepted", "justification": justification })
}

/// Describes the program with its rules and their severity for this target.
fn tool(profile: &Profile) -> Value {
    let rule = |code: Code| {
        let rule = catalogue::rule(code);
        let family = FAMILIES.iter().find(|family| family.codes.contains(&code));
        let (advice, engines) = (catalogue::advice_of(code, profile), rule.engines_text());
        let parts = [("What to do: ", advice), ("Engines: ", &engines), ("Source: ", rule.source)];
        let help: Vec<_> = parts
            .into_iter()
            .filter(|(_, words)| !words.is_empty())
            .map(|(head, words)| format!("{head}{words}"))
            .collect();
        json!({
            "id": rule.code,
            "shortDescription": { "text": message(rule.title) },
            "fullDescription": { "text": message(rule.why) },
            "help": { "text": message(&help.join("\n\n")) },
            "defaultConfiguration": {
                "enabled": profile.selects(code),
                "level": level(profile.severity(code)),
            },
            "properties": {
                "tags": family.map(|family| family.title).into_iter().collect::<Vec<_>>(),
                "about": rule.about,
                "effect": rule.effect,
                "unit": rule.unit,
            },
        })
    };
    json!({ "driver": {
        "name": "hullmark",
        "version": env!("CARGO_PKG_VERSION"),
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": Code::all().map(rule).collect::<Vec<_>>(),
    }})
}

/// Describes whether all inputs were read completely, and lists the others.
fn invocation(summary: &Summary) -> Value {
    let not_read = summary.not_read.iter().map(|input| {
        json!({
            "level": "error",
            "message": { "text": format!("The input is {}: it was not fully read.", input.status.name()) },
            "locations": [{ "physicalLocation": artifact(&input.archive) }],
        })
    });
    json!({
        "executionSuccessful": summary.is_read(),
        "toolExecutionNotifications": not_read.collect::<Vec<_>>(),
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Blocker | Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

fn artifact(path: &str) -> Value {
    json!({ "artifactLocation": { "uri": uri(path) } })
}

/// Converts a path to a URI. A relative path stays relative to the working folder.
fn uri(path: &str) -> String {
    let path = if cfg!(windows) { path.replace('\\', "/") } else { path.into() };
    let scheme = match path.strip_prefix('/') {
        Some(_) => "file://",
        None if cfg!(windows) && path.as_bytes().get(1) == Some(&b':') => "file:///",
        None => "",
    };
    format!("{scheme}{}", percent_encoded(&path, b"/-._~"))
}

/// Escapes text for a SARIF message, in which brackets are links and braces are arguments.
fn message(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | '[' | ']' => escaped.extend(['\\', c]),
            '{' | '}' => escaped.extend([c, c]),
            _ => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_uris() {
        assert_eq!(uri("exports/a b.oar"), "exports/a%20b.oar");
        assert_eq!(uri("/x/ü#1?.oar"), "file:///x/%C3%BC%231%3F.oar");
        assert_eq!(uri("javascript:alert(1)"), "javascript%3Aalert%281%29");
    }

    #[test]
    fn a_name_makes_no_link_and_takes_no_argument() {
        assert_eq!(message(r"[here](http://x) {0} \"), r"\[here\](http://x) {{0}} \\");
    }
}
