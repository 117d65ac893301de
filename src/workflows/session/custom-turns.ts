import { ApplicationFailure, isCancellation, proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/activities.ts';
import { Agent } from '../agent/agent.ts';
import { CustomTurn } from '../custom-code/custom-turn.ts';
import { isBudgetSpent } from '../agent/failures.ts';
import { Hands } from '../agent/agent-tools.ts';
import { loadOrchestrator } from '../custom-code/load.ts';
import { Toolbox } from '../agent/tool-executor.ts';
import type { OneAgent } from '../../config/one-agent.ts';
import type { OrchestratorSettings } from '../../config/orchestrators.ts';
import type { AgentState } from '../../protocol/events.ts';
import type { TranscriptRef } from '../../protocol/message.ts';
import type { EarlierMessage } from '../../protocol/orchestration.ts';
import type { HandleText } from '../../protocol/custom-orchestrator.ts';
import type { PreparedAgent } from '../../protocol/session.ts';
import { askingTools } from '../orchestration/tools.ts';
import { callTimeout } from './agent-turns.ts';
import { answerOf, failureOf } from '../custom-code/ending.ts';
import type { Partner, SessionRecord, TurnOutcome } from './conversation.ts';
import { askingOf, openOffice, type Office } from '../runtime/run-context.ts';
import { viewOfOne } from '../orchestration/view.ts';
import type { Surface } from '../runtime/run-handlers.ts';
import { withinTime } from '../runtime/time-limit.ts';
import { watched } from '../custom-code/guard.ts';

const { findOrchestrator, putMessages, readMessages, readTools } = proxyLocalActivities<Activities>({
  startToCloseTimeout: '30 seconds',
});

/** Time that a turn has where the budget says nothing else, in milliseconds. */
const turnTimeout = 1_800_000;

type Settings = Extract<OrchestratorSettings, { kind: 'custom' }>;

interface Opened {
  office: Office;
  agent: OneAgent;
  settings: Settings;
  handleText: HandleText;
  toolbox: Toolbox;
  said: TranscriptRef | null;
  history: EarlierMessage[];
}

/** Converses by a file of the user's own, which knows of each turn what was said in the earlier ones. */
export class CustomPartner implements Partner<TranscriptRef | null> {
  readonly office: Office;
  said: TranscriptRef | null;
  readonly #opened: Opened;
  readonly #history: EarlierMessage[];
  #turn: CustomTurn | undefined;
  #state: AgentState = 'waiting';
  #turns = 0;

  private constructor(opened: Opened, surface: Surface) {
    this.office = opened.office;
    this.said = opened.said;
    this.#opened = opened;
    this.#history = opened.history;
    surface.show(
      viewOfOne(
        opened.agent.id,
        () => ({ state: this.#state, turns: this.#turns, usage: this.office.ledger.usage }),
        () => this.#turn?.transcript ?? null,
      ),
    );
  }

  /**
   * @param said the conversation before this run of the session
   * @throws `ApplicationFailure` of type `InvalidInput` where this worker cannot run the file
   */
  static async open(
    { agent, prices }: PreparedAgent,
    settings: Settings,
    said: TranscriptRef | null,
    surface: Surface,
    earlier: SessionRecord | undefined,
  ): Promise<CustomPartner> {
    const handleText = await loadOrInvalid(settings.module);
    const { budget, coordination } = agent;
    const office = openOffice({ budget, prices, coordination, agents: 1 }, surface, earlier ?? {});
    const asking = askingOf(coordination, 1);
    const own = asking === undefined ? [] : askingTools(asking.mode);
    const toolbox = await Toolbox.open(agent.id, agent.tools, own, surface.events.emit.bind(surface.events));
    const history = said === null ? [] : await readMessages(said);
    return new CustomPartner({ office, agent, settings, handleText, toolbox, said, history }, surface);
  }

  /** @throws `ApplicationFailure` of type `OrchestratorFailed` that names the file, or `TurnFailed` where the model failed */
  async take(text: string, turn: number): Promise<TurnOutcome> {
    const { agent, handleText, settings } = this.#opened;
    const messages: string[] = [];
    const say = (said: string, last = false): void => {
      messages.push(said);
      this.office.events.emit({ type: 'says', agent: agent.id, text: said, last });
    };
    const work = this.#work(turn, (said) => say(said));
    this.#turn = work;
    this.#turns = turn;
    this.#state = 'answering';
    let answer: string;
    let outcome: TurnOutcome['outcome'] = 'answered';
    try {
      const limit = agent.budget?.seconds === undefined ? turnTimeout : agent.budget.seconds * 1000;
      const returned = await watched(settings.module, () =>
        withinTime(limit, async () => handleText(text, work.context)),
      );
      answer = answerOf(returned, work, settings.module);
    } catch (error) {
      if (isCancellation(error)) throw error;
      if (!isBudgetSpent(error)) throw failureOf(error, settings.module);
      this.office.events.emit({ type: 'stopped', why: 'budget' });
      answer = work.lastSaid ?? (work.lastWords || `(No answer yet. ${error.message}.)`);
      outcome = 'budget';
    } finally {
      work.end();
      this.#state = 'waiting';
    }
    if (messages.at(-1) !== answer) say(answer, true);
    await this.#keep(text, answer);
    this.office.events.emit({ type: 'final', outcome, agent: agent.id, answer });
    return { answer, messages, outcome };
  }

  #work(turn: number, say: (text: string) => void): CustomTurn {
    const { agent, office, settings, toolbox } = this.#opened;
    const { id, backend } = agent;
    const persona = { id, text: undefined, backend };
    const when = `turn ${turn}`;
    // Who asks a person asks as an agent; its conversation is empty, since the file's own calls are conversations.
    const asker = new Agent(persona, office.caller, { system: '', transcript: null, messages: [] });
    const hands = new Hands(toolbox, office.broadcast, { id, agent: asker, conversation: id, asking: 0 });
    return new CustomTurn({
      persona,
      caller: office.caller,
      tools: toolbox.set,
      listTools: () => readTools(toolbox.set),
      run: (call) => hands.run(call, when),
      say,
      history: this.#history,
      config: settings.config,
      when,
      timeout: callTimeout,
    });
  }

  async #keep(text: string, answer: string): Promise<void> {
    const said: EarlierMessage[] = [
      { role: 'user', content: text },
      { role: 'assistant', content: answer },
    ];
    this.said = await putMessages(this.said, said);
    this.#history.push(...said);
  }
}

/** @throws `ApplicationFailure`: what the file throws when it is run, or `InvalidInput` where this worker does not run it */
export async function loadOrInvalid(file: string): Promise<HandleText> {
  let handleText: HandleText | undefined;
  try {
    handleText = await watched(file, () => loadOrchestrator(file));
  } catch (error) {
    throw failureOf(error, file);
  }
  if (handleText !== undefined) return handleText;
  throw ApplicationFailure.nonRetryable(await findOrchestrator(file), 'InvalidInput');
}
