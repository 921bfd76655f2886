//! Object stores: inputs, ledgers and reports under URLs.

use crate::support::desk::{DONE, Desk, USAGE, sound};

#[test]
#[cfg_attr(feature = "object-store", ignore = "for a program without the feature object-store")]
fn a_build_without_object_stores_says_how_to_get_one_with_them() {
    let desk = Desk::with(&[("sound.oar", &sound())]);
    for arguments in [
        "audit s3://bucket/exports --out report",
        "audit sound.oar --out s3://bucket/report",
        "scan sound.oar --ledgers s3://bucket/ledgers",
        "report s3://bucket/ledgers --out report",
        "audit sound.oar --assets gs://bucket --out report",
    ] {
        let run = desk.run_to(USAGE, arguments);
        assert!(run.stderr.contains("cargo build --release --features object-store"), "{}", run.stderr);
    }
    // A folder with such a name can still be given.
    desk.write("s3:/bucket/sound.oar", sound());
    desk.run_to(DONE, "audit ./s3:/bucket --out report");
}

#[cfg(feature = "object-store")]
mod with_a_server {
    use super::*;
    use crate::support::{
        archive::Archive,
        desk::{Files, INCOMPLETE, Run, mixed, truncated},
        files,
        s3::{Fate, Server},
    };
    use hullmark_settings::config::Format;
    use std::{fs, path::Path, time::Duration};
    use walkdir::WalkDir;

    const NOW: &str = "--now 2026-11-21T04:00:00Z";

    /// Starts a server that has the files of a desk in a bucket. Returns `None` if there is no server program.
    fn with_bucket(desk: Desk, bucket: &str) -> Option<(Desk, Server)> {
        let server = Server::start(&[bucket, "work"])?;
        for entry in
            WalkDir::new(desk.at("")).into_iter().flatten().filter(|entry| entry.file_type().is_file())
        {
            let to = server.at(bucket).join(entry.path().strip_prefix(desk.at("")).unwrap());
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::copy(entry.path(), to).unwrap();
        }
        Some((desk, server))
    }

    fn run(desk: &Desk, server: &Server, arguments: &str) -> Run {
        let environment = server.environment();
        let environment: Vec<_> = environment.iter().map(|(name, value)| (*name, value.as_str())).collect();
        desk.run_where(&environment, arguments)
    }

    fn run_to(code: i32, desk: &Desk, server: &Server, arguments: &str) -> Run {
        let run = run(desk, server, arguments);
        assert_eq!(run.code, code, "{arguments}\n{}{}", run.stdout, run.stderr);
        run
    }

    /// Returns the CSV files of a report. URLs of the bucket are replaced by paths of the folder. The fingerprint of
    /// a finding about two inputs depends on their paths, and is left out with what follows.
    fn tables(folder: &Path) -> Files {
        let mut tables = files(folder);
        tables.retain(|name, _| name.ends_with(".csv"));
        assert!(tables.len() > 5, "{:?}", tables.keys());
        let without_fingerprint = |line: &str| match line.contains(",XAR004,") {
            true => line.rsplitn(4, ',').last().unwrap().to_owned(),
            false => line.to_owned(),
        };
        let local = |bytes: Vec<u8>| {
            let text = String::from_utf8(bytes).unwrap().replace("s3://mine/", "");
            text.lines().map(without_fingerprint).collect::<Vec<_>>().join("\n").into_bytes()
        };
        tables.into_iter().map(|(name, bytes)| (name, local(bytes))).collect()
    }

    fn assert_same(one: &Files, other: &Files) {
        assert_eq!(one.keys().collect::<Vec<_>>(), other.keys().collect::<Vec<_>>());
        for (name, bytes) in one {
            let [one, other] = [bytes, &other[name]].map(|bytes| String::from_utf8_lossy(bytes));
            assert!(one == other, "{name} differs:\n{one}\n{other}");
        }
    }

