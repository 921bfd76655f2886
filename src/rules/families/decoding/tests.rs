use super::*;
use crate::catalogue;
use hullmark_format::{
    defect::{DocumentDefect, DocumentType, InputDefect, LoadFault, MeshDefect, Node, ObjectDefect},
    xml::{Unclean, XmlFault},
};
use hullmark_ledger::facts::Status;
use uuid::Uuid;

fn found(defect: &Defect) -> Finding {
    finding(defect, false).expect("a rule speaks of it")
}

fn words(kind: impl Into<DefectKind>) -> (Code, String) {
    let finding = found(&Defect::new(kind).within("LinkNum").offset(7));
    (finding.code, finding.detail)
}

#[test]
fn a_finding_has_the_place_and_the_numbers_of_its_defect() {
    let defect = Defect::new(MeshDefect::HullSizesDiffer).within("physics_convex").measured(8).limit(4);
    let finding = found(&Defect { count: 3, subjects: 2, ..defect.entry("a") });
    assert_eq!((finding.code, finding.measured, finding.limit), (Code::HUL003, Some(8.0), Some(4.0)));
    assert_eq!((finding.count, finding.subjects, &*finding.place.entry), (3, 2, "a"));
    assert!(finding.detail.starts_with("4 points too many"), "{}", finding.detail);
    let uneven = Defect::new(MeshDefect::UnevenPoints { list: "BoundingVerts".into() }).measured(20);
    let message = catalogue::message(&found(&uneven.within("physics_convex")));
    assert_eq!(message, "BoundingVerts of physics_convex holds 20 bytes, which is not a multiple of 6");
}

#[test]
fn parameters_are_in_the_sentence() {
    let inside = |field: &str, why| LoadFault::Inside { field: field.to_owned().into(), why: Box::new(why) };
    let why = inside("TYPE", LoadFault::NotEnd { found: Node::EndOf("Vehicle".into()) });
    assert_eq!(
        words(ObjectDefect::Hangs { line: 3, why }),
        (
            Code::OBJ016,
            "LinkNum (TYPE: the end of Vehicle instead of the element's end; line 3, byte 7)".into()
        )
    );
    let why = XmlFault::OtherRoot { found: "html".into(), expected: Some("LandData".into()) };
    let unreadable = |of| DocumentDefect::Unreadable { of, why: why.clone(), parts: 2 };
    let root = "the root element is html, not LandData at byte 7";
    assert_eq!(words(unreadable(DocumentType::Parcel)), (Code::REG006, root.into()));
    assert_eq!(words(unreadable(DocumentType::Object)), (Code::OBJ001, format!("{root}, after 2 prims")));
    assert_eq!(
        words(unreadable(DocumentType::InventoryItem)),
        (Code::OBJ001, format!("inventory item: {root}"))
    );
    assert_eq!(
        words(InputDefect::Damaged { why: None, position: 9 }),
        (Code::ARC001, "it is cut short after 9 bytes of decompressed content".into())
    );
}

#[test]
fn text_that_is_not_clean_is_worse_where_opensim_refuses_it() {
    let code = |what| words(DocumentDefect::Unclean { of: DocumentType::Object, what }).0;
    assert_eq!(code(Unclean::NotUtf8), Code::OBJ006);
    assert_eq!(code(Unclean::Dtd), Code::OBJ006);
    assert_eq!(code(Unclean::ControlCharacter(1)), Code::OBJ002);
}

#[test]
fn a_fault_that_stops_a_region_costs_only_an_asset() {
    let asset = Some(Uuid::from_u128(1));
    let of_asset = |kind: ObjectDefect| {
        let mut defect = Defect { in_asset: true, ..Defect::new(kind) };
        defect.place.asset = asset;
        let found = found(&defect);
        (found.code, found.place.asset, found.aspect.into_owned())
    };
    assert_eq!(of_asset(ObjectDefect::EmptyDocument), (Code::AST004, asset, "unreadable".into()));
    assert_eq!(of_asset(ObjectDefect::MotionNotBase64), (Code::AST004, asset, String::new()));
    assert_eq!(of_asset(ObjectDefect::EndsEarly { line: 1 }), (Code::OBJ006, None, String::new()));
}

#[test]
fn a_mark_of_the_encoding_harms_files_of_a_region_only() {
    let marked = Defect::new(DocumentDefect::Marked { of: DocumentType::Object, utf_16: true });
    let ledger = |kind: &str, defect: &Defect| {
        let ledger = Ledger {
            defects: vec![defect.clone()],
            ..Ledger::empty("a", InputKind::named(kind), Status::Complete)
        };
        findings(&ledger).map(|finding| finding.code).collect::<Vec<_>>()
    };
    assert_eq!(ledger("oar", &marked), [Code::OBJ002]);
    assert_eq!(ledger("folder", &marked), []);
    assert_eq!(ledger("oar", &Defect { in_asset: true, ..marked }), []);
}
