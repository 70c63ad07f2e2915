// The studio's server: serves the page on this machine only, and forwards the builds that an app reports to it.

import { randomBytes, timingSafeEqual } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize, sep } from "node:path";
import { headerPolicy } from "./policy.js";

/** Options of the studio: its content and its port. */
export interface StudioOptions {
  /** The folder of the built page. */
  readonly folder: string;
  /** A conversation to open in the page. */
  readonly file?: { readonly name: string; readonly text: string } | undefined;
  /** Default: any free port. */
  readonly port?: number | undefined;
  /**
   * The address of a model that the page may ask, in `openAiCompatible`'s form. Its origin is the only other one that
   * the page can reach.
   */
  readonly endpoint?: URL | undefined;
  /** The token in the address. Default: a new one. */
  readonly token?: string | undefined;
}

export interface Studio {
  /** The address to open, with the token in it. */
  readonly address: string;
  /**
   * Returns an address that leads to `address` once. The address for the browser is one of these, because other users of
   * the machine can see the arguments of its process.
   */
  onceAddress(): string;
  close(): Promise<void>;
}

const HOST = "127.0.0.1";
/** The number of builds kept for pages that open later. */
const MOST_BUILDS = 200;
/** The limit in bytes for one build, for all kept builds together, and for builds that wait for a slow listener. */
const MOST_BYTES = 64_000_000;

const TOO_LONG = `a build has at most ${MOST_BYTES} bytes`;
/** The page without a `meta` policy, because the server sends the policy as a header. */
const PAGE = "studio.html";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Returns a random token. */
export function newToken(): string {
  return randomBytes(16).toString("base64url");
}

