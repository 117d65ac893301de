import { setTimeout as pause } from 'node:timers/promises';
import { ServiceError, WorkflowFailedError, type Client, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { RunEvent } from '../../src/protocol/events.ts';
import type { ResearchInput, ResearchResult, ResearchState } from '../../src/protocol/research.ts';
import { hashOf } from '../../src/util/ids.ts';
import { Dice } from './dice.ts';
import { criticReply, planReply, reportReply } from './generated-replies.ts';
import type { Script, Scripted } from './model-server.ts';
import { researchScript, type ResearchRequest } from './research-script.ts';
import type { SearchAnswer, SeenSearch } from './search-server.ts';

/** Time that a run has, in milliseconds: one that takes longer hangs. */
const patience = 180_000;

interface Signal {
  /** Sent when the model is asked for the n-th time; the reply waits for it or not. */
  call: number;
  isAwaited: boolean;
  name: 'decide' | 'requestRestart';
  payload: unknown;
}

/** One run, by its number: what it is started with, and how far the model has come with it. */
interface Course {
  dice: Dice;
  /** Of the person who looks, whose chances go by the clock and must not disturb the others. */
  looking: Dice;
  input: ResearchInput;
  aspects: string[];
  most: number;
  policy: string;
  signals: Signal[];
  tried: string[];
  replies: Scripted[];
  send(signal: Signal): Promise<void>;
}

/** How a run ended, and all that it has shown. */
export interface Ended {
  most: number;
  policy: string;
  result: ResearchResult | undefined;
  failure: string | undefined;
  events: RunEvent[];
  states: ResearchState[];
}

const decisions = [{ action: 'accept' }, { action: 'accept', note: 'Fine.' }, { action: 'stop' }];
const restarts = [
  { reason: 'Too broad.', instructions: 'Only bonds.' },
  { reason: '', instructions: '' },
  { reason: 'Long. '.repeat(200), instructions: 'Short. '.repeat(200) },
];
const malformed = [null, undefined, {}, 7, 'accept', { action: 'maybe' }, { action: 'stop', note: 7 }, { reason: 'x' }];

/** Researches whose settings, replies and signals are all made up, and can be had again by their seed. */
export class GeneratedResearch {
  readonly seed: number;
  /** Replies of critics so far. */
  criticisms = 0;
  /** How often runs ended each way. */
  readonly ends = new Map<string, number>();
  readonly #courses = new Map<number, Course>();

  constructor(seed: number) {
    this.seed = seed;
  }

  /** The model of all runs: they are told apart by the model's name. */
  readonly script: Script = async (seen) => {
    const course = this.#courses.get(Number(/\d+/.exec(seen.body.model)?.[0]));
    if (course === undefined) return { status: 404 };
    const reply = await researchScript({
      plan: () => planReply(course.dice, course.tried),
      criticise: () => criticReply(course.dice, course.aspects),
      synthesise: ({ prompt }: ResearchRequest) => reportReply(course.dice, prompt),
    })(seen);
    if (seen.tools.includes('submit_criticism')) this.criticisms += 1;
    const sent = course.signals.filter(({ call }) => call === course.replies.length);
    course.replies.push(reply);
    for (const signal of sent) {
      const done = course.send(signal);
      if (signal.isAwaited) await done;
    }
    return { ...reply, delay: course.dice.chance(0.2) ? course.dice.whole(1, 50) : 0 };
  };

  /** What a search finds follows from its words: nothing, something else, much the same, or an error. */
  readonly find = ({ query }: SeenSearch): SearchAnswer => {
    const dice = new Dice(this.seed ^ Number.parseInt(hashOf(query).slice(0, 8), 16));
    if (dice.chance(0.1)) return dice.one([{ status: 404 }, { raw: '<html>' }, { raw: '{"results": 3}' }]);
    const isSimilar = dice.chance(0.4);
    return {
      results: dice.many(0, 5, (index) => ({
        title: isSimilar ? `${query} ${index}` : dice.words(1, 4),
        url: `https://${dice.words(1, 1)}.example/${index}`,
        content: dice.words(0, 20),
      })),
    };
  };

  /** Does run `number`. @throws where anything is wrong with it: the message has seed, number, input and replies */
  async run(client: Client, taskQueue: string, number: number): Promise<void> {
    const course = this.#courseOf(number);
    this.#courses.set(number, course);
    const isEarly = course.dice.chance(0.1);
    const workflow = { taskQueue, workflowId: `generated-${this.seed}-${number}`, args: [course.input] };
    const { name, payload } = signalOf(course.dice);
    const handle: WorkflowHandle = isEarly
      ? await client.workflow.signalWithStart('research', {
          ...workflow,
          signal: name,
          signalArgs: [payload],
        })
      : await client.workflow.start('research', workflow);
    // A signal may come after the end.
    course.send = async (signal) => handle.signal(signal.name, signal.payload).catch(() => {});
    try {
      const ended = await follow(handle, course);
      const end = ended.failure ?? ended.result?.outcome ?? '';
      this.ends.set(end, (this.ends.get(end) ?? 0) + 1);
      const problems = problemsOf(ended);
      if (problems.length > 0)
        throw new Error(`${problems.join('; ')}\nResult: ${JSON.stringify(ended.result)?.slice(0, 3000)}`);
    } catch (error) {
      const replies = course.replies.map((reply) => JSON.stringify(reply).slice(0, 600));
      const { input, signals } = course;
      const said = [`Input: ${JSON.stringify(input)}`, `Signals: ${JSON.stringify(signals)}`, ...replies];
      throw new Error(`Seed ${this.seed}, run ${number} (${handle.workflowId}): ${String(error)}\n${said.join('\n')}`, {
        cause: error,
      });
    } finally {
      this.#courses.delete(number);
    }
  }

  #courseOf(number: number): Course {
    const dice = new Dice(Math.imul(this.seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b));
    const most = dice.whole(1, 4);
    const policy = dice.one(['restart', 'proceed', 'fail', undefined] as const);
    const aspects = dice.one([
      ['feasibility', 'novelty', 'data', 'risk', 'testability'],
      ['proof', 'cost'],
    ]);
    const weights = Object.fromEntries(aspects.map((aspect) => [aspect, dice.next() + 0.01]));
    const backend = { type: dice.one(['openai', 'claude'] as const), model: `case-${number}` };
    const research = {
      backend,
      weights,
      max_planning_iterations: most,
      search: { provider: 'searxng' as const },
      ...(policy !== undefined && { on_missing_score: policy }),
      ...(dice.chance(0.5) && { min_viability_score: dice.whole(0, 100) }),
      ...(dice.chance(0.3) && { max_similar_implementations: dice.whole(0, 4) }),
      ...(dice.chance(0.1) && { approval: true }),
    };
    const budget = dice.chance(0.05) ? { budget: { calls: dice.whole(1, 8) } } : {};
    const idea = dice.chance(0.02) ? dice.words(500, 1000) : dice.words(2, 8);
    return {
      dice,
      looking: new Dice(number),
      input: { idea, config: { research, ...budget } },
      aspects,
      most,
      policy: policy ?? 'proceed',
      signals: dice.chance(0.35) ? dice.many(1, 4, () => signalOf(dice)) : [],
      tried: [idea],
      replies: [],
      send: async () => {},
    };
  }
}

