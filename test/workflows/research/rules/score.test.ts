import { describe, expect, test } from 'vitest';
import { scoreIn } from '../../../../src/workflows/research/rules/score.ts';

type Row = [text: string, score: number | undefined];

const none = undefined;

function table(name: string, rows: Row[]): void {
  describe(name, () => {
    test.each(rows)('%j → %s', (text, score) => {
      expect(scoreIn(text)).toBe(score);
    });
  });
}

table('plain', [
  ['VIABILITY SCORE: 65', 65],
  ['Viability score - 45', 45],
  ['Viability score – 45', 45],
  ['Viability Score—45', 45],
  ['viability score = 45', 45],
  ['Viability score of 45', 45],
  ['Viability score 45.', 45],
  ['viability: 55', 55],
  ['VIABILITY SCORE\n65', 65],
  ['The viability score is 72.', 72],
  ['The viability of this idea is 45.', 45],
  ['My viability score for this proposal is 45, for three reasons.', 45],
  ['Viability score for the momentum strategy: 45', 45],
  ['Viability score: ~65', 65],
  ['Viability score: approximately 65', 65],
  ['Viability score: approx. 65', 65],
  ['Viability score ≈ 65', 65],
  ['Viability score: 65.5', 65.5],
  ['Viability score: 65,5', 65.5],
  ['Viability score：65', 65],
  ['Viability\u00a0score\u00a0: 65', 65],
  ['VIABILITY SCORE： ６５', 65],
  ['🎯 Viability score: 🟡 65', 65],
  ['Viability score (0-100): 72', 72],
  ['Viability score (scale 0–100): 72', 72],
  ['Viability score (out of 100): 72', 72],
  ['Viability score (previously 45): 62', 62],
  ['Viability score, on a scale of 0 to 100: 72', 72],
  ['Viability score: 65 – moderate concerns', 65],
  ['Viability score: moderate concerns (65)', 65],
  ['Viability score: 65 points', 65],
  ['Viability score: 65 ± 5', 65],
  ['Viability score: 65 (confidence: 80%)', 65],
  ['Viability: 65%', 65],
  ['I consider the idea 65% viable.', 65],
  ['It gets a 45 viability rating.', 45],
  ['I give it a score of 45, which indicates significant concerns.', 45],
  ['I give it 65.', 65],
  ['The idea scores 45 on viability.', 45],
  ['Score: 0', 0],
  ['Score: 100', 100],
  ['Viability score: 0', 0],
  ['criticism_score: 65', 65],
  ['"viability_score": 62', 62],
  ['{"viability_score": 62, "feasibility": 80, "iterations": 3}', 62],
  ['```json\n{\n  "viabilityScore": 62.5,\n  "concerns": ["data", "cost"]\n}\n```', 62.5],
  ['{"novelty": {"score": 80}, "viability": {"score": 62, "reason": "thin data"}, "risk": {"score": 30}}', 62],
  ['<viability_score>65</viability_score>', 65],
  ['Viability score = 0.3*70 + 0.2*50 + 0.2*60 + 0.2*40 + 0.1*80 = 59', 59],
  ['72', 72],
  ['72.', 72],
  ['> 72', 72],
  ['  72\n', 72],
  ['~72', 72],
  ['approximately 72', 72],
  ['65%', 65],
  ['65 percent', 65],
  ['0', 0],
  ['100', 100],
]);

table('emphasis, headings and tables', [
  ['**VIABILITY SCORE:** 65', 65],
  ['VIABILITY SCORE: **65**', 65],
  ['**VIABILITY SCORE: 65**', 65],
  ['***Viability Score***: `65`', 65],
  ['_Viability score_: __65__', 65],
  ['**65**/100', 65],
  ['**Viability:** <b>65</b>/100', 65],
  ['> **Viability score:** 65', 65],
  ['- **Viability score**: 65', 65],
  ['4. **Viability score** — 65', 65],
  ['VIABILITY SCORE: [65]', 65],
  ['Viability score: "65"', 65],
  ['Viability score: ~~45~~ 65', 65],
  ['## Viability Score\n\n65', 65],
  ['## Viability Score\n\n**65/100**\n\n## Next steps\n\n1. Get data\n2. Test it', 65],
  ['Viability Score\n===============\n\n65 / 100', 65],
  ['### Viability Score: 65 – moderate concerns', 65],
  ['### 3. Viability score\n65', 65],
  ['## Viability\n\nAll in all I arrive at 55/100.', 55],
  ['## Feasibility\nScore: 80/100\n\n## Viability\nScore: 60/100\n\n## Novelty\nScore: 40/100', 60],
  ['| Viability | 58 |', 58],
  ['| Aspect | Score |\n|---|---|\n| Feasibility | 80 |\n| **Viability** | **58** |\n| Risk | 30 |', 58],
  [
    '| # | Aspect | Weight | Score |\n|--|:--|--:|--:|\n| 1 | Novelty | 20% | 40 |\n| 2 | Viability | 80% | 58/100 |',
    58,
  ],
  ['| Novelty | Viability | Risk |\n|---|---|---|\n| 70 | 58 | 40 |', 58],
  ['| Aspect | Score (0-10) |\n|---|---|\n| Novelty | 4 |\n| Viability | 6 |', 60],
  ['| Criterion | Score |\n|---|---|\n| Feasibility | 70 |\n| Novelty | 50 |\n| **Overall** | **61** |', 61],
  ['Viability: 55 | Novelty: 80 | Risk: 20', 55],
]);

