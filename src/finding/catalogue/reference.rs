//! AST: the rows of the table.

family! {
    "AST" "Assets that objects use"

    AST001 Error "uses" "Mesh or sculpt map is missing" {
        message: "An asset that gives a part its form is used and not in this export: {detail}",
        why: "",
        engines: "",
        fix: "The part will be invisible or without its form after the move; find the asset or remove the part.",
        source: "",
    }

    AST004 Error "" "Asset cannot be decoded" {
        message: "The asset cannot be decoded: {detail}",
        why: "",
        engines: "",
        fix: "Whatever uses it loses its form; export again, or replace it.",
        source: "",
    }
}
