//! Writes letters from what inputs have of each owner.
//!
//! Things with problems go to a temporary file. Memory keeps the offsets of some, for each owner and problem. So memory
//! depends on the number of owners.

use super::{
    LISTED, LOWEST, LetterOptions, Listed, Totals,
    actions::{self, TopAction},
    content::{Found, Frame, Letter},
    html,
    input::{self, Owners, Troubled},
    template::{Form, Templates},
    text,
    words::Words,
};
use hullmark_finding::Severity;
use hullmark_report::{
    Summary,
    csv::defuse,
    output::{Output, OutputError},
    page::{Page, Writer},
    reported::Piece,
};
use hullmark_settings::{
    letters::Language,
    profile::{Counted, Grid},
    users::Users,
};
use serde::Deserialize;
use std::{
    cmp::Reverse,
    collections::BTreeMap,
    io::{self, BufReader, BufWriter, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};
use tempfile::SpooledTempFile;
use uuid::Uuid;

/// The list of letters.
pub(super) const INDEX: &str = "letters.csv";

/// Letters under construction.
struct Letters {
    folder: PathBuf,
    users: Option<Users>,
    options: LetterOptions,
    output: Option<Output>,
    spool: Spool,
    owners: BTreeMap<Uuid, Owner>,
}

/// Sums and problems of an owner.
#[derive(Default)]
struct Owner {
    totals: Totals,
    problems: BTreeMap<usize, OfProblem>,
    /// The actions that help most.
    actions: Vec<TopAction>,
}

/// Objects of an owner with one problem.
#[derive(Default)]
struct OfProblem {
    objects: u64,
    listed: Vec<Spooled>,
}

/// Offset of a thing in the spool. The worst come first, then the heaviest; equal ones in their order.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Spooled {
    worst: Reverse<Severity>,
    /// Thousandths of land impact.
    weight: Reverse<u64>,
    offset: u64,
}

/// An error with the folder of letters.
#[derive(Debug, thiserror::Error)]
#[error("the letters in {} cannot be written", folder.display())]
struct Unwritten {
    folder: PathBuf,
    source: io::Error,
}

/// Whether a file has the name of a letter or of their list.
pub(super) fn is_letter(name: &str) -> bool {
    let owner = name.strip_suffix(".txt").or_else(|| name.strip_suffix(".html"));
    name == INDEX || owner.is_some_and(|owner| Uuid::try_parse(owner).is_ok())
}

/// Opens the folder for letters.
pub fn open(folder: &Path, users: Option<Users>, options: LetterOptions) -> Result<Writer, OutputError> {
    let output = Output::new(folder)?;
    output.without_halves(is_letter);
    let spool = Spool { file: BufWriter::new(output.scratch(0)), end: 0 };
    let some_owners = options.some_owners;
    let letters = Letters {
        folder: folder.into(),
        users,
        options,
        output: Some(output),
        spool,
        owners: BTreeMap::new(),
    };
    let make = move |piece: &Piece<'_>| {
        Ok(match piece {
            Piece::End(input) => Owners::of(input, some_owners),
            _ => Owners::default(),
        })
    };
    Ok(Writer::new(make, letters))
}

impl Letters {
    /// Adds the folder of letters to an error, because it differs from the folder of the report.
    fn failed(&self, error: io::Error) -> io::Error {
        io::Error::new(error.kind(), Unwritten { folder: self.folder.clone(), source: error })
    }

    fn write(&mut self, output: &mut Output, summary: &Summary) -> io::Result<()> {
        let mut index = csv::Writer::from_writer(output.open(INDEX).map_err(io::Error::other)?);
        index.write_record([
            "owner_uuid",
            "name",
            "text",
            "html",
            "objects",
            "to_fix",
            "blockers",
            "errors",
            "warnings",
            "language",
        ])?;
        let manifest = &summary.manifest;
        let LetterOptions { grid, letters, templates, .. } = &self.options;
        let frame = Frame {
            grid,
            letters,
            target: target(&grid.name, summary.profile_of_rules().loader()),
            now: manifest.now.as_deref(),
            complete: summary.complete,
            counts_prims: summary.profile_of_rules().land.counted == Counted::Prims,
        };
        let mut dictionaries: BTreeMap<Language, Words> = BTreeMap::new();
        for (&uuid, Owner { totals, problems, actions }) in &mut self.owners {
            if problems.is_empty() {
                continue;
            }
            let found = problems.iter_mut().map(|(&problem, all)| all.read(problem, &mut self.spool));
            let found = found.collect::<io::Result<Vec<Found>>>()?;
            let name = self.users.as_ref().and_then(|users| users.name(uuid));
            let own = self.users.as_ref().and_then(|users| users.language(uuid));
            let language = own.unwrap_or(letters.language);
            let words = dictionaries.entry(language).or_insert_with(|| Words::new(language));
            let letter = Letter::new(&frame, language, words, name, totals, actions, found);
            let files = Form::ALL.map(|form| format!("{uuid}.{}", form.name()));
            write_letter(output, templates, &letter, &files)?;
            let counts = [Severity::Blocker, Severity::Error, Severity::Warning];
            let numbers = [totals.rezzed + totals.elsewhere, totals.listed].into_iter();
            let numbers = numbers.chain(counts.map(|severity| totals.findings.get(severity)));
            let record = [uuid.to_string(), defuse(name.unwrap_or_default()).into_owned()].into_iter();
            let record = record.chain(files).chain(numbers.map(|number| number.to_string()));
            index.write_record(record.chain([language.name().into()]))?;
        }
        index.flush()
    }
}

