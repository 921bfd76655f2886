//! Reads the ini files of OpenSimulator, by the rules of its library Nini.
//!
//! `;` starts a comment, also behind a value. A value that begins with a quote ends at the next one, and the rest of
//! the line is ignored. `#` is no comment.

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Name of the section; empty before the first one.
    pub section: String,
    pub key: String,
    pub value: String,
    /// Line number, from 1.
    pub line: usize,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Ini {
    /// Keys in the order of the file. A later one replaces an earlier one.
    pub entries: Vec<Entry>,
    /// Lines that are neither a section nor a key with a value. OpenSimulator refuses such a file.
    pub faulty_lines: Vec<usize>,
}

impl Ini {
    /// Reads a file. Bytes that are no UTF-8 are replaced.
    pub fn read(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let mut ini = Self::default();
        let mut section = String::new();
        for (text, line) in text.trim_start_matches('\u{feff}').lines().zip(1..) {
            let text = text.trim();
            if text.is_empty() || text.starts_with(';') {
                continue;
            }
            if let Some(rest) = text.strip_prefix('[') {
                match rest.split_once(']') {
                    Some((name, _)) => section = name.trim().to_owned(),
                    None => ini.faulty_lines.push(line),
                }
                continue;
            }
            match text.split_once('=').map(|(key, rest)| (key.trim(), value(rest))) {
                Some((key, Some(value))) => {
                    ini.entries.push(Entry { section: section.clone(), key: key.into(), value, line });
                }
                _ => ini.faulty_lines.push(line),
            }
        }
        ini
    }

    /// Returns the names of sections in the order of the file, each once.
    pub fn sections(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for entry in &self.entries {
            if !names.contains(&entry.section.as_str()) {
                names.push(&entry.section);
            }
        }
        names
    }

    /// Returns the last value of a key.
    #[cfg(test)]
    pub fn get(&self, section: &str, key: &str) -> Option<&str> {
        let is_it = |entry: &&Entry| entry.section == section && entry.key == key;
        self.entries.iter().rev().find(is_it).map(|entry| entry.value.as_str())
    }
}

/// Returns the value behind an equals sign. `None` if its closing quote is missing.
fn value(text: &str) -> Option<String> {
    let text = text.trim_start();
    match text.strip_prefix('"') {
        Some(quoted) => quoted.split_once('"').map(|(value, _)| value.to_owned()),
        None => text.split([';', '"']).next().map(|value| value.trim_end().to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn get(text: &str) -> Option<String> {
        Ini::read(text.as_bytes()).get("S", "k").map(str::to_owned)
    }

    #[test]
    fn comments_and_quotes_follow_nini() {
        let value = |line: &str| get(&format!("\u{feff}; x\r\n[S] ; y\r\n  {line}\r\n"));
        let of = |text: &str| Some(text.to_owned());
        assert_eq!(value("k = a b ; comment"), of("a b"));
        assert_eq!(value("k = \"a;b\" rest ; comment"), of("a;b"));
        assert_eq!(value("k=Data Source=localhost;Database=x"), of("Data Source=localhost"));
        assert_eq!(value("k = # no comment"), of("# no comment"));
        assert_eq!(value("k = C:\\Grid\\bin/data"), of("C:\\Grid\\bin/data"));
        assert_eq!(value("k ="), of(""));
        assert_eq!(value("k = a\r\nk = b"), of("b"));
        assert_eq!(value("; k = a"), None);
    }

    #[test]
    fn faulty_lines_are_counted_and_the_rest_is_read() {
        let ini = Ini::read(b"[S]\nno value\nk = \"open\n[broken\nk = 1\n");
        assert_eq!(ini.faulty_lines, [2, 3, 4]);
        assert_eq!((ini.get("S", "k"), ini.sections()), (Some("1"), vec!["S"]));
    }

    proptest! {
        /// Any text is read, and each line is at most one entry or fault.
        #[test]
        fn any_text_is_read(text in "[\\[\\]=;\"a-c \n\r\u{feff}é]{0,200}") {
            let ini = Ini::read(text.as_bytes());
            prop_assert!(ini.entries.len() + ini.faulty_lines.len() <= text.lines().count());
            prop_assert!(ini.entries.iter().all(|entry| !entry.value.contains('"')));
        }

        #[test]
        fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = Ini::read(&bytes);
        }
    }
}
