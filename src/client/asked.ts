import { setTimeout as pause } from 'node:timers/promises';
import type { RunEvent } from '../protocol/events.ts';
import type { PendingQuestion } from '../protocol/questions.ts';
import { decisionIn } from '../protocol/tools/permissions.ts';
import { printable } from '../util/text/printable.ts';
import { NotTakenError } from './errors.ts';
import type { Reprise } from './reprise.ts';
import type { ResearchRun, Run } from './run.ts';
import { ifAnswered } from './snapshot.ts';

// What a run takes of a person, checked before it is sent: the rules of the command line and of the HTTP server.

/** What a person means: it waits, has closed, or could not be looked up. */
export interface Meant {
  questionId: string;
  /** Absent where it has closed, or could not be looked up. */
  pending?: PendingQuestion;
  /** Whether no worker could say anything about it. */
  isUnchecked?: boolean;
}

/**
 * The question that a person means: without a name the only one that waits, or else the only other thing. Where no worker can
 * tell, what is named is taken as it is.
 *
 * @param naming how it is named where it is asked for, such as `--question` of a command
 * @throws `NotTakenError`
 */
export const meantQuestion = (reprise: Reprise, run: Run, named: string | undefined, naming: string): Promise<Meant> =>
  lookUp(reprise, run, named, `its question cannot be looked up; name it with ${naming}`, async () => {
    const pending = await run.pendingQuestions();
    const asked = pending.filter(({ kind }) => kind === 'question');
    const several = `Several questions of ${run.id} wait; name one with ${naming}`;
    const found = chosenOf(pending, asked.length > 0 ? asked : pending, named, several);
    if (found !== undefined) return found;
    const closed = (await run.events()).filter((event) => event.type === 'question_closed');
    if (named === undefined) throw new NotTakenError('closed', noneFound(run.id, closed.at(-1), naming));
    const last = closed.find(({ questionId }) => questionId === named);
    if (last === undefined) throw unknownError(`${run.id} has no question ${named}`, pending);
    if (last.how === 'answered') throw new NotTakenError('closed', answeredText(last));
    return { questionId: last.questionId };
  });

/** The tool call that a person means, as of `meantQuestion`. @throws `NotTakenError` */
export const meantCall = (reprise: Reprise, run: Run, named: string | undefined): Promise<Meant> =>
  lookUp(reprise, run, named, 'its call cannot be looked up; name it', async () => {
    const pending = (await run.pendingQuestions()).filter(({ kind }) => kind === 'tool');
    const found = chosenOf(pending, pending, named, `Several tool calls of ${run.id} wait for approval; name one`);
    if (found !== undefined) return found;
    if (named === undefined) throw new NotTakenError('closed', `No tool call of ${run.id} waits for approval`);
    const resolved = (await run.events()).filter((event) => event.type === 'approval_resolved');
    const ended = resolved.find(({ questionId }) => questionId === named);
    if (ended !== undefined) throw new NotTakenError('closed', resolvedText(ended));
    throw unknownError(`${run.id} has no tool call ${named} that waits for approval`, pending);
  });

async function lookUp(
  { client }: Reprise,
  run: Run,
  named: string | undefined,
  unknown: string,
  find: () => Promise<Meant>,
): Promise<Meant> {
  const found = await patiently(client, find);
  if (found !== undefined) return found;
  if (named !== undefined) return { questionId: named, isUnchecked: true };
  throw new NotTakenError('away', `No worker answers for ${run.id}, so that ${unknown}`);
}

/**
 * Refuses an answer to what is none of an agent's questions, before anything is sent: what is typed for a key may be the key.
 * And one that skips what has closed.
 *
 * @param answer undefined where the person is to be prompted
 * @param ways how it is settled instead, in lines
 * @throws `NotTakenError`
 */
