// Opens an address in the user's browser.

import { spawn } from "node:child_process";

/** The program of each system that opens an address. */
const PROGRAMS: Partial<Record<NodeJS.Platform, readonly [program: string, ...options: string[]]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** Time in milliseconds to wait for a failure of the program. */
const STARTING_MS = 1000;

/** Opens an address in the browser. Returns the reason if that fails, in words. */
export function openBrowser(address: string): Promise<string | undefined> {
  const [program, ...options] = PROGRAMS[process.platform] ?? ["xdg-open"];
  return new Promise((resolve) => {
    const child = spawn(program, [...options, address], { stdio: "ignore", detached: true });
    const timer = setTimeout(resolve, STARTING_MS, undefined);
    const end = (failure?: string): void => {
      clearTimeout(timer);
      resolve(failure);
    };
    child.once("error", (failure: NodeJS.ErrnoException) =>
      end(failure.code === "ENOENT" ? `${program} isn't installed` : failure.message),
    );
    child.once("exit", (code) => end(code === 0 ? undefined : `${program} ended with exit code ${code}`));
    child.unref();
  });
}
