import { isCancellation } from '@temporalio/workflow';
import type { ReActSettings } from '../../config/orchestrators.ts';
import type { Reply } from '../../protocol/model-call.ts';
import { filled, notRun, reactPrompts } from './prompts.ts';
import { callFailure, isBudgetSpent } from './failures.ts';
import type { ToolAnswer } from './tool-executor.ts';
import { noWords, refuseCalls, replyOf, runCalls, type Loop, type TurnEnd, type LoopContext } from './loop-context.ts';

/** Deciding is to be focused, whatever reasoning is. */
export const actionTemperature = 0.3;

/**
 * The loop `react`: cycles of thought, action and observation, until an action says that it is the final answer
 * (xaibo's documentation, ReActOrchestrator). A model call that fails leads to one that recovers; when all cycles are
 * used, one more call sums up.
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
      }
    } catch (error) {
      if (isCancellation(error) || isBudgetSpent(error)) throw error;
      return phases.recover(callFailure(error).words);
    }
    return phases.sumUp();
  };
}

/** The phases of the loop; a team's agent that thinks so takes the first and the last around its own actions. */
export class ReAct {
  readonly #context: LoopContext;
  readonly #settings: ReActSettings;
  readonly #prompts: ReturnType<typeof reactPrompts>;

  constructor(context: LoopContext, settings: ReActSettings) {
    this.#context = context;
    this.#settings = settings;
    this.#prompts = reactPrompts(settings);
  }

  async think(): Promise<void> {
    this.#show(indicators.thinking);
    const { content } = await this.#reason('think', this.#prompts.thought_prompt);
    this.#show(indicators.thought(content));
  }

  async observe(): Promise<void> {
    this.#show(indicators.observing);
    const { content } = await this.#reason('observe', this.#prompts.observation_prompt);
    this.#show(indicators.observation(content));
  }

  /** @returns the final answer; undefined: after tools and an observation, or without either, thinking goes on */
  async act(): Promise<string | undefined> {
    const context = this.#context;
    this.#show(indicators.takingAction);
    this.#tell(this.#prompts.action_prompt);
    const { calls, content } = await replyOf(context, 'act', context.tools, actionTemperature);
    if (isFinalAnswer(content)) {
      refuseCalls(context, calls, notRun);
      return withoutMarker(content);
    }
    this.#show(indicators.action(content));
    if (calls.length === 0) return undefined;
    for (const call of calls) {
      this.#show(indicators.executing(call.name, 'input' in call ? call.input : {}));
      const [answer] = await runCalls(context, [call], false);
      if (answer !== undefined) this.#show(outcomeOf(answer));
    }
    await this.observe();
    return undefined;
  }

  /** One call more, after one that failed. @throws where that fails too */
  async recover(error: string): Promise<TurnEnd> {
    this.#show(indicators.errorOccurred(error));
    return this.#last('recover', filled(this.#prompts.error_prompt, { error }));
  }

  async sumUp(): Promise<TurnEnd> {
    this.#show(indicators.maxIterations);
    const prompt = filled(this.#prompts.max_iterations_prompt, {
      max_iterations: String(this.#settings.max_iterations),
    });
    return this.#last('summarise', prompt);
  }

  /** Tells the answer, once. */
  end(text: string, limited: boolean): TurnEnd {
    const answer = text || noWords;
    this.#context.say(this.#settings.show_reasoning ? indicators.finalAnswer(answer) : answer, true);
    return { answer, limited };
  }

  async #last(what: 'recover' | 'summarise', prompt: string): Promise<TurnEnd> {
    this.#tell(prompt);
    const { calls, content } = await replyOf(this.#context, what, null, actionTemperature);
    refuseCalls(this.#context, calls, notRun);
    return this.end(withoutMarker(content), true);
  }

  /** Without tools; what is called all the same is refused. */
  async #reason(what: 'think' | 'observe', prompt: string): Promise<Reply> {
    this.#tell(prompt);
    const reply = await replyOf(this.#context, what, null, this.#settings.reasoning_temperature);
    refuseCalls(this.#context, reply.calls, notRun);
    return reply;
  }

  #tell(content: string): void {
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

const marker = /FINAL_ANSWER:/i;
const leadingMarker = /^\s*FINAL_ANSWER:\s*/i;

/** Whether an action says that it is the final answer: the marker counts in any letter case, anywhere in the text. */
export function isFinalAnswer(text: string): boolean {
  return marker.test(text);
}

/** The answer without the marker that it begins with. */
export function withoutMarker(text: string): string {
  return text.replace(leadingMarker, '').trim();
}

/**
 * What a person sees of an agent's reasoning (xaibo's documentation, ReActOrchestrator, Visual Reasoning Indicators).
 * The marks stand as printed there.
 */

const shown = 200;
const start = (text: string): string => (text.length <= shown ? text : `${text.slice(0, shown)}...`);

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
