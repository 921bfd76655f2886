//! Where settings come from, for `--dump-config`.

use crate::config::Layer;
use std::collections::BTreeMap;
use toml::{Table, Value};

/// The source of each setting that is not a default, by its path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origins(BTreeMap<String, String>);

impl Origins {
    /// Notes the settings of a layer. A later layer wins.
    pub fn note(&mut self, layer: &Layer) {
        self.note_within(None, &layer.settings, "", &layer.source);
    }

    /// Notes the settings that differ as changed by this source.
    pub fn note_changes(&mut self, before: &Table, after: &Table, source: &str) {
        self.note_within(Some(before), after, "", source);
    }

    fn note_within(&mut self, before: Option<&Table>, after: &Table, section: &str, source: &str) {
        for (key, value) in after {
            let (old, path) = (before.and_then(|before| before.get(key)), joined(section, key));
            match value {
                Value::Table(after) => self.note_within(old.and_then(Value::as_table), after, &path, source),
                value if old != Some(value) => _ = self.0.insert(path, source.into()),
                _ => {}
            }
        }
    }

    /// Writes the source of each setting behind its line. The text has one line for each setting.
    pub fn annotate(&self, text: &str) -> String {
        let mut section = String::new();
        let mut annotated = String::new();
        for line in text.lines() {
            annotated += line;
            if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                name.clone_into(&mut section);
            } else if let Some((key, _)) = line.split_once(" = ")
                && let Some(source) = self.0.get(&joined(&section, key))
            {
                annotated += "  # ";
                annotated.extend(source.chars().filter(|c| !c.is_control()));
            }
            annotated.push('\n');
        }
        annotated
    }
}

fn joined(section: &str, key: &str) -> String {
    if section.is_empty() { key.into() } else { format!("{section}.{key}") }
}
