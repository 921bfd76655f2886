//! POS: where objects stand, and the ground below them.

rules! {
    POS001 "fields" "Placement is no number" {
        about: Object,
        effect: Changes,
        message: "{measured} fields are not finite numbers: {detail}",
        why: "A NaN is neither below nor above any limit, so it passes the check that leaves out objects outside of a \
              region. Whatever is computed of it is NaN too: distances, costs, what collides.",
        engines: [
            "ubODE" => "ubODE puts 128, 128 on the ground, 0.5 m or no rotation in its place. A root at NaN \
                stands there after the load: at 128, 128, 28.06 in a region whose ground is at 28 m.",
        ],
        fix: "Give the object its place, size and rotation again, in its XML or in-world, or delete it.",
        source: "OpenSim, ubOde/ODEPrim.cs:1275-1303, constructor; SceneGraph.cs, AddRestoredSceneObject",
    }

    POS002 "m" "Object is outside its region" {
        about: Standing,
        effect: Loses,
        message: "The object is lost on loading: its root stands {measured} m outside the region; {detail}",
        why: "`load oar` takes an object only where its root is inside the region: from 0 to below the region's size, \
              so that a root at x = 256.0 of a region of 256 m is outside. The others are left out. The log counts them \
              as ignored and names none. The common cause is an archive of a large region that is loaded into a smaller one: \
              \"off-world\" objects.",
        engines: [
            "OpenSimulator" => "OpenSim's console command always sets this box, with or without \
                --bounding-origin and --bounding-size. A load by RemoteAdmin sets none: the root is moved to 1 \
                m inside the border, and stopped. Parcels keep what of them lies in the new region, and are \
                skipped where that is nothing.",
        ],
        fix: "Load into a region of the archive's own size, load by RemoteAdmin, or move the object before the export. \
              --region-size judges for a target of another size.",
        source: "OpenSim, ArchiverModule.cs, HandleLoadOarConsoleCommand; ArchiveReadRequest.cs, LoadObjects; \
                 SceneGraph.cs, AddRestoredSceneObject; measured with 0.9.2.2; opensim-users, January 2010, 003616",
    }

    POS003 "m" "Object is too low or too high" {
        about: Standing,
        effect: Loses,
        message: "The object is lost on loading: its root stands at a height of {measured} m (limit {limit} m); {detail}",
        why: "`load oar` takes an object only where its root is within the heights that the grid allows, and leaves out the \
              others. The log counts them as ignored and names none.",
        engines: [
            "OpenSimulator" => "OpenSim: from -100 m to below 50,000 m, so that a root at 50,000 m is outside. \
                A load by RemoteAdmin sets no box and takes the object as it stands; `delete object outside` \
                then deletes it.",
            "Second Life" => "Second Life: nothing is built above 4,096 m.",
        ],
        fix: "Move the object before the export; most often it fell or flew off and nobody misses it.",
        source: "OpenSim, ArchiverModule.cs, HandleLoadOarConsoleCommand; ArchiveReadRequest.cs, LoadObjects; \
              ObjectCommandsModule.cs; Constants.cs; measured with 0.9.2.2; Second Life Wiki, Limits",
    }

    POS004 "parts" "Child is far from its root" {
        about: Standing,
        effect: Changes,
        message: "{measured} child parts are far off or far outside the region of their root: {detail}",
        why: "Loaders and viewers go by the root. A child hundreds of metres away, or across the border, is seen by \
              nobody who stands at the object; it is still charged, and collides where nobody expects it. A child up to \
              10 m outside is taken for a part of a build at the border (POS006).",
        engines: [
            "OpenSimulator" => "OpenSim moves an object by its root only, and never looks where its children \
                are.",
        ],
        fix: "Unlink the child and move or delete it.",
        source: "hullmark, config/profiles/second-life.toml, [placement]",
    }

    POS005 "parts" "Rotation or size makes no sense" {
        about: Object,
        effect: Changes,
        message: "{measured} parts have a rotation or a size that makes no sense: {detail}",
        why: "A rotation is a quaternion of length 1, and each side of a part is longer than 0. Exports are off by \
              rounding, some millionths. What is farther off was written by another program, or is damaged, and every \
              engine mends it in its own way.",
        engines: [
            "ubODE" => "ubODE takes 0.01 m for a side of 0 or less, and only for physics.",
            "OpenSimulator" => "OpenSim puts sizes within its limits on loading only where ClampPrimSize is \
                set.",
        ],
        fix: "Look at the object after loading, and set rotation and size again.",
        source: "OpenSim, ubOde/ODEPrim.cs:1275-1303, constructor; SceneGraph.cs, AddSceneObject",
    }

    POS006 "objects" "Objects stand across the border" {
        about: Region,
        effect: Note,
        message: "{measured} objects stand in {within} and stick out of it: {detail}",
        why: "What sticks out of a region is seen from the neighbour, and does not collide there. At the edge of a \
              region without neighbours it is harmless.",
        engines: [
            "All" => "What happens at a border differs from one physics engine to the other.",
        ],
        fix: "Nothing, unless avatars or vehicles cross the border there.",
        source: "OpenSim, the modules of physics",
    }

    POS007 "heights" "Terrain does not fit its region" {
        about: Region,
        effect: Changes,
        message: "The terrain has {measured} heights for {limit} m² of region: {detail}",
        why: "A terrain file has one height for each square metre. With too few or too many of them the ground is \
              not that of the region; a height that is no number makes a hole, and renderers must look for it.",
        engines: [
            "OpenSimulator" => "OpenSim takes the largest square of a multiple of 256 m that the file fills, \
                and lays it over the south-western corner. So 512 × 512 heights and 256 × 512 heights load, \
                and what is over is dropped. A file with less than 256 × 256 heights stops the load (POS008).",
        ],
        fix: "Save the terrain again (terrain save), or load one that fits after loading the region.",
        source: "OpenSim, RAW32.cs, LoadStream; TerrainModule.cs, LoadFromStream; opensim-users, January 2010, 003616",
    }

    POS008 "bytes" "Terrain stops the load" {
        about: Region,
        effect: Stops,
        message: "The terrain file makes OpenSim give up the load: {detail}",
        why: "Terrain is read with the archive, before the region is cleared. Where it cannot be read OpenSim gives up \
              the whole load. The objects and parcels that stand in the region stay, and nothing of the archive comes.",
        engines: [
            "OpenSimulator" => "OpenSim reads at least 256 × 256 heights from an .r32, so one that is shorter \
                or empty ends the load. A name whose ending is of no known format does, and so does an image \
                that cannot be decoded.",
        ],
        fix: "Take the terrain out of the archive, or put a file of terrain save in its place.",
        source: "OpenSim, RAW32.cs, LoadStream; TerrainModule.cs, LoadFromStream; ArchiveReadRequest.cs, DearchiveRegion; \
              measured with 0.9.2.2",
    }
}
