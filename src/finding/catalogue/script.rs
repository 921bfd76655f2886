//! SCR: scripts.

family! {
    "SCR" "Scripts"

    SCR001 Warning "scripts" "Many scripts" {
        message: "{measured} scripts are in one place that should hold {limit}: {detail}",
        why: "Every script costs time and memory, also where it only waits. OpenSim's own settings warn that regions \
              with more than a hundred become unstable if people enter before all of them are loaded.",
        engines: "",
        fix: "Take out scripts that did their work, as those that only once set a texture or a text; let one script \
              speak for the parts of an object; keep logins closed until the region says that it is ready.",
        source: "OpenSim, OpenSimDefaults.ini, RegionReady",
    }

    SCR002 Warning "" "Script in another language" {
        message: "The script is written in a language that the target does not compile: {detail}",
        why: "A first line such as `//c#` asks for another language than LSL. Only XEngine compiled those, and \
              only where it was allowed to.",
        engines: "XEngine compiles C# and Visual Basic if AllowedCompilers names them; YEngine and Second Life \
                  read everything as LSL and fail.",
        fix: "Have the script rewritten in LSL.",
        source: "OpenSim, ScriptEngine/YEngine; XEngine's Compiler.cs until version 0.9.2",
    }

    SCR003 Warning "functions" "Functions that the target refuses" {
        message: "The script calls what the target refuses or lacks: {detail}",
        why: "OpenSim rates its own functions by the harm that they can do, and a region refuses those above its \
              threat level. The script then stops with an error at the call. Functions such as \
              osConsoleCommand let a script do whatever the operator can do.",
        engines: "OpenSim as shipped allows up to very low, and higher ones only to the owners that the lines \
                  Allow_… name, as the owner of the estate; Second Life has none of them and does not compile the \
                  script.",
        fix: "Read the script; then allow the function to its owner with a line Allow_… in osslEnable.ini, or have \
              it rewritten.",
        source: "OpenSim, OSSL_Api.cs, osslDefaultEnable.ini",
    }

    SCR004 Info "addresses" "Script with fixed addresses" {
        message: "The script names what may not be there after the move: {detail}",
        why: "A script that speaks to an object by its UUID, to a web server or to a grid by name does so after the \
              move as well. Objects have other UUIDs then, and the server may not know the new grid.",
        engines: "OpenSim gives objects new UUIDs when it loads an archive without --merge.",
        fix: "Look whether the addresses still hold, and put them into a notecard if not.",
        source: "OpenSim, ArchiveReadRequest.cs, LoadObjects",
    }
}
