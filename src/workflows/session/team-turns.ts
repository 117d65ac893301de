import { proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/activities.ts';
import type { TranscriptRef } from '../../protocol/message.ts';
import type { PreparedTeam } from '../../protocol/orchestration.ts';
import type { Partner, SessionRecord, TurnOutcome } from './conversation.ts';
import { newCrew, seatsOf, storeDuties } from '../orchestration/team.ts';
import type { Crew } from '../orchestration/context.ts';
import type { Surface } from '../runtime/run-handlers.ts';
import { newRun, runTask, storeTask } from '../orchestration/attempts.ts';
import type { Seat } from '../orchestration/participant.ts';

const { putMessages, readMessages } = proxyLocalActivities<Activities>({ startToCloseTimeout: '30 seconds' });

const outcomes = {
  submitted: 'answered',
  restart_limit: 'limit',
  timeout: 'limit',
  budget: 'budget',
} as const;

/** Converses with a team: each turn is an orchestration that knows what was said before. */
export class TeamPartner implements Partner<TranscriptRef | null> {
  readonly office: Crew;
  said: TranscriptRef | null;
  readonly #seats: Seat[];
  readonly #surface: Surface;

  private constructor(office: Crew, said: TranscriptRef | null, seats: Seat[], surface: Surface) {
    this.office = office;
    this.said = said;
    this.#seats = seats;
    this.#surface = surface;
  }

  static async open(
    prepared: PreparedTeam,
    said: TranscriptRef | null,
    surface: Surface,
    earlier: SessionRecord | undefined,
  ): Promise<TeamPartner> {
    const stored = await storeDuties(prepared.team);
    const seats = await seatsOf(prepared.team, surface.events.emit.bind(surface.events));
    return new TeamPartner(newCrew(prepared, stored, surface, earlier ?? {}), said, seats, surface);
  }

  async take(text: string, turn: number): Promise<TurnOutcome> {
    const { said } = this;
    const told = await storeTask(text, []);
    // Time is given anew to each turn.
    const seats = this.#seats.map((seat) => ({ ...seat }));
    const run = newRun(this.office, seats, {
      ...told,
      conversation: said,
      plain: { task: text, history: async () => (said === null ? [] : readMessages(said)) },
      turn,
    });
    const { answer, outcome } = await runTask(run, this.#surface);
    this.said = await putMessages(this.said, [
      { role: 'user', content: told.task },
      { role: 'assistant', content: answer },
    ]);
    if (run.attempt !== undefined) run.attempt.phase = 'idle';
    return { answer, messages: [answer], outcome: outcomes[outcome] };
  }
}
