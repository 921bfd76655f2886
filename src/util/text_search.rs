//! Looks for a name or a UUID in text of any form, before the text is parsed.

use memchr::memmem::Finder;
use uuid::Uuid;

/// The part of a name that each text with this name contains, in lower case.
#[derive(Debug, Clone)]
pub struct PlainPart(Finder<'static>);

impl PlainPart {
    /// Returns the longest run of plain letters and digits. Of a UUID, returns the digits that are together in each of
    /// its spellings. `None` for a name without plain letters and digits.
    pub fn of(name: &str) -> Option<Self> {
        let part = match Uuid::try_parse(name) {
            Ok(uuid) => uuid.simple().to_string()[..8].to_owned(),
            Err(_) => {
                let runs = name.split(|c: char| !c.is_ascii_alphanumeric());
                runs.max_by_key(|run| run.len()).filter(|run| !run.is_empty())?.to_ascii_lowercase()
            }
        };
        Some(Self(Finder::new(&part).into_owned()))
    }

    pub fn is_in(&self, lower_case: &[u8]) -> bool {
        self.0.find(lower_case).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(name: &str) -> Option<String> {
        PlainPart::of(name).map(|part| String::from_utf8(part.0.needle().to_vec()).unwrap())
    }

    #[test]
    fn the_longest_run_of_plain_letters_stands_for_a_name() {
        assert_eq!(part("Éva's Garden chair"), Some("garden".into()));
        assert_eq!(part("47397B0A-7c25-4905-b82d-946cbe329328"), Some("47397b0a".into()));
        assert_eq!(part("\u{20ac} ñ"), None);
    }
}
