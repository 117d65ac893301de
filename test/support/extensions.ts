import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A folder with these files, by their paths in it. */
export function folderOf(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-extensions-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** A custom orchestrator with this body. Put together here, so that no worker takes the tests themselves for some. */
export const orchestrator = (body: string, head = ''): string =>
  [
    head,
    'export',
    ' async function handleText(text, { llm, tools, history, respond, config }) {\n',
    body,
    '\n}\n',
  ].join('');

/** The configuration of one agent that converses by such a file. */
export const configOf = (module: string, config: object = {}, rest: object = {}): object => ({
  modules: [
    { id: 'llm', module: 'reprise.OpenAILLM', config: { model: 'gpt-test' } },
    { id: 'mine', module, config },
  ],
  exchange: [
    { module: '__entry__', protocol: 'TextMessageHandlerProtocol', provider: 'mine' },
    { module: 'mine', protocol: 'LLMProtocol', provider: 'llm' },
  ],
  // A model without a price would put a warning into each run.
  prices: { 'gpt-test': { input: 0, cachedInput: 0, output: 0 } },
  ...rest,
});
