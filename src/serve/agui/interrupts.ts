import {
  contentHasMedia,
  contentToText,
  type Interrupt,
  type ResumeEntry,
  type RunAgentInput,
  type UserMessage,
} from '@ag-ui/core';
import { RunAgentInputSchema } from '@ag-ui/core/schemas';
import { z } from 'zod';
import { checkedBy, problemText, under } from '../../config/problems.ts';
import type { EarlierMessage } from '../../protocol/orchestration.ts';
import { askedText, type HumanReply, type PendingQuestion } from '../../protocol/questions.ts';
import type { OperatorDecision } from '../../protocol/research.ts';
import type { RestartRequest } from '../../protocol/state.ts';
import type { ToolDecision } from '../../protocol/tools/permissions.ts';
import { HttpProblem } from '../problems.ts';

/**
 * What an interrupt's id says, so that any server can go on from it: what waits, the last event that was told before it, and
 * the run that it belongs to, since the next conversation under the same id counts from the beginning.
 */
export interface InterruptId {
  kind: PendingQuestion['kind'];
  questionId: string;
  seq: number;
  chain: string;
}

export const interruptId = ({ chain, kind, questionId, seq }: InterruptId): string =>
  [kind, questionId, seq, chain].join('~');

function partsOf(id: string): InterruptId | undefined {
  const [, kind, questionId, seq, chain] = /^(question|tool|approval|key)~(.+)~(\d{1,9})~(\w+)$/.exec(id) ?? [];
  if (kind === undefined || questionId === undefined || chain === undefined) return undefined;
  return { kind: kind as InterruptId['kind'], questionId, seq: Number(seq), chain };
}

const payloads = {
  question: z.strictObject({ answer: z.string().describe('An empty one skips the question.') }),
  tool: z.strictObject({
    approved: z.boolean(),
    editedArgs: z.record(z.string(), z.unknown()).optional().describe('In place of all its arguments.'),
    reason: z.string().optional().describe('Why not, for the agent.'),
    always: z.boolean().optional().describe('Whether it holds for all later calls of this tool in the run.'),
  }),
  approval: z.strictObject({
    action: z.enum(['accept', 'stop', 'restart']),
    note: z.string().optional(),
    reason: z.string().optional().describe('Why it is to be planned anew.'),
    instructions: z.string().optional().describe('What the next plan is to do differently.'),
  }),
  key: z.looseObject({}).describe('None: the worker looks for the key by itself.'),
};

const reasons: Record<PendingQuestion['kind'], string> = {
  question: 'input_required',
  tool: 'tool_call',
  approval: 'confirmation',
  key: 'reprise:missing_key',
};

/** Something that waits for a person, as AG-UI tells of it. @param toolCallId of a call that waits for approval */
export function interruptOf(
  pending: PendingQuestion,
  place: Pick<InterruptId, 'seq' | 'chain'>,
  toolCallId: string | undefined,
): Interrupt {
  const { expiresAt, from, kind, parameters, questionId } = pending;
  const { properties, ...schema } = z.toJSONSchema(payloads[kind], { io: 'input' });
  const edited = parameters !== undefined && { editedArgs: parameters };
  return {
    id: interruptId({ kind, questionId, ...place }),
    reason: reasons[kind],
    message: askedText(pending),
    ...(toolCallId !== undefined && { toolCallId }),
    responseSchema: { ...schema, properties: { ...properties, ...edited } },
    ...(expiresAt !== null && { expiresAt }),
    metadata: { from },
  };
}

export type Act =
  | { send: 'answer'; reply: HumanReply }
  | { send: 'approve'; decision: ToolDecision }
  | { send: 'decide'; decision: OperatorDecision }
  | { send: 'restart'; request: RestartRequest }
  /** The worker finds a key by itself. */
  | { send: 'nothing' };

export interface Resumed extends InterruptId {
  id: string;
  act: Act;
}

