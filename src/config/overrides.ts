import { effortProblem } from './models/model-capabilities.ts';
import { modelOf } from './models/providers.ts';
import { everydayTools, withEveryday } from './tools/everyday-tools.ts';
import { entry, isModel } from './modules.ts';
import { checkConfig, partsOf, type CheckedConfig, type Config } from './kinds.ts';
import { withConsent } from './tools/permissions.ts';
import { defaultAgents } from './team.ts';
import { isObject } from '../util/values.ts';
import type { Backend, Effort } from '../protocol/settings.ts';

/** What a person chose for a run beside its configuration. */
export interface Overrides {
  /** The backend of everybody, whatever the configuration says (`--model`). */
  model?: Backend | undefined;
  /** The backend of those for whom the configuration names none (`REPRISE_MODEL`, or a server that was found). */
  fallback?: Backend | undefined;
  /** The most that the run may cost, in US dollars (`--budget`). */
  usd?: number | undefined;
  /** The longest reply of everybody's model, in tokens (`--max-tokens`). */
  maxTokens?: number | undefined;
  /** Whether every agent gets the everyday tools beside its own (`--tools`). */
  tools?: boolean | undefined;
  /** Whether a person is there to be asked about tool calls, and whether none need be asked about (`--yes`). */
  consent?: { isThere: boolean; yes: boolean };
}

/**
 * A configuration with what a person chose. A model replaces all backends but for what any provider understands, such as
 * `temperature`; an effort stays if the new model takes it. The budget's other limits stay, and so do an agent's own tools.
 */
export function withOverrides(config: Config, overrides: Overrides): Config {
  const { usd } = overrides;
  const { budget } = config.content as { budget?: object };
  const limited = usd === undefined ? config.content : { ...config.content, budget: { ...budget, usd } };
  const { consent = { isThere: false, yes: false } } = overrides;
  const equipped = overrides.tools === true ? withTools(limited, config.kind) : limited;
  const backed = withBackends(equipped, config.kind, overrides);
  const content = { ...withLongestReply(backed, overrides.maxTokens), ...withConsent(config.content, consent) };
  return valid(content);
}

/** Whatever is put in here is valid where the rest is. */
function valid(content: object): Config {
  const checked = checkConfig(content);
  if (!checked.ok) throw new Error(JSON.stringify(checked.problems));
  return checked.value;
}

type Mapping = Record<string, unknown>;

function withBackends(content: object, kind: Config['kind'], { model, fallback }: Overrides): object {
  if (model === undefined && (fallback === undefined || kind === 'agent')) return content;
  const own = (backend?: object): object | undefined =>
    model === undefined ? (backend ?? fallback) : replaced(backend ?? {}, model);
  /** For somebody who has a backend only if the configuration says so. */
  const given = (role: unknown): unknown =>
    isObject(role) && 'backend' in role ? { ...role, backend: own(role['backend'] as object) } : role;
  const { agents = defaultAgents(), final_agent, modules } = content as Mapping;
  switch (kind) {
    case 'team':
      return {
        ...content,
        agents: (agents as Mapping[]).map((agent) => ({ ...agent, backend: own(agent['backend'] as object) })),
        ...(isObject(final_agent) && {
          final_agent: { ...(given(final_agent) as Mapping), judge: given(final_agent['judge']) },
        }),
      };
    case 'agent':
      return { ...content, modules: (modules as Mapping[]).map((module) => withModel(module, model!)) };
    case 'research':
    case 'plan': {
      const settings = (content as Mapping)[kind] as Mapping;
      const roles = Object.entries(settings).map(([key, value]) => [key, given(value)] as const);
      return { ...content, [kind]: { ...Object.fromEntries(roles), backend: own(settings['backend'] as object) } };
    }
  }
}

/** Sets `max_tokens` of all backends, and of the modules that are models. */
function withLongestReply(content: object, longest: number | undefined): object {
  if (longest === undefined) return content;
  const limited = (backend: unknown): object => ({ ...(backend as object | undefined), max_tokens: longest });
  const walked = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walked);
    if (!isObject(value)) return value;
    const { module, config } = value;
    const entries = Object.entries(value).map(([key, inner]) => [key, walked(inner)] as const);
    if (typeof module === 'string' && isModel(module)) entries.push(['config', limited(config)]);
    if (isObject(value['backend'])) entries.push(['backend', limited(walked(value['backend']))]);
    return Object.fromEntries(entries);
  };
  return walked(content) as object;
}

