//! Escapes untrusted text for an HTML page, a line, or JSON.

use regex_syntax::hir::{Class, HirKind};
use serde::Serialize;
use std::{borrow::Cow, fmt::Write, iter, sync::LazyLock};

/// The replacement for a character that is invisible or has an effect on the display.
const INSTEAD: char = '·';

/// Escapes text for an HTML page or a quoted attribute.
pub fn html(words: &str) -> String {
    let mut text = String::with_capacity(words.len());
    for (c, misleads) in characters(words) {
        match c {
            '&' => text += "&amp;",
            '<' => text += "&lt;",
            '>' => text += "&gt;",
            '"' => text += "&quot;",
            '\'' => text += "&#39;",
            _ if misleads => text.push(INSTEAD),
            c => text.push(c),
        }
    }
    text
}

/// Cleans text for one line: replaces characters that move the cursor, end the line, change the direction or are
/// invisible.
pub fn clean(words: &str) -> String {
    characters(words).map(|(c, misleads)| if misleads { INSTEAD } else { c }).collect()
}

/// Like [`clean`], without a copy of plain ASCII.
pub fn cleaned(words: &str) -> Cow<'_, str> {
    match words.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        true => words.into(),
        false => clean(words).into(),
    }
}

/// Like [`clean`], for a text of several lines.
pub fn clean_lines(text: &str) -> String {
    characters(text).map(|(c, misleads)| if misleads && c != '\n' { INSTEAD } else { c }).collect()
}

/// Writes indented JSON that is safe to print: misleading characters are written as escapes such as `\u009b`.
pub fn json(value: &impl Serialize) -> serde_json::Result<String> {
    let plain = serde_json::to_string_pretty(value)?;
    let mut text = String::with_capacity(plain.len());
    for (c, misleads) in characters(&plain) {
        // Line ends come only from the layout: those in strings are already escaped.
        if misleads && c != '\n' {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(text, "\\u{unit:04x}");
            }
        } else {
            text.push(c);
        }
    }
    Ok(text + "\n")
}

/// Characters that are invisible or change the direction of text. They are Unicode's ignorable characters and direction
/// controls, separators of lines and paragraphs, and annotation marks.
static UNSEEN: LazyLock<Ranges> = LazyLock::new(|| {
    Ranges::from_class(r"[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\x{2028}\x{2029}\x{FFF9}-\x{FFFB}]")
});

/// The characters in `UNSEEN` that people write. Joiners are needed for Persian, Hindi and emoji. Selectors turn a
/// character into an emoji or choose a form of a Mongolian letter.
static WRITTEN: LazyLock<Ranges> = LazyLock::new(|| {
    Ranges::from_class(r"[[\p{Join_Control}\p{Variation_Selector}]--[\x{E0100}-\x{E01EF}]]")
});

/// A set of characters, as sorted ranges.
struct Ranges(Vec<(char, char)>);

impl Ranges {
    /// Creates the set from a character class of a regular expression.
    fn from_class(class: &str) -> Self {
        let class = regex_syntax::parse(class).map(regex_syntax::hir::Hir::into_kind);
        let Ok(HirKind::Class(Class::Unicode(class))) = class else {
            unreachable!("a test holds that both classes can be read")
        };
        Self(class.iter().map(|range| (range.start(), range.end())).collect())
    }

    fn hold(&self, c: char) -> bool {
        let place = self.0.partition_point(|&(_, end)| end < c);
        self.0.get(place).is_some_and(|&(start, _)| start <= c)
    }
}

/// The kind of the previous character.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    /// A character that no joiner or selector can follow.
    Other,
    /// A character of a keypad, which a selector turns into an emoji.
    Key,
    /// A character beyond ASCII.
    Letter,
    /// A selector after a character.
    Selector,
}

/// Returns each character and whether it is misleading. Misleading are controls (C0, DEL, C1), line ends, direction
/// marks, and characters without width, with which two names can look the same. A joiner or a selector is valid after a
/// character that it can change, and misleading elsewhere.
fn characters(words: &str) -> impl Iterator<Item = (char, bool)> + '_ {
    let mut rest = words.chars().peekable();
    let mut before = Before::Other;
    iter::from_fn(move || {
        let c = rest.next()?;
        if c.is_ascii() {
            let is_key = c.is_ascii_digit() || c == '#' || c == '*';
            before = if is_key { Before::Key } else { Before::Other };
            return Some((c, c.is_ascii_control()));
        }
        if !c.is_control() && !UNSEEN.hold(c) {
            before = Before::Letter;
            return Some((c, false));
        }
        let is_joiner = matches!(c, '\u{200c}' | '\u{200d}');
        let is_part = WRITTEN.hold(c)
            && match before {
                Before::Other => false,
                Before::Key => !is_joiner && rest.peek() == Some(&KEYCAP),
                Before::Letter => true,
                Before::Selector => is_joiner,
            };
        before = if is_part && !is_joiner { Before::Selector } else { Before::Other };
        Some((c, !is_part))
    })
}

