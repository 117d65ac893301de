import type { ReadPageResult } from '../protocol/search.ts';
import { bounded, plain } from '../tools/web/search/normalize.ts';
import type { Store } from '../store/store.ts';
import { isPublic, type AddressRule } from '../tools/web/addresses.ts';
import { fetchText } from '../tools/web/fetch.ts';
import { textOfHtml } from '../tools/web/content.ts';
import { ToolError } from '../tools/tool.ts';
import { cancellable } from './cancellable.ts';
import type { Text } from '../protocol/message.ts';
import { blobRef } from '../workflows/agent/previews.ts';

const timeoutMs = 10_000;

/** In characters. */
const maxChars = 6000;

/** In characters: a shorter line is taken for a part of a menu. */
const leastLine = 40;
/** A page with less in such lines is kept with all of its lines. */
const leastText = 500;

/** Many pages cannot be read, which is no failure of the activity. */
export function createReadPage({ store, pageRule = isPublic }: { store: Store; pageRule?: AddressRule }) {
  return async function readPage({ url }: { url: string }): Promise<ReadPageResult> {
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const text = await cancellable((signal) => read(url, AbortSignal.any([signal, timeout])));
      if (text === '') return { why: 'it has no text' };
      return { text: await storedIfLong(store, text), characters: text.length };
    } catch (error) {
      if (timeout.aborted) return { why: `it took more than ${timeoutMs / 1000} seconds` };
      if (error instanceof ToolError) return { why: error.message };
      throw error;
    }
  };

  async function read(url: string, signal: AbortSignal): Promise<string> {
    const { text, type } = await fetchText(url, pageRule, signal);
    return bounded(plain(withoutMenus(/html/.test(type) ? await textOfHtml(text) : text)), maxChars);
  }
}

/** The first thousands of characters of many pages are menus. */
function withoutMenus(text: string): string {
  const plainText = text.replaceAll(/ ?\(https?:\/\/[^\s)]*\)/g, '');
  const lines = plainText.split('\n').map((line) => line.trim());
  const long = lines.filter((line) => line.length >= leastLine).join('\n');
  return long.length >= leastText ? long : lines.join('\n');
}

/** In characters. Later inputs can refer to a stored text. */
export const storedFrom = 400;

export const storedIfLong = async (store: Store, text: string): Promise<Text> =>
  text.length < storedFrom ? text : blobRef(await store.putBlob(text), text);
