import { WorkflowUpdateRPCTimeoutOrCancelledError } from '@temporalio/client';
import type { Reprise, Run, RunEvent } from '../../client.ts';
import { editedArguments } from '../../client/edited.ts';
import { ifAnswered, isPassing } from '../../client/snapshot.ts';
import { handleTextUpdate } from '../../protocol/definitions.ts';
import { maxMessageChars } from '../../protocol/questions.ts';
import type { ToolDecision } from '../../protocol/tools/permissions.ts';
import { hashOf } from '../../util/ids.ts';
import { inputProblem } from '../../workflows/runtime/size.ts';
import type { Access } from '../access.ts';
import { HttpProblem } from '../problems.ts';
import type { Served } from '../served.ts';
import { derivedId, startNamed } from '../start.ts';
import { runActs, type Refused, type RunAct } from './forms.ts';

export const outcomes = {
  answered: 'Your answer has arrived.',
  skipped: 'It is skipped.',
  allowed: 'The tool call is allowed.',
  edited: 'The tool call runs with your arguments.',
  denied: 'The tool call is denied.',
  already: 'It was settled already by somebody else. What you have sent has no effect.',
  over: 'Nobody waits for it any more. What you have sent has no effect.',
  late: 'Nobody waits for it any more. Your answer is kept for those who ask next.',
  sent: 'It is sent. No worker has answered yet; it counts as soon as one does.',
  started: 'It is started.',
  restart: 'The restart is asked for.',
  decide: 'Your decision has arrived.',
  message: 'Your message has arrived.',
  cancel: 'It was asked to end.',
} as const;

export type Outcome = keyof typeof outcomes;

export type Sent = Record<string, string>;

const patience = 5000;

/** Asks a run something that its worker must answer. @returns undefined where none does */
export const patiently = <T>(reprise: Reprise, ask: () => Promise<T>): Promise<T | undefined> =>
  ifAnswered(reprise.client, patience, ask);

export type Closing = Extract<RunEvent, { type: 'question_closed' | 'approval_resolved' | 'key_closed' }>;

/** How something has stopped waiting; undefined where it waits still, or never has. */
export const closingOf = (events: RunEvent[], id: string): Closing | undefined =>
  events.findLast(
    (event): event is Closing =>
      (event.type === 'question_closed' || event.type === 'approval_resolved' || event.type === 'key_closed') &&
      event.questionId === id,
  );

/** What is wrong about what a form has sent before anything is done; undefined if nothing is. @param needed what must be there */
function refusalOf(sent: Sent, needed: string[]): Refused | undefined {
  const missing = needed.find((field) => (sent[field] ?? '').trim() === '');
  if (missing !== undefined) return { field: missing, problem: 'It must not be empty', typed: sent };
  const field = bounded.find((name) => (sent[name]?.length ?? 0) > maxMessageChars);
  const problem = `It may have ${maxMessageChars.toLocaleString('en-US')} characters`;
  return field === undefined ? undefined : { field, problem, typed: sent };
}

const bounded = ['reason', 'instructions', 'note', 'arguments'];

/** Settles what waits as a form says, and tells what has come of that: somebody else may have been quicker. */
export async function settle(reprise: Reprise, id: string, waits: string, sent: Sent): Promise<Outcome | Refused> {
  const run = reprise.getRun(id);
  await run.assertOpen();
  const { act = '' } = sent;
  const refusal = refusalOf(sent, act === 'answer' ? ['answer'] : []);
  if (refusal !== undefined) return refusal;
  const isAnswer = act === 'answer' || act === 'skip';
  const answer = act === 'answer' ? (sent['answer'] ?? '').trim() : '';
  const decision = isAnswer ? undefined : await decisionOf(reprise, run, waits, sent);
  if (decision !== undefined && 'problem' in decision) return decision;
  await (decision === undefined ? run.answer({ questionId: waits, answer }) : run.approve(decision));
  const events = await patiently(reprise, () => run.events());
  const closing = events && closingOf(events, waits);
  return closing === undefined ? 'sent' : outcomeOf(closing, decision?.action ?? act, answer);
}

