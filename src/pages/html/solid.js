// A region in 3-D, where the browser has WebGL: a box for each prim, over the ground. Figures come from the table of objects.

/** Fractions of the longer side of a region in which places and sizes are counted. */
const PLACES_OF_SIDE = 16384;
const SIZES_OF_SIDE = 65536;
/** Numbers of a box: place, size and rotation. */
const BOX = 9;
/** Views that are open at a time. A browser has few contexts of WebGL. */
const MOST_VIEWS = 6;
const FIRST_VIEW = { yaw: -0.5, pitch: 0.65, zoom: 1, east: 0, north: 0 };
const ZOOMS = [0.5, 60];
const COLOURS = {
  "worst finding": { column: "worst_severity", classes: [["info or none", [0.62, 0.67, 0.73]], ["warning", [0.95, 0.75, 0.15]], ["error or blocker", [0.82, 0.22, 0.1]]],
    place: value => ["warning", "error", "blocker"].indexOf(value) < 0 ? 0 : value === "warning" ? 1 : 2 },
  "land impact": { column: "land_impact", classes: [["not evaluated", [0.62, 0.67, 0.73]], ["up to 1", [1, 0.95, 0.7]], ["up to 5", [1, 0.8, 0.4]],
    ["up to 20", [0.99, 0.6, 0.28]], ["up to 100", [0.95, 0.3, 0.15]], ["more", [0.6, 0, 0.15]]],
    place: value => typeof value !== "number" ? 0 : 1 + [1, 5, 20, 100].filter(most => value > most).length },
};
const GROUND_COLOURS = [[0.6, 0.62, 0.5], [0.5, 0.68, 0.82]];

const HELP = "Each prim is a box of its size. A click on a box opens the row of its object. Drag to turn, with Shift to move; " +
  "the wheel zooms after a click. Keys: arrows turn, with Shift they move, + and - zoom, Home shows all.";

const BOX_VERTEX = `#version 300 es
uniform mat3 turn;
uniform vec3 centre, unit;
uniform vec2 fit;
uniform float depth, chosen;
in vec3 corner, facing, place, size, spin, colour;
in float number;
out vec3 shade;
vec3 spun(vec3 v) {
  vec4 q = vec4(spin, sqrt(max(0.0, 1.0 - dot(spin, spin))));
  return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v);
}
void main() {
  vec3 seen = turn * (place * unit.x + spun(corner * size * unit.y) - centre);
  vec3 out_of = turn * spun(facing);
  float light = 0.55 + 0.45 * max(dot(normalize(out_of), normalize(vec3(-0.4, 0.6, 1.0))), 0.0);
  shade = (number == chosen ? mix(colour, vec3(0.1, 0.4, 1.0), 0.7) : colour) * light;
  gl_Position = vec4(seen.xy * fit, -seen.z * depth, 1.0);
}`;

const BOX_FRAGMENT = `#version 300 es
precision mediump float;
in vec3 shade;
out vec4 pixel;
void main() { pixel = vec4(shade, 1.0); }`;

/** Bytes of base64. */
function bytesOf(text) {
  return Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
}

/** The corners of a box of two metres, in triangles, and the direction of each. */
function unitBox() {
  const corners = [], facings = [];
  for (const axis of [0, 1, 2]) {
    for (const side of [-1, 1]) {
      const at = (a, b) => {
        const point = [0, 0, 0];
        [point[axis], point[(axis + 1) % 3], point[(axis + 2) % 3]] = [side, a, b];
        return point;
      };
      const facing = [0, 0, 0];
      facing[axis] = side;
      for (const point of [at(-1, -1), at(1, -1), at(1, 1), at(-1, -1), at(1, 1), at(-1, 1)]) {
        corners.push(...point);
        facings.push(...facing);
      }
    }
  }
  return [corners, facings];
}

/** The ground, then the water, as triangles in metres with the direction of each corner. */
function groundOf({ side, low, high, water, cells }, [width, height]) {
  const steps = bytesOf(cells), land = [[], []], sea = [[], []];
  const at = (column, row) => {
    const step = steps[row * side + column];
    const place = (cell, length) => cell === 0 ? 0 : cell === side - 1 ? length : (cell + 0.5) * length / side;
    return step && [place(column, width), place(row, height), Math.max(low + (high - low) * (step - 1) / 254, water ?? low)];
  };
  for (let row = 0; row + 1 < side; row++) {
    for (let column = 0; column + 1 < side; column++) {
      const [a, b, c, d] = [at(column, row), at(column + 1, row), at(column + 1, row + 1), at(column, row + 1)];
      if (!a || !b || !c || !d) continue;
      for (const [one, two, three] of [[a, b, c], [a, c, d]]) {
        const [corners, facings] = [one, two, three].every(point => point[2] === water) ? sea : land;
        const [p, q] = [two, three].map(end => end.map((part, axis) => part - one[axis]));
        const facing = [0, 1, 2].map(axis => p[(axis + 1) % 3] * q[(axis + 2) % 3] - p[(axis + 2) % 3] * q[(axis + 1) % 3]);
        for (const point of [one, two, three]) {
          corners.push(...point);
          facings.push(...facing);
        }
      }
    }
  }
  return [land, sea];
}

