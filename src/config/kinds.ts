import { z } from 'zod';
import { backendTypes } from './backend.ts';
import { soloBroadcastSchema } from './broadcast.ts';
import { checkAgent } from './check-agent.ts';
import type { OneAgentConfig } from './one-agent.ts';
import { problemsOf, type Checked, type Problem } from './problems.ts';
import { teamSchema, type TeamConfig } from './team.ts';

/** A configuration that was checked, with the defaults filled in. `content`: the same as a run's input takes it. */
export type Config = { content: object } & (
  { kind: 'team'; team: TeamConfig } | { kind: 'agent'; agent: OneAgentConfig }
);

const oneAgent =
  'one agent (modules and exchange) takes no task of a team: talk to it with reprise chat, or the workflow session';

/** The kinds are told apart by their top-level keys. A team's is the one without any of the others'. */
const keysOfOneAgent = ['modules', 'exchange'];
const keysNotRun = ['research', 'plan'];

/** What the kinds that are not run have in common with that of one agent. */
const notRunSchema = z.looseObject({ coordination: soloBroadcastSchema.optional() });

/** Checks a configuration's content, of whichever kind it is, and fills in the defaults. */
export function checkConfig(content: unknown): Checked<Config> {
  if (!isMapping(content)) return notAMapping;
  if (!keysOfOneAgent.some((key) => key in content)) {
    const checked = checkTeam(content);
    return checked.ok ? { ok: true, value: { kind: 'team', team: checked.value, content } } : checked;
  }
  const checked = checkAgent(content);
  return checked.ok ? { ok: true, value: { kind: 'agent', agent: checked.value, content } } : checked;
}

/** The same where only a team will do. */
export function checkTeam(content: unknown): Checked<TeamConfig> {
  if (!isMapping(content)) return notAMapping;
  const key = keysOfOneAgent.find((each) => each in content);
  if (key !== undefined) return { ok: false, problems: [{ path: [key], message: oneAgent }] };
  const kind = keysNotRun.find((each) => each in content);
  if (kind !== undefined) {
    const message = `configurations of the kind "${kind}" are not run by this version, only those of a team or of one agent`;
    return { ok: false, problems: [{ path: [kind], message }, ...problemsOfNotRun(content)] };
  }
  const result = teamSchema.safeParse(content);
  if (result.success) return { ok: true, value: result.data };
  return { ok: false, problems: problemsOf(teamSchema, result.error, content).map(aboutClaudeCode) };
}

const isMapping = (content: unknown): content is object =>
  typeof content === 'object' && content !== null && !Array.isArray(content);

const notAMapping: Checked<never> = {
  ok: false,
  problems: [{ path: [], message: 'a configuration is a mapping of keys to values' }],
};

function problemsOfNotRun(content: object): Problem[] {
  const result = notRunSchema.safeParse(content);
  return result.success ? [] : problemsOf(notRunSchema, result.error, content);
}

/** MassGen has this backend, so that its users may try it here: they are told what it would lack besides. */
function aboutClaudeCode(problem: Problem): Problem {
  if (!problem.message.startsWith('"claude_code" is not one of')) return problem;
  const others = backendTypes.join(', ');
  const message =
    'claude_code is not delivered as a backend, and with broadcasting on, ' +
    `an agent of that backend would have no ask_others; use one of ${others}`;
  return { ...problem, message };
}
