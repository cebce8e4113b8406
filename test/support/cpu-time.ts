/**
 * How many milliseconds this process has computed during the work, whatever else the machine did meanwhile. A server in this
 * process is included.
 */
export async function cpuTimeOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
