//! AST: assets that objects use.

family! {
    "AST" "Assets that objects use"

    AST001 Error "uses" "Asset is missing" {
        message: "An asset is used and not in this export: {detail}",
        why: "Whatever a part, an item in contents, a text or a parcel names is an asset of its own. Where it did \
              not come along and the new grid does not have it, a texture is grey, a mesh or a sculpt is without \
              its form, a sound silent, and an item cannot be opened. Assets that viewers or grids bring along \
              are not missed. Where none of a kind came along, as in an export without textures, one finding \
              says so.",
        engines: "OpenSim logs what it could not fetch while it saves an archive, and saves the rest.",
        fix: "Give the place where it may be with --assets; else find the asset, or replace what uses it.",
        source: "OpenSim, UuidGatherer.cs, AssetsRequest.cs",
    }

    AST002 Info "UUIDs" "UUIDs in texts may be missing assets" {
        message: "{measured} UUIDs in scripts and notecards are nothing in this export, in {detail}",
        why: "A script plays sounds and sets textures by their UUIDs. Those in its text may be assets that did not \
              come along, but as well people, regions, or nothing at all: OpenSim's gatherer calls them \
              uncertain and saves those that turn out to be assets.",
        engines: "",
        fix: "Look into the scripts if something falls silent or grey after the move; nothing is wrong otherwise.",
        source: "OpenSim, UuidGatherer.cs",
    }

    AST003 Warning "places" "No asset where there must be one" {
        message: "The zero UUID stands where an asset has to be: {detail}",
        why: "The zero UUID names no asset. A face with it is blank, a mesh or a sculpt without its form, and an \
              item with it cannot be opened.",
        engines: "OpenSim's gatherer passes over the zero UUID without a word.",
        fix: "Give the part its texture or form again, or delete the item, and export again.",
        source: "OpenSim, UuidGatherer.cs",
    }

    AST004 Error "" "Asset cannot be used" {
        message: "The asset cannot be used: {detail}",
        why: "A loader stores an asset without a look inside, and counts it as restored. Whether it can be \
              used is known only when a viewer tries.",
        engines: "",
        fix: "Whatever uses it is grey, silent or without its form; export again, or replace it.",
        source: "OpenSim, ArchiveReadRequest.cs, LoadAsset; JPEG 2000, ISO/IEC 15444-1",
    }

    AST005 Info "bytes" "Assets that nothing uses" {
        message: "{measured} bytes are of assets that nothing in this export names: {detail}",
        why: "Assets that no object, text or parcel names are carried along, stored, and kept for ever: grids do \
              not delete assets, and their tables only grow.",
        engines: "",
        fix: "Nothing is wrong; leave them out if they should not be on the new grid.",
        source: "OpenSim, UuidGatherer.cs",
    }

    AST006 Warning "px" "Textures are large" {
        message: "The longest side of a texture is {measured} px, over {limit}: {detail}",
        why: "A texture in memory takes 4 bytes for each pixel, whatever its file has: one of 4,096 × 4,096 takes \
              64 MB of every visitor's graphics card.",
        engines: "Viewers scale down what they upload to the limit, so a larger one was made by another program.",
        fix: "Scale the textures down and upload them again.",
        source: "Second Life wiki, Texture; OpenSim, OpenSimDefaults.ini, MaxTextureResolution",
    }

    AST007 Info "parts" "Creators are from other grids" {
        message: "The creators of {measured} parts are from other grids: {detail}",
        why: "A creator from another grid is kept with the address of that grid. Where a loader does not find the \
              creator, that address is all that tells who made a thing.",
        engines: "OpenSim keeps the creator where there is such an address; without it a creator whom it does not \
                  know becomes the owner of the estate.",
        fix: "Nothing is wrong; check that the licences of these creators allow the move.",
        source: "OpenSim, ArchiveReadRequest.cs",
    }
}
