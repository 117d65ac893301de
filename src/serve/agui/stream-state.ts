import { EventType, type Event } from '@ag-ui/core';
import type { RunEvent } from '../../protocol/events.ts';
import type { PendingQuestion } from '../../protocol/questions.ts';
import { entriesOf } from '../../workflows/log-lines.ts';
import { parsedJson } from '../../util/values.ts';
import { waitingAfter } from '../waiting.ts';
import { emptyView, patchOf, viewAfter, type View } from './view.ts';

/** A tool call that was told of, and whose result was not. */
interface OpenCall {
  id: string;
  agent: string;
  tool: string;
  /** What waits for a person, before the call may run. */
  asks?: string | undefined;
  /** The id of its run's events, from when it runs. */
  runs?: string;
}

/** What an AG-UI stream has to know of the events so far. It is made from them alone, so that any server has the same. */
export interface StreamState {
  /** What the ids of messages and calls begin with, which tells them from those of other runs in the same thread. */
  readonly chain: string;
  readonly view: View;
  readonly calls: readonly OpenCall[];
  readonly waiting: readonly PendingQuestion[];
  /** The last text that was said to the person in this turn. */
  readonly said: string;
}

export const emptyState = (run: string, chain: string): StreamState => ({
  chain,
  view: emptyView(run),
  calls: [],
  waiting: [],
  said: '',
});

const idOf = (chain: string, { seq }: RunEvent): string => `${chain}-${seq}`;

const steps = ['voting', 'presenting', 'evaluating', 'criticising', 'synthesis'];

/** The step that an event begins; undefined where the one that goes on does so further. */
function stepOf(event: RunEvent): string | undefined {
  if (event.type === 'attempt' || event.type === 'plan') return `${event.type} ${event.attempt}`;
  if (event.type === 'phase') return event.phase.toLowerCase();
  return steps.includes(event.type) ? event.type : undefined;
}

/** What is told in another way than by a line of reasoning. */
const silent = ['started', 'turn', 'turn_failed', 'says', 'final', 'tool', 'tool_ended', 'approval_requested'];

/** The AG-UI events for an event of a run, and what is to be known behind it. */
export function eventsFor(before: StreamState, event: RunEvent): [after: StreamState, events: Event[]] {
  const step = stepOf(event);
  const seen = viewAfter(before.view, event);
  const view = step === undefined ? seen : { ...seen, phase: step };
  const [calls, callEvents] = callsAfter(before, event);
  const [said, texts] = saidAfter(before, event);
  const patch = patchOf({ ...before.view }, { ...view });
  return [
    { ...before, view, calls, said, waiting: waitingAfter(before.waiting, event) },
    [
      ...(step === undefined && view.phase !== null ? [] : stepEnded(before)),
      ...(step === undefined ? [] : [started(step)]),
      ...linesOf(before, event),
      ...callEvents,
      ...texts,
      ...(patch.length === 0 ? [] : [{ type: EventType.STATE_DELTA as const, delta: patch }]),
    ],
  ];
}

const started = (stepName: string): Event => ({ type: EventType.STEP_STARTED, stepName });

const stepEnded = ({ view: { phase } }: StreamState): Event[] =>
  phase === null ? [] : [{ type: EventType.STEP_FINISHED, stepName: phase }];

export const opening = ({ view }: StreamState): Event[] => [
  { type: EventType.STATE_SNAPSHOT, snapshot: view },
  ...(view.phase === null ? [] : [started(view.phase)]),
];

/** How a stream ends, before its last event. What is open in it must be closed; a call that goes on has its result in a later one. */
export const closing = (state: StreamState, usage: View['usage']): Event[] => [
  ...stepEnded(state),
  { type: EventType.STATE_SNAPSHOT, snapshot: { ...state.view, usage } },
];

/** What a person could read of an event in a log. */
function linesOf({ chain }: StreamState, event: RunEvent): Event[] {
  if (silent.includes(event.type)) return [];
  const lines = entriesOf(event).map(({ text }) => text.trim());
  return lines.join('') === '' ? [] : [line(`${idOf(chain, event)}-log`, lines.join('\n'))];
}

