import { markdownOf } from '../../workflows/research/rules/report.ts';
import { inWords } from '../../workflows/runtime/details.ts';
import { numberText } from './spent.ts';
import type { RunStep } from './step.ts';

type Described = [what: string, text?: string];

type Step<T extends RunStep['type']> = Extract<RunStep, { type: T }>;

export function stepTexts(step: RunStep): { what: string; texts: string[] } {
  const [what, text = ''] = describe(step);
  const refused = 'refused' in step && step.refused !== undefined ? `Refused: ${step.refused}` : '';
  return { what, texts: [text, refused].filter((each) => each.trim() !== '') };
}

function describe(step: RunStep): Described {
  switch (step.type) {
    case 'answer':
      return [`💡 ${step.agent} answers`, step.text];
    case 'vote':
      return [
        `🗳️ ${step.agent} votes for ${step.for ?? 'the best earlier answer'}${step.isVoid ? ' (void)' : ''}`,
        step.reason,
      ];
    case 'decision':
      return describeDecision(step);
    case 'presented':
      return [`🎤 ${step.agent} presents the final answer`, step.text];
    case 'asked':
      return [`📢 ${step.agent} asks${endOf(step.status)}`, joined(step.question, named('Not asked', step.error))];
    case 'responded':
      return [`↩️ ${step.agent} responds${step.to === '' ? '' : ` to ${step.to}`}`, step.text];
    case 'said':
      return [`💬 ${step.agent} ${verbs[step.purpose] ?? 'says'}`, step.text];
    case 'tool':
      return describeTool(step);
    case 'submitted':
      return describeSubmission(step);
    case 'finished':
      return [step.status === 'completed' ? `✅ ${step.agent} is completed` : `❌ ${step.agent} has failed`, step.text];
    case 'searched': {
      const { failure, hits, query } = step;
      if (failure !== undefined) return [`🔎 ${query}: not searched (${failure})`];
      const found = hits.map(({ title, url }, index) => `${index + 1}. ${title === url ? '' : `${title}: `}${url}`);
      return [`🔎 ${query}: ${found.length === 0 ? 'nothing found' : `${found.length} found`}`, found.join('\n')];
    }
    case 'page': {
      const read = `${numberText(step.characters ?? 0, 0)} characters read`;
      return [`📄 ${step.url}: ${step.failure === undefined ? read : `not read (${step.failure})`}`];
    }
    case 'failed':
      return [`⚠️ ${step.agent}: a model call has failed (${step.purpose})`, step.reason];
    case 'signal':
      return describeSignal(step);
    case 'turn':
      return ['👤 The person', step.text];
    case 'turn_ended':
      return ['💬 The answer', joined(...step.messages, named('The turn failed', step.failure))];
  }
}

const verbs: Record<string, string> = {
  think: 'thinks',
  observe: 'observes',
  synthesise: 'puts the results together',
};

const joined = (...texts: Array<string | false | undefined>): string => texts.filter(Boolean).join('\n');

const named = (name: string, text: unknown): string | undefined =>
  text === undefined || text === '' || text === null ? undefined : `${name}: ${shown(text)}`;

/** A list that is named, each item on a line of its own where there are several. */
const list = (name: string, items: unknown): string | undefined => {
  if (!Array.isArray(items) || items.length === 0) return undefined;
  return items.length === 1
    ? named(name, items[0])
    : [`${name}:`, ...items.map((item) => `- ${shown(item)}`)].join('\n');
};

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const endOf = (status: Step<'asked'>['status']): string =>
  status === undefined || status === 'complete' ? '' : ` (${inWords(status)})`;

function describeDecision(step: Step<'decision'>): Described {
  const { agent, decision, execute, instructions, prefersEarlier, reason } = step;
  return [
    decision === 'submit' ? `✅ ${agent} submits` : `🔄 ${agent} wants a restart`,
    joined(
      named('Reason', reason),
      named('Instructions', instructions),
      prefersEarlier && 'The best earlier answer is better, and is kept.',
      execute && 'The team is to carry out its plan.',
    ),
  ];
}

/** How many characters of a tool's result are printed; a page or a table may have a hundred times as many. */
const printedResult = 2000;

function describeTool({ agent, arguments: given, isCut, result, status, tool }: Step<'tool'>): Described {
  const how = [
    ...(status === undefined || status === 'ok' ? [] : [status]),
    ...(isCut ? ['the beginning'] : []),
    ...(result === undefined ? ['no result'] : []),
  ];
  return [
    `🛠️ ${agent} calls ${tool}${how.length === 0 ? '' : ` (${how.join(', ')})`}`,
    joined(given === null ? '' : JSON.stringify(given), result !== undefined && `→ ${beginningOf(result)}`),
  ];
}

