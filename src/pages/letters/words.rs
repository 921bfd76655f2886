//! The words of letters in each language, from Fluent files in `locales/`.

use fluent_bundle::{FluentArgs, FluentBundle, FluentResource, FluentValue};
use hullmark_settings::letters::Language;
use hullmark_util::{named, number_text::plain};
use unic_langid::LanguageIdentifier;

named! {
    /// Sentences of letters, other than cures.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub(super) enum Key {
        Title = "title",
        TitleGrid = "title-grid",
        Address = "address",
        AddressUnknown = "address-unknown",
        Intro = "intro",
        Have = "have",
        Elsewhere = "elsewhere",
        LandImpactUsed = "land-impact-used",
        LandPrimsUsed = "land-prims-used",
        Attention = "attention",
        Incomplete = "incomplete",
        HelpMost = "help-most",
        Action = "action",
        ActionLinks = "action-links",
        ActionObjects = "action-objects",
        ActionMorePlaces = "action-more-places",
        ActionClosesOpenings = "action-closes-openings",
        ActionConvexHull = "action-convex-hull",
        ActionShapeNone = "action-shape-none",
        ActionCoarserLevels = "action-coarser-levels",
        ActionRemoveCopy = "action-remove-copy",
        ActionLink = "action-link",
        Broken = "broken",
        HowTo = "how-to",
        Urgent = "urgent",
        Important = "important",
        Recommended = "recommended",
        Quoted = "quoted",
        Times = "times",
        Unnamed = "unnamed",
        Parcel = "parcel",
        ParcelUnnamed = "parcel-unnamed",
        Region = "region",
        Inventory = "inventory",
        Place = "place",
        InRegion = "in-region",
        InFile = "in-file",
        InInventory = "in-inventory",
        InInventoryAt = "in-inventory-at",
        MorePlaces = "more-places",
        MoreObjects = "more-objects",
        MoreCures = "more-cures",
        Unchanged = "unchanged",
        Ask = "ask",
        AskOperator = "ask-operator",
        Deadline = "deadline",
        MovedTitle = "moved-title",
        MovedIntro = "moved-intro",
        MovedCounts = "moved-counts",
        MovedLost = "problem-moved-lost",
        MovedIncomplete = "problem-moved-incomplete",
        MovedLand = "problem-moved-land",
        MovedItems = "problem-moved-items",
        LandFull = "problem-land-full",
        LandPrims = "problem-land-prims",
        TooHeavyToMove = "problem-too-heavy-to-move",
        ObjectTooHeavy = "problem-object-too-heavy",
        ThinTriangles = "problem-thin-triangles",
        PhysicsMeshLarge = "problem-physics-mesh-large",
        ManyColliding = "problem-many-colliding",
        NoRoomForEdit = "problem-no-room-for-edit",
        TooManyPrims = "problem-too-many-prims",
        TooWide = "problem-too-wide",
        ChildFar = "problem-child-far",
        PrimTooLarge = "problem-prim-too-large",
        RootNone = "problem-root-none",
        MeshDamaged = "problem-mesh-damaged",
        HullMissing = "problem-hull-missing",
        HullComplex = "problem-hull-complex",
        MeshTooLarge = "problem-mesh-too-large",
        CollidesElsewhere = "problem-collides-elsewhere",
        SamePlace = "problem-same-place",
        SharedUuid = "problem-shared-uuid",
        InvalidShape = "problem-invalid-shape",
        Outside = "problem-outside",
        WrongHeight = "problem-wrong-height",
        NestedMissing = "problem-nested-missing",
        NestedDeep = "problem-nested-deep",
        LinkOrder = "problem-link-order",
        AssetMissing = "problem-asset-missing",
        AssetDamaged = "problem-asset-damaged",
        TextureNotShown = "problem-texture-not-shown",
        ManyScripts = "problem-many-scripts",
        ScriptRefused = "problem-script-refused",
        ScriptDataLost = "problem-script-data-lost",
        ParcelDamaged = "problem-parcel-damaged",
        InventoryItems = "problem-inventory-items",
        InventoryLinks = "problem-inventory-links",
        InventoryFolders = "problem-inventory-folders",
        FileDamaged = "problem-file-damaged",
        UuidMissing = "problem-uuid-missing",
        MeshConflict = "problem-mesh-conflict",
        Other = "problem-other",
    }
}

