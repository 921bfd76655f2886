//! REG: the rows of the table.

family! {
    "REG" "Regions and parcels"

    REG004 Warning "bytes" "Parcel bitmap cannot be used" {
        message: "The parcel's bitmap cannot be used: {detail}",
        why: "",
        engines: "",
        fix: "The parcel is skipped when loading; save the region again.",
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
