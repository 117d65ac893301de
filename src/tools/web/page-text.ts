import { moduleBeside, runIsolated } from '../../util/isolated.ts';
import { ToolError } from '../tool.ts';
import type { PageTask, PageText } from './page-thread.ts';

/** A normal page of 2 MB takes a second and 400 MB, but a malicious one may take whatever it gets. */
const timeoutMs = 10_000;
const memoryMb = 512;

const program = moduleBeside(import.meta.url, 'page-thread');

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
