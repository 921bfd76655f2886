//! What can be kept of an element that OpenSim's loader does not pass.

use hullmark_format::loader::{Take, element_at, is_sound};
use quick_xml::{
    Reader,
    escape::{escape, unescape},
    events::Event,
};
use std::borrow::Cow;

/// Components of vectors and rotations.
const COMPONENTS: [&str; 4] = ["X", "Y", "Z", "W"];

/// Channels of colours, and the value that OpenSim gives them without the element.
const CHANNELS: [(&str, &str); 4] = [("R", "0"), ("G", "0"), ("B", "0"), ("A", "255")];

/// Returns an element that the loader reads, with all that can be read of the old one. `None` if nothing can be: without
/// the element, the loader takes its default.
pub(super) fn mended(element: &str, field: &'static str, take: Take) -> Option<String> {
    let inner = Inner::of(element);
    let whole = |content: &str| format!("<{field}>{content}</{field}>");
    let text = || {
        let candidates = numbers_in(&inner.text).into_iter().map(|text| whole(&escape(&text)));
        candidates.into_iter().find(|candidate| is_sound(candidate, field, take))
    };
    let mended = match take {
        Take::Content | Take::Text | Take::PlainText | Take::Forgiven | Take::Media => {
            Some(whole(&escape(&inner.text)))
        }
        Take::Base64 | Take::PackedText => base64(&inner.text).map(|text| whole(&text)),
        Take::Uuid => {
            let stated = inner.text.trim();
            let uuid = uuid::Uuid::try_parse(stated.get(..36).unwrap_or(stated)).ok();
            Some(whole(&format!("<UUID>{}</UUID>", uuid.unwrap_or_default())))
        }
        // The shape has the size, too.
        Take::Vector if field == "Scale" => {
            inner.components(&COMPONENTS[..3], |_| None).map(|inside| whole(&inside))
        }
        Take::Vector => inner.components(&COMPONENTS[..3], |_| Some("0")).map(|inside| whole(&inside)),
        Take::Quaternion => Some(whole(&rotation(&inner))),
        Take::Color => {
            let names = CHANNELS.map(|(name, _)| name);
            let absent =
                |name: &str| CHANNELS.iter().find(|(channel, _)| *channel == name).map(|(_, value)| *value);
            inner.components(&names, absent).map(|inside| whole(&inside))
        }
        Take::AnyFloats(count) => inner.numbers(count).map(|inside| whole(&inside)),
        Take::DynamicAttributes => without_comments(element),
        Take::Shape | Take::Contents | Take::Vehicle | Take::Inertia => None,
        _ => text(),
    };
    mended.filter(|mended| is_sound(mended, field, take))
}

/// Returns the text in the element at this position.
pub(super) fn text_of(document: &str, offset: usize) -> String {
    let element = &document[element_at(document, offset)];
    Inner::of(element).text.trim().to_owned()
}

/// Returns the numbers of a vector. `None` if one cannot be read.
pub(super) fn coordinates(element: &str) -> Option<[f64; 3]> {
    let inner = Inner::of(element);
    let number = |name| inner.number(name, |_| true)?.parse().ok();
    Some([number("X")?, number("Y")?, number("Z")?])
}

/// A rotation, with the components that can be read.
fn rotation(inner: &Inner) -> String {
    let is_known = COMPONENTS.iter().any(|name| inner.number(name, |_| true).is_some());
    let absent = |name: &str| Some(if name == "W" && !is_known { "1" } else { "0" });
    inner.components(&COMPONENTS, absent).unwrap_or_default()
}

/// The content of an element.
#[derive(Default)]
struct Inner {
    /// All text, without that of comments.
    text: String,
    /// The names of elements, and their texts.
    elements: Vec<(String, String)>,
}

impl Inner {
    fn of(element: &str) -> Self {
        let mut inner = Self::default();
        let mut reader = Reader::from_str(element);
        let mut open: Vec<usize> = Vec::new();
        let mut depth = 0_usize;
        while let Ok(event) = reader.read_event() {
            let text: String = match event {
                Event::Start(element) => {
                    if depth > 0 {
                        open.push(inner.elements.len());
                        inner.elements.push((element.name().as_ref().to_owned(), String::new()));
                    }
                    depth += 1;
                    continue;
                }
                Event::Empty(element) => {
                    inner.elements.push((element.name().as_ref().to_owned(), String::new()));
                    continue;
                }
                Event::End(_) => {
                    open.pop();
                    continue;
                }
                Event::Text(text) => (*text).into(),
                Event::CData(text) => (*text).into(),
                Event::GeneralRef(entity) => {
                    unescape(&format!("&{};", &*entity)).map(Cow::into_owned).unwrap_or_default()
                }
                Event::Eof => break,
                _ => continue,
            };
            if let Some(&innermost) = open.last() {
                inner.elements[innermost].1.push_str(&text);
            }
            inner.text.push_str(&text);
        }
        inner
    }

    /// Returns the first number in an element of this name, in any case.
    fn number(&self, name: &str, fits: impl Fn(f64) -> bool) -> Option<String> {
        let named = self.elements.iter().filter(|(element, _)| element.eq_ignore_ascii_case(name));
        let mut candidates = named.flat_map(|(_, text)| numbers_in(text));
        candidates.find(|text| {
            text.parse::<f64>().is_ok_and(&fits) && is_sound(&format!("<X>{text}</X>"), "X", Take::Float)
        })
    }

