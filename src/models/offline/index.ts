import type { Backend } from '../../config/backend.ts';
import type { AssistantMessage, Message, ToolSpec } from '../../messages/message.ts';
import { estimateUsage } from '../estimate.ts';
import type { Model } from '../model.ts';
import { nextQuestion, responseTo } from './asking.ts';
import {
  answerTo,
  decide,
  foundOn,
  partsToAnswer,
  presentation,
  remark,
  vote,
  type Act,
} from './coordination.ts';
import { nextCall, observationOn, phaseOf, thoughtOn } from './loops.ts';
import { solveAct } from './plan.ts';
import { readPrompt } from './prompt-sections.ts';
import { researchAct } from './research.ts';
import { openTexts, type TextIndex } from './retrieval.ts';

/**
 * The model where there is no other: no network, no weights. It quotes sentences of a folder's texts (`backend.folder`;
 * default: Reprise's own documentation), always the same ones for the same question and texts, and takes part in every
 * workflow by fixed rules that say that they are no judgements (docs/offline-model.md).
 */
export function offlineModel({ folder }: Backend): Model {
  return {
    async complete({ messages, tools, signal, onDelta }) {
      const act = actOn(messages, tools, openTexts(folder));
      const text = typeof act === 'string' ? act : JSON.stringify(act.input);
      for (const word of text.split(/(?<=\s)/)) {
        signal.throwIfAborted();
        onDelta(word);
      }
      const isText = typeof act === 'string';
      const message: AssistantMessage = {
        role: 'assistant',
        content: isText ? act : (act.words ?? ''),
        ...(!isText && {
          toolCalls: [{ id: `offline_${messages.length}`, name: act.tool, arguments: text }],
        }),
      };
      return { message, finish: isText ? 'stop' : 'tool_calls', usage: estimateUsage(messages, message) };
    },
  };
}

/** What to do is told by the tools on offer and the headings of the messages, as for any model. */
const actOn = (messages: Message[], tools: ToolSpec[], texts: TextIndex): Act | string =>
  researchAct(messages, tools, texts) ?? solveAct(messages, tools, texts) ?? converse(messages, tools, texts);

/** What an agent of a team does, or one alone. */
function converse(messages: Message[], tools: ToolSpec[], texts: TextIndex): Act | string {
  const prompt = readPrompt(messages);
  const { answers, question, uses } = prompt;
  const isOffered = (tool: string): boolean => tools.some(({ name }) => name === tool);
  const phase = phaseOf(messages, tools.length > 0);
  const parts = partsToAnswer(prompt);
  if (question !== undefined) return responseTo(question, texts);
  if (phase === 'thought') return thoughtOn(parts, texts.name);
  if (phase === 'observation') return observationOn(uses) ?? thoughtOn(parts, texts.name);
  if (isOffered('restart_orchestration')) return decide(prompt, texts);
  if (isOffered('vote') && answers.length > 0) return vote(prompt);
  const isInTeam = isOffered('new_answer');
  if (!isInTeam && answers.length > 0) return presentation(prompt, texts);
  const call = isInTeam ? undefined : nextCall(parts, uses, tools);
  if (call !== undefined)
    return phase === 'action' ? { ...call, words: `Offline model: ${call.tool}.` } : call;
  const open = parts.filter((part) => foundOn(part, prompt, texts).length === 0);
  const asked = isOffered('ask_others') ? nextQuestion(prompt, open) : undefined;
  if (asked !== undefined) return { tool: 'ask_others', input: { question: asked } };
  const answer = answerTo(prompt, texts);
  if (isInTeam) return { tool: 'new_answer', input: { content: answer } };
  const whole = `${answer}\n\n${remark(texts.name)}`;
  return phase === 'action' ? `FINAL_ANSWER: ${whole}` : whole;
}
