import { dirname } from 'node:path';
import { agentOn, needsDefault, withOverrides, type Overrides } from '../config/overrides.ts';
import { defaultBackend } from '../config/models/complete-backend.ts';
import { modelOf } from '../config/models/providers.ts';
import type { Environment } from '../util/environment.ts';
import { preflight } from '../config/kind.ts';
import { describeNotify } from '../config/notify.ts';
import {
  checkConversation,
  checkPlan,
  checkResearch,
  checkTeam,
  type Config,
  partsOf,
  type CheckedConfig,
} from '../config/kinds.ts';
import { backendOf } from '../config/models/model-name.ts';
import { agentKind, defaultAgent } from '../config/one-agent.ts';
import { planSchema } from '../config/plan.ts';
import type { Checked } from '../config/problems.ts';
import { readConfigFile } from '../config/read-config.ts';
import { researchSchema } from '../config/research.ts';
import { defaultAgents, teamSchema, type TeamConfig } from '../config/team.ts';
import { areWorkersOwn } from './connection.ts';
import { usageError } from './exit.ts';
import { checkModel, offerServer } from './model-servers.ts';
import type { CommonOptions } from './options.ts';
import type { Shell } from './shell.ts';
import type { Backend } from '../protocol/settings.ts';
import { missingSdk } from '../models/claude-code/sdk.ts';
import { findPrices, readPrices } from '../config/models/prices.ts';
import { searchNotices } from '../config/tools/everyday-tools.ts';

/** Makes a function that reads configurations of one kind. @param blank what there is without a file */
const reader =
  <Said extends object>(
    kind: 'team' | 'research' | 'plan',
    check: (content: unknown) => Checked<Said>,
    blank: (options: CommonOptions) => Said,
  ) =>
  async (shell: Shell, options: CommonOptions): Promise<Said | undefined> => {
    const configOf = (said: Said): Config => ({ kind, [kind]: said, content: said }) as unknown as Config;
    const checkedAs = (content: unknown): Checked<Config> => {
      const checked = check(content);
      return checked.ok ? { ok: true, value: configOf(checked.value) } : checked;
    };
    const config = await read(shell, options, checkedAs, () => configOf(blank(options)));
    return config && (partsOf(config)[1] as Said);
  };

const defaultTeam = ({ agents }: CommonOptions): TeamConfig =>
  teamSchema.parse(agents === undefined ? {} : { agents: defaultAgents(agents) });

/**
 * Each reads the configuration that a command was given, puts in what the person chose beside it, and checks all of it
 * before anything starts. Where the offline model would answer for want of a key, it offers a server of models that runs
 * here. They give undefined if nothing was given or chosen: then the worker's defaults hold.
 *
 * @throws `CommandError`, status 2, with everything that is wrong
 */
export const readTeam = reader('team', checkTeam, defaultTeam);
export const readResearch = reader('research', checkResearch, () => researchSchema.parse({ research: {} }));
export const readPlan = reader('plan', checkPlan, () => planSchema.parse({ plan: {} }));

/** The same for a session. Where it may be open already (`options.id`), nobody is asked anything. */
export async function readConversation(shell: Shell, options: CommonOptions): Promise<object | undefined> {
  const blank: Blank = ({ model, fallback, usd, tools }, environment, isOwn) => {
    if (options.agents !== undefined) {
      const team = defaultTeam(options);
      return { kind: 'team', team, content: team };
    }
    const backend = model ?? fallback;
    if (backend !== undefined) return agentOn(backend);
    if (usd === undefined && tools === undefined) return undefined;
    if (!isOwn) {
      const option = tools === undefined ? '--budget' : '--tools';
      throw usageError(`${option} needs --model or --config here, since the worker is elsewhere`);
    }
    const own = defaultBackend(environment);
    // The offline model costs nothing, and the worker says that it is used.
    return own.type === 'offline' && tools === undefined ? undefined : agentOn(own);
  };
  const config = await read(shell, options, checkConversation, blank, options.id === undefined);
  return config?.content;
}

/** @param isOwn whether the worker has this environment */
type Blank = (choice: Overrides, environment: Environment, isOwn: boolean) => Config | undefined;

