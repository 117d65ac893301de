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
  ['Viability score: 62\nPrevious viability score: 45', 62],
  ['The previous iteration scored 45/100. Viability: 62/100.', 62],
  ['The viability score rose from 45 to 62.', 62],
  ['Viability score: 45 → 62', 62],
  ['Viability: 45/100 -> 62/100', 62],
  ['Initial viability score: 70\nFinal viability score: 62', 62],
  ['Final viability score: 62\nInitial viability score: 70', 62],
  ['Revised viability score: 62. The original viability score: 70.', 62],
  ['Viability score: 60\n\nOn reflection: viability score: 55', 55],
  ['Final Score: 58', 58],
  ['FINAL VIABILITY SCORE: 58', 58],
  ['With a viability score of 45, this needs another iteration.', 45],
  ['Scores range from 0 to 100. Score: 20', 20],
  ['First viability score: 40. Updated viability score: 55.', 55],
  ['Viability score: 62 (was 45)', 62],
  ['Viability score: 62 (+17 from 45)', 62],
  ['Viability score improved from 45/100 to 62/100.', 62],
  ['New score: 62. Old score: 45.', 62],
  ['My final verdict is a 3/10.', 30],
  ['Score: 40 (previous: 62)', 40],
  ['Viability score dropped from 70 to 62', 62],
  ['viability rose to 62/100, up from 45/100 in iteration 1', 62],
  ['Final score: 60. Score: 80.', 60],
  ['Score: 80. Final score: 60. Score: 70', 60],
  ['Viability score: 45. Fixing the data would raise the viability score from 45 to 62.', 45],
  ['Viability score: ~~45~~ 65', 65],
  ['Score: 80. Viability score: 55.', 55],
  ['Viability score: 55. Overall score: 80.', 55],
  ['Viability: 60/100. Adjusted viability: 48/100.', 48],
  ['Overall: 70/100. Viability: 35/100. Final: 60/100.', 35],
  ['VIABILITY SCORE: 45 VIABILITY SCORE: 62', 62],
  ['Confidence: 80/100 Viability score: 62/100', 62],
  ['Score: 30. No: the final score is 62.', 62],
  ['{"previous_viability_score": 45, "viability_score": 57}', 57],
  ['{"viability_score": 57, "previous_viability_score": 45}', 57],
  ['Viability score: 72/100\nViability score (previous iteration): 45/100', 72],
  ['VIABILITY SCORE: 72/100 (was 45/100)', 72],
  ['Viability score: 60-70/100. Final viability score: 66/100', 66],
]);

scores('beside bands, bounds and what could be', [
  ['Viability score (0-100): 72', 72],
  ['Viability score (scale 0–100): 72', 72],
  [`${legend}\nVIABILITY SCORE: 45`, 45],
  [`VIABILITY SCORE: 45\n\n${legend}`, 45],
  [`${legend}\n**65**/100`, 65],
  ['Viability score: 60. It would be 80 if the data were available.', 60],
  ['Viability score: 60. With better data the viability score could reach 85.', 60],
  ['To get above 71, the viability score needs better data. Viability score: 60.', 60],
  ['Viability score: 60. Addressing the data gap would raise the viability score to 75.', 60],
  ['At 45/100, this falls into the band of significant concerns (31-50).', 45],
  ['This falls in the 31-50 band. I give it 42.', 42],
  [
    'Scale: 0-30 major flaws | 31-50 significant | 51-70 moderate | 71-85 good | 86-100 excellent\nVIABILITY SCORE: 77',
    77,
  ],
  [
    '| Band | Meaning |\n|---|---|\n| 0-30 | Major flaws |\n| 31-50 | Significant concerns |\n\nVIABILITY SCORE: 33',
    33,
  ],
  ['Max score: 100. Viability score: 20', 20],
  ['Viability score: 55. Could reach 80 with better data.', 55],
  ['Potential: 85/100. Viability: 55/100.', 55],
  ['Target viability score: 75\nViability score: 55', 55],
  ['Score: 61, Threshold: 51', 61],
  ['Viability score: 61. It should be noted that a score of 51 is the minimum.', 61],
  ['Viability score: 61. Scores over 70 would be good.', 61],
  ['Viability score: 61, i.e. 9 points short of 70.', 61],
  ['Viability score: 61, just above the 51 cutoff', 61],
  ['{\n "critique": "Scores under 51 fail. 12 months of data.",\n "viability_score": 38\n}', 38],
  ['Hypothetical score: 80. Viability score: 50.', 50],
  ['Viability score: 50 (would be 80 with data)', 50],
  ['Viability Score: 35 / 100\n\nMinimum to proceed: 51', 35],
  ['Minimum to proceed: 51\nViability Score: 35', 35],
  ['A 71-85 would require better data. Viability score = 35', 35],
  ['Viability score 60 — could rise to 80.', 60],
  ['The viability score is 45, below the threshold of 51.', 45],
  ['Scores of 31-50 mean significant concerns. Viability score: 45', 45],
  ['Viability score: 42 (31-50: significant concerns)', 42],
  ['VIABILITY SCORE: 65 (51–70: Moderate concerns)', 65],
  ['Viability score: 50. (Without the data issue: 80.)', 50],
  ['Note: scores of 51/100 and above proceed. VIABILITY SCORE: 45/100', 45],
  ['Viability score: 38/100. A revised plan could get a viability score of 70/100.', 38],
  ['Viability score: 38/100. After a fix: viability score 70/100 is possible.', 38],
]);

