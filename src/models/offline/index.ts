import type { AssistantMessage, Message, ToolSpec } from '../../protocol/message.ts';
import { estimateUsage } from '../estimate.ts';
import type { Model } from '../model.ts';
import { usable } from '../written-schema.ts';
import {
  type Action,
  answerTo,
  decide,
  partsToAnswer,
  presentation,
  questionFirst,
  remark,
  responseTo,
  vote,
} from './coordination.ts';
import { nextCall, observationOn, phaseOf, thoughtOn } from './loops.ts';
import { readPrompt } from './prompt-sections.ts';
import { openTexts, type TextIndex } from './retrieval.ts';
import { submission } from './submissions.ts';
import type { Backend } from '../../protocol/settings.ts';

/**
 * It needs no network, key or weights, and quotes sentences of a folder (by default Reprise's documentation), always
 * the same ones for the same question and texts. In workflows it follows fixed rules (docs/offline-model.md).
 */
export function offlineModel({ folder }: Backend): Model {
  return {
    async complete({ messages, tools, toolChoice, signal, onDelta }) {
      const offered = toolChoice === 'none' ? [] : usable(tools, toolChoice);
      const texts = await openTexts(folder);
      // The tools on offer and the headings of the messages tell any model what to do.
      const action = submission(messages, offered, texts) ?? converse(messages, offered, texts);
      const isText = typeof action === 'string';
      const text = isText ? action : JSON.stringify(action.input);
      for (const word of text.split(/(?<=\s)/)) {
        signal.throwIfAborted();
        onDelta(word);
      }
      const message: AssistantMessage = {
        role: 'assistant',
        content: isText ? action : (action.words ?? ''),
        ...(!isText && { toolCalls: [{ id: `offline_${messages.length}`, name: action.tool, arguments: text }] }),
      };
      return { message, finish: isText ? 'stop' : 'tool_calls', usage: estimateUsage(messages, message) };
    },
  };
}

function converse(messages: Message[], tools: ToolSpec[], texts: TextIndex): Action | string {
  const prompt = readPrompt(messages);
  const { answers, question, toolResults } = prompt;
  const isOffered = (tool: string): boolean => tools.some(({ name }) => name === tool);
  const phase = phaseOf(messages, tools.length > 0);
  const parts = partsToAnswer(prompt);
  if (question !== undefined) return responseTo(question, texts);
  if (phase === 'thought') return thoughtOn(parts, texts.name);
  if (phase === 'observation') return observationOn(toolResults) ?? thoughtOn(parts, texts.name);
  if (isOffered('restart_orchestration')) return decide(prompt, texts);
  if (isOffered('vote') && answers.length > 0) return vote(prompt);
  const isInTeam = isOffered('new_answer');
  if (!isInTeam && answers.length > 0) return presentation(prompt, texts);
  const call = isInTeam ? undefined : nextCall(parts, toolResults, tools);
  if (call !== undefined) return phase === 'action' ? { ...call, words: `Offline model: ${call.tool}.` } : call;
  const asked = isOffered('ask_others') ? questionFirst(prompt) : undefined;
  if (asked !== undefined) return { tool: 'ask_others', input: { question: asked } };
  const answer = answerTo(prompt, texts);
  if (isInTeam) return { tool: 'new_answer', input: { content: answer } };
  const sources = [texts.name, ...new Set(toolResults.map(({ tool }) => `what ${tool} returned`))];
  const whole = `${answer}\n\n${remark(sources.join(' and '))}`;
  return phase === 'action' ? `FINAL_ANSWER: ${whole}` : whole;
}
