import type { ReActSettings } from '../../config/orchestrators.ts';
import type { Content, Text } from '../../protocol/message.ts';
import { joinContent } from './content.ts';

/** The system message of an agent: its persona first, then its instruction. */
export function systemMessage(persona: Text | undefined, instruction: Text): Content {
  return persona === undefined ? instruction : joinContent([persona, '\n\n', instruction]);
}

/** The last thought of the loop `simple_tool`: it gets no tools, and is told so. */
export const toolsUnavailable =
  'That was the last use of tools; no tools are available any more. Answer now with what you know.';

/** What an agent gets for a call that was not run, since its reply was the last one. */
export const notRun = 'Error: not run, since no tools were available any more.';

export interface ReActPrompts {
  thought_prompt: string;
  action_prompt: string;
  observation_prompt: string;
  error_prompt: string;
  max_iterations_prompt: string;
}

/** Reprise's own prompts for the loop `react`; a configuration may replace each. */
export const reactSystem =
  'You work in cycles of thought, action and observation. Each message that asks for one of them gets just that.';

const defaults: ReActPrompts = {
  thought_prompt: 'THOUGHT: what do you know, what is missing, and what is the next step? Do not act yet.',
  action_prompt:
    'ACTION: take that step. Call tools for what is missing, or, if you know enough, ' +
    'reply with FINAL_ANSWER: and the complete answer.',
  observation_prompt: 'OBSERVATION: what do these results say about the question, and is it enough?',
  error_prompt: 'This went wrong: {error}\nAnswer as well as you can with what you know, and say what is missing.',
  max_iterations_prompt:
    'All {max_iterations} cycles are used. Give the best answer that what you know allows, and say what is missing.',
};

/** The same for an agent of a team, which answers and votes by tools. */
export const teamActionPrompt = 'ACTION: take that step by calling one of your tools.';

/** The prompts of an agent: its configuration's where it has them. */
export function reactPrompts(settings: ReActSettings): ReActPrompts {
  return {
    thought_prompt: settings.thought_prompt ?? defaults.thought_prompt,
    action_prompt: settings.action_prompt ?? defaults.action_prompt,
    observation_prompt: settings.observation_prompt ?? defaults.observation_prompt,
    error_prompt: settings.error_prompt ?? defaults.error_prompt,
    max_iterations_prompt: settings.max_iterations_prompt ?? defaults.max_iterations_prompt,
  };
}

/** Puts values in place of `{name}`. */
export function filled(template: string, values: Record<string, string>): string {
  return template.replace(/\{(\w+)\}/g, (place, name: string) => values[name] ?? place);
}

/** What an agent is told of the call that was accepted. */
export const accepted = 'Recorded.';

/** What is said to a reply that is to be a call of one tool, and is not. */
export const replyBy = (tool: string): string => `Reply with one call of \`${tool}\`.`;
