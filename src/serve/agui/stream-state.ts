import { EventType, type Event } from '@ag-ui/core';
import type { RunEvent } from '../../protocol/events.ts';
import type { PendingQuestion } from '../../protocol/questions.ts';
import { entriesOf } from '../../workflows/log-lines.ts';
import { waitingAfter } from '../waiting.ts';
import { emptyView, patchOf, viewAfter, type View } from './view.ts';

/** A tool call that was told of, and whose result was not. */
interface OpenCall {
  /** `toolCallId`. */
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
  /** What waits for a person. */
  readonly waiting: readonly PendingQuestion[];
  /** The last text that was said to the person in this turn. */
  readonly said: string;
}

/** Before the first event. @param run the workflow's id */
export const emptyState = (run: string, chain: string): StreamState => ({
  chain,
  view: emptyView(run),
  calls: [],
  waiting: [],
  said: '',
});

/** The id of a message or a call that an event begins. */
const idOf = (chain: string, { seq }: RunEvent): string => `${chain}-${seq}`;

/** The step that an event begins; undefined where the one that goes on does so further. */
function stepOf(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'attempt':
      return `attempt ${event.attempt}`;
    case 'voting':
    case 'presenting':
    case 'evaluating':
    case 'criticising':
    case 'synthesis':
      return event.type;
    case 'plan':
      return `plan ${event.attempt}`;
    case 'phase':
      return event.phase.toLowerCase();
    default:
      return undefined;
  }
}

/** What is told in another way than by a line of reasoning. */
const silent: ReadonlySet<RunEvent['type']> = new Set([
  'started',
  'turn',
  'turn_failed',
  'says',
  'final',
  'tool',
  'tool_ended',
  'approval_requested',
]);

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

/** How a stream begins in the middle of a run. */
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
  if (silent.has(event.type)) return [];
  const delta = entriesOf(event)
    .map(({ text }) => text.trim())
    .join('\n');
  if (delta === '') return [];
  return [line(`${idOf(chain, event)}-log`, delta)];
}

/** A line of what goes on. */
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
      if (event.how !== 'allowed' && event.how !== 'edited')
        return ended(
          call,
          `Not run: ${event.reason ?? (event.how === 'timeout' ? 'nobody allowed it in time' : event.how)}`,
        );
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
  return [
    { type: EventType.TOOL_CALL_START, toolCallId: id, toolCallName: tool, metadata: { agent } },
    { type: EventType.TOOL_CALL_ARGS, toolCallId: id, delta: isJson(given) ? given : JSON.stringify({ cut: given }) },
    { type: EventType.TOOL_CALL_END, toolCallId: id },
  ];
}

/** Long arguments are cut, and are no JSON then. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
