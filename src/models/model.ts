import type { AssistantMessage, Message, TokenUsage, ToolSpec } from '../protocol/message.ts';
import type { Finish, ToolChoice } from '../protocol/model-call.ts';
import type { ImageRef } from '../protocol/message.ts';

export interface ModelRequest {
  messages: Message[];
  /** The images that messages name, in base64 by the id of their blob; absent where they name none. */
  images?: LoadedImages;
  tools: ToolSpec[];
  toolChoice?: ToolChoice;
  /** Aborts the request; the model then rejects with the signal's reason. */
  signal: AbortSignal;
  /** Called with each new piece of text or of tool arguments as it streams in. */
  onDelta: (delta: string) => void;
}

export interface ModelResponse {
  message: AssistantMessage;
  finish: Finish;
  usage: TokenUsage;
}

/** One model behind one wire. Errors leave as `ApplicationFailure`s, typed by `models/failures.ts`. */
export interface Model {
  complete(request: ModelRequest): Promise<ModelResponse>;
}

/** Images that were loaded for a request: base64 by the id of their blob. */
export type LoadedImages = ReadonlyMap<string, string>;

/** The content of an image in base64. @throws where the request came without it */
export function imageData(images: LoadedImages, { blob }: ImageRef): string {
  const data = images.get(blob);
  if (data === undefined) throw new Error(`The image ${blob} was not loaded`);
  return data;
}