function withTools(content: object, kind: Config['kind']): object {
  const { agents = defaultAgents(), modules, exchange, plan } = content as Mapping;
  switch (kind) {
    case 'team':
      return { ...content, agents: (agents as Mapping[]).map(equipped) };
    case 'agent':
      return { ...content, ...withToolModule(modules as Mapping[], exchange as Mapping[]) };
    case 'plan': {
      const { executor = {} } = plan as { executor?: Mapping };
      return { ...content, plan: { ...(plan as Mapping), executor: equipped(executor) } };
    }
    case 'research':
      return content;
  }
}

const equipped = (owner: Mapping): Mapping => ({
  ...owner,
  tool_packages: withEveryday(owner['tool_packages'] as string[] | undefined),
});

/** Wires a module of the everyday tools to the one agent, beside those that it has. */
function withToolModule(modules: Mapping[], exchange: Mapping[]): { modules: Mapping[]; exchange: Mapping[] } {
  const ids = modules.map(({ id }) => id);
  const id = ['everyday_tools', ...ids.map((_, index) => `everyday_tools_${index + 2}`)].find(
    (each) => !ids.includes(each),
  );
  const provided = { module: 'PythonToolProvider', id, config: { tool_packages: everydayTools } };
  const agent = exchange.find(({ module }) => module === entry)?.['provider'];
  const wire = { module: [agent].flat()[0], protocol: 'ToolProviderProtocol' };
  const isOwn = ({ module, protocol }: Mapping): boolean => module === wire.module && protocol === wire.protocol;
  const own = exchange.find(isOwn);
  const others = exchange.filter((each) => each !== own);
  return {
    modules: [...modules, provided],
    exchange: [...others, { ...wire, provider: [...[own?.['provider'] ?? []].flat(), id] }],
  };
}

/** The keys of a backend that mean something only to its own provider, or say where that is. */
const ofProvider = ['type', 'model', 'base_url', 'api_key_env', 'headers', 'extra_body', 'max_turns'];

function replaced(written: object, model: Backend): Backend {
  const kept = Object.fromEntries(
    Object.entries(written).filter(
      ([key, value]) =>
        !ofProvider.includes(key) &&
        (key !== 'reasoning_effort' || effortProblem(model.type, modelOf(model) ?? '', value as Effort) === undefined),
    ),
  );
  return { ...kept, ...model };
}

/** The modules by which one agent gets each type of backend. Claude Code is an agent already. */
const moduleOf: Partial<Record<Backend['type'], string>> = {
  openai: 'OpenAILLM',
  claude: 'AnthropicLLM',
  gemini: 'GoogleLLM',
  chatcompletion: 'ChatCompletionLLM',
  offline: 'OfflineLLM',
};

function withModel(module: Mapping, model: Backend): Mapping {
  const { module: name, config } = module;
  if (typeof name !== 'string' || !isModel(name)) return module;
  const { type, ...keys } = replaced(isObject(config) ? config : {}, model);
  return { ...module, module: moduleOf[type], config: keys };
}

/** A configuration of the agent that a session without one has, on a backend of one's choice. */
export function agentOn({ type, ...config }: Backend): Config {
  return valid({
    modules: [
      { module: moduleOf[type], id: 'llm', config },
      { module: 'SimpleToolOrchestrator', id: 'agent' },
    ],
    exchange: [
      { module: entry, protocol: 'TextMessageHandlerProtocol', provider: 'agent' },
      { module: 'agent', protocol: 'LLMProtocol', provider: 'llm' },
    ],
  });
}

/** Whether a configuration leaves somebody without a backend, who then gets the default one. */
export function needsDefault(config: CheckedConfig): boolean {
  const [kind, said] = partsOf(config);
  return kind.named(said).includes(undefined);
}
