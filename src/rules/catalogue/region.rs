//! REG: settings and parcels of a region.

rules! {
    REG001 "prims" "More prims than the land holds" {
        about: Land,
        effect: Overfills,
        message: "{detail}: {measured} prims, and at most {limit} are allowed",
        why: "OpenSim counts prims, whatever they cost: a region holds MaxPrims, and the parcels of one \
              owner their share by area, times the object bonus. The archive loads all the same; after \
              that nothing more can be rezzed.",
        engines: [
            "OpenSimulator" => "OpenSim refuses to rez where PrimLimitsModule is on, and only shows the numbers \
                where it is not.",
            "Second Life" => "Second Life counts land impact (CST001).",
        ],
        fix: "Remove objects, or raise MaxPrims on the target and object_capacity in the profile.",
        source: "OpenSim, PrimLimitsModule.cs; LandObject.cs, GetSimulatorMaxPrimCount; Regions.ini",
    }

    REG003 "" "Telehub is missing" {
        about: Region,
        effect: Loses,
        message: "The settings name a telehub that is no object of the region: {detail}",
        why: "Visitors arrive at the spawn points around the telehub's object. Where that is missing OpenSim logs \
              \"Telehub object not found\" and drops the telehub with all its spawn points.",
        fix: "Set the telehub again after loading, or export again while its object stands in the region.",
        source: "OpenSim, ArchiveReadRequest.cs, LoadRegionSettings and LoadObjects",
    }

    REG004 "bytes" "Parcel bitmap cannot be used" {
        about: Entry,
        effect: Loses,
        message: "The parcel's bitmap cannot be used as it is: {detail}",
        why: "A parcel's land is a bitmap of cells of 4 m. Where it is missing or no base64, nobody knows \
              which land the parcel is, and OpenSim passes it over: its name, owner and rights are lost. \
              Of one that is no square OpenSim takes the next smaller square, and the parcel lies \
              elsewhere.",
        fix: "Parcels are skipped when loading, or lie elsewhere; save the region again.",
        source: "OpenSim, LandDataSerializer.cs; ArchiveReadRequest.cs, LoadParcels; LandObject.cs, \
              ConvertBytesToLandBitmap and IsLandBitmapEmpty",
    }

    REG005 "" "Region file is not read whole" {
        about: Entry,
        effect: Loses,
        message: "Settings or parcel data cannot be read: {detail}",
        why: "Settings that cannot be read are ignored whole, and the region keeps those that it has. So are settings \
              without General, GroundTextures and Terrain, in this order. A field of \
              a parcel that cannot be read gets a default. OpenSim declares utf-16 over bytes that are UTF-8, \
              and writes numbers as the server's culture has them: both are read here, and are no findings.",
        fix: "Set what was in it by hand after loading, or save the region again.",
        source: "OpenSim, ArchiveReadRequest.cs, LoadRegionSettings; LandDataSerializer.cs, Deserialize",
    }

    REG006 "" "Parcel cannot be read" {
        about: Entry,
        effect: Stops,
        message: "The parcel's XML cannot be read: {detail}",
        why: "OpenSim clears the region, then loads parcels, then objects. Where the XML of a parcel is not \
              well-formed, has another root element or begins with a byte order mark, it gives up the load: \
              no object comes.",
        fix: "Take the file out of the archive, and set the parcel by hand; or save the region again.",
        source: "OpenSim, ArchiveReadRequest.cs, DearchiveRegion and LoadParcels; LandDataSerializer.cs, \
              Deserialize",
    }
}
