//! The codes of rules: their families and default severities.
//!
//! `rules::catalogue` has a row with the message and reason of each rule.

use super::Severity;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use std::fmt;

/// The codes of one subject.
#[derive(Debug)]
pub struct Family {
    /// The letters at the start of the codes.
    pub prefix: &'static str,
    /// The subject, as a title.
    pub title: &'static str,
    /// The codes, in the order of their numbers.
    pub codes: &'static [Code],
}

/// A code in reports. Codes are ordered by name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(&'static Row);

/// The name comes first, because it decides the order.
#[derive(PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Row {
    name: &'static str,
    severity: Severity,
}

/// Defines a constant of [`Code`] for each code, and the families.
macro_rules! codes {
    ($($prefix:ident $title:literal: $($code:ident $severity:ident),*;)*) => {
        impl Code {
            $($(
                #[doc = concat!("`", stringify!($code), "`")]
                pub const $code: Self = Self(&Row { name: stringify!($code), severity: Severity::$severity });
            )*)*
        }

        /// All families, in the order of reports.
        pub static FAMILIES: &[Family] = &[
            $(Family { prefix: stringify!($prefix), title: $title, codes: &[$(Code::$code,)*] },)*
        ];
    };
}

codes! {
    ARC "The archive as a container": ARC001 Blocker, ARC002 Blocker, ARC003 Blocker, ARC004 Blocker, ARC005 Warning, ARC006 Blocker, ARC007 Warning, ARC008 Blocker, ARC009 Info, ARC010 Error, ARC011 Error, ARC012 Error, ARC013 Warning, ARC014 Blocker, ARC015 Blocker, ARC016 Warning;
    OBJ "Objects": OBJ001 Blocker, OBJ002 Blocker, OBJ003 Warning, OBJ004 Warning, OBJ005 Warning, OBJ006 Error, OBJ007 Blocker, OBJ008 Info, OBJ009 Error, OBJ010 Warning, OBJ011 Info, OBJ012 Warning, OBJ013 Warning, OBJ014 Blocker, OBJ015 Blocker, OBJ016 Blocker;
    POS "Placement": POS001 Error, POS002 Error, POS003 Error, POS004 Warning, POS005 Warning, POS006 Info, POS007 Error, POS008 Blocker, POS009 Error;
    LNK "Linkability": LNK001 Error, LNK002 Error, LNK003 Info, LNK005 Info;
    HUL "Convex hulls": HUL001 Error, HUL002 Error, HUL003 Error, HUL004 Error, HUL005 Warning, HUL006 Info, HUL007 Error, HUL008 Error, HUL009 Warning, HUL010 Error;
    MSH "Mesh assets": MSH001 Error, MSH002 Error, MSH003 Error, MSH004 Error, MSH005 Info, MSH006 Error, MSH007 Warning, MSH008 Warning, MSH010 Warning, MSH011 Info, MSH012 Info, MSH013 Error, MSH014 Error, MSH015 Error, MSH016 Warning, MSH017 Warning;
    PHY "Physics": PHY001 Error, PHY002 Info, PHY003 Error, PHY004 Warning, PHY005 Warning, PHY006 Warning, PHY007 Info, PHY008 Warning, PHY009 Info, PHY010 Info, PHY011 Warning;
    CST "Costs and capacity": CST001 Error, CST002 Warning, CST003 Info, CST004 Info, CST005 Info, CST006 Warning;
    AST "Assets that objects use": AST001 Error, AST002 Info, AST003 Warning, AST004 Error, AST005 Info, AST006 Warning, AST007 Info, AST008 Warning, AST009 Warning, AST010 Info, AST011 Error, AST012 Error, AST013 Info;
    SCR "Scripts": SCR001 Info, SCR002 Warning, SCR003 Warning, SCR004 Info, SCR005 Warning, SCR006 Warning;
    OWN "Owners and permissions": OWN001 Warning, OWN002 Info, OWN003 Error;
    REG "Regions and parcels": REG001 Error, REG003 Warning, REG004 Warning, REG005 Warning, REG006 Blocker, REG007 Warning, REG008 Warning, REG009 Warning, REG010 Warning, REG011 Error;
    DBS "Databases": DBS001 Error, DBS002 Error, DBS003 Error, DBS004 Warning, DBS005 Warning, DBS006 Warning, DBS007 Warning, DBS008 Info, DBS009 Warning, DBS010 Info, DBS011 Info, DBS012 Blocker, DBS013 Error, DBS014 Blocker, DBS015 Warning;
    STO "Stores of assets": STO001 Error, STO002 Error, STO003 Error, STO004 Warning, STO005 Info, STO006 Info, STO007 Warning;
    INV "Inventories in databases": INV001 Error, INV002 Error, INV003 Error, INV004 Error, INV005 Error, INV006 Warning, INV007 Error;
    MDL "Models before the upload": MDL001 Error, MDL002 Error, MDL003 Warning, MDL004 Warning, MDL005 Info, MDL006 Warning, MDL007 Info, MDL008 Info;
    VWR "Viewers' files": VWR001 Warning, VWR002 Info;
    XAR "Across archives": XAR001 Warning, XAR002 Error, XAR003 Info, XAR004 Warning, XAR005 Info;
    HIS "Across runs": HIS001 Blocker, HIS002 Blocker, HIS004 Info, HIS005 Blocker, HIS006 Error, HIS007 Error, HIS008 Warning, HIS009 Error, HIS010 Error;
    RUN "The audit itself": RUN001 Error, RUN002 Warning, RUN003 Info, RUN005 Error, RUN007 Info, RUN008 Error, RUN009 Error, RUN010 Error;
}

