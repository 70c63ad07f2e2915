// The studio's token for a port, kept in a file, so that the address stays the same after a restart.

import { chmod, mkdir, readFile, stat, unlink, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { newToken } from "./server.js";

/** A token, and the reason if it couldn't be kept. */
export interface KeptToken {
  readonly token: string;
  readonly failure?: string;
}

/** The permission bits of everyone except the owner. */
const OTHERS = 0o077;
const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

/**
 * Returns the token of a port. Reads it from the user's configuration folder, or writes a new one there, readable only by
 * the user. A file that others can read is replaced, because its token may be known.
 */
export async function keptToken(port: number): Promise<KeptToken> {
  const folder = join(configFolder(), "windrow");
  const path = join(folder, `studio-${port}.token`);
  try {
    const known = await tokenIn(path);
    if (known !== undefined) {
      return { token: known };
    }
    const token = newToken();
    await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER });
    await unlink(path).catch(() => {});
    // `wx` fails if someone puts a file or a link there in the meantime.
    await writeFile(path, `${token}\n`, { mode: PRIVATE_FILE, flag: "wx" });
    await chmod(path, PRIVATE_FILE); // the umask may have removed the owner's bits
    return { token };
  } catch (failure) {
    const { code } = failure as NodeJS.ErrnoException;
    return { token: newToken(), failure: `the token could not be kept in ${path} (${code ?? String(failure)})` };
  }
}

/** Returns the token in a file. Undefined if the file is missing, or if other users could read it. */
async function tokenIn(path: string): Promise<string | undefined> {
  try {
    const { mode, uid } = await stat(path);
    const isPrivate = process.platform === "win32" || ((mode & OTHERS) === 0 && uid === process.getuid?.());
    const token = (await readFile(path, "utf8")).trim();
    return isPrivate && /^[\w-]{22}$/.test(token) ? token : undefined;
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code === "ENOENT") {
      return undefined;
    }
    throw failure;
  }
}

/** Returns the folder for a user's settings. */
function configFolder(): string {
  const { APPDATA, XDG_CONFIG_HOME } = process.env;
  switch (process.platform) {
    case "win32":
      return APPDATA || join(homedir(), "AppData", "Roaming");
    case "darwin":
      return join(homedir(), "Library", "Application Support");
    default:
      return XDG_CONFIG_HOME || join(homedir(), ".config");
  }
}
