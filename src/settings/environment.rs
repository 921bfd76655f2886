//! Settings from the environment: `HULLMARK_LIMITS_XML_DEPTH` is `xml_depth` in `[limits]`.

use crate::config::{ConfigError, Layer, defaults, nearest};
use std::{collections::BTreeMap, ffi::OsString};
use toml::{Table, Value};

/// The beginning of each variable.
const PREFIX: &str = "HULLMARK_";

/// The section whose keys are codes and families of rules.
const SEVERITIES: [&str; 2] = ["rules", "severity"];

/// How many letters of a misspelled variable may be wrong. Variables of other programs differ by more.
const MISSPELLED: usize = 2;

/// Returns the settings among these variables, each as a layer with the name of its variable. An empty variable counts as
/// absent. Lists are separated by commas, or written as in TOML.
///
/// # Errors
/// A variable is misspelled: it begins like a section and names no setting, or is nearly one. Its value is not UTF-8.
pub fn layers(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Result<Vec<Layer>, ConfigError> {
    let named = |(name, text): (OsString, OsString)| Some((name.into_string().ok()?, text));
    let named = variables.into_iter().filter_map(named);
    let given: Vec<_> = named.filter(|(name, text)| name.starts_with(PREFIX) && !text.is_empty()).collect();
    if given.is_empty() {
        return Ok(Vec::new());
    }
    let defaults = defaults();
    let mut known = BTreeMap::new();
    add_settings(&defaults, &mut Vec::new(), &mut known);
    let mut layers = Vec::new();
    for (name, text) in given {
        let Some((path, default)) = known.get(&name).cloned().or_else(|| severity(&name)) else {
            refuse_misspelled(&name, &known, &defaults)?;
            continue;
        };
        let text = text.into_string().map_err(|_| ConfigError::Value {
            file: name.clone(),
            message: "its value is not UTF-8".into(),
        })?;
        layers.push(Layer { settings: within(&path, value(default, text)), source: name });
    }
    layers.sort_by(|a, b| a.source.cmp(&b.source));
    Ok(layers)
}

/// A setting: its path, and its default.
type Setting<'t> = (Vec<&'t str>, Option<&'t Value>);

/// Adds the settings of a table, by their variables.
fn add_settings<'t>(table: &'t Table, path: &mut Vec<&'t str>, known: &mut BTreeMap<String, Setting<'t>>) {
    for (key, value) in table {
        path.push(key);
        match value {
            Value::Table(section) => add_settings(section, path, known),
            _ => _ = known.insert(variable(path), (path.clone(), Some(value))),
        }
        path.pop();
    }
}

fn variable(path: &[&str]) -> String {
    PREFIX.to_owned() + &path.join("_").to_uppercase()
}

/// Returns the setting of the severity of a rule.
fn severity(name: &str) -> Option<Setting<'_>> {
    let code = name.strip_prefix(&variable(&SEVERITIES))?.strip_prefix('_')?;
    Some(([SEVERITIES.as_slice(), &[code]].concat(), None))
}

/// Refuses a variable that is nearly a setting. Scripts may have others of their own.
fn refuse_misspelled(
    name: &str,
    known: &BTreeMap<String, Setting<'_>>,
    defaults: &Table,
) -> Result<(), ConfigError> {
    let sections = defaults.iter().filter(|(_, value)| value.is_table());
    let is_in_section = sections.map(|(key, _)| variable(&[key]) + "_").any(|begin| name.starts_with(&begin));
    let near = nearest(name, known.keys().map(String::as_str));
    let is_near = near.is_some_and(|near| strsim::levenshtein(name, near) <= MISSPELLED);
    if !is_in_section && !is_near {
        return Ok(());
    }
    let suggestion = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => "its name is that of the section and the key, in capitals".into(),
    };
    Err(ConfigError::UnknownKey { file: "The environment".into(), key: name.into(), suggestion })
}

