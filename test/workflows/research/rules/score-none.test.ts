import { noScore } from '../../../support/score-table.ts';

const legend = `Scoring:
- 0-30: Major flaws
- 31-50: Significant concerns
- 51-70: Moderate concerns
- 71-85: Good concept
- 86-100: Excellent concept
`;

noScore('nothing is said', [
  '',
  'Viability score: /100',
  'Viability score: TBD',
  'Viability score: not applicable',
  'Viability score: XX',
  'Viability score: –/100',
  'VIABILITY SCORE: <number>',
]);

noScore('bounds and thresholds', [
  '86+: Excellent concept. Below 31: Major flaws.',
  '>51',
  'viability score: <60',
  'We aim for a viability score of 75.',
  'Our goal: a score of 80.',
  'Target: 80/100',
  'A score of 51 means proceed.',
]);

noScore('denied, supposed, hoped for', [
  'a score below 51 means restart, and 80 would be great',
  'For example, a viability score of 45 would mean a restart.',
  'E.g. VIABILITY SCORE: 65',
  'It would be 80/100 if the costs were lower.',
  'The viability score is not 80.',
  'No viability score of 80 is warranted.',
  '80/100? No.',
]);

noScore('ranges, bands and several at once', [
  legend,
  'Viability score: 51-70',
  '(scale 0-100)',
  'Viability score: forty to fifty',
  '5 to 6 out of 10',
  'Viability score: 70, 60 and 50',
  'As it stands 55/100; with work perhaps 80/100.',
]);

noScore('out of range, or no plain number', [
  'Viability score: one hundred and twenty',
  '-5',
  'Viability: 120%',
  'VIABILITY SCORE: 1,000',
  'VIABILITY SCORE: 101',
  'VIABILITY SCORE: 100.5',
  'Viability score: −5',
]);

noScore('of single aspects', [
  '| Aspect | Score |\n|---|---|\n| Feasibility | 70 |\n| Novelty | 50 |',
  'Risk score: 30/100',
  'Originality 9/10',
  '3/10 for novelty.',
  'Scores: 70, 60, 50',
  'Costs: 65/100',
  'Technical viability score: 60/100',
  'For feasibility, I give it 80/100.',
  'I assign 57/100 to novelty.',
  '57/100 (novelty)',
  'The RSI is 65/100.',
]);

noScore('of another plan, or by somebody else', [
  'Viability score: N/A (previously 45/100)',
  'Old viability score: 60',
  'Viability score in the previous iteration: 60/100',
  'Smith gives momentum 57/100.',
  'The authors claim a score of 80/100.',
  'In the previous iteration I gave 45/100.',
  'Its predecessor scored 45/100.',
]);

noScore('other numbers', [
  '3/5',
  'Viability concerns: 3',
  '## Viability\n\n1. Costs are high.\n2. Data is thin.',
  'Viability score; 65',
  'With 61 points, the idea passes.',
  '100% sure.',
  'the 80/100 rule',
  '10 of 100 stocks',
  'Viability has 3 pillars.',
  'Viability: 12 months',
  '⭐ 4/5',
  'a 1/10 scale model',
]);
