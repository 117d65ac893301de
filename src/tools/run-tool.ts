import type { CallToolResult } from '../protocol/tool.ts';
import type { Tool, ToolContext } from './tool.ts';

/** What came of a run, its text in full. */
export type Outcome = Pick<CallToolResult, 'status' | 'text'>;

/**
 * Runs a tool to its end, or to its timeout, whichever comes first: a tool that ignores its signal is left behind.
 *
 * @param timeout in seconds
 * @param cancelled rejects when the call is cancelled; the run then ends at once, with that error
 */
export async function runTool(
  tool: Tool,
  args: Record<string, unknown>,
  context: ToolContext,
  timeout: number,
  cancelled: Promise<never>,
): Promise<Outcome> {
  const late = new AbortController();
  const { promise: timedOut, resolve } = Promise.withResolvers<Outcome>();
  const timer = setTimeout(() => {
    const text = `${tool.spec.name} was still running after ${timeout} seconds, its timeout, and was given up`;
    // First, so that the tool's own answer to the signal is not taken for its result.
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

async function outcomeOf(tool: Tool, args: Record<string, unknown>, context: ToolContext): Promise<Outcome> {
  try {
    return { status: 'ok', text: textOf(await tool.run(args, context)) };
  } catch (error) {
    return failureOf(error);
  }
}

/** What a tool returned, as the model reads it: a string as it is, anything else as JSON. */
function textOf(result: unknown): string {
  if (typeof result === 'string') return result;
  // What JSON has no word for, such as undefined, has no text either.
  return JSON.stringify(result) ?? 'null';
}

/** What a tool threw: errors named `ToolError` are reports, all others show that it broke. */
export function failureOf(error: unknown): Outcome {
  if (!(error instanceof Object) || !('message' in error)) return { status: 'exception', text: String(error) };
  const { name, message, cause } = error as Error;
  if (name === 'ToolError') return { status: 'error', text: message };
  const reason = cause instanceof Error ? ` (${cause.message})` : '';
  const kind = name === undefined || name === 'Error' ? '' : `${name}: `;
  return { status: 'exception', text: `${kind}${message}${reason}` };
}
