//! REG: the rows of the table.

family! {
    "REG" "Regions and parcels"

    REG001 Error "prims" "More prims than the land holds" {
        message: "{detail}: {measured} prims, and at most {limit} are allowed",
        why: "OpenSim counts prims, whatever they cost: a region holds MaxPrims, and the parcels of one owner their \
              share by area, times the object bonus. The archive loads all the same; after that nothing more can be \
              rezzed, and hosts that sell regions by prims refuse the archive.",
        engines: "OpenSim refuses to rez where PrimLimitsModule is on, and only shows the numbers where it is not. \
                  Second Life counts land impact (CST001).",
        fix: "Remove objects, or raise MaxPrims on the target and object_capacity in the profile.",
        source: "OpenSim, PrimLimitsModule.cs; LandObject.cs, GetSimulatorMaxPrimCount; Regions.ini",
    }

    REG003 Warning "" "Telehub is missing" {
        message: "The settings name a telehub that is no object of the region: {detail}",
        why: "Visitors arrive at the spawn points around the telehub's object. Where that is missing OpenSim logs \
              \"Telehub object not found\" and drops the telehub with all its spawn points.",
        engines: "",
        fix: "Set the telehub again after loading, or export again while its object stands in the region.",
        source: "OpenSim, ArchiveReadRequest.cs, LoadObjects",
    }

    REG004 Warning "bytes" "Parcel bitmap cannot be used" {
        message: "The parcel's bitmap cannot be used as it is: {detail}",
        why: "",
        engines: "",
        fix: "Parcels are skipped when loading, or lie elsewhere; save the region again.",
        source: "",
    }

    REG005 Warning "" "Region file cannot be read" {
        message: "Settings or parcel data cannot be read: {detail}",
        why: "",
        engines: "",
        fix: "They are lost when loading; save the region again.",
        source: "",
    }
}
