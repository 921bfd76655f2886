
"use strict";

// Draws one page of rows of each table. Texts of an export get on the page by textContent only. An address is #findings (a table), #findings/12 (a row of it), #findings?code=AST001&search=chair (a filter)
// or #AST001 (the page of a rule).

const SEVERITIES = ["info", "warning", "error", "blocker"];
const PAGE_SIZES = [10, 25, 100, 500];
const CHOICES = 500; // maximum number of values in a filter
/** Columns with paths, of which the file name is shown. */
const PATHS = ["archive", "entry"];
/** Groups of rows that are shown apart: a title, and cells that all rows of the group have. */
const GROUPS = {
  objects: [
    ["Rezzed in regions", { role: "rezzed" }],
    ["Worn", { role: "nested", worn: "yes" }],
    ["In inventories", { role: "nested", worn: "no" }],
    ["In files", { role: "loose" }],
  ],
};
/** Columns that are hidden at first if they have one text only. */
const PLACES = ["archive", "region"];
/** A phone, on which rows are cards. */
const IS_NARROW = matchMedia("(max-width: 44rem)").matches;
const CUT = 240; // characters of a cell; the details have all
const LISTED = 20; // findings in the details of an object
const numbers = new Intl.NumberFormat("en", { maximumFractionDigits: 3 });
/** For numbers of three digits and more; the details have all decimals. */
const large = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const tables = new Map();

/** An element with properties and children; strings become text. */
function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** One column: its cells are indexes of texts, or values. */
class Column {
  constructor(data) {
    Object.assign(this, data);
    this.isNumber = ["int", "real", "percent"].includes(this.kind);
    this.label = this.name.replaceAll("_", " ");
  }

  value(row) {
    const cell = this.cells[row];
    return this.words && cell !== null ? this.words[cell] : cell;
  }

  text(row) {
    const value = this.value(row);
    if (value === null) return "";
    if (this.kind === "bool") return value ? "yes" : "no";
    if (!this.isNumber || typeof value !== "number") return String(value);
    return (Math.abs(value) < 100 ? numbers : large).format(value);
  }

  /** Sort keys: a number for each row, NaN for an empty cell. */
  get keys() {
    if (!this.sortKeys) {
      const order = this.words && this.order();
      this.sortKeys = Float64Array.from(this.cells, cell =>
        cell === null ? NaN : order ? order[cell] : typeof cell === "string" ? Number(cell.replace("inf", "Infinity")) : cell);
    }
    return this.sortKeys;
  }

  /** The rank of each text. */
  order() {
    const isSeverity = this.words.every(word => SEVERITIES.includes(word));
    if (isSeverity) return this.words.map(word => SEVERITIES.indexOf(word));
    const collator = new Intl.Collator("en", { numeric: true });
    const order = new Float64Array(this.words.length);
    const sorted = this.words.map((_, number) => number).sort((a, b) => collator.compare(this.words[a], this.words[b]));
    sorted.forEach((number, place) => { order[number] = place; });
    return order;
  }

  /** Number of rows with each value, the most frequent first. */
  counts() {
    const counts = new Map();
    this.cells.forEach((cell, row) => {
      if (cell !== null) counts.set(this.filterText(row), (counts.get(this.filterText(row)) ?? 0) + 1);
    });
    return [...counts].sort((a, b) => b[1] - a[1]);
  }

  filterText(row) {
    return this.words ? this.value(row) : this.text(row);
  }

  /** A test whether a row has this value. */
  matcher(text) {
    if (text === "") return row => this.cells[row] === null;
    if (!this.words) return row => this.text(row) === text;
    const number = this.words.indexOf(text);
    return row => this.cells[row] === number;
  }

  /** A test whether a row contains this text. */
  searcher(needle) {
    if (!this.words) return null;
    const found = this.words.map(word => word.toLowerCase().includes(needle));
    return found.includes(true) ? row => this.cells[row] !== null && found[this.cells[row]] : null;
  }
}

class Table {
  constructor(section) {
    this.section = section;
    this.name = section.id;
    this.title = section.querySelector("h2").textContent;
    const data = JSON.parse(section.querySelector("script").textContent);
    this.length = data.rows;
    this.columns = data.columns.map(column => new Column(column));
    this.byName = new Map(this.columns.map(column => [column.name, column]));
    const isSame = name => PLACES.includes(name) && this.length > 1 && this.column(name).words.length < 2;
    this.shown = new Set(data.shown.filter(name => !isSame(name)));
    this.listed = data.filters;
    this.last = data.last;
    this.filters = new Map();
    this.search = "";
    this.sort = null;
    this.page = 0;
    this.pageSize = IS_NARROW ? 10 : 25;
    this.open = null;
    this.buildGroups();
    this.build();
  }

