//! Which objects their owner may take away.

use hullmark_format::object::{Part, Permissions};
use hullmark_ledger::facts::ObjectFacts;
use std::str::FromStr;
use thiserror::Error;

/// Rights that the owner of an object must have, as `save oar --perm` asks for: to copy it, to give it to others, or both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rights(u32);

/// Why a text names no rights.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("give C for copy, T for transfer, or both")]
pub struct RightsError;

impl FromStr for Rights {
    type Err = RightsError;

    fn from_str(text: &str) -> Result<Self, RightsError> {
        let right = |letter| match letter {
            'C' | 'c' => Ok(Permissions::COPY),
            'T' | 't' => Ok(Permissions::TRANSFER),
            _ => Err(RightsError),
        };
        let rights = text.chars().map(right).try_fold(0, |all, right| Ok(all | right?))?;
        if rights == 0 { Err(RightsError) } else { Ok(Self(rights)) }
    }
}

impl Rights {
    /// Whether the owner has them for each prim. The creator of a prim has all. A prim without stated masks has none.
    ///
    /// Source: OpenSim, `ArchiveWriteRequest.CanUserArchiveObject`, which asks the base mask of the owner.
    pub fn allow(self, object: &ObjectFacts) -> bool {
        let parts = &object.linkset.parts;
        let owner = parts.first().map(|root| root.owner);
        let has_all = |part: &Part| part.permissions.is_some_and(|masks| masks.base & self.0 == self.0);
        parts.iter().all(|part| Some(part.creator) == owner || has_all(part))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_in_any_order_name_rights() {
        let both = Permissions::COPY | Permissions::TRANSFER;
        assert_eq!(
            ["C", "t", "CT", "TC"].map(str::parse),
            [Permissions::COPY, Permissions::TRANSFER, both, both].map(|mask| Ok(Rights(mask)))
        );
        assert_eq!(["", "X", "C T"].map(str::parse::<Rights>), [const { Err(RightsError) }; 3]);
    }
}