    #[test]
    fn objects_are_read_as_files_are() {
        let desk = mixed();
        for (name, bytes) in [
            (
                "tree/archive.xml",
                &b"<?xml version=\"1.0\"?><archive major_version=\"0\" minor_version=\"8\"/>"[..],
            ),
            ("tree/objects/thing.xml", b"<SceneObjectGroup"),
            ("tree/assets/odd", b"?"),
            ("odd name/100% & more+.txt", b"a name that URLs are not made of"),
            ("loose/empty", b""),
        ] {
            desk.write(name, bytes);
        }
        let Some((desk, server)) = with_bucket(desk, "mine") else { return };
        let inputs = ["a.oar", "b.oar", "India.oar", "cut.oar", "loose", "tree"];
        desk.run_to(INCOMPLETE, &format!("audit {} --out local", inputs.join(" ")));
        let urls = inputs.map(|name| format!("s3://mine/{name}"));
        run_to(INCOMPLETE, &desk, &server, &format!("audit {} --out remote", urls.join(" ")));
        assert_same(&tables(&desk.at("local")), &tables(&desk.at("remote")));
        // The whole bucket contains each input once, and also the one with an odd name.
        run_to(INCOMPLETE, &desk, &server, "audit s3://mine s3://mine/a.oar --out whole");
        assert_eq!(
            desk.column("whole", "archives", "archive"),
            ["India.oar/India.oar", "a.oar", "b.oar", "cut.oar", "loose", "odd name", "tree"]
                .map(|name| format!("s3://mine/{name}"))
        );
        assert_eq!(desk.column("whole", "archives", "status").last().unwrap(), "complete");
    }

    #[test]
    fn ledgers_and_reports_are_the_same_bytes_and_a_second_run_reads_nothing() {
        let Some((desk, server)) = with_bucket(mixed(), "mine") else { return };
        let audit = format!("audit a.oar b.oar India.oar loose {NOW}");
        desk.run_to(DONE, &format!("{audit} --ledgers kept --out report"));
        run_to(DONE, &desk, &server, &format!("{audit} --ledgers s3://work/kept --out s3://work/report"));
        // A folder has a history, too, and an object store has none.
        assert_same(&desk.ledgers("kept"), &files(&server.at("work/kept")));
        let local = desk.files("report");
        assert_same(&local, &files(&server.at("work/report")));
        run_to(DONE, &desk, &server, &format!("report s3://work/kept {NOW} --out s3://work/again"));
        assert_same(&local, &files(&server.at("work/again")));

        let night = format!("audit s3://mine {NOW} --ledgers s3://work/nights --out");
        run_to(INCOMPLETE, &desk, &server, &format!("{night} first"));
        server.requests();
        run_to(INCOMPLETE, &desk, &server, &format!("{night} second"));
        let requests = server.requests();
        let archives: Vec<_> = requests
            .iter()
            .filter(|request| request.starts_with("GET /mine/") && request.contains(".oar"))
            .collect();
        // An input that was not read to its end may be whole this time.
        assert!(archives.iter().all(|request| request.contains("cut.oar")), "{archives:#?}");
        assert_same(&desk.files("first"), &desk.files("second"));
        // A replaced object is read again, and no other one.
        fs::write(server.at("mine/a.oar"), crate::support::desk::faulty()).unwrap();
        run_to(INCOMPLETE, &desk, &server, &format!("{night} third"));
        let requests = server.requests();
        let whole =
            |name: &str| requests.iter().any(|request| request.contains(&format!("GET /mine/{name}")));
        assert!(whole("a.oar") && !whole("b.oar") && !whole("India.oar/India.oar"), "{requests:#?}");
    }