function beginningOf(text: string): string {
  if (text.length <= printedResult) return text;
  const left = numberText(text.length - printedResult, 0);
  return `${text.slice(0, printedResult).toWellFormed()}…\n[${left} more characters; --json has them]`;
}

function describeSubmission({ agent, fields, tool }: Step<'submitted'>): Described {
  switch (tool) {
    case 'submit_plan': {
      const { approach, idea, queries, subtasks } = fields;
      const plan = joined(named('Idea', idea), named('Approach', approach), list('Searches', queries));
      return [`📝 ${agent} plans`, 'subtasks' in fields ? subtasksText(subtasks) : plan];
    }
    case 'submit_analysis':
      return [
        `📝 ${agent} analyses the problem`,
        joined(list('The answer must hold', fields['requirements']), named('Its form', fields['answer_format'])),
      ];
    case 'submit_criticism':
      return [`🔍 ${agent} criticises`, criticismText(fields)];
    case 'submit_report':
      return [`📝 ${agent} writes the report`, reportText(fields)];
    case 'submit_validation':
      return [
        fields['is_complete'] === true ? `🔍 ${agent}: complete` : `🔍 ${agent}: not complete`,
        joined(
          list('Missing', fields['missing_requirements']),
          named('Quality', fields['quality']),
          list('Warnings', fields['warnings']),
        ),
      ];
    default:
      return [`📝 ${agent}: ${tool}`, JSON.stringify(fields, undefined, 2)];
  }
}

function subtasksText(subtasks: unknown): string {
  if (!Array.isArray(subtasks)) return '';
  return subtasks
    .map(({ depends_on: after, description, id, replaces }: Record<string, unknown>) => {
      const others = [
        ...(Array.isArray(after) && after.length > 0 ? [`after ${after.join(', ')}`] : []),
        ...(Array.isArray(replaces) && replaces.length > 0 ? [`in place of ${replaces.join(', ')}`] : []),
      ];
      return `${shown(id)}: ${shown(description)}${others.length === 0 ? '' : ` (${others.join('; ')})`}`;
    })
    .join('\n');
}

function criticismText({ criticism, improve, queries, scores, serves_goal, similar }: Record<string, unknown>): string {
  const aspects = Object.entries((scores ?? {}) as Record<string, unknown>).map(
    ([name, score]) => `${name} ${shown(score)}`,
  );
  return joined(
    shown(criticism ?? ''),
    named('Scores', aspects.join(', ')),
    list('The same as', similar),
    serves_goal === false ? 'It is not about what was asked for.' : undefined,
    named('To be improved', improve),
    list('Searches that are missing', queries),
  );
}

function reportText({ sections, summary, title }: Record<string, unknown>): string {
  if (!Array.isArray(sections)) return shown(title ?? '');
  return markdownOf({ title: shown(title ?? ''), summary: shown(summary ?? ''), sections, sources: [] });
}

function describeSignal({ input, name }: Step<'signal'>): Described {
  const said = (input ?? {}) as Record<string, unknown>;
  const { action, answer, instructions, note, questionId, reason } = said;
  switch (name) {
    case 'answer':
      return [
        `👤 A person ${answer === '' ? 'skips' : 'answers'}${questionId === undefined ? '' : ` ${shown(questionId)}`}`,
        shown(answer ?? ''),
      ];
    case 'requestRestart':
      return ['👤 A person asks for a restart', joined(named('Reason', reason), named('Instructions', instructions))];
    case 'approve':
      return describeApproval(said);
    case 'decide':
      return [`👤 A person decides: ${shown(action ?? '')}`, shown(note ?? '')];
    default:
      return [`👤 A person sends ${name}`, input === undefined ? '' : JSON.stringify(input)];
  }
}

function describeApproval({ action, always, arguments: edited, id, reason }: Record<string, unknown>): Described {
  const what = action === 'allow' ? 'allows' : action === 'deny' ? 'denies' : 'changes the arguments of';
  return [
    `🔒 A person ${what} the tool call ${shown(id)}${always === true ? ' and all like it' : ''}`,
    joined(named('Reason', reason), edited === undefined ? undefined : JSON.stringify(edited, undefined, 2)),
  ];
}
