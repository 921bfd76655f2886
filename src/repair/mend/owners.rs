//! Replaces people whom the target lacks.

use super::{Change, document::Document, edits::Edits};
use hullmark_finding::Code;
use hullmark_format::defect::DocumentType;
use std::collections::HashMap;
use uuid::Uuid;

/// Elements that name a person, in objects, parcels and items of an inventory.
const PEOPLE: [&str; 6] = ["OwnerID", "LastOwnerID", "CreatorID", "PermsGranter", "Owner", "CreatorUUID"];

/// Replaces people in a document. `None` if it names none of them. All bytes outside of these elements stay.
pub(crate) fn replaced(bytes: &[u8], people: &HashMap<Uuid, Uuid>) -> Option<(Vec<u8>, Vec<Change>)> {
    // Texts that are not UTF-8 were mended before.
    let text = std::str::from_utf8(bytes).ok()?;
    let named = people.keys().any(|person| text.contains(&person.to_string()));
    if !named {
        return None;
    }
    let mut document = Document::new(bytes, DocumentType::Object, Code::OWN001);
    let mut edits = Edits::default();
    let mut changes = Vec::new();
    for (element, range) in document.elements() {
        if !PEOPLE.contains(&element.name.as_str()) {
            continue;
        }
        let old = &document.text[range.clone()];
        let person = people.iter().find(|(person, _)| old.contains(&person.to_string()));
        if let Some((person, instead)) = person {
            let new = old.replace(&person.to_string(), &instead.to_string());
            let change = Change::new(Code::OWN001, element.name, "the map of --owners names another person");
            changes.push(change.replacing(&person.to_string(), &instead.to_string()));
            edits.replace(range, new);
        }
    }
    document.text = edits.apply(&document.text);
    (!changes.is_empty()).then(|| (document.text.into_bytes(), changes))
}
