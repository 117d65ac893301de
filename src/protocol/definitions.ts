import type { QueryDefinition, SignalDefinition, UpdateDefinition } from '@temporalio/common';
import type { RunEvent } from './events.ts';
import type { TranscriptRef } from './message.ts';
import type { ToolDecision } from './tools/permissions.ts';
import type { HumanReply, PendingQuestion } from './questions.ts';
import type { OperatorDecision } from './research.ts';
import type { TurnResult } from './session.ts';
import type { RestartRequest, State } from './state.ts';

/** The workflow types of runs. What a run has done beside it, such as `notification`, is none. */
export const workflowTypes: readonly string[] = ['orchestration', 'planAndExecute', 'research', 'session'];

/** The command that starts a run of a type. */
export const commandOf = {
  orchestration: 'ask',
  session: 'chat',
  research: 'research',
  planAndExecute: 'solve',
} as const;

/**
 * The signals, queries and updates of runs, as workflows and clients name them (docs/temporal.md). They equal what
 * `defineSignal`, `defineQuery` and `defineUpdate` return; clients cannot import those from `@temporalio/workflow`.
 */
const signal = <Args extends unknown[]>(name: string) => ({ type: 'signal', name }) as SignalDefinition<Args>;

const query = <Result, Args extends unknown[] = []>(name: string) =>
  ({ type: 'query', name }) as QueryDefinition<Result, Args>;

/** Signal `answer` of all runs: a person answers a question, or skips it with an empty answer. */
export const answerSignal = signal<[HumanReply]>('answer');

/** Signal `approve` of all runs: a person allows a tool call, refuses it, or changes its arguments. */
export const approveSignal = signal<[ToolDecision]>('approve');

/** Signal `requestRestart` of `orchestration` and `research`: a person wants the work started over. */
export const requestRestartSignal = signal<[RestartRequest]>('requestRestart');

/** Signal `decide` of `research`: a person ends the loop. */
export const decideSignal = signal<[OperatorDecision]>('decide');

/** Signal `close` of `session`: the session ends when the turns that it has received are done. */
export const closeSignal = signal<[]>('close');

/** Signal `stopTurn` of `session`: the turn under way ends with what there is, and the session goes on. */
export const stopTurnSignal = signal<[]>('stopTurn');

/** Update `handleText` of `session`: the person's next text. Turns are taken one at a time, in the order of arrival. */
export const handleTextUpdate = { type: 'update', name: 'handleText' } as UpdateDefinition<TurnResult, [text: string]>;

/** Query `state` of all runs: the run at a glance. */
export const stateQuery = query<State>('state');

/** Query `pendingQuestions` of all runs: the questions that wait for a person. */
export const pendingQuestionsQuery = query<PendingQuestion[]>('pendingQuestions');

/** Query `events` of all runs: the events from a sequence number on, by default all. */
export const eventsQuery = query<RunEvent[], [from?: number]>('events');

/** Query `transcript` of all runs: an agent's present conversation, or null before its first reply. */
export const transcriptQuery = query<TranscriptRef | null, [agent: string]>('transcript');

/** What each message is for, as the Web UI's menus and `temporal workflow metadata` show it. */
export const descriptions = {
  answer:
    'Answers a question: {"answer": "…"}, with "questionId" where several wait. An empty answer skips the question. ' +
    'The query pendingQuestions lists what waits.',
  approve:
    'Decides about a tool call that waits for approval: {"id": "t1", "action": "allow" | "deny" | "edit"}, with "reason" to ' +
    'deny, with "arguments" to edit, and with "always": true for all later calls of the tool.',
  requestRestart: 'Has the work started over: {"reason": "…", "instructions": "…"}. Only a team and a research run do.',
  decide:
    'Ends the loop of a research run: {"action": "accept"} goes on to the report, {"action": "stop"} ends the run.',
  close: 'Ends the session when the turns that it has received are done.',
  stopTurn: 'Ends the turn under way with what there is. The session goes on.',
  handleText:
    'Takes a turn of the conversation: a text, such as "Which database?". Returns {answer, messages, turn, warnings}.',
  state: 'The run at a glance: its phase, its agents and what they do, and what it has spent.',
  pendingQuestions: 'The questions that wait for a person: [{questionId, from, question, askedAt, expiresAt}].',
  events: 'Everything that has happened; with a number, the events from that one on.',
  transcript: "An agent's present conversation, as a reference into the store: {id, messages}. Takes the agent's id.",
} as const;
