import type { HandleText } from '../../protocol/custom-orchestrator.ts';
import { perRun } from '../runtime/per-run.ts';

/** Loads a user's file. @returns what the file exports, or a promise of it */
type Load = () => unknown;

const loads = perRun(() => new Map<string, Load>());

/** Called by the generated entry of the workflow bundle. @param files what the bundle holds, by paths such as `./mine.ts` */
export function registerOrchestrators(files: Record<string, Load>): void {
  for (const [path, load] of Object.entries(files)) loads().set(path, load);
}

/**
 * The function `handleText` of a file. A file is run when it is first asked for, so that a file that throws fails only
 * the runs that use it.
 *
 * @returns undefined when this worker has no such file, or the file no such function
 * @throws what the file throws
 */
export async function loadOrchestrator(path: string): Promise<HandleText | undefined> {
  const exported = (await loads().get(path)?.()) as { handleText?: unknown } | undefined;
  return typeof exported?.handleText === 'function' ? (exported.handleText as HandleText) : undefined;
}
