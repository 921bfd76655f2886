//! Messages about a run: which settings are refused, and what servers on this machine get.

use crate::support::desk::{DONE, Desk, USAGE, faulty, sound};

#[test]
fn settings_of_messages_are_checked_before_the_run() {
    let desk = Desk::with(&[("faulty.oar", &faulty())]);
    for (settings, words) in [
        ("discord = \"env:HULLMARK_NO_HOOK\"", "HULLMARK_NO_HOOK is not set"),
        ("slack = \"file:no-such-file\"", "the file no-such-file cannot be read"),
        ("json = \"ftp://host/token-7\"", "`json` of [notify] is wrong: an address begins with https://"),
        ("matrix.room = \"!a:host\"", "`matrix.token` of [notify] is wrong: it is empty"),
        ("email.to = [\"Ops <ops@example.org>\"]", "`email.to` of [notify] is wrong"),
    ] {
        desk.write("mine.toml", format!("[notify]\n{settings}\n"));
        let run = desk.run_to(USAGE, "audit faulty.oar --out report --config mine.toml");
        assert!(run.stderr.contains(words) && !run.stderr.contains("token-7"), "{settings}: {}", run.stderr);
        assert!(!desk.at("report").exists(), "nothing is read or written");
    }
    let run = desk.run_to(USAGE, "notify");
    assert!(run.stderr.contains("no channel for messages"), "{}", run.stderr);
}

#[test]
fn printed_settings_hide_secrets() {
    let desk = Desk::with(&[]);
    desk.write(
        "mine.toml",
        "[notify]\ndiscord = \"https://host/token-7\"\nslack = \"env:HOOK\"\nemail.password = \"token-7\"\n",
    );
    let run = desk.run_to(DONE, "audit --dump-config --config mine.toml");
    assert!(run.stdout.contains("discord = \"***\"  # mine.toml\nslack = \"env:HOOK\""), "{}", run.stdout);
    assert!(!run.stdout.contains("token-7"));
    desk.write(
        "mine.toml",
        "[notify]\nmatrix.server = \"https://me:token-7@chat.example/a?key=token-7\"\n\
         email.smtp = \"smtps://me:token-7@mail.example:465\"\nemail.to = [\"a@b.example\"]\n\
         email.from = \"a@b.example\"\n",
    );
    let run = desk.run_to(DONE, "audit --dump-config --config mine.toml");
    assert!(run.stdout.contains("server = \"https://***\""), "{}", run.stdout);
    assert!(run.stdout.contains("smtp = \"smtps://***@mail.example:465\""), "{}", run.stdout);
    for command in ["audit --dump-config", "notify", "doctor .", "audit faulty.oar --out report"] {
        let run = desk.run(&format!("{command} --config mine.toml"));
        assert!(!(run.stdout + &run.stderr).contains("token-7"), "{command}");
    }
}

/// Settings that were printed are no settings: what they hide is refused, not used.
#[test]
fn a_hidden_address_is_refused() {
    let desk = Desk::with(&[("faulty.oar", &faulty())]);
    for (settings, words) in [
        (
            "matrix = { server = \"https://***\", room = \"!a:b\", token = \"x\" }",
            "--dump-config has replaced it",
        ),
        ("email = { to = [\"a@b\"], from = \"a@b\", smtp = \"smtp://***@host\" }", "`email.smtp`"),
    ] {
        desk.write("mine.toml", format!("[notify]\n{settings}\n"));
        let run = desk.run_to(USAGE, "audit faulty.oar --out report --config mine.toml");
        let is_built = cfg!(feature = "notify") || settings.starts_with("matrix");
        assert!(!is_built || run.stderr.contains(words), "{}", run.stderr);
    }
}

#[cfg_attr(feature = "notify", ignore = "for a program without the feature notify")]
#[test]
fn a_build_without_clients_says_how_to_get_them() {
    let desk = Desk::with(&[("faulty.oar", &faulty())]);
    for settings in
        ["json = \"https://host/x\"", "email = { to = [\"a@b\"], from = \"a@b\", smtp = \"smtp://host\" }"]
    {
        desk.write("mine.toml", format!("[notify]\n{settings}\n"));
        let run = desk.run_to(USAGE, "audit faulty.oar --out report --config mine.toml");
        assert!(run.stderr.contains("--features notify"), "{}", run.stderr);
    }
}

/// A program in place of `sendmail` gets the message with its headers.
#[cfg(unix)]
#[test]
fn sendmail_gets_the_message() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::with(&[("faulty.oar", &faulty()), ("sound.oar", &sound())]);
    desk.write("sendmail", "#!/bin/sh\necho \"$*\" > arguments\ncat > mail\n");
    std::fs::set_permissions(desk.at("sendmail"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let sendmail = desk.at("sendmail");
    desk.write(
        "mine.toml",
        format!("[notify.email]\nto = [\"ops@example.org\"]\nsendmail = \"{}\"\n", sendmail.display()),
    );
    desk.run_to(DONE, "audit sound.oar --out report --config mine.toml");
    assert!(!desk.at("mail").exists(), "no news");
    desk.run_to(DONE, "audit faulty.oar --out report --config mine.toml");
    let mail = std::fs::read_to_string(desk.at("mail")).unwrap();
    assert_eq!(std::fs::read_to_string(desk.at("arguments")).unwrap(), "-i -t\n");
    let begin = "To: ops@example.org\nSubject: hullmark: 1 error";
    assert!(mail.starts_with(begin) && !mail.contains('\r'), "{mail}");
    let run = desk.run_to(DONE, "notify --config mine.toml");
    assert_eq!(run.stdout, "The e-mail: sent\n");
    desk.write("sendmail", "#!/bin/sh\nexit 75\n");
    let run = desk.run_to(DONE, "audit faulty.oar --out report --config mine.toml");
    let words = format!("The e-mail was not sent: {} ended with code 75. Report", sendmail.display());
    assert!(run.stderr.contains(&words), "{}", run.stderr);
    desk.run_to(USAGE, "notify --config mine.toml");
}
