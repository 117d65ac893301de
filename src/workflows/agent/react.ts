import { isCancellation } from '@temporalio/workflow';
import { beginningOf } from '../runtime/size.ts';
import type { Reply } from '../../protocol/model-call.ts';
import { endBy, filled, ownReactPrompts, reactPrompt } from './prompts.ts';
import { callFailure, isBudgetSpent } from './failures.ts';
import { isFinalAnswer, isQuoted, withoutMarker } from './final-answer.ts';
import type { ToolAnswer } from './tool-executor.ts';
import {
  announceEnd,
  lastChoice,
  noWords,
  replyOf,
  runCalls,
  runLastCalls,
  wholeAnswer,
  type Loop,
  type LoopContext,
  type TurnEnd,
} from './loop-context.ts';
import type { WholeText } from './whole-reply.ts';
import type { Purpose } from './model-caller.ts';
import type { ReActSettings } from '../../protocol/settings.ts';

type Answer = Omit<WholeText, 'content'>;

type Prompt = Parameters<typeof reactPrompt>[1];

/** The answer of a model that has only repeated its prompts, as small ones do. */
const ownWords = '(The model gave nothing but words of its instructions.)';

/** Actions are to be focused even if the temperature for reasoning is high. */
export const actionTemperature = 0.3;

/**
 * The loop `react`: cycles of thought, action and observation, until an action says that it is the final answer (xaibo's
 * documentation, ReActOrchestrator). What ends the cycles without one leads to one more call for the best answer.
 */
export function react(settings: ReActSettings): Loop {
  return async (context, text) => {
    const phases = new ReAct(context, settings);
    context.agent.tell({ role: 'user', content: text });
    try {
      for (let cycle = 1; cycle <= settings.max_iterations; cycle++) {
        await phases.think();
        const answer = await phases.act();
        if (answer !== undefined) return phases.end(answer, false);
        if (context.refusals.end !== undefined) break;
        announceEnd(context, settings.max_iterations - cycle, settings.max_iterations);
      }
    } catch (error) {
      if (isCancellation(error) || isBudgetSpent(error)) throw error;
      return phases.recover(callFailure(error).words);
    }
    const { end } = context.refusals;
    return end === undefined ? phases.sumUp() : phases.recover(end);
  };
}

/** The phases of the loop `react`. An agent of a team thinks and observes by them, but acts by the team's tools. */
export class ReAct {
  readonly #context: LoopContext;
  readonly #settings: ReActSettings;

  constructor(context: LoopContext, settings: ReActSettings) {
    this.#context = context;
    this.#settings = settings;
  }

  async think(): Promise<void> {
    this.#show(indicators.thinking);
    const { content } = await this.#reason('think', 'thought_prompt');
    this.#show(indicators.thought(content));
  }

  async observe(): Promise<void> {
    this.#show(indicators.observing);
    const { content } = await this.#reason('observe', 'observation_prompt');
    this.#show(indicators.observation(content));
  }

  /** Runs the tools that the model calls, and observes their results. @returns the final answer, if the model gives one */
  async act(): Promise<Answer | undefined> {
    const context = this.#context;
    this.#show(indicators.takingAction);
    this.#tell('action_prompt');
    const options = { temperature: actionTemperature };
    const reply = await replyOf(context, 'act', options);
    const { calls, content } = reply;
    if (isFinalAnswer(content) && !isQuoted(content, ownReactPrompts)) {
      await runLastCalls(context, calls);
      return wholeAnswer(context, 'act', reply, options);
    }
    this.#show(indicators.action(content));
    if (calls.length === 0) return undefined;
    for (const call of calls) {
      this.#show(indicators.executing(call.name, 'input' in call ? call.input : {}));
      const [answer] = await runCalls(context, [call], false);
      if (answer !== undefined) this.#show(outcomeOf(answer));
    }
    if (context.refusals.end !== undefined) return undefined;
    await this.observe();
    return undefined;
  }

