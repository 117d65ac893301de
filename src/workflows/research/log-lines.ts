import type { ResearchEventBody } from '../../protocol/events.ts';
import { line, type LogLines } from '../runtime/log-entry.ts';

/** Lines that the document "Conditional Restart Logic" shows in its section Usage Examples are worded as printed there. */
export const researchLines: LogLines<ResearchEventBody> = {
  plan: ({ attempt, idea }) => `Iteration ${attempt}: "${idea}"`,
  searched: ({ found, query, reports = 0 }) => {
    const others = found === reports ? 'nothing found' : `${found - reports} found`;
    const earlier = reports === 1 ? 'a report of an earlier run' : `${reports} reports of earlier runs`;
    return `🔎 ${query}: ${others}${reports === 0 ? '' : `, apart from ${earlier}`}`;
  },
  page: ({ characters, mark, url, why }) =>
    `📄 [${mark}] ${url}: ${why === undefined ? `${characters} characters read` : `not read (${why})`}`,
  gap: ({ text }) => `⚠️ ${text}`,
  prior_art: ({ fewer, similar }) => {
    const finds = `Finds ${similar} similar implementation${similar === 1 ? '' : 's'}`;
    return `→ ${fewer ? 'Fewer similar implementations found' : finds}`;
  },
  criticising: () => '→ Proceed to criticism',
  criticism: ({ score, verdict }) =>
    `→ Criticism score: ${score === null ? 'none was given' : `${score}/100 (${verdict.toLowerCase()})`}`,
  planning_restart: ({ from, guidance, more, reason, to }) => [
    line(`→ Restart with ${more ? 'more guidance' : 'guidance'}: "${guidance}"`),
    line(`🔄 Planning restart (iteration ${from} -> ${to}): ${reason}`),
  ],
  synthesis: ({ best, iteration }) => {
    const which = ` with iteration ${iteration}, the best of ${best}: no planning iteration is left`;
    return `→ Proceed to synthesis${best === null ? '' : which}`;
  },
  plan_review: () => '📢 Waits for a person to decide: accept, stop, or ask for a restart',
  decided: ({ action, note }) => `📢 A person decides: ${action}${note === undefined ? '' : ` (${note})`}`,
  stored: ({ reportId }) => `💾 Report ${reportId} is stored`,
  issue: ({ created, url }) => `🐙 Issue ${created ? 'created' : 'found'}: ${url}`,
};
