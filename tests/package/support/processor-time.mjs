// Time that the process has computed. Unlike a clock's, it doesn't depend on what else the machine does.

/** Milliseconds that this process has computed so far. */
export function processorMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
