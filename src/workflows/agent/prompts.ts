import type { Content, Message, Text } from '../../protocol/message.ts';
import { shownArguments } from './arguments.ts';
import { askingText, type AskingRules } from '../ask-others/prompts.ts';
import { joinContent } from './text.ts';
import type { OrchestratorSettings, ReActSettings } from '../../protocol/settings.ts';

/** Whom an agent without a persona is told to be. A small model that is told nobody answers worse. */
const anybody = 'You are a helpful assistant. ';

export function systemMessage(persona: Text | undefined, instruction: Text): Content {
  return joinContent(persona === undefined ? [anybody, instruction] : [persona, '\n\n', instruction]);
}

/** It stays at the beginning of a conversation: a text that changes would make a provider's prompt cache useless. */
export const today = (): string => `Today is ${new Date(Date.now()).toISOString().slice(0, 10)}.`;

/** Comes behind the results of tools. */
export const toolsLeft = (left: number): string =>
  left === 1
    ? 'Only your next reply may still use tools. Do the most important now; then answer.'
    : `Only ${left} more replies may use tools: come to an end.`;

/** Comes before the last model call of the loop `simple_tool`. @param ending the tools that it may call all the same */
export const toolsUnavailable = (ending: string[] | undefined): string =>
  ending === undefined
    ? 'That was the last use of tools; no tools are available any more. Answer now with what you know.'
    : `That was the last use of tools; ${endBy(ending)}`;

export const endBy = (ending: string[]): string =>
  `only ${ending.map((name) => `\`${name}\``).join(' or ')} can be called now. Call it with what you know.`;

export const continueText =
  'Your text was cut off at its limit. Go on with the very next word: repeat nothing, and add no remark. Be brief.';

/** Asks for a summary of the beginning of a conversation. */
export const summaryRequest = (conversation: string, words: number): Message[] => [
  {
    role: 'system',
    content:
      'You are given the beginning of a conversation, which its agent will not see again. Write what the agent has to know of ' +
      'it to go on: every fact, decision, name, number, date and address, what was asked for and what came of it, and what is ' +
      'still open. What an earlier summary in it holds must be in yours too. Leave out greetings and repetitions, and add ' +
      `nothing of your own. At most ${words} words, in plain text, without any preface.`,
  },
  { role: 'user', content: conversation },
];

/** The result of a call that is not run because no tools are left to the agent. */
export const notRun = (tool: string): string =>
  `Error: ${tool} was not run, since no tools were available any more. Say so where the answer depends on it.`;

export const interrupted = (tool: string): string =>
  `Error: ${tool} was interrupted and has no result. It may have taken effect all the same.`;

/** Comes after the result of a call that a person has let run with arguments of their own. */
export const editedText = (input: Record<string, unknown>): string =>
  `\n\n[A person changed the arguments of this call. It ran with ${shownArguments(input)}]`;

/** Reprise's own system prompt for the loop `react`, which a configuration may replace. */
export const reactSystem =
  'You work in cycles of thought, action and observation. Each message that asks for one of them gets just that.';

/** The system message of a session's agent: its own, then how it may ask others. Empty when there is nothing to say. */
export function systemOf(settings: OrchestratorSettings, asking: AskingRules | undefined): string {
  const { system_prompt = settings.kind === 'react' ? reactSystem : '' } = settings.kind === 'custom' ? {} : settings;
  return [system_prompt, asking === undefined ? '' : askingText(asking)].filter((text) => text !== '').join('\n\n');
}

const defaults = {
  thought_prompt: 'THOUGHT: what do you know, what is missing, and what is the next step? Do not act yet.',
  action_prompt:
    'ACTION: take that step. Call tools for what is missing, or, if you know enough, ' +
    'reply with FINAL_ANSWER: and the complete answer.',
  observation_prompt: 'OBSERVATION: what do these results say about the question, and is it enough?',
  error_prompt: 'This went wrong: {error}\nAnswer as well as you can with what you know, and say what is missing.',
  max_iterations_prompt:
    'All {max_iterations} cycles are used. Give the best answer that what you know allows, and say what is missing.',
};

/** The default `action_prompt` in a team, whose agents answer and vote by tools. */
export const teamActionPrompt = 'ACTION: take that step by calling one of your tools.';

export function reactPrompt(settings: ReActSettings, name: keyof typeof defaults): string {
  return settings[name] ?? defaults[name];
}

/** Reprise's own prompts, as a model may repeat them. Those of a configuration may name the answers to choose from. */
export const ownReactPrompts = Object.values(defaults).join('\n');

export function filled(template: string, values: Record<string, string>): string {
  return template.replace(/\{(\w+)\}/g, (place, name: string) => values[name] ?? place);
}

export const accepted = 'Recorded.';

export const replyBy = (tool: string): string => `Reply with one call of \`${tool}\`.`;
