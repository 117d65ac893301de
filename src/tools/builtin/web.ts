import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import type { ToolDefinition } from '../definition.ts';
import { ToolError } from '../tool.ts';
import { isPublic, type AddressRule } from './addresses.ts';
import { fetchText } from './fetch-text.ts';

/** A normal page of 2 MB takes a second and 400 MB, but a malicious one may take whatever it gets. */
const patienceMs = 10_000;
const memoryMb = 512;

const thread = new URL(`./html-thread${extname(import.meta.url)}`, import.meta.url);

/** The built-in package `builtin.web`. @param rule which addresses may be connected to */
export function webTool(rule: AddressRule = isPublic): ToolDefinition {
  return {
    name: 'fetch_page',
    description: 'Fetches a page of the public web and returns its text. http and https only.',
    parameters: z.object({ url: z.string().min(1).describe('The address, with http:// or https://') }),
    timeout: 30,
    async execute({ url: address }: { url: string }, { signal }): Promise<string> {
      const { url, type, text } = await fetchText(address, rule, signal);
      const readable = /html/.test(type) ? await textOfHtml(text) : text.trim();
      return `${url}\n\n${readable}`;
    },
  };
}

/**
 * The text of a page, a line for each block, without scripts, styles and tags. Links keep their address in parentheses.
 *
 * @throws `ToolError` for a page that takes too much time or memory
 */
export async function textOfHtml(html: string): Promise<string> {
  const worker = new Worker(thread, {
    workerData: html,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
  });
  try {
    const [text] = (await once(worker, 'message', { signal: AbortSignal.timeout(patienceMs) })) as [string];
    return text;
  } catch (error) {
    const limits = `${patienceMs / 1000} seconds and ${memoryMb} MB`;
    throw new ToolError(`the page cannot be read as text within ${limits} of memory`, { cause: error });
  } finally {
    await worker.terminate();
  }
}
