import { z } from 'zod';
import type { AttachmentInput } from '../../protocol/attachment.ts';
import type { EarlierMessage } from '../../protocol/orchestration.ts';
import { parsedJson } from '../../util/values.ts';
import { ParameterProblem } from './parameters.ts';
import { markedIn, placeIn, withoutMark, type Place } from './places.ts';

export type Attached = Extract<AttachmentInput, { data: string }>;

const texts = ['text', 'input_text', 'output_text', 'summary_text', 'refusal'];
const files = ['image_url', 'input_image', 'file', 'input_file', 'input_audio'];

const inline =
  'its content as a data URL, such as data:image/png;base64,…: the server fetches nothing and keeps no files';

/** A part of a message: words, or a file that agents get. */
const part = z
  .looseObject({ type: z.enum([...texts, ...files], `one of ${[...texts, ...files].join(', ')}`) })
  .transform((given, context): { text: string } | { attachment: Attached } => {
    const { type } = given;
    const {
      file = given,
      image_url: image,
      input_audio: audio,
      refusal,
      text = refusal,
    } = given as Record<string, any>;
    if (texts.includes(type) && typeof text === 'string') return { text };
    const url: unknown = audio
      ? `data:audio/${audio.format};base64,${audio.data}`
      : (image?.url ?? image ?? file?.file_data);
    const [, mediaType = '', data] = /^data:([^,]*);base64,([\w+/=\s-]*)$/.exec(String(url)) ?? [];
    const [, of = '', subtype = ''] = /^(\w*)\/?([\w.-]*)/.exec(mediaType) ?? [];
    if (files.includes(type) && data !== undefined)
      return { attachment: { name: String(file?.filename ?? `${of || 'file'}.${subtype || 'bin'}`), data } };
    context.addIssue({
      code: 'custom',
      message: texts.includes(type) ? 'a part with a text' : `a part with ${inline}`,
    });
    return z.NEVER;
  });

const content = z
  .preprocess(
    (given) => (typeof given === 'string' ? [{ type: 'text', text: given }] : (given ?? [])),
    z.array(part, 'a text or a list of parts'),
  )
  .transform((parts) => ({
    text: parts.flatMap((each) => ('text' in each ? [each.text] : [])).join('\n'),
    attachments: parts.flatMap((each) => ('attachment' in each ? [each.attachment] : [])),
  }));

/** What was said before, by whom. `reply`: the result of a call, by its id; `reference`: what the server has said, by its id. */
export type Entry =
  | { role: 'system' | 'user' | 'assistant'; text: string; attachments: Attached[] }
  | { role: 'reply' | 'reference'; id: string; text: string };

const roles = ['system', 'developer', 'user', 'assistant', 'tool'] as const;
const types = ['message', 'reasoning', 'function_call', 'function_call_output', 'item_reference'] as const;

/** A message of Chat Completions, or an item of Responses. */
const entry = z
  .looseObject({
    type: z.enum(types, `one of ${types.join(', ')}`).default('message'),
    role: z.enum(roles, `one of ${roles.join(', ')}`).default('assistant'),
    content,
    output: content,
    id: z.string().default(''),
    call_id: z.string().optional(),
    tool_call_id: z.string().optional(),
    arguments: z.string().default(''),
    tool_calls: z.array(z.looseObject({ function: z.looseObject({ arguments: z.string() }) })).nullish(),
  })
  .transform((given): Entry[] => {
    const { content, output, role, type } = given;
    if (role === 'tool') return [{ role: 'reply', id: given.tool_call_id ?? '', text: content.text }];
    if (type === 'function_call_output') return [{ role: 'reply', id: given.call_id ?? '', text: output.text }];
    if (type === 'item_reference') return [{ role: 'reference', id: given.id, text: '' }];
    // What a server has told of its work is told to no agent.
    if (type === 'reasoning') return [];
    const calls = [given.arguments, ...(given.tool_calls ?? []).map((call) => call.function.arguments)];
    const text = [content.text, ...calls.map((each) => questionIn(each))].filter((each) => each !== '').join('\n');
    return [{ role: role === 'developer' ? 'system' : role, text, attachments: content.attachments }];
  });

/** What a person was asked by a call, which is a question like any other to those who read on; empty where it is none. */
const questionIn = (given: string): string =>
  (parsedJson(given) as { question?: string } | null | undefined)?.question ?? '';

/** A conversation: a text, or messages or items. */
export const entries = z.preprocess(
  (given) => (typeof given === 'string' ? [{ role: 'user', content: given }] : given),
  z.array(entry, 'a list of messages').transform((each) => each.flat()),
);

/** What agents are asked where a message has nothing but files, such as what a person has said aloud. */
const wordless = 'See what is attached.';

/** What a request wants: a new run, or to answer what one has asked at a place. */
export type Request =
  | { text: string; asked?: never; history: EarlierMessage[]; attachments: Attached[] }
  | { text: string; asked: Place };

/**
 * What a conversation asks for at its end: the result of a call answers the question that the call has asked, and so does a
 * message behind a question that was told as text; any other message is a new task. @throws `ParameterProblem` about `param`
 */
export function requestIn(entries: Entry[], owner: string, param: string): Request {
  const last = entries.at(-1);
  const earlier = entries.slice(0, -1);
  const before = earlier.findLast(({ role }) => role !== 'system');
  const asked = last && 'id' in last ? placeIn('call', last.id) : markedIn(owner, before?.text ?? '');
  // Behind the beginning of a run, which has asked nothing: other servers number their calls.
  if (asked !== undefined && asked.seq > 0 && last !== undefined) return { text: last.text, asked };
  if (last?.role !== 'user' || (last.text.trim() === '' && last.attachments.length === 0))
    throw new ParameterProblem(
      param,
      'the last one is to be a message of the user, or the result of a call that this server has made',
    );
  const attachments = entries.flatMap((each) => ('attachments' in each ? each.attachments : []));
  const history = earlier.flatMap(({ role, text }): EarlierMessage[] => {
    const content = withoutMark(text);
    return content === '' || role === 'reference' ? [] : [{ role: role === 'reply' ? 'user' : role, content }];
  });
  return { text: last.text.trim() === '' ? wordless : last.text, history, attachments };
}
