/**
 * The types for a custom orchestrator, a file that exports `handleText`. Its author imports them from
 * `reprise/orchestrator`.
 */

/** A tool call that a model asks for. */
export interface OrchestratorToolCall {
  id: string;
  name: string;
  arguments: Record<string, unknown>;
  /** Why the arguments do not fit the tool; `arguments` is empty then. */
  error?: string;
}

/** A message in a conversation with a model. `callId` names the tool call that a `tool` message answers. */
export type OrchestratorMessage =
  | { role: 'system' | 'user'; content: string }
  | { role: 'assistant'; content: string; toolCalls?: OrchestratorToolCall[] }
  | { role: 'tool'; content: string; callId: string };

/** What a model said. It is itself a message, to be appended to the messages that it answers. */
export interface OrchestratorReply {
  role: 'assistant';
  content: string;
  /** Empty when the model asks for no tool. */
  toolCalls: OrchestratorToolCall[];
}

export interface GenerateOptions {
  /** 0 to 2; the default is the backend's own. */
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

/** The status is `error` when the tool reports a failure, and `exception` when it breaks. Neither is thrown. */
export interface OrchestratorToolResult {
  status: 'ok' | 'error' | 'exception';
  /**
   * The result, or its beginning when it is over 8 KB. A `tool` message with this text as its content gives the model
   * the whole result.
   */
  text: string;
}

export interface OrchestratorContext {
  llm: {
    /**
     * Calls the model once. The call is paid for once even if the worker dies meanwhile.
     *
     * @throws `Error` when the model has failed for good, or when the budget is spent
     */
    generate: (messages: OrchestratorMessage[], options?: GenerateOptions) => Promise<OrchestratorReply>;
  };
  tools: {
    list: () => Promise<OrchestratorTool[]>;
    /** Runs a tool by its name, or a tool call from a reply. Failures are in the result. */
    execute: {
      (name: string, args?: Record<string, unknown>): Promise<OrchestratorToolResult>;
      (call: OrchestratorToolCall): Promise<OrchestratorToolResult>;
    };
  };
  /** The last million characters of the conversation before this turn, oldest message first. */
  history: Array<{ role: 'system' | 'user' | 'assistant'; content: string }>;
  /** Shows a text to the person at once. */
  respond: (text: string) => void;
  /** The `config:` of the orchestrator's module. */
  config: Record<string, unknown>;
}

/** Takes one turn of a conversation. The answer is the text that it returns, else the last text that it responded with. */
export type HandleText = (text: string, context: OrchestratorContext) => Promise<string | void> | string | void;
