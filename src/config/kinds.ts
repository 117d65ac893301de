import { checkAgent, type OneAgentConfig, type OneAgentConfigInput } from './one-agent.ts';
import { literalSecrets } from './literal-secrets.ts';
import { planSchema, type PlanConfig, type PlanConfigInput } from './plan.ts';
import { checkedBy, type Checked } from './problems.ts';
import { researchSchema, type ResearchConfig, type ResearchConfigInput } from './research.ts';
import { teamSchema, type TeamConfig, type TeamConfigInput } from './team.ts';

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

/** A configuration of something that a session can converse with. */
export type ConversationConfig = Extract<Config, { kind: 'team' | 'agent' }>;

/** The kind that a top-level key belongs to. A configuration with none of these keys is a team's. */
const kindOfKey = { modules: 'agent', exchange: 'agent', research: 'research', plan: 'plan' } as const;

const checks: { [K in Kind]: (content: object) => Checked<Kinds[K]> } = {
  team: (content) => checkedBy(teamSchema, content),
  agent: checkAgent,
  research: (content) => withoutClaudeCode(content, checkedBy(researchSchema, content)),
  plan: (content) => withoutClaudeCode(content, checkedBy(planSchema, content)),
};

/** Checks a configuration's content, of whichever kind it is, and fills in the defaults. */
export function checkConfig(content: unknown): Checked<Config> {
  if (!isMapping(content)) return notAMapping;
  const { kind } = kindOf(content);
  const checked = check(kind, content);
  return checked.ok ? { ok: true, value: { kind, [kind]: checked.value, content } as Config } : checked;
}

/** These refuse a configuration of any other kind. */
export const checkTeam = (content: unknown): Checked<TeamConfig> => checkOnly('team', content);
export const checkResearch = (content: unknown): Checked<ResearchConfig> => checkOnly('research', content);
export const checkPlan = (content: unknown): Checked<PlanConfig> => checkOnly('plan', content);

/** Checks a configuration's content, and refuses it unless it is that of a team or of one agent. */
export function checkConversation(content: unknown): Checked<ConversationConfig> {
  const checked = checkConfig(content);
  if (!checked.ok) return checked;
  const { value } = checked;
  return value.kind === 'team' || value.kind === 'agent' ? { ok: true, value } : refused('team', value.content);
}

function checkOnly<K extends Kind>(wanted: K, content: unknown): Checked<Kinds[K]> {
  if (!isMapping(content)) return notAMapping;
  return kindOf(content).kind === wanted ? check(wanted, content) : refused(wanted, content);
}

/** Checks a configuration by its schema, and for secrets wherever they stand. */
function check<K extends Kind>(kind: K, content: object): Checked<Kinds[K]> {
  const own = withoutSchema(content);
  const checked = checks[kind](own);
  const problems = checked.ok ? [] : checked.problems;
  const told = new Set(problems.map(({ path }) => path.join('\n')));
  const secrets = literalSecrets(own).filter(({ path }) => !told.has(path.join('\n')));
  return secrets.length === 0 ? checked : { ok: false, problems: [...problems, ...secrets] };
}

function kindOf(content: object): { kind: Kind; key?: string } {
  const [key, kind] = Object.entries(kindOfKey).find(([each]) => each in content) ?? [];
  return kind === undefined || key === undefined ? { kind: 'team' } : { kind, key };
}

/** What to do with a configuration of another kind that was given to a team or to a session. */
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

/** Leaves out `$schema`, which names a JSON schema to an editor and says nothing to us. */
function withoutSchema(content: object): object {
  const { $schema: _, ...rest } = content as { $schema?: unknown };
  return rest;
}

const isMapping = (content: unknown): content is object =>
  typeof content === 'object' && content !== null && !Array.isArray(content);

const notAMapping: Checked<never> = {
  ok: false,
  problems: [{ path: [], message: 'a configuration is a mapping of keys to values' }],
};

/** Refuses Claude Code for the roles of research and plans, which want single replies of a model. */
function withoutClaudeCode<T>(content: object, checked: Checked<T>): Checked<T> {
  const problems = placesOf(content, []).map((path) => ({ path, message: onlyInTeams }));
  if (problems.length === 0) return checked;
  return { ok: false, problems: [...(checked.ok ? [] : checked.problems), ...problems] };
}

const onlyInTeams =
  'claude_code is a backend of the agents of a team; here use one of openai, claude, gemini, chatcompletion, offline';

/** Where a configuration names Claude Code. */
function placesOf(value: unknown, path: string[]): string[][] {
  if (!isMapping(value)) return [];
  return Object.entries(value).flatMap(([key, each]) =>
    key === 'type' && each === 'claude_code' ? [[...path, key]] : placesOf(each, [...path, key]),
  );
}
