import type { Kind } from '../config/kinds.ts';
import {
  address,
  attachment,
  backendType,
  baseUrl,
  command,
  commandMode,
  commandVariables,
  extraBody,
  folder,
  folderInConfig,
  headers,
  keyVariable,
  modulePath,
  never,
  noVariables,
  repository,
  toolPackage,
  type Rule,
} from './rules.ts';
import type { Entry, Reach } from './refusals.ts';

const harmless: Entry = {};
const reaches = (reach: Reach, rule: Rule): Entry => ({ reach, rule });
const mapping = (keys: Record<string, Entry>): Entry => ({ keys });
const list = (each: Entry): Entry => ({ each });

const mcpServer = mapping({
  name: harmless,
  transport: harmless,
  command: reaches('commands', command),
  // They go with the command.
  args: harmless,
  env: reaches('keys', commandVariables),
  url: reaches('hosts', address),
  headers: reaches('keys', noVariables),
  client_credentials: mapping({
    issuer: reaches('hosts', address),
    client_id: harmless,
    client_secret: reaches('keys', noVariables),
    scope: harmless,
  }),
  timeout: harmless,
});

const mcpServers = list(mcpServer);
const toolPackages = list(reaches('modules', toolPackage));

const backend = mapping({
  type: reaches('commands', backendType),
  model: harmless,
  base_url: reaches('hosts', baseUrl),
  api_key_env: reaches('keys', keyVariable),
  temperature: harmless,
  max_tokens: harmless,
  reasoning_effort: harmless,
  effort: harmless,
  extra_body: reaches('hosts', extraBody),
  headers: reaches('keys', headers),
  max_retries: harmless,
  idle_timeout: harmless,
  folder: reaches('files', folder),
  mcp_servers: mcpServers,
  max_turns: harmless,
  cwd: reaches('files', folderInConfig),
  // In a container, unless the mode says otherwise.
  enable_mcp_command_line: harmless,
  command_line_execution_mode: reaches('commands', commandMode),
});

const role = mapping({ backend });

const asking = {
  broadcast: harmless,
  broadcast_timeout: harmless,
  max_broadcasts_per_agent: harmless,
  broadcast_sensitivity: harmless,
  response_depth: harmless,
};

const common = {
  $schema: harmless,
  budget: mapping({ calls: harmless, tokens: harmless, usd: harmless, seconds: harmless }),
  prices: list(mapping({ input: harmless, cachedInput: harmless, output: harmless })),
  permissions: list(mapping({ tool: harmless, arguments: harmless, action: harmless })),
  attended: harmless,
};

const solo = { ...common, coordination: mapping(asking) };

const loop = { orchestrator: reaches('modules', modulePath), max_thoughts: harmless, max_iterations: harmless };

const team = mapping({
  ...common,
  agents: list(mapping({ id: harmless, system_message: harmless, ...loop, tool_packages: toolPackages, backend })),
  final_agent: mapping({ backend, judge: role }),
  timeout_settings: mapping({ orchestrator_timeout_seconds: harmless, agent_timeout_seconds: harmless }),
  orchestrator: mapping({
    snapshot_storage: reaches('files', folderInConfig),
    // A place in workspaces, which are in the store.
    agent_temporary_workspace: harmless,
    restart_workspace: harmless,
    coordination: mapping({
      max_orchestration_restarts: harmless,
      enable_post_presentation_evaluation: harmless,
      max_new_answers_per_agent: harmless,
      answer_novelty_requirement: harmless,
      enable_planning_mode: harmless,
      ...asking,
    }),
  }),
  idle_timeout: harmless,
});

/** The type of backend that a module is, by its name. */
export const typesOfModules: Record<string, string> = {
  OpenAIProvider: 'openai',
  OpenAILLM: 'openai',
  AnthropicLLM: 'claude',
  GoogleLLM: 'gemini',
  ChatCompletionLLM: 'chatcompletion',
  OfflineLLM: 'offline',
};

const backendOfModule = (type: string): Entry => ({ ...backend, seen: (config) => ({ ...config, type }) });

