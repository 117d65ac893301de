import { setTimeout as pause } from 'node:timers/promises';
import { isInputRequiredResult, UrlElicitationRequiredError } from '@modelcontextprotocol/client';
import type { CallToolRequestOptions, CallToolResult, Client, ElicitRequest } from '@modelcontextprotocol/client';
import type { Tool as McpTool } from '@modelcontextprotocol/client';
import type { InputGiven, InputRequest, InputResponse } from '../../protocol/tools/elicitation.ts';
import { InputNeeded, ToolError, type CallContext } from '../tool.ts';
import type { ShownByTool } from '../tool-images.ts';
import { readContent, shown } from './content.ts';
import { Elicitations, requestOf, type LiveCall } from './elicitation.ts';

/** How often a server may want something more within one call, when nobody is asked. */
const mostRounds = 10;

interface ServerCall {
  client: Client;
  elicitations: Elicitations;
  tool: McpTool;
  args: Record<string, unknown>;
  context: CallContext;
}

/** @throws `ToolError` for an error that the tool reports */
export async function callServer(call: ServerCall): Promise<string | ShownByTool | InputNeeded> {
  const isNewer = call.client.getProtocolEra() === 'modern';
  const declined: string[] = [];
  const ended = await (isNewer ? callNewer(call, declined) : callOlder(call, declined));
  if (ended instanceof InputNeeded) return bounded(ended);
  const { text, images } = readContent(ended);
  const notes = declined.map(
    (message) => `[The server asked: "${message}". Nobody is here to answer, so it was declined.]`,
  );
  const noted = [text, ...notes].filter((part) => part !== '').join('\n');
  if (ended.isError) throw new ToolError(noted);
  return shown({ text: noted, images });
}

/** How long what a server asks for and its state may be, in characters, since both become part of the run's history. */
const longestRequests = 20_000;
const longestState = 100_000;

/** @throws `ToolError` where a server asks for more than a history should hold */
function bounded(needed: InputNeeded): InputNeeded {
  const { requests, state } = needed.input;
  if (JSON.stringify(requests).length <= longestRequests && state.length <= longestState) return needed;
  throw new ToolError(`the server asks for more at once than a person is asked: ${requests.length} requests`);
}

function optionsFor({ tool, context }: ServerCall, signal = context.signal): CallToolRequestOptions {
  // The tool's own timeout ends a call through its signal.
  return { signal, timeout: 2 ** 31 - 1, toolDefinition: tool };
}

/**
 * Specification 2026-07-28: a result says what is needed, and the call is made again with it.
 *
 * @param declined gets what the server asked for that was declined, since nobody could be asked
 */
async function callNewer(call: ServerCall, declined: string[]): Promise<CallToolResult | InputNeeded> {
  const { args, client, context, tool } = call;
  let given: object = {};
  if (context.input)
    given = { ...(JSON.parse(context.input.state) as object), inputResponses: context.input.responses };
  for (let round = 0; round < mostRounds; round++) {
    const params = { name: tool.name, arguments: args, ...given };
    const result: unknown = await client.callTool(params, { ...optionsFor(call), allowInputRequired: true });
    if (!isInputRequiredResult(result)) return result as CallToolResult;
    const { inputRequests = {}, requestState } = result;
    const state = requestState === undefined ? {} : { requestState };
    const requests = Object.entries(inputRequests).map(([key, request]) => elicitationOf(key, request));
    // The server has only put it off.
    if (requests.length === 0) await pause(250, undefined, { signal: context.signal });
    else if (context.asks) return new InputNeeded({ requests, state: JSON.stringify(state) });
    declined.push(...requests.map(({ message }) => message));
    const decline: InputResponse = { action: 'decline' };
    const inputResponses = Object.fromEntries(requests.map(({ key }) => [key, decline]));
    given = { ...state, ...(requests.length > 0 && { inputResponses }) };
  }
  throw new ToolError(`the server wanted something more ${mostRounds} times, and was not asked again`);
}

function elicitationOf(key: string, request: { method: string }): InputRequest {
  if (request.method === 'elicitation/create') return requestOf(key, (request as ElicitRequest).params);
  throw new ToolError(`the server asks for ${request.method}, which it was not offered`);
}

async function callOlder(call: ServerCall, declined: string[]): Promise<CallToolResult | InputNeeded> {
  const { args, client, context, elicitations, tool } = call;
  const answered = context.input === undefined ? [] : answersIn(context.input);
  const needed = (asked: InputRequest[]): InputNeeded =>
    new InputNeeded({ requests: asked, state: JSON.stringify({ answered, asked }), beginsAnew: true });
  const interrupted = new AbortController();
  const asked: InputRequest[] = [];
  const live: LiveCall = {
    answered: [...answered],
    asks: context.asks ?? false,
    declined,
    interrupt(request) {
      asked.push({ ...request, key: 'asked' });
      interrupted.abort();
    },
  };
  const options = optionsFor(call, AbortSignal.any([context.signal, interrupted.signal]));
  const params = { name: tool.name, arguments: args };
  for (let again = false; ; again = true) {
    try {
      return await elicitations.during(live, () => client.callTool(params, options));
    } catch (error) {
      if (asked.length > 0 && !context.signal.aborted) return needed(asked);
      if (!(error instanceof UrlElicitationRequiredError)) throw error;
      const wanted = error.elicitations.map((each, index) => requestOf(`address-${index}`, { ...each, mode: 'url' }));
      const isDone = wanted.every(({ url }) =>
        answered.some(({ request, response }) => request.url === url && response.action === 'accept'),
      );
      // A server may refuse each first try, and this one has begun anew.
      if (isDone && !again) continue;
      const isNew = wanted.every(({ url }) => answered.every(({ request }) => request.url !== url));
      if (context.asks && isNew) return needed(wanted);
      throw new ToolError(wanted.map(({ message, url }) => `${message} (${url})`).join('\n'));
    }
  }
}

function answersIn({ responses, state }: InputGiven): LiveCall['answered'] {
  const { answered, asked } = JSON.parse(state) as Pick<LiveCall, 'answered'> & { asked: InputRequest[] };
  return [
    ...answered,
    ...asked.map((request) => ({ request, response: responses[request.key] ?? ({ action: 'cancel' } as const) })),
  ];
}
