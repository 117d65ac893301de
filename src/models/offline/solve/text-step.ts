import { findingsOn } from '../findings.ts';
import type { Library } from '../library.ts';
import { numbered, shelfOf } from '../shelves.ts';
import type { Use } from '../uses.ts';
import { nextRead, readErrors, shelfOfFile } from './file-shelves.ts';
import type { SubtaskBrief } from './reading.ts';
import { openingOn } from './statement.ts';
import type { Step } from './step.ts';

/**
 * What texts say on a part: the attachments, once all are read, then the results that the subtask depends on, then the
 * folder.
 *
 * @param canRead whether the tool that reads attachments is on offer
 */
export function textStep(
  part: string,
  brief: SubtaskBrief,
  calls: Use[],
  canRead: boolean,
  library: Library,
): Step {
  const { attachments, problem, results } = brief;
  const readable = attachments.filter(({ kind }) => kind !== 'image' && kind !== 'table');
  for (const { name } of canRead ? readable : []) {
    const call = nextRead(name, calls);
    if (call !== undefined) return { call };
  }
  const told = results.flatMap((text) => text.split('\n').map((line) => ({ text: line, place: 'a result' })));
  const shelves = [
    ...readable.map(({ name }) => shelfOfFile(name, calls)),
    shelfOf(told),
    numbered(library.index()),
  ];
  const [finding] = findingsOn([part], problem, shelves);
  const said = (finding?.sentences ?? []).map(({ place, text }) => `${text} (${place})`);
  if (said.length > 0) return { line: `${openingOn(part)}${said.join(' ')}` };
  const files = attachments.filter(({ kind }) => kind !== 'table').map(({ name }) => name);
  return { missing: ['looked at: ' + [...files, library.name].join(', '), ...readErrors(calls)].join('; ') };
}
