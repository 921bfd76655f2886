//! Which language a script without a language in its first line is in: LSL or Lua.
//!
//! Second Life has Lua (SLua) since 2025. Its viewers keep the language in the lowest byte of an inventory item's flags
//! (1 is Lua), which exports of OpenSimulator lose. So the text decides, by constructs that the other language lacks.

use super::script::Language;

/// Comments of these languages are skipped.
#[derive(Clone, Copy)]
struct Comments {
    lsl: bool,
    lua: bool,
}

/// Most signs in a long bracket as `[==[`. Lua allows any number.
const MOST_SIGNS: usize = 8;

/// Constructs in a text, apart from comments and strings.
#[derive(Debug, Default, PartialEq, Eq)]
struct Signs {
    /// `default {`, which every script in LSL has.
    lsl: bool,
    /// `ll.Say(`, `LLEvents:`, `local x =` or `function f(` with an `end`: none of them is LSL.
    lua: bool,
}

/// Returns the language of a text. It is unknown if the text has the constructs of neither language.
///
/// A comment of one language can hide or show constructs of the other one, so three readings must agree.
pub(super) fn language(text: &str) -> Language {
    let both = signs(text, Comments { lsl: true, lua: true });
    let lsl = signs(text, Comments { lsl: true, lua: false }).lsl;
    if both.lua && !(lsl && signs(text, Comments { lsl: false, lua: true }).lsl) {
        Language::Lua
    } else if lsl {
        Language::Lsl
    } else {
        Language::Unknown
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Token<'a> {
    Word(&'a str),
    Mark(u8),
}

fn signs(text: &str, comments: Comments) -> Signs {
    use Token::{Mark, Word};
    let mut signs = Signs::default();
    let (mut defines, mut ends) = (false, false);
    // The last five tokens, the newest last.
    let mut last = [Mark(0); 5];
    let mut tokens = Tokens { text, at: 0, comments, unclosed: [false; MOST_SIGNS + 1] };
    while let Some(token) = tokens.next() {
        let Some(token) = token else { continue };
        last.rotate_left(1);
        last[4] = token;
        signs.lsl |= matches!(last, [.., Word("default"), Mark(b'{')]);
        signs.lua |= match last {
            [.., Word("LLEvents" | "LLTimers"), Mark(b':' | b'.')] => true,
            [.., Word("ll"), Mark(b'.'), Word(name), Mark(b'(')] => {
                name.starts_with(|c: char| c.is_ascii_uppercase())
            }
            [.., Word("local"), Word(_), Mark(b'=')] => true,
            [Word("local"), Word(_), Mark(b',' | b':'), Word(_), Mark(b'=')] => true,
            _ => false,
        };
        defines |= matches!(
            last,
            [.., Word("function"), Word(_), Mark(b'(')]
                | [Word("function"), Word(_), Mark(b'.' | b':'), Word(_), Mark(b'(')]
        );
        ends |= token == Word("end");
    }
    signs.lua |= defines && ends;
    signs
}

/// Splits a text into tokens, in time proportional to its length.
struct Tokens<'a> {
    text: &'a str,
    at: usize,
    comments: Comments,
    /// Long brackets with this number of signs are not closed any more, so no later one searches its end.
    unclosed: [bool; MOST_SIGNS + 1],
}

impl<'a> Tokens<'a> {
    /// Returns the next token, or `None` for blanks, comments and strings. `None` at the end.
    fn next(&mut self) -> Option<Option<Token<'a>>> {
        let (text, at, comments) = (self.text, self.at, self.comments);
        let rest = text.as_bytes().get(at..)?;
        let (token, length) = match rest {
            [] => return None,
            [b'-', b'-', after @ ..] if comments.lua => {
                let long = self.long_bracket(after).map(|inner| 2 + inner);
                (None, long.unwrap_or_else(|| to(rest, b"\n")))
            }
            [b'/', b'/', ..] if comments.lsl => (None, to(rest, b"\n")),
            [b'/', b'*', after @ ..] if comments.lsl => (None, 2 + to(after, b"*/")),
            [b'"', after @ ..] => (None, 1 + string(after, b'"', true)),
            [mark @ (b'\'' | b'`'), after @ ..] if comments.lua => (None, 1 + string(after, *mark, false)),
            [b'[', ..] if comments.lua => match self.long_bracket(rest) {
                Some(length) => (None, length),
                None => (Some(Token::Mark(b'[')), 1),
            },
            [first, ..] if is_word(*first) => {
                let length = rest.iter().take_while(|byte| is_word(**byte)).count();
                (text.get(at..at + length).map(Token::Word), length)
            }
            [first, ..] if first.is_ascii_whitespace() => (None, 1),
            [first, ..] => (Some(Token::Mark(*first)), 1),
        };
        self.at += length;
        Some(token)
    }

    /// Returns the length of `[[ … ]]` or `[=[ … ]=]` at the start. `None` if no such bracket is there or it is not closed.
    fn long_bracket(&mut self, bytes: &[u8]) -> Option<usize> {
        let after = bytes.strip_prefix(b"[")?;
        let signs = after.iter().take(MOST_SIGNS).take_while(|byte| **byte == b'=').count();
        let inner = after[signs..].strip_prefix(b"[").filter(|_| !self.unclosed[signs])?;
        let close = [&b"]"[..], &b"========"[..signs], b"]"].concat();
        let found = inner.windows(close.len()).position(|window| window == close);
        self.unclosed[signs] = found.is_none();
        Some(signs + 2 + found? + close.len())
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Returns the number of bytes up to and including this mark, or to the end.
fn to(bytes: &[u8], mark: &[u8]) -> usize {
    let found = bytes.windows(mark.len()).position(|window| window == mark);
    found.map_or(bytes.len(), |found| found + mark.len())
}

/// Returns the length of the rest of a string, its end included. Without `spans` a line break ends it, too.
fn string(bytes: &[u8], mark: u8, spans: bool) -> usize {
    let mut escaped = false;
    let end = bytes.iter().position(|&byte| {
        let ends = !escaped && (byte == mark || !spans && byte == b'\n');
        escaped = byte == b'\\' && !escaped;
        ends
    });
    end.map_or(bytes.len(), |end| end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_default_scripts_of_both_languages() {
        let lsl = "default\n{\n    state_entry()\n    {\n        llSay(0, \"Hello, Avatar!\");\n    }\n}\n";
        assert_eq!(language(lsl), Language::Lsl);
        let lua =
            "function touch_start(total_number)\n   ll.Say(0, \"Touched.\")\nend\n\nll.Say(0, \"Hello!\")\n";
        assert_eq!(language(lua), Language::Lua);
    }

    #[test]
    fn one_construct_is_enough() {
        for text in [
            "ll.OwnerSay(\"hi\")",
            "LLEvents:on(\"touch_start\", function(events) print(1) end)",
            "LLTimers.every(1, tick)",
            "local count = 0",
            "local count: number = 0",
            "local a, b = 1, 2",
            "function f(x) return x end",
            "function Door:open() self.angle += 90 end",
        ] {
            assert_eq!(language(text), Language::Lua, "{text}");
        }
    }

    #[test]
    fn comments_and_strings_of_either_language_decide_nothing() {
        for text in [
            "// local x = 1, ll.Say(\ndefault {}",
            "/* function f(x) end\n local x = 1 */ default { state_entry() { llSay(0, \"local x = 1\"); } }",
            "default { state_entry() { i--; /* keep a\n local x = 1 */ } }",
            "f(){i--;}default{state_entry(){llSay(0,\"ll.Say(\");}}",
            "// don't\ndefault {}",
            "string s = \"a\n local x = 1 \"; default {}",
            "integer local; integer end; default { state_entry() { local = end; } }",
        ] {
            assert_eq!(language(text), Language::Lsl, "{text}");
        }
        for text in [
            "--[[ the script in LSL:\ndefault { state_entry() { } }\n]]\nlocal x = 1",
            "--[==[ default { ]] ]==] local x = 1",
            "-- default {\nlocal x = 1 // 2",
            "local text = [[\ndefault {\n]]",
            "local x = 'default {'",
            "local x = `default \\` {`",
        ] {
            assert_eq!(language(text), Language::Lua, "{text}");
        }
    }

    #[test]
    fn other_texts_are_unknown() {
        for text in [
            "",
            "integer x() { return 1; }",
            "Visit our local shop: the function is open to the end.",
            "Visit our local shop, cafe, bar: the end.",
            "// local x = 1",
            "print(1)",
            "state other {}",
            "\"",
            "--[[",
            "[==",
            "/*",
        ] {
            assert_eq!(language(text), Language::Unknown, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_to_its_end(text in "[-\\[\\]='\"`/*\\\\\n a-e.(:{ü]{0,40}") {
            language(&text);
            language(&format!("{text}\ndefault {{"));
        }
    }
}
