/**
 * What a custom orchestrator sees: `import type { OrchestratorContext } from 'reprise/orchestrator'`.
 * Its file exports `handleText`, and its other types are here for it to name.
 */

/** A tool call that a model asks for. */
export interface OrchestratorToolCall {
  id: string;
  name: string;
  arguments: Record<string, unknown>;
  /** Why the arguments do not fit the tool; `arguments` is empty then. */
  error?: string;
}

/** A message of a conversation with a model. `callId` names the tool call that a `tool` message answers. */
export type OrchestratorMessage =
  | { role: 'system' | 'user'; content: string }
  | { role: 'assistant'; content: string; toolCalls?: OrchestratorToolCall[] }
  | { role: 'tool'; content: string; callId: string };

/** What a model said: a message as it stands, to be put behind those that it answers. */
export interface OrchestratorReply {
  role: 'assistant';
  content: string;
  /** Empty: it asks for none. */
  toolCalls: OrchestratorToolCall[];
}

export interface GenerateOptions {
  /** 0 to 2; absent: the backend's own. */
  temperature?: number;
  /** Whether the model is offered the agent's tools; default false. */
  tools?: boolean;
}

export interface OrchestratorTool {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  parameters: object;
}

/** `error`: the tool reports a failure; `exception`: it broke. Both are for the model, or for you, to see. */
export interface OrchestratorToolResult {
  status: 'ok' | 'error' | 'exception';
  /** What came of it; over 8 KB its beginning. As the content of the message that answers the call it stands for the whole. */
  text: string;
}

export interface OrchestratorContext {
  llm: {
    /**
     * One call of the model: paid for once, also when the worker dies meanwhile.
     *
     * @throws `Error` when the model has failed for good, or the budget is spent
     */
    generate: (messages: OrchestratorMessage[], options?: GenerateOptions) => Promise<OrchestratorReply>;
  };
  tools: {
    list: () => Promise<OrchestratorTool[]>;
    /** Runs a tool by its name, or a call of a reply as it stands. What goes wrong is in the result. */
    execute: {
      (name: string, args?: Record<string, unknown>): Promise<OrchestratorToolResult>;
      (call: OrchestratorToolCall): Promise<OrchestratorToolResult>;
    };
  };
  /** The conversation before this turn, oldest first: the newest million characters of it. */
  history: Array<{ role: 'system' | 'user' | 'assistant'; content: string }>;
  /** Shows the person a text at once. */
  respond: (text: string) => void;
  /** `config:` of the orchestrator's module. */
  config: Record<string, unknown>;
}

/**
 * Takes one turn of a conversation. The answer is the text that it returns; without one, the last that it responded with.
 */
export type HandleText = (text: string, context: OrchestratorContext) => Promise<string | void> | string | void;
