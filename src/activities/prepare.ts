import { ApplicationFailure } from '@temporalio/common';
import type { z } from 'zod';
import { missingSdk } from '../claude-code/sdk.ts';
import { defaultBackend } from '../config/models/complete-backend.ts';
import type { Environment } from '../util/environment.ts';
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
import { findPrices, type KnownPrices } from '../config/models/prices.ts';
import { checkedBy, problemText, under, type Checked } from '../config/problems.ts';
import { readNamedConfig } from '../config/read-config.ts';
import { completeResearch, preflightResearch, searchesOwnDocs } from '../config/research.ts';
import { backendsOf, completeTeam, preflightTeam, type TeamConfig } from '../config/team.ts';
import { failureTypes } from '../protocol/errors.ts';
import type { Prepared, PreparedOrchestration, PreparedTeam } from '../protocol/orchestration.ts';
import type { PreparedSolve } from '../protocol/plan-and-execute.ts';
import type { PriceTable } from '../protocol/usage.ts';
import type { PreparedResearch } from '../protocol/research.ts';
import type { PreparedAgent, PreparedSession } from '../protocol/session.ts';
import { foldersOf } from './start-folders.ts';
import { howToSearch, variableOf } from '../config/search-services.ts';
import { refusalText, type Guard } from '../trust/guard.ts';
import { refusals } from '../trust/refusals.ts';
import { sealingFor, type Sealing } from '../trust/sealing.ts';
import { inputSchemas, type InputName } from '../trust/schemas.ts';
import { inputProblem, jsonBytes } from '../workflows/runtime/size.ts';
import type { Backend, ResearchSettings } from '../protocol/settings.ts';

export interface PrepareDependencies {
  environment: Environment;
  /** The folder of the configurations that inputs name. */
  configFolder: string;
  /** The user's own prices, which take precedence over the kept ones. */
  prices: PriceTable;
  namespace: KnownNamespace;
  guard: Guard;
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
export function createPreparations(dependencies: PrepareDependencies) {
  const { configFolder, environment, guard, namespace, prices: ownPrices } = dependencies;
  return {
    async prepareOrchestration(input: unknown): Promise<PreparedOrchestration> {
      const { config = {}, signature: _, ...rest } = checkedInput(orchestrationInputSchema, input);
      const team = found(config, checkTeam);
      const sealing = trustIn('orchestration', input as object);
      return told({ ...rest, ...(await prepareTeam(team, sealing)) });
    },

    async prepareSession(input: unknown): Promise<PreparedSession> {
      const { config, history, text } = checkedInput(sessionInputSchema, input);
      const rest = { history, ...(text !== undefined && { text }) };
      const checked = config === undefined ? undefined : found(config, checkConversation);
      const sealing = trustIn('session', input as object);
      if (checked?.kind === 'team')
        return told({ ...rest, kind: 'team', ...(await prepareTeam(checked.team, sealing)) });
      return told({ ...rest, kind: 'agent', ...(await prepareAgent(checked?.agent, sealing)) });
    },

    async prepareResearch(input: unknown): Promise<PreparedResearch> {
      const { config = { research: {} }, idea } = checkedInput(researchInputSchema, input);
      const research = found(config, checkResearch);
      const sealing = trustIn('research', input as object);
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
      const { github_issue: issue } = settings;
      const sealed = {
        ...settings,
        backends: await sealing.backends(settings.backends),
        search: await sealing.mapping('search', settings.search),
        ...(issue && { github_issue: await sealing.mapping('issue', issue) }),
      };
      return told({ idea, settings: sealed, prices, notices, warnings, permissions });
    },

    async prepareSolve(input: unknown): Promise<PreparedSolve> {
      const { attachments, config = { plan: {} }, problem } = checkedInput(solveInputSchema, input);
      const plan = found(config, checkPlan);
      const sealing = trustIn('planAndExecute', input as object);
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
      const sealed = { ...settings, backends: await sealing.backends(backends), tools: await sealing.tools(tools) };
      const attachmentsSeal = guard.isSigned(input as object)
        ? await guard.seal('attachments', attachments)
        : undefined;
      return told({
        problem,
        settings: sealed,
        prices,
        notices,
        warnings,
        permissions,
        ...(await sealing.folders(folders)),
        ...(attachmentsSeal !== undefined && { attachmentsSeal }),
      });
    },
  };

  /**
   * Refuses what an input brings that the worker neither trusts nor allows. A configuration that is named, or left to the
   * worker, is the worker's own.
   *
   * @param input whose shape has been checked
   */
  function trustIn(name: InputName, input: { config?: unknown; signature?: unknown }): Sealing {
    const isSigned = guard.isSigned(input);
    const { config, ...rest } = input;
    const isNamed = config === undefined || typeof config === 'string';
    const brought = isNamed ? rest : input;
    const refused = isSigned ? [] : refusals(inputSchemas[name], brought, guard.policy);
    const wrong = input.signature === undefined || isSigned ? [] : [wrongSignature];
    refuse(refused.length === 0 ? [] : [...refused.map((each) => refusalText(each, commandOf[name])), ...wrong]);
    return sealingFor(guard, isSigned || isNamed);
  }

  /** The prepared input, with what a run must know of its namespace. @throws what `within` throws */
  function told<T>(prepared: T): T & Pick<Prepared, 'hasQuestion'> {
    return within({ ...prepared, ...(namespace.hasQuestion && { hasQuestion: true as const }) });
  }

  /** Tells which service a run uses, and may pay for, that its configuration does not name. */
  function chosenSearch(named: string | undefined, { search: { provider } }: ResearchSettings): string[] {
    if (named !== undefined || provider === 'folder') return [];
    return [`Searches with ${provider}, since ${variableOf(provider)} is set and search.provider is not`];
  }

  async function prepareTeam(config: TeamConfig, sealing: Sealing): Promise<PreparedTeam> {
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
    const sealed = { team: await sealing.team(team), ...(await sealing.folders(folders)) };
    return { ...sealed, prices, notices, warnings, permissions };
  }

  async function prepareAgent(config: OneAgentConfig | undefined, sealing: Sealing): Promise<PreparedAgent> {
    const agent = config === undefined ? defaultAgent(environment) : completeAgent(config);
    const { prices, warnings } = pricesOf([agent.backend], agent, preflightAgent);
    const { id, backend } = agent;
    const { folders, missing } = foldersFor({ [id]: [backend.cwd, `agent ${id}`] });
    const notices = [
      ...noticesOf(config && { kind: 'agent', agent: config }, [config?.backend]),
      ...searchNotices([agent], environment),
      ...missing,
    ];
    const permissions = permissionsOf(agent, agent.coordination);
    const sealed = { ...agent, backend: await sealing.backend(backend), tools: await sealing.tools(agent.tools) };
    return { agent: sealed, prices, notices, warnings, permissions, ...(await sealing.folders(folders)) };
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

/** The commands that start a run of a type, and may be given a configuration. */
const commandOf: Record<InputName, string> = {
  orchestration: 'ask',
  session: 'chat',
  research: 'research',
  planAndExecute: 'solve',
};

const wrongSignature =
  'signature: it is not one for this run by the secret of this worker: whoever signs needs the same REPRISE_HOME';

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
