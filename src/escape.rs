//! Words of strangers as text of a page, or of a line.

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
            c if c.is_control() => text.push('·'),
            c => text.push(c),
        }
    }
    text
}

/// Names come from strangers: what would move the cursor, or turn the direction of the text, is replaced.
pub fn clean(words: &str) -> String {
    let turns =
        |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    words.chars().map(|c| if c.is_control() || turns(c) { '·' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn words_cannot_end_the_text_that_they_stand_in() {
        assert_eq!(super::html("</p><script>\"&'\u{1}é"), "&lt;/p&gt;&lt;script&gt;&quot;&amp;&#39;·é");
    }
}
