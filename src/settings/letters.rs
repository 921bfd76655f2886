//! Settings of letters to owners, and of the grid that writes them.

use hullmark_util::named;
use serde::{Deserialize, Serialize};
use std::{path::PathBuf, str::FromStr};

/// The grid of the operator.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GridConfig {
    /// Its name for people; empty for none.
    pub name: String,
    /// Its address for links to a place; empty for links without a grid.
    pub address: String,
    /// Whom its people ask; empty for none.
    pub contact: String,
}

/// Settings of letters to owners.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LettersConfig {
    /// Folder with templates, or one template; empty for the built-in ones.
    pub template: PathBuf,
    /// The day by which owners should act; empty for none.
    pub deadline: String,
    /// Last lines of each letter; empty for none.
    pub signature: String,
    /// Language, unless the list of users states another for an owner.
    pub language: Language,
    /// Share of the owner's land in use from which a letter lists what saves most, percent.
    pub savings_from_percent: u32,
}

impl Default for LettersConfig {
    fn default() -> Self {
        Self {
            template: PathBuf::new(),
            deadline: String::new(),
            signature: String::new(),
            language: Language::default(),
            savings_from_percent: 80,
        }
    }
}

named! {
    /// Language of a letter.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[serde(rename_all = "lowercase")]
    pub enum Language {
        /// English.
        #[default]
        En = "en",
        /// German.
        De = "de",
        /// Spanish.
        Es = "es",
        /// Portuguese.
        Pt = "pt",
        /// French.
        Fr = "fr",
        /// Italian.
        It = "it",
    }
}

impl Language {
    /// Returns the language of a tag, such as `de`, `pt-BR` or `fr_CA`. `None` if letters do not have it.
    pub fn of_tag(tag: &str) -> Option<Self> {
        let main = tag.trim().split(['-', '_']).next().unwrap_or_default().to_lowercase();
        Self::ALL.into_iter().find(|language| language.name() == main)
    }
}

impl FromStr for Language {
    type Err = String;

    fn from_str(tag: &str) -> Result<Self, Self::Err> {
        let names = Self::ALL.map(Self::name).join(", ");
        Self::of_tag(tag).ok_or_else(|| format!("letters have no language `{tag}`: use one of {names}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_known_by_its_tag() {
        assert_eq!("de".parse(), Ok(Language::De));
        assert_eq!(
            ["pt-BR", "FR_ca", "nl", ""].map(Language::of_tag),
            [Some(Language::Pt), Some(Language::Fr), None, None]
        );
        let error = "nl".parse::<Language>().unwrap_err();
        assert_eq!(error, "letters have no language `nl`: use one of en, de, es, pt, fr, it");
    }
}
