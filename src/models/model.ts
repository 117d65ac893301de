import type { AssistantMessage, ImageRef, Message, TokenUsage, ToolSpec } from '../protocol/message.ts';
import type { Finish, ToolChoice } from '../protocol/model-call.ts';
import type { Capabilities } from '../config/models/model-capabilities.ts';
import { isObject, parsedJson } from '../util/values.ts';
import type { Effort } from '../protocol/settings.ts';
import type { Endpoint } from './failures.ts';
import type { ParameterQuirks } from './parameter-quirks.ts';

/** What is absent is the provider's. */
export interface ModelSettings {
  model: string;
  temperature?: number | undefined;
  maxTokens?: number | undefined;
  effort?: Effort | undefined;
  extraBody?: Record<string, unknown> | undefined;
  capabilities: Capabilities;
}

export interface ModelRequest {
  messages: Message[];
  images?: LoadedImages;
  /** The tools of the conversation, the same in all its requests. */
  tools: ToolSpec[];
  /** `auto` if absent. */
  toolChoice?: ToolChoice;
  /** One of these is to be called, written as JSON by a schema: for models that do not call what they should. */
  bySchema?: string[];
  /** Aborts the request. The model then rejects with the signal's reason. */
  signal: AbortSignal;
  /** 1 if absent. A later try is given more time to stay silent. */
  attempt?: number;
  /** The request is not sent if it rejects. */
  beforeSend?: () => Promise<void>;
  /** @param thought how many characters came that are not shown, and cost as much */
  onDelta: (delta: string, thought?: number) => void;
}

export interface ModelResponse {
  message: AssistantMessage;
  finish: Finish;
  isFull?: true;
  usage: TokenUsage;
  /** The model that replied, as the provider names it; absent where it does not say. */
  model?: string | undefined;
  notices?: string[];
}

export interface Wire {
  settings: ModelSettings;
  endpoint: Endpoint;
  quirks: ParameterQuirks;
}

/** One model behind one wire. Its errors are `ApplicationFailure`s with the types of `models/failures.ts`. */
export interface Model {
  complete(request: ModelRequest): Promise<ModelResponse>;
  /** How many tokens of context its server has loaded it with, if that says so. */
  servedContext?: () => Promise<number | undefined>;
}

export type LoadedImages = ReadonlyMap<string, string>;

export function imageData(images: LoadedImages, { blob }: ImageRef): string {
  const data = images.get(blob);
  if (data === undefined) throw new Error(`The image ${blob} was not loaded`);
  return data;
}

/** JSON that every provider can read. What is no object goes back as text, under a name that says so. */
export function readableArguments(text: string): string {
  if (text.trim() === '') return '{}';
  return isObject(parsedJson(text)) ? text : JSON.stringify({ unreadable_arguments: text });
}
