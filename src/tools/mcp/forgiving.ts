import type { Transport } from '@modelcontextprotocol/client';
import { isObject } from '../../util/values.ts';

type Values = Record<string, unknown>;

/**
 * Lists and results of other makers' servers in the form that the protocol has for them. The SDK refuses a whole list for one
 * tool without a type, and a result, whose work is done, for a null where nothing should stand.
 */
export function forgiving(transport: Transport): Transport {
  let hear: Transport['onmessage'];
  Object.defineProperty(transport, 'onmessage', {
    get: () => hear,
    set(heard: Transport['onmessage']) {
      hear = heard && ((message, extra) => heard(mended(message), extra));
    },
  });
  return transport;
}

function mended<Message extends object>(message: Message): Message {
  const { result } = message as { result?: unknown };
  if (!isObject(result)) return message;
  if (Array.isArray(result['tools'])) return { ...message, result: { ...result, tools: toolsIn(result['tools']) } };
  const isCalled = 'content' in result || 'structuredContent' in result;
  return isCalled ? { ...message, result: calledIn(result) } : message;
}

const toolsIn = (tools: unknown[]): Values[] =>
  tools.filter((tool) => isObject(tool) && typeof tool['name'] === 'string').map((tool) => toolIn(tool as Values));

/** A tool without what its results should look like: they are read as text, whether or not it is what was promised. */
function toolIn(listed: Values): Values {
  const { outputSchema: _, inputSchema, ...tool } = listed;
  const schema = isObject(inputSchema) ? inputSchema : {};
  // Without a type it says little of what a call may have.
  const open = schema['type'] === 'object' ? {} : { additionalProperties: true };
  return { ...withoutNulls(tool), inputSchema: { ...open, ...schema, type: 'object' } };
}

function calledIn({ content, structuredContent, isError, ...rest }: Values): Values {
  const blocks = [content ?? []].flat().map(blockIn);
  const isKept = isObject(structuredContent);
  const isShown = isKept || structuredContent === undefined || structuredContent === null || blocks.length > 0;
  return {
    ...rest,
    content: isShown ? blocks : [blockIn(structuredContent)],
    ...(isKept && { structuredContent }),
    ...(isError === true && { isError }),
  };
}

const kinds = ['image', 'audio', 'resource', 'resource_link'];

/** What is none of the protocol's kinds is shown as it is written. */
function blockIn(block: unknown): unknown {
  if (isObject(block) && kinds.includes(String(block['type']))) return withoutNulls(block);
  const said = isObject(block) && block['type'] === 'text' ? block['text'] : block;
  return { type: 'text', text: typeof said === 'string' ? said : JSON.stringify(said) };
}

function withoutNulls(values: Values): Values {
  const kept = Object.entries(values).filter(([, value]) => value !== null);
  return Object.fromEntries(kept.map(([key, value]) => [key, isObject(value) ? withoutNulls(value) : value]));
}
