//! Templates of letters: the operator's own, else the built-in ones.

use hullmark_settings::{config, letters::Language};
use hullmark_util::{named, named_file};
use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};
use thiserror::Error;

named! {
    /// Placeholders of a template, written as `{{title}}`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub(super) enum Slot {
        Title = "title",
        Address = "address",
        Date = "date",
        Opening = "opening",
        Actions = "actions",
        Problems = "problems",
        Closing = "closing",
        Signature = "signature",
        Name = "name",
        Grid = "grid",
        Contact = "contact",
        Deadline = "deadline",
        Language = "language",
        Style = "style",
        Policy = "policy",
    }
}

named! {
    /// The two kinds of letters.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub(super) enum Form {
        Text = "txt",
        Html = "html",
    }
}

/// The templates of letters.
#[derive(Debug, Default)]
pub struct Templates(BTreeMap<(Form, Option<Language>), Template>);

/// A template, cut at its placeholders.
#[derive(Debug)]
struct Template(Vec<Vec<Piece>>);

/// A piece of a line of a template.
#[derive(Debug)]
enum Piece {
    Fixed(String),
    Slot(Slot),
}

/// Why a template was refused.
#[derive(Debug, Error)]
pub enum TemplateError {
    /// A template could not be read.
    #[error("The template of letters {} cannot be read", path.display())]
    Unreadable {
        /// The template, or the folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The path names no template.
    #[error(
        "{} is no template of letters: name a folder with letter.txt or letter.html, or a file that ends in .txt or \
         .html",
        .0.display()
    )]
    None(PathBuf),
    /// A placeholder does not exist.
    #[error("The template of letters {} has the unknown placeholder {{{{{name}}}}}: {suggestion}", path.display())]
    Unknown {
        /// The template.
        path: PathBuf,
        /// The placeholder.
        name: String,
        /// Those that exist.
        suggestion: String,
    },
}

impl Templates {
    /// Reads the templates in a folder, or one template. An empty path means the built-in ones.
    ///
    /// # Errors
    /// A template cannot be read or has an unknown placeholder.
    pub fn read(path: &Path) -> Result<Self, TemplateError> {
        let mut templates = Self::default();
        if path.as_os_str().is_empty() {
            return Ok(templates);
        }
        if path.is_dir() {
            for form in Form::ALL {
                let languages = Language::ALL.into_iter().map(Some).chain([None]);
                for language in languages {
                    let infix = language.map_or(String::new(), |language| format!(".{}", language.name()));
                    let file = path.join(format!("letter{infix}.{}", form.name()));
                    if file.is_file() {
                        templates.0.insert((form, language), Template::read(&file)?);
                    }
                }
            }
        } else {
            let ending = path.extension().unwrap_or_default();
            let form = Form::ALL.into_iter().find(|form| ending.eq_ignore_ascii_case(form.name()));
            let form = form.ok_or_else(|| TemplateError::None(path.into()))?;
            templates.0.insert((form, None), Template::read(path)?);
        }
        if templates.0.is_empty() { Err(TemplateError::None(path.into())) } else { Ok(templates) }
    }

    /// Fills the template for a language: its own, else that for all languages, else the built-in one.
    pub(super) fn fill(&self, form: Form, language: Language, value: impl Fn(Slot) -> String) -> String {
        let own = self.0.get(&(form, Some(language))).or_else(|| self.0.get(&(form, None)));
        match own {
            Some(template) => template.fill(value),
            None => built_in(form).fill(value),
        }
    }
}

/// Returns a built-in template.
fn built_in(form: Form) -> Template {
    let text = match form {
        Form::Text => include_str!("templates/letter.txt"),
        Form::Html => include_str!("templates/letter.html"),
    };
    // A test fills both.
    Template::parse(Path::new(""), text).unwrap_or(Template(Vec::new()))
}

impl Template {
    fn read(path: &Path) -> Result<Self, TemplateError> {
        let text = named_file::read_text(path, named_file::SETTINGS)
            .map_err(|source| TemplateError::Unreadable { path: path.into(), source })?;
        Self::parse(path, text.trim_start_matches('\u{feff}'))
    }

