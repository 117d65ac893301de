import { ApplicationFailure } from '@temporalio/common';
import type { z } from 'zod';
import { missingSdk } from '../claude-code/sdk.ts';
import type { Backend } from '../config/backend.ts';
import { defaultBackend } from '../config/complete-backend.ts';
import type { Environment } from '../config/environment.ts';
import { searchNotices } from '../config/tools/everyday-tools.ts';
import { ignoredKeys } from '../config/ignored-keys.ts';
import {
  orchestrationInputSchema,
  researchInputSchema,
  sessionInputSchema,
  solveInputSchema,
} from '../config/inputs.ts';
import { checkConversation, checkPlan, checkResearch, checkTeam, type CheckedConfig } from '../config/kinds.ts';
import { completeAgent, defaultAgent, preflightAgent, type OneAgentConfig } from '../config/one-agent.ts';
import { completePlan, preflightPlan } from '../config/plan.ts';
import { permissionsOf } from '../config/tools/permissions.ts';
import { findPrices, type KnownPrices } from '../config/prices.ts';
import { checkedBy, problemText, under, type Checked } from '../config/problems.ts';
import { readNamedConfig } from '../config/read-config.ts';
import { completeResearch, preflightResearch, searchesOwnDocs, type ResearchSettings } from '../config/research.ts';
import { backendsOf, completeTeam, preflightTeam, type TeamConfig } from '../config/team.ts';
import { failureTypes } from '../protocol/errors.ts';
import type { Prepared, PreparedOrchestration, PreparedTeam } from '../protocol/orchestration.ts';
import type { PreparedSolve } from '../protocol/plan-and-execute.ts';
import type { PriceTable } from '../protocol/usage.ts';
import type { PreparedResearch } from '../protocol/research.ts';
import type { PreparedAgent, PreparedSession } from '../protocol/session.ts';
import { foldersOf } from './start-folders.ts';
import { howToSearch, variableOf } from '../search/services.ts';
import { inputProblem, jsonBytes } from '../workflows/runtime/size.ts';

export interface PrepareDependencies {
  environment: Environment;
  /** The folder of the configurations that inputs name. */
  configFolder: string;
  /** The user's own prices, which take precedence over the kept ones. */
  prices: PriceTable;
  namespace: KnownNamespace;
}

/** What runs must know of their namespace. */
export interface KnownNamespace {
  /** Whether it has the search attribute `RepriseQuestion`. */
  hasQuestion: boolean;
}

/** Warns against taking the offline model's answers for those of a language model. */
const offlineNotice =
  'No API key is set: the offline model answers, which is not a language model (it quotes texts and judges nothing); ' +
  'for one set OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY, or name a model: --model ollama/qwen3:8b';

/** Explains why research on any other subject finds nothing. */
const ownDocsNotice = `ONLY REPRISE'S OWN DOCUMENTATION IS SEARCHED: name a folder (search.folder), or ${howToSearch}`;

/**
 * The activities that workflows begin with. They check and complete the input, which may come from anywhere, and throw
 * `ApplicationFailure` of type `InvalidInput`, not retryable, which names everything that is wrong, among it keys that
 * are not set.
 */
