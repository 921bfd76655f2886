//! AST006, AST009: textures, by their headers.

use super::{asset::why_unread, place::at_user};
use crate::{RuleOutcomes, SkipReason, first_of};
use hullmark_analysis::Measured;
use hullmark_finding::{Code, Finding};
use hullmark_ledger::facts::{AssetFacts, Content, Status};
use hullmark_media::image::media::Image;
use hullmark_settings::profile::AssetLimits;
use hullmark_util::number_text::{counted, thousands};
use std::cmp::Reverse;

/// The longest side of a texture that viewers show, on any grid (V `llimage.h`, `MAX_IMAGE_SIZE`).
const MOST_SHOWN_PX: u32 = 4096;

/// Textures with a longer side than the target allows, and textures with too many pixels. One finding for each limit,
/// the largest first.
pub(super) fn texture_too_large(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    let AssetLimits { max_texture_px, max_texture_pixels, .. } = measured.profile.assets;
    let (long, short): (Vec<_>, Vec<_>) =
        images(measured).partition(|(image, _)| longest(*image) > max_texture_px);
    let large =
        short.into_iter().filter(|(image, _)| pixels(*image) > u64::from(max_texture_pixels)).collect();
    let found = [
        oversized("along a side", long, |image| longest(image).into(), max_texture_px),
        oversized("in all", large, pixels, max_texture_pixels),
    ];
    let found: Vec<Finding> = found.into_iter().flatten().collect();
    if found.is_empty() {
        not_evaluated(measured, outcomes);
    }
    outcomes.extend(found);
}

fn oversized(
    within: &'static str,
    mut textures: Vec<(Image, &AssetFacts)>,
    measure: fn(Image) -> u64,
    limit: u32,
) -> Option<Finding> {
    textures.sort_by_key(|(image, _)| Reverse(measure(*image)));
    let (largest, _) = *textures.first()?;
    let words = |(image, asset): &(Image, &AssetFacts)| format!("{} ({} px)", name(asset), size(*image));
    let detail = format!(
        "{}: {}",
        counted(textures.len() as u64, "texture"),
        first_of(textures.len(), textures.iter().map(words))
    );
    let finding = Finding::new(Code::AST006).within(within).measured(measure(largest) as f64);
    Some(finding.limit(limit).detail(detail))
}

/// Counts the textures of unknown size, which might be too large.
fn not_evaluated(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    let unread = measured.ledger.assets.iter().find(|asset| {
        is_texture(asset) && matches!(asset.content, Content::NotEvaluated(_) | Content::Damaged(_))
    });
    let reason = match unread {
        _ if measured.ledger.status != Status::Complete => return,
        Some(AssetFacts { content: Content::Damaged(_), .. }) => SkipReason::Damaged,
        Some(asset) => why_unread(asset),
        None => return,
    };
    outcomes.not_evaluated(Code::AST006, reason, 1);
}

/// A texture with sides that no viewer shows. Sculpt maps are read, not shown.
pub(super) fn no_viewer_shows_it(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    for (image, asset) in images(measured) {
        let used = asset.uuid().and_then(|uuid| measured.uses.get(&uuid));
        let shown = used.is_none_or(|used| used.kind != "sculpt map");
        let refused = [image.width, image.height].iter().any(|side| !side.is_power_of_two())
            || longest(image) > MOST_SHOWN_PX;
        // Grids keep TGA images for old viewers.
        if !shown || !refused || asset.suffix() == Some("_texture.tga") {
            continue;
        }
        outcomes.push(at_user(measured, asset, Code::AST009).detail(size(image)));
    }
    for asset in measured.ledger.assets.iter().filter(|asset| is_texture(asset)) {
        if let Content::NotEvaluated(_) = asset.content {
            outcomes.not_evaluated(Code::AST009, why_unread(asset), 1);
        }
    }
}

fn images<'a>(measured: &Measured<'a>) -> impl Iterator<Item = (Image, &'a AssetFacts)> {
    measured.ledger.assets.iter().filter_map(|asset| Some((asset.content.image()?, asset)))
}

fn is_texture(asset: &AssetFacts) -> bool {
    asset.suffix() == Some("_texture.jp2")
}

fn longest(image: Image) -> u32 {
    image.width.max(image.height)
}

fn pixels(image: Image) -> u64 {
    u64::from(image.width) * u64::from(image.height)
}

fn size(image: Image) -> String {
    sides([image.width, image.height])
}

/// Formats width and height.
pub(super) fn sides(sides: [u32; 2]) -> String {
    sides.map(|side| thousands(side.into())).join(" × ")
}

/// Returns the UUID of the asset, or its entry if the name has none.
fn name(asset: &AssetFacts) -> String {
    asset.uuid().map_or_else(|| asset.entry.to_string(), |uuid| uuid.to_string())
}
