//! Composes the settings of a simulator or of Robust from its ini files, in the order in which OpenSimulator merges
//! them.
//!
//! `OpenSimDefaults.ini` comes first, then the named file, then the files of the folder `config`. After each file, those
//! that `Include-` keys name come last. So an included file overrides the one that includes it.

use super::ini::Ini;
use hullmark_util::named_file;
use std::{
    collections::HashMap,
    env, fs,
    path::{Path, PathBuf},
};

/// Maximum size of a file in bytes. Those of releases have at most 100 kB.
const MOST_BYTES: u64 = 4 << 20;

/// Maximum number of files.
const MOST_FILES: usize = 500;

/// Maximum number of nested `${Section|Key}`.
const MOST_NESTED: usize = 8;

/// Maximum number of keys that are replaced in one value.
const MOST_REPLACED: usize = 1000;

/// Maximum length of a value in which keys are replaced.
const MOST_LETTERS: usize = 64 * 1024;

/// A value, and the line that sets it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// The value, with all keys in it replaced.
    pub value: String,
    /// Section and key, file and line, for people.
    pub from: String,
}

/// The merged settings of one simulator.
#[derive(Debug)]
pub struct Composed {
    /// The folder of the named file, `bin/`: paths in settings are relative to it.
    pub bin: PathBuf,
    /// Whether the file is of Robust, and not of a simulator.
    pub is_robust: bool,
    /// The files, in the order in which they were merged.
    pub files: Vec<PathBuf>,
    /// What was left out, and why, in whole sentences.
    pub notes: Vec<String>,
    keys: Vec<(String, String)>,
    values: HashMap<(String, String), Raw>,
}

#[derive(Debug, Clone)]
struct Raw {
    value: String,
    file: usize,
    line: usize,
}

impl Composed {
    /// Reads a file and all files that belong to it.
    pub fn read(ini: &Path) -> std::io::Result<Self> {
        let name = ini.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let bin = ini.parent().unwrap_or(Path::new("")).to_owned();
        let mut composed = Self {
            bin,
            is_robust: name.starts_with("robust"),
            files: Vec::new(),
            notes: Vec::new(),
            keys: Vec::new(),
            values: HashMap::new(),
        };
        let mut sources = Vec::new();
        if !composed.is_robust {
            let defaults = composed.bin.join("OpenSimDefaults.ini");
            if defaults != ini && defaults.is_file() {
                sources.push(defaults);
            }
        }
        let own = read_file(ini)?;
        sources.push(ini.to_owned());
        if !composed.is_robust {
            let overrides = composed.bin.join("config").join("*.ini");
            sources.extend(matching(&overrides).into_iter().filter(|file| file != ini));
        }
        let mut own = Some(own);
        let mut at = 0;
        while let Some(file) = sources.get(at).cloned() {
            at += 1;
            let bytes =
                if file == ini { own.take().map_or_else(|| read_file(&file), Ok) } else { read_file(&file) };
            match bytes {
                Ok(bytes) => composed.merge(&file, &bytes),
                Err(error) => composed.notes.push(format!("{} cannot be read: {error}.", file.display())),
            }
            composed.include(&mut sources);
        }
        composed.is_robust |= composed.get("Startup", "ServiceConnectors").is_some()
            || composed.keys.iter().any(|(section, _)| section == "ServiceList");
        Ok(composed)
    }

    /// Returns a value that is not empty.
    pub fn get(&self, section: &str, key: &str) -> Option<Setting> {
        let raw = self.values.get(&(section.to_owned(), key.to_owned()))?;
        let value = self.replaced(section, &raw.value, MOST_NESTED, &mut 0);
        let file = self.files.get(raw.file).map(|file| file.display().to_string()).unwrap_or_default();
        let from = format!("[{section}] {key}, {file} line {}", raw.line);
        (!value.trim().is_empty()).then_some(Setting { value, from })
    }

    /// Returns a path of a setting, as the working folder of the simulator makes it.
    pub fn path(&self, text: &str) -> PathBuf {
        if is_of_windows(text) {
            return text.into();
        }
        let text = if cfg!(windows) { text.to_owned() } else { text.replace('\\', "/") };
        let path = Path::new(text.strip_prefix("./").unwrap_or(&text));
        self.bin.join(path)
    }

