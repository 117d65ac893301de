import { ApplicationFailure } from '@temporalio/common';
import { capabilitiesOf } from '../config/models/model-capabilities.ts';
import { failureTypes } from './failures.ts';
import { imageRefusal, withoutImages } from './images.ts';
import type { LoadedImages, Model, ModelRequest, ModelResponse } from './model.ts';
import { imagesIn, type Message, type ToolSpec } from '../protocol/message.ts';
import { compacted, summaryMark, tokensOf, tokensOfTools } from './compact.ts';
import { summarised, type Summaries } from './summarising.ts';
import type { Backend } from '../protocol/settings.ts';

type Request = Omit<ModelRequest, 'images' | 'messages'> & {
  loadImages: (messages: Message[]) => Promise<LoadedImages>;
  /** Absent: a note stands for messages that are left out. */
  summaries?: Summaries;
};

type Response = ModelResponse & { notices: string[] };

/** Of a context, kept free for the reply. */
const replyShare = 1 / 4;

/** Of a conversation that a provider has refused. */
const afterRefusal = 0.6;

/**
 * A conversation that is longer than the model's context by an estimate, or that the provider refuses for it, is sent
 * `compacted`, with a notice; messages that have to be left out are summarised, if there is who does that. How much a
 * provider takes is remembered as long as this process lives. A model that takes no images gets notes in their place:
 * it can still go on with what the tools that show images say.
 * @throws what the model throws; `ApplicationFailure` of type `ContextTooLong`, not retryable, if nothing more can be
 *   left out
 */
export function fittingRequests(openModel: (backend: Backend) => Model) {
  const refused = new Map<string, number>();
  const blind = new Set<string>();

  return async function send(backend: Backend, conversation: Message[], request: Request): Promise<Response> {
    const { loadImages, summaries, ...rest } = request;
    const truncated = async (messages: Message[], most: number): Promise<Message[]> =>
      compacted(summaries === undefined ? messages : await summarised(messages, most, summaries), most);
    const served = await openModel(backend).servedContext?.();
    const id = `${backend.type} ${backend.base_url} ${backend.model}`;
    const budget = budgetIn(backend, request.tools, served);
    const sees = capabilitiesOf(backend).images && !blind.has(id);
    let whole = sees ? conversation : withoutImages(conversation, takesNone(backend));
    const notes = whole.some((message, index) => message !== conversation[index]) ? [unseen(backend)] : [];
    let messages =
      backend.type === 'offline' ? whole : await truncated(whole, Math.min(budget, refused.get(id) ?? budget));
    for (;;) {
      const images = await loadImages(messages);
      const sent = messages;
      try {
        const limited = withLimit(backend, served, tokensOf(sent) + tokensOfTools(request.tools));
        const response = await openModel(limited).complete({
          ...rest,
          messages: sent,
          ...(images.size > 0 && { images }),
        });
        const notices = [...(response.notices ?? []), ...notes, ...(sent === whole ? [] : [shortened(backend, sent)])];
        const isFull = response.finish === 'length' && limited !== backend;
        return { ...response, notices, ...(isFull && { isFull }) };
      } catch (error) {
        const refusal = sent.some((message) => imagesIn(message).length > 0) ? imageRefusal(error) : undefined;
        if (refusal !== undefined) {
          if (refusal === 'none') blind.add(id);
          const isShort = sent !== whole;
          whole = withoutImages(whole, refusal === 'none' ? takesNone(backend) : 'the provider refused them');
          messages = isShort ? withoutImages(sent, 'the provider refused them') : whole;
          notes.push(refusal === 'none' ? unseen(backend) : `The images were left out: ${(error as Error).message}`);
          continue;
        }
        if (!(error instanceof ApplicationFailure) || error.type !== failureTypes.contextTooLong) throw error;
        const size = tokensOf(sent);
        messages = await truncated(whole, Math.floor(size * afterRefusal));
        if (tokensOf(messages) >= size) throw tooLong(error);
        refused.set(id, Math.floor(size * afterRefusal));
      }
    }
  };
}

function budgetIn(backend: Backend, tools: ToolSpec[], served = Infinity): number {
  const { contextTokens, outputTokens } = capabilitiesOf(backend);
  const context = Math.min(contextTokens, served);
  const reply = Math.min(backend.max_tokens ?? outputTokens, context * replyShare);
  return Math.max(0, context - reply - tokensOfTools(tools));
}

/** A reply of so many tokens may take up to half of a small context. */
const shortReply = 2048;

/** Where a server says its context it may let a model go on to the end of it. @param taken in tokens */
function withLimit(backend: Backend, served: number | undefined, taken: number): Backend {
  if (served === undefined || backend.max_tokens !== undefined) return backend;
  const free = Math.min(shortReply, served / 2, served - taken);
  return { ...backend, max_tokens: Math.floor(Math.max(served * replyShare, free)) };
}

const takesNone = ({ model, type }: Backend): string => `${model ?? type} takes no images`;

const unseen = (backend: Backend): string => `${takesNone(backend)}: they were left out, with a note in their place`;

function shortened({ model, type }: Backend, sent: Message[]): string {
  const isSummarised = sent.some(({ content }) => content.startsWith(summaryMark));
  const how = isSummarised ? 'older messages were summarised by the model' : 'older messages were cut or left out';
  return `The conversation was shortened to fit the context of ${model ?? type}: ${how}`;
}

function tooLong({ details, message }: ApplicationFailure): ApplicationFailure {
  return ApplicationFailure.create({
    type: failureTypes.contextTooLong,
    nonRetryable: true,
    message: `${message} (nothing more of the conversation can be left out)`,
    ...(details != null && { details }),
  });
}
