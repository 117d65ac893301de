import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { PdfNews } from './pdf-thread.ts';

/** What could be read of a file, and a note on what is wrong with the rest. */
export interface Readable {
  text?: string;
  note?: string;
}

/** Reading ends with the page that exceeds so many characters, since compressed text may grow without limit. */
const maxCharacters = 20_000_000;

const patienceMs = 60_000;
const memoryMb = 512;

const thread = new URL(`./pdf-thread${extname(import.meta.url)}`, import.meta.url);

/** The text of a PDF, each page under a heading such as `[page 3]`. Never throws; a note says what cannot be read. */
export async function readPdf(bytes: Buffer): Promise<Readable> {
  const read = new PdfReading();
  const worker = new Worker(thread, {
    workerData: bytes,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
  });
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, patienceMs);
  worker.on('message', (news: PdfNews) => {
    if (!read.take(news)) resolve();
  });
  worker.on('error', ({ message }) => {
    read.take({ problem: `the PDF is damaged (${message})` });
    resolve();
  });
  worker.on('exit', () => resolve());
  try {
    await ended;
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
  return read.result();
}

/** Collects what has been read of a PDF. */
class PdfReading {
  readonly #pages: Array<string | null> = [];
  #count = 0;
  #characters = 0;
  readonly #notes: string[] = [];

  /** @returns whether more is wanted */
  take(news: PdfNews): boolean {
    if ('problem' in news) {
      this.#notes.push(news.problem);
      return false;
    }
    if ('pages' in news) {
      this.#count = news.pages;
      if (news.cutOff) this.#notes.push('the PDF is damaged: its end is missing');
    } else {
      this.#pages.push(news.text);
      this.#characters += news.text?.length ?? 0;
    }
    return this.#pages.length < this.#count && this.#characters <= maxCharacters;
  }

  result(): Readable {
    const notes = [...this.#notes];
    const bad = this.#pages.flatMap((text, index) => (text === null ? [index + 1] : []));
    if (bad.length > 0) notes.push(`of its ${this.#count} pages these cannot be read: ${bad.join(', ')}`);
    if (this.#pages.length < this.#count) {
      notes.push(`of its ${this.#count} pages only the first ${this.#pages.length} were read`);
    }
    if (this.#characters === 0) {
      const why = notes.length > 0 ? notes.join('; ') : 'the PDF has no text, as a scanned one has none';
      return { note: `${why}; nothing of it can be read` };
    }
    const text = this.#pages.map((page, index) => `[page ${index + 1}]\n${page ?? ''}`.trimEnd()).join('\n\n');
    return { text, ...(notes.length > 0 && { note: notes.join('; ') }) };
  }
}
