import { AnswerTooLongError, type Run } from '../../client.ts';
import { assertAnswers, meantQuestion, type Meant } from '../../client/asked.ts';
import { maxAnswerChars } from '../../protocol/questions.ts';
import { open, withConnection } from '../connection.ts';
import { usageError } from '../exit.ts';
import type { CommonOptions } from '../options.ts';
import { answerCommand, promptText, waysToSettle } from '../questions/box.ts';
import { promptFor } from '../questions/one-request.ts';
import { readLine } from '../questions/read-line.ts';
import type { Shell } from '../shell.ts';
import { choices, isRun, runMeant } from '../which-run.ts';

interface AnswerOptions extends CommonOptions {
  question?: string;
  skip?: boolean;
}

/** `reprise answer [ID] [TEXT]`: answers a question. */
export async function answer(
  shell: Shell,
  id: string | undefined,
  words: string[],
  options: AnswerOptions,
): Promise<void> {
  const text = words.length > 0 ? words.join(' ') : undefined;
  const mayBeText = id !== undefined && text === undefined && !options.skip && !looksLikeId.test(id);
  const early = mayBeText ? undefined : await givenAnswer(shell, text, options.skip ?? false);
  await withConnection(open(shell, options), async ({ reprise }) => {
    const isText = mayBeText && !(isWord.test(id) && (await isRun(reprise, id)));
    const run = reprise.getRun(await runMeant(shell, reprise, isText ? undefined : id, choices.waiting));
    const given = mayBeText ? await givenAnswer(shell, isText ? id : undefined, false) : early;
    await run.assertOpen();
    const addressed = await meantQuestion(reprise, run, options.question, '--question');
    assertAnswers(addressed, given, run, (pending) =>
      waysToSettle({ workflowId: run.id, ...pending }, options.temporal),
    );
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
  const answer = await shell.said([text]);
  if (answer.trim() === '') throw usageError('The answer is empty; to skip the question use --skip');
  if (answer.length > maxAnswerChars) throw new AnswerTooLongError(answer.length);
  return answer;
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
