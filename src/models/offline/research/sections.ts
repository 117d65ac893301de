import { headings } from '../../../protocol/headings.ts';

const names = [
  headings.idea,
  headings.plan,
  headings.material,
  headings.earlierResearch,
  headings.planningIteration,
  headings.criticism,
  headings.guidance,
  headings.tried,
];

const headingLine = new RegExp(`^(${names.join('|')})(?: \\d+ of \\d+)?$`, 'gm');

/** The parts of a message of a research, by their headings; of two parts with one name the first counts. */
export function sectionsOf(message: string): Map<string, string> {
  const found = [...message.matchAll(headingLine)];
  const first = found.filter((each, place) => found.findIndex(([, name]) => name === each[1]) === place);
  return new Map(
    first.map((each, place) => [
      each[1] ?? '',
      message.slice(each.index + each[0].length, first[place + 1]?.index).trim(),
    ]),
  );
}

const dash = /^\s*-\s+/;

/** The lines of a part that say something, without dashes; where some have dashes, those only. */
export function linesIn(section: string | undefined): string[] {
  const lines = (section ?? '').split('\n').filter((line) => line.trim() !== '');
  const items = lines.filter((line) => dash.test(line));
  return (items.length > 0 ? items : lines).map((line) => line.replace(dash, '').trim());
}

/** Text on one line, without a final full stop. */
export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim().replace(/\.$/, '');

/** The beginning of a text, up to the last word that fits. */
export function shortened(text: string, most: number): string {
  return text.length <= most ? text : text.slice(0, most + 1).replace(/\s+\S*$|.$/su, '');
}
