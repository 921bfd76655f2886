//! ARC, RUN: errors in containers and files, and the reasons why they could not be read.

use super::{say, whole};
use crate::{
    finding::{Code, Finding},
    format::defect::{Budget, Defect, InputDefect, UnsafeName},
};

/// The code of a defect, and what is said of it.
pub(super) fn said(kind: &InputDefect, defect: &Defect) -> Finding {
    use InputDefect as D;
    match kind {
        D::Unreadable { why } => say(Code::RUN001, why),
        D::TimeOver { why } => say(Code::RUN008, why),
        D::Panicked { words } => say(Code::RUN005, words),
        D::NoExport { looks_like } => say(Code::RUN009, looks_like),
        D::Shrank { from, to } => {
            say(Code::RUN001, format!("it shrank while it was read, from {from} bytes to {to}; audit it again"))
        }
        D::Damaged { why, position } => {
            let why = why.as_deref().unwrap_or("it is cut short");
            say(Code::ARC001, format!("{why}, after {position} bytes of content"))
        }
        D::BrokenTar { why } => say(Code::ARC002, why.to_string()).aspect("structure"),
        D::MemberTooLarge => {
            say(Code::ARC002, "a member of 2 GiB or more, whose size OpenSim cannot read")
        }
        D::WrongChecksums { headers } => {
            say(Code::ARC002, format!("the checksums of {headers} headers are wrong")).aspect("checksums")
        }
        D::NoEndMarker => {
            say(Code::ARC002, "the tar has no end marker; it may have been cut between two members")
                .aspect("end marker")
        }
        D::SpecialMember { what } => {
            let (name, what) = (&defect.place.entry, what.escape_default());
            say(Code::ARC007, format!("{name} has the type '{what}', a link or a device"))
        }
        D::PaxRecords { records } => {
            say(Code::ARC007, format!("{records} pax records; OpenSim takes them for files"))
        }
        D::RecordsReadAsObjects { first } => say(Code::ARC014, format!("the first is {first}")),
        D::UnsafeName { why } => say(
            Code::ARC011,
            match why {
                UnsafeName::Absolute => "it is an absolute path",
                UnsafeName::LeadsOut => "it leads out of the archive with \"..\"",
                UnsafeName::ControlCharacters => "it holds control characters",
            },
        ),
        D::NamesNotUtf8 { names } => say(Code::ARC011, format!("{names} names are not UTF-8")),
        D::NameTwice => say(
            Code::ARC010,
            "the name stands in the archive more than once; of assets OpenSim keeps the first, of objects all",
        )
        .aspect("twice"),
        D::AssetName => {
            say(Code::ARC010, "its name is not a UUID, an underscore and a type that OpenSim knows")
                .aspect("name")
        }
        D::DottedEntries => {
            say(Code::ARC004, format!("{} entries begin with \"./\"", whole(defect.measured)))
        }
        D::ControlBelowFolder => say(
            Code::ARC004,
            "archive.xml stands below a folder, with all that belongs to it; nothing in that folder was audited",
        ),
        D::RegionNotListed { folder } => {
            say(Code::ARC013, format!("the files in \"{folder}\" belong to no listed region"))
                .aspect(format!("not listed: {folder}"))
        }
        D::RegionWithoutFiles { folder } => {
            say(Code::ARC013, format!("the listed region \"{folder}\" has no files"))
                .aspect(format!("no files: {folder}"))
        }
        D::OverBudget { budget } => over(*budget),
        D::TooManyFacts => say(
            Code::ARC012,
            "what is remembered of the input, of which the members behind are left out",
        ),
        D::AssetWork => say(
            Code::ARC012,
            "units of work on this asset, so that some of its hulls or distances are not evaluated",
        ),
        D::SceneWork { left_out } => say(
            Code::ARC012,
            format!("units of work on this asset, so that {left_out} of its meshes are not evaluated"),
        ),
        D::MeshWork => say(
            Code::ARC012,
            "units of work on the meshes of the input, so that this one is not evaluated",
        ),
        D::SculptOverBudget { what } => say(Code::ARC012, &**what),
        D::SculptBroken { why } => say(Code::AST004, format!("sculpt map: {why}")),
        D::SculptUndecoded { uuid, over } => {
            say(Code::RUN008, format!("sculpt map {uuid} was not decoded: {over}")).aspect(uuid.to_string())
        }
        D::SculptGone { uuid } => {
            say(Code::RUN001, format!("sculpt map {uuid} was gone when the input was read a second time"))
                .aspect(uuid.to_string())
        }
        D::SculptUnread { uuid, over } => {
            say(Code::RUN008, format!("sculpt map {uuid} was not read a second time: {over}"))
                .aspect(uuid.to_string())
        }
    }
}

/// A budget that is spent. Of one member this is all that a budget can say.
fn over(budget: Budget) -> Finding {
    let words = match budget {
        Budget::BytesInAll => "bytes in all",
        Budget::Members => "members",
        Budget::Files => "files",
        Budget::BytesInName => "bytes in a name",
        Budget::BytesInMember => return say(Code::ARC012, "bytes in one member"),
        Budget::BytesInFile => return say(Code::ARC012, "bytes in one file"),
    };
    say(Code::ARC012, words).aspect(words)
}
