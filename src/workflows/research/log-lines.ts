import type { ResearchEventBody } from '../../protocol/events.ts';

/**
 * What the log says of a research: the lines of the document "Conditional Restart Logic", Usage Examples, stand as
 * printed there.
 */
export function researchLines(event: ResearchEventBody & { attempt: number }): string[] {
  switch (event.type) {
    case 'plan':
      return [`Iteration ${event.attempt}: "${event.idea}"`];
    case 'searched':
      return [`🔎 ${event.query}: ${event.found === 0 ? 'nothing found' : `${event.found} found`}`];
    case 'gap':
      return [`⚠️ ${event.text}`];
    case 'prior art':
      return [
        event.fewer
          ? '→ Fewer similar implementations found'
          : `→ Finds ${event.similar} similar implementation${event.similar === 1 ? '' : 's'}`,
      ];
    case 'criticising':
      return ['→ Proceed to criticism'];
    case 'criticism':
      return [
        event.score === null
          ? '→ Criticism score: none was given'
          : `→ Criticism score: ${event.score}/100 (${event.verdict.toLowerCase()})`,
      ];
    case 'planning restart':
      return [
        `→ Restart with ${event.more ? 'more guidance' : 'guidance'}: "${event.guidance}"`,
        `🔄 Planning restart (iteration ${event.from} -> ${event.to}): ${event.reason}`,
      ];
    case 'synthesis':
      return [
        '→ Proceed to synthesis' +
          (event.best === null
            ? ''
            : ` with iteration ${event.iteration}, the best of ${event.best}: no planning iteration is left`),
      ];
    case 'approval':
      return ['📢 Waits for a person to decide: accept, stop, or ask for a restart'];
    case 'decided':
      return [`📢 A person decides: ${event.action}${event.note === undefined ? '' : ` (${event.note})`}`];
    case 'stored':
      return [`💾 Report ${event.reportId} is stored`];
    case 'issue':
      return [`🐙 Issue ${event.created ? 'created' : 'found'}: ${event.url}`];
  }
}
