import { defineQuery, defineSignal, setCurrentDetails, setHandler } from '@temporalio/workflow';
import type { TranscriptRef } from '../messages/message.ts';
import type { OrchestrationState, RestartRequest } from '../messages/state.ts';
import { detailsOf } from '../messages/details.ts';
import { EventLog } from './event-log.ts';
import type { Run } from './run.ts';

/** Query `state`: the run at a glance. */
export const stateQuery = defineQuery<OrchestrationState>('state');

/** Query `transcript`: an agent's conversation in the present attempt; null before its first reply. */
export const transcriptQuery = defineQuery<TranscriptRef | null, [agent: string]>('transcript');

/** Signal `requestRestart`: a person wants the team to start over. */
export const requestRestartSignal = defineSignal<[RestartRequest]>('requestRestart');

/** What an orchestration shows, and how a person steps in. */
export class OrchestrationSurface {
  readonly events: EventLog;
  #run: Run | undefined;
  #requested: RestartRequest | undefined;
  #restart: (request: RestartRequest) => void = (request) => (this.#requested = request);

  constructor() {
    this.events = new EventLog(() => setCurrentDetails(detailsOf(this.#state())));
    setHandler(stateQuery, () => this.#state());
    setHandler(transcriptQuery, (agent) => this.#transcript(agent));
    setHandler(requestRestartSignal, (request) => this.#request(request));
  }

  /** From here on the surface shows this run. */
  show(run: Run): void {
    this.#run = run;
  }

  /** Says what a person's request does now; one that came before is handed over at once. */
  onRestartRequest(restart: (request: RestartRequest) => void): void {
    this.#restart = restart;
    const request = this.#requested;
    this.#requested = undefined;
    if (request !== undefined) this.#request(request);
  }

  #request(request: RestartRequest): void {
    const { reason, instructions } = request ?? {};
    if (typeof reason !== 'string' || typeof instructions !== 'string') {
      this.events.emit({ type: 'warning', text: 'requestRestart without {reason, instructions} is ignored' });
      return;
    }
    const { attempt, maxAttempts = 1 } = this.#run ?? {};
    if (attempt !== undefined && attempt.number >= maxAttempts) {
      this.events.emit({ type: 'restart refused', by: 'person', reason });
      return;
    }
    this.#restart({ reason, instructions });
  }

  #state(): OrchestrationState {
    const run = this.#run;
    const members = run?.attempt?.members ?? [];
    return {
      phase: run?.attempt?.phase ?? 'preparing',
      attempt: run?.attempt?.number ?? 0,
      maxAttempts: run?.maxAttempts ?? 0,
      agents: members.map(({ seat, state, answersGiven, vote }) => ({
        id: seat.id,
        state,
        answers: answersGiven,
        timedOut: seat.timedOut,
        vote: vote?.agent ?? null,
      })),
      selectedAgent: run?.attempt?.selected?.seat.id ?? null,
      restarts: run?.restarts ?? [],
      usage: run?.ledger.usage ?? null,
    };
  }

  #transcript(agent: string): TranscriptRef | null {
    return this.#run?.attempt?.members.find(({ seat }) => seat.id === agent)?.agent.transcript ?? null;
  }
}
