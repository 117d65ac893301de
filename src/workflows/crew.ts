import { storeTexts, storeToolSets } from '../agents/stored-texts.ts';
import type { Team } from '../config/team.ts';
import type { PreparedTeam } from '../messages/orchestration.ts';
import { coordinationText } from '../prompts/coordination.ts';
import { finalText } from '../prompts/final.ts';
import { coordinationTools, decisionTools } from '../prompts/tools.ts';
import { anonymousName } from '../rules/ballot.ts';
import { askingOf, openOffice, type OfficeRecord } from './office.ts';
import type { Crew } from './run.ts';
import type { Surface } from './surface.ts';
import type { Seat } from './team.ts';

/** Puts the tools and duties that every prompt repeats into the store. */
export async function storeDuties({
  agents,
  orchestrator,
}: Team): Promise<Pick<Crew, 'toolSets' | 'duties'>> {
  const asking = askingOf(orchestrator.coordination, agents.length);
  const names = agents.map((_, index) => anonymousName(index));
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

/** Makes a team ready for tasks. */
export function newCrew(
  { team, prices }: PreparedTeam,
  stored: Pick<Crew, 'toolSets' | 'duties'>,
  surface: Surface,
  record: Partial<OfficeRecord>,
): Crew {
  const { agents, budget, orchestrator } = team;
  const { coordination } = orchestrator;
  return {
    ...openOffice({ budget, prices, coordination, agents: agents.length }, surface, record),
    ...stored,
    team,
    coordination,
    maxAttempts: coordination.max_orchestration_restarts + 1,
  };
}