impl Code {
    /// Returns all codes, family by family.
    pub fn all() -> impl Iterator<Item = Self> {
        FAMILIES.iter().flat_map(|family| family.codes).copied()
    }

    /// Returns the default severity. The target's profile may override it.
    pub const fn severity(self) -> Severity {
        self.0.severity
    }

    /// Whether the rule is about limits and costs of content. The other rules are about loading it, or about the audit.
    pub fn is_about_limits(self) -> bool {
        matches!(&self.name()[..3], "LNK" | "HUL" | "MSH" | "PHY" | "CST")
    }

    /// Returns the code as it is printed.
    pub const fn name(self) -> &'static str {
        self.0.name
    }

    /// Returns the code with this name, in any case.
    pub fn parse(name: &str) -> Option<Self> {
        Self::all().find(|code| code.name().eq_ignore_ascii_case(name))
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Code {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        // Only exact names: ledgers and settings files contain copied names, not typed ones.
        Self::all().find(|code| code.name() == name).ok_or_else(|| {
            D::Error::custom(format!("there is no rule `{name}`: `hullmark rules` lists all rules"))
        })
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Code {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Code".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "description": "Code of a rule.", "type": "string", "pattern": "^[A-Z]{3}[0-9]{3}$" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_in_order_in_their_families_and_found_by_name() {
        for family in FAMILIES {
            assert!(family.codes.is_sorted() && !family.codes.is_empty(), "{}", family.prefix);
            for &code in family.codes {
                let number = code.name().strip_prefix(family.prefix).unwrap();
                assert!(number.len() == 3 && number.parse::<u32>().is_ok(), "{code}");
                assert_eq!(Code::parse(&code.name().to_lowercase()), Some(code));
            }
        }
        let mut names: Vec<_> = Code::all().map(Code::name).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all, "no code stands in the table twice");
    }

    #[test]
    fn a_code_survives_a_ledger_and_an_unknown_one_is_refused() {
        let text = serde_json::to_string(&Code::LNK001).unwrap();
        assert_eq!(text, "\"LNK001\"");
        assert_eq!(serde_json::from_str::<Code>(&text).unwrap(), Code::LNK001);
        for wrong in ["\"LNK999\"", "\"lnk001\"", "7"] {
            assert!(serde_json::from_str::<Code>(wrong).is_err(), "{wrong}");
        }
    }
}