/// The frame around a keypad character.
const KEYCAP: char = '\u{20e3}';

/// Returns the first characters of a longer text, with an ellipsis.
pub fn shortened(words: &str, most: usize) -> Cow<'_, str> {
    match words.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &words[..end]).into(),
        None => words.into(),
    }
}

/// Percent-encodes text. Letters, digits and `plain` bytes stay.
pub fn percent_encoded(words: &str, plain: &[u8]) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || plain.contains(&byte);
    let encoded = |byte| if is_plain(byte) { char::from(byte).into() } else { format!("%{byte:02X}") };
    words.bytes().map(encoded).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use icu_properties::{
        CodePointSetData,
        props::{BidiControl, DefaultIgnorableCodePoint},
    };

    #[test]
    fn words_cannot_end_the_text_around_them() {
        assert_eq!(html("</p><script>\"&'\u{1}\u{202e}é"), "&lt;/p&gt;&lt;script&gt;&quot;&amp;&#39;··é");
    }

    #[test]
    fn misleading_characters_are_shown() {
        assert_eq!(clean("a\u{1b}[2J\u{9b}1m\u{202e}b\u{200b}c\u{2028}d"), "a·[2J·1m·b·c·d");
        assert_eq!(clean_lines("a\r\nb\u{7f}\n"), "a·\nb·\n");
    }

    /// Compares with Unicode data from another source than the one in use.
    #[test]
    fn nothing_that_unicode_calls_ignorable_or_a_control_of_direction_passes() {
        let ignorable = CodePointSetData::new::<DefaultIgnorableCodePoint>();
        let controls = CodePointSetData::new::<BidiControl>();
        let listed = |c: char| ignorable.contains(c) || controls.contains(c);
        let mut seen = 0;
        for c in (char::MIN..=char::MAX).filter(|&c| listed(c)) {
            seen += 1;
            assert_eq!(clean(&format!("Ann{c}a")), "Ann·a", "{:04x}", u32::from(c));
            assert_eq!(clean(&format!("{c}")), "·", "{:04x}", u32::from(c));
            assert!(UNSEEN.hold(c), "{:04x}", u32::from(c));
        }
        assert!(seen > 4000, "{seen}");
        // Visible characters are not hidden, except those that both lists lack.
        for c in (char::MIN..=char::MAX).filter(|&c| !listed(c) && !c.is_control()) {
            let more = matches!(c, '\u{2028}' | '\u{2029}' | '\u{fff9}'..='\u{fffb}');
            assert_eq!(clean(&c.to_string()) == "·", more || c == INSTEAD, "{:04x}", u32::from(c));
        }
    }

    #[test]
    fn words_of_people_stay() {
        for words in [
            "نمی\u{200c}خواهم",
            "क्\u{200d}ष",
            "❤\u{fe0f}\u{200d}🔥",
            "👩\u{200d}🚀",
            "1\u{fe0f}\u{20e3}",
            "ᠠ\u{180b}",
        ] {
            assert_eq!(clean(words), words);
        }
        for (words, cleaned) in [
            ("Ann\u{200d}a", "Ann·a"),
            ("Ann\u{fe0f}a", "Ann·a"),
            ("Ann1\u{fe0f}", "Ann1·"),
            ("é\u{200d}\u{200d}", "é\u{200d}·"),
            ("é\u{fe0f}\u{fe0f}", "é\u{fe0f}·"),
            ("葛\u{e0100}", "葛·"),
            ("\u{200c}", "·"),
        ] {
            assert_eq!(clean(words), cleaned);
        }
    }

    #[test]
    fn json_that_is_printed_says_the_same() {
        let words = "\u{1b}\u{7f}\u{9b}31m\u{202e}\u{e0041}\n\"é\u{3164}a\u{200d}";
        let text = json(&[words]).unwrap();
        assert!(!characters(&text).any(|(c, misleads)| misleads && c != '\n'), "{text}");
        assert_eq!(serde_json::from_str::<[String; 1]>(&text).unwrap(), [words]);
    }
}
