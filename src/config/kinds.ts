import { literalSecrets, proseSecrets } from './literal-secrets.ts';
import type { ConfigKind } from './kind.ts';
import { agentKind, type OneAgentConfig, type OneAgentConfigInput } from './one-agent.ts';
import { planKind, type PlanConfig, type PlanConfigInput } from './plan.ts';
import { problemText, type Checked } from './problems.ts';
import { researchKind, type ResearchConfig, type ResearchConfigInput } from './research.ts';
import { teamKind, type TeamConfig, type TeamConfigInput } from './team.ts';
import type { OneAgent, PlanSettings, ResearchSettings, Team } from '../protocol/settings.ts';
import { isObject } from '../util/values.ts';

/** A configuration of any kind, as a file's author writes it. */
export type ConfigInput = TeamConfigInput | OneAgentConfigInput | ResearchConfigInput | PlanConfigInput;

interface Kinds {
  team: TeamConfig;
  agent: OneAgentConfig;
  research: ResearchConfig;
  plan: PlanConfig;
}

export type Kind = keyof Kinds;

/** A configuration that was checked, with the defaults filled in: `{kind: 'team', team}`. */
export type CheckedConfig = { [K in Kind]: { kind: K } & Pick<Kinds, K> }[Kind];

/** A checked configuration together with its `content` as a run's input takes it. */
export type Config = { content: object } & CheckedConfig;

/** Of what a session can converse with. */
type ConversationConfig = Extract<Config, { kind: 'team' | 'agent' }>;

type Settings = Team | OneAgent | ResearchSettings | PlanSettings;

export const kinds = { team: teamKind, agent: agentKind, research: researchKind, plan: planKind };

/** The kind of a configuration, with what it says. */
export const partsOf = (config: CheckedConfig): [kind: ConfigKind<unknown, Settings>, said: unknown] => [
  kinds[config.kind],
  config[config.kind as keyof typeof config],
];

/** Checks a configuration of whichever kind, and fills in the defaults. */
export function checkConfig(content: unknown): Checked<Config> {
  if (!isObject(content)) return notAMapping;
  const { kind } = kindOf(content);
  const checked = check(kind, content);
  return checked.ok ? { ok: true, value: { kind, [kind]: checked.value, content } as Config } : checked;
}

/** These refuse a configuration of any other kind. */
export const checkTeam = (content: unknown): Checked<TeamConfig> => checkOnly('team', content);
export const checkResearch = (content: unknown): Checked<ResearchConfig> => checkOnly('research', content);
export const checkPlan = (content: unknown): Checked<PlanConfig> => checkOnly('plan', content);

/** Refuses a configuration unless it is that of a team or of one agent. */
export function checkConversation(content: unknown): Checked<ConversationConfig> {
  const checked = checkConfig(content);
  if (!checked.ok) return checked;
  const { value } = checked;
  return value.kind === 'team' || value.kind === 'agent' ? { ok: true, value } : refused('team', value.content);
}

function checkOnly<K extends Kind>(wanted: K, content: unknown): Checked<Kinds[K]> {
  if (!isObject(content)) return notAMapping;
  return kindOf(content).kind === wanted ? check(wanted, content) : refused(wanted, content);
}

/** Checks a configuration by its schema, and for secrets wherever they stand. */
function check<K extends Kind>(kind: K, content: object): Checked<Kinds[K]> {
  // `$schema` names a JSON schema to an editor.
  const { $schema: _, ...own } = content as { $schema?: unknown };
  const checked = (kinds[kind] as ConfigKind<Kinds[K], unknown>).check(own);
  const problems = checked.ok ? [] : checked.problems;
  const known = new Set(problems.map(({ path }) => path.join('\n')));
  const secrets = literalSecrets(own).filter(({ path }) => !known.has(path.join('\n')));
  return secrets.length === 0 ? checked : { ok: false, problems: [...problems, ...secrets] };
}

/** The kind that has one of the top-level keys. A configuration with none of these keys is a team's. */
function kindOf(content: object): { kind: Kind; key?: string } {
  for (const [kind, { keys }] of Object.entries(kinds)) {
    const key = keys.find((each) => each in content);
    if (key !== undefined) return { kind: kind as Kind, key };
  }
  return { kind: 'team' };
}

/** What to do with a configuration that was given to a team or to a session. */
const uses: Partial<Record<Kind, string>> = {
  agent:
    'one agent (modules and exchange) takes no task of a team: talk to it with reprise chat, or the workflow session',
  research: 'a research run takes an idea: give it to reprise research, or the workflow research',
  plan: 'a plan takes a problem: give it to reprise solve, or the workflow planAndExecute',
};

function refused(wanted: Kind, content: object): Checked<never> {
  const { kind, key } = kindOf(content);
  const found = kind === 'team' ? 'a team' : `the kind "${kind}"`;
  const whereElse = `a ${wanted} is configured under the key ${wanted}; this is a configuration of ${found}`;
  const message = (wanted === 'team' && uses[kind]) || whereElse;
  return { ok: false, problems: [{ path: key === undefined ? [] : [key], message }] };
}

const notAMapping: Checked<never> = {
  ok: false,
  problems: [{ path: [], message: 'a configuration is an object of keys and values' }],
};

/** Warnings for a person about settings that do nothing, and about people's own words that only seem to hold a secret. */
export const ignoredKeys = <Said>(kind: ConfigKind<Said, unknown>, said: Said): string[] => [
  ...kind.inert(said),
  ...proseSecrets(said).map(({ path }) => problemText({ path, message: seemsSecret })),
];

const seemsSecret = 'holds what looks like a secret, which models and all who read the run will see';