export const line = (messageId: string, text: string): Event => ({
  type: EventType.REASONING_MESSAGE_CHUNK,
  messageId,
  delta: `${text}\n`,
});

function saidAfter({ chain, said }: StreamState, event: RunEvent): [said: string, events: Event[]] {
  if (event.type === 'turn') return ['', []];
  if (event.type !== 'says' && event.type !== 'final') return [said, []];
  const { agent, [event.type === 'says' ? 'text' : 'answer']: text = '' } = event as unknown as Record<string, string>;
  // A single agent has said its answer already.
  if (text === '' || (event.type === 'final' && text === said)) return [said, []];
  const messageId = idOf(chain, event);
  const metadata = agent === undefined || agent === '' ? undefined : { agent };
  return [
    text,
    [
      { type: EventType.TEXT_MESSAGE_START, messageId, role: 'assistant', ...(metadata && { metadata }) },
      { type: EventType.TEXT_MESSAGE_CONTENT, messageId, delta: text },
      { type: EventType.TEXT_MESSAGE_END, messageId },
    ],
  ];
}

/** Calls that a person is asked about are told of when that is, and run later, maybe in another stream. */
function callsAfter({ calls, chain }: StreamState, event: RunEvent): [calls: readonly OpenCall[], events: Event[]] {
  const id = idOf(chain, event);
  const ended = (call: OpenCall | undefined, content: string): ReturnType<typeof callsAfter> => {
    if (call === undefined) return [calls, []];
    const result: Event = { type: EventType.TOOL_CALL_RESULT, messageId: id, toolCallId: call.id, content };
    return [calls.filter((each) => each !== call), [result]];
  };
  switch (event.type) {
    case 'approval_requested': {
      const call = { id, agent: event.from, tool: event.tool, asks: event.questionId };
      return [[...calls, call], called(call, event.arguments)];
    }
    case 'approval_resolved': {
      const call = calls.find(({ asks }) => asks === event.questionId);
      const why = event.how === 'timeout' ? 'nobody allowed it in time' : event.how;
      if (event.how !== 'allowed' && event.how !== 'edited') return ended(call, `Not run: ${event.reason ?? why}`);
      return [calls.map((each) => (each === call ? { ...each, asks: undefined } : each)), []];
    }
    case 'tool': {
      const allowed = calls.find(
        ({ agent, asks, runs, tool }) =>
          agent === event.agent && tool === event.tool && asks === undefined && runs === undefined,
      );
      const call = { ...(allowed ?? { id, agent: event.agent, tool: event.tool }), runs: event.id };
      if (allowed !== undefined) return [calls.map((each) => (each === allowed ? call : each)), []];
      return [[...calls, call], called(call, event.arguments)];
    }
    case 'tool_ended': {
      const call = calls.find(({ agent, runs }) => agent === event.agent && runs === event.id);
      return ended(call, event.status === 'ok' ? event.result : `${event.status}: ${event.result}`);
    }
    case 'turn':
      return [[], []];
    case 'final':
      return [
        [],
        calls.map((call) => ({
          type: EventType.TOOL_CALL_RESULT,
          messageId: `${call.id}-ended`,
          toolCallId: call.id,
          content: 'The turn has ended without its result',
        })),
      ];
    default:
      return [calls, []];
  }
}

function called({ agent, id, tool }: OpenCall, given: string): Event[] {
  // Long arguments are cut, and are no JSON then.
  const delta = parsedJson(given) === undefined ? JSON.stringify({ cut: given }) : given;
  return [
    { type: EventType.TOOL_CALL_START, toolCallId: id, toolCallName: tool, metadata: { agent } },
    { type: EventType.TOOL_CALL_ARGS, toolCallId: id, delta },
    { type: EventType.TOOL_CALL_END, toolCallId: id },
  ];
}
