//! The console blocks in the documentation equal the program's output.
//!
//! A block of `console` begins with `$ hullmark …`. In it, a line `…` replaces omitted lines, and `…` at the end of a
//! line replaces the rest of that line. Blocks without `sample_data` describe exports that are not published.

use crate::support::{repository, shared};
use std::{fs, path::PathBuf, process::Command};

/// The real export that pages call `franzinha.oar`.
const REAL: &str = "data/franzinha-no-textures.oar";

/// The command of a block, and the lines below it.
type Block = (String, Vec<String>);

fn pages() -> Vec<PathBuf> {
    let docs = fs::read_dir(repository().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<PathBuf> =
        docs.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect();
    pages.push(repository().join("README.md"));
    pages.sort();
    pages
}

fn blocks(page: &str) -> Vec<Block> {
    let fenced = page.split("```console\n$ hullmark ").skip(1).map(|rest| rest.split("```").next().unwrap());
    let block = |text: &str| {
        let mut lines = text.lines().map(str::to_owned);
        (lines.next().unwrap(), lines.collect())
    };
    fenced.map(block).collect()
}

/// Splits a command at blanks outside quotes.
fn arguments(command: &str) -> Vec<String> {
    let parts = command.split('"').enumerate();
    let words = |(number, part): (usize, &str)| -> Vec<String> {
        if number % 2 == 1 { vec![part.into()] } else { part.split_whitespace().map(Into::into).collect() }
    };
    parts.flat_map(words).collect()
}

/// Returns the lines that the program prints, with standard error first.
fn printed(command: &str) -> Vec<String> {
    let out = tempfile::tempdir().unwrap();
    let argument = |argument: String| match argument.as_str() {
        "audit-report" => out.path().join("audit-report").display().to_string(),
        "franzinha.oar" => shared().unwrap().join(REAL).display().to_string(),
        _ => argument,
    };
    let output = Command::new(env!("CARGO_BIN_EXE_hullmark"))
        .args(arguments(command).into_iter().map(argument))
        .env_remove("HULLMARK_PROFILE")
        .env("XDG_CONFIG_HOME", out.path())
        .current_dir(repository())
        .output()
        .unwrap();
    let text = String::from_utf8([output.stderr, output.stdout].concat()).unwrap();
    let text = text.replace(&out.path().join("audit-report").display().to_string(), "audit-report");
    text.lines().map(str::to_owned).collect()
}

/// Returns the first line of a block that the program does not print at that position.
fn missing<'b>(block: &'b [String], printed: &[String]) -> Option<&'b str> {
    let is = |line: &str, printed: &str| match line.strip_suffix('…') {
        Some(start) => printed.starts_with(start.trim_end()),
        None => line.trim_end() == printed.trim_end(),
    };
    let (mut at, mut skips) = (0, true);
    for line in block {
        if line.trim() == "…" {
            skips = true;
            continue;
        }
        let found = match skips {
            true => printed[at..].iter().position(|printed| is(line, printed)),
            false => printed.get(at).filter(|printed| is(line, printed)).map(|_| 0),
        };
        let Some(found) = found else { return Some(line) };
        (at, skips) = (at + found + 1, false);
    }
    None
}

#[test]
fn pages_show_what_the_program_prints() {
    let mut shown = 0;
    for page in pages() {
        for (command, lines) in blocks(&fs::read_to_string(&page).unwrap()) {
            let is_runnable =
                command.contains("sample_data") || command.contains("franzinha.oar") && shared().is_some();
            if !is_runnable {
                continue;
            }
            let printed = printed(&command);
            if let Some(line) = missing(&lines, &printed) {
                panic!("{}: `{command}` does not print {line:?}:\n{}", page.display(), printed.join("\n"));
            }
            shown += 1;
        }
    }
    assert!(shown > 4, "{shown} blocks");
}

#[test]
fn a_line_that_is_not_printed_is_found() {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let printed = lines("one\ntwo\nthree and more");
    assert_eq!(missing(&lines("one\n…\nthree…"), &printed), None);
    assert_eq!(missing(&lines("one\nthree and more"), &printed), Some("three and more"));
    assert_eq!(missing(&lines("two\n…\none"), &printed), Some("one"));
    assert_eq!(arguments("a \"b c\" d"), ["a", "b c", "d"]);
}
