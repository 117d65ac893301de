import { Broadcast } from '../agents/broadcast.ts';
import { HumanDesk, type DeskRecord } from '../agents/human-desk.ts';
import { Ledger, type LedgerRecord } from '../agents/ledger.ts';
import { ModelCaller } from '../agents/model-caller.ts';
import { storeTexts, storeToolSets } from '../agents/stored-texts.ts';
import type { Team } from '../config/team.ts';
import type { PreparedTeam } from '../messages/orchestration.ts';
import type { Asking } from '../prompts/asking.ts';
import { coordinationText } from '../prompts/coordination.ts';
import { finalText } from '../prompts/final.ts';
import { coordinationTools, decisionTools } from '../prompts/tools.ts';
import { anonymousName } from '../rules/ballot.ts';
import type { Crew } from './run.ts';
import type { Surface } from './surface.ts';
import type { Seat } from './team.ts';

/** What a session's next run takes over from the one before. */
export interface CrewRecord {
  desk: DeskRecord;
  ledger: LedgerRecord;
  /** Questions asked so far. */
  requests: number;
}

/** Puts the tools and duties that every prompt repeats into the store. */
export async function storeDuties(team: Team): Promise<Pick<Crew, 'toolSets' | 'duties'>> {
  const asking = askingOf(team);
  const names = team.agents.map((_, index) => anonymousName(index));
  const duty = coordinationText(asking);
  const [coordination = '', decision = '', coordinationDuty, finalDuty] = await storeToolSets(
    [coordinationTools(names, asking?.mode), decisionTools],
    [duty, finalText],
  );
  return {
    toolSets: { coordination, decision },
    duties: {
      // Runs that were recorded before duties were stored have none there.
      coordination: coordinationDuty === undefined ? duty : { blob: coordinationDuty },
      final: finalDuty === undefined ? finalText : { blob: finalDuty },
    },
  };
}

/** Gives every agent its place, with its persona in the store where that is long. */
export async function seatsOf({ agents }: Team): Promise<Seat[]> {
  const personas = await storeTexts(agents.map((agent) => agent.system_message ?? ''));
  return agents.map(({ id, system_message, backend }, index) => ({
    id,
    name: anonymousName(index),
    persona: system_message === undefined ? undefined : personas[index],
    backend,
    timedOut: false,
  }));
}

/** Makes a team ready for tasks, with its accounts and its human desk. */
export function newCrew(
  { team, prices }: PreparedTeam,
  stored: Pick<Crew, 'toolSets' | 'duties'>,
  surface: Surface,
  { desk: deskRecord = {}, ledger: figures, requests = 0 }: Partial<CrewRecord>,
): Crew {
  const { events } = surface;
  const { coordination } = team.orchestrator;
  const emit = events.emit.bind(events);
  const ledger = new Ledger(team.budget, prices, figures);
  const caller = new ModelCaller(ledger, ({ agent, purpose, activityId, model }) =>
    events.emit({ type: 'thinking', agent, purpose: purpose.what, activityId, model }),
  );
  const asking = askingOf(team);
  const timeout = coordination.broadcast_timeout * 1000;
  const desk = new HumanDesk(deskRecord, timeout, emit);
  surface.open(desk, asking?.mode === 'human');
  const { max_broadcasts_per_agent: limit, response_depth: depth } = coordination;
  return {
    team,
    coordination,
    maxAttempts: coordination.max_orchestration_restarts + 1,
    events,
    ledger,
    caller,
    desk,
    broadcast:
      asking && new Broadcast({ mode: asking.mode, timeout, limit, depth }, caller, desk, emit, requests),
    ...stored,
  };
}

/** How the agents of a team may ask; an agent alone has only a person to ask. */
function askingOf({ agents, orchestrator }: Team): Asking | undefined {
  const { broadcast, broadcast_sensitivity: sensitivity } = orchestrator.coordination;
  if (broadcast === false || (broadcast === 'agents' && agents.length === 1)) return undefined;
  return { mode: broadcast, sensitivity };
}
