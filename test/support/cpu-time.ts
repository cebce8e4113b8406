/**
 * Returns the milliseconds of processor time that this process spent during the work, however busy the machine was. A
 * server in this process is included.
 */
export async function cpuTimeOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
