import { failureReason } from '../agent/failures.ts';
import { textRef } from '../agent/text-refs.ts';
import { structured, type OutputSpec } from '../agent/structured-output.ts';
import { askForScore, criticismTool, dossierMessage, type Dossier } from './prompts.ts';
import { objectIn } from '../agent/text.ts';
import { scoreIn } from './rules/score.ts';
import { verdictOf, viabilityOf } from './rules/viability.ts';
import { atWork, newRoleAgent, purposeOf, type Criticism, type Draft, type ResearchContext } from './context.ts';

type Said = Pick<Criticism, 'text' | 'score'>;

/** Has the critic judge the plan. A critic that gives no score is asked once more; one that fails gives none. */
export async function criticise(context: ResearchContext, draft: Draft): Promise<void> {
  const { events } = context;
  context.phase = 'criticising';
  events.emit({ type: 'criticising' });
  const said = await atWork(context, 'critic', 'criticising', (onAsking) => askCritic(context, draft, onAsking));
  const { score, text } = said;
  const verdict = score === null ? 'no score' : verdictOf(score);
  draft.criticism = { ...said, verdict };
  events.emit({ type: 'criticism', score, verdict, text });
}

async function askCritic(
  context: ResearchContext,
  draft: Draft,
  onAsking: (isAsking: boolean) => void,
): Promise<Omit<Criticism, 'verdict'>> {
  const { events, settings } = context;
  const critic = newRoleAgent(context, 'critic', draft.number);
  const ask = () => structured(critic, purposeOf('criticise', draft), specOf(settings.weights), onAsking);
  try {
    critic.agent.tell({ role: 'user', content: dossierMessage(dossierOf(context, draft), context.lessons) });
    let given = await ask();
    let score = given.value?.score ?? null;
    if (score === null) {
      critic.agent.tell({ role: 'user', content: askForScore });
      const second = await ask();
      score = second.value?.score ?? null;
      if (score === null) events.emit({ type: 'warning', agent: 'critic', text: 'The criticism has no score' });
      if (given.value === undefined) given = second;
    }
    const text = given.value?.text ?? '';
    return { text, content: textRef(text, given.place('criticism')), score };
  } catch (error) {
    events.emit({ type: 'warning', agent: 'critic', text: `There is no criticism: ${failureReason(error)}` });
    return { text: '', content: '', score: null };
  }
}

/** What the critic and the writer are told of a draft. */
export function dossierOf({ stored }: ResearchContext, { approach, found, plan }: Draft): Dossier {
  const { material = [], gaps = [], similar = [] } = found ?? {};
  const titles = similar.map(({ title }) => title);
  return { idea: plan?.idea ?? stored.idea, approach, material, gaps, similar: titles };
}

function specOf(weights: Record<string, number>): OutputSpec<Said> {
  const aspects = Object.keys(weights);
  const read = ({ criticism, scores }: Record<string, unknown>): { value: Said } => ({
    value: { text: String(criticism), score: viabilityOf(scores as Record<string, number>, weights) },
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
