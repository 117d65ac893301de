import { readingLimits } from '../../../util/file-limits.ts';
import { moduleBeside, runIsolated } from '../../../util/isolated.ts';
import type { Readable } from '../readable.ts';
import type { OfficeFile } from './office-thread.ts';

const program = moduleBeside(import.meta.url, 'office-thread');

let last: Promise<unknown> = Promise.resolve();

/**
 * The text of an office document. Never throws; a note says what cannot be read. A process reads one at a time, since a
 * large one may take a gigabyte of memory.
 */
export function readOffice(file: OfficeFile): Promise<Readable> {
  const reading = last.then(() => readNow(file));
  last = reading;
  return reading;
}

async function readNow(file: OfficeFile): Promise<Readable> {
  return runIsolated<Readable>(program, file, readingLimits).catch(({ message }: Error) => ({
    note: `${message}; nothing of it can be read`,
  }));
}