    fn merge(&mut self, file: &Path, bytes: &[u8]) {
        let ini = Ini::read(bytes);
        if let Some(line) = ini.faulty_lines.first() {
            let count = ini.faulty_lines.len();
            let file = file.display();
            self.notes
                .push(format!("{file} has {count} lines that are no setting, the first is line {line}."));
        }
        self.files.push(file.to_owned());
        let number = self.files.len() - 1;
        for entry in ini.entries {
            // The environment of the simulator is not known, but that of the operator is often the same.
            let of_environment =
                (entry.section == "Environment").then(|| env::var(&entry.key).ok()).flatten();
            let value = of_environment.unwrap_or(entry.value);
            let key = (entry.section, entry.key);
            if !self.values.contains_key(&key) {
                self.keys.push(key.clone());
            }
            self.values.insert(key, Raw { value, file: number, line: entry.line });
        }
    }

    /// Adds the files that the settings so far include. Each file is read once, so loops end.
    fn include(&mut self, sources: &mut Vec<PathBuf>) {
        let keys: Vec<_> = self.keys.iter().filter(|(_, key)| key.starts_with("Include-")).cloned().collect();
        for (section, key) in keys {
            let Some(setting) = self.get(&section, &key) else { continue };
            if setting.value.starts_with("http://") || setting.value.starts_with("https://") {
                self.note(format!("{}: settings on the web are not read.", setting.from));
                continue;
            }
            let path = self.path(&setting.value);
            let found = matching(&path);
            if found.is_empty() {
                self.note(format!("{}: no file matches {}.", setting.from, path.display()));
            }
            for file in found {
                if sources.contains(&file) {
                    continue;
                }
                if sources.len() >= MOST_FILES {
                    self.note(format!("More than {MOST_FILES} files are included. The rest is not read."));
                    return;
                }
                sources.push(file);
            }
        }
    }

    fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Replaces `${Section|Key}` and `${Key}`. Counts the replaced keys.
    fn replaced(&self, section: &str, value: &str, nested: usize, count: &mut usize) -> String {
        let mut text = String::new();
        let mut rest = value;
        while let Some((before, tail)) = rest.split_once("${") {
            let Some((name, after)) = tail.split_once('}') else { break };
            let (of, key) = name.split_once('|').unwrap_or((section, name));
            text += before;
            match self.values.get(&(of.to_owned(), key.to_owned())) {
                Some(raw) if nested > 0 && *count < MOST_REPLACED => {
                    *count += 1;
                    text += &self.replaced(of, &raw.value, nested - 1, count);
                }
                _ => text += &rest[before.len()..rest.len() - after.len()],
            }
            rest = after;
            if text.len() > MOST_LETTERS {
                return text;
            }
        }
        text + rest
    }
}

/// Whether a path has the form of Windows on another system.
pub(super) fn is_of_windows(text: &str) -> bool {
    let bytes = text.as_bytes();
    let has_drive = bytes.len() > 2
        && bytes[0].is_ascii_alphabetic()
        && bytes[1] == b':'
        && matches!(bytes[2], b'/' | b'\\');
    !cfg!(windows) && (has_drive || text.starts_with("\\\\"))
}

/// Returns the files of a path that may be a pattern, sorted by name.
fn matching(path: &Path) -> Vec<PathBuf> {
    let text = path.to_string_lossy();
    if !text.contains(['*', '?']) {
        return Some(path.to_owned()).filter(|path| path.is_file()).into_iter().collect();
    }
    let files = glob_of(&text).into_iter().filter(|path| path.is_file());
    files.take(MOST_FILES).collect()
}

/// Returns the paths that match a pattern with `*` and `?` in any of its steps, sorted by name.
fn glob_of(pattern: &str) -> Vec<PathBuf> {
    let mut found = vec![PathBuf::new()];
    for step in Path::new(pattern).components() {
        let name = step.as_os_str().to_string_lossy();
        if !name.contains(['*', '?']) {
            found.iter_mut().for_each(|path| path.push(step));
            continue;
        }
        let below = |folder: &PathBuf| -> Vec<PathBuf> {
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
            let entries = entries.flatten().take(10 * MOST_FILES);
            let entries = entries.filter(|entry| matches(&name, &entry.file_name().to_string_lossy()));
            let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
            paths.sort();
            paths
        };
        found = found.iter().flat_map(below).take(MOST_FILES).collect();
    }
    found
}

