// The studio: serves the page on this machine alone, and hands the builds that an app reports on to it.

import { randomBytes, timingSafeEqual } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize, sep } from "node:path";

/** What the studio shows, and where it listens. */
export interface StudioOptions {
  /** The folder of the built page. */
  readonly folder: string;
  /** A conversation that the page opens with. */
  readonly file?: { readonly name: string; readonly text: string } | undefined;
  /** Default: any that is free. */
  readonly port?: number | undefined;
}

export interface Studio {
  /** The address to open, with the token in it. */
  readonly address: string;
  close(): Promise<void>;
}

const HOST = "127.0.0.1";
/** Builds that a page which is opened later is still shown. */
const MOST_BUILDS = 200;
/** The most that one build may weigh, in bytes. */
const MOST_BYTES = 64_000_000;

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** What the page may reach in the studio: an endpoint of the visitor's, where the visitor agrees. */
const CONNECT = "connect-src 'self' https: http://127.0.0.1:* http://localhost:*";

/** Starts the studio. It listens on 127.0.0.1, answers to its own name alone, and its token is in memory alone. */
export async function startStudio({ folder, file, port = 0 }: StudioOptions): Promise<Studio> {
  const token = randomBytes(16).toString("base64url");
  const builds: string[] = [];
  const listeners = new Set<ServerResponse>();

  const take = (build: string): void => {
    builds.push(build);
    builds.splice(0, builds.length - MOST_BUILDS);
    for (const listener of listeners) {
      listener.write(`${build}\n`);
    }
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const own = (server.address() as AddressInfo).port;
    const { host = "", origin } = request.headers;
    // A page elsewhere whose name was made to point here asks for another host; a page of another origin says its own.
    if (host !== `${HOST}:${own}` && host !== `localhost:${own}`) {
      return refuse(response, 403, "the studio answers to 127.0.0.1 alone");
    }
    const { pathname, searchParams } = new URL(request.url ?? "/", `http://${host}`);
    const isOwn = origin === undefined || origin === `http://${host}`;
    if (pathname === "/builds") {
      return await takeBuild(request, response, origin);
    }
    if (!isOwn) {
      return refuse(response, 403, "the studio's page is for its own origin");
    }
    if (request.method !== "GET") {
      return refuse(response, 405, "the studio only shows");
    }
    if (pathname === "/") {
      return isToken(searchParams.get("token"))
        ? send(response, ".html", await pageWith(token))
        : refuse(response, 403, "open the address that `windrow studio` printed: it has a token in it");
    }
    if (pathname === "/file" || pathname === "/events") {
      if (!isAllowed(request)) {
        return refuse(response, 403, "the token is missing or of another studio");
      }
      return pathname === "/file" ? send(response, ".json", JSON.stringify(file ?? null)) : listen(response);
    }
    const path = normalize(join(folder, decodeURIComponent(pathname)));
    const contents = path.startsWith(folder + sep) ? await readFile(path).catch(() => undefined) : undefined;
    return contents === undefined
      ? refuse(response, 404, "there is no such file")
      : send(response, extname(path), contents);
  };

  const takeBuild = async (request: IncomingMessage, response: ServerResponse, origin?: string): Promise<void> => {
    if (origin !== undefined) {
      if (!/^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(origin)) {
        return refuse(response, 403, "an app sends its builds from this machine");
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
      return refuse(response, 403, "the token is missing or of another studio");
    }
    const text = await bodyOf(request);
    if (text === undefined) {
      return refuse(response, 413, `a build has at most ${MOST_BYTES} bytes`);
    }
    try {
      take(JSON.stringify(JSON.parse(text)));
    } catch {
      return refuse(response, 400, "a build is JSON");
    }
    response.writeHead(204).end();
  };

  const listen = (response: ServerResponse): void => {
    response.writeHead(200, { "content-type": "application/x-ndjson", "cache-control": "no-store" });
    response.write(builds.map((build) => `${build}\n`).join("") || "\n");
    listeners.add(response);
    response.on("close", () => listeners.delete(response));
  };

  const pageWith = async (own: string): Promise<string> => {
    const page = await readFile(join(folder, "index.html"), "utf8");
    return page
      .replace("connect-src 'self'", CONNECT)
      .replace("<head>", `<head>\n    <meta name="windrow-studio" content="${own}" />`);
  };

  const isToken = (given: string | null | undefined): boolean => {
    const bytes = Buffer.from(given ?? "");
    const wanted = Buffer.from(token);
    return bytes.length === wanted.length && timingSafeEqual(bytes, wanted);
  };
  const isAllowed = (request: IncomingMessage): boolean =>
    isToken(request.headers.authorization?.replace(/^Bearer /, ""));

  const server: Server = createServer((request, response) => {
    answer(request, response).catch((failure: Error) => refuse(response, 500, failure.message));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, HOST, resolve);
  });
  return {
    address: `http://${HOST}:${(server.address() as AddressInfo).port}/?token=${token}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function send(response: ServerResponse, type: string, contents: string | Buffer): void {
  response
    .writeHead(200, {
      "content-type": TYPES[type] ?? "application/octet-stream",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    })
    .end(contents);
}

function refuse(response: ServerResponse, status: number, words: string): void {
  if (!response.headersSent) {
    response.writeHead(status, { "content-type": "text/plain; charset=utf-8" });
  }
  response.end(`${words}\n`);
}

/** The text of a request; undefined where it is too long. */
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
