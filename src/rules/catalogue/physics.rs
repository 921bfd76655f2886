//! PHY: limits on physical objects, and collision shapes.

rules! {
    PHY001 "" "Physical object is over the cap" {
        about: Object,
        effect: Changes,
        message: "The physical object's physics weight (physics cost) is {measured}; the cap is {limit}{detail}",
        why: "No linkset with a physics weight (physics cost) above 32.0 may be set physical. One that is already \
              physical, from another grid or an older time, stops moving once switched off. It cannot be switched on \
              again. The cost at rest counts, without the penalty for size.",
        engines: [
            "Second Life" => "Enforces the cap.",
            "OpenSimulator" => "Has no cap.",
        ],
        fix: "Set prims to Convex Hull or simplify their physics shapes; `hullmark fix --to-physics` lists which prims.",
        fix_owner: "Set prims of the object to Convex Hull. In the viewer: Edit > Edit linked > Features > Physics \
              Shape Type > Convex Hull.",
        source: "Second Life wiki, Mesh/Mesh physics: \"No linkset or prim with a pure physics resource cost \
                 exceeding 32.0 may be set physical\"",
    }

    PHY002 "" "Object cannot become physical" {
        about: Object,
        effect: Note,
        message: "The physics weight (physics cost) is {measured}, above the cap of {limit} for physical \
              objects{detail}",
        why: "The cap of PHY001, for an object that is not physical. It matters only if you want the object to move, \
              for example as a vehicle. Phantom objects and attachments are not reported.",
        engines: [
            "Second Life" => "Enforces the cap.",
            "OpenSimulator" => "Has no cap.",
        ],
        fix: "Do nothing, unless the object is meant to move. In that case `hullmark fix --to-physics` lists the prims to \
              change.",
        fix_owner: "Do nothing, unless the object is meant to move. In that case set prims to Convex Hull. In the \
              viewer: Edit > Edit linked > Features > Physics Shape Type > Convex Hull.",
        source: "Second Life wiki, Mesh/Mesh physics",
    }

    PHY003 "prims" "Physical linkset has too many prims" {
        about: Object,
        effect: Changes,
        message: "The physical linkset has {measured} prims under legacy accounting; the limit is {limit}",
        why: "Before physics costs existed, a physical object had at most 32 prims. A linkset that never opted in to \
              new accounting still has this limit. The simulator answers \"Can't enable physics for objects with \
              more than 32 primitives\".",
        engines: [
            "Second Life" => "Enforces the limit.",
            "OpenSimulator" => "Counts prims only if the operator sets LinksetPhysPrims (PHY005).",
        ],
        fix: "Unlink prims until few enough remain. Or set a child prim to Convex Hull or None: the physics cost \
              then counts, and `hullmark fix --to-physics` shows how to lower it.",
        fix_owner: "Unlink prims until few enough remain, or set a child prim to Convex Hull. In the viewer: Edit > \
              Edit linked > Features > Physics Shape Type > Convex Hull.",
        source: "Second Life wiki, Limits",
    }

    PHY004 "m" "Physical linkset has an oversized prim" {
        about: Object,
        effect: Changes,
        message: "The longest colliding side of the physical linkset is {measured} m; the limit is {limit} m \
              ({detail})",
        why: "A physical linkset may have no colliding prim with a side above PhysicalPrimMax. Loading does not \
              check this, so the object arrives physical. The next change of its flags, by hand or by script, stops \
              it.",
        engines: [
            "OpenSimulator" => "Clears the physical flag silently when flags change, and refuses llSetStatus. \
                PhysicalPrimMax is 64 m in the settings that OpenSim ships, and 10 m without them.",
            "Second Life" => "Has no such rule.",
        ],
        fix: "Make the prim smaller, set it to None unless it is the root prim, or raise PhysicalPrimMax on the \
              target.",
        fix_owner: "Make the prim smaller. In the viewer: Edit > Edit linked > Object > Size. Or set it to None \
              unless it is the root prim: Features > Physics Shape Type > None.",
        source: "OpenSim, SceneObjectGroup.cs, UpdateFlags; LSL_Api.cs, llSetStatus; OpenSimDefaults.ini",
    }

    PHY005 "prims" "Physical linkset has many colliding prims" {
        about: Object,
        effect: Changes,
        message: "The physical linkset has {measured} colliding prims; the limit is {limit}{detail}",
        why: "The operator's setting LinksetPhysPrims limits the colliding prims of a physical linkset. Loading does \
              not check it, so the object arrives physical. The next change of its flags, or linking one more prim, \
              stops it.",
        engines: [
            "OpenSimulator" => "Clears the physical flag silently. Has no limit unless LinksetPhysPrims is set.",
        ],
        fix: "Set prims that need not collide to None, or raise LinksetPhysPrims on the target.",
        fix_owner: "Set child prims that need not collide to None. In the viewer: Edit > Edit linked > Features > \
              Physics Shape Type > None.",
        source: "OpenSim, SceneObjectGroup.cs, UpdateFlags and LinkToGroup",
    }

    PHY006 "" "Root prim has shape None" {
        about: Object,
        effect: Changes,
        message: "The root prim has the physics shape None, which no root prim may have: {detail}",
        why: "Only a child prim may have the physics shape None. A root prim has it from an edited export or from \
              another program. Once OpenSim loads it, it collides: what people walked through is in their way.",
        engines: [
            "OpenSimulator" => "Gives it a default when it builds the physics: Convex Hull for a mesh that is \
                neither mirrored nor inverted, Prim for all others.",
            "Second Life" => "Lets nobody set it.",
        ],
        fix: "Relink the prims with a root prim that may collide, or make the object phantom.",
        fix_owner: "Make the object phantom. In the viewer: Edit > Object > Phantom. Or unlink it, and link it again \
              with the new root prim selected last.",
        source: "OpenSim, SceneObjectPart.cs, ApplyPhysics; Second Life wiki, PRIM_PHYSICS_SHAPE_TYPE",
    }

    PHY007 "" "Mesh set to Prim has no physics" {
        about: Object,
        effect: Note,
        message: "A mesh is set to Prim but has neither decomposition nor physics mesh: {detail}",
        why: "A mesh uploaded without physics shape or decomposition always collides as its base hull. It cannot \
              have the shape type Prim, but an export may state Prim, and a missing type is read as Prim. Doorways \
              through such a mesh are closed. Phantom objects do not collide and are not reported.",
        engines: [
            "Second Life" => "Uses the base hull.",
            "ubODE" => "Uses the base hull.",
            "OpenSimulator" => "Meshmerizer uses the medium or the high level of detail, so a doorway may be open.",
            "BulletSim" => "Collides by Meshmerizer if the setting `meshing` names it, otherwise by ubODE's mesher, \
                the default.",
        ],
        fix: "Upload the mesh again with a physics shape, unless it should collide as its base hull.",
        fix_owner: "If its doorways are closed, upload the mesh again with a physics shape, or ask its creator to. \
              In the viewer: Build > Upload > Model > Physics.",
        source: "Second Life wiki, Mesh/Mesh physics, Notes; OpenSim, ubOdeMeshing/Meshmerizer.cs, \
              Meshing/Meshmerizer/Meshmerizer.cs; OpenSimDefaults.ini, meshing",
    }

    PHY008 "prims" "Collision shape changes between grids" {
        about: Object,
        effect: Changes,
        message: "Prims that collide differently with profile {within}: {measured} ({detail})",
        why: "Grids choose differently among the physics blocks of a mesh. A bridge that people can walk on in one \
              grid may be closed in another. A change of engine has the same effect.",
        engines: [
            "Second Life" => "Prefers the decomposition to the physics mesh. Takes the base hull of a mesh without \
                decomposition whose smallest side is below 0.5 m.",
            "ubODE" => "Prefers the physics mesh to the decomposition. Takes the base hull for Convex Hull, and if \
                the mesh has nothing else.",
        ],
        fix: "Try the object on that grid: doorways may close or open. If they do, upload its meshes again with a \
              physics shape that both engines read alike.",
        source: "Viewer, llphysicsshapebuilderutil.cpp; OpenSim, ODEMeshWorker.cs; WhiteCore, issue 137",
    }

    PHY009 "" "Becoming physical would overfill land" {
        about: Land,
        effect: Overfills,
        message: "If made physical, the scripted linkset needs {measured} more land impact, with {limit} left on \
              {detail}",
        why: "A physical linkset costs more, and a large one most. The specification warns that \"something on your \
              parcel may be returned to you if you are over your resource quota\". Only scripted linksets under the \
              cap are checked, because scripts make parked vehicles physical. One finding covers a region, or all \
              parcels of one owner.",
        engines: [
            "Second Life" => "Returns objects.",
            "OpenSimulator" => "Counts prims; being physical changes nothing.",
        ],
        fix: "Leave room on the land, or make the linkset smaller or cheaper: `hullmark fix --to-physics` lists the \
              prims. The column land_impact_if_physical shows every linkset.",
        fix_owner: "Leave room on your land, make the linkset smaller, or set prims to Convex Hull. In the viewer: \
              Edit > Edit linked > Features > Physics Shape Type > Convex Hull.",
        source: "Second Life wiki, Mesh/Mesh physics, Formula",
    }

    PHY010 "prims" "Mesh states no physics shape type" {
        about: Object,
        effect: Note,
        message: "The export states no physics shape type for {detail}",
        why: "By the specification, meshes rez as Convex Hull. A missing type is read as Prim, also by this audit. \
              Collision and cost may differ from the original.",
        engines: [
            "OpenSimulator" => "Reads Prim.",
            "Second Life" => "Sets Prim at upload if there is a physics shape, otherwise Convex Hull.",
        ],
        fix: "Set the physics shape type in-world and export again, or compare both costs.",
        fix_owner: "Set the type that you want. In the viewer: Edit > Edit linked > Features > Physics Shape Type.",
        source: "Second Life wiki, Mesh/Mesh physics: \"Meshes should initially rez with shape type Convex Hull\"; \
                 OpenSim, SceneObjectSerializer.cs",
    }

    PHY011 "triangles" "Physics mesh has slivers" {
        about: Object,
        effect: Note,
        message: "Colliding triangles narrower than 1 mm: {measured} of {limit} ({detail})",
        why: "The physics weight (physics cost) of a physics mesh is its triangles divided by their harmonic mean \
              width. The narrowest triangles decide that mean. It is never below 1 mm, so narrower triangles already \
              cost the maximum.",
        engines: [
            "Second Life" => "Charges by width.",
            "OpenSimulator" => "Ignores widths.",
        ],
        fix: "Set the prim to Convex Hull, make it larger, or remove the slivers from its physics model.",
        fix_owner: "Set the prim to Convex Hull or make it larger. In the viewer: Edit > Edit linked > Features > \
              Physics Shape Type > Convex Hull.",
        source: "Second Life wiki, Mesh/Mesh physics, Triangle Mesh Overview",
    }
}
