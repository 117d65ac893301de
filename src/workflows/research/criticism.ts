import { failureReason } from '../agent/failures.ts';
import { textRef } from '../agent/text-refs.ts';
import { structured, type OutputSpec, type Read } from '../agent/structured-output.ts';
import {
  askForScore,
  criticismTool,
  dossierMessage,
  failedSearches,
  unknownMarks,
  type CritiqueInput,
} from './prompts.ts';
import { objectIn } from '../agent/text.ts';
import { beginningOf } from '../runtime/size.ts';
import { aspectScoresIn } from './rules/aspects.ts';
import { readMarks, worksAt } from './rules/prior-art.ts';
import { scoreIn, scoreUnder } from './rules/score.ts';
import { verdictOf, viabilityOf } from './rules/viability.ts';
import { newRoleAgent, purposeOf, type Criticism, type Draft, type ResearchContext } from './context.ts';

type Said = Omit<Criticism, 'content' | 'verdict'>;

/** The searches that a critic may ask for, and in characters a search, and what it says about the next plan. */
const limits = { queries: 2, query: 200, improvement: 2000 };

const silence: Said = { text: '', score: null, similar: undefined, servesGoal: true, improve: '', queries: [] };

/** A critic that gives no score is asked once more; one that fails gives none. */
export async function criticise(context: ResearchContext, draft: Draft): Promise<Criticism> {
  context.phase = 'criticising';
  const said = await askCritic(context, draft);
  return { ...said, verdict: said.score === null ? 'no score' : verdictOf(said.score) };
}

async function askCritic(context: ResearchContext, draft: Draft): Promise<Omit<Criticism, 'verdict'>> {
  const { settings } = context;
  const critic = newRoleAgent(context, 'critic', draft.number);
  const aspects = settings.hasOwnWeights === true ? Object.keys(settings.weights) : undefined;
  const ask = (isAgain?: true) =>
    structured(critic, 'criticising', purposeOf('criticise', draft), specOf(context, draft), isAgain);
  try {
    critic.agent.tell({
      role: 'user',
      content: dossierMessage(dossierOf(context, draft), context.stored.lessons, aspects),
    });
    let given = await ask();
    let said = given.value ?? silence;
    if (said.score === null) {
      critic.agent.tell({ role: 'user', content: askForScore(aspects) });
      const second = await ask(true);
      if (given.value === undefined) [given, said] = [second, second.value ?? silence];
      else if (second.value !== undefined) said = { ...said, ...decisionsOf(second.value) };
      if (said.score === null) context.warn('The criticism has no score', 'critic');
    }
    return { ...said, content: textRef(said.text, given.place('criticism')) };
  } catch (error) {
    context.warn(`There is no criticism: ${failureReason(error)}`, 'critic');
    return { ...silence, content: '' };
  }
}

/** What a reply decides besides its text, as far as it says anything. */
function decisionsOf({ score, similar, servesGoal, improve, queries }: Said): Partial<Said> {
  return {
    score,
    ...(similar !== undefined && { similar }),
    ...(!servesGoal && { servesGoal }),
    ...(improve !== '' && { improve }),
    ...(queries.length > 0 && { queries }),
  };
}

export function dossierOf(
  { settings, stored }: ResearchContext,
  { approach, found, plan, similar = [] }: Draft,
): CritiqueInput {
  const { material = [], gaps = [], queries = [] } = found ?? {};
  const titles = similar.map(({ title }) => title);
  const failed = failedSearches(settings.search, queries.length, gaps.length);
  return { idea: plan?.idea ?? stored.idea, goal: stored.idea, approach, material, failed, gaps, similar: titles };
}

function specOf({ settings }: ResearchContext, { found }: Draft): OutputSpec<Said> {
  const { hasOwnWeights, weights } = settings;
  const aspects = Object.keys(weights);
  const hits = found?.hits ?? [];
  const read = (input: Record<string, unknown>, text: string): Read<Said> => {
    const score = viabilityOf(input['scores'] as Record<string, number>, weights);
    const { similar = [], serves_goal, improve, queries } = input;
    const { known, unknown } = readMarks(similar, hits);
    const value = {
      text,
      score,
      similar: worksAt(known, hits),
      servesGoal: serves_goal !== false,
      improve: typeof improve === 'string' ? beginningOf(improve.trim(), limits.improvement) : '',
      queries: queriesIn(queries),
    };
    if (unknown.length === 0) return { value };
    const valid = hits.map(({ mark }) => mark);
    return { value, error: unknownMarks(unknown, valid) };
  };
  return {
    tool: criticismTool(aspects).name,
    read: (input) => read(input, String(input['criticism'])),
    readText: (text) => {
      const object = objectIn(text);
      if (object !== undefined && hasScores(object, aspects))
        return read(object, typeof object['criticism'] === 'string' ? object['criticism'] : text);
      const scores = aspectScoresIn(text, aspects);
      if (scores !== undefined) return { value: { ...silence, text, score: viabilityOf(scores, weights) } };
      // Where the user has set the weights, one number for everything would go past them.
      const whole = (object === undefined ? undefined : scoreUnder(object)) ?? scoreIn(text);
      return { value: { ...silence, text, score: hasOwnWeights === true ? null : (whole ?? null) } };
    },
  };
}

function queriesIn(queries: unknown): string[] {
  if (!Array.isArray(queries)) return [];
  const texts = queries
    .filter((query) => typeof query === 'string')
    .map((query) => beginningOf(query.trim(), limits.query));
  return [...new Set(texts)].filter((query) => query !== '').slice(0, limits.queries);
}

function hasScores({ scores }: Record<string, unknown>, aspects: string[]): boolean {
  if (typeof scores !== 'object' || scores === null) return false;
  const values = aspects.map((aspect) => (scores as Record<string, unknown>)[aspect]);
  return values.every((value) => typeof value === 'number' && value >= 0 && value <= 100);
}
