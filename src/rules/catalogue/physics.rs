//! PHY: what may be physical, and what collides.

rules! {
    PHY001 "" "Physical object is over the cap" {
        about: Object,
        effect: Changes,
        message: "The object is physical and its physics cost is {measured}; the cap is {limit}{detail}",
        why: "No linkset with a pure physics cost above 32.0 may be set physical. One that is physical \
              already, from another grid or an older time, stops moving once it is switched off, and cannot \
              be switched on again. The cost at rest counts, without the penalty for size.",
        engines: [
            "Second Life" => "Second Life enforces the cap.",
            "OpenSimulator" => "OpenSim has none.",
        ],
        fix: "It cannot be made physical again: simplify its physics shape or set it to Convex Hull; \
              `hullmark slim` says of which parts.",
        source: "Second Life wiki, Mesh/Mesh physics: \"No linkset or prim with a pure physics resource cost \
                 exceeding 32.0 may be set physical\"",
    }

    PHY002 "" "Too costly to become physical" {
        about: Object,
        effect: Note,
        message: "The physics cost is {measured}, so the object may not be made physical (cap \
                  {limit}){detail}",
        why: "The same cap as PHY001, of an object that is not physical. It matters only to somebody who \
              means to make a vehicle of it.",
        engines: [
            "Second Life" => "Second Life enforces the cap.",
            "OpenSimulator" => "OpenSim has none.",
        ],
        fix: "Nothing to do unless it is meant to move.",
        source: "Second Life wiki, Mesh/Mesh physics",
    }

    PHY003 "prims" "Physical linkset has too many prims" {
        about: Object,
        effect: Changes,
        message: "The linkset is physical under legacy accounting and has {measured} prims; at most {limit} may be",
        why: "Before there were physics costs a physical object had at most 32 prims, and a linkset that never opted \
              into new accounting is still judged so. A simulator answers \"Can't enable physics for objects with \
              more than 32 primitives\".",
        engines: [
            "Second Life" => "Second Life enforces it.",
            "OpenSimulator" => "OpenSim counts only where the operator sets LinksetPhysPrims (PHY005).",
        ],
        fix: "Unlink prims until few enough remain, or opt in by setting a child to Convex Hull or None: then the \
              physics cost counts, and `hullmark slim` says how to bring it down.",
        source: "Second Life wiki, Limits",
    }

    PHY004 "m" "Physical linkset has too large a part" {
        about: Object,
        effect: Changes,
        message: "The linkset is physical and its longest colliding side is {measured} m; the limit is {limit} m: \
                  {detail}",
        why: "A physical linkset may have no colliding part with a side above PhysicalPrimMax. Loading does not look, \
              so the object arrives physical; whoever next changes a flag of it, by hand or by script, finds that it \
              no longer moves.",
        engines: [
            "OpenSimulator" => "OpenSim clears the physical flag without a word when flags are changed, and \
                llSetStatus refuses to set it. PhysicalPrimMax is 64 m in the settings that OpenSim comes \
                with, 10 m without them.",
            "Second Life" => "Second Life has no such rule.",
        ],
        fix: "Make the part smaller, set it to None unless it is the root, or raise PhysicalPrimMax on the target.",
        source: "OpenSim, SceneObjectGroup.cs, UpdateFlags; LSL_Api.cs, llSetStatus; OpenSimDefaults.ini",
    }

    PHY005 "parts" "Physical linkset has too many parts" {
        about: Object,
        effect: Changes,
        message: "The linkset is physical and {measured} of its parts collide; at most {limit} may",
        why: "An operator may set LinksetPhysPrims, the most parts of a physical linkset that collide. Loading does \
              not look, so the object arrives physical; the next change of its flags, or linking one more prim, \
              stops it.",
        engines: [
            "OpenSimulator" => "OpenSim clears the physical flag without a word. It has no limit unless \
                LinksetPhysPrims is set.",
        ],
        fix: "Set parts that need not collide to None, or raise LinksetPhysPrims on the target.",
        source: "OpenSim, SceneObjectGroup.cs, UpdateFlags and LinkToGroup",
    }

    PHY006 "" "Root has shape type None" {
        about: Object,
        effect: Changes,
        message: "The root is set to None, which no root may be: {detail}",
        why: "Only a child may have the shape type None. A root that has it, from an edited export or a program of \
              its own, collides once OpenSim loads it: what people walked through is in their way.",
        engines: [
            "OpenSimulator" => "OpenSim gives it its default when it builds the physics: Convex Hull for a mesh \
                that is neither mirrored nor inverted, Prim for all others.",
            "Second Life" => "Second Life lets nobody set it.",
        ],
        fix: "Link the prims again with a root that may collide, or make the object phantom.",
        source: "OpenSim, SceneObjectPart.cs, ApplyPhysics; Second Life wiki, PRIM_PHYSICS_SHAPE_TYPE",
    }

    PHY007 "" "Shape type Prim on a mesh without physics shape" {
        about: Object,
        effect: Note,
        message: "The part is set to Prim but its mesh has neither decomposition nor physics mesh: {detail}",
        why: "A mesh that was uploaded without a physics shape or decomposition cannot have the shape type \
              Prim, and is always its base hull. An export may state Prim all the same: it is also what is \
              read where nothing is stated. Doorways through such a mesh are closed.",
        engines: [
            "Second Life" => "Second Life and ubODE use the base hull.",
            "OpenSimulator" => "OpenSim's Meshmerizer uses the medium or the high level of detail, so that a \
                doorway may be open there.",
            "BulletSim" => "BulletSim collides by Meshmerizer where meshing names it, and else by ubODE's \
                mesher, which is the default.",
        ],
        fix: "It collides as its base hull; upload the mesh again with a physics shape if it should not.",
        source: "Second Life wiki, Mesh/Mesh physics, Notes; OpenSim, ubOdeMeshing/Meshmerizer.cs, \
              Meshing/Meshmerizer/Meshmerizer.cs; OpenSimDefaults.ini, meshing",
    }

    PHY008 "parts" "Collision shape changes between grids" {
        about: Object,
        effect: Changes,
        message: "{measured} parts collide as something else by profile {within}: {detail}",
        why: "Grids do not choose among the physics blocks of a mesh alike, so a bridge that can be walked \
              on one may be closed on another. A change of engine moves it too.",
        engines: [
            "All" => "Where a mesh has a decomposition and a physics mesh, Second Life takes the decomposition \
                and ubODE the physics mesh.",
            "Second Life" => "Second Life takes the base hull for a mesh without decomposition whose smallest \
                side is below 0.5 m; ubODE does so for the shape type Convex Hull, and where the mesh has \
                nothing else.",
        ],
        fix: "Doorways may close up or open: try the object on that grid, or upload its meshes again with a \
              physics shape that both engines read alike.",
        source: "Viewer, llphysicsshapebuilderutil.cpp; OpenSim, ODEMeshWorker.cs; WhiteCore, issue 137",
    }

    PHY009 "" "Becoming physical would overfill its land" {
        about: Land,
        effect: Overfills,
        message: "Made physical, the scripted linkset would take {measured} more land impact, with {limit} left on \
                  {detail}",
        why: "Being physical costs more, the more the larger the linkset. The specification warns of it: whoever may \
              make an object physical may still find that \"something on your parcel may be returned to you if you \
              are over your resource quota\". Only scripted linksets under the cap are looked at, as a script is what \
              turns a parked vehicle physical, and one finding stands for all of one land.",
        engines: [
            "Second Life" => "Second Life returns objects.",
            "OpenSimulator" => "OpenSim counts prims, which being physical does not change.",
        ],
        fix: "Leave room on the land, or make the linkset smaller or cheaper: `hullmark slim --budget` says of which \
              parts. The column land_impact_if_physical has every linkset.",
        source: "Second Life wiki, Mesh/Mesh physics, Formula",
    }

    PHY010 "parts" "Mesh part states no physics shape type" {
        about: Object,
        effect: Note,
        message: "No physics shape type is stated for a mesh: {detail}",
        why: "The specification has meshes rez as Convex Hull at first. An export that states no type is read as Prim, \
              so that is what this audit takes. What collides and what it costs may then differ from what it was.",
        engines: [
            "OpenSimulator" => "OpenSim reads Prim. The uploader of Second Life sets Prim where the upload has \
                a physics shape, and Convex Hull otherwise.",
        ],
        fix: "Set the shape type in-world and export again, or compare both costs.",
        source: "Second Life wiki, Mesh/Mesh physics: \"Meshes should initially rez with shape type Convex Hull\"; \
                 OpenSim, SceneObjectSerializer.cs",
    }

    PHY011 "triangles" "Physics mesh has slivers at this scale" {
        about: Object,
        effect: Note,
        message: "{measured} of {limit} triangles that collide are narrower than 1 mm: {detail}",
        why: "The cost of a physics mesh is its triangles divided by their harmonic mean width, which the narrowest \
              decide. The mean is never taken below 1 mm, so narrower triangles cost as much as any can.",
        engines: [
            "Second Life" => "Second Life charges by widths.",
            "OpenSimulator" => "OpenSim does not look at them.",
        ],
        fix: "Make the part larger, remove the slivers from the physics model, or set the part to Convex Hull.",
        source: "Second Life wiki, Mesh/Mesh physics, Triangle Mesh Overview",
    }
}
