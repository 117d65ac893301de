import { readingLimits } from '../../util/file-limits.ts';
import { moduleBeside, runIsolated } from '../../util/isolated.ts';
import type { PdfPage } from './pdf-thread.ts';

/** What could be read of a file, and a note on what is wrong with the rest. */
export interface Readable {
  text?: string;
  note?: string;
}

const memoryMb = 512;

const program = moduleBeside(import.meta.url, 'pdf-thread');

/** The text of a PDF, each page under a heading such as `[page 3]`. Never throws; a note says what cannot be read. */
export async function readPdf(bytes: Buffer, password?: string): Promise<Readable> {
  const pages: PdfPage[] = [];
  const notes: string[] = [];
  try {
    const onMessage = (page: PdfPage): void => void pages.push(page);
    const isCutOff = await runIsolated<boolean, PdfPage>(
      program,
      { bytes, password },
      { ...readingLimits, memoryMb, onMessage },
    );
    if (isCutOff) notes.push('the PDF is damaged: its end is missing');
  } catch (error) {
    notes.push((error as Error).message);
  }
  const count = pages[0]?.of ?? 0;
  const bad = pages.flatMap(({ text }, index) => (text === null ? [index + 1] : []));
  if (bad.length > 0) notes.push(`of its ${count} pages these cannot be read: ${bad.join(', ')}`);
  if (pages.length < count) notes.push(`of its ${count} pages only the first ${pages.length} were read`);
  if (pages.every(({ text }) => !text)) {
    const why = notes.length > 0 ? notes.join('; ') : 'the PDF has no text, as a scanned one has none';
    return { note: `${why}; nothing of it can be read` };
  }
  const text = pages.map((page, index) => `[page ${index + 1}]\n${page.text ?? ''}`.trimEnd()).join('\n\n');
  return { text, ...(notes.length > 0 && { note: notes.join('; ') }) };
}
