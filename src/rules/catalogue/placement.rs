//! POS: positions of objects, and the terrain.

rules! {
    POS001 "fields" "Position or size is not finite" {
        about: Object,
        effect: Changes,
        message: "The object has {detail}",
        why: "NaN is neither below nor above any limit, so it passes the check that drops objects outside the \
              region. Every result calculated from it is NaN too: distances, costs, collisions.",
        engines: [
            "ubODE" => "Uses 128, 128 on the ground as the position, 0.5 m as the size, and no rotation. A root prim \
                at NaN is at 128, 128, 28.06 after the load if the ground is at 28 m.",
        ],
        fix: "Set position, size and rotation again, in the XML or in-world, or delete the object.",
        fix_owner: "Set position, size and rotation again, or delete the object. In the viewer: Edit > Object.",
        source: "OpenSim, ubOde/ODEPrim.cs:1275-1303, constructor; SceneGraph.cs, AddRestoredSceneObject",
    }

    POS002 "m" "Object is outside its region" {
        about: InWorld,
        effect: Loses,
        message: "The root prim is {measured} m outside the region, {detail}",
        why: "`load oar` loads an object only if its root prim is inside the region, from 0 m to below the region's \
              size. A root prim at x = 256.0 in a region of 256 m is outside. The log counts dropped objects as \
              ignored and names none. A common cause is an archive of a large region loaded into a smaller one. For Second Life, less \
              than 0.1 m is information.",
        engines: [
            "OpenSimulator" => "Sets this box in every console load, with or without --bounding-origin and \
                --bounding-size. A load by RemoteAdmin sets none: it moves the root prim to 1 m inside the border \
                and stops its motion. Parcels keep their area inside the new region, and are skipped if none is \
                left.",
        ],
        fix: "Load into a region of the archive's own size, load by RemoteAdmin, or move the object before the \
              export. To check against another size, add --region-size.",
        fix_owner: "Move the object into the region before the export. In the viewer: Edit > Object > Position.",
        source: "OpenSim, ArchiverModule.cs, HandleLoadOarConsoleCommand; ArchiveReadRequest.cs, LoadObjects; \
                 SceneGraph.cs, AddRestoredSceneObject; measured with 0.9.2.2; opensim-users, January 2010, 003616",
    }

    POS003 "m" "Object is too low or too high" {
        about: InWorld,
        effect: Loses,
        message: "Loading drops the object: its root prim is at a height of {measured} m, {detail}",
        why: "`load oar` loads an object only if its root prim is within the heights that the grid allows. The log \
              counts dropped objects as ignored and names none.",
        engines: [
            "OpenSimulator" => "Allows -100 m to below 50,000 m; a root prim at 50,000 m is outside. A load by \
                RemoteAdmin sets no limits, and `delete object outside` then deletes the object.",
            "Second Life" => "Allows no building above 4,096 m.",
        ],
        fix: "Move the object before the export, or delete it if it fell or flew off.",
        fix_owner: "Move the object before the export, or delete it if it fell or flew off. In the viewer: Edit > \
              Object > Position.",
        source: "OpenSim, ArchiverModule.cs, HandleLoadOarConsoleCommand; ArchiveReadRequest.cs, LoadObjects; \
              ObjectCommandsModule.cs; Constants.cs; measured with 0.9.2.2; Second Life Wiki, Limits",
    }

    POS004 "prims" "Child prim is far from root" {
        about: InWorld,
        effect: Changes,
        message: "The object has {detail}",
        why: "Loaders and viewers use the position of the root prim. A child prim far away or across the border is \
              out of sight, but still adds land impact and collides. A child prim up to 10 m outside counts as part \
              of a build at the border (POS006).",
        engines: [
            "OpenSimulator" => "Moves an object by its root prim only, and never checks the positions of child \
                prims.",
        ],
        fix: "Unlink the child prim, then move or delete it.",
        fix_owner: "Unlink the child prim, then move or delete it. In the viewer: Edit > Edit linked, select the \
              prim, then Build > Unlink.",
        source: "hullmark, config/profiles/second-life.toml, [placement]",
    }

    POS005 "prims" "Rotation or size is invalid" {
        about: Object,
        effect: Changes,
        message: "The object has an invalid rotation or size: {detail}",
        why: "A rotation is a quaternion of length 1, and each side of a prim is longer than 0 m. Rounding in \
              exports makes differences of some millionths. Larger ones come from other programs or from damage, and \
              each engine repairs them in its own way.",
        engines: [
            "ubODE" => "Uses 0.01 m for a side of 0 m or less, in physics only.",
            "OpenSimulator" => "Limits sizes on loading only if ClampPrimSize is set.",
        ],
        fix: "Check the object after loading, and set its rotation and size again.",
        fix_owner: "Check the object after the move, and set its rotation and size again. In the viewer: Edit > \
              Object.",
        source: "OpenSim, ubOde/ODEPrim.cs:1275-1303, constructor; SceneGraph.cs, AddSceneObject",
    }

    POS006 "objects" "Objects extend across the border" {
        about: Region,
        effect: Note,
        message: "Objects extend across the border of {detail}",
        why: "The neighboring region shows what extends across the border, but nothing collides there. Without a \
              neighbor it is harmless. Each physics engine treats a border in its own way.",
        fix: "If avatars or vehicles cross the border there, move these objects inside. Otherwise do nothing.",
        source: "OpenSim, the modules of physics",
    }

    POS007 "heights" "Terrain does not fit its region" {
        about: Region,
        effect: Changes,
        message: "The terrain does not fit its region: {detail}",
        why: "A terrain file has one height for each square metre. With another number of heights the ground is not \
              that of the region. A height that is not a number makes a hole, and renderers must check for it.",
        engines: [
            "OpenSimulator" => "Takes the largest square that the file fills, with sides of a multiple of 256 m, and \
                lays it over the south-western corner. So 512 × 512 and 256 × 512 heights load, and the rest is \
                dropped. A file with fewer than 256 × 256 heights stops the load (POS008).",
        ],
        fix: "Save the terrain again with `terrain save`, or load one of the right size after loading the region.",
        source: "OpenSim, RAW32.cs, LoadStream; TerrainModule.cs, LoadFromStream; opensim-users, January 2010, 003616",
    }

    POS008 "bytes" "Terrain file stops the load" {
        about: Region,
        effect: Stops,
        message: "OpenSim gives up the load at the terrain file: {detail}",
        why: "OpenSim reads the terrain with the archive, before it clears the region. If it cannot read the \
              terrain, it gives up the whole load. The region keeps its objects and parcels, and nothing of the \
              archive arrives.",
        engines: [
            "OpenSimulator" => "Reads at least 256 × 256 heights from an .r32 file; a shorter or empty file ends the \
                load. So does a file name extension of an unknown format, and an image that cannot be decoded.",
        ],
        fix: "Take the terrain out of the archive, or replace it with a file that `terrain save` wrote.",
        source: "OpenSim, RAW32.cs, LoadStream; TerrainModule.cs, LoadFromStream; ArchiveReadRequest.cs, DearchiveRegion; \
              measured with 0.9.2.2",
    }
}
