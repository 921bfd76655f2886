//! AST004 to AST007: assets that are there.

use super::abridged;
use crate::{
    facts::{AssetFacts, Content, Status},
    finding::{Code, Finding},
    format::media::Image,
    join::Case,
};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};
use uuid::Uuid;

/// Assets that nothing uses are worth telling when they are so large together.
const UNUSED_BYTES: u64 = 1 << 20;

/// An asset that is empty or not what its name says. Meshes, objects and sculpt maps are judged by their decoders.
pub(super) fn ast004_cannot_be_used(case: &Case<'_>, findings: &mut Vec<Finding>) {
    let told: BTreeSet<Uuid> = findings
        .iter()
        .filter(|finding| finding.code == Code::AST004)
        .filter_map(|finding| finding.place.asset)
        .collect();
    for asset in &case.ledger.assets {
        let decoded = matches!(asset.suffix.as_deref(), None | Some("_mesh.llmesh" | "_object.xml"));
        if decoded || asset.uuid.is_some_and(|uuid| told.contains(&uuid)) {
            continue;
        }
        let why = match &asset.content {
            Content::Empty => "it holds no byte",
            Content::Zeros => "it holds nothing but zeros",
            Content::Damaged(why) => why,
            _ => continue,
        };
        let mut finding = Finding::new(Code::AST004).entry(&asset.entry).detail(why);
        finding.place.asset = asset.uuid;
        findings.push(finding);
    }
}

/// Assets that nothing in a region names, be it in passing: one finding with the largest of them. What could not be
/// read might name them, and what lies in an inventory is used by being there.
pub(super) fn ast005_unused(case: &Case<'_>, findings: &mut Vec<Finding>) {
    let ledger = case.ledger;
    let unread = |asset: &AssetFacts| matches!(asset.content, Content::NotEvaluated(_));
    let unsure = ledger.findings.iter().any(|finding| finding.code == Code::OBJ001)
        || ledger.assets.iter().any(unread);
    if !ledger.kind.starts_with("oar") || ledger.status != Status::Complete || unsure {
        return;
    }
    let texts = ledger.assets.iter().filter_map(|asset| match &asset.content {
        Content::Text(text) => Some(text),
        _ => None,
    });
    let mentioned: BTreeSet<Uuid> = texts.flat_map(|text| &text.mentions).copied().collect();
    let used = |uuid: &Uuid| case.uses.contains_key(uuid) || mentioned.contains(uuid);
    let mut unused: Vec<(u64, Uuid)> = ledger
        .assets
        .iter()
        .filter_map(|asset| Some((asset.bytes, asset.uuid?)))
        .filter(|(_, uuid)| !used(uuid))
        .collect();
    let bytes: u64 = unused.iter().map(|(bytes, _)| bytes).sum();
    if bytes >= UNUSED_BYTES {
        unused.sort_unstable_by(|a, b| b.cmp(a));
        let named: Vec<String> =
            unused.iter().map(|(bytes, uuid)| format!("{uuid} ({bytes} bytes)")).collect();
        let detail = format!("{} assets: {}", named.len(), abridged(&named));
        findings.push(Finding::new(Code::AST005).measured(bytes as f64).detail(detail));
    }
}

/// Textures with a side over the target's limit, the largest first.
pub(super) fn ast006_texture_too_large(case: &Case<'_>, findings: &mut Vec<Finding>) {
    let limit = case.profile.assets.max_texture_px;
    let images = case.ledger.assets.iter().filter_map(|asset| match asset.content {
        Content::Image(image) if longest(image) > limit => Some((image, asset)),
        _ => None,
    });
    let mut large: Vec<_> = images.collect();
    large.sort_by_key(|(image, _)| Reverse(longest(*image)));
    if let Some((largest, _)) = large.first() {
        let named: Vec<String> = large
            .iter()
            .map(|(image, asset)| format!("{} ({} × {})", name(asset), image.width, image.height))
            .collect();
        let detail = format!("{} textures: {}", named.len(), abridged(&named));
        findings.push(Finding::new(Code::AST006).measured(longest(*largest)).limit(limit).detail(detail));
    }
}

fn longest(image: Image) -> u32 {
    image.width.max(image.height)
}

/// The asset's UUID, or its entry where the name holds none.
fn name(asset: &AssetFacts) -> String {
    asset.uuid.map_or_else(|| asset.entry.clone(), |uuid| uuid.to_string())
}

/// Parts whose creator is known by the address of another grid, counted by grid.
pub(super) fn ast007_creators_of_other_grids(case: &Case<'_>, findings: &mut Vec<Finding>) {
    let mut grids: BTreeMap<&str, u32> = BTreeMap::new();
    for part in case.ledger.objects.iter().flat_map(|object| &object.linkset.parts) {
        if let Some(data) = &part.creator_data {
            // `http://grid.example:8002/;First Last`
            let grid = data.split(';').next().unwrap_or_default().trim_end_matches('/');
            *grids.entry(grid).or_default() += 1;
        }
    }
    let parts: u32 = grids.values().sum();
    if parts > 0 {
        let mut grids: Vec<_> = grids.into_iter().collect();
        grids.sort_by(|(a, m), (b, n)| n.cmp(m).then(a.cmp(b)));
        let named: Vec<String> = grids.iter().map(|(grid, parts)| format!("{grid} ({parts})")).collect();
        findings.push(Finding::new(Code::AST007).measured(parts).detail(abridged(&named)));
    }
}