/// Whether a name matches a pattern with `*` and `?`.
fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    // The place behind the last star, and the letters that it took.
    let (mut p, mut n, mut star) = (0, 0, None);
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(&c) if c == '?' || c == name[n] => {
                p += 1;
                n += 1;
            }
            _ => match star {
                Some((at, taken)) => {
                    star = Some((at, taken + 1));
                    p = at + 1;
                    n = taken + 1;
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

/// Reads a file up to the limit.
pub(super) fn read_file(path: &Path) -> std::io::Result<Vec<u8>> {
    named_file::read_regular(path, MOST_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes a tree of files and composes `OpenSim.ini`.
    fn composed(files: &[(&str, &str)]) -> (tempfile::TempDir, Composed) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let composed = Composed::read(&folder.path().join("OpenSim.ini")).unwrap();
        (folder, composed)
    }

    fn value(composed: &Composed, section: &str, key: &str) -> Option<String> {
        composed.get(section, key).map(|setting| setting.value)
    }

    #[test]
    fn later_and_included_files_override() {
        let (_folder, composed) = composed(&[
            ("OpenSimDefaults.ini", "[A]\na = 1\nb = 1\nc = 1\nd = 1\n"),
            (
                "OpenSim.ini",
                "[A]\nb = 2\nc = 2\nd = 2\n[Architecture]\nInclude-A = \"config-include/Grid.ini\"\n",
            ),
            (
                "config-include/Grid.ini",
                "[A]\nc = 3\n[M]\nInclude-C = \"config-include/Grid*.ini\"\nInclude-D = OpenSim.ini\n",
            ),
            ("config-include/GridCommon.ini", "[A]\nd = 4\n"),
            ("config/zz.ini", "[A]\nb = 5\nd = 5\n"),
        ]);
        let values = ["a", "b", "c", "d"].map(|key| value(&composed, "A", key).unwrap());
        assert_eq!(values, ["1", "5", "3", "4"]);
        let names: Vec<_> =
            composed.files.iter().map(|file| file.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["OpenSimDefaults.ini", "OpenSim.ini", "zz.ini", "Grid.ini", "GridCommon.ini"]);
        assert!(composed.get("A", "d").unwrap().from.starts_with("[A] d, ") && composed.notes.is_empty());
    }

    #[test]
    fn keys_in_values_are_replaced_and_loops_end() {
        let (_folder, composed) = composed(&[(
            "OpenSim.ini",
            "[Const]\nDir = data\nA = ${B}\nB = ${A}\n[X]\np = \"${Const|Dir}/x-${q}\"\nq = 7\nr = ${Const|None}\ns = ${Const|A}\nt = ${open\n",
        )]);
        let of = |key| value(&composed, "X", key).unwrap();
        assert_eq!((of("p"), of("r"), of("t")), ("data/x-7".into(), "${Const|None}".into(), "${open".into()));
        assert!(of("s").contains("${"));
    }

    #[test]
    fn values_that_double_stay_short() {
        let mut text = "[X]\nk50 =\n".to_owned();
        for number in 0..50 {
            text += &format!("k{number} = {}\n", format!("${{k{}}}", number + 1).repeat(40));
        }
        let (_folder, composed) = composed(&[("OpenSim.ini", &text)]);
        assert!(value(&composed, "X", "k0").unwrap().len() < 100 * MOST_LETTERS);
    }

    #[test]
    fn includes_that_are_not_read_are_noted() {
        let (_folder, composed) = composed(&[(
            "OpenSim.ini",
            "[A]\nInclude-A = \"http://grid/x.ini\"\nInclude-B = none.ini\nno setting\n",
        )]);
        let notes = composed.notes.join("\n");
        assert!(
            notes.contains("on the web") && notes.contains("none.ini") && notes.contains("line 4"),
            "{notes}"
        );
    }

    #[test]
    fn patterns_have_stars_and_question_marks() {
        for (pattern, name, expected) in [
            ("*.ini", "a.ini", true),
            ("*.ini", "a.ini.example", false),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("*a*b*", "xxaxbx", true),
            ("*a*b", "ab-a", false),
            ("", "", true),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }
}