  column(name) {
    return this.byName.get(name);
  }

  value(name, row) {
    return this.byName.get(name)?.value(row) ?? null;
  }

  // Elements that are built once.

  /** Counts the rows of each group, and begins with the first one that has any. */
  buildGroups() {
    const groups = (GROUPS[this.name] ?? []).map(([title, cells]) => {
      const tests = this.matchers(Object.entries(cells));
      let count = 0;
      for (let row = 0; row < this.length; row++) count += tests.every(test => test(row));
      return { title, tests, count };
    }).filter(group => group.count > 0);
    this.groups = groups.length > 1 ? [...groups, { title: "All", tests: [], count: this.length }] : [];
    this.group = this.groups[0];
  }

  matchers(filters) {
    return filters.map(([name, value]) => this.column(name).matcher(value));
  }

  build() {
    this.tools = make("div", { className: "tools", role: "search", ariaLabel: `Filters of ${this.title}` });
    this.searchField = make("input", { type: "search", oninput: () => this.searchSoon() });
    this.groupButtons = this.groups.map(group =>
      make("button", { type: "button", onclick: () => this.choose(group) }, `${group.title} (${numbers.format(group.count)})`));
    if (this.groups.length > 0) {
      this.section.append(make("div", { className: "groups", role: "group", ariaLabel: `Groups of ${this.title}` }, ...this.groupButtons));
    }
    this.tools.append(make("label", {}, "Search", this.searchField));
    this.selects = new Map();
    for (const name of this.listed) this.buildFilter(name);
    this.tools.append(this.sortChoice());
    this.chips = make("span", {});
    this.clearButton = make("button", { type: "button", onclick: () => this.show({}) }, "Clear");
    this.tools.append(this.chips, this.clearButton, this.columnChoice());

    this.head = make("tr");
    this.body = make("tbody");
    const caption = make("caption", {}, `${this.title}. A click on a row, or Enter on its number, opens the details.`);
    this.table = make("table", {}, caption, make("thead", {}, this.head), this.body);
    this.count = make("span", { role: "status", ariaLive: "polite" });
    const turn = (label, words, by) =>
      make("button", { type: "button", ariaLabel: words, onclick: () => this.turn(by) }, label);
    this.back = [turn("«", "First page", -Infinity), turn("‹", "Previous page", -1)];
    this.forth = [turn("›", "Next page", 1), turn("»", "Last page", Infinity)];
    const sizes = make("select", { ariaLabel: "Rows per page", onchange: event => this.resize(Number(event.target.value)) });
    sizes.append(...PAGE_SIZES.map(size => make("option", { value: size, selected: size === this.pageSize }, `${size} rows`)));
    const pager = make("div", { className: "pager" }, ...this.back, ...this.forth, sizes, this.count);
    const scroll = make("div", { className: "scroll", tabIndex: 0, role: "region", ariaLabel: this.title }, this.table);
    this.section.append(this.tools, pager, scroll);
    this.buildHead();
  }

  buildFilter(name) {
    const counts = this.column(name).counts();
    if (counts.length < 2) return;
    const select = make("select", { onchange: () => this.filter(name, select.value) }, make("option", { value: "" }, "all"));
    for (const [value, count] of counts.slice(0, CHOICES)) {
      const words = value.length > 60 ? `…${value.slice(-60)}` : value;
      select.append(make("option", { value }, `${words} (${numbers.format(count)})`));
    }
    this.selects.set(name, select);
    const left = counts.length - CHOICES;
    const label = this.column(name).label + (left > 0 ? ` (${numbers.format(left)} more: use search)` : "");
    this.tools.append(make("label", {}, label, select));
  }

  /** A list of columns to sort by, for phones, which show no head. */
  sortChoice() {
    const select = make("select", { onchange: () => this.sortBy(this.column(select.value)) });
    for (const name of this.shown) select.append(make("option", { value: name }, this.column(name).label));
    select.selectedIndex = -1;
    return make("label", { className: "narrow" }, "Sort by", select);
  }

