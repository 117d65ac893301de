import { EventEmitter } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, type Writable } from 'node:stream';
import type { InboxQuestion } from '../../src/client.ts';
import { examples, whereExamplesAre } from '../../src/cli/examples.ts';
import { init } from '../../src/cli/commands/init.ts';
import { answerCommand, approveCommand, noticeBox, waysToSettle } from '../../src/cli/questions/box.ts';
import { unknownCommandText } from '../../src/cli/mistyped.ts';
import { Shell } from '../../src/cli/shell.ts';
import { violationText } from '../../src/trust/guard.ts';
import { creation } from '../../src/worker/search-attributes.ts';
import { blank, sourceTexts, type Printed } from './source-texts.ts';

/** Where a command of this program begins, or one of another that it may name; a line may have several. */
const starts =
  /(?<![\w./@-])(?=((?:docker|export|lms|node|npm|npx(?! reprise)|ollama|pip|reprise|temporal) [a-zA-Z@◊-][^\n]*))/g;

const commandsIn = (texts: Printed[]): Printed[] =>
  texts.flatMap(({ file, text }) => [...text.matchAll(starts)].map(([, line = '']) => ({ file, text: line })));

/** A shell that nobody listens to. */
export function silentShell(stdout: Writable = new PassThrough()): Shell {
  const [stdin, stderr] = [new PassThrough(), new PassThrough()];
  return new Shell({ stdin, stdout, stderr, env: {}, cwd: tmpdir(), signals: new EventEmitter() });
}

/** What `init` prints and writes. */
async function initTexts(): Promise<string[]> {
  const [folder, stdout] = [mkdtempSync(join(tmpdir(), 'reprise-init-')), new PassThrough()];
  try {
    const written: string[] = [];
    for (const kind of ['team', 'agent', 'research', 'plan'] as const) {
      await init(silentShell(stdout), join(folder, kind), { kind });
      written.push(readFileSync(join(folder, kind, `${kind}.yaml`), 'utf8'));
    }
    return [String(stdout.read()), ...written];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const waiting = { workflowId: 'q 1', questionId: 'q2', from: 'a', question: 'Which?', askedAt: '', expiresAt: null };
const kinds = ['question', 'approval', 'tool', 'key'] as const;
const ofEachKind = kinds.map((kind): InboxQuestion => ({ ...waiting, kind }));
const server = 'there:7233';
const left = (): string[] => [`${answerCommand(waiting, server)} "…"`, `${approveCommand(waiting, server)} --allow`];

/** Makes all texts with commands that a file puts together of parts, by the file. */
const composed: Record<string, () => string[] | Promise<string[]>> = {
  'src/cli/commands/settle.ts': left,
  'src/cli/commands/init.ts': initTexts,
  'src/cli/examples.ts': () => Object.keys(examples).slice(1).map(whereExamplesAre),
  'src/cli/questions/box.ts': () =>
    ofEachKind.flatMap((each) => [noticeBox(silentShell(), each, false, server), ...waysToSettle(each, server)]),
  'src/cli/questions/prompter.ts': left,
  'src/cli/mistyped.ts': () => ['Which database?', 'stop'].map((word) => unknownCommandText(word, [])),
  'src/trust/guard.ts': () =>
    ['ask', 'chat', 'research', 'solve'].flatMap((name) =>
      ['config', 'attachments'].map((key) => violationText({ path: [key], what: 'x', flag: 'commands' }, name)),
    ),
  'src/worker/search-attributes.ts': () =>
    ['default', 'reprise.a1b2c'].map((name) => creation(name, { name: 'RepriseTyped', type: 'KEYWORD' })),
};

/** What begins as a command does and is no text, or only prose, or changes the machine, or needs what it may lack. */
const notRun = [
  ['src/cli/commands/up.ts', 'export TEMPORAL_ADDRESS='],
  ['src/cli/commands/start.ts', 'npm '],
  ['src/cli/model-servers.ts', 'lms server start'],
  ['src/cli/model-servers.ts', 'ollama pull'],
  ['src/cli/model-servers.ts', 'ollama serve'],
  ['src/cli/program-word.ts', 'node ◊'],
  ['src/config/search-services.ts', 'docker run -d'],
  ['src/encryption/keys.ts', 'reprise key id'],
  ['src/encryption/keys.ts', 'reprise ◊'],
  ['src/models/claude-code/sdk.ts', 'npm install'],
  ['src/serve/openai/places.ts', 'reprise ◊'],
  ['src/tools/commands/docker.ts', 'docker could'],
  ['src/tools/commands/docker.ts', 'docker pull'],
  ['src/tools/modules.ts', 'export an array'],
  ['src/trust/guard.ts', 'reprise seal'],
  ['src/trust/signature.ts', 'reprise input'],
  ['src/workflows/agent/commands/names.ts', ''],
  ['bin/bootstrap.mjs', 'npm '],
] as const;

const isRun = ({ file, text }: Printed): boolean =>
  !notRun.some(([where, begin]) => file === where && text.startsWith(begin));

/** Whether a text has a command without its name, or the end of one without its beginning. */
const isComposed = (each: Printed): boolean => {
  const commands = commandsIn([each]);
  return commands.length === 0
    ? new RegExp(`${blank} --\\w`).test(each.text)
    : commands.some((command) => isRun(command) && new RegExp(`^(?:reprise|temporal) ${blank}`).test(command.text));
};

/**
 * All commands that the program can print, with what follows them in their lines.
 *
 * @throws where a file puts commands together, and nothing here makes them
 */
export async function printedCommands(): Promise<Printed[]> {
  const unmade = sourceTexts.filter((text) => isComposed(text) && !(text.file in composed));
  if (unmade.length > 0) throw new Error(`\`composed\` has to make these: ${JSON.stringify(unmade)}`);
  const made = await Promise.all(
    Object.entries(composed).map(async ([file, make]) => (await make()).map((text) => ({ file, text }))),
  );
  return commandsIn([...sourceTexts.filter((text) => !isComposed(text)), ...made.flat()]).filter(isRun);
}