named! {
    /// Cures. The value has a step on each line, and the attribute `title` the heading.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub(super) enum Cure {
        LandRoom = "cure-land-room",
        FewerPrims = "cure-fewer-prims",
        ConvexHull = "cure-convex-hull",
        ShapeNone = "cure-shape-none",
        LeaveRoom = "cure-leave-room",
        Split = "cure-split",
        Unlink = "cure-unlink",
        Smaller = "cure-smaller",
        RootShape = "cure-root-shape",
        UploadMesh = "cure-upload-mesh",
        DeleteCopy = "cure-delete-copy",
        SetAgain = "cure-set-again",
        MoveInside = "cure-move-inside",
        Nested = "cure-nested",
        Relink = "cure-relink",
        ReplaceAsset = "cure-replace-asset",
        TextureSize = "cure-texture-size",
        FewerScripts = "cure-fewer-scripts",
        RewriteScript = "cure-rewrite-script",
        ScriptData = "cure-script-data",
        CheckParcel = "cure-check-parcel",
        DeleteItems = "cure-delete-items",
        Operator = "cure-operator",
        MovedLost = "cure-moved-lost",
        MovedIncomplete = "cure-moved-incomplete",
        MovedLand = "cure-moved-land",
        MovedItems = "cure-moved-items",
    }
}

/// Values for the placeholders of a sentence.
pub(super) type Values<'a> = &'a [(&'static str, FluentValue<'a>)];

/// The words of one language.
pub(super) struct Words(FluentBundle<FluentResource>);

impl Words {
    pub(super) fn new(language: Language) -> Self {
        let identifier: LanguageIdentifier = language.name().parse().unwrap_or_default();
        let mut bundle = FluentBundle::new(vec![identifier]);
        // Names are cleaned, and a page isolates its elements.
        bundle.set_use_isolating(false);
        bundle.set_formatter(Some(match language {
            Language::En => with_commas,
            Language::Fr => with_spaces,
            Language::De | Language::Es | Language::Pt | Language::It => with_points,
        }));
        let resource = FluentResource::try_new(source(language).into());
        // A test parses all files. The intact messages of a broken file are used.
        let (Ok(resource) | Err((resource, _))) = resource;
        let _ = bundle.add_resource(resource);
        Self(bundle)
    }

    /// Returns a sentence with these values.
    pub(super) fn say(&self, key: Key, values: Values<'_>) -> String {
        self.text(key.name(), None, values).unwrap_or_default()
    }

    /// Returns measured value and limit of a problem. `None` if letters do not state them.
    pub(super) fn amount(&self, key: Key, values: Values<'_>) -> Option<String> {
        self.text(key.name(), Some("amount"), values)
    }

    /// Returns the heading of a cure.
    pub(super) fn cure_title(&self, cure: Cure) -> String {
        self.text(cure.name(), Some("title"), &[]).unwrap_or_default()
    }

    /// Returns the steps of a cure.
    pub(super) fn cure_steps(&self, cure: Cure) -> Vec<String> {
        let steps = self.text(cure.name(), None, &[]).unwrap_or_default();
        steps.lines().map(Into::into).collect()
    }

    fn text(&self, key: &str, attribute: Option<&str>, values: Values<'_>) -> Option<String> {
        let message = self.0.get_message(key)?;
        let pattern = match attribute {
            None => message.value()?,
            Some(attribute) => message.get_attribute(attribute)?.value(),
        };
        let args: FluentArgs<'_> = values.iter().map(|(name, value)| (*name, value.clone())).collect();
        Some(self.0.format_pattern(pattern, Some(&args), &mut Vec::new()).into_owned())
    }
}

/// Returns the text of the file of a language.
fn source(language: Language) -> &'static str {
    match language {
        Language::En => include_str!("locales/en.ftl"),
        Language::De => include_str!("locales/de.ftl"),
        Language::Es => include_str!("locales/es.ftl"),
        Language::Pt => include_str!("locales/pt.ftl"),
        Language::Fr => include_str!("locales/fr.ftl"),
        Language::It => include_str!("locales/it.ftl"),
    }
}

/// Formats numbers as `1,234.5`.
fn with_commas<M>(value: &FluentValue<'_>, _: &M) -> Option<String> {
    number(value, ',', '.')
}

/// Formats numbers as `1.234,5`.
fn with_points<M>(value: &FluentValue<'_>, _: &M) -> Option<String> {
    number(value, '.', ',')
}

/// Formats numbers as `1 234,5`, with spaces that do not break lines.
fn with_spaces<M>(value: &FluentValue<'_>, _: &M) -> Option<String> {
    number(value, '\u{a0}', ',')
}

