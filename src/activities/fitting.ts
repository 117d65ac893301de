import { ApplicationFailure } from '@temporalio/common';
import type { Backend } from '../config/backend.ts';
import { capabilitiesOf } from '../models/capabilities.ts';
import type { LoadedImages, Model, ModelRequest, ModelResponse } from '../models/model.ts';
import type { Message, ToolSpec } from '../protocol/message.ts';
import { compacted, tokensOf, tokensOfTools } from './compact.ts';

/** A request whose messages may be shortened before it is sent. */
type Request = Omit<ModelRequest, 'images' | 'messages'> & {
  attempt: number;
  loadImages: (messages: Message[]) => Promise<LoadedImages>;
};

type Response = ModelResponse & { notices: string[] };

/** The most of a context that is kept free for the reply. */
const replyShare = 1 / 4;

/** To what share of itself a conversation is shortened that a provider has refused. */
const afterRefusal = 0.6;

/** What the wires call the failure of a request that is longer than the model's context. */
const contextTooLong = 'ContextTooLong';

/**
 * Makes the function that sends a conversation to a model. One that is longer than the model's context by an estimate, or
 * that the provider refuses for it, is sent in a shortened form (see `compacted`), with a notice that says so. How much a
 * provider takes is remembered as long as this process lives.
 *
 * @throws what the model throws; `ApplicationFailure` of type `ContextTooLong`, not retryable, if nothing more can be left out
 */
export function fittingRequests(openModel: (backend: Backend) => Model) {
  const refused = new Map<string, number>();

  return async function send(backend: Backend, conversation: Message[], request: Request): Promise<Response> {
    const { loadImages, ...rest } = request;
    const model = openModel(backend);
    const id = `${backend.type} ${backend.base_url} ${backend.model}`;
    const room = roomIn(backend, request.tools);
    let messages =
      backend.type === 'offline' ? conversation : compacted(conversation, Math.min(room, refused.get(id) ?? room));
    for (;;) {
      const images = await loadImages(messages);
      const sent = messages;
      try {
        const response = await model.complete({ ...rest, messages: sent, ...(images.size > 0 && { images }) });
        const notices = [...(response.notices ?? []), ...(sent === conversation ? [] : [shortened(backend)])];
        return { ...response, notices };
      } catch (error) {
        if (!(error instanceof ApplicationFailure) || error.type !== contextTooLong) throw error;
        const size = tokensOf(sent);
        messages = compacted(conversation, Math.floor(size * afterRefusal));
        if (tokensOf(messages) >= size) throw tooLong(error);
        refused.set(id, Math.floor(size * afterRefusal));
      }
    }
  };
}

/** How many tokens of a conversation a model's context has room for, besides the tools and the reply. */
function roomIn(backend: Backend, tools: ToolSpec[]): number {
  const { contextTokens, outputTokens } = capabilitiesOf(backend);
  const reply = Math.min(backend.max_tokens ?? outputTokens, contextTokens * replyShare);
  return Math.max(0, contextTokens - reply - tokensOfTools(tools));
}

const shortened = ({ model, type }: Backend): string =>
  `The conversation was shortened to fit the context of ${model ?? type}: older messages were cut or left out`;

function tooLong({ details, message }: ApplicationFailure): ApplicationFailure {
  return ApplicationFailure.create({
    type: contextTooLong,
    nonRetryable: true,
    message: `${message} (nothing more of the conversation can be left out)`,
    ...(details != null && { details }),
  });
}
