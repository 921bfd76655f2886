//! Scripts: their language, the functions that they call, and the UUIDs that they name.

use super::{Text, first_of, links::Links, lua, uuids};
use crate::xml::excerpt;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

/// Maximum number of functions, URLs and hosts kept of one script, each. OpenSim has fewer functions of its own.
const MOST: usize = 512;

/// Maximum length of a function name.
const MOST_NAME: usize = 64;

/// The engines that a first line can request by name.
const ENGINES: [&str; 2] = ["XEngine", "YEngine"];

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Script {
    /// The language that the first line requests, or that of the text.
    pub language: Language,
    /// The engine that the first line requests: `XEngine` or `YEngine`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// The facts of the code; `None` if the language is surely not LSL, because others have different comments and
    /// strings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<Code>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Language {
    Lsl,
    /// Lua of Second Life (SLua).
    Lua,
    /// Neither LSL nor Lua by its text. It is read as LSL, as every engine reads it.
    Unknown,
    /// `//c#`: XEngine compiles it, if allowed.
    CSharp,
    /// `//vb`: XEngine compiles it, if allowed.
    VisualBasic,
    /// `//MRM:`: a module in C#, which script engines ignore.
    MiniRegionModule,
    /// Another language, requested together with an engine.
    Other(String),
}

/// The facts of the code of a script, without its comments.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Code {
    /// OpenSim's own functions that the code calls, with the line of the first call, counted from 1.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub calls: BTreeMap<String, u32>,
    /// URLs in strings, cut after 200 characters.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub urls: Vec<String>,
    /// Hosts in strings: those of URLs, and bare ones with a port.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uuids: Vec<Uuid>,
    /// Number of functions, URLs, hosts and UUIDs that were not kept.
    #[serde(skip_serializing_if = "super::is_zero")]
    pub left_out: u64,
}

/// Reads a script. Every UUID in it is a mention, even in a comment.
pub(super) fn decode(bytes: &[u8]) -> Result<Text, String> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| format!("it is not text: byte {} is not UTF-8", error.valid_up_to()))?;
    if let Some(at) = text.find('\0') {
        return Err(format!("it is not text: byte {at} is NUL"));
    }
    let (language, engine) = header(text);
    let as_lsl = matches!(language, Language::Lsl | Language::Unknown);
    let code = as_lsl.then(|| ScriptReader::new(text).read());
    let script = Some(Script { language, engine, code });
    Ok(Text { script, ..Text::new(BTreeSet::new(), uuids::in_text(bytes)) })
}

/// Returns the language and the engine that the first line requests. Without a request, the text decides.
///
/// Both engines ignore a script that begins with `//MRM:`. In other scripts they look for `//engine:language` in the
/// first line (`XEngine.OnRezScript`, `Yengine.OnRezScript`). If other words precede the colon, the line is a normal
/// comment. XEngine's compiler recognizes the language by the start of the rest of the line, in any case
/// (`Compiler.Compile`).
fn header(text: &str) -> (Language, Option<String>) {
    if text.starts_with("//MRM:") {
        return (Language::MiniRegionModule, None);
    }
    let Some(line) = text.lines().next().and_then(|line| line.strip_prefix("//")) else {
        return (lua::language(text), None);
    };
    let asked = line.split_once(':').map(|(engine, language)| (engine.trim(), language.trim()));
    let asked = asked.filter(|(engine, _)| ENGINES.contains(engine));
    let words = asked.map_or(line, |(_, language)| language);
    let begins = |with: &str| words.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with));
    let language = match asked {
        _ if begins("c#") => Language::CSharp,
        _ if begins("vb") => Language::VisualBasic,
        Some((_, language)) if !language.is_empty() && !begins("lsl") => Language::Other(excerpt(language)),
        _ if asked.is_some() => Language::Lsl,
        _ => lua::language(text),
    };
    (language, asked.map(|(engine, _)| engine.to_owned()))
}

/// Splits LSL into comments, strings and names. The rules follow YEngine's tokenizer (`MMRScriptTokenize.cs`): strings
/// may span lines, a backslash escapes the next character, comments do not nest.
struct ScriptReader<'a> {
    text: &'a str,
    at: usize,
    line: u32,
    calls: BTreeMap<&'a str, u32>,
    links: Links,
    uuids: BTreeSet<Uuid>,
}

impl<'a> ScriptReader<'a> {
    fn new(text: &'a str) -> Self {
        let (calls, links, uuids) = (BTreeMap::new(), Links::default(), BTreeSet::new());
        Self { text, at: 0, line: 1, calls, links, uuids }
    }

