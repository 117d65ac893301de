import { getDocumentProxy } from 'unpdf';

export interface PdfFile {
  bytes: Uint8Array;
  password: string | undefined;
}

/** One page of a PDF. */
export interface PdfPage {
  /** How many pages there are. */
  of: number;
  /** Null if the page is damaged. */
  text: string | null;
}

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;

/** Reading ends with the page that exceeds so many characters, since compressed text may grow without limit. */
const maxCharacters = 20_000_000;

/**
 * Reads one PDF page by page, in a thread of its own, since a damaged one leaves rejected promises behind that would end a
 * worker's process, and a page may take long.
 *
 * @returns whether the end of the PDF is missing
 * @throws `Error` if it cannot be opened
 */
export default async function readPdf(
  { bytes: given, password }: PdfFile,
  post: (page: PdfPage) => void,
): Promise<boolean> {
  // Errors of a page that matter are thrown as well.
  process.on('unhandledRejection', () => {});
  const bytes = Buffer.from(given);
  try {
    await readPages(await open(bytes, password), post);
    return !bytes.subarray(-1024).includes('%%EOF');
  } catch (error) {
    const { message, name } = error as Error;
    if (name === 'PasswordException') {
      const wrong = password === undefined ? 'the PDF needs a password' : 'this is not the password of the PDF';
      throw new Error(`${wrong}: read_attachment takes it as "password"`, { cause: error });
    }
    const whole = await open(withTrailer(bytes), password).catch(() => {
      throw new Error(`the PDF is damaged (${message})`, { cause: error });
    });
    await readPages(whole, post);
    return true;
  }
}

function open(content: Buffer, password: string | undefined): Promise<Pdf> {
  // The library takes over its input, so it gets a copy. Its warnings would be printed among the worker's messages.
  return getDocumentProxy(new Uint8Array(content), { verbosity: 0, ...(password !== undefined && { password }) });
}

/** Gives a PDF that was cut off a new reference to its catalogue, which helps if that is there and not compressed. */
function withTrailer(bytes: Buffer): Buffer {
  const [, number, version] = /(\d+) (\d+) obj\s*<<[^>]*\/Type\s*\/Catalog/.exec(bytes.toString('latin1')) ?? [];
  const trailer = `\nendstream\nendobj\ntrailer\n<< /Root ${number} ${version} R >>\nstartxref\n0\n%%EOF\n`;
  return Buffer.concat([bytes, Buffer.from(trailer)]);
}

async function readPages(pdf: Pdf, post: (page: PdfPage) => void): Promise<void> {
  let characters = 0;
  for (let number = 1; number <= pdf.numPages && characters <= maxCharacters; number++) {
    const text = await textOfPage(pdf, number);
    characters += text?.length ?? 0;
    post({ of: pdf.numPages, text });
  }
}

async function textOfPage(pdf: Pdf, number: number): Promise<string | null> {
  try {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    page.cleanup();
    const text = items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join('');
    return text.replaceAll('\0', '').toWellFormed().trim();
  } catch {
    return null;
  }
}
