import { readFile } from 'node:fs/promises';
import { getDocumentProxy } from 'unpdf';
import { decodeText } from '../../../util/text/encoding.ts';
import { propertiesText } from '../readable.ts';
import { pageText } from './pdf-layout.ts';
import { picturesOf } from './pdf-pictures.ts';

/** One of so many pages. The text of a damaged one is null. */
export interface PdfPage {
  of: number;
  text: string | null;
  /** Whether its text is left out, since its fonts do not say which letters they show. */
  isCoded?: boolean;
}

export interface PdfRequest {
  bytes: Uint8Array;
  password?: string | undefined;
  /** Of which pages the pictures are wanted, and how many at most; absent for the text of all. */
  pictures?: { pages: number[]; most: number };
}

export interface PdfRead {
  isCutOff: boolean;
  /** Whether its pages stand for a form that only other programs build (XFA). */
  isOtherForm: boolean;
  /** Files that it carries, with their texts if they are such and not long. */
  carried: Array<{ name: string; text?: string }>;
  /** Names of character maps that its fonts need and that are not at hand. */
  maps: string[];
  properties: string;
  pictures: Array<{ page: number; png: Uint8Array }>;
}

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;

/**
 * Reads one PDF page by page. In a thread of its own, since a damaged one leaves rejected promises behind that would end a
 * worker's process, and a page may take long. @throws `Error` if it cannot be opened
 */
export default async function readPdf(
  { bytes: given, password, pictures }: PdfRequest,
  post: (page: PdfPage) => void,
): Promise<PdfRead> {
  // Errors of a page that matter are thrown as well.
  process.on('unhandledRejection', () => {});
  const bytes = Buffer.from(given);
  const maps = new Set<string>();
  const read = async (pdf: Pdf): Promise<Omit<PdfRead, 'isCutOff'>> => {
    if (pictures !== undefined)
      return { pictures: await picturesIn(pdf, pictures), carried: [], maps: [], properties: '', isOtherForm: false };
    await readPages(pdf, post);
    const { info } = (await pdf.getMetadata().catch(() => ({ info: {} }))) as { info: Record<string, unknown> };
    const isOtherForm = info['IsXFAPresent'] === true && info['IsAcroFormPresent'] === false;
    const carried = await filesIn(pdf);
    return { pictures: [], carried, maps: [...maps], properties: propertiesOf(info), isOtherForm };
  };
  try {
    return { ...(await read(await open(bytes, password, maps))), isCutOff: !bytes.subarray(-1024).includes('%%EOF') };
  } catch (error) {
    const { message, name } = error as Error;
    if (name === 'PasswordException') {
      const wrong = password === undefined ? 'the PDF needs a password' : 'this is not the password of the PDF';
      throw new Error(`${wrong}: read_attachment takes it as "password"`, { cause: error });
    }
    const whole = await open(withTrailer(bytes), password, maps).catch(() => {
      throw new Error(`the PDF is damaged (${message})`, { cause: error });
    });
    return { ...(await read(whole)), isCutOff: true };
  }
}

async function filesIn(pdf: Pdf): Promise<PdfRead['carried']> {
  const files = (await pdf.getAttachments().catch(() => null)) as Map<string, { filename: string }> | null;
  const carried: PdfRead['carried'] = [];
  for (const [id, { filename: name }] of files ?? []) {
    const content: Uint8Array | null = await pdf.getAttachmentContent(id).catch(() => null);
    const text = decodeText(Buffer.from(content ?? []))?.text ?? '';
    carried.push({ name, ...(text !== '' && text.length <= 200_000 && { text }) });
  }
  return carried;
}

/** Its title, its author, and when it was made: `D:20260331120000Z`, of which the digits of the day are shown. */
function propertiesOf(info: Record<string, unknown>): string {
  const day = (value: unknown): string =>
    typeof value === 'string' ? value.replace(/^D:(\d{4})(\d\d)(\d\d).*$/, '$1-$2-$3') : '';
  return propertiesText([
    ...['Title', 'Author', 'Subject', 'Keywords'].map((key): [string, unknown] => [key.toLowerCase(), info[key]]),
    ['created', day(info['CreationDate'])],
    ['changed', day(info['ModDate'])],
  ]);
}

async function picturesIn(pdf: Pdf, { most, pages }: { pages: number[]; most: number }): Promise<PdfRead['pictures']> {
  const found: PdfRead['pictures'] = [];
  for (const page of pages.filter((number) => number <= pdf.numPages)) {
    for (const png of await picturesOf(pdf, page, most - found.length)) found.push({ page, png });
  }
  return found;
}

