import type { PermissionRule } from './tools/permissions.ts';
import type { SearchSettings } from './search.ts';
import type { Budget, PriceTable } from './usage.ts';

/**
 * Configurations that are checked and completed, which is how workflows know them. What a file may say, with its defaults,
 * is in the schemas of `src/config`; their keys keep their names here.
 */

/**
 * `openai` speaks Responses, `gemini` and `chatcompletion` Chat Completions, `claude` Anthropic's Messages. `claude_code` is no
 * model but an agent of its own, which works on its files with its own tools.
 */
export type BackendType = 'openai' | 'claude' | 'gemini' | 'chatcompletion' | 'claude_code' | 'offline';

export type Effort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh';

export interface Sealed {
  /** By which a worker knows that a configuration it trusts says so; never part of a configuration. */
  seal?: string | undefined;
}

/** A model, and how it is asked. What is absent is the provider's default, or as the schema of `src/config` says. */
export interface Backend extends Sealed {
  type: BackendType;
  model?: string | undefined;
  base_url?: string | undefined;
  /** The variable that holds the key. */
  api_key_env?: string | undefined;
  temperature?: number | undefined;
  /** Whether the temperature is that of an agent's loop, and nobody has asked for one; never part of a configuration. */
  is_loops_temperature?: boolean | undefined;
  max_tokens?: number | undefined;
  reasoning_effort?: Effort | undefined;
  extra_body?: Record<string, unknown> | undefined;
  headers?: Record<string, string> | undefined;
  max_retries?: number | undefined;
  /** In seconds. */
  idle_timeout?: number | undefined;
  folder?: string | undefined;
  mcp_servers?: McpServer[] | undefined;
  max_turns?: number | undefined;
  cwd?: string | undefined;
  enable_mcp_command_line?: boolean | undefined;
  command_line_execution_mode?: 'local' | 'docker' | undefined;
}

/** Where tools come from, as a configuration names it. */
export interface ToolSources {
  /** `tools.weather` is `tools/weather.ts` in the extensions folder; `builtin.calculator` is one of Reprise's own. */
  packages: string[];
  mcpServers: McpServer[];
  /** The seals of packages that are modules of the user's own; never part of a configuration. */
  seals?: Record<string, string>;
}

/**
 * A server of tools that speaks the Model Context Protocol: a command that speaks it over stdio, or an HTTP address.
 * `${NAME}` in a value of `env` or `headers` stands for a variable of the worker's environment. It is replaced only when
 * the server is started, which keeps the variable's value out of configurations and histories.
 */
export type McpServer = Sealed & {
  name: string;
  /** Seconds that a call of one of its tools may take; if absent, the default of all tools. */
  timeout?: number | undefined;
} & (
    | { command: string; args: string[]; env?: Record<string, string> | undefined }
    | {
        url: string;
        headers?: Record<string, string> | undefined;
        /** By which the worker itself logs in (OAuth's grant `client_credentials`); the secret names a variable. */
        client_credentials?:
          | { issuer: string; client_id: string; client_secret: string; scope?: string | undefined }
          | undefined;
      }
  );

/** Settings of the loop `simple_tool` (xaibo's documentation, SimpleToolOrchestrator). */
export interface SimpleToolSettings {
  system_prompt: string;
  max_thoughts: number;
  parallel: boolean;
}

/** Settings of the loop `react` (xaibo's documentation, ReActOrchestrator). Absent prompts default to Reprise's own. */
export interface ReActSettings {
  system_prompt?: string | undefined;
  thought_prompt?: string | undefined;
  action_prompt?: string | undefined;
  observation_prompt?: string | undefined;
  error_prompt?: string | undefined;
  max_iterations_prompt?: string | undefined;
  max_iterations: number;
  show_reasoning: boolean;
  reasoning_temperature: number;
}

/** An agent's loop with its settings. `module` is the path of a user's own loop in the extensions folder: `./mine.ts`. */
export type OrchestratorSettings =
  | ({ kind: 'simple_tool' } & SimpleToolSettings)
  | ({ kind: 'react' } & ReActSettings)
  | { kind: 'custom'; module: string; config: Record<string, unknown> };

