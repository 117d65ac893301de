import { ApplicationFailure } from '@temporalio/common';
import type { z } from 'zod';
import { missingSdk } from '../models/claude-code/sdk.ts';
import { defaultBackend } from '../config/models/complete-backend.ts';
import type { Environment } from '../util/environment.ts';
import { searchNotices, withFileTools } from '../config/tools/everyday-tools.ts';
import {
  orchestrationInputSchema,
  researchInputSchema,
  sessionInputSchema,
  solveInputSchema,
} from '../config/inputs.ts';
import { preflight, type ConfigKind } from '../config/kind.ts';
import { checkConversation, checkPlan, checkResearch, checkTeam, ignoredKeys } from '../config/kinds.ts';
import { agentKind, completeAgent, defaultAgent } from '../config/one-agent.ts';
import { completePlan, planKind } from '../config/plan.ts';
import { permissionsOf } from '../config/tools/permissions.ts';
import { findPrices } from '../config/models/prices.ts';
import { checkedBy, problemText, under, type Checked } from '../config/problems.ts';
import { readNamedConfig } from '../config/read-config.ts';
import { completeResearch, researchKind, searchesOwnDocs } from '../config/research.ts';
import { completeTeam, teamKind, tooManyAnswers, type TeamConfig } from '../config/team.ts';
import { failureTypes } from '../protocol/errors.ts';
import type { AttachmentInput } from '../protocol/attachment.ts';
import type { Prepared, PreparedOrchestration, PreparedTeam } from '../protocol/orchestration.ts';
import type { PreparedSolve } from '../protocol/plan-and-execute.ts';
import { commandOf } from '../protocol/definitions.ts';
import type { PriceTable } from '../protocol/usage.ts';
import type { PreparedResearch } from '../protocol/research.ts';
import type { PreparedSession } from '../protocol/session.ts';
import { howToSearch, variableOf } from '../config/search-services.ts';
import { violationText, type Guard } from '../trust/guard.ts';
import { violations } from '../trust/violations.ts';
import { sealsFor, type Seals } from '../trust/seals.ts';
import { inputSchemas, type InputName } from '../trust/schemas.ts';
import { inputProblem, jsonBytes } from '../workflows/runtime/size.ts';
import type { Team } from '../protocol/settings.ts';
import { workerNotify } from '../config/notify.ts';
import { startFoldersOf } from '../config/named-folder.ts';

export interface PrepareDependencies {
  environment: Environment;
  configFolder: string;
  /** They take precedence over the kept ones. */
  prices: PriceTable;
  namespace: KnownNamespace;
  guard: Guard;
}

export interface KnownNamespace {
  hasQuestion: boolean;
}

/** Its answers might be taken for a language model's. */
const offlineNotice =
  'No API key is set: the offline model answers, which is not a language model (it quotes texts and judges nothing); ' +
  'for one set OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY, or name a model: --model ollama/qwen3:8b';

const ownDocsNotice = `ONLY REPRISE'S OWN DOCUMENTATION IS SEARCHED: name a folder (search.folder), or ${howToSearch}`;

