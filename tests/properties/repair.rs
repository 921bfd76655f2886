use hullmark_repair::mended;
use hullmark_settings::limits::Limits;
use hullmark_source::Kind;

/// Mends bytes as each document of an archive. What was mended needs no mending. Returns how many kinds it can be.
pub fn repaired(bytes: &[u8]) -> usize {
    let limits = Limits::default();
    let kinds = [
        Kind::Object,
        Kind::NestedObject,
        Kind::Settings,
        Kind::Parcel,
        Kind::InventoryItem,
        Kind::ArchiveManifest,
    ];
    let is_mended = |kind: &&Kind| {
        let Some(once) = mended(**kind, bytes, &limits) else { return false };
        let twice = mended(**kind, &once, &limits);
        assert!(twice.as_ref() == Some(&once), "{kind:?} changes again: {}", String::from_utf8_lossy(&once));
        true
    };
    kinds.iter().filter(is_mended).count()
}
