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

/** The audit of some files: several workers read, then one evaluates. */
class Session {
  #readers = [];
  #judge;
  #onProgress;

  /** `onProgress` gets the number of bytes that were read. */
  constructor(onProgress) {
    this.#onProgress = () => onProgress(this.#readers.reduce((sum, reader) => sum + reader.bytes, 0));
  }

  /** Reads files. Returns the targets, and the names of the inputs that were not read to their end. */
  async read(files, most = Math.min(navigator.hardwareConcurrency ?? 1, MOST_WORKERS)) {
    const targets = await this.#reader().start();
    const parts = await this.#partsOf(files);
    const readings = [];
    const work = async reader => {
      for (let part; (part = parts.shift()); ) readings.push(await reader.ask("read", part));
    };
    const others = Array.from({ length: Math.min(most, parts.length) - 1 }, () => this.#reader());
    const startAndWork = async reader => {
      await reader.start();
      await work(reader);
    };
    await Promise.all([work(this.#readers[0]), ...others.map(startAndWork)]);
    this.#endReaders();
    this.#judge = new Engine();
    await this.#judge.start();
    await this.#judge.ask("keep", { ledgers: readings.flatMap(({ ledgers }) => ledgers) });
    return { targets, incomplete: readings.flatMap(({ incomplete }) => incomplete).sort() };
  }

  /** Divides files: each large archive is a part, the largest first. All other files are one, because their folders decide
   * what they are. */
  async #partsOf(files) {
    const archives = files.length === 1 ? [] : await this.#readers[0].ask("archives", { files });
    const parts = archives.map(number => ({ files: [files[number]], except: [] }));
    parts.sort((a, b) => b.files[0].file.size - a.files[0].file.size);
    const except = archives.map(number => files[number].path);
    return archives.length < files.length ? [...parts, { files, except }] : parts;
  }

  /** Returns the bytes of a file of the report. */
  report(target, profile, file) {
    return this.#judge.ask("report", { target, profile, file });
  }

  /** Returns the name and the bytes of the ledgers. */
  ledgers() {
    return this.#judge.ask("ledgers");
  }

  /** Ends all workers at once, with their memory. */
  end() {
    this.#endReaders();
    this.#judge?.end();
  }

  #reader() {
    const reader = new Engine(this.#onProgress);
    this.#readers.push(reader);
    return reader;
  }

  #endReaders() {
    for (const reader of this.#readers) reader.end();
  }
}