/** Starts the studio. It listens on 127.0.0.1 and accepts only its own host name. */
export async function startStudio({
  folder,
  file,
  port = 0,
  endpoint,
  token = newToken(),
}: StudioOptions): Promise<Studio> {
  const headers = new Headers({
    "content-security-policy": headerPolicy(endpoint === undefined ? [] : [endpoint.origin]),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
  });
  const opened = JSON.stringify({ file: file ?? null, endpoint: endpoint?.href ?? null });
  /** Each build is a line. All listeners share the same bytes. */
  const builds: Buffer[] = [];
  let kept = 0;
  const listeners = new Set<ServerResponse>();
  const onceCodes = new Set<string>();

  const take = (build: Buffer): void => {
    builds.push(build);
    kept += build.length;
    while (builds.length > MOST_BUILDS || kept > MOST_BYTES) {
      kept -= builds.shift()?.length ?? 0;
    }
    for (const listener of listeners) {
      send(listener, build);
    }
  };

  const send = (listener: ServerResponse, build: Buffer): void => {
    if (listener.writableLength + build.length > MOST_BYTES) {
      listener.destroy();
    } else {
      listener.write(build);
    }
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const own = (server.address() as AddressInfo).port;
    const { host = "", origin } = request.headers;
    // A page elsewhere whose name resolves to this machine sends another host, and a page of another origin sends that
    // origin.
    if (host !== `${HOST}:${own}` && host !== `localhost:${own}`) {
      return refuse(response, 403, "the studio answers only at 127.0.0.1 and localhost");
    }
    const asked = readTarget(request.url ?? "", `http://${host}`);
    if (asked === undefined) {
      return refuse(response, 404, "the address isn't valid");
    }
    const { path, searchParams } = asked;
    const isOwn = origin === undefined || origin === `http://${host}`;
    if (path === "/builds") {
      return await takeBuild(request, response, origin);
    }
    if (!isOwn) {
      return refuse(response, 403, "pages of other origins can't use the studio");
    }
    if (request.method !== "GET") {
      return refuse(response, 405, "only GET requests are allowed here");
    }
    if (path === "/" && onceCodes.delete(searchParams.get("once") ?? "")) {
      response.writeHead(302, { location: `/?token=${token}` }).end();
      return;
    }
    if (path === "/" && !isToken(searchParams.get("token"))) {
      return refuse(response, 403, "open the address that `windrow studio` printed: it has a token in it");
    }
    if (path === "/file" || path === "/events") {
      if (!isAllowed(request)) {
        return refuse(response, 403, "the token is missing or belongs to another studio");
      }
      return path === "/file" ? serve(response, ".json", opened) : listen(response);
    }
    const place = normalize(join(folder, path === "/" ? PAGE : path));
    const contents = place.startsWith(folder + sep) ? await readFile(place).catch(() => undefined) : undefined;
    return contents === undefined ? refuse(response, 404, "no such file") : serve(response, extname(place), contents);
  };

  const takeBuild = async (request: IncomingMessage, response: ServerResponse, origin?: string): Promise<void> => {
    if (origin !== undefined) {
      if (!/^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(origin)) {
        return refuse(response, 403, "only apps on this machine can send builds");
      }
      response.setHeader("access-control-allow-origin", origin);
      response.setHeader("access-control-allow-headers", "authorization, content-type");
      response.setHeader("access-control-allow-private-network", "true");
    }
    if (request.method === "OPTIONS") {
      response.writeHead(204).end();
      return;
    }
    if (request.method !== "POST" || !isAllowed(request)) {
      return refuse(response, 403, "the token is missing or belongs to another studio");
    }
    const text = await bodyOf(request);
    if (text === undefined) {
      return refuse(response, 413, TOO_LONG);
    }
    const build = lineOf(text);
    if (build === undefined) {
      return refuse(response, 400, "a build is JSON");
    }
    if (build.length > MOST_BYTES) {
      return refuse(response, 413, TOO_LONG);
    }
    take(build);
    response.writeHead(204).end();
  };

  const listen = (response: ServerResponse): void => {
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    response.write("\n");
    listeners.add(response);
    response.on("close", () => listeners.delete(response));
    for (const build of builds) {
      send(response, build);
    }
  };

  const isToken = (given: string | null | undefined): boolean => {
    const bytes = Buffer.from(given ?? "");
    const wanted = Buffer.from(token);
    return bytes.length === wanted.length && timingSafeEqual(bytes, wanted);
  };
  const isAllowed = (request: IncomingMessage): boolean =>
    isToken(request.headers.authorization?.replace(/^Bearer /, ""));

  const server: Server = createServer((request, response) => {
    response.setHeaders(headers);
    answer(request, response).catch((failure: Error) => refuse(response, 500, failure.message));
  });
  // Node answers an unknown `Expect` itself, without the policy.
  server.on("checkExpectation", (_, response: ServerResponse) => {
    response.setHeaders(headers);
    refuse(response, 417, "the studio doesn't support the Expect header");
  });
  // A request that isn't HTTP reaches no handler, and its answer has no response object.
  server.on("clientError", (_, socket) => {
    if (socket.writable) {
      const lines = [...headers].map(([name, value]) => `${name}: ${value}\r\n`).join("");
      socket.end(`HTTP/1.1 400 Bad Request\r\n${lines}connection: close\r\n\r\n`);
    } else {
      socket.destroy();
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, HOST, resolve);
  });
  const page = `http://${HOST}:${(server.address() as AddressInfo).port}/`;
  return {
    address: `${page}?token=${token}`,
    onceAddress() {
      const code = newToken();
      onceCodes.add(code);
      return `${page}?once=${code}`;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Returns the path and the query of a request. Undefined if they can't be parsed. */
function readTarget(target: string, origin: string): { path: string; searchParams: URLSearchParams } | undefined {
  if (!target.startsWith("/")) {
    return undefined;
  }
  try {
    const { pathname, searchParams } = new URL(origin + target);
    return { path: decodeURIComponent(pathname), searchParams };
  } catch {
    return undefined;
  }
}

/** Returns JSON text as one line. Undefined if it isn't JSON. */
function lineOf(text: string): Buffer | undefined {
  try {
    return Buffer.from(`${JSON.stringify(JSON.parse(text))}\n`);
  } catch {
    return undefined;
  }
}

function serve(response: ServerResponse, type: string, contents: string | Buffer): void {
  response.writeHead(200, { "content-type": TYPES[type] ?? "application/octet-stream" }).end(contents);
}

function refuse(response: ServerResponse, status: number, words: string): void {
  if (!response.headersSent) {
    response.writeHead(status, { "content-type": "text/plain; charset=utf-8" });
  }
  response.end(`${words}\n`);
}

/** Returns the text of a request. Undefined if it is too long. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length > MOST_BYTES) {
      return undefined;
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}