class Solid {
  static open = [];

  constructor(map, data) {
    this.map = map;
    this.size = data.size;
    this.side = Math.max(...data.size);
    const buffer = bytesOf(data.boxes).buffer;
    this.places = new Int16Array(buffer);
    this.sizes = new Uint16Array(buffer);
    this.ground = data.ground;
    /** The row of each box, and the first box and the number of boxes of each row. */
    this.rows = data.objects.flatMap(([row, count]) => Array(count).fill(row));
    this.view = { ...FIRST_VIEW };
    this.chosen = -1;
    this.by = "worst finding";
    this.button = make("button", { type: "button", ariaExpanded: "false", onclick: () => this.toggle() }, "Show in 3-D");
    this.panel = make("div", { className: "solid", hidden: true });
    map.append(make("p", { className: "solid-button" }, this.button), this.panel);
  }

  toggle() {
    if (this.gl) this.close();
    else this.start();
  }

  close() {
    this.gl?.getExtension("WEBGL_lose_context")?.loseContext();
    this.gl = null;
    this.panel.hidden = true;
    this.panel.replaceChildren();
    this.button.ariaExpanded = "false";
    this.button.textContent = "Show in 3-D";
    Solid.open = Solid.open.filter(other => other !== this);
  }

  start() {
    if (Solid.open.length === MOST_VIEWS) Solid.open[0].close();
    const name = this.map.querySelector("figcaption").textContent;
    this.canvas = make("canvas", { tabIndex: 0, ariaLabel: `3-D view. Arrow keys turn it, with Shift they move it, + and - zoom, Home shows all. ${name}` });
    this.canvas.setAttribute("role", "img");
    const gl = this.canvas.getContext("webgl2", { antialias: true, preserveDrawingBuffer: true });
    if (!gl || !this.prepare(gl)) return;
    this.gl = gl;
    this.labels = make("div", { className: "labels" });
    this.legend = make("p", { className: "classes" });
    const choice = make("select", { onchange: () => this.paintBy(choice.value) }, ...Object.keys(COLOURS).map(by => make("option", { value: by }, by)));
    choice.value = this.by;
    this.panel.append(make("div", { className: "stage" }, this.canvas, this.labels),
      make("p", { className: "tools" }, make("label", {}, "Colors ", choice),
        make("button", { type: "button", onclick: () => this.begin() }, "Show all")), this.legend, make("p", {}, HELP));
    this.panel.hidden = false;
    this.button.ariaExpanded = "true";
    this.button.textContent = "Hide 3-D";
    Solid.open.push(this);
    this.label();
    this.paintBy(this.by);
    this.listen();
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  /** Whether the programs of WebGL are there. */
  prepare(gl) {
    const program = gl.createProgram();
    for (const [type, text] of [[gl.VERTEX_SHADER, BOX_VERTEX], [gl.FRAGMENT_SHADER, BOX_FRAGMENT]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    this.names = ["corner", "facing", "place", "size", "spin", "colour", "number"];
    this.names.forEach((name, at) => gl.bindAttribLocation(program, at, name));
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) return false;
    this.program = program;
    this.uniforms = Object.fromEntries(["turn", "centre", "unit", "fit", "depth", "chosen"].map(name => [name, gl.getUniformLocation(program, name)]));
    const filled = numbers => {
      const buffer = gl.createBuffer();
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, numbers, gl.STATIC_DRAW);
      return buffer;
    };
    const both = ([corners, facings]) => ({ corners: filled(Float32Array.from(corners)), facings: filled(Float32Array.from(facings)), count: corners.length / 3 });
    this.box = both(unitBox());
    this.grounds = this.ground ? groundOf(this.ground, this.size).map(both) : [];
    this.instances = filled(this.places);
    this.numbers = filled(Float32Array.from(this.rows));
    this.filled = filled;
    return true;
  }

  paintBy(by) {
    this.by = by;
    const { column, classes, place } = COLOURS[by], objects = tables.get("objects");
    const colours = new Map();
    for (const row of new Set(this.rows)) colours.set(row, classes[place(objects.value(column, row))][1]);
    this.colours = this.filled(Float32Array.from(this.rows.flatMap(row => colours.get(row))));
    const words = ([name, colour]) => {
      const dot = make("span", { className: "dot-of" });
      dot.style.backgroundColor = `rgb(${colour.map(part => part * 255).join(" ")})`;
      return make("span", {}, dot, name);
    };
    this.legend.replaceChildren(...classes.map(words));
    this.draw();
  }

  /** Names the heaviest objects, whose numbers are those of the map. */
  label() {
    const links = this.map.querySelectorAll(".heaviest a");
    this.named = Array.from(links, (link, at) => {
      const row = Number(link.hash.split("/")[1]);
      const words = link.textContent.length > 24 ? `${link.textContent.slice(0, 23)}…` : link.textContent;
      // The list below the map has the same links for the keyboard.
      const label = make("a", { href: link.hash, tabIndex: -1 }, `${at + 1} ${words}`);
      return { label, top: this.topOf(row) };
    }).filter(({ top }) => top);
    this.labels.replaceChildren(...this.named.map(({ label }) => label));
  }

  /** The middle of the boxes of a row, at their top, in metres. */
  topOf(row) {
    const tops = this.rows.flatMap((other, box) => other === row ? [this.boxOf(box)] : []);
    if (!tops.length) return null;
    const mean = axis => tops.reduce((sum, { place }) => sum + place[axis], 0) / tops.length;
    return [mean(0), mean(1), Math.max(...tops.map(({ place }) => place[2]))];
  }

  boxOf(box) {
    const numbers = (array, from, unit) => Array.from(array.subarray(box * BOX + from, box * BOX + from + 3), number => number * unit);
    const spin = numbers(this.places, 6, 1 / 32767);
    return { place: numbers(this.places, 0, this.side / PLACES_OF_SIDE), half: numbers(this.sizes, 3, this.side / SIZES_OF_SIDE / 2),
      spin: [...spin, Math.sqrt(Math.max(0, 1 - spin.reduce((sum, part) => sum + part * part, 0)))] };
  }

  begin() {
    this.view = { ...FIRST_VIEW };
    this.draw();
  }

  /** Rows right, up and near. Z is up. */
  get axes() {
    const { yaw, pitch } = this.view;
    const right = [Math.cos(yaw), Math.sin(yaw), 0];
    const near = [Math.sin(yaw) * Math.cos(pitch), -Math.cos(yaw) * Math.cos(pitch), Math.sin(pitch)];
    const up = [0, 1, 2].map(axis => near[(axis + 1) % 3] * right[(axis + 2) % 3] - near[(axis + 2) % 3] * right[(axis + 1) % 3]);
    return [right, up, near];
  }

  get centre() {
    const middle = this.ground ? (this.ground.low + this.ground.high) / 2 : 25;
    return [this.size[0] / 2 + this.view.east, this.size[1] / 2 + this.view.north, middle];
  }

  /** Dots of the page for a metre. */
  get scale() {
    return this.view.zoom * Math.min(this.canvas.clientWidth, 1.4 * this.canvas.clientHeight) / Math.hypot(...this.size) / 1.05;
  }

  /** Draws before the browser paints, once for several changes. */
  draw() {
    if (this.isWaiting) return;
    this.isWaiting = true;
    requestAnimationFrame(() => {
      this.isWaiting = false;
      if (this.gl) this.paint();
    });
  }

  paint() {
    const { gl, canvas, uniforms } = this;
    canvas.width = Math.max(1, canvas.clientWidth * devicePixelRatio);
    canvas.height = Math.max(1, canvas.clientHeight * devicePixelRatio);
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.useProgram(this.program);
    gl.enable(gl.DEPTH_TEST);
    const axes = this.axes, scale = this.scale;
    gl.uniformMatrix3fv(uniforms.turn, false, [0, 1, 2].flatMap(axis => axes.map(row => row[axis])));
    gl.uniform3fv(uniforms.centre, this.centre);
    gl.uniform2f(uniforms.fit, 2 * scale / canvas.clientWidth, 2 * scale / canvas.clientHeight);
    // Objects may be far above and below the ground.
    gl.uniform1f(uniforms.depth, 1 / (8 * Math.hypot(...this.size)));
    this.grounds.forEach((ground, kind) => {
      this.attribute(0, ground.corners, 3);
      this.attribute(1, ground.facings, 3);
      gl.uniform3f(uniforms.unit, 0, 1, 0);
      gl.uniform1f(uniforms.chosen, -2);
      [[2, [0, 0, 0]], [3, [1, 1, 1]], [4, [0, 0, 0]], [5, GROUND_COLOURS[kind]], [6, [-1, 0, 0]]].forEach(([at, value]) => {
        gl.disableVertexAttribArray(at);
        gl.vertexAttrib3f(at, ...value);
      });
      gl.drawArrays(gl.TRIANGLES, 0, ground.count);
    });
    this.attribute(0, this.box.corners, 3);
    this.attribute(1, this.box.facings, 3);
    gl.uniform3f(uniforms.unit, this.side / PLACES_OF_SIDE, this.side / SIZES_OF_SIDE / 2, 0);
    gl.uniform1f(uniforms.chosen, this.chosen);
    this.attribute(2, this.instances, 3, gl.SHORT, false, 0);
    this.attribute(3, this.instances, 3, gl.UNSIGNED_SHORT, false, 6);
    this.attribute(4, this.instances, 3, gl.SHORT, true, 12);
    this.attribute(5, this.colours, 3, gl.FLOAT, false, 0, 0, 1);
    this.attribute(6, this.numbers, 1, gl.FLOAT, false, 0, 0, 1);
    gl.drawArraysInstanced(gl.TRIANGLES, 0, this.box.count, this.rows.length);
    this.placeLabels(axes, scale);
  }

  attribute(at, buffer, parts, type = this.gl.FLOAT, isFraction = false, from = null, stride = from === null ? 0 : BOX * 2, each = from === null ? 0 : 1) {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.enableVertexAttribArray(at);
    gl.vertexAttribPointer(at, parts, type, isFraction, stride, from ?? 0);
    gl.vertexAttribDivisor(at, each);
  }

  /** Moves each label to its object. One that would cover another goes above it. */
  placeLabels([right, up], scale) {
    const centre = this.centre, { clientWidth, clientHeight } = this.canvas;
    const along = (axis, point) => point.reduce((sum, part, at) => sum + (part - centre[at]) * axis[at], 0) * scale;
    const places = this.named.map(({ label, top }) => {
      const [x, y] = [clientWidth / 2 + along(right, top), clientHeight / 2 - along(up, top)];
      const isSeen = x >= 0 && x <= clientWidth && y >= 0 && y <= clientHeight;
      label.hidden = !isSeen;
      return { label, x, y, isSeen };
    });
    const taken = [];
    for (const { label, x, y } of places.filter(({ isSeen }) => isSeen).sort((a, b) => b.y - a.y)) {
      const { offsetWidth: width, offsetHeight: height } = label;
      const left = Math.max(0, Math.min(x - width / 2, clientWidth - width));
      let top = Math.max(0, y - height - 6);
      const covers = other => left < other.left + other.width && other.left < left + width && Math.abs(top - other.top) < height;
      for (let tries = 0; tries < 10 && taken.some(covers) && top >= height; tries++) top -= height;
      taken.push({ left, top, width });
      label.style.transform = `translate(${left}px, ${top}px)`;
    }
  }

  /** The row of the nearest box at this point of the canvas, or -1. */
  rowAt(x, y) {
    const [right, up, near] = this.axes, centre = this.centre, scale = this.scale;
    const [across, above] = [(x - this.canvas.clientWidth / 2) / scale, (this.canvas.clientHeight / 2 - y) / scale];
    const point = centre.map((part, axis) => part + across * right[axis] + above * up[axis]);
    let best = -Infinity, found = -1;
    for (let number = 0; number < this.rows.length; number++) {
      const { place, half, spin } = this.boxOf(number);
      const [from, way] = [point.map((part, axis) => part - place[axis]), near].map(vector => unspun(vector, spin));
      let [enter, leave] = [-Infinity, Infinity];
      for (const axis of [0, 1, 2]) {
        const ends = [-1, 1].map(side => (side * half[axis] - from[axis]) / (way[axis] || 1e-12));
        enter = Math.max(enter, Math.min(...ends));
        leave = Math.min(leave, Math.max(...ends));
      }
      if (enter <= leave && leave > best) [best, found] = [leave, this.rows[number]];
    }
    return found;
  }

  turnBy(right, up) {
    this.view.yaw -= right;
    this.view.pitch = Math.max(-0.2, Math.min(Math.PI / 2, this.view.pitch + up));
    this.draw();
  }

  /** Moves by dots of the page. */
  moveBy(right, up) {
    const { yaw, pitch } = this.view, scale = this.scale, away = up / Math.max(0.2, Math.sin(pitch));
    this.view.east -= (Math.cos(yaw) * right - Math.sin(yaw) * away) / scale;
    this.view.north -= (Math.sin(yaw) * right + Math.cos(yaw) * away) / scale;
    this.draw();
  }

  zoomBy(factor) {
    this.view.zoom = Math.max(ZOOMS[0], Math.min(ZOOMS[1], this.view.zoom * factor));
    this.draw();
  }

  listen() {
    const { canvas } = this, fingers = new Map();
    let moved = 0;
    const apart = () => {
      const [one, two] = [...fingers.values()];
      return Math.hypot(one.x - two.x, one.y - two.y);
    };
    canvas.onpointerdown = event => {
      canvas.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
      moved = 0;
    };
    canvas.onpointermove = event => {
      const before = fingers.get(event.pointerId);
      if (!before) return;
      const distance = fingers.size > 1 && apart();
      fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
      const [x, y] = [event.clientX - before.x, event.clientY - before.y];
      moved += Math.hypot(x, y);
      if (distance) {
        this.zoomBy(apart() / distance);
        this.moveBy(x / 2, -y / 2);
      } else if (event.shiftKey || event.buttons === 2) {
        this.moveBy(x, -y);
      } else {
        this.turnBy(x * 0.01, y * 0.01);
      }
    };
    canvas.onpointerup = event => {
      const isClick = fingers.size === 1 && moved < 5 && event.button === 0;
      fingers.delete(event.pointerId);
      if (!isClick) return;
      const { left, top } = canvas.getBoundingClientRect();
      this.chosen = this.rowAt(event.clientX - left, event.clientY - top);
      this.draw();
      if (this.chosen < 0) return;
      const address = `#objects/${this.chosen}`;
      if (location.hash === address) follow();
      else location.hash = address;
    };
    canvas.onpointercancel = event => fingers.delete(event.pointerId);
    canvas.oncontextmenu = event => event.preventDefault();
    canvas.addEventListener("wheel", event => {
      // Without a key, the wheel scrolls the page.
      if (!event.ctrlKey && document.activeElement !== canvas) return;
      event.preventDefault();
      this.zoomBy(Math.exp(-event.deltaY * 0.0015));
    }, { passive: false });
    const step = Math.PI / 24, dots = 40;
    const keys = {
      ArrowLeft: event => event.shiftKey ? this.moveBy(dots, 0) : this.turnBy(-step, 0),
      ArrowRight: event => event.shiftKey ? this.moveBy(-dots, 0) : this.turnBy(step, 0),
      ArrowUp: event => event.shiftKey ? this.moveBy(0, -dots) : this.turnBy(0, -step),
      ArrowDown: event => event.shiftKey ? this.moveBy(0, dots) : this.turnBy(0, step),
      "+": () => this.zoomBy(1.2), "=": () => this.zoomBy(1.2), "-": () => this.zoomBy(1 / 1.2), Home: () => this.begin(),
    };
    canvas.onkeydown = event => {
      if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in keys)) return;
      event.preventDefault();
      keys[event.key](event);
    };
  }
}

