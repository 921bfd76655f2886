//! Documents that are written from the program's own tables. `UPDATE_DOCS=1 cargo test docs` writes them again.

use crate::support::repository;
use hullmark::{finding::Code, report::tables::heads};
use std::{env, fmt::Write, fs, process::Command};

/// Holds a document to what it should be, or writes it.
fn hold(path: &str, expected: &str) {
    let file = repository().join(path);
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&file, expected).unwrap();
    }
    let found = fs::read_to_string(&file).unwrap_or_default();
    assert!(found == expected, "{path} is not today's: run UPDATE_DOCS=1 cargo test docs");
}

#[test]
fn the_readme_lists_every_table_and_column() {
    let mut text = String::new();
    for (table, with_further) in heads(&[]).into_iter().zip(heads(&["opensim_ubode".into()])) {
        let added = &with_further.columns[table.columns.len()..];
        let beside: Vec<String> = added.iter().map(|(name, _)| format!("`{name}`")).collect();
        let _ =
            write!(text, "\n#### `{}`\n\n{}\n\n| column | meaning |\n|---|---|\n", table.name, table.about);
        for (name, about) in table.columns {
            let _ = writeln!(text, "| `{name}` | {about} |");
        }
        if !beside.is_empty() {
            let _ = writeln!(
                text,
                "\nEach further `--profile` adds its own, named after it: for `opensim-ubode` {}.",
                beside.join(", ")
            );
        }
    }
    let readme = fs::read_to_string(repository().join("README.md")).unwrap();
    let (before, rest) = readme.split_once("<!-- tables -->\n").unwrap();
    let (_, after) = rest.split_once("<!-- /tables -->").unwrap();
    hold("README.md", &format!("{before}<!-- tables -->\n{text}\n<!-- /tables -->{after}"));
}

#[test]
fn every_rule_has_its_line() {
    let mut text =
        "# Rules\n\nWritten from the table in `src/finding/catalogue`. A profile may change a severity.\n\n\
                    | code | severity | what | message | what to do |\n|---|---|---|---|---|\n"
            .to_owned();
    for rule in Code::all().map(Code::rule) {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} |",
            rule.code, rule.severity, rule.title, rule.message, rule.fix
        );
    }
    hold("docs/rules.md", &text);
}

/// A code that nothing reports would be a promise without a rule.
#[test]
fn every_code_is_reported_somewhere() {
    let mut sources = String::new();
    let mut folders = vec![repository().join("src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if !path.components().any(|step| step.as_os_str() == "catalogue") {
                sources += &fs::read_to_string(path).unwrap();
            }
        }
    }
    let silent: Vec<_> = Code::all().filter(|code| !sources.contains(&format!("Code::{code}"))).collect();
    assert!(silent.is_empty(), "{silent:?}");
}

/// The picture in the README is what the program prints.
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

/// Text as a terminal shows it.
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
