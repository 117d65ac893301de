import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ToolError } from '../tool.ts';
import type { PageNews, PageTask } from './page-thread.ts';

/** A normal page of 2 MB takes a second and 400 MB, but a malicious one may take whatever it gets. */
const patienceMs = 10_000;
const memoryMb = 512;

const thread = new URL(`./page-thread${extname(import.meta.url)}`, import.meta.url);

/** A page as text. */
export interface PageText {
  /** All of its text, a line for each block, without scripts, styles and tags. Links have their address in parentheses. */
  whole: string;
  /** The same without menus and the like; undefined if that was not asked for, or is not clear. */
  main?: string;
}

/**
 * The text of a page. Where its main part takes too much time or memory, there is the whole text.
 *
 * @param page its address: links within its site are shown by their path
 * @throws `ToolError` if the whole text takes too much
 */
export const readHtml = (html: string, page: string): Promise<PageText> => read({ html, page, main: true });

/** All text of a page, in which only complete links keep where they lead. @throws `ToolError` for a page that takes too much time or memory */
export const textOfHtml = async (html: string): Promise<string> => (await read({ html })).whole;

/** JSON with a line for each value; as it stands if it is none. @throws `ToolError` if it takes too much */
export const readJson = async (json: string): Promise<string> => (await read({ json })).whole;

async function read(task: PageTask): Promise<PageText> {
  const worker = new Worker(thread, {
    workerData: task,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
  });
  let whole: string | undefined;
  let main: string | null = null;
  const { promise: ended, resolve } = Promise.withResolvers<Error | undefined>();
  const timer = setTimeout(() => resolve(undefined), patienceMs);
  worker.on('message', (news: PageNews) => {
    if ('whole' in news) ({ whole } = news);
    else ({ main } = news);
  });
  worker.on('error', resolve);
  worker.on('exit', () => resolve(undefined));
  try {
    const cause = await ended;
    if (whole !== undefined) return { whole, ...(main !== null && { main }) };
    const limits = `${patienceMs / 1000} seconds and ${memoryMb} MB`;
    throw new ToolError(`the page cannot be read as text within ${limits} of memory`, { cause });
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}