/// Returns a value of the type of a default. A text that cannot have this type stays a text, which is then refused.
fn value(default: Option<&Value>, text: String) -> Value {
    let in_toml = |text: &str| format!("value = {text}").parse::<Table>().ok()?.remove("value");
    match default {
        None | Some(Value::String(_)) => Value::String(text),
        Some(Value::Array(_)) if !text.starts_with('[') => {
            Value::Array(text.split(',').map(|item| Value::String(item.trim().into())).collect())
        }
        Some(_) => in_toml(&text).unwrap_or(Value::String(text)),
    }
}

/// Returns a value within the tables of its path.
fn within(path: &[&str], value: Value) -> Table {
    let wrap = |value, key: &&str| Value::Table(Table::from_iter([((*key).to_owned(), value)]));
    match path.iter().rev().fold(value, wrap) {
        Value::Table(table) => table,
        _ => Table::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn read(variables: &[(&str, &str)]) -> Result<Config, ConfigError> {
        Config::from_layers(layers(variables.iter().map(|(name, text)| (name.into(), text.into())))?)
    }

    #[test]
    fn each_setting_has_a_variable_of_its_own() {
        let defaults = defaults();
        let mut known = BTreeMap::new();
        add_settings(&defaults, &mut Vec::new(), &mut known);
        // Each default, given as a variable, changes nothing. Empty ones count as absent.
        let text = |value: &Value| match value {
            Value::String(text) => text.clone(),
            value => value.to_string(),
        };
        let all: Vec<(OsString, OsString)> = known
            .iter()
            .map(|(name, (_, default))| (name.into(), text(default.expect("it is a default")).into()))
            .collect();
        assert!(all.len() > 80, "{}", all.len());
        let full = all.iter().filter(|(_, text)| !text.is_empty()).count();
        let layers = layers(all).unwrap();
        assert_eq!(layers.len(), full);
        assert_eq!(Config::from_layers(layers).unwrap(), Config::default());
    }

    #[test]
    fn values_have_the_type_of_the_setting() {
        let config = read(&[
            ("HULLMARK_THREADS", "3"),
            ("HULLMARK_REPORT_FORMATS", "csv, html"),
            ("HULLMARK_RULES_IGNORE", "[\"LNK\"]"),
            ("HULLMARK_RULES_SEVERITY_HUL001", "info"),
            ("HULLMARK_LIMITS_ENTRY_BYTES", "1_000"),
            ("HULLMARK_BASELINE_IF_THERE", "true"),
            ("HULLMARK_GRID_NAME", "7"),
            ("HULLMARK_LEDGERS", ""),
        ]);
        let expected = "threads = 3\nbaseline_if_there = true\n[report]\nformats = [\"csv\", \"html\"]\n[rules]\n\
                        ignore = [\"LNK\"]\n[rules.severity]\nHUL001 = \"info\"\n[limits]\nentry_bytes = 1000\n[grid]\n\
                        name = \"7\"\n";
        assert_eq!(config.unwrap(), Config::from_text("mine.toml", expected).unwrap());
    }

    #[test]
    fn mistakes_name_the_variable() {
        for (name, text, words) in [
            ("HULLMARK_THREADS", "many", "HULLMARK_THREADS: `threads` must be of type integer"),
            ("HULLMARK_FAIL_ON", "never", "HULLMARK_FAIL_ON: "),
            ("HULLMARK_LIMITS_XML_DEPHT", "9", "did you mean `HULLMARK_LIMITS_XML_DEPTH`?"),
            ("HULLMARK_THREAD", "9", "did you mean `HULLMARK_THREADS`?"),
            ("HULLMARK_GRID_OWNER", "9", "`HULLMARK_GRID_OWNER`"),
        ] {
            let error = read(&[(name, text)]).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
        // Scripts may have variables of their own.
        for name in
            ["HULLMARK_DB_PASSWORD", "HULLMARK_HOME", "HULLMARK_SUMMARY", "HULLMARK_REPORT", "HULLMARK_TOOLS"]
        {
            assert_eq!(read(&[(name, "9")]).unwrap(), Config::default(), "{name}");
        }
    }
}
