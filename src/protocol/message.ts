/**
 * The neutral conversation that every room speaks. Providers' own shapes stay inside `models/`.
 */

/** An image that stands in the store. */
export interface ImageRef {
  /** Id of the blob that holds it in base64. */
  blob: string;
  mediaType: string;
}

/** A text that stands in the store (or in an earlier reply) already, named instead of said again. */
export type TextRef =
  /** A stored blob, by its id. */
  | { blob: string }
  /** The text of a reply, by its segment; or one string argument of a tool call in that reply. */
  | { segment: string; call?: { id: string; argument: string } };

export type Text = string | TextRef;

/** What a not yet sent message may hold: one text or several that are joined without a separator. */
export type Content = Text | Text[];

export interface SystemMessage<C = string> {
  role: 'system';
  content: C;
}

export interface UserMessage<C = string> {
  role: 'user';
  content: C;
  /** For models that see; shown with the text. Absent where there are none: an empty list would change what is stored. */
  images?: ImageRef[];
}

/** A call as the model wrote it: `arguments` is its JSON text, unparsed, so that it is sent back byte for byte. */
export interface ToolCall {
  id: string;
  name: string;
  arguments: string;
}

export interface AssistantMessage<C = string> {
  role: 'assistant';
  content: C;
  toolCalls?: ToolCall[];
  /** What only the provider understands (thinking blocks, signatures); sent back to the same wire, left out for others. */
  opaque?: { wire: string; data: unknown };
}

export interface ToolMessage<C = string> {
  role: 'tool';
  callId: string;
  content: C;
}

/** A message with its text at hand: what segments hold and models get. */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

/** A message on its way to `callModel`: texts that the history has already are named by reference. */
export type NewMessage =
  SystemMessage<Content> | UserMessage<Content> | AssistantMessage<Content> | ToolMessage<Content>;

/** A conversation in the store: the id of its last segment, and how many messages the whole chain has. */
export interface TranscriptRef {
  id: string;
  messages: number;
}

/** JSON Schema of a tool's parameters; always of `type: "object"`. */
export interface ParameterSchema {
  type: 'object';
  properties: Record<string, unknown>;
  required?: string[];
  additionalProperties?: boolean;
}

export interface ToolSpec {
  name: string;
  description: string;
  parameters: ParameterSchema;
}

/** Tokens as the provider counts them. `inputTokens` includes those read from its cache. */
export interface TokenUsage {
  inputTokens: number;
  cachedInputTokens: number;
  outputTokens: number;
  /** True where the provider said nothing (a cancelled stream) and the numbers are ours. */
  estimated?: boolean;
}
