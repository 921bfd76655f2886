//! CST: costs of objects and capacity of land.

rules! {
    CST001 "" "Land impact is over capacity" {
        about: Land,
        effect: Overfills,
        message: "Land impact is {measured}; the limit is {limit} for {detail}",
        why: "A region holds a certain land impact, and a parcel its share of that by area, times the object bonus. \
              Over capacity nothing more can be rezzed, and objects are returned to their owners.",
        engines: [
            "OpenSimulator" => "Holds 15,000 in a region unless MaxPrims sets another limit.",
            "Second Life" => "Holds 22,500 in a full region, fewer in smaller products.",
        ],
        fix: "Remove objects, lower their land impact with `hullmark fix --to-capacity`, or ask for a \
              larger capacity.",
        fix_owner: "Remove objects, or set prims to Convex Hull. In the viewer: Edit > Edit linked > Features > \
              Physics Shape Type > Convex Hull.",
        source: "OpenSim, LandObject.cs; Second Life knowledge base, Calculating land impact",
    }

    CST002 "" "One edit would overfill its land" {
        about: Land,
        effect: Overfills,
        message: "One edit would add {measured} land impact to the linkset, with {limit} left on \
              {detail}",
        why: "A linkset of plain prims counts 1 for each prim. A shape type, a material or a linked mesh opts all of \
              it in to new accounting, where twisted or hollow prims are expensive. One edit turned linksets of 10 \
              prims into 300, and objects of neighbors were returned. One finding covers a region, or all parcels of \
              one owner; the column land_impact_if_new shows every linkset.",
        engines: [
            "Second Life" => "Returns objects.",
            "OpenSimulator" => "Counts prims under any accounting.",
        ],
        fix: "Before such an edit, set the prims to Convex Hull on land with room. Or leave the linkset as it is.",
        fix_owner: "Before you set a shape type or material, or link a mesh, set the prims to Convex Hull on land \
              with room. In the viewer: Edit > Edit linked > Features > Physics Shape Type > Convex Hull.",
        source: "Second Life wiki, Mesh/Mesh physics, Opt-In; beqsother, July 2016; cityofnewbabbage",
    }

    CST003 "" "Land impact differs between grids" {
        about: Object,
        effect: Note,
        message: "Land impact is {limit}, but {measured} with profile {within}{detail}",
        why: "The same object takes another share of a parcel on another grid. The setting cost_difference_percent \
              states from which difference on this is reported.",
        engines: [
            "Second Life" => "Takes the greatest of three weights, each summed over the linkset, and rounds it.",
            "OpenSimulator" => "Counts 1 for each prim.",
        ],
        fix: "Plan the parcel with the land impact on the target grid.",
        source: "Second Life knowledge base, Calculating land impact; OpenSim 0.9.2.2, as measured",
    }

    CST004 "" "Size raises a physical linkset's cost" {
        about: Object,
        effect: Note,
        message: "Size raises the physical linkset's physics weight (physics cost) from {limit} to {measured}, and \
              its land impact{detail}",
        why: "The physics weight (physics cost) of a physical linkset is multiplied by (1 + 0.04 A). A is the mean \
              face area of the box around it, in square metres. The penalty raises the land impact and does not \
              count for the cap.",
        engines: [
            "Second Life" => "Takes the box around the linkset.",
            "OpenSimulator" => "Takes 0.01333 times the squared diagonal of each prim, which is the same only for a \
                cube.",
        ],
        fix: "Make the linkset smaller or cheaper; `hullmark fix --to-physics` lists the prims.",
        fix_owner: "Make the linkset smaller, or set prims to Convex Hull. In the viewer: Edit > Edit linked > \
              Features > Physics Shape Type > Convex Hull.",
        source: "Second Life wiki, Mesh/Mesh physics: \"penalized_cost = base_physics_cost * ( 1 + 0.04 * A )\"; \
                 OpenSim, SceneObjectPart.cs, PhysicsCost",
    }

    CST005 "prims" "Physics weight is not fully known" {
        about: Object,
        effect: Unknown,
        message: "The physics weight (physics cost) is unknown for {measured} of {limit} prims: {detail}",
        why: "The export lacks or damages the mesh or sculpt map of a prim, so its cost cannot be calculated. An \
              unknown cost is never taken as 0: sums with it are lower bounds.",
        fix: "Find the missing assets and add them with --assets. Until then take the costs as lower bounds.",
        fix_owner: "Ask the operator of your grid to find the missing assets.",
        source: "hullmark, docs/numbers.md",
    }
}