    #[test]
    fn shares_of_a_plan_need_only_the_store() {
        let Some((desk, server)) = with_bucket(mixed(), "mine") else { return };
        run_to(INCOMPLETE, &desk, &server, &format!("audit s3://mine {NOW} --out alone"));
        run_to(DONE, &desk, &server, "plan s3://mine -o s3://work/plan.json");
        let mut codes = Vec::new();
        for share in 1..=3 {
            let scan =
                format!("scan --plan s3://work/plan.json --shard {share}/3 --ledgers s3://work/shares {NOW}");
            codes.push(run(&desk, &server, &scan).code);
            if share < 3 {
                let report = format!("report s3://work/shares --plan s3://work/plan.json {NOW} --out early");
                let early = run_to(USAGE, &desk, &server, &report);
                assert!(early.stderr.contains("of the plan"), "{}", early.stderr);
            }
        }
        codes.sort_unstable();
        assert_eq!(codes, [DONE, DONE, INCOMPLETE]);
        let report = format!("report s3://work/shares --plan s3://work/plan.json {NOW} --out shared");
        run_to(INCOMPLETE, &desk, &server, &report);
        assert_same(&desk.files("alone"), &desk.files("shared"));
    }

    /// Returns an archive with this number of bytes that cannot be compressed.
    fn large(bytes: u32) -> Vec<u8> {
        let mut state = 1_u32;
        let noise = (0..bytes).map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        });
        let noise: Vec<u8> = noise.collect();
        let control =
            crate::support::archive::control(&crate::support::object::uuid(0x4e4e_4e4e, 1), "256,256");
        let name = format!("assets/{}_texture.jp2", crate::support::object::uuid(0x1010_1010, 2));
        Archive::new(&control).add(&name, noise).gzip()
    }

    #[test]
    fn a_broken_connection_is_resumed() {
        let Some((desk, server)) = with_bucket(Desk::with(&[("large.oar", &large(9 << 20))]), "mine") else {
            return;
        };
        desk.run_to(DONE, "audit large.oar --out local");
        let mut cuts = 0;
        server.meddle(move |request| match request.starts_with("GET /mine/large.oar bytes=0-8388607") {
            true if cuts == 0 => {
                cuts += 1;
                Fate::Cut(1_000_000)
            }
            _ => Fate::Answered,
        });
        run_to(DONE, &desk, &server, "audit s3://mine/large.oar --out remote");
        assert_same(&tables(&desk.at("local")), &tables(&desk.at("remote")));
        let requests = server.requests();
        let taken_up = |request: &&String| {
            let start =
                request.strip_prefix("GET /mine/large.oar bytes=").and_then(|range| range.split_once('-'));
            start.is_some_and(|(start, end)| end == "8388607" && start.parse::<u32>().unwrap() > 900_000)
        };
        assert_eq!(requests.iter().filter(taken_up).count(), 1, "{requests:#?}");
    }

    #[test]
    fn an_object_that_is_replaced_while_it_is_read_is_incomplete() {
        let Some((desk, server)) = with_bucket(Desk::with(&[("large.oar", &large(9 << 20))]), "mine") else {
            return;
        };
        let path = server.at("mine/large.oar");
        server.meddle(move |request| {
            if request.contains("bytes=8388608-") {
                fs::write(&path, [large(9 << 20), b"more".to_vec()].concat()).unwrap();
            }
            Fate::Answered
        });
        run_to(INCOMPLETE, &desk, &server, "audit s3://mine --out report");
        let found = desk.table("report", "findings");
        let replaced = found.iter().filter(|row| row["code"] == "RUN001").collect::<Vec<_>>();
        assert_eq!(replaced.len(), 1, "{found:#?}");
        assert!(replaced[0]["message"].contains("replaced"), "{replaced:#?}");
    }

    #[test]
    fn an_object_that_takes_too_long_is_given_up() {
        let Some((desk, server)) = with_bucket(mixed(), "mine") else { return };
        // The first request for the object reads only its first 16 kB.
        let is_read =
            |request: &str| request.starts_with("GET /mine/a.oar") && !request.ends_with("bytes=0-16383");
        server.meddle(move |request| match is_read(request) {
            true => Fate::Late(Duration::from_secs(60)),
            false => Fate::Answered,
        });
        let audit = "audit s3://mine/a.oar s3://mine/b.oar --timeout-per-input 5s --out report";
        run_to(INCOMPLETE, &desk, &server, audit);
        assert_eq!(desk.column("report", "archives", "status"), ["unreadable", "complete"]);
        assert!(desk.column("report", "findings", "code").contains(&"RUN008".into()));
    }

    /// Returns the files of a lake, without the clock's time of the comparison.
    fn files_of_lake(lake: &Path) -> Files {
        let entries = WalkDir::new(lake).into_iter().flatten().filter(|entry| entry.file_type().is_file());
        let file = |entry: walkdir::DirEntry| {
            let name = entry.path().strip_prefix(lake).unwrap().to_str().unwrap().to_owned();
            (name, fs::read(entry.path()).unwrap())
        };
        entries.map(file).filter(|(name, _)| name != "_run/across.json").collect()
    }

    #[test]
    fn a_lake_in_a_bucket_has_the_files_of_one_in_a_folder() {
        let Some((desk, server)) = with_bucket(mixed(), "mine") else { return };
        run_to(DONE, &desk, &server, "plan a.oar b.oar India.oar loose -o plan.json");
        // The first task writes the plan, and others keep it.
        for exports in ["a.oar", "a.oar b.oar"] {
            let plan = format!("plan {exports} -o s3://mine/plan.json --keep --json");
            assert!(run_to(DONE, &desk, &server, &plan).stdout.contains("\"inputs\": 1"), "{exports}");
        }
        run_to(DONE, &desk, &server, "scan --plan plan.json --ledgers s3://mine/kept");
        let lakes = ["lake/night=2026-11-24", "s3://mine/lake/night=2026-11-24"];
        let report = format!("report s3://mine/kept --plan plan.json --format csv,html {NOW} --out");
        for lake in lakes {
            // Parts of a report in three shards go before the one in two.
            for steps in [&["--across 3", "--shard 3/3"][..], &["--across 2", "--shard 2/2", "--shard 1/2"]] {
                steps
                    .iter()
                    .for_each(|step| _ = run_to(DONE, &desk, &server, &format!("{report} {lake} {step}")));
            }
            let late = run_to(USAGE, &desk, &server, &format!("{report} {lake} --shard 3/3"));
            assert!(late.stderr.contains("--across prepared 2"), "{}", late.stderr);
            run_to(DONE, &desk, &server, &format!("{report} {lake} --join"));
        }
        let [local, remote] = [desk.at(lakes[0]), server.at("mine/lake/night=2026-11-24")];
        let (mut local, mut remote) = (files_of_lake(&local), files_of_lake(&remote));
        assert!(!local.contains_key("objects/part-3.csv") && local.contains_key("objects/part-2.csv"));
        // What the third shard left to the last step is read by nobody.
        for files in [&mut local, &mut remote] {
            files.retain(|name, _| !name.starts_with("_run/part-3"));
        }
        assert_same(&local, &remote);
        // Each is the earlier run of the other.
        for [old, new] in [lakes, [lakes[1], lakes[0]]] {
            let run = run_to(DONE, &desk, &server, &format!("diff {old} {new} --fail-on-new info"));
            assert!(run.stdout.contains("Nothing changed."), "{}", run.stdout);
        }
        let since = format!("report s3://mine/kept --plan plan.json --baseline {} --out news -q", lakes[1]);
        run_to(DONE, &desk, &server, &since);
        let known = desk.column("news", "findings", "baseline_status");
        assert!(!known.is_empty() && known.iter().all(|known| known == "known"), "{known:?}");
        // So do the shards of the next night.
        let next = ["lake/next", "s3://mine/lake/next"];
        for lake in next {
            let since = format!("{report} {lake} --baseline {} --fail-on-new info", lakes[1]);
            for step in ["--across 2", "--shard 2/2", "--shard 1/2", "--join"] {
                run_to(DONE, &desk, &server, &format!("{since} {step}"));
            }
        }
        let (local, remote) = (files_of_lake(&desk.at(next[0])), files_of_lake(&server.at("mine/lake/next")));
        assert!(local.contains_key("changes/part-across.csv"));
        assert_same(&local, &remote);
    }

    #[test]
    fn a_report_in_a_bucket_is_compared_in_each_format() {
        let Some((desk, server)) = with_bucket(mixed(), "mine") else { return };
        run_to(DONE, &desk, &server, "audit a.oar b.oar India.oar loose --out report --fail-on none -q");
        let formats = [Format::Csv, Format::Jsonl, Format::Parquet];
        for format in formats.into_iter().filter(|format| format.missing().is_none()).map(Format::name) {
            let audit =
                format!("audit a.oar b.oar India.oar loose --out s3://mine/{format} --format {format}");
            run_to(DONE, &desk, &server, &format!("{audit} --fail-on none -q"));
            let run =
                run_to(DONE, &desk, &server, &format!("diff s3://mine/{format} report --fail-on-new info"));
            assert!(run.stdout.contains("Nothing changed."), "{}", run.stdout);
        }
    }

    #[test]
    fn a_wrong_url_has_an_error_message_with_advice() {
        let desk = Desk::with(&[("sound.oar", &sound()), ("cut.oar", &truncated())]);
        let Some((desk, server)) = with_bucket(desk, "mine") else { return };
        for (arguments, words) in [
            ("audit s3://nowhere --out report", "no such bucket"),
            ("audit s3://mine/none --out report", "no object of this name, and none below it"),
            ("audit s3:// --out report", "names no bucket"),
            ("report s3://mine/none --out report", "s3://mine/none"),
            ("audit s3://mine --out s3://mine/report --ledgers s3://mine/report", "use two folders"),
        ] {
            let run = run_to(USAGE, &desk, &server, arguments);
            assert!(run.stderr.contains(words), "{arguments}: {}", run.stderr);
            assert!(!desk.at("report/audit.json").exists());
        }
        let mut environment = server.environment();
        environment[1].1 = "wrong".into();
        let environment: Vec<_> = environment.iter().map(|(name, value)| (*name, value.as_str())).collect();
        for (arguments, words) in [
            ("audit s3://mine --out report", "s3://mine cannot be audited"),
            ("audit sound.oar --out s3://mine/report", "s3://mine/report cannot be written"),
            ("audit sound.oar --out report --ledgers s3://mine/kept", "s3://mine/kept cannot be used"),
        ] {
            let run = desk.run_where(&environment, arguments);
            assert_eq!(run.code, USAGE, "{arguments}: {}", run.stderr);
            for words in [words, "refuses access", "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"] {
                assert!(run.stderr.contains(words), "{arguments}: {}", run.stderr);
            }
            assert!(!run.stderr.contains("wrong"), "a secret was told: {}", run.stderr);
        }
    }

    #[test]
    fn surplus_files_of_an_earlier_report_are_removed_and_outputs_are_not_read() {
        let Some((desk, server)) = with_bucket(Desk::with(&[("sound.oar", &sound())]), "mine") else {
            return;
        };
        let audit = "audit s3://mine --out s3://mine/report --ledgers s3://mine/kept";
        run_to(DONE, &desk, &server, &format!("{audit} --format csv,html"));
        fs::write(server.at("mine/report/mine.txt"), "my own").unwrap();
        run_to(DONE, &desk, &server, &format!("{audit} --format html"));
        assert_eq!(
            files(&server.at("mine/report")).into_keys().collect::<Vec<_>>(),
            ["audit.html", "audit.json", "mine.txt"]
        );
        let audit = fs::read_to_string(server.at("mine/report/audit.json")).unwrap();
        assert!(audit.contains("s3://mine/sound.oar") && !audit.contains("kept/"), "{audit}");
    }
}
