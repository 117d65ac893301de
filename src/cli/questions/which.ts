import type { PendingQuestion, Run, RunEvent } from '../../client.ts';
import { CommandError, usageError } from '../exit.ts';
import { harmless } from '../live/telling.ts';

type Closed = Extract<RunEvent, { type: 'question_closed' }>;

/** What an answer goes to: a question that waits, or one that has closed without an answer. */
export interface Addressed {
  questionId: string;
  /** Absent for one that has closed, or that could not be looked up. */
  pending?: PendingQuestion;
  isUnchecked?: boolean;
}

/**
 * Finds the question that a person means.
 *
 * @param named `--question`; absent: the one that waits
 * @throws `CommandError` that says why there is none, or which there are
 */
export async function findQuestion(run: Run, named: string | undefined): Promise<Addressed> {
  const pending = await run.pendingQuestions();
  const [only] = pending;
  if (named === undefined && pending.length > 1)
    throw usageError(`Several questions of ${run.id} wait; name one with --question:\n${listOf(pending)}`);
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
  `Question ${questionId} was answered already: ${harmless(answer)}`;

const listOf = (pending: PendingQuestion[]): string =>
  pending
    .map(({ questionId, from, question }) => harmless(`  ${questionId} (${from}): ${question}`))
    .join('\n');