/** What has come of an answer or a decision, by how that has stopped waiting which it was for. */
export function outcomeOf(closing: Closing, act: string, answer: string): Outcome {
  const { how } = closing;
  const meant = { answer: 'answered', skip: 'skipped', allow: 'allowed', deny: 'denied', edit: 'edited' }[act];
  const isOther = closing.type === 'question_closed' && (closing.answer ?? '').trim() !== answer;
  if (how === meant && !isOther) return how as Outcome;
  if (how !== 'timeout' && how !== 'withdrawn') return 'already';
  return act === 'answer' ? 'late' : 'over';
}

/** What a form decides about a tool call. @throws `HttpProblem` where it decides nothing */
async function decisionOf(reprise: Reprise, run: Run, id: string, sent: Sent): Promise<ToolDecision | Refused> {
  const { act = '', reason = '' } = sent;
  const why = reason.trim() !== '' && { reason: reason.trim() };
  switch (act) {
    case 'allow':
      return { id, action: 'allow' };
    case 'always':
      return { id, action: 'allow', always: true };
    case 'deny':
      return { id, action: 'deny', ...why };
    case 'never':
      return { id, action: 'deny', ...why, always: true };
    case 'edit': {
      const waiting = await patiently(reprise, () => run.pendingQuestions());
      const asked = waiting?.find(({ questionId }) => questionId === id);
      const given = editedArguments(sent['arguments'] ?? '', asked);
      if (typeof given !== 'string') return { id, action: 'edit', arguments: given };
      return { field: 'arguments', problem: given, typed: sent };
    }
    default:
      throw new HttpProblem(400, `The form decides nothing: "${act}" is none of its buttons`);
  }
}

export async function actOn(reprise: Reprise, id: string, act: RunAct, sent: Sent): Promise<Outcome | Refused> {
  const refusal = refusalOf(sent, runActs[act].needed);
  if (refusal !== undefined) return refusal;
  const { instructions = '', note = '', reason = '', text = '' } = sent;
  if (act === 'restart') await reprise.getResearch(id).requestRestart(reason.trim(), instructions.trim());
  else if (act === 'cancel') await reprise.getRun(id).cancel();
  else if (act === 'decide') {
    const action = sent['act'] === 'accept' ? 'accept' : 'stop';
    await reprise.getResearch(id).decide({ action, ...(note.trim() !== '' && { note: note.trim() }) });
  } else {
    const problem = inputProblem({ text }) ?? (await messageProblem(reprise, id, text.trim(), sent['once'] ?? ''));
    if (problem !== undefined) return { field: 'text', problem, typed: sent };
  }
  return act;
}

/** Hands a session its next turn, whose end nobody waits for here. @param once by which a form that is sent twice is one turn */
async function messageProblem({ client }: Reprise, id: string, text: string, once: string) {
  // Somebody may go back to the form and say something else.
  const updateId = hashOf(JSON.stringify([once, text]));
  const turn = { args: [text] as [string], updateId, waitForStage: 'ACCEPTED' as const };
  const begin = () => client.workflow.getHandle(id).startUpdate(handleTextUpdate, turn);
  try {
    await client.withDeadline(Date.now() + patience, begin);
    return undefined;
  } catch (error) {
    if (!(error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) && !isPassing(error)) throw error;
    return 'No worker takes it at present. Send it again in a while: it counts once';
  }
}

/** Starts what a form says: sent twice by one form it is one run. @returns its id */
export async function startSent(served: Served, access: Access, sent: Sent): Promise<{ id: string } | Refused> {
  const { name = '', once = '', text = '' } = sent;
  const refusal = refusalOf(sent, ['text']);
  if (refusal !== undefined) return refusal;
  const id = derivedId(access, 'page', JSON.stringify([once, name, text]));
  const { run } = await startNamed(served, access, { name, text: text.trim(), id });
  return { id: run.id };
}
