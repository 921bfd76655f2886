//! CST: what objects cost, against what land holds.

family! {
    "CST" "Costs and capacity"

    CST001 Error "" "Over capacity" {
        message: "{detail}: land impact {measured}, capacity {limit}",
        why: "A region holds so much land impact, and a parcel its share of that by area, times the object \
              bonus. When a parcel is over its capacity nothing more can be rezzed, and objects are returned \
              to their owners.",
        engines: "OpenSim holds 15,000 in a region unless MaxPrims says otherwise. Second Life holds 22,500 \
                  in a full region, fewer in smaller products.",
        fix: "Objects are returned or refused; remove or simplify some, or ask for a larger capacity.",
        source: "OpenSim, LandObject.cs; Second Life knowledge base, Calculating land impact",
    }

    CST003 Info "" "Cost differs between grids" {
        message: "Land impact is {limit}, and {measured} by profile {within}{detail}",
        why: "The same object takes another share of a parcel on another grid. By how much a difference must \
              be to be told stands in the settings, as cost_difference_percent.",
        engines: "Second Life takes the greatest of the three sums over the linkset and rounds it. OpenSim \
                  sums the greatest cost of each part and does not round, and counts 1 for each part of a \
                  plain linkset.",
        fix: "Plan the parcel for the grid that it will stand on.",
        source: "Second Life knowledge base, Calculating land impact; OpenSim, SceneObjectGroup.cs, \
                 GetResourcesCosts",
    }

    CST005 Info "parts" "Cost is not fully evaluated" {
        message: "{measured} of {limit} parts have no physics cost: {detail}",
        why: "A part whose mesh or sculpt map is missing or broken has a cost that nobody can know from the \
              export. It is left out and said so, and never taken as 0: sums with it are lower bounds.",
        engines: "",
        fix: "The object's costs are lower bounds; find the missing assets to know them.",
        source: "hullmark, README.md, What it judges",
    }
}
