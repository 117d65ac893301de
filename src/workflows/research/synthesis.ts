import { isBudgetSpent } from '../agent/failures.ts';
import { structured, type Form, type Read } from '../agent/structured-output.ts';
import { judgementOf } from './details.ts';
import type { Report } from '../../protocol/research.ts';
import { reportMessage } from './prompts.ts';
import { reportTool } from './tools.ts';
import * as rules from './rules/report.ts';
import { dossierOf } from './criticism.ts';
import { atWork, failureOf, newSpeaker, purposeOf, type Draft, type Study } from './context.ts';

/** Has the report of an iteration written. Where the model fails, what there is makes the report. */
export async function synthesise(study: Study, draft: Draft, atLimit: boolean): Promise<Report> {
  const { events, iterations } = study;
  study.phase = 'synthesising';
  const best = atLimit ? iterations.length : null;
  events.emit({ type: 'synthesis', iteration: draft.number, best });
  const writer = newSpeaker(study, 'writer', draft.number);
  const marks = marksOf(draft);
  writer.agent.tell({
    role: 'user',
    content: reportMessage({
      ...dossierOf(study, draft),
      lessons: undefined,
      criticism: draft.criticism?.content,
      judgement: judgementFor(draft),
      atLimit,
    }),
  });
  try {
    const { error, value } = await atWork(study, 'writer', 'writing', (onAsking) =>
      structured(writer, purposeOf('synthesise', draft), formOf(draft, study.idea, marks), onAsking),
    );
    if (value === undefined) return withoutWriter(study, draft, error ?? 'the writer gave none');
    if (error !== undefined)
      events.emit({ type: 'warning', agent: 'writer', text: `The report is taken as it is: ${error}` });
    return rules.finished(value, marks);
  } catch (error) {
    const reason = failureOf(error, isBudgetSpent);
    events.emit({ type: 'warning', agent: 'writer', text: `No report could be written: ${reason}` });
    return withoutWriter(study, draft, reason);
  }
}

/** A report of what there is: no model has written it. @param why as its summary says it */
export function withoutWriter({ idea, iterations }: Study, draft: Draft | undefined, why: string): Report {
  const { criticism, plan } = draft ?? {};
  const marks = draft === undefined ? new Map<string, never>() : marksOf(draft);
  const rounds = iterations.map((each) => `${each.iteration}. ${each.idea}: ${judgementOf(each)}`);
  const sections = [
    { heading: 'Plan', text: plan?.approach ?? '' },
    { heading: 'Criticism', text: criticism?.text ?? '' },
    { heading: 'Iterations', text: rounds.join('\n') },
  ].filter(({ text }) => text.trim() !== '');
  const title = plan?.idea ?? idea.trim().split('\n')[0] ?? '';
  const summary = `No report was written: ${why}. This is what there was at that moment.`;
  return rules.finished({ title, summary, sections }, marks);
}

/** `72/100 (Good concept)` */
const judgementFor = ({ criticism, verdict }: Draft): string =>
  judgementOf({ score: criticism?.score ?? null, verdict, restartReason: null });

const marksOf = ({ found }: Draft): rules.Marks =>
  new Map(found?.hits.map(({ hit: { title, url }, mark }) => [mark, { title, url }]));

function formOf(draft: Draft, idea: string, marks: rules.Marks): Form<rules.Draft> {
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
      return value === undefined ? { error: 'That was no report. Call `submit_report`.' } : checked(value);
    },
  };
}
