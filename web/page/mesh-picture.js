// A mesh as a picture that turns: reads the library's glTF and draws it with WebGL.
"use strict";

/** Directions of the first view: from the south-east and above, as in the still picture. */
const START = { yaw: Math.atan2(0.5, 0.8), pitch: Math.atan2(0.5, Math.hypot(0.5, 0.8)), zoom: 1 };

const ZOOM = { least: 0.2, most: 50 };

/** Distance and colours of the axes of the part, which are outside of it. */
const AXIS = 0.53;
const AXES = [[0.77, 0, 0.09], [0.04, 0.5, 0.16], [0.1, 0.34, 0.85]];

/** Opacity of a level of detail while physics parts are shown inside it. */
const GHOST = 0.22;

/** Dots of the picture for each dot of the page, which makes edges smooth. */
const DOTS = 2;

/** How much lines are nearer than their triangles. */
const LIFT = 0.003;

const VERTEX = `#version 300 es
uniform mat3 turn;
uniform vec3 scale, centre;
uniform vec2 fit;
uniform float depth, lift;
in vec3 position, normal;
out vec3 seen, facing;
void main() {
  seen = turn * (position * scale - centre);
  facing = turn * (normal / scale);
  gl_Position = vec4(seen.xy * fit, -seen.z * depth - lift, 1.0);
  gl_PointSize = 7.0;
}`;

const FRAGMENT = `#version 300 es
precision highp float;
uniform vec4 colour;
uniform bool isLit;
in vec3 seen, facing;
out vec4 pixel;
void main() {
  vec3 normal = dot(facing, facing) > 0.0 ? facing : cross(dFdx(seen), dFdy(seen));
  if (normal.z < 0.0) normal = -normal;
  float light = isLit ? 0.55 + 0.45 * max(dot(normalize(normal), normalize(vec3(-0.4, 0.6, 1.0))), 0.0) : 1.0;
  pixel = vec4(colour.rgb * light * colour.a, colour.a);
}`;

/** Returns the parts of a binary glTF file of the library: what each is, and its triangles. */
function partsOf(glb) {
  const view = new DataView(glb.buffer, glb.byteOffset, glb.byteLength);
  const length = view.getUint32(12, true);
  const document = JSON.parse(new TextDecoder().decode(glb.subarray(20, 20 + length)));
  // A copy, because its beginning is a multiple of four bytes.
  const buffer = glb.slice(28 + length).buffer;
  const TYPES = { 5123: Uint16Array, 5125: Uint32Array, 5126: Float32Array };
  const numbers = index => {
    const { bufferView, componentType, count, type } = document.accessors[index];
    const size = { SCALAR: 1, VEC2: 2, VEC3: 3 }[type];
    return new TYPES[componentType](buffer, document.bufferViews[bufferView].byteOffset, count * size);
  };
  const root = document.nodes[document.scenes[0].nodes[0]];
  const parts = [];
  const collect = (node, group) => {
    for (const { attributes, indices, material, mode } of document.meshes[node.mesh]?.primitives ?? []) {
      const { name, pbrMetallicRoughness } = document.materials[material];
      const colour = pbrMetallicRoughness.baseColorFactor.map((part, at) => at < 3 ? onScreen(part) : part);
      parts.push({ facts: node.extras ?? {}, group, role: name, colour, mode, positions: numbers(attributes.POSITION),
        normals: "NORMAL" in attributes ? numbers(attributes.NORMAL) : null, indices: numbers(indices) });
    }
    for (const child of node.children ?? []) collect(document.nodes[child], node.name);
  };
  collect(root, "");
  return parts;
}

/** Returns a component of linear light for a screen (sRGB). */
function onScreen(part) {
  return part <= 0.0031308 ? part * 12.92 : 1.055 * part ** (1 / 2.4) - 0.055;
}

/** Returns the lines around triangles, each once. */
function edgesOf({ indices, mode }) {
  if (mode !== 4) return indices.slice();
  const lines = new Map();
  for (let at = 0; at < indices.length; at++) {
    const from = indices[at], to = indices[at % 3 === 2 ? at - 2 : at + 1];
    lines.set(Math.min(from, to) * 0x100000000 + Math.max(from, to), [from, to]);
  }
  return Uint32Array.from([...lines.values()].flat());
}

class MeshPicture {
  #gl;
  #canvas;
  #program;
  #places = {};
  #parts = [];
  #scale = [1, 1, 1];
  #bounds = [[0, 0, 0], [0, 0, 0]];
  #isWaiting = false;
  #view = { ...START };
  /** Whether a part is drawn. */
  shows = () => true;
  hasEdges = false;

