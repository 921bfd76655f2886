//! OBJ: the rows of the table.

family! {
    "OBJ" "Objects"

    OBJ001 Blocker "" "Object cannot be read" {
        message: "The object's XML cannot be read: {detail}",
        why: "",
        engines: "",
        fix: "OpenSim gives up the load of the whole region at such an object; take it out of the archive or mend it.",
        source: "",
    }

    OBJ002 Blocker "" "Object is not clean text" {
        message: "The object's XML is not clean text: {detail}",
        why: "",
        engines: "",
        fix: "Export the object again, or remove the characters that XML does not allow.",
        source: "",
    }

    OBJ006 Error "" "Field cannot be read" {
        message: "A field is missing or cannot be read: {detail}",
        why: "",
        engines: "",
        fix: "A default is applied silently when the object is loaded; check the object in-world.",
        source: "",
    }

    OBJ009 Error "uses" "Nested object is missing" {
        message: "An object in contents is not in this export: {detail}",
        why: "",
        engines: "",
        fix: "What was inside is lost; export it on its own.",
        source: "",
    }

    OBJ010 Warning "" "Link numbers are out of order" {
        message: "The link numbers are not 1 to N: {detail}",
        why: "",
        engines: "",
        fix: "After loading another part may become the root; relink the object and export again.",
        source: "",
    }
}
