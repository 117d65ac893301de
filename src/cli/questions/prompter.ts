import type { InboxQuestion, Run, RunEvent } from '../../client.ts';
import { reasonOf } from '../failures.ts';
import { printable } from '../../util/text/printable.ts';
import type { View } from '../live/view.ts';
import type { FollowOptions } from '../options.ts';
import type { Shell } from '../shell.ts';
import { answerCommand, approveCommand, noticeBox, promptBox, promptText } from './box.ts';
import { readDecision, type Decided } from './approval.ts';
import { notify } from './notify.ts';
import { resolvedText } from '../../client/asked.ts';
import { isClosing } from './one-request.ts';
import { discardTyped, readLine, type Entered } from './read-line.ts';

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
  /** Those that the person has left with Ctrl-D, to which the key `a` comes back. */
  readonly #left = new Map<string, InboxQuestion>();
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

  /** @param isOpen whether the run goes on, so that somebody waits for what it has asked */
  see(events: RunEvent[], isOpen: boolean): void {
    const asked = new Map<string, InboxQuestion>();
    for (const event of events) {
      if (isAsking(event)) asked.set(event.questionId, questionIn(this.#run.id, event));
      if (!isClosing(event)) continue;
      asked.delete(event.questionId);
      this.#waiting.delete(event.questionId);
      this.#left.delete(event.questionId);
      if (this.#prompted?.questionId !== event.questionId) continue;
      this.#prompted.withdraw.abort(
        event.type === 'approval_resolved' ? resolvedText(event) : closedText(event, this.#command(event.questionId)),
      );
    }
    if (isOpen) for (const question of asked.values()) this.#take(question);
    void this.#promptNext();
  }

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
    if (question === undefined) return;
    await this.#hold(async (withdrawn) => {
      this.#shell.tell(`\n${promptBox(this.#shell, question, this.#options.plain ?? false)}`);
      const { interrupted } = await discardTyped(this.#shell);
      const entered = interrupted
        ? { kind: 'interrupt' as const }
        : question.kind === 'tool'
          ? await readDecision(this.#shell, question, withdrawn)
          : await readLine(this.#shell, promptText, { withdrawn });
      return this.#act(question, entered, String(withdrawn.reason));
    }, question.questionId);
  }

  again(): void {
    for (const [id, question] of this.#left) this.#waiting.set(id, question);
    this.#left.clear();
    if (this.#waiting.size === 0) this.#view.say('Nobody waits for an answer at present');
    void this.#promptNext();
  }

  /** Asks for what a restart needs, and requests it. */
  async restart(requestRestart: (reason: string, instructions: string) => Promise<void>): Promise<void> {
    await this.#hold(async (withdrawn) => {
      const given: string[] = [];
      for (const prompt of ['\nWhy should it start over? ', 'What should be done otherwise? ']) {
        const entered = await readLine(this.#shell, prompt, { withdrawn });
        if (entered.kind === 'interrupt') this.#leave();
        if (entered.kind === 'interrupt' || entered.kind === 'withdrawn') return undefined;
        if (entered.kind === 'end' || entered.text.trim() === '') return 'No restart: both are needed';
        given.push(entered.text.trim());
      }
      const [reason = '', instructions = ''] = given;
      try {
        await requestRestart(reason, instructions);
        return 'Restart requested';
      } catch (error) {
        return `The restart was not requested: ${reasonOf(error)}`;
      }
    });
  }

  /** Gives the terminal to a prompt, of a question if any, and tells what has come of it, unless there is another. */
  async #hold(prompt: (withdrawn: AbortSignal) => Promise<string | undefined>, questionId = ''): Promise<void> {
    if (this.isPrompting || this.#closed) return;
    const withdraw = new AbortController();
    this.#prompted = { questionId, withdraw };
    this.#view.pause();
    const outcome = await prompt(withdraw.signal);
    this.#prompted = undefined;
    if (outcome !== undefined && !this.#closed) this.#view.say(outcome);
    else if (outcome !== undefined) this.#shell.say(outcome);
    await this.#promptNext();
  }

  /** Does what the person has entered. @returns what to tell the person, if anything */
  async #act(question: InboxQuestion, entered: Entered | Decided, whyWithdrawn: string): Promise<string | undefined> {
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
        this.#left.set(questionId, question);
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

  #command = (questionId: string): string =>
    answerCommand({ workflowId: this.#run.id, questionId }, this.#options.temporal);
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
    timeout: `Time is up: no answer to question ${questionId}. A late one still counts: ${command} "…"`,
    withdrawn: `Nobody waits for an answer to question ${questionId} any more`,
  }[how];
}
