/** The format of conversations throughout Reprise. Only `src/models` knows the formats of providers. */

/** An image in the store, which holds it in base64. */
export interface ImageRef {
  blob: string;
  mediaType: string;
}

/** A stored blob, by its id. */
export interface BlobRef {
  blob: string;
  /** For people who read the history: how the text begins; of a tool set, the names of its tools. Nothing else reads it. */
  preview?: string;
}

/** Names a text that is in the store already, so that inputs need not repeat it. */
export type TextRef =
  | BlobRef
  /** The text of a model's reply, by its segment in the store, or one string argument of a tool call in that reply. */
  | { segment: string; call?: { id: string; argument: string }; preview?: string };

export type Text = string | TextRef;

/** Of a message that is still to be sent: one text, or several that are joined without a separator. */
export type Content = Text | Text[];

interface SystemMessage<C = string> {
  role: 'system';
  content: C;
}

export interface UserMessage<C = string> {
  role: 'user';
  content: C;
  /** For models that take images. Absent rather than empty: an empty list would change the segment's hash. */
  images?: ImageRef[];
}

/** A tool call as the model wrote it. `arguments` stays unparsed JSON, so that it is sent back byte for byte. */
export interface ToolCall {
  id: string;
  name: string;
  arguments: string;
}

export interface AssistantMessage<C = string> {
  role: 'assistant';
  content: C;
  toolCalls?: ToolCall[];
  /** Data that only the provider understands, such as signed thinking blocks. It is sent back over the same wire alone. */
  opaque?: { wire: string; data: unknown };
}

export interface ToolMessage<C = string> {
  role: 'tool';
  callId: string;
  content: C;
  /** What the tool shows besides its text, for models that take images. Absent rather than empty. */
  images?: ImageRef[];
}

/** A message with its text in place, as models get it. */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

/** A message as segments hold it: texts that are stored by themselves are named. */
export type StoredMessage =
  | SystemMessage<StoredContent>
  | UserMessage<StoredContent>
  | AssistantMessage<StoredContent>
  | ToolMessage<StoredContent>;
type StoredContent = string | Array<string | BlobRef>;

/** A message for the activity `callModel`. It may name texts by reference. */
export type NewMessage =
  | SystemMessage<Content>
  | UserMessage<Content>
  | AssistantMessage<Content>
  | ToolMessage<Content>;

/** A conversation in the store: the id of its last segment, and the number of messages in the whole chain. */
export interface TranscriptRef {
  id: string;
  messages: number;
}

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
  /** Whether a call of it counts that a model writes as text, as only tools by which agents reply to the workflow have it. */
  asText?: true;
  /** Whether models are not offered it, but find it by `find_tools` and call it by `call_tool` (src/tools/mcp/find.ts). */
  isSearched?: true;
}

/** A tool by which an agent replies to the workflow. @param required the names of those that a call must have; absent: all */
export const replyTool = (
  name: string,
  description: string,
  properties: Record<string, unknown>,
  required = Object.keys(properties),
): ToolSpec => ({ name, asText: true, description, parameters: { type: 'object', properties, required } });

/** Tokens as the provider counts them. `inputTokens` includes the tokens read from its cache. */
export interface TokenUsage {
  inputTokens: number;
  cachedInputTokens: number;
  outputTokens: number;
  /** What they have cost in US dollars, where that is known otherwise than by their numbers: for several requests in one. */
  costUsd?: number;
  /** True when Reprise has estimated the numbers because the provider gave none, as for a cancelled stream. */
  estimated?: boolean;
}

export const callsIn = (message: Message): ToolCall[] =>
  message.role === 'assistant' ? (message.toolCalls ?? []) : [];

export const imagesIn = (message: Message): ImageRef[] =>
  message.role === 'user' || message.role === 'tool' ? (message.images ?? []) : [];