/** @param blank what to put the choice into where there is no file; undefined for the default agent */
async function read(
  shell: Shell,
  options: CommonOptions,
  check: (content: unknown) => Checked<Config>,
  blank: Blank,
  mayPrompt = true,
): Promise<Config | undefined> {
  const written = options.config === undefined ? undefined : readFile(shell, options.config, check);
  if (written !== undefined && options.agents !== undefined)
    throw usageError(
      `--agents makes a team of its own, and ${options.config} says who takes part; leave one of them out`,
    );
  const { environment } = shell;
  const isOwn = await areWorkersOwn(shell, options);
  const choice = await choose(shell, options, written, isOwn, mayPrompt && !options.json);
  const base = written ?? blank(choice, environment, isOwn);
  const consent = { isThere: shell.canPrompt, yes: options.yes ?? false };
  const config = base && withOverrides(base, { ...choice, consent });
  // Workers of others have keys of their own; this person's has the keys of this command.
  if (isOwn) {
    const { backends, missing } = config
      ? inspectConfig(shell, config, dirname(shell.path(options.config ?? 'x')))
      : {
          backends: [defaultBackend(environment)],
          missing: preflight(agentKind, defaultAgent(environment), environment),
        };
    if (missing.length > 0) throw usageError(missing.join('\n'));
    await checkModels(backends, options, environment);
  }
  const isChosen = options.agents !== undefined || Object.values(choice).some((each) => each !== undefined);
  return written === undefined && !isChosen ? undefined : config;
}

/** Reads a configuration. @throws `CommandError`, status 2, with all that is wrong with it */
export function readFile(shell: Shell, file: string, check: (content: unknown) => Checked<Config>): Config {
  const found = readConfigFile(file, check, shell.cwd);
  if (!found.ok) throw usageError(found.problems.join('\n'));
  return found.config;
}

async function choose(
  shell: Shell,
  options: CommonOptions,
  written: Config | undefined,
  isOwn: boolean,
  mayPrompt: boolean,
): Promise<Overrides> {
  const { environment } = shell;
  const { model: name, maxTokens, budget: usd, tools } = options;
  const others = { maxTokens, usd, tools };
  if (name !== undefined) return { model: backendOf(name, environment, '--model: '), ...others };
  if (written !== undefined && !needsDefault(written)) return others;
  const fallback = defaultBackend(environment);
  if (environment.REPRISE_MODEL !== undefined) return { fallback, ...others };
  if (!isOwn && maxTokens !== undefined)
    throw usageError('--max-tokens needs --model or --config here, since the worker is elsewhere');
  if (!isOwn || fallback.type !== 'offline') return maxTokens === undefined ? others : { fallback, ...others };
  return { fallback: await offerServer(shell, mayPrompt), ...others };
}

async function checkModels(backends: Backend[], options: CommonOptions, environment: Environment): Promise<void> {
  const { REPRISE_MODEL: usual } = environment;
  const isOfFile = options.config !== undefined && options.model === undefined;
  const others = usual === undefined ? 'Without --model' : `REPRISE_MODEL=${usual}`;
  const from = options.model === undefined ? (options.config ?? others) : `--model ${options.model}`;
  const distinct = new Map(backends.map((backend) => [`${backend.base_url} ${modelOf(backend)}`, backend]));
  // Who names a server for this run means that it is there. What a file names may come later.
  const check = (backend: Backend): Promise<void> =>
    checkModel(from, backend, environment, !isOfFile && backend.base_url !== undefined);
  await Promise.all([...distinct.values()].map(check));
}

/** @throws `CommandError`, status 2, if the user's file of prices cannot be read */
export function inspectConfig(shell: Shell, config: CheckedConfig, folder: string) {
  const { environment } = shell;
  const [kind, said] = partsOf(config);
  const settings = kind.complete(said, environment);
  const roles = Object.values(kind.roles(settings));
  const backends = roles.map(({ backend }) => backend);
  const { warnings, problems } = findPrices(backends, settings, ownPrices(shell), environment);
  return {
    roles,
    backends,
    /** What would keep it from running there, such as a key that is not set. */
    missing: [...preflight(kind, settings, environment), ...missingSdk(backends, folder), ...problems],
    /** What a person should know of its models' prices, and of its tools. */
    warnings: [...(problems.length > 0 ? [] : warnings), ...searchNotices(roles, environment)],
    text: [kind.describe(settings), ...describeNotify(settings.notify, environment)].join('\n'),
  };
}

function ownPrices({ cwd, environment }: Shell): ReturnType<typeof readPrices> {
  try {
    return readPrices(environment, cwd);
  } catch (error) {
    throw usageError(`REPRISE_PRICES: ${error instanceof Error ? error.message : String(error)}`);
  }
}
