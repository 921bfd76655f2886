// Workers with the library in them, and what is asked of them.
"use strict";

/** Most workers that read at the same time. Each has a memory of its own. */
const MOST_WORKERS = 4;

/** Unpacks the library and compiles it, once. */
const compiled = (async () => {
  const packed = Uint8Array.from(atob(ENGINE.wasm), letter => letter.charCodeAt(0));
  ENGINE.wasm = "";
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compile(await new Response(stream).arrayBuffer());
})();
// Whoever awaits it reports the failure.
compiled.catch(() => {});

// A worker of a blob has the policy of this page. One with an address of its own would have none.
const WORKER = URL.createObjectURL(new Blob([ENGINE.worker], { type: "text/javascript" }));

/** A worker with an instance of the library. It answers in the order of the questions. */
class Engine {
  #worker = new Worker(WORKER);
  #waiting = [];
  #panic = "";
  /** The number of bytes that it has read. */
  bytes = 0;

  /** Starts the library. `onProgress` is called after bytes were read. */
  constructor(onProgress = () => {}) {
    this.#worker.onmessage = ({ data }) => {
      if ("progress" in data) {
        this.bytes = data.progress;
        onProgress();
      } else if ("panic" in data) this.#panic = data.panic;
      else if ("dead" in data) this.#die(data.dead);
      else if ("refused" in data) this.#waiting.shift()?.failed(new Error(data.refused));
      else this.#waiting.shift()?.done(data.answer);
    };
    this.#worker.onerror = event => {
      event.preventDefault();
      this.#die(event.message || "the worker ended");
    };
  }

  /** Returns the built-in targets. */
  async start() {
    return this.ask("start", { module: await compiled });
  }

  /** Returns the answer of the worker to a call. */
  ask(call, content = {}) {
    return new Promise((done, failed) => {
      this.#waiting.push({ done, failed });
      this.#worker.postMessage({ call, ...content });
    });
  }

  /** Ends the worker at once, with its memory. */
  end() {
    this.#worker.terminate();
    this.#waiting = [];
  }

  /** Rejects all that waits: WebAssembly cannot go on after a panic. */
  #die(words) {
    const why = this.#panic
      ? `hullmark has met an error of its own (${this.#panic}). Please report it with these words.`
      : `The work ended early (${words}). Perhaps the memory of the browser is at its end. ` +
        "Audit fewer or smaller files, or use the hullmark command.";
    const error = Object.assign(new Error(why), { isEnd: true });
    for (const { failed } of this.#waiting) failed(error);
    this.end();
  }
}

/** The audit of some files: several workers read, then the first one evaluates. */
class Session {
  #engines = [];
  #onProgress;
  /** The files, until the view of a mesh needs them. */
  #files;

  /** `onProgress` gets the number of bytes that were read. */
  constructor(onProgress) {
    this.#onProgress = () => onProgress(this.#engines.reduce((sum, engine) => sum + engine.bytes, 0));
  }

  /** Reads files. Returns the targets, the names of the inputs that were not read to their end, and the meshes. */
  async read(files) {
    this.#files = files;
    const first = this.#engine();
    const targets = await first.start();
    const parts = await this.#partsOf(files);
    const incomplete = [];
    const work = async engine => {
      for (let part; (part = parts.shift()); ) incomplete.push(...await engine.ask("read", part));
    };
    const most = Math.min(navigator.hardwareConcurrency ?? 1, MOST_WORKERS, parts.length);
    const others = Array.from({ length: most - 1 }, () => this.#engine());
    const help = async engine => {
      await engine.start();
      await work(engine);
      const ledgers = await engine.ask("take");
      engine.end();
      return ledgers;
    };
    const [, ...handedOver] = await Promise.all([work(first), ...others.map(help)]);
    for (const ledgers of handedOver) await first.ask("add", { ledgers });
    return { targets, incomplete: incomplete.sort(), meshes: await first.ask("meshes") };
  }

  /** Divides files: each large archive is a part, the largest first. All other files are one, because their folders decide
   * what they are. */
  async #partsOf(files) {
    const archives = files.length === 1 ? [] : await this.#engines[0].ask("archives", { files });
    const parts = archives.map(number => ({ files: [files[number]], except: [] }));
    parts.sort((a, b) => b.files[0].file.size - a.files[0].file.size);
    const except = archives.map(number => files[number].path);
    return archives.length < files.length ? [...parts, { files, except }] : parts;
  }

  /** Returns the bytes of a file of the report. */
  report(target, profile, file) {
    return this.#engines[0].ask("report", { target, profile, file });
  }

  /** Calls a function about meshes. */
  async mesh(method, ...given) {
    const [first] = this.#engines;
    if (this.#files) {
      const files = this.#files;
      this.#files = undefined;
      await first.ask("hold", { files });
    }
    return first.ask("mesh", { method, given });
  }

  /** Returns the name and the bytes of the ledgers. */
  ledgers() {
    return this.#engines[0].ask("ledgers");
  }

  /** Ends all workers at once, with their memory. */
  end() {
    for (const engine of this.#engines) engine.end();
  }

  #engine() {
    const engine = new Engine(this.#onProgress);
    this.#engines.push(engine);
    return engine;
  }
}