function open(content: Buffer, password: string | undefined, maps: Set<string>): Promise<Pdf> {
  // The library takes over its input, so it gets a copy. Its warnings would be printed among the worker's messages.
  return getDocumentProxy(new Uint8Array(content), {
    verbosity: 0,
    BinaryDataFactory: dataFactory(maps),
    useWorkerFetch: false,
    ...(password !== undefined && { password }),
  });
}

/** What the library reads its data with, which it has only where `pdfjs-dist` is installed: it would drop text in silence. */
const dataFactory = (maps: Set<string>) =>
  class {
    readonly #places: Record<string, string | null>;

    constructor(places: Record<string, string | null>) {
      this.#places = places;
    }

    async fetch({ filename, kind }: { filename: string; kind: string }): Promise<Uint8Array> {
      try {
        return new Uint8Array(await readFile(new URL(`${this.#places[kind]}${filename}`)));
      } catch (error) {
        if (kind === 'cMapUrl') maps.add(filename.replace(/\.bcmap$/, ''));
        throw error;
      }
    }
  };

/** Gives a PDF that was cut off a new reference to its catalogue, which helps if that is there and not compressed. */
function withTrailer(bytes: Buffer): Buffer {
  const [, number, version] = /(\d+) (\d+) obj\s*<<[^>]*\/Type\s*\/Catalog/.exec(bytes.toString('latin1')) ?? [];
  const trailer = `\nendstream\nendobj\ntrailer\n<< /Root ${number} ${version} R >>\nstartxref\n0\n%%EOF\n`;
  return Buffer.concat([bytes, Buffer.from(trailer)]);
}

async function readPages(pdf: Pdf, post: (page: PdfPage) => void): Promise<void> {
  let characters = 0;
  // Compressed text may grow without limit.
  for (let number = 1; number <= pdf.numPages && characters <= 20_000_000; number++) {
    const page = await readPage(pdf, number);
    characters += page.text?.length ?? 0;
    post({ of: pdf.numPages, ...page });
  }
}

async function readPage(pdf: Pdf, number: number): Promise<Pick<PdfPage, 'text' | 'isCoded'>> {
  try {
    const page = await pdf.getPage(number);
    const items = (await page.getTextContent()).items.filter((item) => 'str' in item);
    const isCoded = areCodes(items.map(({ str }) => str).join(''));
    const text = [...(isCoded ? [] : [pageText(items)]), ...(await notesOn(page))].join('\n');
    page.cleanup();
    return { text: text.replaceAll('\0', '').toWellFormed().trim(), ...(isCoded && { isCoded }) };
  } catch {
    return { text: null };
  }
}

/** Whether over a fifth of a text are numbers of a font's shapes, which stand for no letters. Few may be marks of a list. */
function areCodes(text: string): boolean {
  const shown = text.replaceAll('\0', '').match(/[^ \n]/gu) ?? [];
  return shown.filter((character) => /[\p{Cc}\p{Co}\uFFFD]/u.test(character)).length * 5 > shown.length;
}

const markings: Readonly<Record<string, string>> = {
  Highlight: 'highlight',
  Underline: 'underline',
  Squiggly: 'underline',
  StrikeOut: 'struck out',
};

/** What is filled into the fields of a form, comments, marked words, and where links lead. */
async function notesOn(page: Awaited<ReturnType<Pdf['getPage']>>): Promise<string[]> {
  const annotations = (await page.getAnnotations()) as Array<{
    subtype?: string;
    fieldName?: string;
    fieldValue?: unknown;
    contentsObj?: { str?: string };
    file?: { filename: string };
    overlaidText?: string;
    titleObj?: { str?: string };
    url?: string;
  }>;
  const notes = annotations.flatMap((annotation) => {
    const { contentsObj, fieldName, fieldValue, file, overlaidText = '', subtype = '', titleObj, url } = annotation;
    const value = Array.isArray(fieldValue) ? fieldValue.join(', ') : typeof fieldValue === 'string' ? fieldValue : '';
    if (subtype === 'Widget') return value.trim() === '' ? [] : [`[field ${fieldName}: ${value}]`];
    if (subtype === 'Link') return url === undefined ? [] : [`[link: ${url}]`];
    if (file !== undefined) return [`[a file is attached here, which is not read: ${file.filename}]`];
    // It repeats the comment that it belongs to.
    if (subtype === 'Popup') return [];
    const said = contentsObj?.str?.trim() ?? '';
    const marked = overlaidText.trim();
    if (said === '' && (markings[subtype] === undefined || marked === '')) return [];
    const words = [titleObj?.str?.trim() ?? '', said].filter(Boolean).join(': ');
    return [`[${markings[subtype] ?? 'comment'}${marked && ` "${marked}"`}${words && `: ${words}`}]`];
  });
  return [...new Set(notes)];
}
