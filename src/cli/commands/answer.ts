import { text as textOf } from 'node:stream/consumers';
import { AnswerTooLongError, type PendingQuestion, type Reprise, type Run, type RunEvent } from '../../client.ts';
import { answerRoom } from '../../protocol/questions.ts';
import { open, withConnection } from '../connection.ts';
import { CommandError, Interruption, usageError } from '../exit.ts';
import type { CommonOptions } from '../options.ts';
import { answerCommand, promptBox, promptText } from '../questions/box.ts';
import { readLine } from '../questions/read-line.ts';
import { waysToSettle } from '../questions/ways-to-settle.ts';
import type { Shell } from '../shell.ts';
import { printable } from '../../util/printable.ts';
import { decisionIn } from '../../protocol/permissions.ts';
import { patiently } from './patiently.ts';

export interface AnswerOptions extends CommonOptions {
  question?: string;
  skip?: boolean;
}

/** `reprise answer ID [TEXT]`: answers a question. */
export async function answer(
  shell: Shell,
  id: string,
  text: string | undefined,
  options: AnswerOptions,
): Promise<void> {
  const given = await givenAnswer(shell, text, options.skip ?? false);
  await withConnection(open(shell, options), async ({ reprise }) => {
    const run = reprise.getRun(id);
    await run.assertOpen();
    const addressed = await address(reprise, run, options);
    refuseOtherKinds(addressed, given, run.id, options);
    if (addressed.pending === undefined && !addressed.isUnchecked && given === '')
      throw new CommandError(`Question ${addressed.questionId} has closed: there is nothing to skip`);
    const reply = given ?? (await prompt(shell, run, addressed.pending, options));
    await run.answer({ questionId: addressed.questionId, answer: reply });
    shell.say(sentText(run.id, addressed, reply));
  });
}

/**
 * The answer that the command line or standard input gives: empty to skip, undefined where the terminal must prompt.
 *
 * @throws `CommandError`, status 2; `AnswerTooLongError`
 */
async function givenAnswer(shell: Shell, text: string | undefined, skip: boolean): Promise<string | undefined> {
  if (skip && text !== undefined) throw usageError('TEXT and --skip exclude each other');
  if (skip) return '';
  if (text === undefined) {
    if (shell.canPrompt) return undefined;
    throw usageError('TEXT is missing; give the answer, - to read it from standard input, or --skip');
  }
  const answer = text === '-' ? (await textOf(shell.stdin)).trim() : text;
  if (answer.trim() === '') throw usageError('The answer is empty; to skip the question use --skip');
  if (answer.length > answerRoom) throw new AnswerTooLongError(answer.length);
  return answer;
}

/**
 * Refuses an answer to what is none of an agent's questions, before anything is sent: what is typed for a key may be the key.
 *
 * @param given undefined where the person is to be prompted
 * @throws `CommandError`, status 2, which says how it is settled instead
 */
function refuseOtherKinds(
  { pending }: Addressed,
  given: string | undefined,
  workflowId: string,
  { temporal }: AnswerOptions,
): void {
  if (pending === undefined || pending.kind === 'question' || (pending.kind === 'key' && given === '')) return;
  if (pending.kind === 'tool' && given !== undefined && (given === '' || decisionIn(given) !== undefined)) return;
  const what =
    pending.kind === 'key'
      ? `it ${pending.question} (${pending.from})`
      : pending.kind === 'tool'
        ? `${pending.from} waits for leave to run ${pending.tool}`
        : `${pending.from} waits for a decision`;
  const ways = waysToSettle({ workflowId, ...pending }, temporal).map((line) => `  ${line}`);
  throw usageError([printable(`${workflowId} asks no question: ${what}`), ...ways].join('\n'));
}

/** Finds the question that is meant. Where no worker can tell, one that is named is taken as it is. */
async function address({ client }: Reprise, run: Run, { question }: AnswerOptions): Promise<Addressed> {
  const found = await patiently(client, () => findQuestion(run, question));
  if (found !== undefined) return found;
  if (question !== undefined) return { questionId: question, isUnchecked: true };
  throw new CommandError(
    `No worker answers for ${run.id}, so that its question cannot be looked up; name it with --question`,
  );
}

