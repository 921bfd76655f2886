//! POS: where objects stand, and the ground below them.

family! {
    "POS" "Placement"

    POS001 Error "fields" "Placement is no number" {
        about: Object,
        effect: Changes,
        message: "{measured} fields are not finite numbers: {detail}",
        why: "A NaN is neither below nor above any limit, so it passes the checks that move objects back into a \
              region. Whatever is computed of it is NaN too: distances, costs, what collides.",
        engines: "ubODE puts 128, 128 on the ground, 0.5 m or no rotation in its place, and only for \
              physics.",
        fix: "Give the object its place, size and rotation again, in its XML or in-world, or delete it.",
        source: "OpenSim, ubOde/ODEPrim.cs:1275-1303, constructor; SceneGraph.cs, AddRestoredSceneObject",
    }

    POS002 Error "m" "Object is outside its region" {
        about: Standing,
        effect: Changes,
        message: "The root stands {measured} m outside the region: {detail}",
        why: "An object whose root is outside the region that it is loaded into does not stay where it was. Several such \
              objects pile up at one border or corner. The common cause is an archive of a large region that was loaded \
              into a smaller one: \"off-world\" objects.",
        engines: "OpenSim moves the root to 1 m inside the border, and stops it; attachments stay. Loaded with \
                  --displacement, or with a bounding cube, what is then outside is skipped, and the log only counts it \
                  as ignored. Parcels keep what of them lies in the new region, and are skipped where that is nothing.",
        fix: "Load into a region of the archive's own size, or move the object before the export. --region-size judges \
              for a target of another size.",
        source: "OpenSim, SceneGraph.cs:295-348, AddRestoredSceneObject; ArchiveReadRequest.cs:702-729, LoadObjects; \
                 opensim-users, January 2010, 003616",
    }

    POS003 Warning "m" "Object is too low or too high" {
        about: Standing,
        effect: Changes,
        message: "The root stands at a height of {measured} m; {detail} is {limit} m",
        why: "Outside the heights that a grid allows an object is moved to the limit, no longer moves, or is \
              deleted as being outside.",
        engines: "OpenSim lifts what is below -100 m to there when it loads it. What is above 50,000 m stays \
              where it is: ubODE does not make it physical, and `delete object outside` deletes it. Second \
              Life: nothing is built above 4,096 m.",
        fix: "Move the object before the export; most often it fell or flew off and nobody misses it.",
        source: "OpenSim, SceneGraph.cs, AddRestoredSceneObject; ObjectCommandsModule.cs; ubOde/ODEPrim.cs, \
              constructor; Constants.cs; Second Life Wiki, Limits",
    }

    POS004 Warning "parts" "Child is far from its root" {
        about: Standing,
        effect: Changes,
        message: "{measured} child parts are far off or far outside the region of their root: {detail}",
        why: "Loaders and viewers go by the root. A child hundreds of metres away, or across the border, is seen by \
              nobody who stands at the object; it is still charged, and collides where nobody expects it. A child up to \
              10 m outside is taken for a part of a build at the border (POS006).",
        engines: "OpenSim moves an object by its root only, and never looks where its children are.",
        fix: "Unlink the child and move or delete it.",
        source: "hullmark, config/profiles/second-life.toml, [placement]",
    }

    POS005 Warning "parts" "Rotation or size makes no sense" {
        about: Object,
        effect: Changes,
        message: "{measured} parts have a rotation or a size that makes no sense: {detail}",
        why: "A rotation is a quaternion of length 1, and each side of a part is longer than 0. Exports are off by \
              rounding, some millionths. What is farther off was written by another program, or is damaged, and every \
              engine mends it in its own way.",
        engines: "ubODE takes 0.01 m for a side of 0 or less, and only for physics. OpenSim puts sizes \
              within its limits on loading only where ClampPrimSize is set.",
        fix: "Look at the object after loading, and set rotation and size again.",
        source: "OpenSim, ubOde/ODEPrim.cs:1275-1303, constructor; SceneGraph.cs, AddSceneObject",
    }

    POS006 Info "objects" "Objects stand across the border" {
        about: Region,
        effect: Note,
        message: "{measured} objects stand in {within} and stick out of it: {detail}",
        why: "What sticks out of a region is seen from the neighbour, and does not collide there. At the edge of a \
              region without neighbours it is harmless.",
        engines: "What happens at a border differs from one physics engine to the other.",
        fix: "Nothing, unless avatars or vehicles cross the border there.",
        source: "OpenSim, the modules of physics",
    }

    POS007 Error "heights" "Terrain does not fit its region" {
        about: Region,
        effect: Changes,
        message: "The terrain has {measured} heights for {limit} m² of region: {detail}",
        why: "A terrain file has one height for each square metre. With too few or too many of them the ground is \
              distorted or not loaded; a height that is no number makes a hole, and renderers must look for it.",
        engines: "",
        fix: "Save the terrain again (terrain save), or load one that fits after loading the region.",
        source: "OpenSim, the .r32 loader of the terrain module; opensim-users, January 2010, 003616",
    }
}
