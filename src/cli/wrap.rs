//! Rewrites the lines of a settings file that set a value.

/// Replaces each line that sets a value with the result of `write`. Its arguments are the section (empty above the
/// first), the key and the line. Other lines are unchanged. A value must be on one line, as in our files.
pub(super) fn rewrite(text: &str, mut write: impl FnMut(&str, &str, &str) -> String) -> String {
    let mut section = String::new();
    let mut whole = String::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            name.clone_into(&mut section);
        }
        whole += &match line.split_once(" = ").filter(|_| !line.starts_with('#')) {
            Some((key, _)) => write(&section, key, line),
            None => line.into(),
        };
        whole.push('\n');
    }
    whole
}
