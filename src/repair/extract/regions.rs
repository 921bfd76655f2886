//! The control file of an archive of several regions, without some of them.

use quick_xml::{Reader, escape::unescape, events::Event};
use std::{collections::HashSet, ops::Range};

/// Replaces the regions of other folders by gaps. All other bytes stay. `None` if the file cannot be read.
pub(crate) fn without_other_regions(bytes: &[u8], kept: &HashSet<&str>) -> Option<Vec<u8>> {
    // The reader does not count the byte order mark.
    let mark = if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    let mut reader = Reader::from_str(std::str::from_utf8(&bytes[mark..]).ok()?);
    let mut left_out: Vec<Range<usize>> = Vec::new();
    let (mut begin, mut folder, mut is_folder) = (None, String::new(), false);
    loop {
        let position = mark + usize::try_from(reader.buffer_position()).ok()?;
        match reader.read_event().ok()? {
            Event::Start(element) if element.name().as_ref() == "region" => {
                (begin, folder) = (Some(position), String::new());
            }
            Event::Start(element) => is_folder = element.name().as_ref() == "dir",
            Event::Text(text) if is_folder => folder.push_str(&text),
            Event::GeneralRef(entity) if is_folder => {
                folder.push_str(&unescape(&format!("&{};", &*entity)).ok()?);
            }
            Event::End(element) if element.name().as_ref() == "region" => {
                let end = mark + usize::try_from(reader.buffer_position()).ok()?;
                if let Some(begin) = begin.take().filter(|_| !kept.contains(folder.as_str())) {
                    left_out.push(begin..end);
                }
            }
            Event::End(_) => is_folder = false,
            Event::Eof => break,
            _ => {}
        }
    }
    let mut out = Vec::with_capacity(bytes.len());
    let mut done = 0;
    for range in left_out {
        out.extend_from_slice(bytes.get(done..range.start)?);
        out.extend_from_slice(b"<region/>");
        done = range.end;
    }
    out.extend_from_slice(bytes.get(done..)?);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_change_of_the_file_gives_a_file_or_none(at in 0..190_usize, byte in any::<u8>(), cut in 0..200_usize) {
            let file = b"<archive><regions><row><region><dir>a&lt;</dir></region><region/></row><!-- --><row>\
                         <region><dir><![CDATA[b]]></dir></region></row></regions><r a='&#x41;'/></archive>";
            let mut file = file.to_vec();
            let at = at % file.len();
            file[at] = byte;
            file.truncate(cut);
            if let Some(out) = without_other_regions(&file, &HashSet::from(["b"])) {
                prop_assert!(out.len() <= file.len() + "<region/>".len());
                prop_assert_eq!(without_other_regions(&file, &HashSet::from(["b"])), Some(out));
            }
        }
    }

    #[test]
    fn other_regions_become_gaps_and_all_else_stays() {
        let file = "\u{feff}<?xml version=\"1.0\"?>\r\n<archive><regions><row><region><id>1</id><dir>1_1_A &amp; &#66;</dir></region>\
                    <region/></row><row> <region>\n<dir>2_1_C</dir></region></row></regions><region_info/></archive>";
        let kept = |folder| {
            let out = without_other_regions(file.as_bytes(), &HashSet::from([folder])).unwrap();
            String::from_utf8(out).unwrap()
        };
        assert_eq!(
            kept("2_1_C"),
            file.replace("<region><id>1</id><dir>1_1_A &amp; &#66;</dir></region>", "<region/>")
        );
        assert_eq!(kept("1_1_A & B"), file.replace("<region>\n<dir>2_1_C</dir></region>", "<region/>"));
        assert_eq!(
            without_other_regions(b"<archive><region>", &HashSet::new()),
            Some(b"<archive><region>".to_vec())
        );
        assert_eq!(without_other_regions(b"<archive></b>", &HashSet::new()), None);
    }
}
