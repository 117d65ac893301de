import type { Piece } from './amounts.ts';
import { isAspect, isViability, joints, wholeNouns, words } from './vocabulary.ts';

/** What a line is about, as far as its title says. */
export interface Title {
  about: 'viability' | 'aspect' | 'other';
  /** Whether the title begins the line or stands right above it, rather than farther up. */
  close: boolean;
}

interface Lead {
  about: Title['about'] | undefined;
  /** Whether the line is nothing but a title. */
  alone: boolean;
  /** Whether `#` says so. */
  marked: boolean;
}

const longestTitle = 6;
const farthest = 20;
const titleEnds = words(': - – — ( →');
const closing = words(': ) -');

function aboutOf(title: string[]): Title['about'] {
  if (title.some(isViability)) return 'viability';
  return title.some(isAspect) && !title.some((word) => wholeNouns.has(word)) ? 'aspect' : 'other';
}

/** The words that a line begins with, as its title. */
function leadOf(pieces: Piece[], start: number): Lead {
  const title: string[] = [];
  const isIn = (at: number): boolean => pieces[at] !== undefined && pieces[at]?.kind !== 'break';
  let at = start;
  let marked = false;
  for (; at < start + farthest && isIn(at); at += 1) {
    const { kind, text, glued } = pieces[at]!;
    const joins = text === '/' || text === '&' || (text === '-' && glued);
    if (kind === 'word') title.push(text);
    else if (text === '#') marked = true;
    else if (title.length > 0 && !joins) break;
  }
  const ends = titleEnds.has(pieces[at]?.text ?? '');
  while (closing.has(pieces[at]?.text ?? '')) at += 1;
  const alone = !isIn(at);
  const names = title.length > 0 && title.length <= longestTitle && !title.some((word) => joints.has(word));
  return { about: names && (ends || alone) ? aboutOf(title) : undefined, alone, marked };
}

/** The title that holds for each piece; a line has one object of its own. */
export function titlesOf(pieces: Piece[]): Array<Title | undefined> {
  const titles: Array<Title | undefined> = [];
  let title: Title | undefined;
  let section: Lead | undefined;
  let titleAbove = false;
  for (const [at, piece] of pieces.entries()) {
    const before = pieces[at - 1];
    if (before === undefined || before.kind === 'break') {
      const lead = leadOf(pieces, at);
      const names = lead.about === 'viability' || lead.about === 'aspect';
      // A title within a line holds for its paragraph, one on a line of its own until the next.
      if (!section?.alone && before?.text === '\n\n') section = undefined;
      const above = section?.about && { about: section.about, close: titleAbove || !section.alone };
      title = names && lead.about ? { about: lead.about, close: true } : above;
      titleAbove = lead.alone;
      const lesser = section?.marked && !lead.marked && !lead.alone;
      if (!lesser && lead.about !== undefined && (lead.alone || lead.marked || names)) section = lead;
    }
    if (piece.kind === 'break') title = undefined;
    titles.push(title);
  }
  return titles;
}
