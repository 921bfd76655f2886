//! What tells an input and its regions again in another night, when the archive has another date in its name.

use crate::{facts::RegionFacts, ledger::Ledger};
use uuid::Uuid;

/// The home of an input: that of its first region by folder, else its file's name without dates.
pub(crate) fn of_input(ledger: &Ledger) -> String {
    let first = ledger.regions.iter().min_by_key(|region| &region.folder);
    first.map_or_else(|| undated(file_name(&ledger.input)), |region| of_region(ledger, region))
}

/// The home of a region: its UUID, else its name, else its file's name without dates, with its folder behind.
pub(crate) fn of_region(ledger: &Ledger, region: &RegionFacts) -> String {
    match region.uuid.filter(|uuid: &Uuid| !uuid.is_nil()) {
        Some(uuid) => uuid.to_string(),
        None if !region.name.is_empty() => region.name.clone(),
        None if region.folder.is_empty() => undated(file_name(&ledger.input)),
        None => format!("{}/{}", undated(file_name(&ledger.input)), region.folder),
    }
}

/// The last name of a path.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or_default()
}

/// A file's name with `#` for each date and time in it: backups of one thing differ in nothing else. A date is four
/// digits that begin with 19 or 20 and two more pairs, with one other character between or none; what follows it in
/// groups of two to six digits is the time.
pub(crate) fn undated(name: &str) -> String {
    apart(name).0
}

/// The digits of the last date and time in a file's name, filled up with zeros: `20261122040000`. They compare as the
/// moments do.
pub(crate) fn date_in(name: &str) -> Option<String> {
    let digits: String = apart(name).1?.chars().filter(char::is_ascii_digit).collect();
    Some(format!("{digits:0<14}"))
}

/// A name without its dates, and the last of them.
fn apart(name: &str) -> (String, Option<&str>) {
    let (mut out, mut last) = (String::new(), None);
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        match date_at(rest) {
            Some(length) => {
                out.push('#');
                let (date, behind) = rest.split_at(length);
                (last, rest) = (Some(date), behind);
            }
            None => {
                // A run of digits is passed whole: a date does not begin in its middle.
                let run = rest.bytes().take_while(u8::is_ascii_digit).count().max(first.len_utf8());
                out += &rest[..run];
                rest = &rest[run..];
            }
        }
    }
    (out, last)
}

/// How many bytes a date and the time behind it take here.
fn date_at(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes.iter().skip(from).take_while(|byte| byte.is_ascii_digit()).count();
    let separator = |at: usize| bytes.get(at).is_some_and(|byte| b"-_.T ".contains(byte));
    if !(text.starts_with("19") || text.starts_with("20")) {
        return None;
    }
    let mut end = match digits(0) {
        8 | 12 | 14 => digits(0),
        4 if separator(4) && digits(5) == 2 && separator(7) && digits(8) == 2 => 10,
        _ => return None,
    };
    while separator(end) && matches!(digits(end + 1), 2 | 4 | 6) {
        end += 1 + digits(end + 1);
    }
    Some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_in_names_of_files_say_nothing() {
        for (name, undated_name) in [
            ("ElfEars-2026-11-22.iar", "ElfEars-#.iar"),
            ("Here_2026_11_22_04_00_00.oar", "Here_#.oar"),
            ("here-20261122T0400.oar", "here-#.oar"),
            ("20261122.oar", "#.oar"),
            ("region12.oar", "region12.oar"),
            ("plot-2048-1.oar", "plot-2048-1.oar"),
            ("120261122.oar", "120261122.oar"),
            ("é2026.oar", "é2026.oar"),
        ] {
            assert_eq!(undated(name), undated_name);
        }
    }

    #[test]
    fn dates_in_names_compare_as_moments() {
        let dates =
            ["Here_2026_11_22_04_00_00.oar", "here-20261122T0400.oar", "2026-11-22.oar", "plot-2048-1.oar"];
        let dates = dates.map(date_in);
        assert_eq!(dates[0].as_deref(), Some("20261122040000"));
        assert_eq!(dates[0], dates[1]);
        assert!(dates[2] < dates[1] && dates[3].is_none());
    }
}
