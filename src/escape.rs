//! Words of strangers as text of a page, of a line, or of JSON.

use serde::Serialize;
use std::fmt::Write;

/// Words as text of an HTML page or of an attribute in quotes, wherever in it they stand.
pub fn html(words: &str) -> String {
    let mut text = String::with_capacity(words.len());
    for c in words.chars() {
        match c {
            '&' => text += "&amp;",
            '<' => text += "&lt;",
            '>' => text += "&gt;",
            '"' => text += "&quot;",
            '\'' => text += "&#39;",
            c if misleads(c) => text.push('·'),
            c => text.push(c),
        }
    }
    text
}

/// Words in a line: what would move the cursor, end the line, turn the direction of the text or hide in it is replaced.
pub fn clean(words: &str) -> String {
    words.chars().map(|c| if misleads(c) { '·' } else { c }).collect()
}

/// The same for a text of lines.
pub fn clean_lines(text: &str) -> String {
    text.chars().map(|c| if misleads(c) && c != '\n' { '·' } else { c }).collect()
}

/// Indented JSON that says the same and is safe to print: what misleads stands in it as `\u009b`.
pub fn json(value: &impl Serialize) -> serde_json::Result<String> {
    let plain = serde_json::to_string_pretty(value)?;
    let mut text = String::with_capacity(plain.len());
    for c in plain.chars() {
        // Line ends are the layout's: those in words are escaped already.
        if misleads(c) && c != '\n' {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(text, "\\u{unit:04x}");
            }
        } else {
            text.push(c);
        }
    }
    Ok(text + "\n")
}

/// Whether a character does something else than to be seen: controls (C0, DEL, C1), ends of lines, direction marks, and
/// what takes no room, by which two names would look the same. The two joiners stay, without which Persian, Hindi and
/// emoji are written wrong; so do the selectors of variants.
fn misleads(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}'
                | '\u{61c}'
                | '\u{200b}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_cannot_end_the_text_that_they_stand_in() {
        assert_eq!(html("</p><script>\"&'\u{1}\u{202e}é"), "&lt;/p&gt;&lt;script&gt;&quot;&amp;&#39;··é");
    }

    #[test]
    fn what_misleads_is_seen() {
        assert_eq!(
            clean("a\u{1b}[2J\u{9b}1m\u{202e}b\u{200b}c\u{2028}d\nक्\u{200d}ष"),
            "a·[2J·1m·b·c·d·क्\u{200d}ष"
        );
        assert_eq!(clean_lines("a\r\nb\u{7f}\n"), "a·\nb·\n");
    }

    #[test]
    fn json_that_is_printed_says_the_same() {
        let words = "\u{1b}\u{7f}\u{9b}31m\u{202e}\u{e0041}\n\"é";
        let text = json(&[words]).unwrap();
        assert!(!text.chars().any(|c| misleads(c) && c != '\n'), "{text}");
        assert_eq!(serde_json::from_str::<[String; 1]>(&text).unwrap(), [words]);
    }
}
