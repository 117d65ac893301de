import { readingLimits } from '../../../util/file-limits.ts';
import { moduleBeside, runIsolated } from '../../../util/isolated.ts';
import { listed } from '../../../util/text/listed.ts';
import { noted, type Readable } from '../readable.ts';
import type { PdfPage, PdfRead, PdfRequest } from './pdf-thread.ts';

const memoryMb = 512;

const program = moduleBeside(import.meta.url, 'pdf-thread');

/** Stands for the text of a page that has none but pictures. */
const isPicture = '[this page is a picture]';

/** The text of a PDF, each page under a heading such as `[page 3]`. Never throws; a note says what cannot be read. */
export async function readPdf(bytes: Buffer, password?: string): Promise<Readable> {
  const pages: PdfPage[] = [];
  const notes: string[] = [];
  const said: string[] = [];
  try {
    const onMessage = (page: PdfPage): void => void pages.push(page);
    const isolation = { ...readingLimits, memoryMb, onMessage };
    const request: PdfRequest = { bytes, password };
    const { carried, isCutOff, maps, properties } = await runIsolated<PdfRead, PdfPage>(program, request, isolation);
    said.push(
      ...carried.flatMap(({ name, text }) => (text === undefined ? [] : [`[file in it: ${name}]\n${text.trim()}`])),
    );
    if (properties !== '') said.push(properties);
    if (isCutOff) notes.push('the PDF is damaged: its end is missing');
    if (maps.length > 0)
      notes.push(
        `text in it that needs the character maps ${maps.join(', ')}, which are not here, is left out or wrong`,
      );
    const unread = carried.filter(({ text }) => text === undefined).map(({ name }) => name);
    if (unread.length > 0) notes.push(`files in it, which are not read: ${unread.join(', ')}`);
  } catch (error) {
    notes.push((error as Error).message);
  }
  const count = pages[0]?.of ?? 0;
  const numbers = (has: (page: PdfPage) => boolean): number[] =>
    pages.flatMap((page, index) => (has(page) ? [index + 1] : []));
  const bad = numbers(({ text }) => text === null);
  if (bad.length > 0) notes.push(`of its ${count} pages these cannot be read: ${bad.join(', ')}`);
  if (pages.length < count) notes.push(`of its ${count} pages only the first ${pages.length} were read`);
  // Images are objects of their own, which are never packed together with others.
  const hasPictures = /\/Subtype\s*\/Image\b/.test(bytes.toString('latin1'));
  const empty = numbers(isBare);
  const bare = hasPictures ? empty : [];
  if (!hasPictures && empty.length > 0 && empty.length < count)
    notes.push(`pages without text, which may have drawings: ${listed(empty, mostListed)}`);
  if (bare.length > 0)
    notes.push(`pages that are pictures, and not read as text: ${listed(bare, mostListed)}; ${howShown}`);
  else if (hasPictures) notes.push(`there are pictures in it, which are not read as text; ${howShown}`);
  if (bare.length === 0 && pages.every(({ text }) => !text)) {
    const why = notes.length > 0 ? notes.join('; ') : 'the PDF has no text';
    return { note: `${why}; nothing of it can be read` };
  }
  const text = pages.map((page, index) => {
    const shown = isBare(page) && hasPictures ? `${isPicture}\n` : '';
    return `[page ${index + 1}]\n${shown}${page.text ?? ''}`.trimEnd();
  });
  return { text: [...text, ...said].join('\n\n'), ...noted(notes) };
}

/** Whether a page has no text, whatever links it has. */
const isBare = ({ text }: PdfPage): boolean => text?.replaceAll(/^\[link: .*\]$/gm, '').trim() === '';

const howShown = 'view_image shows them by page';

/** How many numbers of pages a note has. */
const mostListed = 20;

/** The numbers of those pages in a part of a PDF's text that are pictures. */
export const picturePages = (text: string): number[] =>
  [...text.matchAll(/^\[page (\d+)\]\n\[this page is a picture\]$/gm)].map(([, page]) => Number(page));

/** The pictures on pages of a PDF as PNG, at most so many. @throws `Error` if they cannot be read */
export async function picturesOfPdf(
  file: Omit<PdfRequest, 'pictures'>,
  pages: number[],
  most: number,
): Promise<PdfRead['pictures']> {
  const request: PdfRequest = { ...file, pictures: { pages, most } };
  return (await runIsolated<PdfRead>(program, request, { ...readingLimits, memoryMb })).pictures;
}
