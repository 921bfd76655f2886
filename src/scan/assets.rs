//! The facts that a single asset provides: its hash and its content. Assets without a decoder pass in pieces; only
//! their first bytes are held.

use hullmark_format::{
    defect::{Defect, InputDefect},
    member, text,
    viewer::cached_mesh::{self, CachedMesh},
};
use hullmark_ledger::facts::{AssetFacts, Content, CutShort};
use hullmark_media::{
    extent::{Cut, Extent, Format},
    image::{
        cut_short,
        media::{self, Unclear},
    },
};
use hullmark_source::{Item, Kind};
use hullmark_storage::contents::ContentCache;
use hullmark_util::{
    catch_panic::caught,
    timings::{self, Stage},
};
use xxhash_rust::xxh3::Xxh3;

/// A member whose bytes pass in pieces.
pub(super) struct PassingAsset {
    hash: Xxh3,
    bytes: u64,
    /// Whether all bytes so far are zero.
    zeros: bool,
    /// The first bytes, at most `media::START`.
    start: Vec<u8>,
    /// Reads the length that the asset states. `None` if its format cannot state one.
    extent: Option<Extent>,
}

impl PassingAsset {
    /// Creates the state for the member of this name, before its first byte.
    pub(super) fn new(name: &str) -> Self {
        let extent = member::suffix(name).and_then(format_of).map(Extent::new);
        Self { hash: Xxh3::new(), bytes: 0, zeros: true, start: Vec::new(), extent }
    }

    pub(super) fn take(&mut self, piece: &[u8]) {
        timings::pass(Stage::Assets, piece.len());
        timings::within(Stage::Assets, || {
            self.hash.update(piece);
            self.zeros = self.zeros && piece.iter().all(|&byte| byte == 0);
            if let Some(extent) = &mut self.extent {
                extent.take(piece);
            }
        });
        self.bytes += piece.len() as u64;
        let wanted = media::START.saturating_sub(self.start.len());
        self.start.extend(&piece[..piece.len().min(wanted)]);
    }

    /// Whether all bytes of a member of this size have passed.
    pub(super) fn is_whole(&self, size: u64) -> bool {
        self.bytes == size
    }

    pub(super) fn facts(&self, name: &str, kind: Kind, size: u64) -> AssetFacts {
        self.facts_with(name, size, |suffix| {
            let content = content_of_start(kind, suffix, &self.start, size);
            let extent = self.extent.as_ref().filter(|_| !matches!(content, Content::Damaged(_)));
            match extent.and_then(|extent| extent.cut(size)) {
                Some(cut) => self.cut_short(kind, &content, cut),
                None => content,
            }
        })
    }

    fn cut_short(&self, kind: Kind, content: &Content, cut: Cut) -> Content {
        let needs = match cut {
            Cut::Of(bytes) => Some(bytes),
            Cut::NoEnd => None,
        };
        let is_all = self.start.len() as u64 == self.bytes;
        let remains = (kind == Kind::Texture).then(|| cut_short::remains(&self.start, is_all));
        Content::CutShort(Box::new(CutShort { needs, image: content.image(), remains }))
    }

    /// Returns the facts. Calls `content` only if the asset is complete and not all zeros.
    fn facts_with(&self, name: &str, size: u64, content: impl FnOnce(Option<&str>) -> Content) -> AssetFacts {
        // Names of files in the cache of a viewer have no type.
        let is_cached = cached_mesh::name_in_cache(name).is_some();
        let of_start = || cached_mesh::suffix_of(&self.start).filter(|_| is_cached);
        let suffix = member::suffix(name).or_else(of_start);
        let content = match self.is_whole(size) {
            false => Content::NotEvaluated("it could not be read to its end".into()),
            true if size == 0 => Content::Empty,
            true if self.zeros => Content::Zeros,
            true => content(suffix),
        };
        AssetFacts {
            entry: name.into(),
            bytes: size,
            content_hash: self.is_whole(size).then(|| self.hash.digest128().into()),
            content,
        }
    }
}

