import { failureReason } from '../agent/failures.ts';
import { objectIn } from '../agent/text.ts';
import { storeTexts } from '../agent/text-refs.ts';
import { wholeText } from '../agent/whole-reply.ts';
import { atWork, structured, type OutputSpec, type Read } from '../agent/structured-output.ts';
import type { SolveOutcome, SolveResult, Validation } from '../../protocol/plan-and-execute.ts';
import { warningsOf } from '../runtime/run-context.ts';
import { cutToBytes, jsonBytes, payloadBytes, truncateToPayload } from '../runtime/size.ts';
import type { Verdict } from '../runtime/iterate.ts';
import { answerMessage, validationMessage, type AnswerBrief } from './prompts.ts';
import { afterValidation, type Retry, validationOf } from './rules/validation.ts';
import { newRoleAgent, purposeOf, resultsOf, type Answer, type PlanContext, type Round } from './context.ts';
import { validationTool } from './tools.ts';

export async function synthesise(context: PlanContext): Promise<void> {
  const { events } = context;
  context.phase = 'synthesising';
  events.emit({ type: 'phase', phase: 'SYNTHESIS AND VALIDATION' });
  const { answer: before, validation } = context;
  const answer = await writeAnswer(context);
  if (before !== undefined && !before.isPartial) context.whole = { answer: before, validation };
  context.answer = answer;
  context.validation = null;
  events.emit({ type: 'solution', answer: context.answer.text });
}

export async function judge(context: PlanContext, { isStuck }: Round): Promise<Verdict<SolveOutcome, Retry>> {
  const { answer, events, subtasks } = context;
  if (isStuck || answer === undefined) return { kind: 'end', outcome: 'partial' };
  context.phase = 'validating';
  context.validation = await validate(context, answer);
  if (context.validation !== null) events.emit({ type: 'validation', ...context.validation });
  events.emit({ type: 'state_summary', summary: subtasks.get_state_summary() });
  const failed = subtasks.neededFailures.map(({ id }) => id);
  const next = afterValidation(context.validation, {
    any: failed.length > 0,
    onRetry: subtasks.neededDeadEnds.length > 0,
  });
  if (next.kind !== 'done') return { kind: 'again', restart: next };
  const { outcome } = next;
  if (outcome === 'unverified') context.warn('Nobody has said whether the answer is complete');
  if (outcome === 'partial')
    context.warn(`The answer is called complete, but needs what has failed: ${failed.join(', ')}`);
  return { kind: 'accept', outcome: answer.isPartial ? 'partial' : outcome };
}

/** Where the last answer is none, or ends in the middle, the last whole one is delivered. */
export function takeWhole(context: PlanContext): void {
  const { answer, whole } = context;
  if (answer?.isPartial !== true || whole === undefined) return;
  context.warn('The answer of an earlier round is delivered, since the last one is not whole');
  Object.assign(context, whole);
}

/** How many bytes the results may have together in a prompt, or in an answer that lists them: some 50,000 tokens. */
const resultsBytes = 200_000;

/** Lists what there is as the answer, without a model. @param why no answer was put together */
export function resultsAsAnswer(context: PlanContext, why: string): Answer {
  const needed = context.subtasks.report().filter(({ replacedBy }) => replacedBy === undefined);
  const lines = needed.map(({ description, error = 'not carried out', id, result, status }) => {
    const end = status === 'completed' ? (result ?? '') : `not done: ${error}`;
    return `${id} (${description}): ${end}`;
  });
  const said = `No answer was put together: ${why}. This is what there was:`;
  const text = [said, ...truncateToPayload(lines, resultsBytes)].join('\n');
  return { text, content: text, isPartial: true };
}

async function briefOf(context: PlanContext): Promise<AnswerBrief> {
  const { analysis, stored, subtasks } = context;
  const results = await resultsOf(context, resultsBytes);
  return { problem: stored.problem, analysis, results, failures: subtasks.neededFailures };
}

const cutOff = 'The answer ends in the middle, at the limit of the model';

async function writeAnswer(context: PlanContext): Promise<Answer> {
  const { agent } = newRoleAgent(context, 'synthesis', null);
  agent.tell({ role: 'user', content: answerMessage(await briefOf(context)) });
  const purpose = purposeOf(context, 'synthesise');
  let problem = 'the model gave no text';
  try {
    const { content, isCut, text } = await atWork(context, 'synthesis', 'writing', async () =>
      wholeText(agent, await agent.reply(purpose), purpose),
    );
    if (isCut) context.warn(cutOff, 'synthesis');
    if (text.trim() !== '') return { text: text.trim(), content, isPartial: isCut };
  } catch (error) {
    problem = failureReason(error);
    const begun = agent.lastWords.trim();
    if (begun !== '') {
      context.warn(`${cutOff}, since the model failed then: ${problem}`, 'synthesis');
      const [content = begun] = await storeTexts([begun]);
      return { text: begun, content, isPartial: true };
    }
  }
  context.warn(`No answer was put together: ${problem}`, 'synthesis');
  const listing = resultsAsAnswer(context, problem);
  const [content = listing.text] = await storeTexts([listing.text]);
  return { ...listing, content };
}

/** @returns null if the validator failed, or gave nothing that could be used */
async function validate(context: PlanContext, { content }: Answer): Promise<Validation | null> {
  const validator = newRoleAgent(context, 'validator', context.stored.tools.validation);
  const work = context.subtasks.report().map((each) => ({ ...each, uses: context.uses.get(each.id) ?? [] }));
  validator.agent.tell({ role: 'user', content: validationMessage(await briefOf(context), work, content) });
  let text = 'The answer could not be validated';
  try {
    const purpose = purposeOf(context, 'validate');
    const { error, value } = await structured(validator, 'criticising', purpose, validationSpec);
    if (error === undefined && value !== undefined) return value;
  } catch (error) {
    text = `The answer is not validated: ${failureReason(error)}`;
  }
  context.warn(text, 'validator');
  return null;
}

const orAgain = (value: Validation | undefined): Read<Validation> =>
  value === undefined ? { error: 'That was no validation.' } : { value };

const validationSpec: OutputSpec<Validation> = {
  tool: validationTool.name,
  read: (input) => orAgain(validationOf(input)),
  readText: (text) => orAgain(validationOf(objectIn(text) ?? {})),
};

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
