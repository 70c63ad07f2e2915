// Processor time of this process. Unlike the clock, it doesn't depend on other processes.

/** Milliseconds of processor time so far. */
export function processorMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