type Level = 'low' | 'medium' | 'high';

/** How agents ask with `ask_others` (MassGen's documentation "Agent Communication", Configuration Options). */
export interface Coordination {
  broadcast: false | 'agents' | 'human';
  /** In seconds. */
  broadcast_timeout: number;
  max_broadcasts_per_agent: number;
  broadcast_sensitivity: Level;
  response_depth: Level;
}

interface CommonSettings {
  budget?: Budget | undefined;
  prices?: PriceTable | undefined;
  permissions?: PermissionRule[] | undefined;
  notify?: NotifyEntry[] | undefined;
  attended?: boolean | undefined;
}

interface SoloSettings extends CommonSettings {
  coordination: Coordination;
}

/** An agent that is ready to work. */
export interface AgentSettings {
  id: string;
  system_message?: string | undefined;
  backend: Backend;
  orchestrator: OrchestratorSettings;
  tools: ToolSources;
}

/** A team that is ready to run: every agent has its backend, its loop and its tools. */
export interface Team extends CommonSettings {
  agents: AgentSettings[];
  final_agent?: { backend?: Backend | undefined; judge?: { backend: Backend } | undefined } | undefined;
  timeout_settings: { orchestrator_timeout_seconds: number; agent_timeout_seconds: number };
  orchestrator: {
    snapshot_storage?: string | undefined;
    agent_temporary_workspace?: string | undefined;
    restart_workspace: 'clean' | 'winner';
    coordination: Coordination & {
      max_orchestration_restarts: number;
      enable_post_presentation_evaluation: boolean;
      max_new_answers_per_agent: number;
      answer_novelty_requirement: 'lenient' | 'balanced' | 'strict';
      enable_planning_mode: boolean;
    };
  };
  /** In seconds. */
  idle_timeout?: number | undefined;
  /** The seal of `orchestrator.snapshot_storage`. */
  snapshotSeal?: string;
}

/** As `modules` and `exchange` describe it: its id is that of its orchestrator's module. */
export interface OneAgent extends SoloSettings, Omit<AgentSettings, 'system_message'> {
  /** In seconds. */
  idle_timeout?: number | undefined;
}

/** A plan that is ready to run: every role has its backend, and the executor has its loop and its tools. */
export interface PlanSettings extends SoloSettings {
  backends: Record<'planner' | 'validator' | 'synthesis' | 'executor', Backend>;
  orchestrator: OrchestratorSettings;
  tools: ToolSources;
  max_retries: number;
  max_parallel_subtasks: number;
  max_subtasks: number;
}

/** Research that is ready to run: every role has its backend, and the numbers of its domain are filled in. */
export interface ResearchSettings extends SoloSettings {
  backends: Record<'plan' | 'criticism' | 'synthesize', Backend>;
  /** From 0 to 100. */
  min_viability_score: number;
  max_planning_iterations: number;
  max_similar_implementations: number;
  on_missing_score: 'restart' | 'proceed' | 'fail';
  /** The aspects that the critic scores, and how much each counts. */
  weights: Record<string, number>;
  /** Whether the configuration has set the weights: then a score has to be made of scores for its aspects. */
  hasOwnWeights?: boolean;
  domain?: string | undefined;
  search: SearchSettings;
  approval: boolean;
  /** The repository is written `owner/name`, and the seal is that of the repository. */
  github_issue?: { repo: string; labels: string[]; seal?: string } | undefined;
}

/**
 * What somebody may be told of. `question`: an agent asks a person, or a key is missing. `approval`: a tool call, or the plan
 * of a research run, waits for a person. `final`: a run, or a session's turn, has ended.
 */
export type NotifyEvent = 'question' | 'approval' | 'final';

/** An entry of `notify`. `${NAME}` in its address is replaced only when something is sent. */
export interface NotifyEntry extends Sealed {
  url: string;
  events: NotifyEvent[];
  format: 'standard' | 'slack';
  /** The variable that holds the secret by which is signed. */
  secret_env?: string | undefined;
}
