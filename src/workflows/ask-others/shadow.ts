import type { Content, Text } from '../../protocol/message.ts';
import type { Agent } from '../agent/agent.ts';
import type { ModelCaller, Purpose } from '../agent/model-caller.ts';
import { systemMessage } from '../agent/prompts.ts';
import { textRef } from '../agent/text-refs.ts';
import { shadowText } from './prompts.ts';

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
  models: ModelCaller,
  { fork, persona }: Agent,
  question: Content,
  purpose: Omit<Purpose, 'what'>,
): Promise<ShadowResponse> {
  const { transcript, append, writing } = fork;
  const call = models.start(
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
  return { content: reply.content, text: textRef(reply.content, { segment: forked.id }) };
}