/** What every key of a module's `config:` reaches, by the module's name. */
export const moduleEntries: Record<string, Entry> = {
  ...Object.fromEntries(Object.entries(typesOfModules).map(([name, type]) => [name, backendOfModule(type)])),
  PythonToolProvider: mapping({ tool_packages: toolPackages }),
  MCPToolProvider: mapping({ servers: mcpServers, timeout: harmless }),
  SimpleToolOrchestrator: mapping({ system_prompt: harmless, max_thoughts: harmless, parallel: harmless }),
  ReActOrchestrator: mapping({
    system_prompt: harmless,
    thought_prompt: harmless,
    action_prompt: harmless,
    observation_prompt: harmless,
    error_prompt: harmless,
    max_iterations_prompt: harmless,
    max_iterations: harmless,
    show_reasoning: harmless,
    reasoning_temperature: harmless,
  }),
  ResponseHandler: mapping({}),
  SimpleConversation: mapping({}),
};

/** The `config:` of a module. That of a user's own goes with its path, which is refused by itself. */
function configOf({ module }: Record<string, unknown>): Entry {
  const name = typeof module === 'string' ? module.slice(module.lastIndexOf('.') + 1) : '';
  return Object.hasOwn(moduleEntries, name) ? (moduleEntries[name] ?? harmless) : harmless;
}

const agent = mapping({
  ...solo,
  modules: list(mapping({ module: reaches('modules', modulePath), id: harmless, config: { choose: configOf } })),
  exchange: list(mapping({ module: harmless, protocol: harmless, provider: harmless })),
  idle_timeout: harmless,
});

const weights = list(harmless);

const search = mapping({
  provider: harmless,
  folder: reaches('files', folder),
  max_results: harmless,
  read_pages: harmless,
});

const githubIssue = mapping({ repo: reaches('hosts', repository), labels: harmless });

const research = mapping({
  ...solo,
  research: mapping({
    backend,
    plan: role,
    criticism: role,
    synthesize: role,
    min_viability_score: harmless,
    max_planning_iterations: harmless,
    max_similar_implementations: harmless,
    on_missing_score: harmless,
    weights,
    domain: harmless,
    domains: list(mapping({ min_viability_score: harmless, weights })),
    search,
    approval: harmless,
    github_issue: githubIssue,
  }),
});

const plan = mapping({
  ...solo,
  plan: mapping({
    backend,
    planner: role,
    validator: role,
    synthesis: role,
    executor: mapping({ backend, ...loop, tool_packages: toolPackages, mcp_servers: mcpServers }),
    max_retries: harmless,
    max_parallel_subtasks: harmless,
    max_subtasks: harmless,
  }),
});

/** What every key of every kind of configuration reaches. */
export const configEntries: Record<Kind, Entry> = { team, agent, research, plan };

/** A configuration of whichever kind: what it is shows by its keys, and a wrong one is refused before. */
const config: Entry = {
  keys: { ...team.keys, ...agent.keys, ...research.keys, ...plan.keys },
};

const conversation = list(mapping({ role: harmless, content: harmless }));
const signature = harmless;
const attachments = list({
  reach: 'files',
  rule: attachment,
  keys: { path: harmless, name: harmless, data: harmless },
});

/** What every key of the workflows' inputs reaches. A configuration that is named, instead of brought, reaches nothing. */
export const inputEntries = {
  orchestration: mapping({
    task: harmless,
    config,
    history: conversation,
    humanQa: list(mapping({ question: harmless, answer: harmless })),
    signature,
  }),
  session: mapping({
    config,
    history: conversation,
    text: harmless,
    earlier: reaches('keys', never('say what an earlier run of the session has come to')),
    signature,
  }),
  research: mapping({ idea: harmless, config, signature }),
  planAndExecute: mapping({
    problem: harmless,
    attachments,
    config,
    signature,
  }),
} satisfies Record<string, Entry>;

export type InputName = keyof typeof inputEntries;

/** Entries of what activities are asked for. */
export const partEntries = {
  backend,
  mcp: mcpServer,
  package: reaches('modules', toolPackage),
  search,
  issue: githubIssue,
  folder: reaches('files', folderInConfig),
  attachments,
} satisfies Record<string, Entry>;

export type PartName = keyof typeof partEntries;