/** @throws (from them) `ApplicationFailure` of type `InvalidInput`, which names everything that is wrong */
export function createPreparations(dependencies: PrepareDependencies) {
  const { configFolder, environment, guard, namespace, prices: ownPrices } = dependencies;
  const ofWorker = workerNotify(environment);
  return {
    async prepareOrchestration(input: unknown): Promise<PreparedOrchestration> {
      const { attachments, config = {}, signature: _, ...rest } = checkedInput(orchestrationInputSchema, input);
      const team = found(config, checkTeam);
      const seals = await trustIn('orchestration', input as object);
      const prepared = { ...rest, ...(await prepareTeam(team, seals, attachments)) };
      return withReceivers({ ...prepared, ...(await sealFiles(input, attachments)) }, seals, team);
    },

    async prepareSession(input: unknown): Promise<PreparedSession> {
      const { attachments, config, history, text } = checkedInput(sessionInputSchema, input);
      const checked = config === undefined ? undefined : found(config, checkConversation);
      const seals = await trustIn('session', input as object);
      const rest = { history, ...(text !== undefined && { text }), ...(await sealFiles(input, attachments)) };
      if (checked?.kind === 'team') {
        const { team } = checked;
        return withReceivers({ ...rest, kind: 'team', ...(await prepareTeam(team, seals, attachments)) }, seals, team);
      }
      const written = checked?.agent;
      const completed = written === undefined ? defaultAgent(environment) : completeAgent(written);
      const agent = { ...completed, tools: withFileTools(completed.tools, attachments) };
      const basics = basicsOf(agentKind, written, agent, agent.coordination);
      const { id, backend, tools } = agent;
      const { folders, missing } = foldersFor({ [id]: [backend.cwd, `agent ${id}`] });
      const sealed = { ...agent, backend: await seals.backend(backend), tools: await seals.tools(tools) };
      const notices = [...basics.notices, ...missing];
      const begun = { ...rest, kind: 'agent' as const, agent: sealed, ...basics, notices };
      return withReceivers({ ...begun, ...(await seals.folders(folders)) }, seals, written);
    },

    async prepareResearch(input: unknown): Promise<PreparedResearch> {
      const { attachments, config = { research: {} }, idea } = checkedInput(researchInputSchema, input);
      const research = found(config, checkResearch);
      const seals = await trustIn('research', input as object);
      const settings = completeResearch(research, environment);
      const { notices: common, ...facts } = basicsOf(researchKind, research, settings, settings.coordination);
      const { provider } = settings.search;
      // A run may pay for a service that its configuration does not name.
      const isChosen = research.research.search.provider === undefined && provider !== 'folder';
      const notices = [
        ...common,
        ...(searchesOwnDocs(settings) ? [ownDocsNotice] : []),
        ...(isChosen
          ? [`Searches with ${provider}, since ${variableOf(provider)} is set and search.provider is not`]
          : []),
      ];
      const { github_issue: issue } = settings;
      const sealed = {
        ...settings,
        backends: await seals.backends(settings.backends),
        search: await seals.mapping('search', settings.search),
        ...(issue && { github_issue: await seals.mapping('issue', issue) }),
      };
      const files = await sealFiles(input, attachments);
      return withReceivers({ idea, settings: sealed, ...facts, notices, ...files }, seals, research);
    },

    async prepareSolve(input: unknown): Promise<PreparedSolve> {
      const { attachments, config = { plan: {} }, problem } = checkedInput(solveInputSchema, input);
      const plan = found(config, checkPlan);
      const seals = await trustIn('planAndExecute', input as object);
      const completed = completePlan(plan, environment);
      const settings = { ...completed, tools: withFileTools(completed.tools, attachments) };
      const basics = basicsOf(planKind, plan, settings, settings.coordination);
      const { backends, tools } = settings;
      const { folders, missing } = foldersFor({ executor: [backends.executor.cwd, 'the executor'] });
      const sealed = { ...settings, backends: await seals.backends(backends), tools: await seals.tools(tools) };
      const notices = [...basics.notices, ...missing];
      const files = { ...(await seals.folders(folders)), ...(await sealFiles(input, attachments)) };
      return withReceivers({ problem, settings: sealed, ...basics, notices, ...files }, seals, plan);
    },
  };

  /** A configuration that is named, or left to the worker, is the worker's own. */
  async function trustIn(name: InputName, input: { config?: unknown; signature?: unknown }): Promise<Seals> {
    const isSigned = await guard.isSigned(input);
    const { config, ...rest } = input;
    const isNamed = config === undefined || typeof config === 'string';
    const brought = isNamed ? rest : input;
    const refused = isSigned ? [] : violations(inputSchemas[name], brought, guard.policy);
    const wrong = input.signature === undefined || isSigned ? [] : [wrongSignature];
    refuse(refused.length === 0 ? [] : [...refused.map((each) => violationText(each, commandOf[name])), ...wrong]);
    return sealsFor(guard, isSigned || isNamed);
  }

  async function sealFiles(input: unknown, attachments: AttachmentInput[]): Promise<Pick<Prepared, 'attachmentsSeal'>> {
    const seal = (await guard.isSigned(input as object)) ? await guard.seal('attachments', attachments) : undefined;
    return seal === undefined ? {} : { attachmentsSeal: seal };
  }

  async function withReceivers<T>(prepared: T, seals: Seals, { notify }: Pick<Team, 'notify'> = {}) {
    const receivers = await seals.notify(notify, ofWorker);
    return within({ ...prepared, ...receivers, ...(namespace.hasQuestion && { hasQuestion: true as const }) });
  }

  async function prepareTeam(config: TeamConfig, seals: Seals, attachments: AttachmentInput[]): Promise<PreparedTeam> {
    const completed = completeTeam(config, environment);
    const agents = completed.agents.map((agent) => ({ ...agent, tools: withFileTools(agent.tools, attachments) }));
    const team = { ...completed, agents };
    const basics = basicsOf(teamKind, config, team, team.orchestrator.coordination);
    const named = Object.fromEntries(team.agents.map(({ backend, id }) => [id, [backend.cwd, `agent ${id}`]] as const));
    const { folders, missing } = foldersFor(named, team.orchestrator.snapshot_storage);
    const sealed = { team: await seals.team(team), ...(await seals.folders(folders)) };
    return { ...sealed, ...basics, notices: [...basics.notices, ...missing, ...tooManyAnswers(team)] };
  }

  function foldersFor(named: Parameters<typeof startFoldersOf>[1], storage?: string) {
    const { problems, ...found } = startFoldersOf(configFolder, named, storage);
    refuse(problems);
    return found;
  }

  /** @param config undefined for a session without a configuration */
  function basicsOf<Config, Settings extends Pick<Team, 'budget' | 'prices' | 'notify' | 'permissions' | 'attended'>>(
    kind: ConfigKind<Config, Settings>,
    config: Config | undefined,
    settings: Settings,
    coordination: Parameters<typeof permissionsOf>[1],
  ) {
    const roles = Object.values(kind.roles(settings));
    const backends = roles.map(({ backend }) => backend);
    const { problems, prices, warnings } = findPrices(backends, settings, ownPrices, environment);
    refuse([...preflight(kind, settings, environment), ...missingSdk(backends, configFolder), ...problems]);
    const isOwn = config !== undefined && !kind.named(config).includes(undefined);
    const isNamed = environment['REPRISE_MODEL'] !== undefined;
    const fellBack = !isOwn && !isNamed && defaultBackend(environment).type === 'offline';
    const notices = [
      ...(config === undefined ? [] : ignoredKeys(kind, config)),
      ...(fellBack ? [offlineNotice] : []),
      ...searchNotices(roles, environment),
    ];
    return { prices, notices, warnings, permissions: permissionsOf(settings, coordination) };
  }

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

const wrongSignature =
  'signature: it is not one for this run by a secret of this worker: whoever signs needs the same REPRISE_HOME, or the same ' +
  'DATABASE_URL';

function checkedInput<T>(schema: z.ZodType<T>, input: unknown): T {
  const problem = inputProblem(input);
  if (problem !== undefined) throw invalid([problem]);
  const checked = checkedBy(schema, input);
  if (checked.ok) return checked.value;
  throw invalid(checked.problems.map((problem) => problemText(problem, problem.path.length === 0 ? 'input' : '')));
}

/** In bytes, with all that the input leaves to the defaults. */
const preparedBytes = 1_500_000;

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