function signalOf(dice: Dice): Signal {
  const name = dice.one(['decide', 'requestRestart', 'requestRestart'] as const);
  const sound = name === 'decide' ? decisions : restarts;
  const payload = dice.chance(0.15) ? dice.one(malformed) : dice.one<unknown>(sound);
  return { call: dice.whole(0, 10), isAwaited: dice.chance(0.6), name, payload };
}

/** Looks at a run now and then until it has ended, and decides where it waits for that. */
async function follow(handle: WorkflowHandle, course: Course): Promise<Ended> {
  const { looking, most, policy } = course;
  const until = Date.now() + patience;
  const states: ResearchState[] = [];
  const end = endOf(handle);
  let ended: Awaited<typeof end> | undefined;
  while (ended === undefined) {
    ended = await Promise.race([end, pause(looking.whole(50, 400), undefined)]);
    const state = await asked<ResearchState>(handle, 'state');
    states.push(state);
    if (state.phase === 'waiting_for_approval')
      await course.send({
        ...signalOf(looking),
        ...(looking.chance(0.6) && { name: 'decide', payload: looking.one(decisions) }),
      });
    if (ended === undefined && Date.now() > until) throw new Error(`It does not end: ${JSON.stringify(state)}`);
  }
  return { most, policy, states, ...ended, events: await asked<RunEvent[]>(handle, 'events') };
}

