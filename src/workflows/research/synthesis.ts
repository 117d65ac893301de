import { failureReason } from '../agent/failures.ts';
import { structured, type OutputSpec, type Read, type StructuredAgent } from '../agent/structured-output.ts';
import { judgementOf } from './view.ts';
import type { Iteration, Report, ResearchOutcome } from '../../protocol/research.ts';
import { reportMessage, reportTool } from './prompts.ts';
import * as rules from './rules/report.ts';
import { dossierOf } from './criticism.ts';
import { newRoleAgent, purposeOf, type Draft, type ResearchContext } from './context.ts';

/** If the writer's model fails, the report is put together without it. */
export async function synthesise(context: ResearchContext, draft: Draft, outcome: ResearchOutcome): Promise<void> {
  const { events, iterations } = context;
  const { criticism, number } = draft;
  if (criticism?.servesGoal === false) context.warn('The plan of the report is not about what the user asked for');
  const { score = null, verdict = null } = criticism ?? {};
  const atLimit = outcome === 'iteration_limit';
  context.phase = 'synthesising';
  events.emit({ type: 'synthesis', iteration: number, best: atLimit ? iterations.length : null });
  const writer = newRoleAgent(context, 'writer', number);
  const content = reportMessage({
    ...dossierOf(context, draft),
    criticism: criticism?.content,
    judgement: judgementOf({ score, verdict, restartReason: null }),
    atLimit,
  });
  writer.agent.tell({ role: 'user', content });
  context.report = await reportBy(context, draft, writer);
}

async function reportBy(context: ResearchContext, draft: Draft, writer: StructuredAgent): Promise<Report> {
  const { idea } = context;
  const marks = marksOf(draft);
  const failed = (why: string): Report => {
    context.warn(`No report could be written: ${why}`, 'writer');
    return withoutWriter(context, draft, why);
  };
  try {
    const spec = specOf(draft, idea, marks);
    const { error, isCut, value } = await structured(writer, 'writing', purposeOf('synthesise', draft), spec);
    if (value === undefined) return failed(error ?? 'the writer gave none');
    if (error !== undefined) context.warn(`The report is taken as it is: ${error}`, 'writer');
    if (isCut) context.warn("The report was cut off at its model's limit of tokens", 'writer');
    return rules.finished(value, marks);
  } catch (error) {
    return failed(failureReason(error));
  }
}

/** Without a model. @param why no report was written, for its summary */
export function withoutWriter({ idea, iterations }: ResearchContext, draft: Draft | undefined, why: string): Report {
  const { criticism, plan } = draft ?? {};
  const marks = draft === undefined ? new Map<string, never>() : marksOf(draft);
  const found = [...marks].slice(0, 30).map(([mark, work]) => `- ${work.title} [${mark}]`);
  const sections = [
    { heading: 'Plan', text: plan?.approach ?? '' },
    { heading: 'Criticism', text: criticism?.text ?? '' },
    { heading: 'Found by the searches', text: found.join('\n') },
    { heading: 'Iterations', text: roundsOf(iterations) },
  ].filter(({ text }) => text.trim() !== '');
  const title = plan?.idea ?? idea.trim().split('\n')[0] ?? '';
  const summary = `No report was written: ${why}. This is what there was at that moment.`;
  return rules.finished({ title, summary, sections }, marks);
}

/** What was searched, and no findings. */
export function withoutFindings({ drafts, gaps, idea, iterations }: ResearchContext): Report {
  const searched = drafts.flatMap(({ found, number }) =>
    (found?.queries ?? []).flatMap((query, index) => {
      if (found?.gaps.some((gap) => gap.startsWith(`"${query}": `))) return [];
      const isReported = found?.hits.some(({ mark }) => mark.startsWith(`${index + 1}.`));
      const apart = isReported ? ', apart from reports of earlier runs' : '';
      return [`- "${query}" (iteration ${number}): nothing was found${apart}`];
    }),
  );
  const sections = [
    { heading: 'What was searched', text: searched.join('\n') },
    { heading: 'What could not be searched', text: gaps.map((gap) => `- ${gap}`).join('\n') },
    { heading: 'Plan', text: drafts.at(-1)?.plan?.approach ?? '' },
    { heading: 'Iterations', text: roundsOf(iterations) },
  ].filter(({ text }) => text.trim() !== '');
  const why = searched.length > 0 ? 'Nothing was found for this idea' : 'No search has worked';
  const title = idea.trim().split('\n')[0] ?? '';
  return { title, summary: `${why}, so this report has no findings.`, sections, sources: [] };
}

const roundsOf = (iterations: Iteration[]): string =>
  iterations.map((each) => `${each.iteration}. ${each.idea}: ${judgementOf(each)}`).join('\n');

const marksOf = ({ found }: Draft): rules.Marks =>
  new Map(found?.hits.map(({ hit: { title, url }, mark }) => [mark, { title, url }]));

function specOf(draft: Draft, idea: string, marks: rules.Marks): OutputSpec<rules.Draft> {
  const title = draft.plan?.idea ?? idea;
  const checked = (value: rules.Draft): Read<rules.Draft> => {
    const error = rules.problemOf(value, marks);
    if (error === undefined) return { value };
    const whole = rules.completed(value, title, marks);
    return whole === undefined ? { error } : { value: whole, error };
  };
  return {
    tool: reportTool.name,
    read: (input) => checked(rules.draftOf(input)),
    readText: (text) => {
      const value = rules.draftIn(text, title);
      return value === undefined ? { error: 'That was no report.' } : checked(value);
    },
  };
}