  /** Throws an error without WebGL. */
  constructor(canvas) {
    this.#canvas = canvas;
    // The picture stays readable after it is drawn, for a copy of it.
    const gl = canvas.getContext("webgl2", { antialias: false, preserveDrawingBuffer: true });
    if (!gl) throw new Error("This browser has no WebGL.");
    this.#gl = gl;
    this.#program = gl.createProgram();
    for (const [type, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(this.#program, shader);
    }
    gl.bindAttribLocation(this.#program, 0, "position");
    gl.bindAttribLocation(this.#program, 1, "normal");
    gl.linkProgram(this.#program);
    if (!gl.getProgramParameter(this.#program, gl.LINK_STATUS)) throw new Error("WebGL draws nothing here.");
    for (const name of ["turn", "scale", "centre", "fit", "depth", "lift", "colour", "isLit"]) {
      this.#places[name] = gl.getUniformLocation(this.#program, name);
    }
    new ResizeObserver(() => this.draw()).observe(canvas);
    this.#listen();
  }

  /** Replaces the parts. */
  set parts(parts) {
    const gl = this.#gl;
    for (const { buffers } of this.#parts) Object.values(buffers).forEach(buffer => gl.deleteBuffer(buffer));
    const filled = (target, numbers) => {
      const buffer = gl.createBuffer();
      gl.bindBuffer(target, buffer);
      gl.bufferData(target, numbers, gl.STATIC_DRAW);
      return buffer;
    };
    this.#parts = parts.map(part => {
      const edges = Uint32Array.from(edgesOf(part)), triangles = Uint32Array.from(part.indices);
      const buffers = {
        positions: filled(gl.ARRAY_BUFFER, part.positions),
        normals: part.normals && filled(gl.ARRAY_BUFFER, part.normals),
        triangles: filled(gl.ELEMENT_ARRAY_BUFFER, triangles),
        edges: filled(gl.ELEMENT_ARRAY_BUFFER, edges),
      };
      return { ...part, buffers, counts: { triangles: triangles.length, edges: edges.length } };
    });
    const all = parts.length ? [Infinity, -Infinity] : [-0.5, 0.5];
    this.#bounds = all.map(bound => [bound, bound, bound]);
    for (const { positions } of parts) {
      for (let at = 0; at < positions.length; at++) {
        this.#bounds[0][at % 3] = Math.min(this.#bounds[0][at % 3], positions[at]);
        this.#bounds[1][at % 3] = Math.max(this.#bounds[1][at % 3], positions[at]);
      }
    }
    this.#axes ??= AXES.map((colour, axis) => {
      const end = [-AXIS, -AXIS, -AXIS];
      end[axis] = 0.5;
      const positions = filled(gl.ARRAY_BUFFER, Float32Array.of(-AXIS, -AXIS, -AXIS, ...end));
      return { colour, buffers: { positions, edges: filled(gl.ELEMENT_ARRAY_BUFFER, Uint32Array.of(0, 1)) }, counts: { edges: 2 } };
    });
    this.draw();
  }

  #axes;

  /** Shows the first view. */
  begin() {
    this.#view = { ...START };
    this.draw();
  }

  /** Sets the size in metres. */
  set scale(scale) {
    this.#scale = scale;
    this.draw();
  }

  /** Draws before the browser paints, once for several changes. */
  draw() {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    requestAnimationFrame(() => {
      this.#isWaiting = false;
      this.#paint();
    });
  }

  #paint() {
    const gl = this.#gl, canvas = this.#canvas, places = this.#places;
    canvas.width = Math.max(1, canvas.clientWidth * DOTS);
    canvas.height = Math.max(1, canvas.clientHeight * DOTS);
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.useProgram(this.#program);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    const [low, high] = this.#bounds.map(corner => corner.map((part, axis) => part * this.#scale[axis]));
    const radius = Math.hypot(...high.map((part, axis) => part - low[axis])) / 2 || 1;
    const fit = this.#view.zoom / radius / 1.08 * Math.min(canvas.width, canvas.height);
    gl.uniformMatrix3fv(places.turn, false, this.#turn());
    gl.uniform3fv(places.scale, this.#scale);
    gl.uniform3fv(places.centre, high.map((part, axis) => (part + low[axis]) / 2));
    gl.uniform1f(places.depth, 0.99 / radius);
    gl.uniform2f(places.fit, fit / canvas.width, fit / canvas.height);
    const shown = this.#parts.filter(part => this.shows(part));
    const isInside = shown.some(part => part.role !== "level of detail");
    const opacity = part => part.role === "level of detail" && isInside ? GHOST : part.colour[3];
    // Behind what is opaque, what is not.
    for (const part of shown.filter(part => opacity(part) === 1)) this.#solid(part, 1);
    for (const axis of this.#axes ?? []) this.#lines(axis, [...axis.colour, 1]);
    gl.depthMask(false);
    for (const part of shown.filter(part => opacity(part) < 1)) this.#solid(part, opacity(part));
    gl.depthMask(true);
    if (this.hasEdges) for (const part of shown) this.#lines(part, [0.1, 0.11, 0.13, opacity(part) === 1 ? 0.8 : 0.35]);
  }

  #solid({ buffers, counts, colour, mode }, opacity) {
    const gl = this.#gl;
    gl.uniform4f(this.#places.colour, ...colour.slice(0, 3), opacity);
    gl.uniform1i(this.#places.isLit, mode === gl.TRIANGLES);
    gl.uniform1f(this.#places.lift, 0);
    this.#draw(buffers.positions, buffers.normals, buffers.triangles, mode, counts.triangles);
  }

  #lines({ buffers, counts, mode }, colour) {
    const gl = this.#gl;
    gl.uniform4f(this.#places.colour, ...colour);
    gl.uniform1i(this.#places.isLit, false);
    gl.uniform1f(this.#places.lift, LIFT);
    if (mode !== gl.POINTS) this.#draw(buffers.positions, null, buffers.edges, gl.LINES, counts.edges);
  }

  #draw(positions, normals, indices, mode, count) {
    const gl = this.#gl;
    [positions, normals].forEach((buffer, place) => {
      if (buffer) {
        gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
        gl.enableVertexAttribArray(place);
        gl.vertexAttribPointer(place, 3, gl.FLOAT, false, 0, 0);
      } else {
        gl.disableVertexAttribArray(place);
        gl.vertexAttrib3f(place, 0, 0, 0);
      }
    });
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, indices);
    gl.drawElements(mode, count, gl.UNSIGNED_INT, 0);
  }

  /** Returns the rows right, up and near, column by column. Z is up. */
  #turn() {
    const { yaw, pitch } = this.#view;
    const right = [Math.cos(yaw), Math.sin(yaw), 0];
    const near = [Math.sin(yaw) * Math.cos(pitch), -Math.cos(yaw) * Math.cos(pitch), Math.sin(pitch)];
    const up = [near[1] * right[2] - near[2] * right[1], near[2] * right[0] - near[0] * right[2],
      near[0] * right[1] - near[1] * right[0]];
    return [0, 1, 2].flatMap(axis => [right[axis], up[axis], near[axis]]);
  }

  #rotate(right, up) {
    this.#view.yaw -= right;
    this.#view.pitch = Math.max(-Math.PI / 2, Math.min(Math.PI / 2, this.#view.pitch + up));
    this.draw();
  }

  #zoom(factor) {
    this.#view.zoom = Math.max(ZOOM.least, Math.min(ZOOM.most, this.#view.zoom * factor));
    this.draw();
  }

  #listen() {
    const canvas = this.#canvas, fingers = new Map();
    const apart = () => {
      const [one, two] = [...fingers.values()];
      return Math.hypot(one.x - two.x, one.y - two.y);
    };
    canvas.onpointerdown = event => {
      canvas.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    };
    canvas.onpointermove = event => {
      const before = fingers.get(event.pointerId);
      if (!before) return;
      const distance = fingers.size > 1 && apart();
      fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
      if (distance) return this.#zoom(apart() / distance);
      this.#rotate((event.clientX - before.x) * 0.01, (event.clientY - before.y) * 0.01);
    };
    canvas.onpointerup = canvas.onpointercancel = event => fingers.delete(event.pointerId);
    canvas.addEventListener("wheel", event => {
      event.preventDefault();
      this.#zoom(Math.exp(-event.deltaY * 0.0015));
    }, { passive: false });
    const step = Math.PI / 24;
    const keys = {
      ArrowLeft: () => this.#rotate(-step, 0), ArrowRight: () => this.#rotate(step, 0),
      ArrowUp: () => this.#rotate(0, -step), ArrowDown: () => this.#rotate(0, step),
      "+": () => this.#zoom(1.2), "=": () => this.#zoom(1.2), "-": () => this.#zoom(1 / 1.2),
      Home: () => this.begin(),
    };
    canvas.onkeydown = event => {
      if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in keys)) return;
      event.preventDefault();
      keys[event.key]();
    };
  }
}
