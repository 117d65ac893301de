import type { NewMessage, ToolSpec } from '../../protocol/message.ts';
import type { CallModelInput, Reply } from '../../protocol/model-call.ts';
import type { TokenUsage } from '../../protocol/message.ts';
import { modelCallsIn, summaryOf, type CallSummary } from './steps.ts';
import type { HistoryRecord } from './history.ts';
import type { Texts } from './texts.ts';

/** A message as a model was sent it. */
export interface SentMessage {
  role: NewMessage['role'];
  text: string;
  /** How many images came with it; absent for none. */
  images?: number;
}

/** One call of a model: what it was sent, and what it has replied. */
export interface ShownCall extends CallSummary {
  /** ISO 8601 times. `endedAt` is absent while the call is under way. */
  at: string;
  endedAt?: string;
  turn: number;
  /** How many messages of the same conversation it was sent before these; they are part of its earlier calls. */
  earlier: number;
  sent: SentMessage[];
  /** The tools that it was offered; null where the store that lists them is not at hand. */
  tools: Array<Pick<ToolSpec, 'name' | 'description'>> | null;
  toolChoice: CallModelInput['toolChoice'];
  reply?: Reply;
  usage?: TokenUsage;
  failure?: string;
}

/** What each model was sent and has replied, in the order in which the calls ended. */
export function callsOf(records: HistoryRecord[], texts: Texts): ShownCall[] {
  return modelCallsIn(records).map(({ at, failure, input, result, since, summary, turn }) => {
    const { append, system, tools, toolChoice, transcript } = input;
    const isOver = result !== undefined || failure !== undefined;
    return {
      ...summaryOf(summary),
      at: since,
      ...(isOver && { endedAt: at }),
      turn,
      earlier: transcript?.messages ?? 0,
      sent: [
        ...(system === undefined ? [] : [{ role: 'system' as const, text: texts.textOf(system) }]),
        ...append.map((message) => sentOf(message, texts)),
      ],
      tools: tools === null ? [] : toolsOf(texts.blob(tools.blob)),
      toolChoice,
      ...(result !== undefined && { reply: result.reply, usage: result.usage }),
      ...(failure !== undefined && { failure }),
    };
  });
}

function sentOf(message: NewMessage, texts: Texts): SentMessage {
  const images = 'images' in message ? (message.images?.length ?? 0) : 0;
  const text = texts.textOf(message.content);
  return { role: message.role, text, ...(images > 0 && { images }) };
}

function toolsOf(json: string | undefined): ShownCall['tools'] {
  if (json === undefined) return null;
  return (JSON.parse(json) as ToolSpec[]).map(({ description, name }) => ({ name, description }));
}
