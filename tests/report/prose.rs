//! Plain words: long sentences and foreign phrases are counted, and their number only falls.
//!
//! `tests/report/prose.toml` has the ceilings. `UPDATE_DOCS=1 cargo test prose` lowers them to the current numbers.

use super::docs::hold;
use crate::support::{desk::Desk, repository, sources};
use hullmark_finding::Code;
use hullmark_rules::catalogue;
use std::{fmt::Write, fs, path::Path};
use walkdir::WalkDir;

/// Words in the longest sentence that reads well.
const LONGEST: usize = 25;

/// Phrases that CONTRIBUTING.md rules out, each with a blank at both ends.
const PHRASES: &[&str] = &[
    " what it ",
    " what is ",
    " what they ",
    " what that ",
    " where it ",
    " where that ",
    " where there ",
    " stands ",
    " stand ",
    " told ",
    " tells ",
    " is none ",
    " are none ",
    " besides ",
    " beside ",
    " whatever ",
    " comes to ",
    " rests on ",
    " for itself ",
    " by itself ",
    " of which ",
    " judged ",
    " judges ",
    " nights ",
    " that night ",
    " is said of ",
    " so much ",
    " as bad ",
];

/// Sentences that are too long, and phrases with their sentences.
#[derive(Default)]
struct Count {
    long: Vec<String>,
    phrases: Vec<String>,
}

impl Count {
    /// Counts a paragraph.
    fn add(&mut self, paragraph: &str) {
        for sentence in paragraph.split_inclusive(['.', '!', '?']).collect::<Sentences>().0 {
            let words =
                sentence.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count();
            if words > LONGEST {
                self.long.push(sentence.clone());
            }
            let lower: String =
                sentence.to_lowercase().chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
            let lower = format!(" {} ", lower.split_whitespace().collect::<Vec<_>>().join(" "));
            for phrase in PHRASES {
                for _ in lower.matches(phrase) {
                    self.phrases.push(format!("{}: {sentence}", phrase.trim()));
                }
            }
        }
    }
}

/// Joins pieces that end in a full stop inside a sentence: `0.5`, `audit.json`.
struct Sentences(Vec<String>);

impl<'a> FromIterator<&'a str> for Sentences {
    fn from_iter<T: IntoIterator<Item = &'a str>>(pieces: T) -> Self {
        let mut sentences: Vec<String> = vec![String::new()];
        for piece in pieces {
            if piece.starts_with(char::is_whitespace) && sentences.last().is_some_and(|last| !last.is_empty())
            {
                sentences.push(String::new());
            }
            if let Some(last) = sentences.last_mut() {
                *last += piece;
            }
        }
        Self(sentences)
    }
}

/// Returns the paragraphs, list items and table cells of Markdown. Code becomes one word.
fn paragraphs(markdown: &str) -> Vec<String> {
    let (mut paragraphs, mut is_code) = (vec![String::new()], false);
    for line in markdown.lines() {
        let words = line.trim();
        if words.starts_with("```") {
            is_code = !is_code;
        }
        if is_code
            || words.is_empty()
            || words.starts_with(['#', '`', '<', '!']) && words.ends_with(['`', '>', ')'])
        {
            paragraphs.push(String::new());
            continue;
        }
        if let Some(cells) = words.strip_prefix('|') {
            paragraphs.extend(cells.split('|').map(plain));
            paragraphs.push(String::new());
            continue;
        }
        if words.starts_with(['-', '*', '#', '>'])
            || words.split_once(". ").is_some_and(|(n, _)| n.parse::<u8>().is_ok())
        {
            paragraphs.push(String::new());
        }
        if let Some(last) = paragraphs.last_mut() {
            *last += " ";
            *last += &plain(words);
        }
    }
    paragraphs
}

/// Removes code and addresses: `[words](address)` becomes its words, code becomes the word `code`.
fn plain(markdown: &str) -> String {
    let mut text = String::new();
    for (number, part) in markdown.split('`').enumerate() {
        text += if number % 2 == 0 { part } else { "code" };
    }
    while let Some((before, rest)) = text.split_once("](") {
        let after = rest.split_once(')').map_or("", |(_, after)| after);
        text = format!("{before} {after}");
    }
    text
}

fn markdown(count: &mut Count, path: &Path) {
    paragraphs(&fs::read_to_string(path).unwrap()).iter().for_each(|paragraph| count.add(paragraph));
}

fn rules() -> Count {
    let mut count = Count::default();
    for rule in Code::all().map(catalogue::rule) {
        let fixes = [rule.fix, rule.fix_second_life, rule.fix_opensim, rule.fix_owner];
        for words in [rule.title, rule.message, rule.why].into_iter().chain(fixes) {
            count.add(&plain(words));
        }
        rule.engines.iter().for_each(|engine| count.add(&plain(engine.does)));
    }
    count
}

