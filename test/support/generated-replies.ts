import type { Dice } from './dice.ts';
import type { Scripted } from './model-server.ts';

type Reply = (dice: Dice) => Scripted;

const call = (name: string, input: object | string, text = ''): Scripted => ({
  text,
  calls: [{ name, arguments: input }],
});

const refused: Reply = () => ({ status: 400 });
const silent: Reply = (dice) => ({ text: dice.one(['', ' ', '\n\n', '\u200b']) });
const nonsense: Reply = (dice) => ({
  text: dice.many(1, 30, () => dice.one([dice.words(1, 3), ...signs])).join(dice.one([' ', '\n', ''])),
});
const signs = ['{', '}', '```', '#', '**', '|', '/100', '50', '-1', '∞', '💡', '“', '\\', '\t', '%', '---', '[1.1]'];
const endless: Reply = (dice) => ({
  text: `${dice.words(20, 20)}\n`.repeat(dice.whole(500, 2000)) + dice.one(['', 'VIABILITY SCORE: 44/100']),
});
/** A call that does not fit: of another tool, or with arguments that are no JSON or no object. */
const misplaced =
  (tool: string): Reply =>
  (dice) =>
    call(
      dice.one([tool, tool, 'submit_plan', 'submit_criticism', 'submit_report', 'ask_others', 'rate', '']),
      dice.one(['{"criticism": "x", "scores": {', '[]', 'null', '"72"', '', '{}', '{"scores": 72}']),
    );

/** What a score may look like in a text. */
const scoreForms: Array<(score: number, dice: Dice) => string> = [
  (score) => `VIABILITY SCORE: ${score}/100`,
  (score) => `**VIABILITY SCORE:** ${score}`,
  (score) => `VIABILITY SCORE: **${score}**`,
  (score) => `Viability score = ${score} %`,
  (score) => `Score: ${score / 10}/10`,
  (score) => `I would give it ${score} out of 100.`,
  (score) => `| viability | ${score} |`,
  (score) => `${score}`,
  (score) => `VIABILITY SCORE: ${score}-${score + 10}`,
  (score, dice) => `Score: ${dice.whole(0, 100)}. No: the final score is ${score}.`,
  (score) => `VIABILITY SCORE: ${score + 101}`,
  (score) => `VIABILITY SCORE: -${score}/100`,
  (score) => `VIABILITY SCORE: ${score}/0`,
  () => 'VIABILITY SCORE: sixty-five',
  () => 'VIABILITY SCORE: n/100',
  () => 'VIABILITY SCORE: NaN',
  () => 'VIABILITY SCORE: 1e3',
];

const bands = 'The bands: 0-30 major flaws, 31–50 significant concerns, 51-70 moderate, 71-85 good, 86-100 excellent.';

const score = (dice: Dice): number => dice.one([dice.whole(0, 100), dice.whole(0, 50), dice.next() * 100]);

const scoresOf = (aspects: string[], make: (aspect: string) => unknown): object =>
  Object.fromEntries(aspects.map((aspect) => [aspect, make(aspect)]));

const aspectForms: typeof scoreForms = [
  (value) => `${value.toFixed(0)}/100`,
  (value) => `**${value.toFixed(1)}**`,
  (value) => `${(value / 10).toFixed(0)}/10`,
  (value, dice) => dice.one(['n/100', `${value}-${value + 5}`, 'high', `${value + 101}`]),
];

/** What a critic may decide besides the scores: well, badly, or not at all. */
function decisions(dice: Dice): object {
  const mark = (): string => dice.one(['1.1', '1.2', '1.3', '1.4', '1.5', '2.1', '2.2', '[3.1]', '9.9', '', 'x']);
  return {
    ...(dice.chance(0.5) && { similar: dice.one<unknown>([[], dice.many(1, 7, mark), '1.1', null, [1.1, {}]]) }),
    ...(dice.chance(0.3) && { serves_goal: dice.one<unknown>([true, true, false, 'no', null]) }),
    ...(dice.chance(0.4) && { improve: dice.one<unknown>(['', dice.words(1, 30), 7, null]) }),
    ...(dice.chance(0.3) && {
      queries: dice.one<unknown>([[], dice.many(1, 4, () => dice.words(1, 3)), ['', 7], 'q']),
    }),
  };
}

