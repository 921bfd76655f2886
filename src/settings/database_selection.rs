//! The databases that are read, and the owners whose inventories are evaluated.

use super::inventories::InventoryOwner;

/// The databases to read, and the owners whose inventories are evaluated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DatabaseSelection<'a> {
    pub owners: &'a [InventoryOwner],
    /// Names of the databases of dumps, or the files of SQLite. Empty for all.
    pub databases: &'a [String],
}

impl DatabaseSelection<'_> {
    /// Whether a database is read. One without a name is the only one of its input, so it is always read.
    pub fn has(&self, database: &str) -> bool {
        self.databases.is_empty() || database.is_empty() || self.databases.iter().any(|name| name == database)
    }

    /// Returns words that are equal for equal selections. `None` if all databases are read, without inventories.
    pub fn words(&self) -> Option<String> {
        let mut words: Vec<String> =
            self.owners.iter().map(|owner| owner.to_string().to_lowercase()).collect();
        words.extend(self.databases.iter().map(|name| format!("--database {name}")));
        words.sort();
        words.dedup();
        (!words.is_empty()).then(|| words.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(owners: &[&str], databases: &[&str]) -> Option<String> {
        let owners: Vec<InventoryOwner> = owners.iter().map(|name| name.parse().unwrap()).collect();
        let databases: Vec<String> = databases.iter().map(|&name| name.into()).collect();
        DatabaseSelection { owners: &owners, databases: &databases }.words()
    }

    #[test]
    fn equal_selections_have_equal_words() {
        assert_eq!(words(&["Ann Owner", "all"], &[]), words(&["ALL", "ann owner"], &[]));
        assert_ne!(words(&["Ann Owner"], &[]), words(&["Ben Owner"], &[]));
        assert_ne!(words(&["opensim"], &[]), words(&[], &["opensim"]));
        assert_eq!(words(&[], &["robust", "opensim"]), words(&[], &["opensim", "robust"]));
        assert_eq!(words(&[], &[]), None);
    }

    #[test]
    fn a_database_without_a_name_is_read() {
        let databases = ["opensim".to_owned()];
        let selection = DatabaseSelection { databases: &databases, ..DatabaseSelection::default() };
        assert!(selection.has("opensim") && selection.has("") && !selection.has("robust"));
        assert!(DatabaseSelection::default().has("robust"));
    }
}