/// Returns the commands that the program lists. A unit test of the command line holds that none is hidden.
fn commands(desk: &Desk) -> Vec<String> {
    let help = desk.run("--help").stdout;
    let (_, list) = help.split_once("\nCommands:\n").unwrap();
    let names =
        list.lines().take_while(|line| !line.is_empty()).filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

fn help() -> Count {
    let (desk, mut count) = (Desk::with(&[]), Count::default());
    let commands = commands(&desk);
    assert!(["audit", "fix", "prune"].iter().all(|name| commands.iter().any(|command| command == name)));
    for command in &commands {
        let text = desk.run(&format!("{command} --help")).stdout;
        let (text, examples) = text.split_once("Examples:").unwrap_or((&text, ""));
        assert!(
            !examples.is_empty()
                || ["rules", "explain", "profiles", "init", "completions", "man"].contains(&command.as_str()),
            "{command}: its help has no examples"
        );
        // Each flag starts a paragraph: its line begins with its names.
        let mut paragraph = String::new();
        for line in text.lines() {
            if line.trim().is_empty() || line.trim_start().starts_with('-') {
                count.add(&std::mem::take(&mut paragraph));
            } else {
                let _ = write!(paragraph, " {}", plain(line.trim()));
            }
        }
        count.add(&paragraph);
    }
    count
}

fn docs() -> Count {
    let mut count = Count::default();
    for path in ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "deploy/README.md"] {
        markdown(&mut count, &repository().join(path));
    }
    let pages = WalkDir::new(repository().join("docs")).sort_by_file_name().into_iter().flatten();
    // The pages of the rules are counted as rules.
    let pages = pages.filter(|page| {
        page.path().extension().is_some_and(|it| it == "md") && page.file_name() != "rules.md"
    });
    pages.for_each(|page| markdown(&mut count, page.path()));
    let settings = WalkDir::new(repository().join("config")).sort_by_file_name().into_iter().flatten();
    for file in settings.filter(|file| file.file_type().is_file()) {
        let text = fs::read_to_string(file.path()).unwrap();
        let comments = text.lines().map(|line| line.strip_prefix("# ").unwrap_or_default());
        paragraphs(&comments.collect::<Vec<_>>().join("\n")).iter().for_each(|words| count.add(words));
    }
    count
}

/// Counts the headers of all source files.
fn headers() -> Count {
    let mut count = Count::default();
    for path in sources("") {
        let text = fs::read_to_string(path).unwrap();
        let lines = text.lines().take_while(|line| line.starts_with("//!"));
        let header: Vec<&str> = lines.map(|line| line[3..].trim()).collect();
        paragraphs(&header.join("\n")).iter().for_each(|words| count.add(words));
    }
    count
}

/// Counts the comments of all source files below their headers.
fn comments() -> Count {
    let mut count = Count::default();
    for path in sources("") {
        let text = fs::read_to_string(path).unwrap();
        let lines = text.lines().filter(|line| !line.starts_with("//!"));
        // A line of code ends a comment.
        let words =
            lines.map(|line| line.trim().strip_prefix("//").unwrap_or_default().trim_matches(['/', ' ']));
        paragraphs(&words.collect::<Vec<_>>().join("\n")).iter().for_each(|words| count.add(words));
    }
    count
}

#[test]
fn long_sentences_and_foreign_phrases_only_become_fewer() {
    let ceilings = fs::read_to_string(repository().join("tests/report/prose.toml")).unwrap();
    let ceilings: toml::Table = ceilings.parse().unwrap();
    let mut today = String::from(
        "# Long sentences and foreign phrases that are left: see prose.rs. These numbers only fall.\n",
    );
    let mut worse = String::new();
    let kinds = [
        ("rules", rules()),
        ("help", help()),
        ("docs", docs()),
        ("headers", headers()),
        ("comments", comments()),
    ];
    for (name, count) in kinds {
        let _ = writeln!(today, "\n[{name}]");
        for (what, found) in [("long_sentences", &count.long), ("phrases", &count.phrases)] {
            let ceiling = ceilings.get(name).and_then(|of| of.get(what)).and_then(toml::Value::as_integer);
            let number = i64::try_from(found.len()).unwrap();
            let ceiling = ceiling.unwrap_or(number);
            let _ = writeln!(today, "{what} = {}", number.min(ceiling));
            if number > ceiling {
                let _ = writeln!(worse, "{name} may have {ceiling} {what}:\n  {}", found.join("\n  "));
            }
        }
    }
    assert!(worse.is_empty(), "{worse}");
    hold("tests/report/prose.toml", &today);
}
