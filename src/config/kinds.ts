import type { z } from 'zod';
import { backendTypes } from './backend.ts';
import { checkAgent } from './check-agent.ts';
import type { OneAgentConfig } from './one-agent.ts';
import { problemsOf, type Checked, type Problem } from './problems.ts';
import { planSchema, type PlanConfig } from './plan.ts';
import { researchSchema, type ResearchConfig } from './research.ts';
import { teamSchema, type TeamConfig } from './team.ts';

/** A configuration that was checked, with the defaults filled in. `content`: the same as a run's input takes it. */
export type Config = { content: object } & (
  | { kind: 'team'; team: TeamConfig }
  | { kind: 'agent'; agent: OneAgentConfig }
  | { kind: 'research'; research: ResearchConfig }
  | { kind: 'plan'; plan: PlanConfig }
);

/** One that a session can converse with. */
export type PartnerConfig = Extract<Config, { kind: 'team' | 'agent' }>;

type Kind = Config['kind'];

/** The kinds are told apart by their top-level keys. A team's is the one without any of the others'. */
const keys: Array<[key: string, kind: Kind]> = [
  ['modules', 'agent'],
  ['exchange', 'agent'],
  ['research', 'research'],
  ['plan', 'plan'],
];

/** What such a configuration is for, where it was given to something else. */
const uses: Record<Exclude<Kind, 'team'>, string> = {
  agent:
    'one agent (modules and exchange) takes no task of a team: talk to it with reprise chat, or the workflow session',
  research: 'a research takes an idea: give it to reprise research, or the workflow research',
  plan: 'a plan takes a problem: give it to reprise solve, or the workflow planAndExecute',
};

/** Checks a configuration's content, of whichever kind it is, and fills in the defaults. */
export function checkConfig(content: unknown): Checked<Config> {
  if (!isMapping(content)) return notAMapping;
  switch (kindOf(content).kind) {
    case 'team':
      return mapped(checkTeam(content), (team) => ({ kind: 'team', team, content }));
    case 'agent':
      return mapped(checkAgent(content), (agent) => ({ kind: 'agent', agent, content }));
    case 'research':
      return mapped(checkResearch(content), (research) => ({ kind: 'research', research, content }));
    case 'plan':
      return mapped(checkPlan(content), (plan) => ({ kind: 'plan', plan, content }));
  }
}

/** The same where only a team will do. */
export function checkTeam(content: unknown): Checked<TeamConfig> {
  if (!isMapping(content)) return notAMapping;
  if (kindOf(content).kind !== 'team') return refused(content);
  const result = teamSchema.safeParse(content);
  if (result.success) return { ok: true, value: result.data };
  return { ok: false, problems: problemsOf(teamSchema, result.error, content).map(aboutClaudeCode) };
}

/** The same where only a team or one agent will do. */
export function checkPartner(content: unknown): Checked<PartnerConfig> {
  const checked = checkConfig(content);
  if (!checked.ok) return checked;
  const { value } = checked;
  if (value.kind === 'team' || value.kind === 'agent') return { ok: true, value };
  return refused(value.content);
}

/** The same where only a research will do. */
export const checkResearch = (content: unknown): Checked<ResearchConfig> =>
  checkOnly('research', 'a research', researchSchema, content);

/** The same where only a plan will do. */
export const checkPlan = (content: unknown): Checked<PlanConfig> =>
  checkOnly('plan', 'a plan', planSchema, content);

function checkOnly<T>(
  wanted: 'research' | 'plan',
  what: string,
  schema: z.ZodType<T>,
  content: unknown,
): Checked<T> {
  if (!isMapping(content)) return notAMapping;
  const { kind, key } = kindOf(content);
  if (kind !== wanted) {
    const found = kind === 'team' ? 'a team' : `the kind "${kind}"`;
    const message = `${what} is configured under the key ${wanted}; this is a configuration of ${found}`;
    return { ok: false, problems: [{ path: key === undefined ? [] : [key], message }] };
  }
  const result = schema.safeParse(content);
  if (result.success) return { ok: true, value: result.data };
  return { ok: false, problems: problemsOf(schema, result.error, content) };
}

function kindOf(content: object): { kind: Kind; key?: string } {
  const [key, kind] = keys.find(([each]) => each in content) ?? [];
  return kind === undefined || key === undefined ? { kind: 'team' } : { kind, key };
}

function refused(content: object): Checked<never> {
  const { kind, key = '' } = kindOf(content);
  return { ok: false, problems: [{ path: [key], message: uses[kind as Exclude<Kind, 'team'>] }] };
}

function mapped<T>(checked: Checked<T>, map: (value: T) => Config): Checked<Config> {
  return checked.ok ? { ok: true, value: map(checked.value) } : checked;
}

const isMapping = (content: unknown): content is object =>
  typeof content === 'object' && content !== null && !Array.isArray(content);

const notAMapping: Checked<never> = {
  ok: false,
  problems: [{ path: [], message: 'a configuration is a mapping of keys to values' }],
};

/** MassGen has this backend, so that its users may try it here: they are told what it would lack besides. */
function aboutClaudeCode(problem: Problem): Problem {
  if (!problem.message.startsWith('"claude_code" is not one of')) return problem;
  const others = backendTypes.join(', ');
  const message =
    'claude_code is not delivered as a backend, and with broadcasting on, ' +
    `an agent of that backend would have no ask_others; use one of ${others}`;
  return { ...problem, message };
}
