import type { Content, Text } from '../messages/message.ts';
import { systemMessage } from '../prompts/coordination.ts';
import { shadowText } from '../prompts/shadow.ts';
import type { Agent } from './agent.ts';
import type { ModelCaller, Purpose } from './model-caller.ts';
import { quote } from './stored-texts.ts';

/** What a shadow said. */
export interface ShadowResponse {
  content: string;
  /** The same, by reference where it is long. */
  text: Text;
}

/**
 * Lets an agent's shadow answer a question while the agent goes on: a fork of its conversation, its persona and its
 * backend, no tools (MassGen's documentation "Agent Communication", Shadow Agent Architecture).
 *
 * @throws what a model call throws
 */
export async function askShadow(
  caller: ModelCaller,
  { fork, persona }: Agent,
  question: Content,
  purpose: Omit<Purpose, 'what'>,
): Promise<ShadowResponse> {
  const { transcript, append, writing } = fork;
  const call = caller.start(
    persona,
    { what: 'shadow', ...purpose },
    {
      system: systemMessage(persona.text, shadowText),
      transcript,
      append: [...append, { role: 'user', content: question }],
      tools: null,
      shadow: writing === undefined ? {} : { writing },
    },
  );
  const { reply, transcript: forked } = await call.result;
  return { content: reply.content, text: quote(reply.content, { segment: forked.id }) };
}
