//! ARC: the container. Whether OpenSim would load it at all, and all of it.

rules! {
    ARC001 "" "Archive is damaged or cut short" {
        about: Archive,
        effect: Stops,
        message: "The compressed stream cannot be read to its end: {detail}",
        why: "Gzip carries a checksum and a length. OpenSim reads a whole archive before it loads objects \
              and parcels. Where the stream is damaged it stops with an error: terrain, settings and \
              assets before the damage have come, and the objects that stand in the region stay. Where the \
              stream only ends early, the runtime takes that for the end: the region is cleared, and what \
              stands before the cut is loaded. After the failure of a disk such archives were all that \
              some grids had left.",
        fix: "Make the export again and compare its size with earlier ones; do not load this one over a \
              region that still stands.",
        source: "RFC 1952; OpenSim, ArchiveReadRequest.cs, DearchiveRegion; .NET, DeflateStream.cs, \
              ReadCore; hypergridbusiness.com, August 2014",
    }

    ARC002 "bytes" "Tar structure is broken" {
        about: Entry,
        effect: Stops,
        message: "The tar structure is broken: {detail}",
        why: "A header or a size in the tar is wrong, or the tar ends early. OpenSim's reader checks no \
              checksum, takes a header that begins with a zero for the end, and says nothing where a \
              member is cut short. It parses sizes into 32 bits, so the size of a member of 2 GiB or more \
              is negative or too small: reading throws, or goes on at a wrong place. Whatever stands \
              behind that place is not restored, and where reading throws no object is.",
        fix: "Make the export again; a loader stops at this place, often without a word.",
        source: "OpenSim, TarArchiveReader.cs:212, ReadHeader and ReadData",
    }

    ARC003 "" "Control file is missing" {
        about: Archive,
        effect: Stops,
        message: "archive.xml is missing: {detail}",
        why: "OpenSim looks for an entry that is called exactly archive.xml, and refuses an archive without \
              one: \"Control file not found\". An archive that somebody unpacked and packed again often has \
              it below a folder, or as ./archive.xml.",
        fix: "OpenSim refuses the archive; put archive.xml back at the top level of the archive.",
        source: "OpenSim, ArchiveReadRequest.cs:647, FindAndLoadControlFile",
    }

    ARC004 "entries" "Entries stand where no loader looks" {
        about: Archive,
        effect: Stops,
        message: "The archive was packed again with other paths: {detail}",
        why: "OpenSim compares the paths of entries letter by letter. Where somebody unpacked an archive and packed \
              it again, the paths often begin with \"./\", or with the folder that it was unpacked into. Then \
              archive.xml is not found, and nothing is restored.",
        fix: "Pack again from inside the folder, and name what is in it, archive.xml first: tar --format=gnu \
              -czf ../region.oar archive.xml objects assets settings landdata terrains. Leave out folders \
              that are not there; in an archive of several regions they are regions and assets.",
        source: "OpenSim, ArchiveReadRequest.cs:531, 647, DearchiveRegion and FindAndLoadControlFile; tried \
              with GNU tar",
    }

    ARC005 "" "Control file is not first" {
        about: Archive,
        effect: Note,
        message: "archive.xml is not the first entry: {detail}",
        why: "OpenSim must know the version before it restores anything. When other entries come first it \
              warns and reads the archive again from its start, which fails where the archive comes as a \
              stream and not as a file.",
        fix: "OpenSim rewinds and reads again, which fails on a stream; save the archive again to be safe.",
        source: "OpenSim, ArchiveReadRequest.cs, FindAndLoadControlFile",
    }

    ARC006 "" "Archive version cannot be loaded" {
        about: Archive,
        effect: Stops,
        message: "The control file's version is not one that can be loaded: {detail}",
        why: "OpenSim refuses a major version above 1, and throws where a version is missing or is no whole \
              number. Nothing is restored either way.",
        fix: "OpenSim refuses a major version above 1 or one that is not a number; correct archive.xml.",
        source: "OpenSim, ArchiveReadRequest.cs, LoadControlFile",
    }

    ARC007 "" "Tar entries that OpenSim does not know" {
        about: Entry,
        effect: Loses,
        message: "The archive holds tar records that OpenSim does not know: {detail}",
        why: "Of all extensions of tar OpenSim's reader knows one, GNU's long names. Every other record but \
              a folder it takes for a file, and passes over it where it looks for nothing. So a link is lost, \
              and so are long names that stand in a pax record or in the prefix of a ustar header. Records \
              that only hold times, as Python writes them, do no harm.",
        fix: "Pack with GNU tar (--format=gnu) and without links, or export again.",
        source: "OpenSim, TarArchiveReader.cs, ReadHeader; ArchiveReadRequest.cs, DearchiveRegion",
    }

    ARC008 "bytes" "File is no archive" {
        about: Entry,
        effect: Stops,
        message: "The file is called an archive and is none: {detail}",
        why: "An OAR or an IAR is a tar within gzip. A file with such a name that is empty or of another kind cannot \
              be loaded at all. Some programs write zip files under the name, and a save that failed at once, on a \
              full disk for example, leaves an empty file that looks like a backup.",
        fix: "Save the region again. What is in a zip can be unpacked and packed again as a tar within gzip.",
        source: "OpenSim, ArchiveReadRequest.cs; TarArchiveReader.cs",
    }

    ARC009 "" "Archive has no assets" {
        about: Archive,
        effect: Breaks,
        message: "The archive comes without assets: {detail}",
        why: "An archive saved with --noassets, or one whose assets could not be fetched, holds objects \
              only. It is whole only on a grid that has the assets already. One operator found by luck that \
              a nightly archive had shrunk from 8 GB to 56 MB with no asset in it.",
        fix: "Costs of meshes are not evaluated; export with assets for a whole audit.",
        source: "OpenSim, OpenSim.cs, save oar --noassets; ArchiveWriteRequest.cs, assets_included; Halcyon, \
              issue 88",
    }

    ARC010 "" "Asset name cannot be understood" {
        about: Entry,
        effect: Loses,
        message: "An asset would not be restored: {detail}",
        why: "An asset's UUID and type stand in its name only. OpenSim counts an asset as failed when the \
              name has no underscore or ends in a type that it does not know; of two entries with one UUID \
              it stores the first, whatever the second holds.",
        fix: "Asset files are named UUID, underscore, type; remove or rename this one.",
        source: "OpenSim, ArchiveReadRequest.cs:318, ArchiveConstants.cs",
    }

    ARC011 "" "Unsafe or unreadable entry name" {
        about: Entry,
        effect: Loses,
        message: "An entry's name is unsafe or not text: {detail}",
        why: "A name that is an absolute path or leads upwards with \"..\" makes careless programs write \
              outside the folder that they unpack into. Control characters and bytes that are no UTF-8 do \
              not come from OpenSim, which writes names in ASCII. This audit unpacks nothing.",
        fix: "Do not unpack this archive with other tools; export again.",
        source: "OpenSim, TarArchiveWriter.cs",
    }

    ARC012 "" "Over a decoding budget" {
        about: Entry,
        effect: Loses,
        message: "Given up because a budget is spent: {detail} (measured {measured}, limit {limit})",
        why: "Archives come from strangers, and a few bytes may expand to many. Each cap in the settings is \
              far above what genuine exports hold; what goes over one is given up, so that a nightly run \
              survives it.",
        fix: "Raise the limit in the settings if the content is genuine: in [limits], that of triangles in [report].",
        source: "hullmark, config/hullmark.toml, [limits] and [report]",
    }

    ARC013 "" "Manifest and regions disagree" {
        about: Archive,
        effect: Loses,
        message: "The manifest of a multi-region archive and its folders disagree: {detail}",
        why: "The control file of an archive of several regions lists the folder of each. OpenSim passes \
              over what lies below regions in a folder that is not listed. A listed region without files \
              is neither cleared nor loaded.",
        engines: [
            "OpenSimulator" => "OpenSim finds the region to load into by its place beside the others, and \
                passes over those where none runs. Where that is all of them it loads nothing, and says \
                \"Successfully loaded archive\" (ARC016).",
        ],
        fix: "That region is skipped when loading; correct archive.xml or export again.",
        source: "OpenSim, DearchiveScenesGroup.cs, GetRegionFromPath and SetSimulatorScenes",
    }

    ARC014 "entries" "Tar entries stop the load" {
        about: Archive,
        effect: Stops,
        message: "OpenSim reads {measured} tar records as objects or parcels: {detail}",
        why: "Of all extensions of tar OpenSim's reader knows one, GNU's long names. Every other record but \
              a folder it takes for a file. GNU tar puts the pax record of a file below objects into \
              objects/PaxHeaders, where OpenSim reads it as an object, and one below landdata as a parcel. It is \
              none, and the load stops as at OBJ001, behind the clearing of the region. A link there is read as \
              an empty file, with the same end.",
        fix: "Pack with GNU tar (--format=gnu) and without links, or export again.",
        source: "OpenSim, TarArchiveReader.cs, ReadHeader; ArchiveReadRequest.cs, DearchiveRegion; tried \
              with GNU tar --format=posix",
    }

    ARC015 "" "Archive is not compressed" {
        about: Archive,
        effect: Stops,
        message: "The archive is a plain tar, without gzip around it",
        why: "OpenSim unpacks whatever it loads with gzip, and fails at the first byte of a plain tar: nothing is \
              loaded, and the region stays as it is. Archives that were unpacked and packed again by hand are \
              often left so.",
        fix: "Compress it: gzip FILE, and give it back its name ending in .oar or .iar.",
        source: "OpenSim, ArchiveReadRequest.cs, constructor (GZipStream); InventoryArchiveReadRequest.cs",
    }

    ARC016 "" "Archive of several regions" {
        about: Archive,
        effect: Loses,
        message: "What arrives depends on the region that the archive is loaded from: {detail}",
        why: "An archive of several regions is loaded from the console of one of them. OpenSim looks for the others by their \
              places beside that one, and passes over those that do not run. Where none is found it loads nothing, and says \
              \"Successfully loaded archive\".",
        engines: [
            "All" => "The box that objects must be in has the size of the region that one loads from, for all \
                regions. A region of 512 m that was loaded from one of 256 m lost all objects beyond 256 m, \
                and three quarters of its terrain.",
        ],
        fix: "Start regions with the archive's places and sizes, load from the largest, and count the objects afterwards.",
        source: "OpenSim, ArchiveReadRequest.cs, constructor; DearchiveScenesGroup.cs, SetSimulatorScenes; measured with 0.9.2.2",
    }
}
