//! The owners whose inventories are evaluated.

use serde::{Deserialize, Serialize};
use std::{convert::Infallible, fmt, str::FromStr};
use uuid::Uuid;

/// An owner as given: a UUID, a name, or everybody.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", from = "String")]
pub enum InventoryOwner {
    /// `all`: every owner.
    All,
    Uuid(Uuid),
    /// First and last name, compared without case, as OpenSimulator compares them.
    Name(String),
}

impl From<String> for InventoryOwner {
    fn from(text: String) -> Self {
        let words: Vec<&str> = text.split_whitespace().collect();
        match (words.as_slice(), Uuid::try_parse(text.trim())) {
            ([all], _) if all.eq_ignore_ascii_case("all") => Self::All,
            (_, Ok(uuid)) => Self::Uuid(uuid),
            _ => Self::Name(words.join(" ")),
        }
    }
}

impl FromStr for InventoryOwner {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(text.to_owned().into())
    }
}

impl fmt::Display for InventoryOwner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::Uuid(uuid) => uuid.fmt(f),
            Self::Name(name) => f.write_str(name),
        }
    }
}

impl From<InventoryOwner> for String {
    fn from(owner: InventoryOwner) -> Self {
        owner.to_string()
    }
}

impl InventoryOwner {
    pub fn is(&self, uuid: Uuid, name: Option<&str>) -> bool {
        match self {
            Self::All => true,
            Self::Uuid(wanted) => *wanted == uuid,
            // No account has an empty name.
            Self::Name(wanted) => {
                name.is_some_and(|name| !name.is_empty() && name.to_lowercase() == wanted.to_lowercase())
            }
        }
    }

    /// Whether the UUID alone may be that of this owner. A name may be anybody's, until accounts are known.
    pub fn may_be(&self, uuid: Uuid) -> bool {
        matches!(self, Self::Name(_)) || self.is(uuid, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owners_are_read_as_they_are_typed() {
        let owner = |text: &str| text.parse::<InventoryOwner>().unwrap();
        assert_eq!(owner(" ALL "), InventoryOwner::All);
        let uuid = "a666f7e4-869c-46d8-b97b-bf37c0fe42e4";
        assert_eq!(owner(&uuid.to_uppercase()), InventoryOwner::Uuid(uuid.parse().unwrap()));
        assert_eq!(owner(" Ann  Owner "), InventoryOwner::Name("Ann Owner".into()));
        let (ann, nil) = (owner("ann OWNER"), Uuid::nil());
        assert!(ann.is(nil, Some("Ann Owner")) && !ann.is(nil, Some("Ann")) && !ann.is(nil, None));
        assert!(!owner("").is(nil, Some("")), "an account without a name");
        assert!(ann.may_be(nil) && !owner(uuid).may_be(nil) && owner("all").may_be(nil));
    }
}
