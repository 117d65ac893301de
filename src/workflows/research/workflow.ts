import { proxyLocalActivities, upsertSearchAttributes } from '@temporalio/workflow';
import type { Activities } from '../../activities/activities.ts';
import { storeTexts, storeToolSets } from '../agent/text-refs.ts';
import type { ResearchSettings } from '../../config/research.ts';
import type { PreparedResearch, ResearchInput, ResearchResult } from '../../protocol/research.ts';
import { askingText } from '../ask-others/prompts.ts';
import { researchDuties } from './prompts.ts';
import { criticismTool, planTool, reportTool } from './tools.ts';
import { askingTools } from '../orchestration/tools.ts';
import { outcomeAttribute } from '../runtime/attributes.ts';
import { askingOf, openOffice } from '../runtime/run-context.ts';
import { deliver } from './delivery.ts';
import { runResearch } from './iteration.ts';
import { Person } from './operator-control.ts';
import { recall } from './searching.ts';
import { newSpeaker, type Stored, type Study } from './context.ts';
import { unbegun, viewOfStudy } from './view.ts';
import { Surface } from '../runtime/run-handlers.ts';

const { prepareResearch } = proxyLocalActivities<Activities>({
  startToCloseTimeout: '30 seconds',
  retry: { maximumAttempts: 5 },
});

/**
 * An idea is planned, searched for and criticised, and goes back to planning while it is not good enough and iterations
 * are left; then its report is written, kept, and opened as an issue where one is wanted (the document "Conditional
 * Restart Logic"). A person may ask for a restart, accept or stop at any time.
 *
 * @throws `ApplicationFailure`: `InvalidInput` before anything is spent; `NoPlan` where the first plan cannot be had;
 *   `NoScore` where the critic gives none and `on_missing_score` is `fail`
 */
export async function research(input: ResearchInput): Promise<ResearchResult> {
  const surface = new Surface(unbegun);
  const person = new Person(surface.events);
  const prepared = await prepareResearch(input);
  const study = await beginStudy(prepared, surface);
  person.follow({
    hasMaterial: () => study.drafts.some(({ found }) => found !== undefined),
    isWriting: () => study.phase === 'synthesising',
    isOver: () => ['persisting', 'opening an issue', 'done'].includes(study.phase),
  });
  surface.onRestartRequest((request) => person.request(request));
  const result = await deliver(study, await runResearch(study, person));
  upsertSearchAttributes([{ key: outcomeAttribute, value: result.outcome }]);
  return result;
}

async function beginStudy(
  { idea, notices, prices, settings }: PreparedResearch,
  surface: Surface,
): Promise<Study> {
  const { budget, coordination } = settings;
  const [firstLine = ''] = idea.split('\n');
  surface.events.emit({ type: 'started', task: firstLine, agents: ['planner', 'critic', 'writer'] });
  for (const text of notices) surface.events.emit({ type: 'notice', text });
  const office = openOffice({ budget, prices, coordination, agents: 1 }, surface, {});
  const stored = await store(idea, settings);
  const lessons = (await recall(idea)).slice(0, mostLessons).map(({ lesson }) => lesson);
  const [told] = lessons.length === 0 ? [] : await storeTexts([lessons.join('\n\n')]);
  const base = { ...office, settings, stored, conversations: {} };
  const study: Study = {
    ...base,
    idea,
    lessons: told,
    planner: newSpeaker(base, 'planner', 0),
    isIntroduced: false,
    drafts: [],
    iterations: [],
    phase: 'preparing',
    states: { planner: 'waiting', critic: 'waiting', writer: 'waiting' },
    restart: undefined,
    gaps: [],
  };
  surface.show(viewOfStudy(study));
  return study;
}

/** How many earlier runs are told of. */
const mostLessons = 3;

/** Puts what every prompt repeats into the store. */
async function store(idea: string, { coordination, weights }: ResearchSettings): Promise<Stored> {
  const asking = askingOf(coordination, 1);
  const own = asking === undefined ? [] : askingTools(asking.mode);
  const duty = (text: string): string => (asking === undefined ? text : `${text} ${askingText(asking)}`);
  const { critic, planner, writer } = researchDuties;
  const sets = [planTool, criticismTool(Object.keys(weights)), reportTool].map((tool) => [tool, ...own]);
  const ids = await storeToolSets(sets, [planner, critic, writer].map(duty));
  const [plan = '', criticism = '', report = '', ...duties] = ids;
  const [planning = '', judging = '', writing = ''] = duties;
  const [text = idea] = await storeTexts([idea]);
  return {
    idea: text,
    tools: { planner: plan, critic: criticism, writer: report },
    duties: { planner: { blob: planning }, critic: { blob: judging }, writer: { blob: writing } },
  };
}
