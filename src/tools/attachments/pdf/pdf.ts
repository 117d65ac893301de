import { readingLimits } from '../../../util/file-limits.ts';
import { moduleBeside, runIsolated } from '../../../util/isolated.ts';
import { listed } from '../../../util/text/listed.ts';
import { noted, type Readable } from '../readable.ts';
import type { PdfPage, PdfRead, PdfRequest } from './pdf-thread.ts';

const program = moduleBeside(import.meta.url, 'pdf-thread');

const inThread = (request: PdfRequest, onMessage?: (page: PdfPage) => void): Promise<PdfRead> =>
  runIsolated(program, request, { ...readingLimits, memoryMb: 512, ...(onMessage && { onMessage }) });

const isPicture = '[this page is a picture]';

/** The text of a PDF, each page under a heading such as `[page 3]`. Never throws; a note says what cannot be read. */
export async function readPdf(bytes: Buffer, password?: string): Promise<Readable> {
  const pages: PdfPage[] = [];
  const notes: string[] = [];
  const said: string[] = [];
  try {
    const onMessage = (page: PdfPage): void => void pages.push(page);
    const { carried, isCutOff, isOtherForm, maps, properties } = await inThread({ bytes, password }, onMessage);
    const unread: string[] = [];
    for (const { name, text } of carried) {
      if (text === undefined) unread.push(name);
      else said.push(`[file in it: ${name}]\n${text.trim()}`);
    }
    if (properties !== '') said.push(properties);
    if (isCutOff) notes.push('the PDF is damaged: its end is missing');
    if (isOtherForm) notes.push('it is a form (XFA) that only Adobe Reader shows, and that is not read');
    const needed = maps.join(', ');
    if (needed !== '')
      notes.push(`text in it that needs the character maps ${needed}, which are not here, is left out or wrong`);
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
  const coded = numbers(({ isCoded }) => isCoded === true);
  if (coded.length > 0)
    notes.push(
      `pages whose fonts do not say which letters they show, and whose text is left out: ${listed(coded, 20)}`,
    );
  // Images are objects of their own, which are never packed together with others.
  const hasPictures = /\/Subtype\s*\/Image\b/.test(bytes.toString('latin1'));
  const empty = numbers((page) => isBare(page) && (hasPictures || page.isCoded !== true));
  const bare = hasPictures ? empty : [];
  if (!hasPictures && empty.length > 0 && empty.length < count)
    notes.push(`pages without text, which may have drawings: ${listed(empty, 20)}`);
  if (bare.length > 0) notes.push(`pages that are pictures, and not read as text: ${listed(bare, 20)}; ${howShown}`);
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

export const picturePages = (text: string): number[] =>
  [...text.matchAll(/^\[page (\d+)\]\n\[this page is a picture\]$/gm)].map(([, page]) => Number(page));

/** The pictures on pages of a PDF as PNG, at most five. @throws `Error` if they cannot be read */
export async function picturesOfPdf(bytes: Uint8Array, password: string | undefined, pages: number[]) {
  return (await inThread({ bytes, password, pictures: { pages, most: 5 } })).pictures;
}