export function assertAnswers(
  { isUnchecked, pending, questionId }: Meant,
  answer: string | undefined,
  run: Run,
  ways: (pending: PendingQuestion) => string[],
): void {
  if (pending === undefined) {
    if (isUnchecked || answer !== '') return;
    throw new NotTakenError('closed', `Question ${questionId} has closed: there is nothing to skip`);
  }
  const { from, kind, question, tool } = pending;
  if (kind === 'question' || (kind === 'key' && answer === '')) return;
  if (kind === 'tool' && answer !== undefined && (answer === '' || decisionIn(answer) !== undefined)) return;
  const what = {
    question: '',
    key: `it ${question} (${from})`,
    tool: `${from} waits for approval to run ${tool}`,
    approval: `${from} waits for a decision`,
  }[kind];
  const lines = [printable(`${run.id} asks no question: ${what}`), ...ways(pending).map((line) => `  ${line}`)];
  throw new NotTakenError('wrong', lines.join('\n'));
}

/** Finds a run to restart. @throws `RunNotOpenError`; `NotTakenError` where its type has no restarts */
export async function restartable(reprise: Reprise, id: string): Promise<Pick<ResearchRun, 'requestRestart'>> {
  const type = await reprise.getRun(id).openType();
  if (type === 'orchestration') return reprise.getOrchestration(id);
  if (type === 'research') return reprise.getResearch(id);
  const those = 'those that have are orchestration and research';
  throw new NotTakenError('wrong', `The run ${id} has nothing to restart: its type is ${type}; ${those}`);
}

/** Finds a run to decide about. @throws `RunNotOpenError`; `NotTakenError` where it is no research */
export async function decidable(reprise: Reprise, id: string): Promise<ResearchRun> {
  const run = reprise.getResearch(id);
  const type = await run.openType();
  if (type !== 'research') throw new NotTakenError('wrong', `The run ${id} is no research: its type is ${type}`);
  return run;
}

/** The one that is named, or else the only one of those to choose from. @throws `NotTakenError` if these are several */
function chosenOf(
  pending: PendingQuestion[],
  choices: PendingQuestion[],
  named: string | undefined,
  several: string,
): Meant | undefined {
  if (named === undefined && choices.length > 1) throw new NotTakenError('wrong', `${several}:\n${listOf(choices)}`);
  const found = named === undefined ? choices[0] : pending.find(({ questionId }) => questionId === named);
  return found && { questionId: found.questionId, pending: found };
}

const unknownError = (what: string, pending: PendingQuestion[]): NotTakenError =>
  new NotTakenError(
    'unknown',
    `${what}; ${pending.length === 0 ? 'none waits' : `those that wait:\n${listOf(pending)}`}`,
  );

const listOf = (pending: PendingQuestion[]): string =>
  pending.map(({ questionId, from, question }) => printable(`  ${questionId} (${from}): ${question}`)).join('\n');

type Closed = Extract<RunEvent, { type: 'question_closed' }>;

function noneFound(id: string, last: Closed | undefined, naming: string): string {
  if (last === undefined) return `${id} has not asked anything yet`;
  if (last.how === 'answered') return `No question of ${id} waits. ${answeredText(last)}`;
  return (
    `No question of ${id} waits. The last one, ${last.questionId}, has closed (${last.how}); ` +
    `an answer that names it still reaches those who ask next: ${naming} ${last.questionId}`
  );
}

const answeredText = ({ questionId, answer = '' }: Closed): string =>
  `Question ${questionId} was answered already: ${printable(answer)}`;

export const resolvedText = ({ how, questionId, tool }: Extract<RunEvent, { type: 'approval_resolved' }>): string =>
  printable(`${tool} (${questionId}) waits no longer: ${how}`);

/** In milliseconds. When a worker has just died, the server holds the first query for ten seconds, although another is there. */
const patience = 30_000;

/** Asks a run's worker something. @returns undefined where no worker answers @throws what the asking throws else */
async function patiently<T>(client: Reprise['client'], ask: () => Promise<T>): Promise<T | undefined> {
  const until = Date.now() + patience;
  for (;;) {
    const answer = await ifAnswered(client, until - Date.now(), ask);
    if (answer !== undefined || Date.now() >= until) return answer;
    // A worker that stands in for a dead one may take some seconds to begin.
    await pause(500);
  }
}
