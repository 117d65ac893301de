import type { HandleText } from '../../protocol/custom-orchestrator.ts';

/** Loads a file of the user's own: what it exports, or the promise of it. */
export type Load = () => unknown;

const loads = new Map<string, Load>();

/** Called by the bundle's generated entry with the files that it holds, by their paths as in `./mine.ts`. */
export function registerOrchestrators(files: Record<string, Load>): void {
  for (const [path, load] of Object.entries(files)) loads.set(path, load);
}

/**
 * The function `handleText` of a file; undefined where this worker has no such file. A file is run when it is first
 * asked for, so that one that fails fails no run but those that use it.
 *
 * @throws what the file throws when it is run
 */
export async function loadOrchestrator(path: string): Promise<HandleText | undefined> {
  const exported = (await loads.get(path)?.()) as { handleText?: unknown } | undefined;
  return typeof exported?.handleText === 'function' ? (exported.handleText as HandleText) : undefined;
}
