import type { InboxQuestion, Run, RunEvent } from '../../client.ts';
import { reasonOf } from '../failures.ts';
import { printable } from '../../util/text/printable.ts';
import type { View } from '../live/view.ts';
import type { FollowOptions } from '../options.ts';
import type { Shell } from '../shell.ts';
import { answerCommand, approveCommand, noticeBox, promptBox, promptText } from './box.ts';
import { readDecision, resolvedText, type Decided } from './approval.ts';
import { notify } from './notify.ts';
import { isClosing } from './one-request.ts';
import { discardTyped, readLine } from './read-line.ts';

type QuestionClosed = Extract<RunEvent, { type: 'question_closed' }>;

/** Puts the questions of a followed run to the person at this terminal, one after the other. */
export class QuestionPrompter {
  readonly #shell: Shell;
  readonly #run: Run;
  readonly #options: FollowOptions;
  readonly #view: View;
  readonly #leave: () => void;
  readonly #prompts: boolean;
  /** Questions that wait and that the person has neither answered nor left, by their ids, in the order of asking. */
  readonly #waiting = new Map<string, InboxQuestion>();
  #prompted: { questionId: string; withdraw: AbortController } | undefined;
  #closed = false;

  /** @param leave what Ctrl-C does */
  constructor(shell: Shell, run: Run, options: FollowOptions, view: View, leave: () => void) {
    this.#shell = shell;
    this.#run = run;
    this.#options = options;
    this.#view = view;
    this.#leave = leave;
    this.#prompts = shell.canPrompt && !options.json;
  }

  /** Whether a prompt has the terminal at this moment, so that nothing else may be written. */
  get isPrompting(): boolean {
    return this.#prompted !== undefined;
  }

  /** Takes note of new events: of questions that were asked, and of those that have closed. */
  see(events: RunEvent[]): void {
    const asked = new Map<string, InboxQuestion>();
    for (const event of events) {
      if (event.type === 'question' || event.type === 'approval_requested')
        asked.set(event.questionId, questionIn(this.#run.id, event));
      if (!isClosing(event)) continue;
      asked.delete(event.questionId);
      this.#waiting.delete(event.questionId);
      if (this.#prompted?.questionId !== event.questionId) continue;
      this.#prompted.withdraw.abort(
        event.type === 'approval_resolved' ? resolvedText(event) : closedText(event, this.#command(event.questionId)),
      );
    }
    for (const question of asked.values()) this.#take(question);
    void this.#promptNext();
  }

  /** Removes the prompt, if there is one; the run has ended, or the person leaves. */
  close(): void {
    this.#closed = true;
    this.#prompted?.withdraw.abort('The run waits no longer');
  }

  #take(question: InboxQuestion): void {
    const { notify: command, plain = false, temporal } = this.#options;
    if (command !== undefined)
      notify(this.#shell, command, question, (text) =>
        this.isPrompting ? this.#shell.say(`\n${text}`) : this.#view.say(text),
      );
    if (this.#prompts) this.#waiting.set(question.questionId, question);
    else this.#view.print(noticeBox(this.#shell, question, plain, temporal));
  }

  async #promptNext(): Promise<void> {
    const [question] = this.#waiting.values();
    if (question === undefined || this.isPrompting || this.#closed) return;
    const withdraw = new AbortController();
    this.#prompted = { questionId: question.questionId, withdraw };
    this.#view.pause();
    this.#shell.say(`\n${promptBox(this.#shell, question, this.#options.plain ?? false)}`);
    const { interrupted } = await discardTyped(this.#shell);
    const entered = interrupted
      ? { kind: 'interrupt' as const }
      : question.kind === 'tool'
        ? await readDecision(this.#shell, question, withdraw.signal)
        : await readLine(this.#shell, promptText, { withdrawn: withdraw.signal });
    const outcome = await this.#act(question, entered, String(withdraw.signal.reason));
    this.#prompted = undefined;
    if (outcome !== undefined && !this.#closed) this.#view.say(outcome);
    else if (outcome !== undefined) this.#shell.say(outcome);
    await this.#promptNext();
  }

  /** Does what the person has entered. @returns what to tell the person, if anything */
  async #act(
    question: InboxQuestion,
    entered: Awaited<ReturnType<typeof readLine>> | Decided,
    whyWithdrawn: string,
  ): Promise<string | undefined> {
    const { kind, questionId } = question;
    switch (entered.kind) {
      case 'interrupt':
        this.#waiting.delete(questionId);
        this.#leave();
        return undefined;
      case 'withdrawn':
        return whyWithdrawn;
      case 'end':
        this.#waiting.delete(questionId);
        return kind === 'tool'
          ? `The call still waits; decide about it with: ${approveCommand(question, this.#options.temporal)} --allow`
          : `The question still waits; answer it with: ${this.#command(questionId)} "…"`;
      case 'line':
      case 'decision':
        try {
          if (entered.kind === 'decision') await this.#run.approve(entered.decision);
          else await this.#run.answer({ questionId, answer: entered.text.trim() });
          this.#waiting.delete(questionId);
          return undefined;
        } catch (error) {
          return `The ${entered.kind === 'decision' ? 'decision' : 'answer'} was not sent: ${reasonOf(error)}`;
        }
    }
  }

  #command(questionId: string): string {
    return answerCommand({ workflowId: this.#run.id, questionId }, this.#options.temporal);
  }
}

/** What an event says that the person is asked. */
function questionIn(
  workflowId: string,
  event: Extract<RunEvent, { type: 'question' | 'approval_requested' }>,
): InboxQuestion {
  const { arguments: given = '', askedAt, expiresAt, from, kind, parameters, question, questionId, tool } = event;
  const asked = { workflowId, kind, questionId, from, question, askedAt, expiresAt };
  return tool === undefined ? asked : { ...asked, tool, arguments: given, ...(parameters && { parameters }) };
}

/** @param command the command that answers the question */
function closedText({ questionId, how, answer = '' }: QuestionClosed, command: string): string {
  return {
    answered: `Question ${questionId} was answered elsewhere: ${printable(answer)}`,
    skipped: `Question ${questionId} was skipped elsewhere`,
    timeout: `Time is up: no answer to question ${questionId}. A late one still counts: ${command} "…"`,
    withdrawn: `Nobody waits for an answer to question ${questionId} any more`,
  }[how];
}
