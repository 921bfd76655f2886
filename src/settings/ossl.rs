//! OpenSim's own script functions, with the threat level at which a region refuses each.

use crate::config::{from_table, parse};
use hullmark_util::named;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, sync::LazyLock};

const FILE: &str = hullmark_config::OSSL;

named! {
/// How much harm a function can do, as OpenSim has it, mildest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Threat {
    /// None at all.
    None = "none",
    /// It cannot do more than annoy.
    VeryLow = "very low",
    /// It can be set right easily.
    Low = "low",
    /// It can be set right.
    Moderate = "moderate",
    /// Data may be lost, and cautious people tricked.
    High = "high",
    /// The region may be ruined.
    VeryHigh = "very high",
    /// The server may be taken over.
    Severe = "severe",
}
}

static FUNCTIONS: LazyLock<BTreeMap<String, Threat>> = LazyLock::new(|| {
    let name = "the built-in list of script functions";
    // A test checks that the file in the source tree is valid.
    let levels: BTreeMap<Threat, Vec<String>> = parse(name, FILE)
        .and_then(|table| from_table(name, table))
        .unwrap_or_else(|error| unreachable!("{error}"));
    let named = |(level, functions): (Threat, Vec<String>)| {
        functions.into_iter().map(move |function| (function, level))
    };
    levels.into_iter().flat_map(named).collect()
});

/// Returns the level of a function; `None` if any script may call it, or if there is no such function.
pub fn threat_of(function: &str) -> Option<Threat> {
    FUNCTIONS.get(function).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_known_and_in_order() {
        assert_eq!(threat_of("osConsoleCommand"), Some(Threat::Severe));
        assert_eq!(threat_of("osTeleportOwner"), Some(Threat::None));
        assert_eq!(threat_of("llSay"), None);
        assert!(Threat::High < Threat::VeryHigh && Threat::None < Threat::VeryLow);
        assert_eq!(FUNCTIONS.len(), 126);
    }
}
