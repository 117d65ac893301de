import type { BlobRef, Content, Text } from '../../protocol/message.ts';
import type { CallModelInput } from '../../protocol/model-call.ts';
import { beginningOf } from '../runtime/size.ts';

/** The longest preview, and the longest that the previews of one call may be together, in characters. */
const maxChars = { one: 160, all: 640 };

export const previewOf = (text: string): string =>
  beginningOf(
    text
      .slice(0, 2 * maxChars.one)
      .trim()
      .replaceAll(/\s+/g, ' '),
    maxChars.one,
  );

/** From this many characters on, a reference is cheaper than the text. */
export const worthNaming = 400;

/** The names of tools, as the preview of their set. */
export const namesIn = (tools: Array<{ name: string }>): string => tools.map(({ name }) => name).join(', ');

/** A reference to a stored text. @param text the text itself, or what its preview is to be made of */
export const blobRef = (blob: string, text: string): BlobRef => ({ blob, preview: previewOf(text) });

type Request = Pick<CallModelInput, 'system' | 'append' | 'tools'>;

/**
 * A request whose previews are together of a bounded length, since a call may name many texts, and the history repeats them
 * in each call: those of the system message and the tools come first, then those of the newest messages.
 */
export function withPreviews<R extends Request>({ append, system, tools, ...rest }: R): R {
  let left = maxChars.all;
  const bounded = (part: Text): Text => {
    if (typeof part === 'string') return part;
    const { preview = '', ...place } = part;
    left -= preview.length;
    return left < 0 || preview === '' ? place : part;
  };
  const boundedContent = (content: Content): Content =>
    Array.isArray(content) ? content.map(bounded) : bounded(content);
  const kept = {
    ...(system !== undefined && { system: boundedContent(system) }),
    tools: tools === null ? null : bounded(tools),
    append: append
      .toReversed()
      .map((message) => ({ ...message, content: boundedContent(message.content) }))
      .toReversed(),
  };
  return { ...rest, ...kept } as R;
}
