import { text as textOf } from 'node:stream/consumers';
import { AnswerTooLongError, type Run, type RunEvent } from '../../client.ts';
import { answerRoom } from '../../protocol/questions.ts';
import { open, withConnection } from '../connection.ts';
import { CommandError, usageError } from '../exit.ts';
import type { CommonOptions } from '../options.ts';
import { answerCommand, promptText } from '../questions/box.ts';
import { chosenOf, lookUp, promptFor, unknownText, type Meant } from '../questions/one-request.ts';
import { readLine } from '../questions/read-line.ts';
import { waysToSettle } from '../questions/ways-to-settle.ts';
import type { Shell } from '../shell.ts';
import { choices, isRun, runMeant } from '../which-run.ts';
import { printable } from '../../util/text/printable.ts';
import { decisionIn } from '../../protocol/tools/permissions.ts';

export interface AnswerOptions extends CommonOptions {
  question?: string;
  skip?: boolean;
}

/** `reprise answer [ID] [TEXT]`: answers a question. */
export async function answer(
  shell: Shell,
  id: string | undefined,
  text: string | undefined,
  options: AnswerOptions,
): Promise<void> {
  const mayBeText = id !== undefined && text === undefined && !options.skip && !looksLikeId.test(id);
  const early = mayBeText ? undefined : await givenAnswer(shell, text, options.skip ?? false);
  await withConnection(open(shell, options), async ({ reprise }) => {
    const isText = mayBeText && !(isWord.test(id) && (await isRun(reprise, id)));
    const run = reprise.getRun(await runMeant(shell, reprise, isText ? undefined : id, choices.waiting));
    const given = mayBeText ? await givenAnswer(shell, isText ? id : undefined, false) : early;
    await run.assertOpen();
    const unknown = 'its question cannot be looked up; name it with --question';
    const addressed = await lookUp(reprise, run, options.question, unknown, findQuestion);
    refuseOtherKinds(addressed, given, run.id, options);
    if (addressed.pending === undefined && !addressed.isUnchecked && given === '')
      throw new CommandError(`Question ${addressed.questionId} has closed: there is nothing to skip`);
    const reply = given ?? (await prompt(shell, run, addressed, options));
    await run.answer({ questionId: addressed.questionId, answer: reply });
    shell.say(sentText(run.id, addressed, reply));
  });
}

/** What is taken for an id that Reprise has made, or for its beginning, and for an answer only behind an id. */
const looksLikeId = /^(?:ask|chat|research|solve)-\S+$/;

/** What may be any other id. An answer such as `a` is none, although the ids of most runs begin with it. */
const isWord = /^\S{1,100}$/;

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
  { pending }: Meant,
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

async function prompt(
  shell: Shell,
  run: Run,
  { pending, questionId }: Meant,
  { plain, temporal }: AnswerOptions,
): Promise<string> {
  if (pending === undefined) throw usageError('Nobody waits for this answer at present; give it as TEXT');
  const left = `The question still waits: ${answerCommand({ workflowId: run.id, questionId }, temporal)} "…"`;
  const { text } = await promptFor(shell, run, pending, { left, name: `Question ${questionId}`, plain }, (withdrawn) =>
    readLine(shell, promptText, { withdrawn }),
  );
  return text.trim();
}

function sentText(id: string, { questionId, pending, isUnchecked }: Meant, reply: string): string {
  if (isUnchecked) return `Sent to ${id}, for question ${questionId}: no worker answers at present`;
  if (reply === '') return `Question ${questionId} of ${id} is skipped`;
  if (pending === undefined)
    return `Sent to ${id}. Question ${questionId} has closed; the answer is kept for those who ask next`;
  return `Answer to question ${questionId} of ${id} sent`;
}

type Closed = Extract<RunEvent, { type: 'question_closed' }>;

/**
 * Finds the question that a person means.
 *
 * @param named the id from `--question`; when undefined, the only question that waits is meant, or else the only other thing
 * @throws `CommandError`, which says why there is no such question, or which questions there are to choose from
 */
async function findQuestion(run: Run, named: string | undefined): Promise<Meant> {
  const pending = await run.pendingQuestions();
  const asked = pending.filter(({ kind }) => kind === 'question');
  const several = `Several questions of ${run.id} wait; name one with --question`;
  const found = chosenOf(pending, asked.length > 0 ? asked : pending, named, several);
  if (found !== undefined) return { questionId: found.questionId, pending: found };

  const closed = (await run.events()).filter((event) => event.type === 'question_closed');
  const last = named === undefined ? closed.at(-1) : closed.find(({ questionId }) => questionId === named);
  if (named === undefined) throw noneFound(run.id, last);
  if (last === undefined) throw new CommandError(unknownText(`${run.id} has no question ${named}`, pending));
  if (last.how === 'answered') throw new CommandError(answeredText(last));
  return { questionId: last.questionId };
}

function noneFound(id: string, last: Closed | undefined): CommandError {
  if (last === undefined) return new CommandError(`${id} has not asked anything yet`);
  if (last.how === 'answered') return new CommandError(`No question of ${id} waits. ${answeredText(last)}`);
  return new CommandError(
    `No question of ${id} waits. The last one, ${last.questionId}, has closed (${last.how}); ` +
      `an answer that names it still reaches those who ask next: --question ${last.questionId}`,
  );
}

const answeredText = ({ questionId, answer = '' }: Closed): string =>
  `Question ${questionId} was answered already: ${printable(answer)}`;
