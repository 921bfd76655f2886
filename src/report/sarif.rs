//! SARIF 2.1.0: the findings for code-scanning tools. One file, `audit.sarif`.
//!
//! Results are written one by one, the rules after them, so nothing is buffered. The archive is the artifact of a result;
//! entry and object are logical locations, because members of an archive have no URI. Columns without a place in SARIF are
//! properties with the name of the column.

use super::{
    Summary,
    json_lines::Json,
    output::{Output, OutputError, OutputFile},
    table::{Cell, Head, Key, Rows, Sink, Table},
    tables::findings::{Findings, key},
};
use hullmark_finding::{Code, FAMILIES, Severity};
use hullmark_rules::catalogue;
use hullmark_settings::profile::Profile;
use hullmark_util::escape::percent_encoded;
use serde_json::{Map, Value, json};
use std::io::{self, BufWriter, Write};

/// URI of the schema.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Name and version of the fingerprints. Raise it if they are computed differently.
const FINGERPRINT: &str = "hullmark/v1";

/// Writes findings as SARIF.
pub struct Sarif {
    file: BufWriter<OutputFile>,
    /// Indexes and names of the columns that become properties.
    properties: Vec<(usize, String)>,
    begun: bool,
}

impl Sarif {
    /// Opens the file and writes its head.
    pub fn open(output: &mut Output, tables: &[Head]) -> Result<Self, OutputError> {
        let name = "audit.sarif";
        let mut file = output.open(name)?;
        let begun =
            write!(file, "{{\"$schema\":\"{SCHEMA}\",\"version\":\"2.1.0\",\"runs\":[{{\"results\":[");
        begun.map_err(|source| OutputError { path: name.into(), source })?;
        let head = tables.iter().find(|head| head.name == Findings::NAME);
        let names = head.iter().flat_map(|head| head.columns.iter().map(|column| column.name.to_string()));
        let is_property = |place| PLACED.iter().all(|key| key.place() != place);
        let properties = names.enumerate().filter(|(place, _)| is_property(*place)).collect();
        Ok(Self { file, properties, begun: false })
    }
}

impl Rows for Sarif {
    fn row(&mut self, table: &'static str, row: &[Cell<'_>]) -> io::Result<()> {
        if table != Findings::NAME {
            return Ok(());
        }
        self.file.write_all(if self.begun { b",\n" } else { b"\n" })?;
        self.begun = true;
        let result = self.result(row);
        Ok(serde_json::to_writer(&mut self.file, &result)?)
    }
}

impl Sink for Sarif {
    fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        self.file.write_all(b"\n],\"tool\":")?;
        serde_json::to_writer(&mut self.file, &tool(&summary.manifest.profile))?;
        self.file.write_all(b",\"invocations\":[")?;
        serde_json::to_writer(&mut self.file, &invocation(summary))?;
        self.file.write_all(b"]}]}\n")?;
        self.file.flush()
    }
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

impl Sarif {
    /// Converts a finding to a result.
    fn result(&self, row: &[Cell<'_>]) -> Value {
        let left = self.properties.iter().filter_map(|(place, name)| Some((name, row.get(*place)?)));
        let left = left.filter(|(_, cell)| **cell != Cell::Empty);
        let properties: Map<String, Value> =
            left.map(|(name, cell)| (name.clone(), json!(Json(cell)))).collect();
        let logical: Vec<Value> = [
            ("member", key::ENTRY.text(row), ""),
            ("object", key::OBJECT_UUID.text(row), key::OBJECT_NAME.text(row)),
        ]
        .into_iter()
        .filter(|(_, full, _)| !full.is_empty())
        .map(|(kind, full, name)| match name {
            "" => json!({ "kind": kind, "fullyQualifiedName": full }),
            _ => json!({ "kind": kind, "fullyQualifiedName": full, "name": name }),
        })
        .collect();
        let mut location = Map::new();
        let archive = key::ARCHIVE.text(row);
        // Findings about the run have no file.
        if !archive.is_empty() {
            location.insert("physicalLocation".into(), artifact(archive));
        }
        if !logical.is_empty() {
            location.insert("logicalLocations".into(), logical.into());
        }
        let locations: Vec<_> = Some(location).filter(|location| !location.is_empty()).into_iter().collect();
        json!({
            "ruleId": key::CODE.text(row),
            "level": level(key::SEVERITY.text(row)),
            "message": { "text": message(key::MESSAGE.text(row)) },
            "locations": locations,
            "suppressions": suppression(row).into_iter().collect::<Vec<_>>(),
            "partialFingerprints": { FINGERPRINT: key::FINGERPRINT.text(row) },
            "properties": properties,
        })
    }
}

/// Converts a waiver to a suppression.
fn suppression(row: &[Cell<'_>]) -> Option<Value> {
    let keys = [key::WAIVED_UNTIL, key::WAIVED_BY, key::WAIVED_REASON];
    let [until, who, reason] = keys.map(|key| key.text(row));
    let justification = format!("{reason} ({who}, until {until})");
    (!until.is_empty())
        .then(|| json!({ "kind": "external", "status": "accepted", "justification": justification }))
}

/// Describes the program with its rules and their severity for this target.
fn tool(profile: &Profile) -> Value {
    let rule = |code: Code| {
        let rule = catalogue::rule(code);
        let family = FAMILIES.iter().find(|family| family.codes.contains(&code));
        let (advice, engines) = (rule.advice(profile.grid()), rule.engines_text());
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
                "level": level(profile.severity(code).name()),
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

fn level(severity: &str) -> &'static str {
    let severity = Severity::WORST_FIRST.into_iter().find(|known| known.name() == severity);
    match severity {
        Some(Severity::Blocker | Severity::Error) => "error",
        Some(Severity::Warning) => "warning",
        Some(Severity::Info) | None => "note",
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