  /** Asks for the best answer after what has ended the cycles early, in words. */
  async recover(error: string): Promise<TurnEnd> {
    this.#show(indicators.errorOccurred(error));
    return this.#last('recover', 'error_prompt', { error });
  }

  async sumUp(): Promise<TurnEnd> {
    this.#show(indicators.maxIterations);
    const max_iterations = String(this.#settings.max_iterations);
    return this.#last('summarise', 'max_iterations_prompt', { max_iterations });
  }

  end({ isCut, text }: Answer, limited: boolean): TurnEnd {
    const said = withoutMarker(text);
    const isNone = said === '' || isQuoted(said, ownReactPrompts);
    if (isNone) this.#context.warn(`${this.#context.agent.persona.id} gave no answer`);
    const answer = said === '' ? noWords : isNone ? ownWords : said;
    this.#context.say(this.#settings.show_reasoning ? indicators.finalAnswer(answer) : answer, true);
    return { answer, limited, isCut };
  }

  async #last(what: Purpose['what'], prompt: Prompt, values: Record<string, string>): Promise<TurnEnd> {
    const context = this.#context;
    this.#tell(prompt, values);
    if (context.ending !== undefined) context.agent.tell({ role: 'system', content: `Now ${endBy(context.ending)}` });
    const options = { choice: lastChoice(context), temperature: actionTemperature };
    const reply = await replyOf(context, what, options);
    await runLastCalls(context, reply.calls);
    return this.end(await wholeAnswer(context, what, reply, options), true);
  }

  /** A reply without tool calls. A model may call some all the same. */
  async #reason(what: Purpose['what'], prompt: Prompt): Promise<Reply> {
    this.#tell(prompt);
    const options = { choice: 'none' as const, temperature: this.#settings.reasoning_temperature };
    const reply = await replyOf(this.#context, what, options);
    // A thought is no action: what it calls is left to the next one, and nothing is lost.
    await runLastCalls({ ...this.#context, warn: () => {} }, reply.calls);
    return reply;
  }

  #tell(prompt: Prompt, values: Record<string, string> = {}): void {
    const content = filled(reactPrompt(this.#settings, prompt), values);
    this.#context.agent.tell({ role: 'system', content });
  }

  #show(text: string): void {
    if (this.#settings.show_reasoning) this.#context.say(text);
  }
}

function outcomeOf({ call, status, text }: ToolAnswer): string {
  if (status === 'ok') return indicators.success(call.name, text);
  return status === 'error' ? indicators.error(call.name, text) : indicators.exception(call.name, text);
}

const maxChars = 200;
const start = (text: string): string => (text.length <= maxChars ? text : `${beginningOf(text, maxChars)}...`);

/** The marks are those of xaibo's documentation (ReActOrchestrator, Visual Reasoning Indicators). */
const indicators = {
  thinking: '🤔 **THINKING...**',
  thought: (text: string): string => `💭 **THOUGHT:** ${text}`,
  takingAction: '⚡ **TAKING ACTION...**',
  action: (text: string): string => `🔧 **ACTION:** ${text}`,
  executing: (tool: string, input: unknown): string =>
    `🛠️ **EXECUTING TOOL:** ${tool} with args: ${JSON.stringify(input, null, 2)}`,
  success: (tool: string, text: string): string => `✅ **TOOL SUCCESS:** ${tool} returned: ${start(text)}`,
  error: (tool: string, text: string): string => `❌ **TOOL ERROR:** ${tool} failed: ${text}`,
  exception: (tool: string, text: string): string => `💥 **TOOL EXCEPTION:** ${tool} threw: ${text}`,
  observing: '👁️ **OBSERVING RESULTS...**',
  observation: (text: string): string => `🔍 **OBSERVATION:** ${text}`,
  finalAnswer: (text: string): string => `✅ **FINAL ANSWER:** ${text}`,
  errorOccurred: (text: string): string => `⚠️ **ERROR OCCURRED:** ${text}`,
  maxIterations: '⏰ **MAX ITERATIONS REACHED:** Providing best answer with available information...',
} as const;
