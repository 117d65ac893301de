import { effortProblem } from './models/model-capabilities.ts';
import { modelOf } from './models/providers.ts';
import { everydayTools, withEveryday } from './tools/everyday-tools.ts';
import { entry, kindOf } from './modules.ts';
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
export function withOverrides({ content: written, kind }: Config, overrides: Overrides): Config {
  const { consent = { isThere: false, yes: false }, fallback, maxTokens, model, tools, usd } = overrides;
  let content = written as Mapping;
  if (usd !== undefined) content = { ...content, budget: { ...(content['budget'] as object | undefined), usd } };
  if (tools === true) content = withTools(content, kind);
  if (model !== undefined) content = withBackends(content, kind, (backend = {}) => replaced(backend, model));
  else if (fallback !== undefined) content = withBackends(content, kind, (backend = fallback) => backend);
  if (maxTokens !== undefined)
    content = withBackends(content, kind, (backend) => backend && { ...backend, max_tokens: maxTokens });
  return valid({ ...content, ...withConsent(written, consent) });
}

/** Whatever is put in here is valid where the rest is. */
function valid(content: object): Config {
  const checked = checkConfig(content);
  if (!checked.ok) throw new Error(JSON.stringify(checked.problems));
  return checked.value;
}

type Mapping = Record<string, unknown>;

const rolesOf = {
  research: ['plan', 'criticism', 'synthesize'],
  plan: ['planner', 'validator', 'synthesis', 'executor'],
};

/** Changes all backends. @param change gives that of somebody who needs one where none is written, too */
function withBackends(
  content: Mapping,
  kind: Config['kind'],
  change: (written?: object) => object | undefined,
): Mapping {
  const needed = (owner: Mapping): Mapping => {
    const backend = change(owner['backend'] as object | undefined);
    return backend === undefined ? owner : { ...owner, backend };
  };
  const given = (role: unknown): unknown => (isObject(role) && role['backend'] !== undefined ? needed(role) : role);
  switch (kind) {
    case 'team': {
      const { agents = change() && defaultAgents(), final_agent } = content;
      return {
        ...content,
        agents: (agents as Mapping[] | undefined)?.map(needed),
        ...(isObject(final_agent) && {
          final_agent: { ...(given(final_agent) as Mapping), judge: given(final_agent['judge']) },
        }),
      };
    }
    case 'agent':
      return { ...content, modules: (content['modules'] as Mapping[]).map((module) => withConfig(module, change)) };
    case 'research':
    case 'plan': {
      const settings = content[kind] as Mapping;
      const roles = rolesOf[kind].map((role) => [role, given(settings[role])] as const);
      return { ...content, [kind]: { ...needed(settings), ...Object.fromEntries(roles) } };
    }
  }
}

/** Changes the backend that a module is, if it is a model. */
function withConfig(module: Mapping, change: (backend: object) => object | undefined): Mapping {
  const { module: name, config } = module;
  const own = typeof name === 'string' ? kindOf(name)?.type : undefined;
  if (own === undefined) return module;
  const { type, ...keys } = change({ type: own, ...(config as object | null) }) as Backend;
  return { ...module, module: type === own ? name : moduleOf[type], config: keys };
}

function withTools(content: Mapping, kind: Config['kind']): Mapping {
  const { agents = defaultAgents(), modules, exchange, plan } = content;
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
export const moduleOf: Partial<Record<Backend['type'], string>> = {
  openai: 'OpenAILLM',
  claude: 'AnthropicLLM',
  gemini: 'GoogleLLM',
  chatcompletion: 'ChatCompletionLLM',
  offline: 'OfflineLLM',
};

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
