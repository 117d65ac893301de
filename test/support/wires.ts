import { signatureFor } from './rules/anthropic.ts';
import { makerOf } from './rules/compatible.ts';
import type { Scripted, Seen } from './scripted.ts';

export type Event = { event?: string; data: unknown };

let ids = 0;

export const newId = (prefix: string): string => `${prefix}_${++ids}`;

export const pieces = (text: string): string[] => text.match(/[\s\S]{1,40}/g) ?? [];
export const argumentsOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
export const usageOf = ({ usage = {} }: Scripted) => ({ input: 10, cached: 0, output: 5, ...usage });

/** A thought as OpenRouter streams it, beside its text: in pieces of one block, the last of which has its signature alone. */
function detailsOf(thought: string): object[] {
  const block = { type: 'reasoning.text', format: 'google-gemini-v1', index: 0 };
  const texts = (thought.match(/[\s\S]{1,4}/g) ?? []).map((text) => ({
    reasoning: text,
    reasoning_details: [{ ...block, text }],
  }));
  return [...texts, { reasoning_details: [{ ...block, signature: `signed ${thought}` }] }];
}

/** A reply as the server-sent events of OpenAI's Chat Completions. */
export function openaiEvents(reply: Scripted, { body }: Seen): Event[] {
  const id = `chatcmpl-${++ids}`;
  const chunk = (delta: object, finish: string | null = null): Event => ({
    data: { id, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] },
  });
  const { calls = [], text = '', thinking } = reply;
  const maker = makerOf(body);
  const signature = { extra_content: { google: { thought_signature: `signed ${thinking}` } } };
  const usage = usageOf(reply);
  return [
    chunk({ role: 'assistant', content: '' }),
    ...(maker === 'deepseek' && thinking !== undefined ? [chunk({ reasoning_content: thinking })] : []),
    ...(maker === 'openrouter' && thinking !== undefined ? detailsOf(thinking).map((delta) => chunk(delta)) : []),
    // As LM Studio leaves it in the text (lmstudio-ai/lmstudio-bug-tracker#1569).
    ...(maker === 'qwen' && thinking !== undefined ? pieces(`<think>\n${thinking}\n</think>\n\n`) : [])
      .concat(pieces(text))
      .map((content) => chunk({ content })),
    ...calls.flatMap(({ name, arguments: input }, index) => [
      chunk({
        tool_calls: [
          {
            index,
            id: `call_${++ids}`,
            type: 'function',
            function: { name, arguments: '' },
            ...(maker === 'gemini' && signature),
          },
        ],
      }),
      ...pieces(argumentsOf(input)).map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
    ...(reply.cut ? [] : [chunk({}, reply.finish ?? (calls.length > 0 ? 'tool_calls' : 'stop'))]),
    {
      data: {
        id,
        choices: [],
        usage: {
          prompt_tokens: usage.input,
          completion_tokens: usage.output,
          prompt_tokens_details: { cached_tokens: usage.cached },
        },
      },
    },
    { data: '[DONE]' },
  ];
}

/** A reply as the server-sent events of Anthropic's Messages. */
export function anthropicEvents(reply: Scripted, { body }: Seen): Event[] {
  const { calls = [], text = '', thinking } = reply;
  const usage = usageOf(reply);
  const event = (type: string, data: object): Event => ({ event: type, data: { type, ...data } });
  const blocks: Array<{ start: object; deltas: object[] }> = [
    ...(thinking === undefined
      ? []
      : [
          {
            start: { type: 'thinking', thinking: '', signature: '' },
            deltas: [
              { type: 'thinking_delta', thinking },
              { type: 'signature_delta', signature: signatureFor(body, [], thinking) },
            ],
          },
        ]),
    ...(text === ''
      ? []
      : [
          {
            start: { type: 'text', text: '' },
            deltas: pieces(text).map((piece) => ({ type: 'text_delta', text: piece })),
          },
        ]),
    ...calls.map(({ name, arguments: input }) => ({
      start: { type: 'tool_use', id: `toolu_${++ids}`, name, input: {} },
      deltas: pieces(argumentsOf(input)).map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
    })),
  ];
  const message = {
    id: `msg_${++ids}`,
    type: 'message',
    role: 'assistant',
    model: body.model,
    content: [],
    stop_reason: null,
    usage: {
      input_tokens: usage.input - usage.cached,
      cache_read_input_tokens: usage.cached,
      output_tokens: 0,
    },
  };
  return [
    event('message_start', { message }),
    ...blocks.flatMap(({ start, deltas }, index) => [
      event('content_block_start', { index, content_block: start }),
      ...deltas.map((delta) => event('content_block_delta', { index, delta })),
      event('content_block_stop', { index }),
    ]),
    ...(reply.cut
      ? []
      : [
          event('message_delta', {
            delta: { stop_reason: reply.finish ?? (calls.length > 0 ? 'tool_use' : 'end_turn') },
            usage: { output_tokens: usage.output },
          }),
          event('message_stop', {}),
        ]),
  ];
}
