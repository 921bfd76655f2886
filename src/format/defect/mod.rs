//! Errors in an export as plain data: a kind with its parameters, a place and numbers.
//!
//! Decoders and the scan report defects; the rules turn them into findings. A defect has no code, severity or message,
//! so ledgers do not depend on wording. A new kind, or a new meaning of one, raises `ledger::VERSION`.

mod document;
mod input;
mod inventory;
mod mesh;
mod model;
mod object;
mod store;

pub use document::{DocumentDefect, DocumentType};
use hullmark_finding::{Counted, Place, is_one, one, setters, without_numbers};
use hullmark_util::json_number::Number;
pub use input::{Budget, InputDefect, LeftOut, SnapshotDoubt, SqliteFault, TableLoss, TarFault, UnsafeName};
pub use inventory::InventoryDefect;
pub use mesh::{Corner, LlsdDocument, MeshDefect};
pub use model::ModelDefect;
pub use object::{FieldFault, LoadFault, Node, ObjectDefect, ViewerFault};
use serde::{Deserialize, Serialize};
use std::{
    borrow::Cow,
    mem::{Discriminant, discriminant},
};
pub use store::{StoreDefect, StoreFault, UnreadFiles};

/// A name in the format, or the name of a kind of value. It is a constant when a decoder creates it.
pub type Name = Cow<'static, str>;

/// One defect: its kind, place and numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Defect {
    pub kind: DefectKind,
    /// The place of the defect. Decoders fill in the part that they know; the scan adds the entry and the asset.
    #[serde(default)]
    pub place: Place,
    /// The measured number, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<Number>,
    /// The limit for `measured`, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Number>,
    /// Whether the defect is in an object asset, not in an object of a region or a loose file.
    #[serde(default, skip_serializing_if = "is_false")]
    pub in_asset: bool,
    /// The number of defects that this one represents, including itself. More than 1 after a list was
    /// [`hullmark_finding::Capped`].
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub count: u64,
    /// The number of entries, objects or assets with these defects. More than 1 if a capped list covers several
    /// subjects.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub subjects: u64,
}

macro_rules! kinds {
    ($($(#[$about:meta])* $kind:ident($of:ty),)*) => {
        /// The kind of a defect, grouped by the thing that has it.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum DefectKind {
            $($(#[$about])* $kind($of),)*
        }

        /// A kind without its parameters. Lists are capped per sort.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Sort {
            $($(#[$about])* $kind(Discriminant<$of>),)*
        }

        impl DefectKind {
            /// Returns the kind without its parameters.
            pub fn sort(&self) -> Sort {
                match self {
                    $(Self::$kind(kind) => Sort::$kind(discriminant(kind)),)*
                }
            }
        }

        $(impl From<$of> for DefectKind {
            fn from(defect: $of) -> Self {
                Self::$kind(defect)
            }
        })*
    };
}
kinds! {
    /// A mesh asset, or an uploader's scene of several meshes.
    Mesh(MeshDefect),
    /// A model file, before its upload.
    Model(ModelDefect),
    /// An XML document of any kind, or a small document that is not an object.
    Document(DocumentDefect),
    Object(ObjectDefect),
    /// The container, a file on the disk, or a failed read.
    Input(InputDefect),
    Store(StoreDefect),
    Inventory(InventoryDefect),
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
fn is_false(flag: &bool) -> bool {
    !flag
}

setters!(Defect, Number);

impl Defect {
    /// Creates a defect of this kind without a place or numbers.
    pub fn new(kind: impl Into<DefectKind>) -> Self {
        Self {
            kind: kind.into(),
            place: Place::default(),
            measured: None,
            limit: None,
            in_asset: false,
            count: 1,
            subjects: 1,
        }
    }

    /// Returns the text of the defect without numbers. Defects of one subject with equal text can share a row.
    pub fn says(&self) -> String {
        without_numbers(&format!("{:?}", self.kind))
    }

    /// Returns the name of the kind in ledgers, without its group and parameters.
    #[cfg(any(test, feature = "testing"))]
    #[allow(clippy::unwrap_used, reason = "for tests alone")]
    pub fn name(&self) -> String {
        fn first(value: &serde_json::Value) -> (&str, Option<&serde_json::Value>) {
            match value {
                serde_json::Value::String(name) => (name, None),
                value => {
                    let (name, inner) = value.as_object().unwrap().iter().next().unwrap();
                    (name, Some(inner))
                }
            }
        }
        let kind = serde_json::to_value(&self.kind).unwrap();
        first(first(&kind).1.unwrap()).0.to_owned()
    }

    pub fn is(&self, kind: impl Into<DefectKind>) -> bool {
        self.kind.sort() == kind.into().sort()
    }
}

impl Counted for Defect {
    type Sort = (Sort, bool);

    fn sort(&self) -> Self::Sort {
        (self.kind.sort(), self.in_asset)
    }

    fn place(&self) -> &Place {
        &self.place
    }

    fn counts(&mut self) -> (&mut u64, &mut u64) {
        (&mut self.count, &mut self.subjects)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_defect_survives_a_ledger() {
        for defect in [
            Defect::new(MeshDefect::BlankAsset).measured(3),
            Defect::new(MeshDefect::LevelNotArray { found: "a map".into() }).within("high_lod").index(2),
            Defect::new(ObjectDefect::Field { why: FieldFault::Empty { wanted: "a number".into() } })
                .offset(9),
            Defect {
                in_asset: true,
                count: 3,
                ..Defect::new(InputDefect::Damaged { why: None, position: 7 })
            },
        ] {
            let text = serde_json::to_string(&defect).unwrap();
            assert_eq!(serde_json::from_str::<Defect>(&text).unwrap(), defect, "{text}");
        }
    }

    #[test]
    fn numbers_do_not_change_the_message() {
        let says = |number: i64| Defect::new(MeshDefect::NegativeRange { offset: number, size: 1 }).says();
        assert_eq!(says(10), says(7));
        assert_ne!(says(10), says(-7));
    }
}