table('fractions', [
  ['Viability score: 65/100', 65],
  ['65 / 100', 65],
  ['7.5/10', 75],
  ['7,5/10', 75],
  ['7½/10', 75],
  ['Score: 7.5/10', 75],
  ['65 out of 100', 65],
  ['6 out of 10', 60],
  ['6 out of 10.', 60],
  ['I would give this 6 out of 10.', 60],
  ['65/100 viability', 65],
  ['a solid 72/100 for viability', 72],
  ["I'd rate its viability at 40/100", 40],
  ["I'd put the viability of this idea at about 40 out of 100, given the data.", 40],
  ['As to viability, I would say 45/100.', 45],
  ['Viability score: 65 (out of 100)', 65],
  ['Viability: 7 (on a scale of 1-10)', 70],
  ['Viability: 7 on a scale of 1 to 10', 70],
  ['On a scale of 1 to 10, its viability is 7.', 70],
  ['On a 10-point scale, viability: 7', 70],
  ['Viability score (1-10): 7', 70],
  ['Viability score (/10): 7', 70],
  ['I rate aspects on a scale of 1 to 10: novelty 6, data 7. Viability score: 65', 65],
  ['Score: 3/5', 60],
  ['Viability: 4 out of 5 stars', 80],
  ['Rating: 4/5', 80],
  ['Viability score: 13/20', 65],
  ['Viability score: 0.65/1', 65],
  ['0/100', 0],
  ['0/10', 0],
  ['100/100', 100],
  ['Overall: 70/100', 70],
  ['Viability: 7.5/10 (75%)', 75],
  ['Note de viabilité : 6,5/10', 65],
  ['The idea has merit but the data is thin, so 58/100.', 58],
  ['VIABILITY SCORE: 65\\/100', 65],
  ['Of 24/7 markets, a 60/40 portfolio and 9/11 I say nothing. Viability: 45/100.', 45],
]);

table('words', [
  ['Viability score: sixty-five', 65],
  ['Viability score: Sixty Five', 65],
  ['Viability score: seventy two out of one hundred', 72],
  ['I rate it seven out of ten.', 70],
  ['Seven out of ten', 70],
  ['seven and a half out of ten', 75],
  ['six point five out of ten', 65],
  ['The viability score is zero.', 0],
  ['Viability score: one hundred', 100],
  ['I give it a viability score of forty-five (significant concerns).', 45],
  ['Viability score: **fifty**', 50],
  ['Viability score: sixty-five percent', 65],
  ['Viability score for this one: sixty', 60],
  ['Viability is one of the main concerns here.', none],
  ['Viability: two concerns remain.', none],
  ['Seven out of ten traders lose money.', none],
  ['Viability score: one hundred and twenty', none],
]);

const legend = `Scoring:
- 0-30: Major flaws
- 31-50: Significant concerns
- 51-70: Moderate concerns
- 71-85: Good concept
- 86-100: Excellent concept
`;

table('bands, ranges and thresholds that are merely quoted', [
  [legend, none],
  [`${legend}\nVIABILITY SCORE: 45`, 45],
  [`VIABILITY SCORE: 45\n\n${legend}`, 45],
  [`${legend}\n**65**/100`, 65],
  ['0-30: Major flaws', none],
  ['86+: Excellent concept. Below 31: Major flaws.', none],
  ['a score below 51 means restart', none],
  ['A score of 51 means proceed.', none],
  ['A score of 51 or more is needed.', none],
  ['the minimum is 51', none],
  ['The minimum viability score is 51.', none],
  ['min_viability_score: 51', none],
  ['Viability score threshold: 51', none],
  ['{"viability_score": null, "max_score": 100}', none],
  ['Scores of 31-50 mean significant concerns. Viability score: 45', 45],
  ['Scores of 31 to 50 mean significant concerns.', none],
  ['score between 51 and 70', none],
  ['Viability score: 51-70', none],
  ['Viability score: between 51 and 70', none],
  ['Viability score: 51–70/100', none],
  ['Viability score: 60 or 65', none],
  ['Viability score: below 30', none],
  ['Viability score: < 31', none],
  ['Viability score: 70+', none],
  ['Viability score: at least 51 is required', none],
  ['>51', none],
  ['(scale 0-100)', none],
  ['Viability score (scale 0-100)', none],
  ['Viability score: 0-100', none],
  ['out of 100', none],
  ['Viability score (0 = hopeless, 100 = perfect): 72', 72],
  ['The viability score is 45, below the threshold of 51.', 45],
  ['Viability score (minimum 51): 62', 62],
  ['It needs a viability score of 71 to proceed; I give it 60/100.', 60],
]);

