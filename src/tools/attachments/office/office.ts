import { extname } from 'node:path';
import type { Readable } from '../pdf.ts';
import { ReadingThread } from '../reading-thread.ts';
import type { OfficeFile } from './office-thread.ts';

const program = new URL(`./office-thread${extname(import.meta.url)}`, import.meta.url);

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
  const thread = new ReadingThread(program, file);
  try {
    return await thread.ask<Readable>(null);
  } catch (error) {
    return { note: `${(error as Error).message}; nothing of it can be read` };
  } finally {
    await thread.close();
  }
}