    /// Returns elements with these names, with the numbers that can be read. `None` if one without a default cannot be.
    fn components(&self, names: &[&str], absent: impl Fn(&str) -> Option<&'static str>) -> Option<String> {
        let is_colour = names.contains(&"R");
        let fits = |number: f64| !is_colour || (0.0..256.0).contains(&number.trunc());
        let component = |name: &&str| {
            let number = self.number(name, fits).or_else(|| absent(name).map(str::to_owned))?;
            Some(format!("<{name}>{number}</{name}>"))
        };
        names.iter().map(component).collect()
    }

    /// Returns this many elements with numbers. `None` if there are fewer.
    fn numbers(&self, count: usize) -> Option<String> {
        let is_number = |text: &String| text.parse::<f64>().is_ok();
        let numbers =
            self.elements.iter().filter_map(|(_, text)| numbers_in(text).into_iter().find(is_number));
        let numbers: Vec<String> = numbers.take(count).map(|number| format!("<V>{number}</V>")).collect();
        (numbers.len() == count).then(|| numbers.concat())
    }
}

/// Returns a text as it is, and with signs, points and sizes that .NET reads.
fn numbers_in(text: &str) -> Vec<String> {
    let plain = text.trim().replace('\u{2212}', "-");
    let mut candidates = vec![plain.clone()];
    if plain.matches(',').count() == 1 && !plain.contains('.') {
        candidates.push(plain.replace(',', "."));
    }
    if let Ok(number) = plain.parse::<f64>() {
        candidates.push(format!("{:.0}", number.trunc()));
    }
    // Masks have 32 bits; OpenSim reads them with a sign.
    if let Ok(mask) = plain.parse::<u32>() {
        candidates.push(mask.cast_signed().to_string());
    }
    candidates
}

/// Returns the bytes in base64 that can be read.
fn base64(text: &str) -> Option<String> {
    let is_digit = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/');
    let mut digits: String = text.chars().filter(is_digit).collect();
    // A single digit has less than a byte.
    if digits.len() % 4 == 1 {
        digits.pop();
    }
    digits.extend(std::iter::repeat_n('=', digits.len().next_multiple_of(4) - digits.len()));
    let bytes = hullmark_util::base64::decode(&digits)?;
    (!bytes.is_empty()).then_some(digits)
}

/// Returns an element without comments and instructions. `None` if it has none.
fn without_comments(element: &str) -> Option<String> {
    let (mut reader, mut out) = (Reader::from_str(element), String::with_capacity(element.len()));
    loop {
        let begin = usize::try_from(reader.buffer_position()).ok()?;
        let event = reader.read_event().ok()?;
        let end = usize::try_from(reader.buffer_position()).ok()?;
        match event {
            Event::Eof => break,
            Event::Comment(_) | Event::PI(_) => {}
            _ => out.push_str(element.get(begin..end)?),
        }
    }
    (out.len() < element.len()).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hullmark_format::loader::field_in;

    #[test]
    fn what_can_be_read_is_kept() {
        for (element, field, expected) in [
            ("<Name>a<b>c</b>&amp;<!-- d -->e</Name>", "Name", Some("<Name>ac&amp;e</Name>")),
            ("<LinkNum>1.0</LinkNum>", "LinkNum", Some("<LinkNum>1</LinkNum>")),
            ("<LinkNum>x</LinkNum>", "LinkNum", None),
            ("<OwnerMask>4294967295</OwnerMask>", "OwnerMask", Some("<OwnerMask>-1</OwnerMask>")),
            ("<Density>1<!-- c -->0,5</Density>", "Density", Some("<Density>10.5</Density>")),
            ("<Flags>-1</Flags>", "Flags", None),
            (
                "<Velocity><X>1</X><!-- c --><Y>zwei</Y><z>3,5</z></Velocity>",
                "Velocity",
                Some("<Velocity><X>1</X><Y>0</Y><Z>3.5</Z></Velocity>"),
            ),
            ("<Scale><X>1</X><Y/><Z>1</Z></Scale>", "Scale", None),
            (
                "<RotationOffset/>",
                "RotationOffset",
                Some("<RotationOffset><X>0</X><Y>0</Y><Z>0</Z><W>1</W></RotationOffset>"),
            ),
            (
                "<RotationOffset><X>0.5</X>text<W>0.5</W></RotationOffset>",
                "RotationOffset",
                Some("<RotationOffset><X>0.5</X><Y>0</Y><Z>0</Z><W>0.5</W></RotationOffset>"),
            ),
            (
                "<Color><A>1</A><R>300</R><G>7</G></Color>",
                "Color",
                Some("<Color><R>0</R><G>7</G><B>0</B><A>1</A></Color>"),
            ),
            (
                "<OwnerID><UUID><UUID>0a0a0a0a-0000-4000-8000-000000000001</UUID></UUID></OwnerID>",
                "OwnerID",
                Some("<OwnerID><UUID>0a0a0a0a-0000-4000-8000-000000000001</UUID></OwnerID>"),
            ),
            (
                "<CreatorID/>",
                "CreatorID",
                Some("<CreatorID><UUID>00000000-0000-0000-0000-000000000000</UUID></CreatorID>"),
            ),
            (
                "<ParticleSystem>&#x1;AAEC!</ParticleSystem>",
                "ParticleSystem",
                Some("<ParticleSystem>AAEC</ParticleSystem>"),
            ),
            ("<ParticleSystem>!</ParticleSystem>", "ParticleSystem", None),
            (
                "<DynAttrs><llsd><map><key>a</key><string>b<!-- c --></string></map></llsd></DynAttrs>",
                "DynAttrs",
                Some("<DynAttrs><llsd><map><key>a</key><string>b</string></map></llsd></DynAttrs>"),
            ),
        ] {
            let take = field_in("SceneObjectPart", field).unwrap();
            assert!(!is_sound(element, field, take), "{element}");
            assert_eq!(mended(element, field, take).as_deref(), expected, "{element}");
        }
    }
}
