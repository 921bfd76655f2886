//! AST: assets that objects use.

rules! {
    AST001 "uses" "Asset is missing" {
        about: Asset,
        effect: Breaks,
        message: "The export lacks {detail}",
        why: "Prims, inventory items, notecards, scripts and parcels refer to assets by UUID. If the new grid lacks \
              the asset too, textures are gray, meshes and sculpts have no shape, sounds are silent, and items do \
              not open. Assets that viewers or grids supply are not reported. If an export contains no asset of a \
              kind, one finding reports all of them.",
        engines: [
            "OpenSimulator" => "Logs the assets that it could not fetch during a save, and saves the rest.",
        ],
        fix: "If another archive or folder has the asset, name it with --assets. Else find the asset, or replace it \
              in the objects that use it.",
        fix_owner: "Replace the asset if you have a copy. In the viewer: Edit > Texture for a texture, Edit > Object \
              for a sculpt map, Edit > Content for an item. Replace an object without its mesh with a new copy.",
        source: "OpenSim, UuidGatherer.cs, AssetsRequest.cs",
    }

    AST002 "UUIDs" "Unknown UUIDs in scripts and notecards" {
        about: Archive,
        effect: Breaks,
        message: "Scripts or notecards name {detail}",
        why: "Scripts play sounds and set textures by UUID. These UUIDs may be missing assets, but also people, \
              regions or nothing at all.",
        engines: [
            "OpenSimulator" => "Calls such UUIDs uncertain, and saves those that are assets.",
        ],
        fix: "Nothing to do now. If something is silent or gray after the move, check these scripts.",
        source: "OpenSim, UuidGatherer.cs",
    }

    AST003 "places" "Zero UUID instead of an asset" {
        about: Object,
        effect: Breaks,
        message: "The zero UUID is set instead of an asset: {detail}",
        why: "The zero UUID refers to no asset. A face with it is blank, a mesh or a sculpt has no shape, and an \
              item cannot be opened.",
        engines: [
            "OpenSimulator" => "Ignores the zero UUID silently when it gathers assets.",
        ],
        fix: "Set the texture, mesh or sculpt map of the prim again, or delete the item. Then export again.",
        fix_owner: "In the viewer: Edit > Texture to set the texture, Edit > Object to set the sculpt map, Edit > \
              Content to delete the item. Replace a prim without its mesh with a new copy.",
        source: "OpenSim, UuidGatherer.cs",
    }

    AST004 "" "Asset cannot be used" {
        about: Asset,
        effect: Breaks,
        message: "The asset cannot be used: {detail}",
        why: "Objects that use the asset are gray, silent or without shape. A loader counts the asset as restored, \
              so the damage shows only in a viewer.",
        engines: [
            "OpenSimulator" => "Stores assets unchecked, except objects: it reads objects in inventories to set \
                owners that it knows. An object that it cannot read counts as failed and is not stored.",
        ],
        fix: "If an object uses the asset, export again. If it is still damaged, replace it. An unused asset needs nothing.",
        fix_owner: "Upload the asset again and replace it. In the viewer: Edit > Texture for a texture, Edit > \
              Object for a sculpt map, Edit > Content for an item.",
        source: "OpenSim, ArchiveReadRequest.cs, loadNeededAssets and TryUploadAsset; SceneObjectSerializer.cs, \
              ModifySerializedObject; JPEG 2000, ISO/IEC 15444-1",
    }

    AST005 "bytes" "Unused assets" {
        about: Archive,
        effect: Note,
        message: "Nothing in this export uses {detail}",
        why: "Unused assets are moved and stored forever: grids do not delete assets, and their tables only grow.",
        fix: "Nothing is wrong. Leave the assets out if the new grid should not have them.",
        source: "OpenSim, UuidGatherer.cs",
    }

    AST006 "px" "Textures are too large" {
        about: Archive,
        effect: Changes,
        message: "The limit of {limit} px {within} is exceeded by {detail}",
        why: "A texture takes 4 bytes of memory for each pixel, whatever the size of its file. One of 4,096 × 4,096 \
              px takes 64 MB of every visitor's graphics memory.",
        engines: [
            "Viewers" => "Scale uploads down to 2,048 px a side, so another program made a larger texture.",
            "OpenSimulator" => "Sends the same limit to viewers.",
        ],
        fix: "Scale the textures down and upload them again.",
        source: "Viewer, llgltexture.h (MAX_IMAGE_SIZE_DEFAULT), llviewertexture.cpp, llviewertexturelist.cpp \
              (convertToUploadFile); OpenSim, Constants.cs (MaxTextureResolution), SimulatorFeaturesModule.cs",
    }

    AST007 "prims" "Creators from other grids" {
        about: Archive,
        effect: Note,
        message: "Creators from other grids made {detail}",
        why: "The export stores these creators with the address of their grid. If the target does not know a \
              creator, only this address shows who made the object.",
        engines: [
            "OpenSimulator" => "Keeps a creator with such an address. AST010 covers the others.",
        ],
        fix: "Nothing is wrong. Check that the licenses of these creators allow the move.",
        source: "OpenSim, ArchiveReadRequest.cs, ModifySceneObject",
    }

    AST008 "things" "Formats newer than the target" {
        about: Archive,
        effect: Loses,
        message: "The target does not support {detail}",
        why: "A loader reads the type of an asset from the end of its name. It counts unknown types as failed and \
              goes on. A face with a PBR material shows its plain texture, if it has one, and the environment is the \
              default one.",
        engines: [
            "OpenSimulator" => "Stores environments (`_settings.bin`) from version 0.9.2.0 and PBR materials \
                (`_prmat.dat`) from 0.9.2.2. Earlier versions also ignore the materials of a prim and do not save \
                them again.",
            "hullmark" => "Takes from the profile what the target supports (pbr_materials, environments).",
        ],
        fix: "Update the target before the move. Else set plain textures on faces, and older skies in regions.",
        source: "OpenSim, ArchiveConstants.cs, PrimitiveBaseShape.cs (ReadInExtraParamsBytes), ArchiveReadRequest.cs \
              at the versions 0.9.1.1, 0.9.2.0, 0.9.2.2 and 0.9.3.0",
    }

    AST009 "" "Texture size not supported by viewers" {
        about: Asset,
        effect: Breaks,
        message: "Viewers do not show a texture of {detail} px",
        why: "The sides of a texture must be powers of two, at most 4,096 px. Viewers scale uploads to such sides, \
              so another program made, changed or packed this texture.",
        engines: [
            "Viewers" => "Treat the texture as missing and do not request it again (Second Life viewer).",
            "OpenSimulator" => "Stores the texture unchecked, as other simulators do.",
        ],
        fix: "Scale the texture to sides such as 512 × 1,024 px and upload it again.",
        fix_owner: "Scale the image to sides such as 512 × 1,024 px and upload it: Build > Upload > Image. Then \
              choose it in Edit > Texture.",
        source: "Viewer, llimage.h (MAX_IMAGE_SIZE), llimagegl.cpp (checkSize), llviewertexture.cpp \
              (preCreateTexture)",
    }

    AST010 "prims" "Creators may be lost" {
        about: Archive,
        effect: Changes,
        message: "Only the UUID of the creator is stored for {detail}",
        why: "If the target has no account with the creator's UUID, and the prim lacks the creator's name and grid \
              (CreatorData), another person becomes its creator. Prims whose owner is their creator are not \
              counted.",
        engines: [
            "OpenSimulator" => "Replaces an unknown creator with the estate owner, or with the user of \
                --default-user, also in object assets. From an inventory archive, such prims get the creator of the \
                item. If that creator is unknown, they get the user who loads it.",
        ],
        fix: "Export again with the address of your grid: save oar --home=http://your.grid:8002 region.oar. Or create these \
              accounts on the target first.",
        source: "OpenSim, ArchiveReadRequest.cs (ModifySceneObject), InventoryArchiveReadRequest.cs (LoadItem, \
              LoadAsset)",
    }
}