/** A critic's reply. @param aspects that it is asked for */
export function criticReply(dice: Dice, aspects: string[]): Scripted {
  const submit = (scores: unknown, text = ''): Scripted =>
    call('submit_criticism', { criticism: dice.words(1, 20), scores, ...decisions(dice) }, text);
  const scored = (): object => scoresOf(aspects, () => score(dice));
  const odd = [-1, 101, 1e9, null, true, '72', 'high', [], {}, '50/100'];
  const reply = dice.weighted<() => Scripted>([
    [20, () => submit(scored())],
    [6, () => submit(scoresOf(aspects.slice(dice.whole(0, 1)), () => score(dice)))],
    [6, () => submit(scoresOf(aspects, () => dice.one([...odd, score(dice)])))],
    [3, () => submit(dice.one(['80', 80, [80, 20], null]))],
    [3, () => submit({ ...scored(), more: 12 }, dice.one(scoreForms)(dice.whole(0, 100), dice))],
    [3, () => ({ calls: [...(submit(scored()).calls ?? []), ...(submit(scored()).calls ?? [])] })],
    [7, () => misplaced('submit_criticism')(dice)],
    [16, () => ({ text: `${dice.words(0, 20)}\n\n${dice.one(scoreForms)(dice.whole(0, 100), dice)}` })],
    [6, () => ({ text: `${bands} ${dice.one([() => '', ...scoreForms])(dice.whole(0, 100), dice)}` })],
    [
      6,
      () => ({ text: aspects.map((aspect) => `- ${aspect}: ${dice.one(aspectForms)(score(dice), dice)}`).join('\n') }),
    ],
    [6, () => ({ text: fenced(dice, { criticism: dice.one(['x', 7, {}]), scores: scored(), ...decisions(dice) }) })],
    [6, () => nonsense(dice)],
    [5, () => silent(dice)],
    [1, () => endless(dice)],
    [4, () => refused(dice)],
  ]);
  return reply();
}

/** A planner's reply. @param tried ideas of this run so far */
export function planReply(dice: Dice, tried: string[]): Scripted {
  const submit = (idea: string, queries?: string[]): Scripted => {
    tried.push(idea);
    const approach = dice.chance(0.02) ? dice.words(500, 5000) : dice.words(1, 30);
    return call('submit_plan', {
      idea,
      approach,
      queries: queries ?? dice.many(1, 3, () => dice.words(2, 4)),
    });
  };
  const idea = (): string => dice.words(3, 7);
  const reply = dice.weighted<() => Scripted>([
    [40, () => submit(idea())],
    [15, () => ((same) => submit(same, [same]))(idea())],
    [12, () => submit(dice.one([...tried, idea()]))],
    [4, () => submit(dice.one([' ', '""', '“', '\n', '!', '0', 'x'.repeat(500)]), [dice.one([' ', '?'])])],
    [8, () => ({ text: `**Idea:** ${idea()}\n\n1. ${dice.words(3, 9)}\n2. ${dice.words(3, 9)}` })],
    [4, () => ({ text: fenced(dice, { idea: dice.one([idea(), '', 7]), queries: dice.one([[], 'q', [1]]) }) })],
    [5, () => misplaced('submit_plan')(dice)],
    [4, () => nonsense(dice)],
    [3, () => silent(dice)],
    [2, () => refused(dice)],
  ]);
  return reply();
}

/** A writer's reply. @param prompt that it is asked with: sources are cited by its marks */
export function reportReply(dice: Dice, prompt: string): Scripted {
  const marks = prompt.match(/\[\d+\.\d+\] /g) ?? [];
  const submit = (title: string, text: string, sections = [{ heading: dice.words(1, 2), text }]): Scripted =>
    call('submit_report', { title, summary: text, sections });
  const blank = (): string => dice.one([' ', '\n', '[9.9]', ' [9.9] [8.8]', '\0']);
  const reply = dice.weighted<() => Scripted>([
    [40, () => submit(dice.words(1, 5), `${dice.words(3, 20)} ${dice.one([...marks, ''])}`)],
    [12, () => submit(dice.words(1, 5), dice.words(3, 20))],
    [6, () => submit(dice.words(1, 5), `${dice.words(3, 20)} [9.9]`)],
    [10, () => submit(dice.one([blank(), 'T']), dice.one([blank(), 'Text.']), dice.one([undefined, []]))],
    [6, () => submit('T', 'S', [{ heading: blank(), text: blank() }])],
    [
      8,
      () => ({
        text: dice.one(['# ', '#', '## A\n\n## B', '# T\n', `# T\n\n${dice.words(5, 9)}`, '[9.9]', '```']),
      }),
    ],
    [5, () => ({ text: fenced(dice, { title: '', summary: '', sections: [] }) })],
    [6, () => misplaced('submit_report')(dice)],
    [5, () => nonsense(dice)],
    [5, () => silent(dice)],
    [1, () => endless(dice)],
    [4, () => refused(dice)],
  ]);
  return reply();
}

function fenced(dice: Dice, value: object): string {
  const text = JSON.stringify(value, null, dice.one([0, 2]));
  return dice.one([text, `\`\`\`json\n${text}\n\`\`\``, `Here it is: ${text} So much for that.`]);
}
