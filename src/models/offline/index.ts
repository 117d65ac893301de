import type { Backend } from '../../config/backend.ts';
import type { AssistantMessage, Message, ToolSpec } from '../../protocol/message.ts';
import { estimateUsage } from '../estimate.ts';
import type { Model } from '../model.ts';
import { alsoAnswer, answerTo, questionBefore } from './answer.ts';
import { bestAnswer, coverage, uncoveredParts } from './judging.ts';
import { openLibrary, type Library } from './library.ts';
import { phaseOf } from './phase.ts';
import { readPrompt, type Prompt } from './prompt.ts';
import { readQuestion } from './question.ts';
import { observationOn, sourcesOf, thoughtOn } from './reasoning.ts';
import { researchCall } from './research/index.ts';
import { responseTo } from './shadow.ts';
import { solveAct } from './solve/index.ts';
import { nextCall, type Call } from './uses.ts';

/** What it does: a call, with what it says beside it. */
type Act = Call & { words?: string };

/**
 * The model where there is no other: no network, no weights, no canned answers. It chooses sentences from the text
 * that it is given or from a folder (`backend.folder`; default: Reprise's own documentation), always the same ones
 * for the same question and texts, and judges by which words of the question an answer holds (docs/offline-model.md).
 */
export function offlineModel({ folder }: Backend): Model {
  return {
    async complete({ messages, tools, signal, onDelta }) {
      const library = openLibrary(folder);
      const act = actOn(messages, tools, library);
      const text = typeof act === 'string' ? act : JSON.stringify(act.input);
      for (const word of text.split(/(?<=\s)/)) {
        signal.throwIfAborted();
        onDelta(word);
      }
      const message: AssistantMessage =
        typeof act === 'string'
          ? { role: 'assistant', content: act }
          : {
              role: 'assistant',
              content: act.words ?? '',
              toolCalls: [{ id: `offline_${messages.length}`, name: act.tool, arguments: text }],
            };
      return {
        message,
        finish: typeof act === 'string' ? 'stop' : 'tool_calls',
        usage: estimateUsage(messages, message),
      };
    },
  };
}

/** What to do is told by the tools on offer and the last system message, as for any model. */
function actOn(messages: Message[], tools: ToolSpec[], library: Library): Act | string {
  const submission = researchCall(messages, tools, library);
  if (submission !== undefined) return submission;
  const solving = solveAct(messages, tools, library);
  if (solving !== undefined) return solving;
  const prompt = readPrompt(messages);
  const phase = phaseOf(messages, tools.length > 0);
  if (phase === 'thought') return thoughtOn(prompt, library);
  if (phase === 'observation') return observationOn(prompt, messages) ?? thoughtOn(prompt, library);
  const offered = new Set(tools.map(({ name }) => name));
  if (offered.has('restart_orchestration')) return decide(prompt);
  if (offered.has('vote') && prompt.answers.length > 0) return vote(prompt);
  const isAlone = !offered.has('new_answer') && prompt.answers.length === 0;
  const call = isAlone ? nextCall(readQuestion(prompt.task).parts, prompt.uses, tools) : undefined;
  if (call !== undefined) return phase === 'action' ? { ...call, words: `I use ${call.tool}.` } : call;
  const question = offered.has('ask_others') ? questionBefore(prompt, library) : undefined;
  if (question !== undefined) return { tool: 'ask_others', input: { question } };
  if (offered.has('new_answer')) return { tool: 'new_answer', input: { content: answerTo(prompt, library) } };
  if (offered.size === 0 && prompt.question !== undefined)
    return responseTo(prompt.question, prompt, library);
  const selected = prompt.answers.find(({ name }) => name === prompt.selected);
  const text = selected?.content ?? answerTo(prompt, library);
  const sources = selected === undefined ? sourcesOf(prompt, library) : library.name;
  const answer = `${text}\n\n(Offline model: sentences chosen from ${sources}.)`;
  return phase === 'action' ? `FINAL_ANSWER: ${answer}` : answer;
}

function vote({ task, answers }: Prompt): Call {
  const best = bestAnswer(task, answers);
  const share = Math.round(coverage(task, best?.content ?? '') * 100);
  const missing = uncoveredParts(task, best?.content ?? '');
  const rest = missing.length === 0 ? 'and every part of it' : `but not "${missing.join('", "')}"`;
  return {
    tool: 'vote',
    input: { agent_id: best?.name, reason: `covers ${share}% of the question's words ${rest}` },
  };
}

function decide({ task, answers, selected, presented }: Prompt): Call {
  const answer = presented ?? answers.find(({ name }) => name === selected)?.content ?? '';
  const missing = uncoveredParts(task, answer);
  if (missing.length === 0) return { tool: 'submit', input: { confirmed: true } };
  const parts = missing.map((part) => `"${part}"`).join(' and ');
  return {
    tool: 'restart_orchestration',
    input: {
      reason: `The answer leaves part of the question uncovered: ${parts}.`,
      instructions: `${alsoAnswer} ${missing.join('; ')}`,
    },
  };
}
