//! Whether libOpenMetaverse reads a text as a map in XML LLSD. Each of its exceptions makes it no map.

use super::reader::{NodeKind, XmlReader};
use hullmark_util::base64;
use std::borrow::Cow;

/// Maximum nesting of maps and arrays. OpenSim's reader has no limit, and writers do not come near it.
const DEEPEST: usize = 64;

/// No map: the text is not well-formed, or has another node at some place.
struct NoMap;

type Parsed<T> = Result<T, NoMap>;

/// Whether the text is read as a map: `DeserializeLLSDXml`.
pub(super) fn is_map(reader: XmlReader<'_>) -> bool {
    let mut llsd = Llsd { reader };
    llsd.document().unwrap_or(false)
}

struct Llsd<'a> {
    reader: XmlReader<'a>,
}

impl<'a> Llsd<'a> {
    fn document(&mut self) -> Parsed<bool> {
        self.read()?;
        self.skip_white_space()?;
        // The name of the outer element does not matter.
        self.read()?;
        self.skip_white_space()?;
        let is_map = self.local_name() == "map";
        self.element(0)?;
        Ok(is_map)
    }

    fn element(&mut self, depth: usize) -> Parsed<()> {
        self.skip_white_space()?;
        if self.reader.kind() != NodeKind::Element || depth > DEEPEST {
            return Err(NoMap);
        }
        let name = self.local_name();
        let is_empty = self.reader.is_empty_element();
        match name {
            "map" => return self.map(depth),
            "array" => return self.array(depth),
            "undef" | "boolean" | "integer" | "real" | "uuid" | "date" | "string" | "uri" | "binary"
                if is_empty =>
            {
                return self.read();
            }
            "undef" => {
                self.read()?;
                self.skip_white_space()?;
            }
            "boolean" | "integer" | "real" | "uuid" | "date" | "string" | "uri" => {
                self.read()?;
                self.string()?;
            }
            "binary" => {
                self.read()?;
                base64::decode(self.string()?.trim()).ok_or(NoMap)?;
            }
            _ => self.read()?,
        }
        self.end_of(name)
    }

    fn map(&mut self, depth: usize) -> Parsed<()> {
        if self.reader.is_empty_element() {
            return self.read();
        }
        self.read()?;
        loop {
            self.skip_white_space()?;
            if self.is_end_of("map") {
                return self.read();
            }
            if self.reader.kind() != NodeKind::Element || self.local_name() != "key" {
                return Err(NoMap);
            }
            if !self.reader.is_empty_element() {
                self.read()?;
                self.string()?;
            }
            self.end_of("key")?;
            self.element(depth + 1)?;
        }
    }

    fn array(&mut self, depth: usize) -> Parsed<()> {
        if self.reader.is_empty_element() {
            return self.read();
        }
        self.read()?;
        loop {
            self.skip_white_space()?;
            if self.is_end_of("array") {
                return self.read();
            }
            self.element(depth + 1)?;
        }
    }

    /// `ReadString`: the text up to another node.
    fn string(&mut self) -> Parsed<Cow<'a, str>> {
        let mut text = Cow::Borrowed("");
        while matches!(self.reader.kind(), NodeKind::Text | NodeKind::CData | NodeKind::White) {
            let piece = self.reader.value();
            if text.is_empty() {
                text = piece;
            } else {
                text.to_mut().push_str(&piece);
            }
            self.read()?;
        }
        Ok(text)
    }

    fn local_name(&self) -> &'a str {
        let name = self.reader.name();
        name.split_once(':').map_or(name, |(_, local)| local)
    }

    fn is_end_of(&self, name: &str) -> bool {
        self.reader.kind() == NodeKind::EndElement && self.local_name() == name
    }

    fn end_of(&mut self, name: &str) -> Parsed<()> {
        if self.is_end_of(name) { self.read() } else { Err(NoMap) }
    }

    fn skip_white_space(&mut self) -> Parsed<()> {
        while matches!(self.reader.kind(), NodeKind::White | NodeKind::Aside) {
            self.read()?;
        }
        Ok(())
    }

    fn read(&mut self) -> Parsed<()> {
        self.reader.read().map(drop).map_err(|_| NoMap)
    }
}
