//! The lines of a settings file that set a value, so that they can be written in another way.

/// Writes each line that sets a value as `write` does, which is given its section (empty above the first), its key
/// and the line. All other lines stay. Values that go over several lines are not known here: our files have none.
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
