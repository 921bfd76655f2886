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
        self.note_table(&layer.settings, "", &layer.source);
    }

    fn note_table(&mut self, table: &Table, section: &str, source: &str) {
        for (key, value) in table {
            let path = joined(section, key);
            match value {
                Value::Table(table) => self.note_table(table, &path, source),
                _ => _ = self.0.insert(path, source.into()),
            }
        }
    }

    /// Notes the settings that differ as changed by this source.
    pub fn note_changes(&mut self, before: &Table, after: &Table, source: &str) {
        self.note_changes_within(before, after, "", source);
    }

    fn note_changes_within(&mut self, before: &Table, after: &Table, section: &str, source: &str) {
        for (key, value) in after {
            let path = joined(section, key);
            match (before.get(key), value) {
                (Some(Value::Table(before)), Value::Table(after)) => {
                    self.note_changes_within(before, after, &path, source);
                }
                (old, new) if old != Some(new) => _ = self.0.insert(path, source.into()),
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
