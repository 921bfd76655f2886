//! AST: assets that objects use.

rules! {
    AST001 "uses" "Asset is missing" {
        about: Asset,
        effect: Breaks,
        message: "An asset is used and not in this export: {detail}",
        why: "Whatever a part, an item in contents, a text or a parcel names is an asset of its own. Where it did \
              not come along and the new grid does not have it, a texture is grey, a mesh or a sculpt is without \
              its form, a sound silent, and an item cannot be opened. Assets that viewers or grids bring along \
              are not missed. Where none of a kind came along, as in an export without textures, one finding \
              says so.",
        engines: [
            "OpenSimulator" => "OpenSim logs what it could not fetch while it saves an archive, and saves the \
                rest.",
        ],
        fix: "Give the place where it may be with --assets; else find the asset, or replace what uses it.",
        source: "OpenSim, UuidGatherer.cs, AssetsRequest.cs",
    }

    AST002 "UUIDs" "UUIDs in texts may be missing assets" {
        about: Archive,
        effect: Breaks,
        message: "{measured} UUIDs in scripts and notecards are nothing in this export, in {detail}",
        why: "A script plays sounds and sets textures by their UUIDs. Those in its text may be assets that did not \
              come along, but as well people, regions, or nothing at all: OpenSim's gatherer calls them \
              uncertain and saves those that turn out to be assets.",
        fix: "Look into the scripts if something falls silent or grey after the move; nothing is wrong otherwise.",
        source: "OpenSim, UuidGatherer.cs",
    }

    AST003 "places" "No asset where there must be one" {
        about: Object,
        effect: Breaks,
        message: "The zero UUID stands where an asset has to be: {detail}",
        why: "The zero UUID names no asset. A face with it is blank, a mesh or a sculpt without its form, and an \
              item with it cannot be opened.",
        engines: [
            "OpenSimulator" => "OpenSim's gatherer passes over the zero UUID without a word.",
        ],
        fix: "Give the part its texture or form again, or delete the item, and export again.",
        source: "OpenSim, UuidGatherer.cs",
    }

    AST004 "" "Asset cannot be used" {
        about: Asset,
        effect: Breaks,
        message: "The asset cannot be used: {detail}",
        why: "A loader stores an asset without a look inside, objects aside, and counts it as restored. \
              Whether it can be used is known only when a viewer tries.",
        engines: [
            "OpenSimulator" => "OpenSim reads objects in contents to give them owners that it knows. One that \
                it cannot read counts as failed and is not stored.",
        ],
        fix: "Whatever uses it is grey, silent or without its form; export again, or replace it.",
        source: "OpenSim, ArchiveReadRequest.cs, loadNeededAssets and TryUploadAsset; \
              SceneObjectSerializer.cs, ModifySerializedObject; JPEG 2000, ISO/IEC 15444-1",
    }

    AST005 "bytes" "Assets that nothing uses" {
        about: Archive,
        effect: Note,
        message: "{measured} bytes are of assets that nothing in this export names: {detail}",
        why: "Assets that no object, item, text or parcel names are carried along, stored, and kept for ever: grids do \
              not delete assets, and their tables only grow.",
        fix: "Nothing is wrong; leave them out if they should not be on the new grid.",
        source: "OpenSim, UuidGatherer.cs",
    }

    AST006 "px" "Textures are large" {
        about: Archive,
        effect: Changes,
        message: "A texture has {measured} px {within}, over {limit}: {detail}",
        why: "A texture in memory takes 4 bytes for each pixel, whatever its file has: one of 4,096 × 4,096 takes \
              64 MB of every visitor's graphics card.",
        engines: [
            "Viewers" => "Viewers scale down what they upload to 2,048 px a side, so a larger one was made by \
                another program.",
            "OpenSimulator" => "OpenSim tells viewers the same limit.",
        ],
        fix: "Scale the textures down and upload them again.",
        source: "Viewer, llgltexture.h (MAX_IMAGE_SIZE_DEFAULT), llviewertexture.cpp, llviewertexturelist.cpp \
                 (convertToUploadFile); OpenSim, Constants.cs (MaxTextureResolution), SimulatorFeaturesModule.cs",
    }

    AST007 "parts" "Creators are from other grids" {
        about: Archive,
        effect: Note,
        message: "The creators of {measured} parts are from other grids: {detail}",
        why: "A creator from another grid is kept with the address of that grid. Where a loader does not find the \
              creator, that address is all that tells who made a thing.",
        engines: [
            "OpenSimulator" => "OpenSim keeps the creator where there is such an address; what becomes of the \
                others AST010 says.",
        ],
        fix: "Nothing is wrong; check that the licences of these creators allow the move.",
        source: "OpenSim, ArchiveReadRequest.cs, ModifySceneObject",
    }

    AST008 "things" "Newer than the target" {
        about: Archive,
        effect: Loses,
        message: "{measured} things are of formats that the target does not understand: {detail}",
        why: "A loader knows an asset's type by the end of its name and leaves out what it does not know: the asset \
              counts as failed, and the load goes on. A face with a PBR material then has the plain texture below \
              it, if there is one, and an environment is the default one.",
        engines: [
            "OpenSimulator" => "OpenSim stores environments (`_settings.bin`) from version 0.9.2.0 on and PBR \
                materials (`_prmat.dat`) from 0.9.2.2 on; before, it passes over the materials of a part too, \
                and does not save them again. A profile says what the target understands (pbr_materials, \
                environments).",
        ],
        fix: "Update the target before the move, or give faces plain textures and regions an older sky.",
        source: "OpenSim, ArchiveConstants.cs, PrimitiveBaseShape.cs (ReadInExtraParamsBytes), ArchiveReadRequest.cs \
                 at the versions 0.9.1.1, 0.9.2.0, 0.9.2.2 and 0.9.3.0",
    }

    AST009 "" "Viewers do not show the texture" {
        about: Asset,
        effect: Breaks,
        message: "Viewers show no texture of this size: {detail} px",
        why: "The sides of a texture have to be powers of two, and at most 4,096 px. Viewers scale what they upload to \
              such sides, so one with others was made, changed or packed by another program.",
        engines: [
            "All" => "The Second Life viewer takes such a texture for a missing one and does not ask for it \
                again. Simulators store it without a look.",
        ],
        fix: "Scale the texture to sides such as 512 × 1,024 and upload it again.",
        source: "Viewer, llimage.h (MAX_IMAGE_SIZE), llimagegl.cpp (checkSize), llviewertexture.cpp (preCreateTexture)",
    }

    AST010 "parts" "Creators may be forgotten" {
        about: Archive,
        effect: Changes,
        message: "{measured} parts tell of their creator nothing but a UUID: {detail}",
        why: "Where the target has no account with the creator's UUID, and the part does not hold the creator's name \
              and grid (CreatorData), another becomes the creator. Who made the thing is then lost. Parts that \
              belong to their creator are not counted.",
        engines: [
            "OpenSimulator" => "OpenSim puts the owner of the estate in the place of a creator whom it does not \
                know, or whom the option --default-user names, also in object assets. From an inventory \
                archive such parts get the creator of the item, and where that is not found, the user who \
                loads it.",
        ],
        fix: "Export again with the address of your grid (save oar --home=…, save iar --home=…), or make sure that \
              these accounts are on the target first.",
        source: "OpenSim, ArchiveReadRequest.cs (ModifySceneObject), InventoryArchiveReadRequest.cs (LoadItem, \
                 LoadAsset)",
    }
}