  columnChoice() {
    const boxes = this.columns.map(column => {
      const box = make("input", { type: "checkbox", checked: this.shown.has(column.name) });
      box.onchange = () => {
        if (box.checked) this.shown.add(column.name);
        else this.shown.delete(column.name);
        this.buildHead();
        this.draw();
      };
      return make("label", { title: column.about }, box, column.label);
    });
    const choice = make("details", {}, make("summary", {}, "Columns"), make("div", { className: "choice" }, ...boxes));
    choice.onkeydown = event => { if (event.key === "Escape") choice.open = false; };
    return choice;
  }

  get visible() {
    return Array.from(this.shown, name => this.column(name));
  }

  buildHead() {
    const heads = this.visible.map(column => {
      const button = make("button", { type: "button", title: column.about, onclick: () => this.sortBy(column) }, column.label);
      const head = make("th", { scope: "col", className: column.isNumber ? "number" : "" }, button);
      head.dataset.column = column.name;
      return head;
    });
    this.head.replaceChildren(make("th", { scope: "col" }, make("span", {}, "Row")), ...heads);
    this.markSort();
  }

  // Actions of the reader.

  searchSoon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.search = this.searchField.value;
      this.find();
    }, 150);
  }

  filter(name, value) {
    if (value === "") this.filters.delete(name);
    else this.filters.set(name, value);
    this.find();
  }

  choose(group) {
    this.group = group;
    this.find();
  }

  /** Shows the rows of an address, of any group. Without filters it begins again. */
  show({ search = "", ...filters }) {
    this.search = this.searchField.value = search;
    this.filters = new Map(Object.entries(filters).filter(([name]) => this.byName.has(name)));
    this.group = this.search === "" && this.filters.size === 0 ? this.groups[0] : this.groups.at(-1);
    this.find();
  }

  sortBy(column) {
    const first = column.isNumber || column.name.endsWith("severity") ? "descending" : "ascending";
    const other = first === "ascending" ? "descending" : "ascending";
    const again = this.sort?.column === column && this.sort.direction === first;
    this.sort = { column, direction: again ? other : first };
    this.markSort();
    this.find();
  }

  turn(by) {
    this.page = Math.min(Math.max(this.page + by, 0), this.pages - 1);
    this.draw();
  }

  resize(size) {
    this.pageSize = size;
    this.page = 0;
    this.draw();
  }

  /** Opens a row and turns to its page. */
  go(row) {
    if (!this.rows.includes(row)) this.show({});
    if (!this.rows.includes(row)) this.choose(this.groups.at(-1));
    this.page = Math.floor(this.rows.indexOf(row) / this.pageSize);
    this.open = row;
    this.draw();
    const link = this.body.querySelector("tr.open a");
    link.scrollIntoView({ block: "center" });
    link.focus({ preventScroll: true });
  }

  // Updates.

  find() {
    const tests = [...(this.group?.tests ?? []), ...this.matchers([...this.filters])];
    for (const word of this.search.toLowerCase().split(/\s+/).filter(Boolean)) {
      const any = this.columns.map(column => column.searcher(word)).filter(Boolean);
      tests.push(row => any.some(test => test(row)));
    }
    const rows = [];
    for (let row = 0; row < this.length; row++) if (tests.every(test => test(row))) rows.push(row);
    if (this.sort) {
      const { keys } = this.sort.column;
      const sign = this.sort.direction === "ascending" ? 1 : -1;
      // Array.sort is stable, and empty cells stay last in either direction.
      rows.sort((a, b) => Number.isNaN(keys[a]) - Number.isNaN(keys[b]) || sign * (keys[a] - keys[b]) || 0);
    }
    this.rows = rows;
    this.page = 0;
    this.open = null;
    this.markFilters();
    this.draw();
  }

  get pages() {
    return Math.max(1, Math.ceil(this.rows.length / this.pageSize));
  }

  markSort() {
    for (const head of this.head.children) {
      if (head.dataset.column && head.dataset.column === this.sort?.column.name) head.ariaSort = this.sort.direction;
      else head.removeAttribute("aria-sort");
    }
  }

  markFilters() {
    for (const [name, select] of this.selects) select.value = this.filters.get(name) ?? "";
    const others = [...this.filters].filter(([name, value]) => value === "" || this.selects.get(name)?.value !== value);
    this.chips.replaceChildren(...others.map(([name, value]) => `${this.column(name).label}: ${value || "empty"} `));
    this.groups.forEach((group, number) => { this.groupButtons[number].ariaPressed = String(group === this.group); });
    this.clearButton.disabled = this.filters.size === 0 && this.search === "";
  }

  draw() {
    const start = this.page * this.pageSize;
    const page = this.rows.slice(start, start + this.pageSize);
    this.body.replaceChildren(...page.flatMap(row => this.drawRow(row)));
    for (const button of this.back) button.disabled = this.page === 0;
    for (const button of this.forth) button.disabled = this.page === this.pages - 1;
    const filtered = this.rows.length === this.length ? "" : ` (filtered from ${numbers.format(this.length)})`;
    const range = page.length === 0 ? "" : `${numbers.format(start + 1)} to ${numbers.format(start + page.length)} of `;
    this.count.textContent = `${range}${numbers.format(this.rows.length)} ${this.rows.length === 1 ? "row" : "rows"}${filtered}`;
  }

  drawRow(row) {
    const isOpen = this.open === row;
    const link = make("a", { href: `#${this.name}/${row}`, ariaExpanded: String(isOpen) }, numbers.format(row + 1));
    link.onclick = event => {
      if (!isOpen) return;
      event.preventDefault();
      history.replaceState(null, "", `#${this.name}`);
      this.open = null;
      this.draw();
      this.body.querySelector(`a[href="#${this.name}/${row}"]`).focus();
    };
    const cells = this.visible.map(column => this.drawCell(column, row));
    const isLast = this.last && this.value(this.last, row) !== null;
    const className = ["row", isOpen && "open", isLast && "waived"].filter(Boolean).join(" ");
    const drawn = make("tr", { className }, make("td", {}, link), ...cells);
    drawn.onclick = event => {
      if (!event.target.closest("a") && getSelection().isCollapsed) link.click();
    };
    return isOpen ? [drawn, this.drawDetails(row)] : [drawn];
  }

  drawCell(column, row) {
    const kind = column.isNumber ? "number" : column.kind === "uuid" ? "uuid" : "words";
    const cell = make("td", { className: `${kind} col-${column.name}` });
    cell.dataset.label = column.label;
    let text = column.text(row);
    if (PATHS.includes(column.name)) {
      cell.title = text;
      text = text.split(/[\\/]/).pop();
    }
    if (column.kind === "uuid" && text.length > 8) {
      cell.title = text;
      text = `${text.slice(0, 8)}…`;
    } else if (text.length > CUT) {
      text = `${text.slice(0, CUT)}…`;
    }
    const target = text && this.target(column, row);
    if (column.name.endsWith("severity") && SEVERITIES.includes(text)) {
      cell.append(make("span", { className: `severity ${text}` }, text));
    } else if (target) {
      cell.append(make("a", { href: target }, text));
    } else {
      cell.textContent = text;
    }
    return cell;
  }

  /** Target of the link of a cell. */
  target(column, row) {
    if (column.name === "code") return `#${column.value(row)}`;
    if (column.name === "findings" && column.value(row) > 0) {
      if (this.name === "rules") return address("findings", { code: this.value("code", row) });
      return address("findings", this.about(row));
    }
    if (this.name === "findings" && column.name === "object_name") return this.objectOf(row);
    return null;
  }

  /** A filter of findings about this object or mesh. */
  about(row) {
    const about = { archive: this.value("archive", row) ?? "", entry: this.value("entry", row) ?? "" };
    const object = this.value("object_uuid", row);
    return object ? { ...about, object_uuid: object } : about;
  }

  /** Address of the object of a finding, if the page has it. */
  objectOf(row) {
    return this.value("object_uuid", row) && tables.get("objects")?.rowOf("object_uuid", this, row);
  }

  meshOf(row) {
    return this.value("asset_uuid", row) && tables.get("meshes")?.rowOf("entry", this, row);
  }

  /** Address of the first row with the same place as a row of another table. */
  rowOf(last, other, row) {
    const names = ["archive", "entry", last];
    if (!this.places) {
      this.places = new Map();
      for (let i = this.length - 1; i >= 0; i--) this.places.set(place(this, names, i), i);
    }
    const found = this.places.get(place(other, names, row));
    return found === undefined ? null : `#${this.name}/${found}`;
  }

  drawDetails(row) {
    const list = this.columns.filter(column => column.value(row) !== null).map(column =>
      make("div", {}, make("dt", { title: column.about }, column.label), make("dd", {}, String(column.kind === "bool" ? column.text(row) : column.value(row)))));
    const cell = make("td", { colSpan: this.visible.length + 1 }, ...this.drawLinks(row), make("dl", {}, ...list));
    return make("tr", { className: "more" }, cell);
  }

  /** Links of a row. */
  drawLinks(row) {
    const links = [];
    const link = (href, text) => links.push(make("a", { href }, text));
    if (this.column("code")) link(`#${this.value("code", row)}`, `Rule ${this.value("code", row)}`);
    if (this.name === "findings") {
      const [object, mesh] = [this.objectOf(row), this.meshOf(row)];
      if (object) link(object, "Object");
      else if (this.value("object_uuid", row)) links.push("The object is not on this page");
      if (mesh) link(mesh, "Mesh asset");
    }
    if (this.name === "regions") {
      const region = { archive: this.value("archive", row), region: this.value("region", row) ?? "" };
      for (const name of ["objects", "findings", "parcels"]) link(address(name, region), name[0].toUpperCase() + name.slice(1));
    }
    const lines = [make("p", {}, ...links.flatMap(item => [item, " · "]).slice(0, -1))];
    if (["objects", "meshes"].includes(this.name) && this.value("findings", row) > 0) lines.push(...this.drawFindings(row));
    return lines;
  }

  drawFindings(row) {
    const findings = tables.get("findings");
    const tests = findings.matchers(Object.entries(this.about(row)));
    const list = make("ul");
    for (let i = 0; i < findings.length && list.children.length < LISTED; i++) {
      if (!tests.every(test => test(i))) continue;
      const words = ["severity", "code", "message"].map(name => findings.value(name, i));
      const waived = findings.value("waived_until", i) === null ? "" : " (waived)";
      list.append(make("li", {}, make("a", { href: `#findings/${i}` }, `${words[0]} ${words[1]}`), `${waived} ${words[2]}`));
    }
    const all = make("a", { href: address("findings", this.about(row)) }, "All findings");
    return [make("p", {}, all), list];
  }
}

