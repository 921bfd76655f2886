// Writes the costs of all objects of a region for `hullmark calibrate`. docs/calibrate.md says what it reaches.
// Second Life: streaming and physics cost are of the whole linkset, in each of its lines.

string URL = "";        // Where lines are posted; empty for the owner's chat.
float TOP = 256.0;      // The height up to which objects are looked for, metres.
float RANGE = 96.0;     // The greatest range of a sensor here, metres.
integer RESULTS = 32;   // The most objects that a sensor finds here.

float LEAST = 1.0;      // Half the side of the smallest cube, metres.
float NEAREST = 4.0;    // Half the side of the smallest cube that is sought a place for, metres.
float CORNER = 1.7321;  // From a cube's centre to a corner, in half sides.
float HALF = 32.0;      // Half the side of the first cubes, metres. Their corners are 55.5 m from the centre.

list cubes;             // Cubes that are left: centre and half side.
vector centre;
float half;
float away;             // From the box to the centre, metres.
integer walking;        // TRUE from a touch to the last cube: a second touch does nothing.
vector start;
string lines;           // Lines that are not posted yet.

say(string line)
{
    if (URL == "")
    {
        llOwnerSay(line);
        llSleep(0.1);
        return;
    }
    lines += line + "\n";
    if (llStringLength(lines) > 1500) post();
}

post()
{
    if (lines == "") return;
    llHTTPRequest(URL, [HTTP_METHOD, "POST", HTTP_MIMETYPE, "text/plain;charset=utf-8"], lines);
    lines = "";
    llSleep(1.0);
}

// A text as a cell: quoted, on one line.
string cell(string text)
{
    text = llDumpList2String(llParseStringKeepNulls(text, ["\n"], []), " ");
    return "\"" + llDumpList2String(llParseStringKeepNulls(text, ["\""], []), "\"\"") + "\"";
}

// The shape of another object is not known to a script here. In its own linkset it counts the faces with a PBR
// material. Without permission to modify it sees none.
list shape(key part)
{
    integer link = LINK_THIS;
    if (part != llGetKey())
    {
        link = llGetObjectPrimCount(llGetKey());
        while (link > 0 && llGetLinkKey(link) != part) --link;
        if (link == 0) return ["", "", "", ""];
    }
    list faces = llGetLinkPrimitiveParams(link, [PRIM_RENDER_MATERIAL, ALL_SIDES]);
    integer seen;
    integer face = llGetListLength(faces);
    while (face--)
    {
        string material = llList2String(faces, face);
        if (material != "" && material != (string)NULL_KEY) ++seen;
    }
    return ["", "", "", seen];
}

write(key part)
{
    list it = llGetObjectDetails(part, [OBJECT_NAME, OBJECT_POS, OBJECT_LINK_NUMBER, OBJECT_SCALE,
        OBJECT_PRIM_COUNT, OBJECT_SERVER_COST, OBJECT_STREAMING_COST, OBJECT_PHYSICS_COST,
        OBJECT_PRIM_EQUIVALENCE]);
    if (it == []) return;
    vector at = llList2Vector(it, 1);
    vector sides = llList2Vector(it, 3);
    say("hullmark," + llDumpList2String(["linkset", part, cell(llList2String(it, 0)), at.x, at.y, at.z,
        llList2Integer(it, 2), sides.x, sides.y, sides.z] + shape(part) + llList2List(it, 4, 8), ","));
}

// The root and the children of an object. Link numbers above the prims are of avatars who sit on it.
write_object(key root)
{
    integer count = llList2Integer(llGetObjectDetails(root, [OBJECT_PRIM_COUNT]), 0);
    write(root);
    integer link;
    for (link = 2; link <= count; ++link) write(llGetObjectLinkKey(root, link));
}

// Whether a place is in the cube. Its lower sides belong to it, its upper ones to the next cube.
integer inside(vector at)
{
    vector from = at - centre + <half, half, half>;
    float side = 2.0 * half;
    return from.x >= 0.0 && from.x < side && from.y >= 0.0 && from.y < side && from.z >= 0.0 && from.z < side;
}

split()
{
    float quarter = half / 2.0;
    integer corner;
    for (corner = 0; corner < 8; ++corner)
    {
        vector to = <quarter, quarter, quarter>;
        if (corner & 1) to.x = -quarter;
        if (corner & 2) to.y = -quarter;
        if (corner & 4) to.z = -quarter;
        cubes = [centre + to, quarter] + cubes;
    }
}

// Looks at the next cube.
next()
{
    while (cubes != [])
    {
        centre = llList2Vector(cubes, 0);
        half = llList2Float(cubes, 1);
        cubes = llDeleteSubList(cubes, 0, 1);
        // Under the ground the box stays on it, and where it is not allowed it stays where it was: the place counts.
        llSetRegionPos(centre);
        away = llVecDist(llGetPos(), centre);
        // The farthest corner, which the sensor must reach.
        float reach = away + half * CORNER;
        if (reach <= RANGE)
        {
            llSensor("", NULL_KEY, ACTIVE | PASSIVE | SCRIPTED, reach + 0.5, PI);
            return;
        }
        if (half > NEAREST) split();
        else say("# not entered: " + (string)centre + ", half side " + (string)half);
    }
    llSetRegionPos(start);
    finish();
}

finish()
{
    say("# done");
    if (URL != "") post();
    walking = FALSE;
}

default
{
    touch_start(integer count)
    {
        if (llDetectedKey(0) != llGetOwner()) return;
        if (walking) return;
        walking = TRUE;
        start = llGetPos();
        say("hullmark,scope,uuid,name,x,y,z,link,sx,sy,sz,prim_type,sculpt_type,physics_shape_type,render_materials,"
            + "prims,server_cost,streaming_cost,physics_cost,prim_equivalence");
        // In a linkset of several prims only that is measured: it stays where it is.
        if (llGetObjectPrimCount(llGetKey()) > 1)
        {
            write_object(llGetLinkKey(LINK_ROOT));
            finish();
            return;
        }
        cubes = [];
        vector size = <256.0, 256.0, 0.0>;
        vector at;
        for (at.z = HALF; at.z - HALF < TOP; at.z += 2.0 * HALF)
            for (at.y = HALF; at.y - HALF < size.y; at.y += 2.0 * HALF)
                for (at.x = HALF; at.x - HALF < size.x; at.x += 2.0 * HALF)
                    cubes += [at, HALF];
        next();
    }

    sensor(integer count)
    {
        // From outside, smaller cubes need nearly the same reach: they would find as many objects again.
        if (count >= RESULTS && half > LEAST && away <= half * CORNER)
        {
            split();
            next();
            return;
        }
        if (count >= RESULTS) say("# more objects than a sensor finds: " + (string)centre);
        integer number;
        for (number = 0; number < count; ++number)
            if (inside(llDetectedPos(number))) write_object(llDetectedKey(number));
        next();
    }

    no_sensor()
    {
        next();
    }
}
