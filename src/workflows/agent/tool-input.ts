import type { InputGiven, InputRequest, InputRequired, InputResponse } from '../../protocol/tools/elicitation.ts';
import type { CallToolResult, ListedTool } from '../../protocol/tools/tool.ts';
import type { Broadcast } from '../ask-others/broadcast.ts';
import { questionOf, readAnswer } from '../ask-others/form.ts';

/** How often a tool may ask for something within one call of its agent. */
const mostRounds = 10;

/** How often the person is asked for the same, when the answers cannot be used. */
const mostTries = 3;

interface AskingCall {
  agent: string;
  tool: ListedTool;
  again: (input: InputGiven) => Promise<CallToolResult>;
}

/** Puts what a tool asks for to the person, until the tool has a result. */
export async function withInput(
  call: AskingCall,
  broadcast: Broadcast,
  needed: InputRequired,
): Promise<CallToolResult> {
  const { again, tool } = call;
  for (let round = 0, { requests, state, beginsAnew } = needed; round < mostRounds; round++) {
    const repeats = beginsAnew === true && tool.sideEffects === 'once';
    const responses: Record<string, InputResponse> = {};
    for (const request of requests) responses[request.key] = await ask(call, broadcast, request, repeats);
    const isAnswered = Object.values(responses).every(({ action }) => action === 'accept');
    if (repeats && !isAnswered) return { status: 'error', text: notCalledAgain(tool, requests) };
    const result = await again({ responses, state });
    if (result.input === undefined) return result;
    ({ requests, state, beginsAnew } = result.input);
  }
  return { status: 'error', text: `${tool.name} wanted something more ${mostRounds} times, and was not called again` };
}

async function ask(
  { agent, tool }: AskingCall,
  broadcast: Broadcast,
  request: InputRequest,
  repeats: boolean,
): Promise<InputResponse> {
  const server = 'mcp' in tool.source ? tool.source.mcp.name : tool.source.package;
  let problem: string | undefined;
  for (let tries = 0; tries < mostTries; tries++) {
    const question = questionOf(request, { server, tool: tool.name, repeats }, problem);
    const end = await broadcast.askPerson(agent, question);
    if (end.status !== 'complete') return { action: end.status === 'skipped' ? 'decline' : 'cancel' };
    const read = readAnswer(request, end.answer);
    if ('response' in read) return read.response;
    ({ problem } = read);
  }
  return { action: 'cancel' };
}

const notCalledAgain = ({ name }: ListedTool, requests: InputRequest[]): string =>
  `${name} asked the person: ${requests.map(({ message }) => `"${message}"`).join(', ')}, and got no answer. ` +
  'It was ended when it asked, and was not called again, since each call takes effect; ' +
  'what it did before it asked may have taken effect';