/// Returns the facts of an asset that is held completely, and a defect if the decoder panicked.
pub(super) fn of_item(item: &Item, contents: Option<&ContentCache>) -> (AssetFacts, Option<Box<Defect>>) {
    let mut passing = PassingAsset::new(&item.name);
    passing.take(&item.bytes);
    if item.kind != Kind::Text {
        let mut facts = passing.facts(&item.name, item.kind, item.size);
        if item.kind == Kind::Mesh && CachedMesh::of_file(&item.name, &item.bytes).is_some() {
            // Bytes that a viewer did not fetch are part of the asset.
            facts.content_hash = None;
        }
        return (facts, None);
    }
    let mut failed = None;
    let facts = passing.facts_with(&item.name, item.size, |suffix| {
        let suffix = suffix.unwrap_or_default();
        let decode = || match timings::within(Stage::Assets, || caught(|| text::decode(suffix, &item.bytes)))
        {
            Ok(Ok(text)) => Ok(text),
            Ok(Err(why)) => Err(Content::Damaged(why.into())),
            Err(words) => {
                let why = format!("hullmark failed: {words}");
                failed = Some(Box::new(Defect::new(InputDefect::Panicked { words }).entry(&item.name)));
                Err(Content::NotEvaluated(why.into()))
            }
        };
        let text = ContentCache::get_or_decode(contents, suffix, &item.bytes, decode);
        text.map_or_else(|content| content, |text| Content::Text(Box::new(text)))
    });
    (facts, failed)
}

/// Returns the format for this suffix. `None` if the format cannot state the length of the asset.
fn format_of(suffix: &str) -> Option<Format> {
    Some(match suffix {
        "_texture.jp2" => Format::Jpeg2000,
        "_texture.tga" | "_image.tga" => Format::Tga,
        "_image.jpg" => Format::Jpeg,
        "_sound.ogg" => Format::Ogg,
        "_sound.wav" => Format::Wave,
        "_animation.bvh" => Format::Animation,
        _ => return None,
    })
}

/// Determines the content of an asset from its first bytes.
fn content_of_start(kind: Kind, suffix: Option<&str>, start: &[u8], size: u64) -> Content {
    let content = match (kind, suffix) {
        (Kind::Texture, _) => media::jpeg2000_image(start, size).map(Content::Image),
        (Kind::Asset, Some("_texture.tga")) => media::tga_image(start).map(Content::Image),
        (Kind::Asset, Some("_sound.ogg")) => media::ogg(start).map(|()| Content::Sound),
        (Kind::Asset, Some("_sound.wav")) => media::wave(start).map(|()| Content::Sound),
        (Kind::Asset, Some("_animation.bvh")) => media::animation(start).map(Content::Animation),
        (Kind::Text, _) => return Content::NotEvaluated("it is larger than the limit `text_bytes`".into()),
        _ => Ok(Content::Opaque),
    };
    content.unwrap_or_else(|unclear| match unclear {
        Unclear::Damaged(why) => Content::Damaged(why.into()),
        Unclear::Further(why) => Content::NotEvaluated(why.into()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use xxhash_rust::xxh3::xxh3_128;

    const NAME: &str = "assets/47397b0a-7c25-4905-b82d-946cbe329328_sound.ogg";

    fn facts_of(bytes: &[u8], size: u64) -> AssetFacts {
        let item = Item::new(NAME.into(), Kind::Asset, bytes.to_vec(), size);
        of_item(&item, None).0
    }

    #[test]
    fn nothing_zeros_and_damage_are_reported_apart() {
        let content = |bytes: &[u8]| facts_of(bytes, bytes.len() as u64).content;
        assert_eq!(content(b""), Content::Empty);
        assert_eq!(content(&[0; 9]), Content::Zeros);
        let page = [&b"OggS\0\x06"[..], &[0; 20], &[1, 2, 7, 7]].concat();
        assert_eq!(content(&page), Content::Sound);
        let CutShort { needs, image, remains } = *match content(&page[..29]) {
            Content::CutShort(cut) => cut,
            other => panic!("{other:?}"),
        };
        assert_eq!((needs, image, remains), (Some(30), None, None));
        assert!(matches!(content(b"ID3"), Content::Damaged(_)));
        let cut = facts_of(b"OggS", 100);
        assert_eq!((cut.bytes, cut.content_hash), (100, None));
        assert!(matches!(cut.content, Content::NotEvaluated(_)));
    }

    proptest! {
        #[test]
        fn pieces_give_the_facts_of_the_whole(
            bytes in prop::collection::vec(0..3_u8, 0..6000),
            cuts in prop::collection::vec(0..6000_usize, 0..8),
        ) {
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let mut passing = PassingAsset::new(NAME);
            cuts.windows(2).for_each(|pair| passing.take(&bytes[pair[0]..pair[1]]));
            let size = bytes.len() as u64;
            let facts = passing.facts(NAME, Kind::Asset, size);
            prop_assert_eq!(facts.content_hash, Some(xxh3_128(&bytes).into()));
            prop_assert_eq!(&passing.start[..], &bytes[..bytes.len().min(media::START)]);
            prop_assert_eq!(facts, facts_of(&bytes, size));
        }
    }
}
