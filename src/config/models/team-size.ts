import type { Backend, Team } from '../../protocol/settings.ts';
import { capabilitiesOf } from './model-capabilities.ts';

/** How many agents a team may have: all their calls of a round leave in one message to the server, which takes 4 MB. */
export const mostAgents = 200;

/** The least that an answer takes where it is shown, with what stands around it, in tokens. */
const leastAnswer = 80;

/** The share of a context that messages have, besides the reply, and what a vote needs besides the answers, in tokens. */
const share = 3 / 4;
const besides = 1000;

/** Says which models could not even be shown the beginning of each answer, so that nobody with them can vote, or judge. */
export function tooManyAnswers({ agents, final_agent }: Team): string[] {
  const judge = final_agent?.judge?.backend ?? final_agent?.backend;
  const backends = [...agents.map(({ backend }) => backend), ...(judge === undefined ? [] : [judge])];
  const needed = agents.length * leastAnswer + besides;
  const isTooSmall = (backend: Backend): boolean =>
    backend.type !== 'offline' && capabilitiesOf(backend).contextTokens * share < needed;
  const models = new Map(backends.filter(isTooSmall).map((backend) => [backend.model ?? backend.type, backend]));
  return [...models].map(
    ([model, backend]) =>
      `The context of ${model} (${capabilitiesOf(backend).contextTokens} tokens) cannot show the answers of ` +
      `${agents.length} agents, not even their beginnings: who uses it cannot vote or judge. Take fewer agents, or a model with a longer context`,
  );
}