async function prompt(
  shell: Shell,
  run: Run,
  question: PendingQuestion | undefined,
  { plain = false, temporal }: AnswerOptions,
): Promise<string> {
  if (question === undefined) throw usageError('Nobody waits for this answer at present; give it as TEXT');
  const { questionId } = question;
  const closed = new AbortController();
  shell.say(promptBox(shell, question, plain));
  const over = new AbortController();
  void untilClosed(run, questionId, over.signal).then(
    () => closed.abort(),
    // Where nobody can tell, the prompt stays until the person has answered.
    () => undefined,
  );
  const entered = await readLine(shell, promptText, { withdrawn: closed.signal }).finally(() => over.abort());
  if (entered.kind === 'line') return entered.text.trim();
  if (entered.kind === 'withdrawn') throw new CommandError(`Question ${questionId} waits no longer`);
  shell.say(`The question still waits: ${answerCommand({ workflowId: run.id, questionId }, temporal)} "…"`);
  throw new Interruption();
}

/** Waits until a question is closed, its run has ended, or nobody waits for that any more. */
async function untilClosed(run: Run, questionId: string, over: AbortSignal): Promise<void> {
  for await (const { events } of run.watch()) {
    if (over.aborted) return;
    if (events.some((event) => event.type === 'question_closed' && event.questionId === questionId)) return;
  }
}

function sentText(id: string, { questionId, pending, isUnchecked }: Addressed, reply: string): string {
  if (isUnchecked) return `Sent to ${id}, for question ${questionId}: no worker answers at present`;
  if (reply === '') return `Question ${questionId} of ${id} is skipped`;
  if (pending === undefined)
    return `Sent to ${id}. Question ${questionId} has closed; the answer is kept for those who ask next`;
  return `Answer to question ${questionId} of ${id} sent`;
}

type Closed = Extract<RunEvent, { type: 'question_closed' }>;

/** The question that an answer goes to: it waits, or has closed without an answer. */
interface Addressed {
  questionId: string;
  /** Absent where the question has closed, or could not be looked up. */
  pending?: PendingQuestion;
  /** Whether no worker could say anything about the question. */
  isUnchecked?: boolean;
}

/**
 * Finds the question that a person means.
 *
 * @param named the id from `--question`; when undefined, the only question that waits is meant, or else the only other thing
 * @throws `CommandError`, which says why there is no such question, or which questions there are to choose from
 */
async function findQuestion(run: Run, named: string | undefined): Promise<Addressed> {
  const pending = await run.pendingQuestions();
  const asked = pending.filter(({ kind }) => kind === 'question');
  const choices = asked.length > 0 ? asked : pending;
  const [only] = choices;
  if (named === undefined && choices.length > 1)
    throw usageError(`Several questions of ${run.id} wait; name one with --question:\n${listOf(choices)}`);
  const found = named === undefined ? only : pending.find(({ questionId }) => questionId === named);
  if (found !== undefined) return { questionId: found.questionId, pending: found };

  const closed = (await run.events()).filter((event) => event.type === 'question_closed');
  const last = named === undefined ? closed.at(-1) : closed.find(({ questionId }) => questionId === named);
  if (named === undefined || last === undefined) throw noneFound(run.id, named, last, pending);
  if (last.how === 'answered') throw new CommandError(answeredText(last));
  return { questionId: last.questionId };
}

function noneFound(
  id: string,
  named: string | undefined,
  last: Closed | undefined,
  pending: PendingQuestion[],
): CommandError {
  if (named !== undefined) {
    const choices = pending.length === 0 ? 'none waits' : `those that wait:\n${listOf(pending)}`;
    return new CommandError(`${id} has no question ${named}; ${choices}`);
  }
  if (last === undefined) return new CommandError(`${id} has not asked anything yet`);
  if (last.how === 'answered') return new CommandError(`No question of ${id} waits. ${answeredText(last)}`);
  return new CommandError(
    `No question of ${id} waits. The last one, ${last.questionId}, has closed (${last.how}); ` +
      `an answer that names it still reaches those who ask next: --question ${last.questionId}`,
  );
}

const answeredText = ({ questionId, answer = '' }: Closed): string =>
  `Question ${questionId} was answered already: ${printable(answer)}`;

const listOf = (pending: PendingQuestion[]): string =>
  pending.map(({ questionId, from, question }) => printable(`  ${questionId} (${from}): ${question}`)).join('\n');
