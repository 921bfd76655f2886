//! AST: assets that objects use.

family! {
    "AST" "Assets that objects use"

    AST001 Error "uses" "Mesh or sculpt map is missing" {
        message: "An asset that gives a part its form is used and not in this export: {detail}",
        why: "A mesh or a sculpt map is an asset of its own. Where it did not come along and the new grid \
              does not have it, the part is invisible or has lost its form. Viewers bring some textures \
              along, and a sculpt may use one of those: it is named here too.",
        engines: "",
        fix: "The part will be invisible or without its form after the move; find the asset or remove the \
              part.",
        source: "OpenSim, UuidGatherer.cs, AssetsRequest.cs",
    }

    AST004 Error "" "Asset cannot be decoded" {
        message: "The asset cannot be decoded: {detail}",
        why: "A loader stores an asset without a look inside, and counts it as restored. Whether it can be \
              used is known only when a viewer tries.",
        engines: "",
        fix: "Whatever uses it loses its form; export again, or replace it.",
        source: "OpenSim, ArchiveReadRequest.cs, LoadAsset; JPEG 2000, ISO/IEC 15444-1",
    }
}
