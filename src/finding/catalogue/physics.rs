//! PHY: what may be physical, and what collides.

family! {
    "PHY" "Physics"

    PHY001 Error "" "Physical object is over the cap" {
        message: "The object is physical and its physics cost is {measured}; the cap is {limit}{detail}",
        why: "No linkset with a pure physics cost above 32.0 may be set physical. One that is physical \
              already, from another grid or an older time, stops moving once it is switched off, and cannot \
              be switched on again. The cost at rest counts, without the penalty for size.",
        engines: "Second Life enforces the cap. OpenSim has none.",
        fix: "It cannot be made physical again: simplify its physics shape or set it to Convex Hull; \
              `hullmark slim` says of which parts.",
        source: "Second Life wiki, Mesh/Mesh physics: \"No linkset or prim with a pure physics resource cost \
                 exceeding 32.0 may be set physical\"",
    }

    PHY002 Info "" "Too costly to become physical" {
        message: "The physics cost is {measured}, so the object may not be made physical (cap \
                  {limit}){detail}",
        why: "The same cap as PHY001, of an object that is not physical. It matters only to somebody who \
              means to make a vehicle of it.",
        engines: "Second Life enforces the cap. OpenSim has none.",
        fix: "Nothing to do unless it is meant to move.",
        source: "Second Life wiki, Mesh/Mesh physics",
    }

    PHY007 Info "" "Shape type Prim on a mesh without physics shape" {
        message: "The part is set to Prim but its mesh has neither decomposition nor physics mesh: {detail}",
        why: "A mesh that was uploaded without a physics shape or decomposition cannot have the shape type \
              Prim, and is always its base hull. An export may state Prim all the same: it is also what is \
              read where nothing is stated. Doorways through such a mesh are closed.",
        engines: "Second Life and ubODE use the base hull. OpenSim's older meshers use the medium or the \
                  high level of detail, so that a doorway may be open there.",
        fix: "It collides as its base hull; upload the mesh again with a physics shape if it should not.",
        source: "Second Life wiki, Mesh/Mesh physics, Notes; OpenSim, Meshmerizer.cs",
    }

    PHY008 Warning "parts" "Collision shape changes between grids" {
        message: "{measured} parts collide as something else by profile {within}: {detail}",
        why: "Grids do not choose among the physics blocks of a mesh alike, so a bridge that can be walked \
              on one may be closed on another. A change of engine moves it too.",
        engines: "Where a mesh has a decomposition and a physics mesh, Second Life takes the decomposition \
                  and ubODE the physics mesh. Second Life takes the base hull for a mesh without \
                  decomposition whose smallest side is below 0.5 m; ubODE does so for the shape type Convex \
                  Hull, and where the mesh has nothing else.",
        fix: "Doorways may close up or open: try the object on that grid, or upload its meshes again with a \
              physics shape that both engines read alike.",
        source: "Viewer, llphysicsshapebuilderutil.cpp; OpenSim, ODEMeshWorker.cs; WhiteCore, issue 137",
    }
}
