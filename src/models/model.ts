import type { AssistantMessage, Message, TokenUsage, ToolSpec } from '../messages/message.ts';
import type { Finish, ToolChoice } from '../messages/model-call.ts';

export interface ModelRequest {
  messages: Message[];
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
