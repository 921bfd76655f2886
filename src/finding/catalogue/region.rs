//! REG: settings and parcels of a region.

family! {
    "REG" "Regions and parcels"

    REG004 Warning "bytes" "Parcel bitmap cannot be used" {
        message: "The parcel's bitmap cannot be used: {detail}",
        why: "A parcel's land is a bitmap of cells of 4 m. Where it is missing, no base64 or no square, \
              nobody knows which land the parcel is, and OpenSim passes it over: its name, owner and rights \
              are lost.",
        engines: "",
        fix: "The parcel is skipped when loading; save the region again.",
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
