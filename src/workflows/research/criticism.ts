import { textRef } from '../agent/text-refs.ts';
import { structured, type OutputSpec, type StructuredResult } from '../agent/structured-output.ts';
import { askForScore, criticismTool, dossierMessage, type Dossier } from './prompts.ts';
import { objectIn } from '../agent/text.ts';
import { scoreIn } from './rules/score.ts';
import { verdictOf, viabilityOf } from './rules/viability.ts';
import { atWork, failureOf, newRoleAgent, purposeOf, type Draft, type ResearchContext } from './context.ts';

/** Verdict of an iteration whose critic gave no score. */
const noScore = 'no score';

interface Said {
  text: string;
  score: number | null;
}

/** Has the plan criticised. Where the critic gives no score it is asked once more; a failed critic gives none. */
export async function criticise(context: ResearchContext, draft: Draft): Promise<void> {
  const { events } = context;
  context.phase = 'criticising';
  events.emit({ type: 'criticising' });
  const { said, place } = await atWork(context, 'critic', 'criticising', (onAsking) =>
    criticisedBy(context, draft, onAsking),
  );
  const { score, text } = said;
  draft.criticism = { text, score, content: place === undefined ? text : textRef(text, place('criticism')) };
  const verdict = score === null ? noScore : verdictOf(score);
  draft.verdict = verdict;
  events.emit({ type: 'criticism', score, verdict, text });
}

async function criticisedBy(
  context: ResearchContext,
  draft: Draft,
  onAsking: (isAsking: boolean) => void,
): Promise<{ said: Said; place: StructuredResult<Said>['place'] | undefined }> {
  const { events, settings } = context;
  const critic = newRoleAgent(context, 'critic', draft.number);
  const spec = specOf(settings.weights);
  const purpose = purposeOf('criticise', draft);
  try {
    critic.agent.tell({ role: 'user', content: dossierMessage(dossierOf(context, draft)) });
    const first = await structured(critic, purpose, spec, onAsking);
    if (first.value?.score != null) return { said: first.value, place: first.place };
    critic.agent.tell({ role: 'user', content: askForScore });
    const second = await structured(critic, purpose, spec, onAsking);
    const score = second.value?.score ?? null;
    if (score === null) events.emit({ type: 'warning', agent: 'critic', text: 'The criticism has no score' });
    const given = first.value === undefined ? second : first;
    return { said: { text: given.value?.text ?? '', score }, place: given.place };
  } catch (error) {
    const reason = failureOf(error);
    events.emit({ type: 'warning', agent: 'critic', text: `There is no criticism: ${reason}` });
    return { said: { text: '', score: null }, place: undefined };
  }
}

/** What critic and writer work from. */
export function dossierOf({ lessons, stored }: ResearchContext, { approach, found, plan }: Draft): Dossier {
  const { material = [], gaps = [], similar = [] } = found ?? {};
  return {
    idea: plan?.idea ?? stored.idea,
    approach,
    material,
    gaps,
    similar: similar.map(({ title }) => title),
    lessons,
  };
}

function specOf(weights: Record<string, number>): OutputSpec<Said> {
  const aspects = Object.keys(weights);
  const read = (input: Record<string, unknown>): { value: Said } => ({
    value: {
      text: String(input['criticism']),
      score: viabilityOf(input['scores'] as Record<string, number>, weights),
    },
  });
  return {
    tool: criticismTool(aspects).name,
    read,
    readText: (text) => {
      const object = objectIn(text);
      if (object !== undefined && hasScores(object, aspects)) {
        const { criticism, scores } = object;
        return read({ criticism: typeof criticism === 'string' ? criticism : text, scores });
      }
      return { value: { text, score: scoreIn(text) ?? null } };
    },
  };
}

function hasScores({ scores }: Record<string, unknown>, aspects: string[]): boolean {
  if (typeof scores !== 'object' || scores === null) return false;
  const values = aspects.map((aspect) => (scores as Record<string, unknown>)[aspect]);
  return values.every((value) => typeof value === 'number' && value >= 0 && value <= 100);
}
