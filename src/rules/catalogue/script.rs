//! SCR: scripts.

rules! {
    SCR001 "scripts" "Too many scripts in a region" {
        about: Region,
        effect: Overfills,
        message: "The script count of {measured} exceeds the limit of {limit} in {detail}",
        why: "Every script uses time and memory, even while it waits.",
        engines: [
            "OpenSimulator" => "Warns in its own settings: regions with more than a hundred scripts become unstable \
                if people enter before all scripts are loaded.",
        ],
        fix: "Remove scripts that have done their work, such as those that set a texture or a text once. Keep logins \
              closed until the region reports that it is ready.",
        source: "OpenSim, OpenSimDefaults.ini, RegionReady",
    }

    SCR002 "" "Script language not supported" {
        about: Script,
        effect: Breaks,
        message: "The target does not compile the script's language: {detail}",
        why: "A first line such as `//c#` asks for another language than LSL.",
        engines: [
            "XEngine" => "Compiles C# and Visual Basic if AllowedCompilers names them.",
            "YEngine" => "Reads everything as LSL and fails.",
            "Second Life" => "Reads everything as LSL and fails.",
        ],
        fix: "Have the script rewritten in LSL.",
        source: "OpenSim, ScriptEngine/YEngine; XEngine and Shared/CodeTools/Compiler.cs, removed in October 2022",
    }

    SCR003 "functions" "Script functions refused by the target" {
        about: Script,
        effect: Breaks,
        message: "The target refuses or lacks functions that the script calls: {detail}",
        why: "The script stops with an error at the call, or does not compile. Functions such as osConsoleCommand \
              let a script do everything that the operator can do.",
        engines: [
            "OpenSimulator" => "Rates its own functions by the harm that they can do, and refuses those above the \
                region's threat level. By default it allows up to very low. The lines Allow_… allow higher ones to \
                the owners that they name, such as the estate owner.",
            "Second Life" => "Has none of these functions and does not compile the script.",
        ],
        fix: "For OpenSim, read the script, then allow the function to its owner with a line Allow_… in \
              osslEnable.ini. For Second Life, rewrite the script without these functions.",
        fix_second_life: "Rewrite the script without these functions.",
        fix_opensim: "Read the script. Then allow the function to its owner with a line Allow_… in osslEnable.ini, \
              or rewrite the script.",
        fix_owner: "Rewrite the script without these functions: Edit > Content, open the script. On an OpenSim grid \
              you can also ask the operator to allow them.",
        source: "OpenSim, OSSL_Api.cs, CheckThreatLevel; bin/config-include/osslDefaultEnable.ini",
    }

    SCR004 "" "Fixed address in a script" {
        about: Script,
        effect: Breaks,
        message: "A fixed address in a script may fail after the move: {detail}",
        why: "A script that addresses an object by UUID, a web server or a grid uses the same address after the \
              move. Objects then have other UUIDs, and a server may not know the new grid. A host is reported once \
              with the number of its scripts; each script that names objects of this archive is reported \
              separately.",
        engines: [
            "OpenSimulator" => "Gives objects new UUIDs when it loads an archive without --merge.",
        ],
        fix: "Check whether the addresses work after the move. If not, change them, or let the script read them from \
              a notecard.",
        source: "OpenSim, ArchiveReadRequest.cs, LoadObjects",
    }

    SCR005 "states" "Script state without script" {
        about: Object,
        effect: Loses,
        message: "No script in the object matches {detail}",
        why: "The state of a script is saved with the object under the UUID of the script's item. Without this item \
              the state is lost: the script was deleted, or was replaced and starts anew. AST001 reports a script \
              without its asset.",
        engines: [
            "OpenSimulator" => "Looks for a state when it starts a script, and ignores all other states.",
        ],
        fix: "If a script is missing, put it back and export again. If it was removed on purpose, nothing is wrong.",
        source: "OpenSim, SceneObjectGroup.cs (LoadScriptState), SceneObjectPartInventory.cs \
              (RestoreSavedScriptState)",
    }

    SCR006 "scripts" "Too many scripts in an object" {
        about: InWorld,
        effect: Overfills,
        message: "The script count of {measured} exceeds the limit of {limit} in {detail}",
        why: "Every script uses time and memory, even while it waits. No limit for one object is published: \
              max_per_object in the profile is the operator's choice.",
        fix: "Remove scripts that have done their work, such as those that set a texture or a text once. Let one \
              script control all prims of the object.",
        fix_owner: "In the viewer: Edit > Content, delete scripts that have done their work. Let one script control \
              all prims of the object.",
        source: "hullmark, config/profiles/second-life.toml, max_per_object",
    }
}
