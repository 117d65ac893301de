import { ApplicationFailure } from '@temporalio/common';
import { imagesIn, type Message } from '../protocol/message.ts';
import { failureTypes } from './failures.ts';

export const withoutImages = (messages: Message[], why: string): Message[] =>
  messages.map((message) => (imagesIn(message).length === 0 ? message : withNote(message, why)));

function withNote(message: Message, why: string): Message {
  if (message.role !== 'user' && message.role !== 'tool') return message;
  const { images = [], ...rest } = message;
  const note = `[${images.length === 1 ? 'An image belongs' : `${images.length} images belong`} here, not shown: ${why}]`;
  return { ...rest, content: rest.content === '' ? note : `${rest.content}\n${note}` };
}

/** A router has no model for images then, which is a 404. */
const refusals: ReadonlyArray<string | null | undefined> = [failureTypes.badRequest, failureTypes.notFound];

/** By OpenAI, Anthropic, vLLM, llama.cpp, Ollama, LM Studio, OpenRouter, Groq, DeepSeek. */
const aboutImages = /\bimages?\b|image_url|input_image|multi-?modal|\bvision\b|content must be a string/i;

/** None at all, rather than that one is too large or damaged. */
const takesNone =
  /(not|n't|no endpoints?) .{0,40}(support|enable|multi-?modal)|only supported by certain models|unknown variant|unsupported content part|content must be a string|at most 0 image/i;

/** `none`: the model takes no images at all; undefined: the request failed for another reason. */
export function imageRefusal(error: unknown): 'none' | 'these' | undefined {
  if (!(error instanceof ApplicationFailure) || !refusals.includes(error.type)) return undefined;
  if (!aboutImages.test(error.message)) return undefined;
  return takesNone.test(error.message) ? 'none' : 'these';
}
