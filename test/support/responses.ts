import { argumentsOf, newId, pieces, usageOf, type Event } from './wires.ts';
import type { Scripted, Seen } from './scripted.ts';
import { reasonsOf } from './rules/openai.ts';

/** A reply as the server-sent events of OpenAI's Responses. A model that reasons does so before each reply. */
export function responsesEvents(reply: Scripted, { body }: Seen): Event[] {
  const { text = '', calls = [], thinking } = reply;
  const isEncrypted = JSON.stringify(body['include'] ?? []).includes('reasoning.encrypted_content');
  const thinks = thinking !== undefined || reasonsOf(body);
  const items = [
    ...(thinks ? [{ type: 'reasoning', id: newId('rs'), summary: [] }] : []),
    ...(text === '' ? [] : [messageOf(text)]),
    ...calls.map(({ name, arguments: input }) => ({
      type: 'function_call',
      id: newId('fc'),
      call_id: newId('call'),
      name,
      arguments: argumentsOf(input),
      status: 'completed',
    })),
  ].map((item) =>
    item.type === 'reasoning' && isEncrypted ? { ...item, encrypted_content: `encrypted ${newId('thought')}` } : item,
  );
  const response = { id: newId('resp'), object: 'response', model: body.model, output: [] as object[] };
  return [
    event('response.created', { response: { ...response, status: 'in_progress' } }),
    ...items.flatMap((item, output_index) => itemEvents(item, output_index)),
    ...(reply.cut ? [] : [endOf({ ...response, output: items }, reply)]),
  ];
}

const event = (type: string, data: object): Event => ({ event: type, data: { type, ...data } });

const messageOf = (text: string) => ({
  type: 'message',
  id: newId('msg'),
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
});

type Item = { type: string; id: string; arguments?: string; content?: Array<{ text: string }> };

function itemEvents(item: Item, output_index: number): Event[] {
  const place = { item_id: item.id, output_index };
  const added = event('response.output_item.added', {
    output_index,
    item: {
      ...item,
      status: 'in_progress',
      ...(item.arguments && { arguments: '' }),
      ...(item.content && { content: [] }),
    },
  });
  const deltas = item.content
    ? pieces(item.content[0]?.text ?? '').map((delta) =>
        event('response.output_text.delta', { ...place, content_index: 0, delta }),
      )
    : pieces(item.arguments ?? '').map((delta) => event('response.function_call_arguments.delta', { ...place, delta }));
  return [added, ...deltas, event('response.output_item.done', { output_index, item })];
}

function endOf(response: object, reply: Scripted): Event {
  const { input, cached, output } = usageOf(reply);
  const usage = {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
  const reasons: Record<string, string> = { length: 'max_output_tokens', content_filter: 'content_filter' };
  const reason = reasons[reply.finish ?? ''];
  if (reason === undefined)
    return event('response.completed', { response: { ...response, status: 'completed', usage } });
  const incomplete_details = { reason };
  return event('response.incomplete', { response: { ...response, status: 'incomplete', incomplete_details, usage } });
}
