//! CST: the rows of the table.

family! {
    "CST" "Costs and capacity"

    CST001 Error "" "Over capacity" {
        message: "{detail}: land impact {measured}, and at most {limit} is allowed",
        why: "",
        engines: "",
        fix: "Objects are returned or refused; remove some, bring their physics cost down with `hullmark slim --budget`, or ask for a larger capacity.",
        source: "",
    }

    CST002 Warning "" "One edit would overfill its land" {
        message: "An edit that opts it into new accounting would raise the linkset's land impact by {measured}, with \
                  {limit} left on {detail}",
        why: "A linkset of plain prims is charged 1 for each. Setting a shape type or a material, or linking a mesh to \
              it, opts all of it into new accounting, and twisted or hollow prims are dear there: linksets of 10 prims \
              became 300 by one edit, and the objects of neighbours were returned. Told where that would overfill the \
              land, once for each land; nearly every linkset of prims gets dearer, and by how much stands in the \
              column land_impact_if_new.",
        engines: "Second Life returns objects. OpenSim counts prims, whatever their accounting.",
        fix: "Before such an edit set its prims to Convex Hull on a land with room, or leave the linkset as it is.",
        source: "Second Life wiki, Mesh/Mesh physics, Opt-In; beqsother, July 2016; cityofnewbabbage",
    }

    CST003 Info "" "Cost differs between grids" {
        message: "Land impact is {limit}, and {measured} by profile {within}{detail}",
        why: "",
        engines: "",
        fix: "Plan the parcel for the grid that it will stand on.",
        source: "",
    }

    CST004 Info "" "Size makes a physical linkset dearer" {
        message: "Being large raises the physical linkset's physics cost from {limit} to {measured}, and with it its \
                  land impact{detail}",
        why: "A physical linkset costs (1 + 0.04 A) times as much, A being the mean face area of the box around it in \
              square metres. The penalty does not count for the cap: it is land impact that it raises.",
        engines: "Second Life takes the box around the linkset. OpenSim takes 0.01333 times the squared diagonal of \
                  each part, which is the same for a cube only.",
        fix: "Make the linkset smaller over all, or cheaper: `hullmark slim --budget` says of which parts.",
        source: "Second Life wiki, Mesh/Mesh physics: \"penalized_cost = base_physics_cost * ( 1 + 0.04 * A )\"; \
                 OpenSim, SceneObjectPart.cs, PhysicsCost",
    }

    CST005 Info "parts" "Cost is not fully evaluated" {
        message: "{measured} of {limit} parts have no physics cost: {detail}",
        why: "",
        engines: "",
        fix: "The object's costs are lower bounds.",
        source: "",
    }
}
