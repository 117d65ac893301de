import { callOf, definitionOf, questionText, type AskingTool } from './asking.ts';
import { idOf, type Place } from './places.ts';
import { endingOf, usageOf, type Step } from './runs.ts';

/** What a response is of, besides what its run does. */
export interface Head {
  place: Place;
  createdAt: number;
  model: string;
  /** The id of the response whose conversation goes on. */
  previous: string | null;
  instructions: string | null;
  metadata: Record<string, string>;
  background: boolean;
  store: boolean;
  tools: AskingTool[];
}

export type StreamEvent = { type: string; sequence_number: number } & Record<string, unknown>;

const nothing = ['completed_at', 'error', 'incomplete_details', 'max_output_tokens', 'max_tool_calls', 'usage'];

/** These fields have to have a value; what the API says of a model's settings is in the configuration here. */
const fixed = {
  ...Object.fromEntries([...nothing, 'prompt_cache_key', 'safety_identifier'].map((name) => [name, null])),
  temperature: 1,
  top_p: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
  top_logprobs: 0,
  service_tier: 'default',
  tool_choice: 'auto',
  truncation: 'disabled',
  parallel_tool_calls: false,
  text: { format: { type: 'text' } },
  reasoning: { effort: null, summary: null },
};

type Item = { type: 'reasoning' | 'message' | 'function_call'; id: string } & Record<string, unknown>;

/**
 * What the Responses API tells of a part of a run, drawn from its steps alone: the same steps are the same events with the same
 * numbers, on whichever server.
 */
export class ResponseLog {
  readonly head: Head;
  /** What tells the next message as the answer to a question that is told as text. */
  readonly #markOf: (place: Place) => string;
  readonly #output: Item[] = [];
  readonly #summary: Array<{ type: 'summary_text'; text: string }> = [];
  readonly #events: StreamEvent[] = [];
  #count = 0;
  #end: Record<string, unknown> = {};

  constructor(head: Head, markOf: (place: Place) => string) {
    this.head = head;
    this.#markOf = markOf;
  }

  get response() {
    const { createdAt, place, previous, tools, ...asked } = this.head;
    return {
      id: idOf('resp', place),
      object: 'response' as const,
      created_at: createdAt,
      status: 'in_progress',
      ...asked,
      ...fixed,
      previous_response_id: previous,
      output: structuredClone(this.#output),
      tools: tools.map(definitionOf),
      ...this.#end,
      metadata: { ...asked.metadata, run_id: place.run, ...(this.#end['metadata'] as object | undefined) },
    };
  }

  begin(): StreamEvent[] {
    this.#emit('created', { response: this.response });
    this.#emit('in_progress', { response: this.response });
    return this.#events.splice(0);
  }

  take(step: Step): StreamEvent[] {
    if (step.type === 'trouble') return [];
    if (step.type === 'progress') this.#think(step.text);
    else {
      const [thoughts] = this.#output;
      if (thoughts !== undefined) this.#emit('output_item.done', { output_index: 0, item: structuredClone(thoughts) });
      if (step.type === 'asked') this.#ask(step);
      if (step.type === 'answered') this.#answer(step);
      if (step.type === 'failed') {
        // By this code alone no client begins another run, and some read no error without a type.
        const error = { type: 'server_error', code: 'invalid_prompt', message: step.message, param: null };
        this.#end = { status: 'failed', error };
      }
      const { response } = this;
      this.#emit(response.status === 'cancelled' ? 'incomplete' : response.status, { response });
    }
    return this.#events.splice(0);
  }

  #think(text: string): void {
    const item_id = idOf('rs', this.head.place);
    if (this.#summary.length === 0)
      this.#emit('output_item.added', { output_index: 0, item: { type: 'reasoning', id: item_id, summary: [] } });
    const at = { item_id, output_index: 0, summary_index: this.#summary.length };
    const part = { type: 'summary_text' as const, text };
    this.#emit('reasoning_summary_part.added', { ...at, part: { ...part, text: '' } });
    this.#emit('reasoning_summary_text.delta', { ...at, delta: text });
    this.#emit('reasoning_summary_text.done', { ...at, text });
    this.#emit('reasoning_summary_part.done', { ...at, part });
    this.#summary.push(part);
    this.#output[0] = { type: 'reasoning', id: item_id, summary: this.#summary };
  }

  #ask({ asked, at, seq }: Extract<Step, { type: 'asked' }>): void {
    const place = { run: this.head.place.run, seq };
    const call = callOf(asked, this.head.tools);
    if (call === undefined) this.#say(questionText(asked, this.#markOf(place)), 'commentary');
    else
      this.#add(
        { type: 'function_call', id: idOf('fc', place), call_id: idOf('call', place), ...call },
        { arguments: '' },
        [
          ['function_call_arguments.delta', { delta: call.arguments }],
          ['function_call_arguments.done', call],
        ],
      );
    this.#end = { status: 'completed', completed_at: secondsOf(at) };
  }

  #answer({ answer, at, outcome, usage }: Extract<Step, { type: 'answered' }>): void {
    const ending = endingOf(outcome);
    this.#say(answer, 'final_answer', ending === 'completed' ? 'completed' : 'incomplete');
    this.#end = {
      status: ending,
      completed_at: ending === 'completed' ? secondsOf(at) : null,
      incomplete_details: ending === 'incomplete' ? { reason: 'max_output_tokens' } : null,
      usage: usage && usageOf(usage, 'input', 'output'),
      metadata: { outcome },
    };
  }

  #say(text: string, phase: 'commentary' | 'final_answer', status = 'completed'): void {
    const part = { type: 'output_text', text, annotations: [], logprobs: [] };
    const at = { content_index: 0, logprobs: [] };
    this.#add(
      { type: 'message', id: idOf('msg', this.head.place), role: 'assistant', phase, content: [part], status },
      { content: [] },
      [
        ['content_part.added', { ...at, part: { ...part, text: '' } }],
        ['output_text.delta', { ...at, delta: text }],
        ['output_text.done', { ...at, text }],
        ['content_part.done', { ...at, part }],
      ],
    );
  }

  /** @param begun what of the item is otherwise when it begins @param events the events between */
  #add(item: Item, begun: object, events: Array<[type: string, rest: object]>): void {
    const output_index = this.#output.length;
    const status = item['status'] ?? 'completed';
    this.#emit('output_item.added', { output_index, item: { ...item, status: 'in_progress', ...begun } });
    for (const [type, rest] of events) this.#emit(type, { item_id: item.id, output_index, ...rest });
    this.#output.push({ ...item, status });
    this.#emit('output_item.done', { output_index, item: this.#output[output_index] });
  }

  #emit(type: string, rest: object): void {
    this.#events.push({ type: `response.${type}`, sequence_number: this.#count++, ...rest });
  }
}

const secondsOf = (at: string): number => Math.floor(Date.parse(at) / 1000);
