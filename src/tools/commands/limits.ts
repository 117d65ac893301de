import { statfs } from 'node:fs/promises';

/** What a command may take. Memory and sizes are in bytes. */
export const commandLimits = {
  /** All processes together, and their memory. */
  processes: 256,
  memory: 2_147_483_648,
  /** How many processors, where the engine can share them. */
  cpus: 2,
  /** One file, which need not be kept, and all temporary files in a container. */
  file: 1_073_741_824,
  temporary: 536_870_912,
  openFiles: 4096,
};

/** How much space a disk must have left for a command to go on, in bytes. */
const leastSpace = 500_000_000;

/** Why a command has to end, since the disk of its folder is almost full; undefined if it is not. */
export async function diskTrouble(folder: string): Promise<string | undefined> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize < leastSpace ? `the disk had less than ${leastSpace / 1_000_000} MB left` : undefined;
}
