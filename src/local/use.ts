import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { privateFolder, privateMode } from '../util/private-files.ts';

const useFile = (folder: string): string => join(folder, 'last-use');

/** Records that a command uses a home or one of its workers, by its folder, which keeps it from ending. */
export function noteUse(folder: string): void {
  privateFolder(folder);
  writeFileSync(useFile(folder), '', { mode: privateMode.file });
}

/** When a command last used a home or a worker, in milliseconds since the epoch; 0 where none ever has. */
export const lastUse = (folder: string): number => statSync(useFile(folder), { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** How long what nobody uses stays, in milliseconds: `REPRISE_IDLE_MINUTES`, else 10 minutes. NaN where that is no number. */
export const idleMs = ({ REPRISE_IDLE_MINUTES: minutes }: NodeJS.ProcessEnv): number => Number(minutes || 10) * 60_000;
