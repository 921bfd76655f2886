//! The elements of a document that the uploader reads.
//!
//! Elements are in one list, parents before their children. Elements of other names are skipped with their content.

use super::text::short;
use crate::{Reading, charge, over_limit};
use hullmark_format::{
    defect::{DocumentType, ModelDefect},
    xml::{self, Fault, Source, Step, Xml, XmlFault},
};
use quick_xml::escape::unescape;
use std::{borrow::Cow, collections::HashMap};

/// Units of work for an element.
const ELEMENT: u64 = 512;
/// Units of work for an element that is skipped.
const SKIPPED: u64 = 64;

const ROOT: &str = "COLLADA";

/// Names of the elements that are read.
const NAMES: [&str; 49] = [
    "COLLADA",
    "IDREF_array",
    "Name_array",
    "SIDREF_array",
    "animation",
    "asset",
    "bind_shape_matrix",
    "brep",
    "controller",
    "convex_mesh",
    "float_array",
    "geometry",
    "input",
    "instance_geometry",
    "instance_node",
    "joints",
    "library_animations",
    "library_controllers",
    "library_geometries",
    "library_nodes",
    "library_visual_scenes",
    "lines",
    "linestrips",
    "lookat",
    "matrix",
    "mesh",
    "morph",
    "node",
    "p",
    "ph",
    "polygons",
    "polylist",
    "rotate",
    "scale",
    "skew",
    "skin",
    "source",
    "spline",
    "translate",
    "triangles",
    "trifans",
    "tristrips",
    "unit",
    "up_axis",
    "v",
    "vcount",
    "vertex_weights",
    "vertices",
    "visual_scene",
];

/// Names of the attributes that are read.
const ATTRIBUTES: [&str; 10] =
    ["count", "id", "material", "meter", "name", "offset", "semantic", "set", "source", "url"];

pub(super) struct Document<'a> {
    rows: Vec<Row<'a>>,
    /// Elements by their `id`. The first of several counts.
    ids: HashMap<String, usize>,
}

struct Row<'a> {
    name: &'static str,
    attributes: Vec<(&'static str, String)>,
    text: Cow<'a, str>,
    depth: usize,
    /// Number of the element after the last descendant.
    end: usize,
}

/// An element of a document.
#[derive(Clone, Copy)]
pub(super) struct Element<'d> {
    document: &'d Document<'d>,
    pub(super) number: usize,
}

impl<'a> Document<'a> {
    /// Reads the elements.
    ///
    /// # Errors [`ModelDefect::Unreadable`] if the text is no XML or no COLLADA, [`ModelDefect::OverLimit`] if it is too
    /// large.
    pub(super) fn read(source: &'a Source<'_>, reading: &mut Reading<'_>) -> Result<Self, ModelDefect> {
        let mut xml = Xml::new(source, reading.limits.xml_depth);
        let mut document = Self { rows: Vec::new(), ids: HashMap::new() };
        let mut open: Vec<usize> = Vec::new();
        // Elements that are open and skipped.
        let mut skipped = 0;
        loop {
            match xml.step().map_err(|fault| refused(&fault))? {
                Step::Open(element) => {
                    let name = element.name();
                    let local = name.rsplit_once(':').map_or(name, |(_, local)| local);
                    if document.rows.is_empty() && local != ROOT {
                        let root = XmlFault::OtherRoot { found: short(name), expected: Some(ROOT.into()) };
                        return Err(ModelDefect::Unreadable { why: root.to_string() });
                    }
                    match NAMES.binary_search(&local) {
                        Ok(known) if skipped == 0 => {
                            charge(reading.work, ELEMENT)?;
                            open.push(document.rows.len());
                            document.add(&element, NAMES[known], open.len());
                        }
                        _ => {
                            charge(reading.work, SKIPPED)?;
                            skipped += 1;
                        }
                    }
                }
                Step::Close if skipped > 0 => skipped -= 1,
                Step::Close => document.close(open.pop()),
                Step::Text(_) | Step::Character(_) if skipped > 0 => {}
                Step::Text(piece) => document.add_text(open.last(), piece),
                Step::Character(character) => document.add_text(open.last(), character.to_string().into()),
                Step::End if document.rows.is_empty() => {
                    return Err(ModelDefect::Unreadable { why: XmlFault::NoElement.to_string() });
                }
                Step::End => return Ok(document),
            }
        }
    }

    fn add(&mut self, element: &xml::Element<'_>, name: &'static str, depth: usize) {
        let found = ATTRIBUTES.iter().filter_map(|&name| Some((name, value(&element.attribute(name)?))));
        let row = Row { name, attributes: found.collect(), text: Cow::Borrowed(""), depth, end: 0 };
        let number = self.rows.len();
        if let Some((_, id)) = row.attributes.iter().find(|(name, _)| *name == "id") {
            self.ids.entry(id.clone()).or_insert(number);
        }
        self.rows.push(row);
    }

