//! REG: settings and parcels of a region.

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
        why: "A parcel's land is a bitmap of cells of 4 m. Where it is missing, no base64 or no square, \
              nobody knows which land the parcel is, and OpenSim passes it over: its name, owner and rights \
              are lost.",
        engines: "",
        fix: "Parcels are skipped when loading, or lie elsewhere; save the region again.",
        source: "OpenSim, LandDataSerializer.cs; LandObject.cs, ConvertBytesToLandBitmap",
    }

    REG005 Warning "" "Region file cannot be read" {
        message: "Settings or parcel data cannot be read: {detail}",
        why: "What cannot be read of the settings or of a parcel is lost when the region is loaded. OpenSim \
              declares utf-16 over bytes that are UTF-8, and writes numbers as the server's culture has \
              them: both are read here, and are no findings.",
        engines: "",
        fix: "They are lost when loading; save the region again.",
        source: "OpenSim, RegionSettingsSerializer.cs, LandDataSerializer.cs",
    }
}
