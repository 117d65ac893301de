import type { SolveOutcome, SolveResult } from '../../protocol/plan-and-execute.ts';
import { truncateToPayload } from '../runtime/truncate.ts';
import { warningsOf } from '../runtime/run-context.ts';
import { cutToBytes, jsonBytes, payloadBytes } from '../runtime/size.ts';
import type { PlanContext } from './context.ts';

export function resultOf(context: PlanContext, outcome: SolveOutcome): SolveResult {
  const { answer, events, retries, subtasks, usage, validation, workspace } = context;
  return fittedResult(context, {
    workflow: 'planAndExecute',
    answer: answer?.text ?? '',
    outcome,
    warnings: warningsOf(context),
    subtasks: subtasks.report(),
    executions: subtasks.executions,
    retries,
    stateSummary: subtasks.get_state_summary(),
    validation,
    ...(workspace && { workspace }),
    usage: usage.total,
    events: events.count,
  });
}

/** How many bytes of a result the answer may take, and the references to what is cut. */
const resultBytes = { answer: 400_000, references: 100_000 };

const answerCut = 'The answer is cut in the result; the conversation of the agent `synthesis` has it whole';

/** Cuts what is too long, the results of subtasks before the answer, and names where the store holds those that are cut. */
function fittedResult({ results }: PlanContext, whole: SolveResult): SolveResult {
  const answer = cutToBytes(whole.answer, resultBytes.answer);
  const budget = payloadBytes - resultBytes.references - jsonBytes(answer);
  const result = { ...truncateToPayload({ ...whole, answer: '' }, budget), answer };
  const subtasks = result.subtasks.map((subtask, index) => {
    const ref = results.get(subtask.id);
    const isCut = subtask.result !== whole.subtasks[index]?.result;
    return isCut && typeof ref === 'object' ? { ...subtask, resultRef: ref } : subtask;
  });
  const warnings = answer === whole.answer ? result.warnings : [...result.warnings, answerCut];
  return { ...result, subtasks, warnings };
}