/// Formats a number with at most two decimals. `None` for other values.
fn number(value: &FluentValue<'_>, thousands: char, decimal: char) -> Option<String> {
    let FluentValue::Number(number) = value else { return None };
    let text = plain((number.value * 100.0).round() / 100.0);
    let (whole, decimals) = text.split_once('.').unwrap_or((&text, ""));
    let digits = whole.trim_start_matches('-').len();
    let mut shown = String::new();
    for (place, c) in whole.chars().enumerate() {
        let left = whole.len() - place;
        if left < digits && left.is_multiple_of(3) {
            shown.push(thousands);
        }
        shown.push(c);
    }
    if !decimals.is_empty() {
        shown.push(decimal);
        shown += decimals;
    }
    Some(shown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    /// Returns the placeholders of each message of a file; attributes are messages of their own.
    fn placeholders(language: Language) -> BTreeMap<String, BTreeSet<String>> {
        let mut messages: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let (mut message, mut key) = (String::new(), String::new());
        for line in source(language).lines().filter(|line| !line.starts_with('#')) {
            let (name, _) = line.split_once(" =").unwrap_or_default();
            if line.starts_with(char::is_alphabetic) {
                name.clone_into(&mut message);
                name.clone_into(&mut key);
            } else if let Some(attribute) = name.trim().strip_prefix('.') {
                key = format!("{message}.{attribute}");
            } else if line.starts_with('-') {
                key.clear();
            }
            if key.is_empty() {
                continue;
            }
            let values = messages.entry(key.clone()).or_default();
            for value in line.split('$').skip(1) {
                let end = value.find(|c: char| !c.is_alphanumeric()).unwrap_or(value.len());
                values.insert(value[..end].into());
            }
        }
        messages
    }

    #[test]
    fn every_language_has_every_key_with_the_same_placeholders_and_no_other() {
        let english = placeholders(Language::En);
        let titles = Cure::ALL.map(|cure| format!("{}.title", cure.name()));
        let used: BTreeSet<String> = Key::ALL.map(Key::name).into_iter().map(Into::into).collect();
        let used = used.into_iter().chain(Cure::ALL.map(|cure| cure.name().into())).chain(titles);
        let used: BTreeSet<String> = used.collect();
        let present: BTreeSet<String> =
            english.keys().filter(|key| !key.ends_with(".amount")).cloned().collect();
        assert_eq!(present, used, "no key is missing or unused");
        for language in Language::ALL {
            assert_eq!(placeholders(language), english, "{language:?}");
            if let Err((_, errors)) = FluentResource::try_new(source(language).into()) {
                panic!("{language:?}: {errors:?}");
            }
        }
    }

    #[test]
    fn every_sentence_of_every_language_can_be_said() {
        let values = |amount: f64| {
            placeholders(Language::En)
                .into_values()
                .flatten()
                .map(move |name| (name, FluentValue::from(amount)))
        };
        for language in Language::ALL {
            let words = Words::new(language);
            for amount in [1.0, 2.0, 1_000_000.0] {
                let args: FluentArgs<'_> = values(amount).collect();
                for (key, _) in placeholders(language) {
                    let (message, attribute) = key.split_once('.').unwrap_or((&key, ""));
                    let message = words.0.get_message(message).unwrap();
                    let pattern = match attribute {
                        "" => message.value().unwrap(),
                        _ => message.get_attribute(attribute).unwrap().value(),
                    };
                    let mut errors = Vec::new();
                    let text = words.0.format_pattern(pattern, Some(&args), &mut errors);
                    assert!(errors.is_empty() && !text.is_empty(), "{language:?} {key}: {errors:?}");
                    assert!(!text.contains(['{', '}', '`']), "{language:?} {key}: {text}");
                }
            }
        }
    }

    #[test]
    fn numbers_follow_the_language() {
        let impact = |language, value: f64| {
            let values = [("measured", value.into()), ("limit", 22_500.into()), ("percent", 423.into())];
            Words::new(language).amount(Key::LandFull, &values).unwrap()
        };
        assert_eq!(impact(Language::En, 95_241.256), "land impact 95,241.26 of 22,500 (423 %)");
        assert_eq!(impact(Language::De, 95_241.5), "Auswirkung auf Land 95.241,5 von 22.500 (423 %)");
        assert!(impact(Language::Fr, 1_234_567.0).contains("1\u{a0}234\u{a0}567"));
        let have = |objects: u64| {
            let values = [
                ("objects", objects.into()),
                ("prims", 1.into()),
                ("impact", 3.into()),
                ("bound", "exact".into()),
            ];
            Words::new(Language::En).say(Key::Have, &values)
        };
        assert_eq!(have(1), "You own 1 object with 1 prim in regions. Its land impact is 3.");
        assert_eq!(have(1200), "You own 1,200 objects with 1 prim in regions. Their land impact is 3.");
    }
}
