//! SCR: scripts.

rules! {
    SCR001 "scripts" "Many scripts in a region" {
        about: Region,
        effect: Overfills,
        message: "{measured} scripts are in a region that should hold {limit}: {detail}",
        why: "Every script costs time and memory, also where it only waits. OpenSim's own settings warn that regions \
              with more than a hundred become unstable if people enter before all of them are loaded.",
        fix: "Take out scripts that did their work, as those that only once set a texture or a text; keep logins \
              closed until the region says that it is ready.",
        source: "OpenSim, OpenSimDefaults.ini, RegionReady",
    }

    SCR002 "" "Script in another language" {
        about: Script,
        effect: Breaks,
        message: "The script is written in a language that the target does not compile: {detail}",
        why: "A first line such as `//c#` asks for another language than LSL. Only XEngine compiled those, and \
              only where it was allowed to.",
        engines: [
            "XEngine" => "XEngine compiles C# and Visual Basic if AllowedCompilers names them.",
            "YEngine" => "YEngine and Second Life read everything as LSL and fail.",
        ],
        fix: "Have the script rewritten in LSL.",
        source: "OpenSim, ScriptEngine/YEngine; XEngine and Shared/CodeTools/Compiler.cs, removed in October \
              2022",
    }

    SCR003 "functions" "Functions that the target refuses" {
        about: Script,
        effect: Breaks,
        message: "The script calls what the target refuses or lacks: {detail}",
        why: "OpenSim rates its own functions by the harm that they can do, and a region refuses those above its \
              threat level. The script then stops with an error at the call. Functions such as \
              osConsoleCommand let a script do whatever the operator can do.",
        engines: [
            "OpenSimulator" => "OpenSim as shipped allows up to very low, and higher ones only to the owners \
                that the lines Allow_… name, as the owner of the estate.",
            "Second Life" => "Second Life has none of them and does not compile the script.",
        ],
        fix: "For OpenSim, read the script, and allow the function to its owner with a line Allow_… in osslEnable.ini. \
              For Second Life, rewrite the script without these functions.",
        source: "OpenSim, OSSL_Api.cs, CheckThreatLevel; bin/config-include/osslDefaultEnable.ini",
    }

    SCR004 "" "Script with fixed addresses" {
        about: Script,
        effect: Breaks,
        message: "Scripts name what may not be there after the move: {detail}",
        why: "A script that speaks to an object by its UUID, to a web server or to a grid by name does so after the \
              move as well. Objects have other UUIDs then, and the server may not know the new grid. A host is told once, with the \
              number of scripts that name it; a script that names objects of this archive is told by itself.",
        engines: [
            "OpenSimulator" => "OpenSim gives objects new UUIDs when it loads an archive without --merge.",
        ],
        fix: "Look whether the addresses still hold, and put them into a notecard if not.",
        source: "OpenSim, ArchiveReadRequest.cs, LoadObjects",
    }

    SCR005 "states" "State of a script that is not there" {
        about: Object,
        effect: Loses,
        message: "{measured} saved states belong to no script in the contents: {detail}",
        why: "What a script remembers is saved with the object, under the UUID of the script's item. Where no script \
              has that UUID the state is dropped on loading: the script was deleted, or came by another one and \
              starts anew. A script that lacks its asset is another matter (AST001).",
        engines: [
            "OpenSimulator" => "OpenSim looks for the state when it starts a script, and passes over states \
                that no script asks for.",
        ],
        fix: "Look whether a script is missing, and export again; nothing is wrong if it was taken out on purpose.",
        source: "OpenSim, SceneObjectGroup.cs (LoadScriptState), SceneObjectPartInventory.cs (RestoreSavedScriptState)",
    }

    SCR006 "scripts" "Many scripts in an object" {
        about: Standing,
        effect: Overfills,
        message: "{measured} scripts are in one object that should hold {limit}: {detail}",
        why: "Every script costs time and memory, also where it only waits. No limit for one object is published: \
              max_per_object in the profile is the operator's choice.",
        fix: "Take out scripts that did their work, as those that only once set a texture or a text; let one script \
              speak for the parts of an object.",
        source: "hullmark, config/profiles/second-life.toml, max_per_object",
    }
}
