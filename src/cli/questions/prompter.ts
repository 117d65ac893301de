import type { InboxQuestion, Run, RunEvent } from '../../client.ts';
import { reasonOf } from '../failures.ts';
import { printable } from '../../util/text/printable.ts';
import type { View } from '../live/view.ts';
import type { FollowOptions } from '../options.ts';
import type { Shell } from '../shell.ts';
import { answerCommand, approveCommand, noticeBox, promptBox, promptText } from './box.ts';
import { notify } from './notify.ts';
import { resolvedText } from '../../client/asked.ts';
import { isClosing, readDecision, type Decided } from './one-request.ts';
import { discardTyped, readLine, type Entered } from './read-line.ts';

/** Puts the questions of a followed run to the person at this terminal, one after the other. */
export function promptsFor(shell: Shell, run: Run, options: FollowOptions, view: View, leave: () => void) {
  const { json, notify: command, plain = false, temporal } = options;
  const prompts = shell.canPrompt && !json;
  /** Questions that wait and that the person has neither answered nor left, by their ids, in the order of asking. */
  const waiting = new Map<string, InboxQuestion>();
  /** Those that the person has left with Ctrl-D, to which the key `a` comes back. */
  const left = new Map<string, InboxQuestion>();
  let prompted: { questionId: string; withdraw: AbortController } | undefined;
  let isClosed = false;

  const answerWith = (questionId: string): string =>
    `${answerCommand({ workflowId: run.id, questionId }, temporal)} "…"`;

  const take = (question: InboxQuestion): void => {
    if (command !== undefined)
      notify(shell, command, question, (text) => (prompted ? shell.say(`\n${text}`) : view.say(text)));
    if (prompts) waiting.set(question.questionId, question);
    else view.print(noticeBox(shell, question, plain, temporal));
  };

  /** Gives the terminal to a prompt, of a question if any, and tells what has come of it, unless there is another. */
  const hold = async (
    prompt: (withdrawn: AbortSignal) => Promise<string | undefined>,
    questionId = '',
  ): Promise<void> => {
    if (prompted !== undefined || isClosed) return;
    const withdraw = new AbortController();
    prompted = { questionId, withdraw };
    view.pause();
    const outcome = await prompt(withdraw.signal);
    prompted = undefined;
    if (outcome !== undefined) (isClosed ? shell : view).say(outcome);
    await promptNext();
  };

  const promptNext = async (): Promise<void> => {
    const [question] = waiting.values();
    if (question === undefined) return;
    await hold(async (withdrawn) => {
      shell.tell(`\n${promptBox(shell, question, plain)}`);
      if ((await discardTyped(shell)).interrupted) return act(question, { kind: 'interrupt' }, '');
      const entered =
        question.kind === 'tool'
          ? await readDecision(shell, question, withdrawn)
          : await readLine(shell, promptText, { withdrawn });
      return act(question, entered, String(withdrawn.reason));
    }, question.questionId);
  };

  /** Does what the person has entered. @returns what to tell the person, if anything */
  const act = async (
    question: InboxQuestion,
    entered: Entered | Decided,
    whyWithdrawn: string,
  ): Promise<string | undefined> => {
    const { kind, questionId } = question;
    if (entered.kind === 'withdrawn') return whyWithdrawn;
    if (entered.kind === 'interrupt') {
      waiting.delete(questionId);
      leave();
      return undefined;
    }
    if (entered.kind === 'end') {
      waiting.delete(questionId);
      left.set(questionId, question);
      return kind === 'tool'
        ? `The call still waits; decide about it with: ${approveCommand(question, temporal)} --allow`
        : `The question still waits; answer it with: ${answerWith(questionId)}`;
    }
    try {
      if (entered.kind === 'decision') await run.approve(entered.decision);
      else await run.answer({ questionId, answer: entered.text.trim() });
      waiting.delete(questionId);
      return undefined;
    } catch (error) {
      return `The ${entered.kind === 'decision' ? 'decision' : 'answer'} was not sent: ${reasonOf(error)}`;
    }
  };

  return {
    /** Whether a prompt has the terminal at this moment, so that nothing else may be written. */
    isPrompting: (): boolean => prompted !== undefined,

    /** @param isOpen whether the run goes on, so that somebody waits for what it has asked */
    see(events: RunEvent[], isOpen: boolean): void {
      const asked = new Map<string, InboxQuestion>();
      for (const event of events) {
        if (isAsking(event)) asked.set(event.questionId, questionIn(run.id, event));
        if (!isClosing(event)) continue;
        for (const each of [asked, waiting, left]) each.delete(event.questionId);
        if (prompted?.questionId !== event.questionId) continue;
        const isCall = event.type === 'approval_resolved';
        prompted.withdraw.abort(isCall ? resolvedText(event) : closedText(event, answerWith(event.questionId)));
      }
      if (isOpen) for (const question of asked.values()) take(question);
      void promptNext();
    },

    again(): void {
      for (const [id, question] of left) waiting.set(id, question);
      left.clear();
      if (waiting.size === 0) view.say('Nobody waits for an answer at present');
      void promptNext();
    },

    restart: (requestRestart: (reason: string, instructions: string) => Promise<void>): Promise<void> =>
      hold(async (withdrawn) => {
        const given: string[] = [];
        for (const prompt of ['\nWhy should it start over? ', 'What should be done otherwise? ']) {
          const entered = await readLine(shell, prompt, { withdrawn });
          if (entered.kind === 'interrupt') leave();
          if (entered.kind === 'interrupt' || entered.kind === 'withdrawn') return undefined;
          if (entered.kind === 'end' || entered.text.trim() === '') return 'No restart: both are needed';
          given.push(entered.text.trim());
        }
        const [reason = '', instructions = ''] = given;
        return requestRestart(reason, instructions).then(
          () => 'Restart requested',
          (error: unknown) => `The restart was not requested: ${reasonOf(error)}`,
        );
      }),

    close(): void {
      isClosed = true;
      prompted?.withdraw.abort('The run waits no longer');
    },
  };
}

type Asking = Extract<RunEvent, { type: 'question' | 'approval_requested' }>;

export const isAsking = (event: RunEvent): event is Asking =>
  event.type === 'question' || event.type === 'approval_requested';

function questionIn(workflowId: string, event: Asking): InboxQuestion {
  const { arguments: given = '', askedAt, expiresAt, from, kind, parameters, question, questionId, tool } = event;
  const asked = { workflowId, kind, questionId, from, question, askedAt, expiresAt };
  return tool === undefined ? asked : { ...asked, tool, arguments: given, ...(parameters && { parameters }) };
}

function closedText(
  { questionId, how, answer = '' }: Extract<RunEvent, { type: 'question_closed' }>,
  command: string,
): string {
  return {
    answered: `Question ${questionId} was answered elsewhere: ${printable(answer)}`,
    skipped: `Question ${questionId} was skipped elsewhere`,
    timeout: `Time is up: no answer to question ${questionId}. A late one still counts: ${command}`,
    withdrawn: `Nobody waits for an answer to question ${questionId} any more`,
  }[how];
}