/// Writes a letter as text and as a page.
pub(super) fn write_letter(
    output: &mut Output,
    templates: &Templates,
    letter: &Letter<'_>,
    files: &[String; Form::ALL.len()],
) -> io::Result<()> {
    let texts = [
        templates.fill(Form::Text, letter.language, |slot| text::value(letter, slot)),
        templates.fill(Form::Html, letter.language, |slot| html::value(letter, slot)),
    ];
    for (file, content) in files.iter().zip(texts) {
        let mut file = output.open(file).map_err(io::Error::other)?;
        file.write_all(content.as_bytes())?;
        file.flush()?;
    }
    Ok(())
}

/// Returns the name of the target for people: that of the grid, else of its kind.
fn target(name: &str, grid: Grid) -> &str {
    match grid {
        _ if !name.is_empty() => name,
        Grid::SecondLife => "Second Life",
        Grid::OpenSim => "OpenSimulator",
    }
}

impl Owner {
    /// Adds what an input has of the owner.
    fn add(&mut self, of_input: input::Owner, spool: &mut Spool) -> io::Result<()> {
        self.totals.add_all(&of_input.totals);
        actions::add(&mut self.actions, of_input.actions);
        for Troubled { problem, severity, weight, thing } in of_input.things {
            let offset = spool.write(&thing)?;
            let all = self.problems.entry(problem).or_default();
            all.objects += 1;
            all.listed.push(Spooled { worst: Reverse(severity), weight: Reverse(weight), offset });
            // Cut from time to time, to bound memory.
            if all.listed.len() > 2 * LISTED {
                all.cut();
            }
        }
        Ok(())
    }
}

impl OfProblem {
    fn cut(&mut self) {
        self.listed.sort();
        self.listed.truncate(LISTED);
    }

    /// Reads the objects back.
    fn read(&mut self, problem: usize, spool: &mut Spool) -> io::Result<Found> {
        self.cut();
        let worst = self.listed.first().map_or(LOWEST, |first| first.worst.0);
        let listed = self.listed.iter().map(|place| spool.read(place)).collect::<io::Result<_>>()?;
        Ok(Found { problem, worst, objects: self.objects, listed })
    }
}

impl Page for Letters {
    type Part = Owners;

    fn append(&mut self, _: &Piece<'_>, owners: Owners) -> io::Result<()> {
        let mut owners = owners.0.into_iter();
        let added = owners.try_for_each(|(uuid, of_input)| {
            self.owners.entry(uuid).or_default().add(of_input, &mut self.spool)
        });
        added.map_err(|error| self.failed(error))
    }

    fn publishes(&self) -> bool {
        true
    }

    fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        let Some(mut output) = self.output.take() else { return Ok(()) };
        self.write(&mut output, summary).map_err(|error| self.failed(error))?;
        output.publish().map_err(io::Error::other)
    }
}

/// An unnamed temporary file for things until the letters are written.
struct Spool {
    file: BufWriter<SpooledTempFile>,
    end: u64,
}

impl Spool {
    /// Adds a thing and returns its offset.
    fn write(&mut self, thing: &Listed) -> io::Result<u64> {
        let bytes = serde_json::to_vec(thing)?;
        self.file.write_all(&bytes)?;
        let offset = self.end;
        self.end += bytes.len() as u64;
        Ok(offset)
    }

    fn read(&mut self, place: &Spooled) -> io::Result<Listed> {
        self.file.flush()?;
        let mut file = BufReader::new(self.file.get_mut());
        file.seek(SeekFrom::Start(place.offset))?;
        Ok(Listed::deserialize(&mut serde_json::Deserializer::from_reader(file))?)
    }
}
