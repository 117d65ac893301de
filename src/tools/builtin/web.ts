import { z } from 'zod';
import type { ToolDefinition } from '../definition.ts';
import { isPublic, type AddressRule } from './addresses.ts';
import { fetchText } from './fetch-text.ts';
import { textOfHtml } from './html.ts';

/** Built-in package `builtin.web`. @param rule which addresses may be connected to */
export function webTool(rule: AddressRule = isPublic): ToolDefinition {
  return {
    name: 'fetch_page',
    description: 'Fetches a page of the public web and returns its text. http and https only.',
    parameters: z.object({ url: z.string().min(1).describe('The address, with http:// or https://') }),
    timeout: 30,
    async execute({ url: address }: { url: string }, { signal }): Promise<string> {
      const { url, type, text } = await fetchText(address, rule, signal);
      const readable = /html/.test(type) ? textOfHtml(text) : text.trim();
      return `${url}\n\n${readable}`;
    },
  };
}
