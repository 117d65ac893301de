/**
 * Reads one PDF in a thread of its own, since a damaged one leaves rejected promises behind that would end a worker's
 * process, and a page may take long. Takes the bytes as `workerData`, posts `PdfNews`, and ends.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { getDocumentProxy } from 'unpdf';

export type PdfNews =
  /** The PDF was opened. It is `cutOff` if its end is missing. */
  | { pages: number; cutOff: boolean }
  /** The text of the next page; null if the page is damaged. */
  | { text: string | null }
  | { problem: string };

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
const post = (news: PdfNews): void => parentPort?.postMessage(news);

// Errors of a page that matter are thrown as well.
process.on('unhandledRejection', () => {});

const bytes = Buffer.from(workerData as Uint8Array);
try {
  await readPages(await open(bytes), !bytes.subarray(-1024).includes('%%EOF'));
} catch (error) {
  const { name, message } = error as Error;
  if (name === 'PasswordException') post({ problem: 'the PDF needs a password' });
  else await readCutOff(message);
}

async function readCutOff(problem: string): Promise<void> {
  try {
    await readPages(await open(withTrailer()), true);
  } catch {
    post({ problem: `the PDF is damaged (${problem})` });
  }
}

function open(content: Buffer): Promise<Pdf> {
  // The library takes over its input, so it gets a copy. Its warnings would be printed among the worker's messages.
  return getDocumentProxy(new Uint8Array(content), { verbosity: 0 });
}

/** Gives a PDF that was cut off a new reference to its catalogue, which helps if that is there and not compressed. */
function withTrailer(): Buffer {
  const [, number, version] = /(\d+) (\d+) obj\s*<<[^>]*\/Type\s*\/Catalog/.exec(bytes.toString('latin1')) ?? [];
  const trailer = `\nendstream\nendobj\ntrailer\n<< /Root ${number} ${version} R >>\nstartxref\n0\n%%EOF\n`;
  return Buffer.concat([bytes, Buffer.from(trailer)]);
}

async function readPages(pdf: Pdf, cutOff: boolean): Promise<void> {
  post({ pages: pdf.numPages, cutOff });
  for (let number = 1; number <= pdf.numPages; number++) post({ text: await textOfPage(pdf, number) });
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
