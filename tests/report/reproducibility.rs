//! Reports have the same bytes, regardless of threads, of the order of inputs, and of kept ledgers.

use crate::support::{
    desk::{DONE, Desk, INCOMPLETE, assert_same, mixed, region},
    llsd::Llsd,
    mesh::MeshFile,
    object::{Prim, uuid, xml2},
};

#[test]
fn scan_and_report_equal_audit() {
    let desk = mixed();
    desk.run_to(INCOMPLETE, "audit a.oar b.oar India.oar cut.oar loose --out audited");
    desk.run_to(INCOMPLETE, "scan a.oar b.oar India.oar cut.oar loose --ledgers ledgers");
    desk.run_to(INCOMPLETE, "report ledgers --out reported");
    assert_same(&desk.files("audited"), &desk.files("reported"));
    assert_eq!(desk.files("ledgers").len(), 5);
    // Two halves of a run make one report.
    desk.run_to(DONE, "scan b.oar loose a.oar --ledgers first");
    desk.run_to(INCOMPLETE, "scan cut.oar India.oar --ledgers second");
    desk.run_to(INCOMPLETE, "report second first --out merged");
    assert_same(&desk.files("audited"), &desk.files("merged"));
}

#[test]
fn threads_and_order_do_not_change_a_byte() {
    let desk = mixed();
    desk.run_to(INCOMPLETE, "audit a.oar b.oar India.oar cut.oar loose --out one --threads 1");
    desk.run_to(INCOMPLETE, "audit loose cut.oar India.oar b.oar a.oar --out four --threads 4");
    desk.run_to(
        INCOMPLETE,
        "audit b.oar India.oar/India.oar b.oar loose a.oar India.oar cut.oar --out twice",
    );
    let one = desk.files("one");
    assert_eq!(desk.column("one", "objects", "name"), ["Crate", "Chair", "Bridge", "Box"]);
    assert_same(&one, &desk.files("four"));
    assert_same(&one, &desk.files("twice"));
}

#[test]
fn findings_across_archives_do_not_depend_on_order() {
    let mesh = uuid(0x3e3e_3e3e, 1);
    let with_mesh = |day: i32| {
        let mesh_file = MeshFile::cube().entry("day", Llsd::Int(day)).encode();
        region(&[Prim::new("Chair", 1)]).add(&format!("assets/{mesh}_mesh.llmesh"), mesh_file).gzip()
    };
    let desk = Desk::with(&[("a.oar", &with_mesh(1)), ("b.oar", &with_mesh(2)), ("c.oar", &with_mesh(1))]);
    desk.run_to(DONE, "audit a.oar b.oar c.oar --out report --threads 1");
    let found = desk.table("report", "findings");
    let found: Vec<_> = found.iter().map(|row| (&*row["archive"], &*row["code"])).collect();
    assert_eq!(found, [("b.oar", "MSH013"), ("b.oar", "XAR001"), ("c.oar", "XAR001")]);
    let report = desk.files("report");

    desk.run_to(DONE, "audit c.oar a.oar b.oar --out again --threads 2");
    assert_same(&report, &desk.files("again"));
    // Shards do not know each other: the report combines them.
    desk.run_to(DONE, "scan c.oar a.oar --ledgers one");
    desk.run_to(DONE, "scan b.oar --ledgers another");
    desk.run_to(DONE, "report one another --out merged");
    assert_same(&report, &desk.files("merged"));
}

/// Objects with the same UUID, name and place are distinguished by their numbers only.
#[test]
fn changes_of_objects_that_are_alike_have_one_order() {
    let object = |name: &str, count: usize| {
        let twins: Vec<Prim> = (0..count).map(|_| Prim::new(name, 1)).collect();
        twins.iter().enumerate().fold(region(&[Prim::new("Chair", 9)]), |archive, (number, twin)| {
            archive.add(&format!("objects/twin{number}.xml"), xml2(std::slice::from_ref(twin)))
        })
    };
    let desk =
        Desk::with(&[("old/a.oar", &object("Twin", 2).gzip()), ("new/a.oar", &object("Twin", 9).gzip())]);
    desk.run_to(DONE, "scan old/a.oar --ledgers before");
    let audit = |out: &str| {
        desk.run_to(DONE, &format!("audit new/a.oar --baseline before --out {out} --format csv,jsonl"));
        desk.files(out)
    };
    let first = audit("first");
    for again in ["second", "third"] {
        assert_same(&first, &audit(again));
    }
    assert!(desk.table("first", "changes").len() > 1);
}
