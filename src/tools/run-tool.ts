import { inspect } from 'node:util';
import type { CallToolResult } from '../protocol/tools/tool.ts';
import { InputNeeded, SourceError, type CallContext, type Tool } from './tool.ts';
import { toldBy } from '../util/text/told.ts';
import { checkedImages, showsImages, type ToolImage } from './tool-images.ts';

/** The outcome of a run, with its whole text and the images that it shows. */
export type Outcome = Pick<CallToolResult, 'status' | 'text' | 'input'> & { images?: ToolImage[] };

/**
 * A tool that ignores its signal is left behind at its timeout, in seconds, or when `cancelled` rejects, which ends the
 * run with that error.
 */
export async function runTool(
  tool: Tool,
  args: Record<string, unknown>,
  context: CallContext,
  timeout: number,
  cancelled: Promise<never>,
): Promise<Outcome> {
  const late = new AbortController();
  const { promise: timedOut, resolve } = Promise.withResolvers<Outcome>();
  const timer = setTimeout(() => {
    const text = `${tool.spec.name} was still running after ${timeout} seconds, its timeout, and was given up`;
    // This comes first, or what the tool answers to the signal would be taken for its result.
    resolve({ status: 'exception', text });
    late.abort(new DOMException(text, 'TimeoutError'));
  }, timeout * 1000);
  const signal = AbortSignal.any([context.signal, late.signal]);
  try {
    return await Promise.race([timedOut, cancelled, outcomeOf(tool, args, { ...context, signal })]);
  } finally {
    clearTimeout(timer);
  }
}

async function outcomeOf(tool: Tool, args: Record<string, unknown>, context: CallContext): Promise<Outcome> {
  try {
    const result = await tool.run(args, context);
    if (result instanceof InputNeeded) {
      const { requests } = result.input;
      return { status: 'input_required', text: requests.map(({ message }) => message).join('\n'), input: result.input };
    }
    if (!showsImages(result)) return { status: 'ok', text: textOf(result) };
    const { images, text } = await checkedImages(result);
    return { status: 'ok', text, ...(images.length > 0 && { images }) };
  } catch (error) {
    // The call was not made, and is made again when what it lacks is there.
    if (error instanceof SourceError && error.variable !== undefined) throw error;
    return failureOf(error);
  }
}

/** @throws `TypeError` of an object of a class of which JSON keeps nothing, such as a `Response` or a `Map` */
function textOf(result: unknown): string {
  if (typeof result === 'string') return result;
  // JSON has no text for some values, such as undefined.
  const text = JSON.stringify(result) ?? 'null';
  if (text !== '{}' || 'toJSON' in (result as object)) return text;
  const { name } = (result as object).constructor ?? Object;
  if (name === 'Object') return text;
  throw new TypeError(`execute returned a ${name}, of which JSON keeps nothing: return a text or plain values`);
}

/** The outcome of a tool that threw. An error named `ToolError` is a report, and any other means that the tool broke. */
export function failureOf(error: unknown): Outcome {
  if (!(error instanceof Object) || !('message' in error))
    return { status: 'exception', text: typeof error === 'string' ? error : inspect(error) };
  const { name, message, cause } = error as Error;
  if (name === 'ToolError') return { status: 'error', text: message };
  const reason = cause instanceof Error ? ` (${toldBy(cause)})` : '';
  const kind = name === undefined || name === 'Error' ? '' : `${name}: `;
  return { status: 'exception', text: `${kind}${toldBy(error as Error)}${reason}` };
}