/** Turns a vector back by a rotation. */
function unspun(vector, [x, y, z, w]) {
  const cross = (a, b) => [0, 1, 2].map(axis => a[(axis + 1) % 3] * b[(axis + 2) % 3] - a[(axis + 2) % 3] * b[(axis + 1) % 3]);
  const back = [-x, -y, -z];
  const inner = cross(back, vector).map((part, axis) => part + w * vector[axis]);
  return cross(back, inner).map((part, axis) => vector[axis] + 2 * part);
}

let withWebGL = null;

/** Whether the browser draws with WebGL 2. */
function hasWebGL() {
  if (withWebGL === null) {
    const gl = document.createElement("canvas").getContext("webgl2");
    withWebGL = gl !== null;
    gl?.getExtension("WEBGL_lose_context")?.loseContext();
  }
  return withWebGL;
}

const solids = JSON.parse(document.getElementById("map-boxes")?.textContent ?? "[]").flatMap((data, at) => {
  const map = document.querySelectorAll("#maps .map")[at];
  return data && hasWebGL() ? [new Solid(map, data)] : [];
});
if (solids.length > 0) {
  // The first view begins when it is near. Of others, the reader chooses.
  const first = new IntersectionObserver(entries => {
    if (!entries.some(entry => entry.isIntersecting)) return;
    first.disconnect();
    if (!solids[0].gl) solids[0].start();
  }, { rootMargin: "200px" });
  first.observe(solids[0].map);
}
