import { ApplicationFailure, isCancellation, proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/activities.ts';
import type { OrchestratorSettings } from '../../config/orchestrators.ts';
import type { HandleText } from '../../protocol/custom-orchestrator.ts';
import { failureTypes } from '../../protocol/errors.ts';
import type { EarlierMessage } from '../../protocol/orchestration.ts';
import { AgentTools } from '../agent/agent-tools.ts';
import { isBudgetSpent } from '../agent/failures.ts';
import type { Persona } from '../agent/model-caller.ts';
import type { ToolExecutor } from '../agent/tool-executor.ts';
import type { Asker } from '../ask-others/broadcast.ts';
import type { RunContext } from '../runtime/run-context.ts';
import { TimeLimitError, withinTime } from '../runtime/time-limit.ts';
import { CustomTurn, ModelCallError } from './custom-turn.ts';
import { guarded } from './guard.ts';
import { loadOrchestrator } from './load.ts';

const { findOrchestrator, readTools } = proxyLocalActivities<Activities>({
  startToCloseTimeout: '30 seconds',
});

export type CustomSettings = Extract<OrchestratorSettings, { kind: 'custom' }>;

/** What a custom orchestrator is run with, whatever it is run for. */
export interface CustomRun {
  settings: CustomSettings;
  persona: Persona;
  tools: ToolExecutor | undefined;
  /** The agent as one who asks; `others` are those whom it may ask besides a person. */
  asker: Asker;
  others?: Asker[];
  say: (text: string) => void;
  /** What was said before, oldest first. */
  history: EarlierMessage[];
  /** `turn 3`. */
  when: string;
  /** Milliseconds that each of its model calls has. */
  callTimeout: number;
}

/** What a custom orchestrator's function is given: its calls become model calls and tool calls of the run. */
export function openCustomTurn({ broadcast, models }: RunContext, custom: CustomRun): CustomTurn {
  const { asker, callTimeout, history, others, persona, say, settings, tools, when } = custom;
  const agentTools = tools && new AgentTools(tools, broadcast, asker, others);
  return new CustomTurn({
    persona,
    models,
    tools: tools?.set ?? null,
    listTools: () => readTools(tools?.set ?? null),
    run: (call) => {
      if (agentTools === undefined) throw new TypeError(`${persona.id} has no tools`);
      return agentTools.run(when, call);
    },
    say,
    history,
    config: settings.config,
    when,
    timeout: callTimeout,
  });
}

/**
 * Runs a custom orchestrator's function on one text, within its time; calls that it leaves under way are cancelled, and
 * counted with the run's other abandoned ones.
 *
 * @param timeout milliseconds in all
 * @returns its answer: what it returns, else the last text that it responded with
 * @throws `ApplicationFailure` that names the file: of type `OrchestratorFailed`, or `TurnFailed` where a model has
 *   failed for good; `BudgetSpent`; `CancelledFailure`
 */
export async function runCustomTurn(
  turn: CustomTurn,
  { module }: CustomSettings,
  handleText: HandleText,
  text: string,
  timeout: number,
): Promise<string> {
  try {
    const returned = await guarded(module, () => withinTime(timeout, async () => handleText(text, turn.context)));
    return answerOf(returned, turn, module);
  } catch (error) {
    if (isCancellation(error) || isBudgetSpent(error)) throw error;
    throw failureOf(error, module);
  } finally {
    turn.end();
  }
}

/**
 * The function of a custom orchestrator's file.
 *
 * @throws `ApplicationFailure`: what the file throws when it is first run, or `InvalidInput` where this worker does not
 *   have it
 */
export async function loadHandleText(file: string): Promise<HandleText> {
  let handleText: HandleText | undefined;
  try {
    handleText = await guarded(file, () => loadOrchestrator(file));
  } catch (error) {
    throw failureOf(error, file);
  }
  if (handleText !== undefined) return handleText;
  throw ApplicationFailure.nonRetryable(await findOrchestrator(file), failureTypes.invalidInput);
}

function answerOf(returned: unknown, { lastSaid }: CustomTurn, file: string): string {
  if (typeof returned === 'string' && returned !== '') return returned;
  const isNothing = returned === undefined || returned === null || returned === '';
  if (!isNothing) throw failure(file, `handleText returned what is no text (${typeof returned})`);
  if (lastSaid !== undefined) return lastSaid;
  throw failure(file, 'handleText returned without a text, and has not responded with any');
}

/** A plain error would have the workflow's task tried again for ever. */
function failureOf(error: unknown, file: string): ApplicationFailure {
  if (error instanceof ApplicationFailure) return error;
  if (error instanceof ModelCallError)
    return ApplicationFailure.nonRetryable(`${file}: ${error.message}`, failureTypes.turnFailed);
  if (error instanceof TimeLimitError)
    return failure(file, `handleText was not done within ${error.milliseconds / 1000} seconds`);
  return failure(file, error instanceof Error ? `${error.name}: ${error.message}` : String(error));
}

const failure = (file: string, what: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(`${file}: ${what}`, failureTypes.orchestratorFailed);