    fn read(mut self) -> Code {
        while let Some(byte) = self.byte(0) {
            match (byte, self.byte(1)) {
                (b'/', Some(b'/')) => self.skip_to("\n"),
                (b'/', Some(b'*')) => {
                    self.step(2);
                    self.skip_to("*/");
                    self.step(2);
                }
                (b'"', _) => self.string(),
                (b'\'', _) => self.character(),
                (b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'0'..=b'9', _) => self.word(),
                _ => self.step(1),
            }
        }
        let mut left_out = self.calls.len().saturating_sub(MOST) as u64;
        let calls = self.calls.into_iter().take(MOST);
        Code {
            calls: calls.map(|(name, line)| (name.to_owned(), line)).collect(),
            urls: first_of(self.links.urls, MOST, &mut left_out),
            hosts: first_of(self.links.hosts, MOST, &mut left_out),
            uuids: first_of(self.uuids, super::MOST_UUIDS, &mut left_out),
            left_out,
        }
    }

    /// Returns the byte `ahead` positions after the current one.
    fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    /// Advances by this many bytes, or to the end.
    fn step(&mut self, bytes: usize) {
        let end = self.text.len().min(self.at + bytes);
        let passed = &self.text.as_bytes()[self.at..end];
        self.line += passed.iter().filter(|&&byte| byte == b'\n').count() as u32;
        self.at = end;
    }

    /// Advances to the next occurrence of these bytes, or to the end.
    fn skip_to(&mut self, mark: &str) {
        let rest = &self.text.as_bytes()[self.at..];
        let found = rest.windows(mark.len()).position(|window| window == mark.as_bytes());
        self.step(found.unwrap_or(rest.len()));
    }

    fn string(&mut self) {
        self.step(1);
        let start = self.at;
        let mut escaped = false;
        let rest = &self.text.as_bytes()[start..];
        let end = rest.iter().position(|&byte| {
            let ends = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            ends
        });
        self.step(end.unwrap_or(rest.len()));
        // Quotes are ASCII, so this is never in the middle of a character.
        let words = self.text.get(start..self.at).unwrap_or_default();
        self.links.add(words);
        self.uuids.extend(uuids::in_text(words.as_bytes()));
        self.step(1);
    }

    /// `'"'` does not begin a string. LSL has no character literals, but YEngine's extensions have.
    fn character(&mut self) {
        match (self.byte(1), self.byte(2), self.byte(3)) {
            (Some(b'\\'), Some(_), Some(b'\'')) => self.step(4),
            (Some(_), Some(b'\''), _) => self.step(3),
            _ => self.step(1),
        }
    }

    fn word(&mut self) {
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let (text, line) = (self.text, self.line);
        let rest = &text.as_bytes()[self.at..];
        let name = &text[self.at..self.at + rest.iter().take_while(|byte| is_part(byte)).count()];
        self.step(name.len());
        let called =
            text.as_bytes()[self.at..].iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'(');
        if called && is_opensim_function(name) {
            self.calls.entry(name).or_insert(line);
        }
    }
}

/// Whether the name has the form of OpenSim's own functions: `os` and a capital letter.
fn is_opensim_function(name: &str) -> bool {
    let rest = name.strip_prefix("os").filter(|_| name.len() <= MOST_NAME);
    rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
}

#[cfg(test)]
mod tests {
    use super::{super::tests::uuid, *};
    use proptest::prelude::*;

    fn code(text: &str) -> Code {
        decode(text.as_bytes()).unwrap().script.unwrap().code.unwrap()
    }

    fn calls(text: &str) -> Vec<(String, u32)> {
        code(text).calls.into_iter().collect()
    }

    #[test]
    fn calls_are_reported_from_comments_and_strings() {
        let text = "// osKickAvatar(a)\n/* osDie(\n*/ default {\n  state_entry() { osNpcCreate (\"osTeleport(\\\" osX(\",\
                    \n x); osMessageObject\n(k); osNpcCreate(); } }\nosGrid osx() myosCall() os() OsFoo()";
        assert_eq!(calls(text), [("osMessageObject".into(), 5), ("osNpcCreate".into(), 4)]);
        assert_eq!(
            calls("'\"' osA() '\\'' osB() 'osC()"),
            ["osA", "osB", "osC"].map(|name| (name.into(), 1))
        );
        assert_eq!(calls("\"never closed osA()"), []);
        assert_eq!(calls("/* never closed osA()"), []);
        assert_eq!(calls("0xosA() os_B() osC/**/()"), []);
    }

