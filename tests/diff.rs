//! What one night is by another: sequences made by editing archives.

use crate::{
    cli::{Desk, INCOMPLETE, mixed},
    support::repository,
};
use hullmark::{
    config::Config,
    ledger,
    night::{self, Night},
    profile::Profile,
    report::{self, Judge, Manifest, Narrow},
};

/// The night of a folder of ledgers, by the defaults.
fn of_ledgers(desk: &Desk, folder: &str) -> Night {
    let (config, profile) = (Config::default(), Profile::default());
    let judge = Judge { profile: &profile, further: &[], users: None, cost_difference: 0.2 };
    let manifest = Manifest::new(&config, &profile, None);
    let ledgers = ledger::find(&[desk.at(folder)]).unwrap();
    report::night(&ledgers, judge, manifest, Narrow::default()).unwrap()
}

#[test]
fn a_report_and_its_ledgers_are_the_same_night() {
    let desk = mixed();
    let samples = repository().join("sample_data");
    desk.run_to(
        INCOMPLETE,
        &format!("audit . {} --out report --ledgers kept -q --fail-on none", samples.display()),
    );
    let (report, ledgers) = (night::of_report(&desk.at("report")).unwrap(), of_ledgers(&desk, "kept"));
    assert!(report.archives.len() > 20, "{}", report.archives.len());
    let all = |night: &Night| {
        let archives = night.archives.values();
        archives.map(|archive| archive.linksets.len() + archive.findings.len()).sum::<usize>()
    };
    assert!(all(&report) > 100, "{}", all(&report));
    assert_eq!(report.made, ledgers.made);
    for (home, archive) in &report.archives {
        assert_eq!(Some(archive), ledgers.archives.get(home), "{home}");
    }
    assert_eq!(report, ledgers);
}
