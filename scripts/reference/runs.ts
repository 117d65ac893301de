import { readdirSync, readFileSync } from 'node:fs';
import { descriptions } from '../../src/protocol/definitions.ts';

/** The types of what crosses the boundary of a run, in the order in which the page has them. */
const sections: Record<string, string> = {
  'A team': 'OrchestrationInput CommonInput EarlierMessage HumanAnswer OrchestrationResult Outcome Vote',
  'A session': 'SessionInput TurnResult SessionResult',
  Research: 'ResearchInput ResearchResult ResearchOutcome Iteration RestartKind Report Work',
  'A problem':
    'SolveInput AttachmentInput SolveResult SolveOutcome SubtaskReport SubtaskStatus Validation StateSummary TextRef',
  'What all results have': 'CommonResult Usage Figures RunFiles AttemptFiles TreeSummary TreeChanges',
  'What is sent to a run': 'RestartRequest HumanReply ToolDecision OperatorDecision',
  'What waits for a person': 'PendingQuestion BroadcastResult',
  States:
    'CommonState TeamState OrchestrationPhase ResearchState ResearchPhase SolveState SolvePhase AgentState RunLimits RunMemo',
  Events:
    'RunEvent CommonEventBody TeamEventBody ResearchEventBody SolveEventBody ' +
    'Requester QuestionEnd KeyEnd ApprovalEnd FinalOutcome',
  Activities: 'Activities',
};

/** The page of what runs take and tell, made of the types of `src/protocol` and what is said of them there. */
export function runsPage(): string {
  const folder = new URL('../../src/protocol/', import.meta.url);
  const source = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(new URL(name, folder), 'utf8'))
    .join('\n');
  const messages = Object.entries(descriptions).map(([name, says]) => `- \`${name}\`: ${says}`);
  const types = Object.entries(sections).flatMap(([heading, names]) => [
    `## ${heading}`,
    [
      '```ts',
      names
        .split(' ')
        .map((name) => definitionOf(name, source))
        .join('\n\n'),
      '```',
    ].join('\n'),
  ]);
  return `${['# What runs take and tell', introduction, '## Messages', messages.join('\n'), ...types].join('\n\n')}\n`;
}

const introduction = `Inputs, results, messages, states and events of the workflows, as TypeScript's types say them; \`?\` marks what may be
absent. [With nothing but Temporal](../temporal.md) shows how they are sent and read. In a program they are types of the package
\`reprise\`.`;

/** A type with what is said of it, as it stands in the source. @throws where there is none of the name */
function definitionOf(name: string, source: string): string {
  const found = new RegExp(
    String.raw`^(?:/\*\*(?:(?!\*/)[^])*?\*/\n)?export (?:interface ${name}\b[^]*?^\}|type ${name} =[^]*?;)$(?!\n {2,})`,
    'm',
  ).exec(source);
  if (found === null) throw new Error(`src/protocol has no type ${name}; scripts/reference/runs.ts names it`);
  return found[0].replaceAll(/^export /gm, '');
}
