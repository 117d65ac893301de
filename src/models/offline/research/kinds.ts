import { stemsOf } from '../../../tools/words.ts';

/** What the offline model looks for in material and plan besides the idea's own words. */
export interface Kind {
  /** As the criticism names it where it is missing. */
  name: string;
  stems: string[];
}

/** The aspects that are judged by words of their own. */
export const kinds = {
  data: {
    name: 'data',
    stems: stemsOf(
      'data dataset sample source record measurement figure statistic history series survey observation',
    ),
  },
  risk: {
    name: 'limits to risk',
    stems: stemsOf(
      'risk loss lose danger crash fail failure limit cost drawback harm damage weakness bias overfitting crowding ' +
        'problem difficulty spoil collapse poor',
    ),
  },
  testability: {
    name: 'tests',
    stems: stemsOf(
      'test backtest trial experiment measure compare comparison check verify validate evaluate control',
    ),
  },
} satisfies Record<string, Kind>;

export const kindOf = (aspect: string): Kind | undefined =>
  Object.entries(kinds).find(([name]) => name === aspect.toLowerCase())?.[1];

/** What stands in quotation marks is looked for or told by others: it is not what a plan itself speaks of. */
export function speaksOf(plan: string, { stems }: Pick<Kind, 'stems'>): boolean {
  const said = new Set(stemsOf(plan.replace(/"[^"]*"/g, ' ')));
  return stems.some((stem) => said.has(stem));
}
