//! Escapes foreign text for a page, a line, or JSON.

use regex_syntax::hir::{Class, HirKind};
use serde::Serialize;
use std::{borrow::Cow, fmt::Write, iter, sync::LazyLock};

/// What stands for a character that would not be seen, or would do something else than to be seen.
const INSTEAD: char = '·';

/// Words as text of an HTML page or of an attribute in quotes, wherever in it they stand.
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

/// Words in a line: what would move the cursor, end the line, turn the direction of the text or hide in it is replaced.
pub fn clean(words: &str) -> String {
    characters(words).map(|(c, misleads)| if misleads { INSTEAD } else { c }).collect()
}

/// The same for a text of lines.
pub fn clean_lines(text: &str) -> String {
    characters(text).map(|(c, misleads)| if misleads && c != '\n' { INSTEAD } else { c }).collect()
}

/// Indented JSON that says the same and is safe to print: what misleads stands in it as `\u009b`.
pub fn json(value: &impl Serialize) -> serde_json::Result<String> {
    let plain = serde_json::to_string_pretty(value)?;
    let mut text = String::with_capacity(plain.len());
    for (c, misleads) in characters(&plain) {
        // Line ends are the layout's: those in words are escaped already.
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

/// Characters that are not seen or turn the direction of what is: those that Unicode lists as ignorable and as controls
/// of direction, separators of lines and paragraphs, and marks of annotations.
static UNSEEN: LazyLock<Ranges> = LazyLock::new(|| {
    Ranges::from_class(r"[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\x{2028}\x{2029}\x{FFF9}-\x{FFFB}]")
});

/// Those of them that people write: joiners, without which Persian and Hindi are wrong and emoji fall apart, and the
/// selectors that make a sign an emoji or choose a form of a Mongolian letter.
static WRITTEN: LazyLock<Ranges> = LazyLock::new(|| {
    Ranges::from_class(r"[[\p{Join_Control}\p{Variation_Selector}]--[\x{E0100}-\x{E01EF}]]")
});

/// What Unicode says of characters.
struct Ranges(Vec<(char, char)>);

impl Ranges {
    /// The characters of a class, as regular expressions write it.
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

/// What stands before a character.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    /// Nothing that a joiner or a selector belongs to.
    Other,
    /// A sign of a keypad, which a selector makes an emoji.
    Key,
    /// A character beyond ASCII.
    Letter,
    /// A selector behind one.
    Selector,
}

/// Each character, and whether it does something else than to be seen: controls (C0, DEL, C1), ends of lines, direction
/// marks, and what takes no room, by which two names would look the same. A joiner or a selector is part of a word where
/// it follows a character that it can change; elsewhere it is hidden, too.
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

/// The frame around the sign of a keypad.
const KEYCAP: char = '\u{20e3}';

/// The first characters of words that are longer; an ellipsis says so.
pub fn shortened(words: &str, most: usize) -> Cow<'_, str> {
    match words.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &words[..end]).into(),
        None => words.into(),
    }
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

    /// By the data of Unicode from another source than the one that is used.
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
        // Nothing that is seen is taken for hidden, but for what the two lists lack.
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