    fn parse(path: &Path, text: &str) -> Result<Self, TemplateError> {
        let line = |mut rest: &str| {
            let mut pieces = Vec::new();
            while let Some((before, (name, after))) =
                rest.split_once("{{").and_then(|(before, after)| Some((before, after.split_once("}}")?)))
            {
                let slot = Slot::ALL.into_iter().find(|slot| slot.name() == name.trim());
                let slot = slot.ok_or_else(|| unknown(path, name.trim()))?;
                pieces.extend([Piece::Fixed(before.into()), Piece::Slot(slot)]);
                rest = after;
            }
            pieces.push(Piece::Fixed(rest.into()));
            Ok(pieces)
        };
        Ok(Self(text.lines().map(line).collect::<Result<_, _>>()?))
    }

    /// Fills the placeholders. A line is left out if all its placeholders are empty, and so are double empty lines.
    fn fill(&self, value: impl Fn(Slot) -> String) -> String {
        let mut text = String::new();
        for pieces in &self.0 {
            let (mut line, mut slots, mut filled) = (String::new(), 0, false);
            for piece in pieces {
                match piece {
                    Piece::Fixed(fixed) => line += fixed,
                    Piece::Slot(slot) => {
                        let words = value(*slot);
                        slots += 1;
                        filled |= !words.is_empty();
                        line += words.trim_end_matches('\n');
                    }
                }
            }
            let doubled = line.is_empty() && (text.is_empty() || text.ends_with("\n\n"));
            if !doubled && (filled || slots == 0) {
                text += &line;
                text.push('\n');
            }
        }
        text.truncate(text.trim_end().len());
        text + "\n"
    }
}

/// Returns the error for an unknown placeholder.
fn unknown(path: &Path, name: &str) -> TemplateError {
    let suggestion = match config::nearest(name, Slot::ALL.iter().map(|slot| slot.name())) {
        Some(near) => format!("did you mean {{{{{near}}}}}?"),
        None => format!("use one of {}", Slot::ALL.map(Slot::name).join(", ")),
    };
    TemplateError::Unknown { path: path.into(), name: name.chars().take(40).collect(), suggestion }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn filled(template: &str) -> String {
        let value = |slot| match slot {
            Slot::Title => "{{name}}".into(),
            Slot::Name => "Ann".into(),
            _ => String::new(),
        };
        Template::parse(Path::new("x.txt"), template).unwrap().fill(value)
    }

    #[test]
    fn values_are_filled_once_and_empty_lines_fall_together() {
        assert_eq!(
            filled("Dear {{ name }},\n\n{{date}}\n{{actions}}\n\nBye {{title}}\n\n"),
            "Dear Ann,\n\nBye {{name}}\n"
        );
        assert_eq!(filled("p { margin: 0 } {{"), "p { margin: 0 } {{\n");
    }

    #[test]
    fn an_unknown_placeholder_is_refused_with_the_nearest() {
        let error = Template::parse(Path::new("x.txt"), "{{problem}}").unwrap_err().to_string();
        assert_eq!(
            error,
            "The template of letters x.txt has the unknown placeholder {{problem}}: did you mean {{problems}}?"
        );
    }

    #[test]
    fn a_folder_has_templates_by_language() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(Templates::read(folder.path()), Err(TemplateError::None(_))));
        fs::write(folder.path().join("letter.txt"), "all").unwrap();
        fs::write(folder.path().join("letter.de.txt"), "deutsch {{deadline}}").unwrap();
        let templates = Templates::read(folder.path()).unwrap();
        let text = |form, language| templates.fill(form, language, |slot| slot.name().into());
        assert_eq!(text(Form::Text, Language::De), "deutsch deadline\n");
        assert_eq!(text(Form::Text, Language::Fr), "all\n");
        assert!(text(Form::Html, Language::De).contains("<h1>title</h1>"), "the built-in one");
        let one = Templates::read(&folder.path().join("letter.txt")).unwrap();
        assert_eq!(one.fill(Form::Text, Language::De, |_| String::new()), "all\n");
        assert!(Templates::read(&folder.path().join("letter.doc")).is_err());
    }
}
