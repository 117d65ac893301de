import { readContent } from '../attachments/content.ts';
import { grouped } from '../../util/file-limits.ts';
import { plainName } from '../attachments/names.ts';
import { recognise } from '../attachments/recognise.ts';
import { ToolError } from '../tool.ts';
import { decodedPart } from '../../util/text/decoded-part.ts';
import { textOf, type Fetched } from './fetch.ts';
import { moduleBeside, runIsolated } from '../../util/isolated.ts';
import type { PageTask, PageText } from './page-thread.ts';
import { Semaphore } from '../../util/semaphore.ts';

export interface ReadPage {
  url: string;
  text: string;
  note?: string;
}

/** How many pages are read at the same time: each may take a thread with hundreds of megabytes. */
const atOnce = new Semaphore(4);

/** @throws `ToolError` for an image, for what has no text, and for what takes too much time or memory */
export const readFetched = async (fetched: Fetched, whole: boolean, signal: AbortSignal): Promise<ReadPage> => ({
  url: fetched.url,
  ...(await atOnce.run(() => read(fetched, whole), signal)),
});

type Readable = Omit<ReadPage, 'url'>;

async function read(fetched: Fetched, whole: boolean): Promise<Readable> {
  const { url, type } = fetched;
  const text = await textIn(fetched);
  if (text === undefined) return readFile(fetched);
  if (text.trim() === '') throw new ToolError(`${url} is empty`);
  if (isHtml(type, text)) return readMain(text, url, whole);
  if (/[/+]json$/.test(type)) return { text: (await pageText({ json: text })).whole };
  return { text: text.trim() };
}

/**
 * Undefined for no text. Servers call things texts that are none, and state no type for others: then the bytes decide.
 */
export async function textIn({ type, charset, bytes }: Fetched): Promise<string | undefined> {
  if (bytes.subarray(0, 5).toString('latin1') === '%PDF-') return undefined;
  if (!isText(type)) {
    return isUnstated(type) ? (await recognise('page', bytes)).text : undefined;
  }
  const text = textOf(bytes, charset);
  return text.slice(0, 8000).includes('\0') ? undefined : text;
}

const isText = (type: string): boolean => /^text\/|[/+](json|xml|yaml|javascript|x-ndjson|csv)$/.test(type);

const isUnstated = (type: string): boolean => type === '' || type === 'application/octet-stream';

const isHtml = (type: string, text: string): boolean =>
  /html/.test(type) || (isUnstated(type) && /^\s*<(!doctype html|html)\b/i.test(text));

async function readMain(html: string, url: string, isWhole: boolean): Promise<Readable> {
  const { whole, main } = await pageText({ html, page: url, main: true });
  const all = whole.trim();
  if (all === '') throw new ToolError(`${url} has no text; it may be made by scripts, which are not run`);
  if (isWhole || main === undefined) return { text: all };
  const note = `the main part; with "whole": true there are ${grouped(all.length)} characters`;
  return { text: main, ...(main.length < all.length && { note }) };
}

async function readFile(fetched: Fetched): Promise<Readable> {
  const { url, type, bytes } = fetched;
  const name = nameOf(fetched);
  const found = await recognise(name, bytes);
  if (found.kind === 'image') {
    throw new ToolError(
      `${url} is an image (${found.mediaType}, ${grouped(bytes.length)} bytes): it has no text. ` +
        `"save_as": "${name}" keeps it as a file`,
    );
  }
  const what = type === '' ? name : `${name} (${type})`;
  const { text, note } = await readContent(name, bytes, found);
  if (text === undefined) throw new ToolError(`${url}: ${what}: ${note ?? 'it has no text'}`);
  return { text, ...(note !== undefined && { note }) };
}

/** The name of a file: as the server states it, else the last part of its address. */
function nameOf({ url, filename }: Fetched): string {
  const last = decodedPart(new URL(url).pathname.split('/').at(-1) ?? '');
  return plainName(filename ?? last) ?? 'page';
}

/** A normal page of 2 MB takes a second and 400 MB, but a malicious one may take whatever it gets. */
const timeoutMs = 10_000;
const memoryMb = 512;
const program = moduleBeside(import.meta.url, 'page-thread');

/** All text of a page, in which only complete links keep where they lead. @throws `ToolError` for a page that takes too much time or memory */
export const textOfHtml = async (html: string): Promise<string> => (await pageText({ html })).whole;

/** Where the main part of a page takes too much time or memory, there is the whole text. */
async function pageText(task: PageTask): Promise<PageText> {
  let whole: string | undefined;
  const onMessage = (text: string): void => void (whole = text);
  try {
    return await runIsolated<PageText, string>(program, task, { what: 'reading it', timeoutMs, memoryMb, onMessage });
  } catch (cause) {
    if (whole !== undefined) return { whole };
    const limits = `${timeoutMs / 1000} seconds and ${memoryMb} MB`;
    throw new ToolError(`the page cannot be read as text within ${limits} of memory`, { cause });
  }
}