/** Queries a run, and again where a busy machine has not answered in time. */
async function asked<T>(handle: WorkflowHandle, query: string): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await handle.query<T>(query);
    } catch (error) {
      if (!(error instanceof ServiceError) || tries === 10) throw error;
    }
  }
}

async function endOf(handle: WorkflowHandle): Promise<Pick<Ended, 'result' | 'failure'>> {
  try {
    return { result: (await handle.result()) as ResearchResult, failure: undefined };
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    const { cause } = error;
    const type = cause instanceof ApplicationFailure ? cause.type : undefined;
    return { result: undefined, failure: type ?? String(cause) };
  }
}

/** What must not be, whatever model and person do. */
export function problemsOf({ events, failure, most, policy, result, states }: Ended): string[] {
  const of = <T extends RunEvent['type']>(type: T) =>
    events.filter((event): event is Extract<RunEvent, { type: T }> => event.type === type);
  const scores = [
    ...states.map(({ criticism_score }) => criticism_score),
    ...of('criticism').map(({ score }) => score),
    ...(result?.iterations.map((iteration) => iteration?.score) ?? []),
  ];
  const counted = Math.max(...states.map(({ planning_iteration }) => planning_iteration), 0);
  const checks: Array<[isRight: boolean, problem: string]> = [
    [counted <= most, `the state has shown iteration ${counted} of ${most}`],
    [events.every(({ attempt }) => attempt <= most), 'an event belongs to an iteration above the limit'],
    [of('plan').length <= most, `${of('plan').length} plans were drawn, at most ${most} may be`],
    [scores.every(isScore), `scores: ${JSON.stringify(scores)}`],
    [events.every(({ seq }, index) => seq === index + 1), 'events are missing'],
  ];
  const hasFound = of('searched').some(({ found }) => found > 0);
  if (result === undefined) {
    const allowed = policy === 'fail' ? ['NoScore', 'NoPlan'] : ['NoPlan'];
    checks.push([allowed.includes(failure ?? ''), `it has failed: ${failure}`]);
    checks.push([failure !== 'NoPlan' || of('plan').length === 0, 'it has failed for want of a plan, and had one']);
  } else {
    const { iterations, outcome, report } = result;
    const numbers = iterations.map((iteration) => iteration?.iteration);
    const isCounted = numbers.every((number, index) => number === index + 1);
    checks.push([isCounted && numbers.length >= 1 && numbers.length <= most, `iterations: ${numbers.join()}`]);
    checks.push([iterations.every((each) => hasText(each?.idea)), 'an iteration without an idea']);
    checks.push([hasText(report.title) && hasText(report.summary), `a report without title or summary`]);
    const { sections } = report;
    checks.push([sections.some(({ text }) => hasText(text)), 'a report without any section with text']);
    const texts = [report.summary, ...sections.map(({ text }) => text)].join(' ');
    const isCited = report.sources.every((_, index) => texts.includes(`[${index + 1}]`));
    checks.push([isCited, 'a source that is not cited']);
    checks.push([
      hasFound || !['viable', 'degraded', 'iteration_limit'].includes(outcome),
      `${outcome} without material`,
    ]);
    checks.push([!hasFound || outcome !== 'no_material', 'no_material, and something was found']);
    const isWritten = of('synthesis').length > 0;
    checks.push([
      outcome !== 'no_material' || (!isWritten && report.sources.length === 0),
      'findings without material',
    ]);
    // What was known before the first iteration, such as a model without a price, leaves a run viable.
    const early = of('warning').flatMap(({ attempt, text }) => (attempt === 0 ? [text] : []));
    const isClean = result.warnings.every((text) => early.includes(text));
    checks.push([outcome !== 'viable' || isClean, 'viable with warnings']);
    checks.push([of('final').length === 1, `${of('final').length} final events`]);
  }
  return checks.flatMap(([isRight, problem]) => (isRight ? [] : [problem]));
}

const isScore = (score: unknown): boolean =>
  score === null || (typeof score === 'number' && score >= 0 && score <= 100);

const hasText = (text: string | undefined): boolean => /[\p{L}\p{N}]/u.test(text ?? '');
