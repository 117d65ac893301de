/**
 * A custom orchestrator that writes a draft, has it criticised, and revises it, in three model calls. Each call is a
 * durable step: when the worker dies, another one goes on with the call that was under way, and makes no finished one again.
 */
import type { HandleText, OrchestratorMessage } from 'reprise/orchestrator';

export const handleText: HandleText = async (text, { llm, history, respond, config }) => {
  const style = typeof config['style'] === 'string' ? ` Write in this style: ${config['style']}.` : '';
  const conversation: OrchestratorMessage[] = [...history, { role: 'user', content: text }];

  const draft = await llm.generate(conversation);
  respond(`Draft:\n${draft.content}`);

  const criticism = await llm.generate(
    [
      {
        role: 'system',
        content: 'You are a strict editor. Say in at most five points what is wrong or missing. Do not rewrite it.',
      },
      { role: 'user', content: `The question:\n${text}\n\nThe draft:\n${draft.content}` },
    ],
    { temperature: 0.2 },
  );
  respond(`Criticism:\n${criticism.content}`);

  // This continues the first conversation, so that only what is new is sent to the store.
  const revision = await llm.generate([
    ...conversation,
    draft,
    {
      role: 'user',
      content: `An editor says of your draft:\n${criticism.content}\n\nWrite it anew, whole.${style}`,
    },
  ]);
  return revision.content;
};
