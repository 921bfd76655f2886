//! Documents that are generated from the program's own tables. `UPDATE_DOCS=1 cargo test docs` writes them again.

use crate::support::repository;
use hullmark_finding::{Code, FAMILIES};
use hullmark_report::{
    table::head,
    tables::{heads, heads_of_arrivals, history::History},
};
use hullmark_rules::catalogue::{self, Engine};
use hullmark_settings::profile::{BUILT_IN, Profile};
use std::{env, fmt::Write, fs, process::Command};

/// Asserts that a document has the expected text. With `UPDATE_DOCS`, writes it first.
pub(super) fn hold(path: &str, expected: &str) {
    let file = repository().join(path);
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&file, expected).unwrap();
    }
    let found = fs::read_to_string(&file).unwrap_or_default();
    assert!(found == expected, "{path} is not today's: run UPDATE_DOCS=1 cargo test docs");
}

#[test]
fn the_book_lists_every_table_and_column() {
    let mut text = String::new();
    // No report has the history, but its columns are documented with the others.
    let all = |further: &[String]| {
        heads(further).into_iter().chain(heads_of_arrivals()).chain([head::<History>(further)])
    };
    for (table, with_further) in all(&[]).zip(all(&["opensim_ubode".into()])) {
        let added = &with_further.columns[table.columns.len()..];
        let beside: Vec<String> = added.iter().map(|column| format!("`{}`", column.name)).collect();
        let _ =
            write!(text, "\n#### `{}`\n\n{}\n\n| column | meaning |\n|---|---|\n", table.name, table.about);
        for column in table.columns {
            let _ = writeln!(text, "| `{}` | {} |", column.name, column.about);
        }
        if !beside.is_empty() {
            let _ = writeln!(
                text,
                "\nEach further `--profile` adds its own, named after it: for `opensim-ubode` {}.",
                beside.join(", ")
            );
        }
    }
    let page = fs::read_to_string(repository().join("docs/columns.md")).unwrap();
    let (before, rest) = page.split_once("<!-- tables -->\n").unwrap();
    let (_, after) = rest.split_once("<!-- /tables -->").unwrap();
    hold("docs/columns.md", &format!("{before}<!-- tables -->\n{text}\n<!-- /tables -->{after}"));
}

#[test]
fn every_rule_has_its_page() {
    let profiles = BUILT_IN.map(|(name, _)| (name, Profile::load(name).unwrap()));
    let mut text =
        "# Rules\n\nWritten from the rows in `src/rules/families`; `hullmark explain CODE` shows the \
                    same. A profile may change a severity.\n"
            .to_owned();
    for family in FAMILIES {
        let _ = write!(text, "\n**{}**\n\n| code | severity | what |\n|---|---|---|\n", family.title);
        for &code in family.codes {
            let (severity, title) = (severity(code, &profiles), catalogue::rule(code).title);
            let _ = writeln!(text, "| [{code}](#{}) | {severity} | {title} |", code.name().to_lowercase());
        }
    }
    for family in FAMILIES {
        let _ = write!(text, "\n## {}\n", family.title);
        for &code in family.codes {
            let rule = catalogue::rule(code);
            let unit = if rule.unit.is_empty() { String::new() } else { format!(", in {}", rule.unit) };
            let _ = write!(
                text,
                "\n### {code}\n\n**{}** ({}{unit})\n\n> {}\n",
                rule.title,
                severity(code, &profiles),
                rule.message,
            );
            let effect = format!("{}.", rule.effect.name());
            let parts = [
                ("", rule.why),
                ("In a move: ", &effect),
                ("What to do: ", rule.fix),
                ("What to do for Second Life: ", rule.fix_second_life),
                ("What to do for OpenSimulator: ", rule.fix_opensim),
                ("What an owner can do: ", rule.fix_owner),
            ];
            for (head, words) in parts.into_iter().filter(|(_, words)| !words.is_empty()) {
                let _ = write!(text, "\n{head}{words}\n");
            }
            if !rule.engines.is_empty() {
                text += "\n| engine | what it does |\n|---|---|\n";
            }
            for Engine { engine, does } in rule.engines {
                let _ = writeln!(text, "| {engine} | {} |", does.replace('|', "\\|"));
            }
            let _ = write!(text, "\nSource: {}\n", rule.source);
        }
    }
    hold("docs/rules.md", &text);
}

/// Returns the default severity of a code, and the severities of built-in profiles that differ.
fn severity(code: Code, profiles: &[(&str, Profile)]) -> String {
    let default = code.severity();
    let others = profiles.iter().map(|(name, profile)| (name, profile.severity(code)));
    let others = others.filter(|&(_, severity)| severity != default);
    others.fold(default.to_string(), |text, (name, severity)| format!("{text}; {severity} for {name}"))
}

/// A page without a reason or a source would not help anybody.
#[test]
fn every_page_is_whole_sentences() {
    for rule in Code::all().map(catalogue::rule) {
        let sentence = |text: &str| text.ends_with(['.', '?', '"']);
        assert!(sentence(rule.why) && sentence(rule.fix), "{}: why and fix are sentences", rule.code);
        assert!(rule.engines.iter().all(|engine| sentence(engine.does)), "{}: engines", rule.code);
        assert!(
            !rule.title.is_empty() && !rule.message.is_empty() && !rule.source.is_empty(),
            "{}",
            rule.code
        );
        assert!(!rule.message.ends_with('.'), "{}: details follow the message", rule.code);
    }
}

/// The picture in the README equals the program's output.
#[test]
fn the_picture_of_the_terminal_is_true() {
    let out = tempfile::tempdir().unwrap();
    let run = Command::new(env!("CARGO_BIN_EXE_hullmark"))
        .current_dir(repository())
        .args(["audit", "sample_data", "--out"])
        .arg(out.path())
        .output()
        .unwrap();
    let printed = String::from_utf8(run.stdout).unwrap();
    let printed = printed.replace(&*out.path().to_string_lossy(), "audit-report");
    hold(
        "docs/terminal.svg",
        &terminal(&format!("$ hullmark audit sample_data --out audit-report\n{printed}")),
    );
}

/// The picture of hulls in the README equals the program's drawing.
#[test]
fn the_picture_of_hulls_is_true() {
    let out = tempfile::tempdir().unwrap();
    let path = out.path().join("hulls.svg");
    let run = Command::new(env!("CARGO_BIN_EXE_hullmark"))
        .current_dir(repository())
        .args(["inspect", "sample_data/meshes/chair.llmesh", "--scale", "0.5,0.5,1", "--svg"])
        .arg(&path)
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    hold("docs/hulls.svg", &fs::read_to_string(path).unwrap());
}

/// Returns an SVG picture of text in a terminal.
fn terminal(text: &str) -> String {
    let (line_height, char_width) = (19, 8.45);
    let columns = text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
    let width = (columns as f64 * char_width) as usize + 40;
    let height = text.lines().count() * line_height + 40;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" font-size=\"14\" \
         font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#1b1f24\"/>\n"
    );
    for (number, line) in text.lines().enumerate() {
        let y = 30 + number * line_height;
        let line = line.replace('&', "&amp;").replace('<', "&lt;");
        let fill = if number == 0 { "#8ddb8c" } else { "#e6edf3" };
        let _ =
            writeln!(svg, "<text x=\"20\" y=\"{y}\" fill=\"{fill}\" xml:space=\"preserve\">{line}</text>");
    }
    svg + "</svg>\n"
}
