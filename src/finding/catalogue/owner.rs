//! OWN: to whom things belong.

family! {
    "OWN" "Owners and permissions"

    OWN002 Warning "objects" "Content of others that is not free" {
        message: "{measured} objects hold parts of other creators that may not be copied or given away: {detail}",
        why: "An export is a copy. Content that was bought without permission to copy or to give it away is not \
              its owner's to take to another grid, whatever the file holds.",
        engines: "OpenSim leaves out objects that their owner may not copy or give away only where the archive was \
                  saved with --perm=CT.",
        fix: "Ask the creators, or save the archive again with --perm=CT, which leaves such objects out.",
        source: "OpenSim, ArchiveWriteRequest.cs, CanUserArchiveObject",
    }

    OWN003 Error "objects" "Object without owner" {
        message: "{measured} objects belong to nobody: {detail}",
        why: "The zero UUID is no person. Nobody can move, take or delete such an object but by the rights of the \
              estate, and its scripts run for nobody.",
        engines: "OpenSim gives what it loads from an archive to the owner of the estate where it does not know the \
                  owner; in a database, and in a merge of it, the object stays without.",
        fix: "Set an owner in the region and export again, or load the archive with --default-user.",
        source: "OpenSim, ArchiveReadRequest.cs, ModifySceneObject",
    }
}
