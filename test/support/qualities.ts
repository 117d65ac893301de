import { vote, type TeamRequest } from './team-script.ts';

/** The mark of an answer, from which scripted voters and judges see how good it is. */
export const marked = (quality: number, by: string): string => `Quality ${quality}, by ${by}.`;
export const qualityIn = (text: string): number => Number(/Quality (-?\d+)/.exec(text)?.[1]);

/** The answers that a prompt shows by their anonymous names, the newest of each. */
export const shownIn = (prompt: string): Map<string, number> =>
  new Map(
    [...prompt.matchAll(/<answer agent="(\w+)"[^>]*>\n([\s\S]*?)\n<\/answer>/g)].map(([, name = '', text = '']) => [
      name,
      qualityIn(text),
    ]),
  );
export const votesForBest = ({ prompt }: TeamRequest) => {
  const [best] = [...shownIn(prompt)].sort(([, one], [, other]) => other - one);
  return vote(best?.[0] ?? '');
};
export const selectedIn = (prompt: string): number =>
  shownIn(prompt).get(/^Selected: (\S+)$/m.exec(prompt)?.[1] ?? '') ?? NaN;
/** The attempt that a presenter is in, which its prompt tells by the restarts before. */
export const attemptIn = (prompt: string): number => (prompt.match(/^- after attempt /gm) ?? []).length + 1;
export const presents = ({ prompt }: TeamRequest) => ({ text: marked(selectedIn(prompt), 'the presenter') });