/** Makes the heads of a written table sort its rows. Numbers begin with the largest. */
function makeSortable(table) {
  const body = table.tBodies[0];
  const { compare } = new Intl.Collator("en", { numeric: true });
  const heads = Array.from(table.tHead.rows[0].cells);
  const key = (row, at) => row.cells[at].textContent.replaceAll(",", "");
  heads.forEach((head, at) => {
    const first = head.className === "number" ? "descending" : "ascending";
    const other = first === "ascending" ? "descending" : "ascending";
    const sort = () => {
      const direction = head.ariaSort === first ? other : first;
      const sign = direction === "ascending" ? 1 : -1;
      body.append(...Array.from(body.rows).sort((a, b) => sign * compare(key(a, at), key(b, at))));
      for (const each of heads) each.removeAttribute("aria-sort");
      head.ariaSort = direction;
    };
    head.replaceChildren(make("button", { type: "button", onclick: sort }, head.textContent));
  });
}

/** Key of a row over these columns. */
function place(table, names, row) {
  return JSON.stringify(names.map(name => table.value(name, row)));
}

function address(table, filters) {
  return `#${table}?${new URLSearchParams(filters)}`;
}

/** Shows the target of the address. */
function follow() {
  const [, name, row, query] = /^#([^/?]*)(?:\/(\d+))?(?:\?(.*))?$/.exec(location.hash) ?? [];
  const table = tables.get(name);
  if (table && row !== undefined && Number(row) < table.length) {
    table.go(Number(row));
  } else if (table && query !== undefined) {
    table.show(Object.fromEntries(new URLSearchParams(query)));
    table.section.scrollIntoView();
    table.section.focus({ preventScroll: true });
  } else {
    const page = document.getElementById(name);
    if (page?.tagName === "DETAILS") {
      page.open = true;
      page.scrollIntoView();
      page.querySelector("summary").focus();
    }
  }
}

document.querySelectorAll("table.overview").forEach(makeSortable);
for (const section of document.querySelectorAll("section.table")) tables.set(section.id, new Table(section));
// After all tables are built, because rows link to rows of other tables.
for (const table of tables.values()) table.find();
addEventListener("hashchange", follow);
// A link to the current address works again.
addEventListener("click", event => {
  const link = event.target.closest?.("a[href]");
  if (link && !event.defaultPrevented && link.getAttribute("href") === location.hash) follow();
});
follow();
