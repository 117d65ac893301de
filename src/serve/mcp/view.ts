import { WorkflowFailedError } from '@temporalio/client';
import { z } from 'zod';
import type { PendingQuestion, Run, RunEvent } from '../../client.ts';
import { answerOf } from '../../client/show/record-parts.ts';
import { cutInMiddle } from '../../util/text/cut.ts';
import { isOpenStatus } from '../../util/run-status.ts';
import { problemOf } from '../problems.ts';
import type { Served } from '../served.ts';
import { askedIn } from '../waiting.ts';
import { choices } from './reply.ts';

/** How many characters of an answer, and of what is asked, are told at most: a model is to read them. */
const maxChars = { answer: 100_000, question: 10_000 };

export const viewSchema = z.object({
  run: z.string().describe("The run's id, for the tools `status` and `answer`"),
  state: z.enum(['running', 'waiting', 'completed', 'failed', 'cancelled']),
  doing: z.string().optional().describe('What a run that goes on is doing, or why that is not known'),
  waits: z
    .array(
      z.object({
        questionId: z.string(),
        kind: z.enum(['question', 'approval', 'tool', 'key']),
        from: z.string().describe('The agent that asks'),
        question: z.string(),
        expiresAt: z.string().optional().describe('When the agent goes on without an answer; absent: never'),
      }),
    )
    .describe('What waits for a person'),
  outcome: z.string().optional().describe('How the run has ended'),
  answer: z.string().optional(),
  error: z.string().optional().describe('Why the run has failed'),
  costUsd: z.number().optional(),
  startedAt: z.string(),
  endedAt: z.string().optional(),
});

export type RunView = z.infer<typeof viewSchema>;

/** A run as it is now. @throws `WorkflowNotFoundError` */
export async function look({ reprise }: Served, id: string): Promise<RunView> {
  const run = reprise.getRun(id);
  const { closeTime, startTime, status } = await reprise.client.workflow.getHandle(id).describe();
  const common = { run: id, startedAt: startTime.toISOString(), waits: [] };
  const open = () => openPart(run);
  if (isOpenStatus(status.name)) return { ...common, ...(await reprise.client.withDeadline(Date.now() + 5000, open)) };
  return { ...common, ...(closeTime && { endedAt: closeTime.toISOString() }), ...(await endedPart(run)) };
}

async function openPart(run: Run): Promise<Partial<RunView> & Pick<RunView, 'state'>> {
  try {
    // It is asked first since it finds out where there is nobody to answer.
    const { phase } = await run.state();
    const waits = (await run.pendingQuestions()).map(waitingOf);
    return { state: waits.length > 0 ? 'waiting' : 'running', doing: phase, waits };
  } catch (error) {
    return { state: 'running', doing: problemOf(error).detail };
  }
}

async function endedPart(run: Run): Promise<Partial<RunView> & Pick<RunView, 'state'>> {
  try {
    const result = await run.result();
    const { outcome, usage } = result;
    const state = outcome === 'cancelled' ? 'cancelled' : 'completed';
    return { state, outcome, answer: cut(answerOf(result), maxChars.answer), costUsd: usage.costUsd };
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    return { state: 'failed', error: problemOf(error).detail };
  }
}

const waitingOf = ({ expiresAt, from, kind, question, questionId, ...call }: PendingQuestion) => ({
  questionId,
  kind,
  from,
  question: cut(kind === 'tool' ? `${question}\n${call.tool} ${call.arguments}` : question, maxChars.question),
  ...(expiresAt !== null && { expiresAt }),
});

const cut = (text: string, most: number): string =>
  text.length <= most ? text : cutInMiddle(text, most - most / 10, most / 10);

/** The same in words, for a model that reads no structured content. */
export function viewText({ answer = '', costUsd = 0, doing, error, outcome, run, state, waits }: RunView): string {
  if (state === 'running')
    return `The run ${run} is still running (${doing}): call status {"run": "${run}", "wait": 50}`;
  if (state === 'failed') return `The run ${run} has failed: ${error}`;
  if (state !== 'waiting') return `${answer}\n\n(run ${run}, ${outcome}, $${costUsd.toFixed(4)})`;
  const asked = waits.map(({ from, kind, question, questionId }) => {
    const ways = [...(kind === 'question' ? ['"text": "…"'] : []), `"decision": "${choices[kind].join('" | "')}"`];
    const call = `answer {"run": "${run}", "question": "${questionId}", ${ways.join(' or ')}}`;
    return `${from} asks: ${question}\nOnce a person has decided: ${call}`;
  });
  return [`The run ${run} waits for a person.`, ...asked].join('\n\n');
}

/** How many seconds a request waits at most. Clients give up after 60, unless told otherwise. */
export const longestWait = 50;

/** How many requests of one server wait at once; others get at once what there is. */
const mostWaiting = 4000;

let waiting = 0;

export interface Wait {
  seconds: number;
  signal: AbortSignal;
  /** Tells of all that has happened since the run began, so that a fast one is told as a slow one is; else from now on. */
  fromStart: boolean;
  onEvent: (event: RunEvent) => Promise<void>;
}

/** The run once it has ended or waits for a person, or else when the time is up. @throws `WorkflowNotFoundError` */
export async function waited(
  served: Served,
  id: string,
  { fromStart, onEvent, seconds, signal }: Wait,
): Promise<RunView> {
  if (seconds === 0 || waiting >= mostWaiting) return look(served, id);
  waiting += 1;
  try {
    let after = 0;
    if (!fromStart) {
      // What comes between the place and the look is told again, and so nothing is overlooked.
      const place = await served.reprise
        .getRun(id)
        .cursor()
        .catch(() => undefined);
      after = place?.seq ?? 0;
      const view = await look(served, id);
      if (view.state !== 'running') return view;
    }
    const over = AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)]);
    for await (const item of served.feeds.follow(id, { after, signal: over })) {
      if (item.type === 'event') await onEvent(item.event);
      if (item.type !== 'end' && !(item.type === 'event' && askedIn(item.event))) continue;
      const now = await look(served, id);
      if (now.state !== 'running') return now;
    }
    return await look(served, id);
  } finally {
    waiting -= 1;
  }
}