export function createPreparations({ configFolder, environment, namespace, prices: ownPrices }: PrepareDependencies) {
  return {
    async prepareOrchestration(input: unknown): Promise<PreparedOrchestration> {
      const { config = {}, ...rest } = checkedInput(orchestrationInputSchema, input);
      return told({ ...rest, ...prepareTeam(found(config, checkTeam)) });
    },

    async prepareSession(input: unknown): Promise<PreparedSession> {
      const { config, history, text } = checkedInput(sessionInputSchema, input);
      const rest = { history, ...(text !== undefined && { text }) };
      const checked = config === undefined ? undefined : found(config, checkConversation);
      if (checked?.kind === 'team') return told({ ...rest, kind: 'team', ...prepareTeam(checked.team) });
      return told({ ...rest, kind: 'agent', ...prepareAgent(checked?.agent) });
    },

    async prepareResearch(input: unknown): Promise<PreparedResearch> {
      const { config = { research: {} }, idea } = checkedInput(researchInputSchema, input);
      const research = found(config, checkResearch);
      const settings = completeResearch(research, environment);
      const { prices, warnings } = pricesOf(Object.values(settings.backends), settings, preflightResearch);
      const { backend, plan, criticism, synthesize } = research.research;
      const own = [plan, criticism, synthesize].map((role) => role?.backend ?? backend);
      const notices = [
        ...noticesOf({ kind: 'research', research }, own),
        ...(searchesOwnDocs(settings) ? [ownDocsNotice] : []),
        ...chosenSearch(research.research.search.provider, settings),
      ];
      const permissions = permissionsOf(settings, settings.coordination);
      return told({ idea, settings, prices, notices, warnings, permissions });
    },

    async prepareSolve(input: unknown): Promise<PreparedSolve> {
      const { config = { plan: {} }, problem } = checkedInput(solveInputSchema, input);
      const plan = found(config, checkPlan);
      const settings = completePlan(plan, environment);
      const { prices, warnings } = pricesOf(Object.values(settings.backends), settings, preflightPlan);
      const { backend, planner, validator, synthesis, executor } = plan.plan;
      const own = [planner, validator, synthesis, executor].map((role) => role?.backend ?? backend);
      const { backends, tools } = settings;
      const { folders, missing } = foldersFor({ executor: [backends.executor.cwd, 'the executor'] });
      const notices = [
        ...noticesOf({ kind: 'plan', plan }, own),
        ...searchNotices([{ backend: backends.executor, tools }], environment),
        ...missing,
      ];
      const permissions = permissionsOf(settings, settings.coordination);
      return told({ problem, settings, prices, notices, warnings, permissions, ...folders });
    },
  };

  /** The prepared input, with what a run must know of its namespace. @throws what `within` throws */
  function told<T>(prepared: T): T & Pick<Prepared, 'hasQuestion'> {
    return within({ ...prepared, ...(namespace.hasQuestion && { hasQuestion: true as const }) });
  }

  /** Tells which service a run uses, and may pay for, that its configuration does not name. */
  function chosenSearch(named: string | undefined, { search: { provider } }: ResearchSettings): string[] {
    if (named !== undefined || provider === 'folder') return [];
    return [`Searches with ${provider}, since ${variableOf[provider]} is set and search.provider is not`];
  }

  function prepareTeam(config: TeamConfig): PreparedTeam {
    const team = completeTeam(config, environment);
    const backends = backendsOf(team);
    const { prices, warnings } = pricesOf(backends, team, (...given) => [
      ...preflightTeam(...given),
      ...missingSdk(backends, configFolder),
    ]);
    const own = team.agents.map((_, index) => config.agents?.[index]?.backend);
    const named = team.agents.map(({ backend, id }) => [id, [backend.cwd, `agent ${id}`]] as const);
    const { folders, missing } = foldersFor(Object.fromEntries(named), team.orchestrator.snapshot_storage);
    const notices = [
      ...noticesOf({ kind: 'team', team: config }, own),
      ...searchNotices(team.agents, environment),
      ...missing,
    ];
    const permissions = permissionsOf(team, team.orchestrator.coordination);
    return { team, prices, notices, warnings, permissions, ...folders };
  }

  function prepareAgent(config: OneAgentConfig | undefined): PreparedAgent {
    const agent = config === undefined ? defaultAgent(environment) : completeAgent(config);
    const { prices, warnings } = pricesOf([agent.backend], agent, preflightAgent);
    const { id, backend } = agent;
    const { folders, missing } = foldersFor({ [id]: [backend.cwd, `agent ${id}`] });
    const notices = [
      ...noticesOf(config && { kind: 'agent', agent: config }, [config?.backend]),
      ...searchNotices([agent], environment),
      ...missing,
    ];
    return { agent, prices, notices, warnings, permissions: permissionsOf(agent, agent.coordination), ...folders };
  }

  /** The folders with which workspaces begin. */
  function foldersFor(named: Parameters<typeof foldersOf>[1], storage?: string) {
    const { problems, ...found } = foldersOf(configFolder, named, storage);
    refuse(problems);
    return found;
  }

  /** Refuses settings that cannot run in this environment. @returns the prices that the run needs */
  function pricesOf<Settings extends Parameters<typeof findPrices>[1]>(
    backends: Backend[],
    settings: Settings,
    preflight: (settings: Settings, environment: Environment) => string[],
  ): Pick<KnownPrices, 'prices' | 'warnings'> {
    const { problems, ...known } = findPrices(backends, settings, ownPrices, environment);
    refuse([...preflight(settings, environment), ...problems]);
    return known;
  }

  /**
   * Lists what the person who started a run should know.
   *
   * @param own the backends that the configuration gives to the agents; undefined for an agent that gets the default one
   */
  function noticesOf(config: CheckedConfig | undefined, own: Array<Backend | undefined>): string[] {
    const isNamed = environment['REPRISE_MODEL'] !== undefined;
    const fellBack = own.includes(undefined) && !isNamed && defaultBackend(environment).type === 'offline';
    return [...(config === undefined ? [] : ignoredKeys(config)), ...(fellBack ? [offlineNotice] : [])];
  }

  /** Checks the configuration that an input holds or names. */
  function found<T>(config: object | string, check: (content: unknown) => Checked<T>): T {
    if (typeof config === 'string') {
      const named = readNamedConfig(config, configFolder, check);
      if (named.ok) return named.config;
      throw invalid(named.problems);
    }
    const checked = check(config);
    if (checked.ok) return checked.value;
    throw invalid(under(['config'], checked.problems).map((problem) => problemText(problem)));
  }
}

function checkedInput<T>(schema: z.ZodType<T>, input: unknown): T {
  const problem = inputProblem(input);
  if (problem !== undefined) throw invalid([problem]);
  const checked = checkedBy(schema, input);
  if (checked.ok) return checked.value;
  throw invalid(checked.problems.map((problem) => problemText(problem)));
}

/** How large an input may become with its configuration and all that it leaves to the defaults, in bytes. */
const preparedBytes = 1_500_000;

/** The prepared input itself. @throws `ApplicationFailure` of type `InvalidInput` if the history cannot hold it */
function within<T>(prepared: T): T {
  const bytes = jsonBytes(prepared);
  if (bytes <= preparedBytes) return prepared;
  throw invalid([`the input has ${bytes} bytes with its configuration, and may have ${preparedBytes}`]);
}

function refuse(problems: string[]): void {
  if (problems.length > 0) throw invalid(problems);
}

export function invalid(problems: string[]): ApplicationFailure {
  return ApplicationFailure.nonRetryable(problems.join('\n'), failureTypes.invalidInput);
}