    #[test]
    fn strings_name_hosts_and_uuids() {
        let (in_comment, in_string) = (uuid(1), uuid(2));
        let text = format!(
            "string u = \"http://my.grid:8002/x\\n\"; // see http://no.where/ {in_comment}\nkey k = \"{in_string}\";"
        );
        let read = code(&text);
        assert_eq!((read.urls, read.hosts), (vec!["http://my.grid:8002/x".into()], vec!["my.grid".into()]));
        assert_eq!(read.uuids, [in_string]);
        assert_eq!(decode(text.as_bytes()).unwrap().mentions, [in_comment, in_string]);
    }

    #[test]
    fn the_first_line_decides_the_language() {
        let reported = |text: &str| {
            let script = decode(text.as_bytes()).unwrap().script.unwrap();
            let as_lsl = [Language::Lsl, Language::Unknown].contains(&script.language);
            assert_eq!(script.code.is_some(), as_lsl);
            (script.language, script.engine)
        };
        assert_eq!(reported("default {}"), (Language::Lsl, None));
        assert_eq!(reported("//C# and more\nx"), (Language::CSharp, None));
        assert_eq!(reported("//vb\nx"), (Language::VisualBasic, None));
        assert_eq!(reported("// c#\ndefault {}"), (Language::Lsl, None), "a blank makes it a comment");
        assert_eq!(reported("// c#\nx"), (Language::Unknown, None));
        assert_eq!(reported("ll.Say(0, \"hi\")"), (Language::Lua, None));
        assert_eq!(reported("//lua\nlocal x = 1"), (Language::Lua, None), "no engine knows that word");
        assert_eq!(reported("//MRM:C#\nx"), (Language::MiniRegionModule, None));
        assert_eq!(reported("//XEngine:c#\nx"), (Language::CSharp, Some("XEngine".into())));
        assert_eq!(reported("// YEngine : lsl\nx"), (Language::Lsl, Some("YEngine".into())));
        assert_eq!(reported("//YEngine:\nx"), (Language::Lsl, Some("YEngine".into())));
        assert_eq!(reported("//YEngine:yp\nx"), (Language::Other("yp".into()), Some("YEngine".into())));
        assert_eq!(
            reported("// Version 2: vb\ndefault {}"),
            (Language::Lsl, None),
            "no engine has that name"
        );
    }

    #[test]
    fn binary_data_is_named() {
        assert_eq!(decode(b"abc\0d").unwrap_err(), "it is not text: byte 3 is NUL");
        assert_eq!(decode(b"ab\xffd").unwrap_err(), "it is not text: byte 2 is not UTF-8");
    }

    #[test]
    fn many_functions_are_counted() {
        let read = code(&(0..600).map(|number| format!("osF{number}();")).collect::<String>());
        assert_eq!((read.calls.len(), read.left_out), (512, 88));
    }

    /// Returns one piece of a script, and whether its code contains a call.
    fn piece() -> impl Strategy<Value = (String, bool)> {
        prop_oneof![
            Just(("osCall(".to_owned(), true)),
            "[a-z0-9;{} \n]{0,6}".prop_map(|text| (format!(" {text} "), false)),
            "[a-zA-Z/*'(\\\\ü\n]{0,9}".prop_map(|text| {
                let text = text.replace('\\', "\\\\");
                (format!("\"osCall({text}\""), false)
            }),
            "[a-zA-Z\"/*'(\\\\ü]{0,9}".prop_map(|text| (format!("//osCall({text}\n"), false)),
            "[a-zA-Z\"/'(\\\\ü\n]{0,9}".prop_map(|text| (format!("/*osCall({text}*/"), false)),
        ]
    }

    proptest! {
        /// A script assembled from code, strings and comments is split into the same pieces.
        #[test]
        fn the_first_call_in_code_is_found_on_its_line(pieces in prop::collection::vec(piece(), 0..12)) {
            let text: String = pieces.iter().map(|(text, _)| text.as_str()).collect();
            let mut line = 1;
            let mut expected = None;
            for (text, call) in &pieces {
                if *call && expected.is_none() {
                    expected = Some(line);
                }
                line += text.matches('\n').count() as u32;
            }
            let read = ScriptReader::new(&text).read();
            prop_assert_eq!(read.calls.get("osCall").copied(), expected);
        }
    }
}
