import { AnswerTooLongError, type PendingQuestion, type Run } from '../../client.ts';
import { assertAnswers, meantCall, meantQuestion, type Meant } from '../../client/asked.ts';
import { maxAnswerChars } from '../../protocol/questions.ts';
import type { ToolDecision } from '../../protocol/tools/permissions.ts';
import { printable } from '../../util/text/printable.ts';
import { open, withConnection } from '../connection.ts';
import { usageError } from '../exit.ts';
import type { CommonOptions } from '../options.ts';
import { answerCommand, approveCommand, promptText, waysToSettle } from '../questions/box.ts';
import { promptFor, readDecision } from '../questions/one-request.ts';
import { readLine } from '../questions/read-line.ts';
import type { Shell } from '../shell.ts';
import { choices, isRun, runMeant } from '../which-run.ts';

type AnswerOptions = CommonOptions & { question?: string; skip?: boolean };

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
    const run = reprise.getRun(await runMeant(shell, reprise, isText ? undefined : id, choices.asking));
    const given = mayBeText ? await givenAnswer(shell, isText ? id : undefined, false) : early;
    await run.assertOpen();
    const addressed = await meantQuestion(reprise, run, options.question, '--question');
    assertAnswers(addressed, given, run, (pending) =>
      waysToSettle({ workflowId: run.id, ...pending }, options.temporal),
    );
    const reply = given ?? (await promptForAnswer(shell, run, addressed, options));
    await run.answer({ questionId: addressed.questionId, answer: reply });
    shell.say(answerSent(run.id, addressed, reply));
  });
}

/** What is taken for an id that Reprise has made, or for its beginning, and for an answer only behind an id. */
const looksLikeId = /^(?:ask|chat|research|solve)-\S+$/;

/** What may be any other id. An answer such as `a` is none, although the ids of most runs begin with it. */
const isWord = /^\S{1,100}$/;

/** Empty to skip, undefined where the terminal must prompt. @throws `CommandError`, status 2; `AnswerTooLongError` */
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

async function promptForAnswer(shell: Shell, run: Run, meant: Meant, options: AnswerOptions): Promise<string> {
  const { pending, questionId } = meant;
  if (pending === undefined) throw usageError('Nobody waits for this answer at present; give it as TEXT');
  const command = answerCommand({ workflowId: run.id, questionId }, options.temporal);
  const words = {
    left: `The question still waits: ${command} "…"`,
    name: `Question ${questionId}`,
    plain: options.plain,
  };
  const { text } = await promptFor(shell, run, pending, words, (withdrawn) =>
    readLine(shell, promptText, { withdrawn }),
  );
  return text.trim();
}

function answerSent(id: string, { questionId, pending, isUnchecked }: Meant, reply: string): string {
  if (isUnchecked) return `Sent to ${id}, for question ${questionId}: no worker answers at present`;
  if (reply === '') return `Question ${questionId} of ${id} is skipped`;
  if (pending === undefined)
    return `Sent to ${id}. Question ${questionId} has closed; the answer is kept for those who ask next`;
  return `Answer to question ${questionId} of ${id} sent`;
}

interface ApproveOptions extends CommonOptions {
  allow?: boolean;
  /** The reason, or true where none is given. */
  deny?: string | true;
  edit?: string;
  always?: boolean;
}

type Given = Omit<ToolDecision, 'id'>;

export async function approve(
  shell: Shell,
  id: string | undefined,
  named: string | undefined,
  options: ApproveOptions,
): Promise<void> {
  const given = await givenDecision(shell, options);
  await withConnection(open(shell, options), async ({ reprise }) => {
    const run = reprise.getRun(await runMeant(shell, reprise, id, choices.calling));
    await run.assertOpen();
    const meant = await meantCall(reprise, run, named);
    if (options.edit !== undefined) await checkedEdit(options.edit, meant.pending);
    const decision = given ? { id: meant.questionId, ...given } : await promptForDecision(shell, run, meant, options);
    await run.approve(decision);
    shell.say(decisionSent(run.id, decision, meant));
  });
}

/** @returns undefined where the terminal must prompt @throws `CommandError`, status 2 */
async function givenDecision(shell: Shell, { allow, always, deny, edit }: ApproveOptions): Promise<Given | undefined> {
  const chosen = [allow, deny, edit].filter((each) => each !== undefined);
  if (chosen.length > 1) throw usageError('--allow, --deny and --edit exclude each other');
  if (edit !== undefined) {
    if (always) throw usageError('--edit is about one call; --always goes with --allow or --deny');
    return { action: 'edit', arguments: await checkedEdit(edit) };
  }
  if (deny !== undefined)
    return { action: 'deny', ...(deny !== true && { reason: deny }), ...(always && { always: true }) };
  if (allow || always) return { action: 'allow', ...(always && { always: true }) };
  if (shell.canPrompt) return undefined;
  throw usageError('What is decided? Give --allow, --always, --deny [REASON] or --edit JSON');
}

/** The arguments of `--edit`. @param asked what they are for, if that is known @throws `CommandError`, status 2 */
async function checkedEdit(edit: string, asked?: PendingQuestion): Promise<Record<string, unknown>> {
  const { editedArguments } = await import('../../client/edited.ts');
  const edited = editedArguments(edit, asked);
  if (typeof edited === 'string') throw usageError(`--edit: ${edited}`);
  return edited;
}

async function promptForDecision(shell: Shell, run: Run, meant: Meant, options: ApproveOptions): Promise<ToolDecision> {
  const { pending, questionId } = meant;
  if (pending === undefined) throw usageError('No worker tells what waits; give the decision as an option');
  const waiting = { workflowId: run.id, ...pending };
  const left = `The call still waits: ${approveCommand(waiting, options.temporal)} --allow`;
  const words = { left, name: questionId, plain: options.plain };
  const { decision } = await promptFor(shell, run, pending, words, (withdrawn) =>
    readDecision(shell, waiting, withdrawn),
  );
  return decision;
}

const decisionSent = (id: string, { action, always, id: call }: ToolDecision, { pending }: Meant): string => {
  const what = { allow: 'allowed', deny: 'denied', edit: 'allowed with these arguments' }[action];
  const tool = pending === undefined ? '' : ` (${pending.tool})`;
  const unheard = pending === undefined ? ': no worker answers at present' : '';
  return printable(`Sent to ${id}: ${call}${tool} is ${what}${always ? ', for all of this run' : ''}${unheard}`);
};