table('out of range', [
  ['150', none],
  ['VIABILITY SCORE: 150', none],
  ['-5', none],
  ['VIABILITY SCORE: -5', none],
  ['minus 5', none],
  ['120/100', none],
  ['Viability: 120%', none],
  ['11/10', none],
  ['Score: 6/5', none],
  ['Score: 5/0', none],
  ['VIABILITY SCORE: 1,000', none],
  ['VIABILITY SCORE: 150\n\nCorrection: VIABILITY SCORE: 65', 65],
  ['This is a 11/10 idea. Viability score: 80', 80],
]);

table('two scores', [
  ['Score: 80. Viability score: 55.', 55],
  ['Viability score: 55. Overall score: 80.', 55],
  ['Overall: 70/100. Feasibility: 80/100.', 70],
  ['Feasibility: 80/100\nNovelty: 40/100\nOverall: 58/100', 58],
  ['Feasibility 7/10, Novelty 6/10, Viability 6.5/10', 65],
  ['Feasibility is strong (80/100) but novelty is weak (40/100). Overall, I give it 58/100.', 58],
  ['8/10 novelty, 6/10 feasibility, 7/10 viability', 70],
  ['Technical viability: 80/100. Viability: 55/100. Market viability: 30/100.', 55],
  ['Viability score: 62 (up from 45)', 62],
  ['Viability score: 62, up from 45/100', 62],
  ['Previously 45/100, now 62/100.', 62],
  ['Viability score: 62\nPrevious viability score: 45', 62],
  ['The previous iteration scored 45/100. Viability: 62/100.', 62],
  ['The viability score rose from 45 to 62.', 62],
  ['Viability score: 45 → 62', 62],
  ['Viability: 45/100 -> 62/100', 62],
  ['The viability score was 45, now it is 62.', 62],
  ['Initial viability score: 70\nFinal viability score: 62', 62],
  ['Final viability score: 62\nInitial viability score: 70', 62],
  ['Revised viability score: 62. The original viability score: 70.', 62],
  ['Viability score: 70 (initial)\nViability score: 62 (revised)', 62],
  ['Before: 45/100. After: 62/100.', 62],
  ['Iteration 1 viability score: 15\nIteration 2 viability score: 45\nIteration 3 viability score: 72', 72],
  ['Viability score: 72 (iteration 3)\nViability score: 15 (iteration 1)', 72],
  ['Viability score: 60\n\nOn reflection: viability score: 55', 55],
  ['Viability score: 60. It would be 80 if the data were available.', 60],
  ['Viability score: 60. With better data the viability score could reach 85.', 60],
  ['To get above 71, the viability score needs better data. Viability score: 60.', 60],
  ['With better data, viability would be 80/100 if costs fell. I give it 60/100.', 60],
  ['Viability score: 60. Addressing the data gap would raise the viability score to 75.', 60],
  ['Initial viability score: 45/100', 45],
  ['45/100 or so for the first half; 60/100 for the second', none],
  ['45/100. Truly, 45/100.', 45],
]);

table('none', [
  ['', none],
  ['No score.', none],
  ['The viability of this idea is doubtful.', none],
  ['Viability score: __/100', none],
  ['Viability score: /100', none],
  ['Viability score: N/A', none],
  ['Viability score: TBD', none],
  ['Viability score: N/A (previously 45/100)', none],
  ['Viability score: TBD; feasibility: 70/100', none],
  ['Feasibility: 80/100', none],
  ['Feasibility: 80/100\nNovelty: 40/100\nData: 60/100', none],
  ['| Aspect | Score |\n|---|---|\n| Feasibility | 70 |\n| Novelty | 50 |', none],
  ['Confidence: 80%. Clarity score: 90. Risk rating: 7/10.', none],
  ['Momentum: 80/100', none],
  ['3/5', none],
  ['A 65% drawdown threatens its viability.', none],
  ['Viability suffers from a drawdown of 45.', none],
  ['Viability depends on data since 2015 [12], see Section 51.', none],
  ['Viability: 3 planning iterations were not enough.', none],
  ['Viability concerns: 3', none],
  ['Viability: see section 51', none],
  ['The z-score of 2.5 and a Sharpe of 1.8 are good.', none],
  ['The viability score depends on v2.1 of the data, of 2024-05-01.', none],
  ['Reviewed on 7/10/2024 at 10:45 for $65.', none],
  ['## Viability\n\n1. Costs are high.\n2. Data is thin.', none],
  ['Only 3/10 backtests were profitable, which hurts viability.', none],
  ['The 50/100-day crossover is crowded.', none],
  ['1. Data\n2. Costs\n3. Crowding', none],
  ['Previously 45/100.', none],
  ['Version 7/10 of the plan', none],
  ['https://example.org/65/100', none],
]);

table('critiques at length', [
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
    `I have read the plan twice. It rests on a single source from 2019, and the 12-month lookback is not examined.
Nevertheless the approach is sound, and the costs (5 bps a trade) are realistic. I would put the viability at
somewhere near sixty-five out of one hundred.`,
    65,
  ],
  [
    `The plan for iteration 3 has 4 steps and 12 sources. It would take 6 months. I cannot put a number on it before the
data has been seen; a score of 51 or higher would need at least 2 more sources.`,
    none,
  ],
]);