/** @param at the place of the entry in `resume`. @throws `HttpProblem`, which says what is taken */
export function resumedBy({ interruptId: id, payload, status }: ResumeEntry, at: number): Resumed {
  const parts = partsOf(id);
  if (parts === undefined)
    throw new HttpProblem(422, `resume[${at}].interruptId: "${id.slice(0, 100)}" is no interrupt of this server`);
  return { ...parts, id, act: status === 'cancelled' ? abandoned(parts) : actOf(parts, payload, at) };
}

/** What happens where nobody wants to decide: nothing that cannot be taken back. */
function abandoned({ kind, questionId }: InterruptId): Act {
  if (kind === 'tool') return { send: 'approve', decision: { id: questionId, action: 'deny' } };
  if (kind === 'approval') return { send: 'decide', decision: { action: 'stop' } };
  return { send: 'answer', reply: { questionId, answer: '' } };
}

function actOf({ kind, questionId }: InterruptId, payload: unknown, at: number): Act {
  const read = <K extends keyof typeof payloads>(of: K, value: unknown): z.output<(typeof payloads)[K]> => {
    const checked = checkedBy<z.output<(typeof payloads)[K]>>(payloads[of] as never, value);
    if (checked.ok) return checked.value;
    const problems = under(['resume', at, 'payload'], checked.problems);
    throw new HttpProblem(422, problems.map((each) => problemText(each)).join('\n'));
  };
  switch (kind) {
    case 'question': {
      const { answer } = read(kind, typeof payload === 'string' ? { answer: payload } : payload);
      return { send: 'answer', reply: { questionId, answer } };
    }
    case 'tool': {
      const { always, approved, editedArgs, reason } = read(kind, payload);
      const rest = { id: questionId, ...(always !== undefined && { always }) };
      if (!approved) return { send: 'approve', decision: { ...rest, action: 'deny', ...(reason && { reason }) } };
      if (editedArgs === undefined) return { send: 'approve', decision: { ...rest, action: 'allow' } };
      return { send: 'approve', decision: { ...rest, action: 'edit', arguments: editedArgs } };
    }
    case 'approval': {
      const { action, instructions = '', note, reason = '' } = read(kind, payload);
      if (action === 'restart') return { send: 'restart', request: { reason, instructions } };
      return { send: 'decide', decision: { action, ...(note !== undefined && { note }) } };
    }
    case 'key':
      return { send: 'nothing' };
  }
}

/** A request that was checked. */
export type Asked = ReturnType<typeof askedIn>;

/** Checks a request. @throws `HttpProblem`, which names the key and what is taken */
export function askedIn(body: unknown) {
  // The package has a zod of its own.
  const checked = checkedBy(RunAgentInputSchema as unknown as z.ZodType<RunAgentInput>, body);
  if (!checked.ok) throw new HttpProblem(422, checked.problems.map((each) => problemText(each)).join('\n'));
  const { context, messages, resume = [], runId, threadId } = checked.value;
  for (const [key, value] of Object.entries({ threadId, runId }))
    if (value === '') throw new HttpProblem(422, `${key}: must not be empty`);
  const at = messages.findLastIndex(({ role }) => role === 'user');
  const last = messages[at] as UserMessage | undefined;
  if (last !== undefined && contentHasMedia(last.content))
    throw new HttpProblem(422, `messages[${at}].content: only texts are taken; POST /api/v1/runs takes files too`);
  const lines = (context ?? []).map(({ description, value }) => `${description}: ${value}`);
  return {
    threadId,
    runId,
    resume: resume.map(resumedBy),
    last,
    /** Whether something has answered the person's last message already. */
    isAnswered: messages.slice(at + 1).some(({ role }) => role === 'assistant'),
    /** The last message, and what the application tells besides. */
    text: [contentToText(last?.content), ...lines].join('\n\n').trim(),
    history: messages.slice(0, Math.max(0, at)).flatMap(earlierOf),
  };
}

/** What agents are told of an earlier message. What was thought, done by tools or shown is not said to them again. */
function earlierOf(message: RunAgentInput['messages'][number]): EarlierMessage[] {
  const { role } = message;
  if (role === 'tool' || role === 'activity' || role === 'reasoning') return [];
  const content = contentToText(message.content);
  return content.trim() === '' ? [] : [{ role: role === 'developer' ? 'system' : role, content }];
}
