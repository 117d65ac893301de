import type { ReplyCall } from '../../protocol/model-call.ts';
import { askCallOf } from '../ask-others/ask-call.ts';
import type { AskingAgent, Broadcast } from '../ask-others/broadcast.ts';
import { responsesAreAutomatic } from '../ask-others/prompts.ts';
import { storeTexts } from './text-refs.ts';
import type { ToolExecutor, ToolAnswer } from './tool-executor.ts';

/** Whose call it is. */
interface Caller {
  tools: ToolExecutor;
  broadcast: Broadcast | undefined;
  asker: AskingAgent;
  others?: AskingAgent[] | undefined;
  when: string;
}

/** Runs a call of an agent outside of a team's answering and voting: of its own tools, or a question to others. */
export async function runCall(
  { asker, broadcast, others = [], tools, when }: Caller,
  call: ReplyCall,
): Promise<ToolAnswer> {
  if (broadcast !== undefined && call.name === 'respond_to_broadcast')
    return { call, status: 'ok', text: responsesAreAutomatic, content: responsesAreAutomatic };
  if (broadcast === undefined || call.name !== 'ask_others') return tools.call(call);
  const asked = askCallOf(call);
  if ('question' in asked) [asked.text] = await storeTexts([asked.question]);
  const result = await broadcast.ask(asker, asked, others, when);
  const text = JSON.stringify(result);
  const [content = text] = await storeTexts([text]);
  return { call, status: result.status === 'error' ? 'error' : 'ok', text, content };
}