scores('beside scores of aspects', [
  ['Viability score: 65 (confidence: 80%)', 65],
  ['I rate aspects on a scale of 1 to 10: novelty 6, data 7. Viability score: 65', 65],
  ['Of 24/7 markets, a 60/40 portfolio and 9/11 I say nothing. Viability: 45/100.', 45],
  ['Feasibility score: 80, novelty score: 60, viability score: 66', 66],
  ['1. Feasibility - 70\n2. Novelty - 50\n3. Viability - 61', 61],
  ['1. Feasibility: 70\n2. Novelty: 50\n\nViability score: 61', 61],
  ['Confidence: 0.8\nViability: 61', 61],
  ['Viability score: 61\nConfidence: 0.8', 61],
  ['- Viability Score: 65\n- Main concerns: 3\n- Confidence: 80', 65],
  ['viability:\n  score: 62\n  verdict: moderate\nnovelty:\n  score: 50', 62],
  ['feasibility:\n  score: 70\nnovelty:\n  score: 50\nviability_score: 62', 62],
  ['Feasibility (30%): 80. Novelty (20%): 50. Viability score: 62.', 62],
  ['Score breakdown:\n- Feasibility: 20/25\n- Novelty: 15/25\n- Data: 10/25\n- Risk: 14/25\nTotal: 59/100', 59],
  ['Viability: 59/100\n\nBreakdown: feasibility 20/25, novelty 15/25', 59],
  ['Viability score: 65%. Risk: 40%.', 65],
  ['Scores: Feasibility 7/10, Novelty 3/10. Overall viability: 4.5/10', 45],
  ['## Feasibility\nScore: 80/100\n\n## Viability\nScore: 60/100\n\n## Novelty\nScore: 40/100', 60],
  ['Overall: 70/100. Feasibility: 80/100.', 70],
  ['Feasibility: 80/100\nNovelty: 40/100\nOverall: 58/100', 58],
  ['Feasibility is strong (80/100) but novelty is weak (40/100). Overall, I give it 58/100.', 58],
  ['Technical viability: 80/100. Viability: 55/100. Market viability: 30/100.', 55],
  ['**Viability Score**: 45/100\n\n**Breakdown:**\n- Feasibility: 60/100\n- Novelty: 30/100', 45],
  ['Feasibility: 70/100, novelty: 50/100, overall: 58/100.', 58],
  ['**1. Feasibility (70/100)**\ntext\n**2. Novelty (50/100)**\ntext\n**Overall (61/100)**', 61],
  ['Viability score: 61/100\nConfidence score: 80/100', 61],
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
