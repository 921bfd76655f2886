// The facts of a mesh as tables. They are those that `hullmark inspect` prints.
"use strict";

const meshTables = (() => {
const NAMES = { high_lod: "high", medium_lod: "medium", low_lod: "low", lowest_lod: "lowest" };

/** Formats a cost as the command does. */
function cost(facts, name) {
  const value = facts[name], basis = facts[`${name}_basis`] ?? "";
  const digits = value > 0 && value < 0.01 ? 4 : name === "land_impact" && Number.isInteger(value) ? 0 : 3;
  const words = value === null ? "–" : `${basis.startsWith("lower bound") ? "≥ " : ""}${value.toFixed(digits)}`;
  return { words, title: basis, name };
}

/** Words for the origin of a level of a model. */
const ORIGINS = { file: "file", above: "the level above", generated: "generated" };

const count = value => value === null ? "–" : value.toLocaleString("en");
const words = name => name.replaceAll("_", " ");

function element(tag, content, properties = {}) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...[content].flat());
  return made;
}

/** Returns a table. A cell is text, or an object with its words, its explanation, its name and whether it is wrong. */
function table(caption, heads, rows) {
  const cell = (content, tag) => {
    const { words = content, title = "", name, isWrong = false } = content ?? {};
    const made = element(tag, `${words}`, { title, className: isWrong ? "wrong" : "" });
    if (name) made.dataset.name = name;
    return made;
  };
  const row = (cells, tag) => element("tr", cells.map((content, at) => cell(content, at === 0 ? "th" : tag)));
  return element("table", [element("caption", caption), element("thead", row(heads, "th")),
    element("tbody", rows.map(cells => row(cells, "td")))]);
}

function tables(facts) {
  const [prim, hull] = facts.parts_set_to;
  const both = name => [cost(prim, name), cost(hull, name)];
  const cap = part => ({
    words: { allowed: "yes", exceeded: "no", not_applicable: "no cap" }[part.physical_cap] ?? "unknown",
    isWrong: part.physical_cap === "exceeded",
    name: "physical_cap",
  });
  const download = cost(facts, "streaming_cost"), server = cost(facts, "server_weight");
  return [
    findings(facts.findings),
    table("A prim of this size with the mesh, at rest and without scripts", ["Physics shape type", "Prim", "Convex Hull"], [
      ["Land impact", ...both("land_impact")],
      ["Download weight", download, download],
      ["Physics weight", ...both("physics_cost")],
      ["Server weight", server, server],
      ["Collides as", ...[prim, hull].map(part => ({ words: words(part.representation), title: part.reason }))],
      ["Physics weight in motion", ...both("physics_cost_dynamic")],
      [`May be physical${prim.physical_cap_limit === null ? "" : ` (≤ ${prim.physical_cap_limit})`}`, cap(prim), cap(hull)],
    ]),
    ...range(facts),
    table("Physics weight of what collides", ["", "Content", "Weight"], [
      ["Decomposition", { words: facts.hulls === null ? "–" : `${count(facts.hulls)} hulls`, name: "hulls",
        isWrong: facts.hulls > facts.max_hulls }, cost(facts, "decomposition_cost")],
      ["Base hull", { words: facts.base_hull ? `${count(facts.base_hull.vertices)} vertices` : "–",
        isWrong: Boolean(facts.base_hull?.over_limit) }, cost(facts, "base_hull_cost")],
      ["Physics triangles", `${count(facts.physics_triangles)}`, cost(facts, "triangle_cost")],
    ]),
    levels(facts),
    ...hulls(facts),
  ];
}

function levels({ levels_of_detail: all, radius_m: radius, model }) {
  const rows = all.map((level, number) => [NAMES[level.name], count(level.submeshes), count(level.vertices),
    { words: count(level.triangles), name: level.name }, ...model ? [ORIGINS[model.origins[number]]] : []]);
  return table(`Levels of detail, seen by the radius of ${radius.toFixed(3)} m`,
    ["Level", "Faces", "Vertices", "Triangles", ...model ? ["From"] : []], rows);
}

/** Tells how sure the download weight of a model is. */
function range({ model }) {
  if (!model?.streaming_cost_range) return [];
  const [least, most] = model.streaming_cost_range.map(cost => cost.toFixed(3));
  const weight = least === most ? least : `${least} to ${most}`;
  return [element("p", `The upload may make other levels: download weight ${weight}.`, { className: "soft" })];
}

function hulls({ decomposition, max_hull_vertices: most }) {
  if (decomposition.length === 0) return [];
  const rows = decomposition.map((hull, number) => [number, { words: count(hull.vertices), isWrong: hull.over_limit,
    title: hull.over_limit ? "over a limit" : "" }, count(hull.unique_vertices), hull.physics_cost.toFixed(3)]);
  const list = table(`At most ${most} vertices in each`, ["Hull", "Vertices", "Different", "Weight"], rows);
  return [element("details", [element("summary", `Hulls of the decomposition (${count(rows.length)})`), list],
    { open: rows.length <= 12 })];
}

function findings(all) {
  if (all.length === 0) return element("p", "There is no finding about this mesh for the target.", { className: "soft" });
  const item = finding => element("li", [element("strong", `${finding.severity} ${finding.code}`), ` ${finding.message} `,
    element("span", finding.advice, { className: "soft" })]);
  return element("ul", all.map(item), { className: "findings" });
}

return tables;
})();
