import { scores } from '../../../support/score-table.ts';

const legend = `Scoring:
- 0-30: Major flaws
- 31-50: Significant concerns
- 51-70: Moderate concerns
- 71-85: Good concept
- 86-100: Excellent concept
`;

scores('of several, the last, the final, and rather that of the viability', [
  ['Viability score: 62 (up from 45)', 62],
  ['Viability score: 62, up from 45/100', 62],
  ['The viability score rose from 45 to 62.', 62],
  ['Viability score: 45 → 62', 62],
  ['Viability: 45/100 -> 62/100', 62],
  ['Revised viability score: 62. The original viability score: 70.', 62],
  ['Viability score: 60\n\nOn reflection: viability score: 55', 55],
  ['With a viability score of 45, this needs another iteration.', 45],
  ['First viability score: 40. Updated viability score: 55.', 55],
  ['Viability score: 62 (was 45)', 62],
  ['Viability score improved from 45/100 to 62/100.', 62],
  ['New score: 62. Old score: 45.', 62],
  ['My final verdict is a 3/10.', 30],
  ['Score: 40 (previous: 62)', 40],
  ['Viability score dropped from 70 to 62', 62],
  ['viability rose to 62/100, up from 45/100 in iteration 1', 62],
  ['Final score: 60. Score: 80.', 60],
  ['Score: 80. Final score: 60. Score: 70', 60],
  ['Viability score: ~~45~~ 65', 65],
  ['Viability: 60/100. Adjusted viability: 48/100.', 48],
  ['Overall: 70/100. Viability: 35/100. Final: 60/100.', 35],
  ['VIABILITY SCORE: 45 VIABILITY SCORE: 62', 62],
  ['Confidence: 80/100 Viability score: 62/100', 62],
  ['Score: 30. No: the final score is 62.', 62],
  ['{"previous_viability_score": 45, "viability_score": 57}', 57],
  ['VIABILITY SCORE: 72/100 (was 45/100)', 72],
]);

scores('beside bands, bounds and what could be', [
  ['Viability score (0-100): 72', 72],
  ['Viability score (scale 0–100): 72', 72],
  [`${legend}\nVIABILITY SCORE: 45`, 45],
  [`${legend}\n**65**/100`, 65],
  ['At 45/100, this falls into the band of significant concerns (31-50).', 45],
  ['Score: 61, Threshold: 51', 61],
  ['Viability score: 50 (would be 80 with data)', 50],
  ['Viability score 60 — could rise to 80.', 60],
  ['The viability score is 45, below the threshold of 51.', 45],
  ['Viability score: 42 (31-50: significant concerns)', 42],
  ['VIABILITY SCORE: 65 (51–70: Moderate concerns)', 65],
]);

scores('beside scores of aspects', [
  ['Viability score: 65 (confidence: 80%)', 65],
  ['Feasibility score: 80, novelty score: 60, viability score: 66', 66],
  ['Score breakdown:\n- Feasibility: 20/25\n- Novelty: 15/25\n- Data: 10/25\n- Risk: 14/25\nTotal: 59/100', 59],
  ['Feasibility is strong (80/100) but novelty is weak (40/100). Overall, I give it 58/100.', 58],
  ['Technical viability: 80/100. Viability: 55/100. Market viability: 30/100.', 55],
  ['Feasibility: 70/100, novelty: 50/100, overall: 58/100.', 58],
  ['Feasibility: 80/100 | Viability: 62/100 | Overall: 70/100', 62],
  ['Viability score:35/100;risk:70/100', 35],
  ['Total: 60/100. Feasibility score: 90.', 60],
]);

scores('beside sums and other numbers', [['Thus, (70+60+65)/3 = 65. Viability score: 65', 65]]);

scores('critiques at length', [
  [
    `# Criticism

**Strengths**
1. Momentum is documented since 1993 [2].
2. Data costs only $50 a month.

**Weaknesses**
1. A 55% drawdown in 2009, 3 of 5 sources disagree.
2. Five similar implementations exist.

The bands: 0-30 major flaws, 31-50 significant concerns, 51-70 moderate concerns. A score below 51 means that
planning starts again.

**VIABILITY SCORE:** 48/100 (significant concerns)

To get above 51, use data of one's own; it could then reach 70/100.`,
    48,
  ],
  [
    `## Assessment of iteration 2

The previous iteration scored 15/100. This one is better:

* Feasibility: 7/10
* Novelty: 4/10
* Data availability: 60%
* Risk: 5/10

Weighted, that is a viability of **5.4/10**.`,
    54,
  ],
  [
    `Feasibility

Strong. 80/100

Novelty

Weak. 30/100

Risks

The 2020 crash cost such strategies 40%.

Overall assessment: proceed with caution (61/100).`,
    61,
  ],
  [
    `The plan for iteration 3 has 4 steps and 12 sources. It would take 6 months. I cannot put a number on it before the
data has been seen; a score of 51 or higher would need at least 2 more sources.`,
    undefined,
  ],
]);
