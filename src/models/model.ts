import type { AssistantMessage, ImageRef, Message, TokenUsage, ToolSpec } from '../protocol/message.ts';
import type { Finish, ToolChoice } from '../protocol/model-call.ts';
import type { Capabilities } from '../config/models/model-capabilities.ts';
import { isObject, parsedJson } from '../util/values.ts';
import type { Effort } from '../protocol/settings.ts';

/** What a wire needs to know about the model behind it. A temperature or limit that is absent is the provider's. */
export interface ModelSettings {
  model: string;
  temperature?: number | undefined;
  /** In tokens. */
  maxTokens?: number | undefined;
  /** How hard to think; absent leaves it to the provider. */
  effort?: Effort | undefined;
  /** Added to the body of each request as it is. */
  extraBody?: Record<string, unknown> | undefined;
  capabilities: Capabilities;
}

export interface ModelRequest {
  messages: Message[];
  /** The images that the messages name; absent if they name none. */
  images?: LoadedImages;
  /** The tools of the conversation, the same in all its requests. */
  tools: ToolSpec[];
  /** Whether the reply may call them; `auto` if absent. */
  toolChoice?: ToolChoice;
  /**
   * The tools of which the reply is to call one, written as JSON by a schema: for models that do not call what they should.
   * Where a server can be made to call, it is not needed.
   */
  bySchema?: string[];
  /** Aborts the request. The model then rejects with the signal's reason. */
  signal: AbortSignal;
  /** Which try of the call this is, from 1; 1 if absent. A later one is given more time to stay silent. */
  attempt?: number;
  /** Called right before each request is sent, which is not sent if it rejects; absent: nothing. */
  beforeSend?: () => Promise<void>;
  /** Called with each new piece of text or of tool arguments as it streams in. */
  onDelta: (delta: string) => void;
}

export interface ModelResponse {
  message: AssistantMessage;
  finish: Finish;
  /** Whether it was cut off since it took the share of its model's context that is for a reply. */
  isFull?: true;
  usage: TokenUsage;
  /** The model that replied, as the provider names it; absent where it does not say. */
  model?: string | undefined;
  /** What the person who started the run should know, such as a setting that the model does not take. */
  notices?: string[];
}

/** One model behind one wire. Its errors are `ApplicationFailure`s with the types of `models/failures.ts`. */
export interface Model {
  complete(request: ModelRequest): Promise<ModelResponse>;
  /** How many tokens of context its server has loaded it with; absent, or undefined, where that does not say. */
  servedContext?: () => Promise<number | undefined>;
}

/** Images that were loaded for a request, in base64 by the id of their blob. */
export type LoadedImages = ReadonlyMap<string, string>;

/** The content of an image in base64. @throws if it was not loaded for the request */
export function imageData(images: LoadedImages, { blob }: ImageRef): string {
  const data = images.get(blob);
  if (data === undefined) throw new Error(`The image ${blob} was not loaded`);
  return data;
}

/**
 * The arguments of an earlier call as JSON that every provider can read again. What is no object goes back as text,
 * under a name that says so; all else stays byte for byte as the model wrote it.
 */
export function readableArguments(text: string): string {
  if (text.trim() === '') return '{}';
  return isObject(parsedJson(text)) ? text : JSON.stringify({ unreadable_arguments: text });
}