    /// Adds a piece of text. There is usually one, which stays borrowed. Blanks between elements are dropped.
    fn add_text(&mut self, open: Option<&usize>, piece: Cow<'a, str>) {
        let Some(&number) = open else { return };
        let text = &mut self.rows[number].text;
        if !text.is_empty() {
            text.to_mut().push_str(&piece);
        } else if !piece.trim_ascii().is_empty() {
            *text = piece;
        }
    }

    fn close(&mut self, number: Option<usize>) {
        let end = self.rows.len();
        if let Some(number) = number {
            self.rows[number].end = end;
        }
    }

    /// Returns the elements of this name, in the order of the document.
    pub(super) fn all<'d>(&'d self, name: &'static str) -> impl Iterator<Item = Element<'d>> {
        (0..self.rows.len())
            .map(move |number| self.element(number))
            .filter(move |element| element.name() == name)
    }

    /// Returns the first element of this name among the least nested ones (`daeElement::getDescendant`).
    pub(super) fn first<'d>(&'d self, name: &'static str) -> Option<Element<'d>> {
        self.all(name).min_by_key(|element| element.row().depth)
    }

    fn element(&self, number: usize) -> Element<'_> {
        Element { document: self, number }
    }
}

impl<'d> Element<'d> {
    fn row(self) -> &'d Row<'d> {
        &self.document.rows[self.number]
    }

    pub(super) fn name(self) -> &'static str {
        self.row().name
    }

    pub(super) fn text(self) -> &'d str {
        &self.row().text
    }

    /// Returns the value of an attribute, if it is not empty.
    pub(super) fn attribute(self, name: &str) -> Option<&'d str> {
        let attributes = &self.row().attributes;
        let (_, value) = attributes.iter().find(|(known, value)| *known == name && !value.is_empty())?;
        Some(value)
    }

    pub(super) fn children(self) -> Children<'d> {
        Children { document: self.document, next: self.number + 1, end: self.row().end }
    }

    /// Returns the first child of this name.
    pub(super) fn child(self, name: &str) -> Option<Element<'d>> {
        self.children().find(|child| child.name() == name)
    }

    /// Returns the element that an attribute names: `#` and its `id`.
    ///
    /// # Errors [`ModelDefect::Unsupported`] for a reference to another file, [`ModelDefect::Unreadable`] if there is no
    /// such element of this name.
    pub(super) fn named(self, attribute: &str, name: &str) -> Result<Element<'d>, ModelDefect> {
        let target = self.attribute(attribute).unwrap_or("#");
        let Some(id) = target.strip_prefix('#') else {
            return Err(ModelDefect::Unsupported { feature: "references to other files".into() });
        };
        let found = self.document.ids.get(id).map(|&number| self.document.element(number));
        found.filter(|element| element.name() == name).ok_or_else(|| ModelDefect::Unreadable {
            why: format!("{} refers to the {name} {}, which is missing", self.name(), short(id)),
        })
    }
}

/// Iterates over the children of an element.
pub(super) struct Children<'d> {
    document: &'d Document<'d>,
    next: usize,
    end: usize,
}

impl<'d> Iterator for Children<'d> {
    type Item = Element<'d>;

    fn next(&mut self) -> Option<Element<'d>> {
        if self.next >= self.end {
            return None;
        }
        let child = self.document.element(self.next);
        self.next = child.row().end;
        Some(child)
    }
}

/// Returns the value of an attribute. Blanks become underscores if all other characters are usual in names and
/// references (`LLDAELoader::preprocessDAE`).
fn value(written: &str) -> String {
    let usual = |c: char| c.is_ascii_alphanumeric() || c.is_ascii_whitespace() || "_.@#$-".contains(c);
    if written.chars().all(usual) {
        return written.replace(' ', "_");
    }
    unescape(written).map_or_else(|_| written.to_owned(), Cow::into_owned)
}

fn refused(fault: &Fault) -> ModelDefect {
    match fault {
        Fault { depth_limit: Some(_), .. } => over_limit("nested elements"),
        Fault { too_long: Some(_), .. } => over_limit("text"),
        Fault { what, offset, .. } => ModelDefect::Unreadable { why: format!("{what} (at byte {offset})") },
    }
}

/// Returns the text of a file. Its notes are not used, so the type does not matter.
pub(super) fn source(bytes: &[u8]) -> Source<'_> {
    Source::new(bytes, DocumentType::Object)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_by_binary_search() {
        assert!(NAMES.is_sorted());
    }

    #[test]
    fn blanks_become_underscores_in_usual_names_only() {
        for (written, expected) in [
            ("my  chair.01", "my__chair.01"),
            ("#my chair-$@", "#my_chair-$@"),
            ("my chair (1)", "my chair (1)"),
            ("a\tb c", "a\tb_c"),
            ("a &amp; b", "a & b"),
            ("a &none; b", "a &none; b"),
            ("", ""),
        ] {
            assert_eq!(value(written), expected);
        }
    }
}
