import { ApplicationFailure } from '@temporalio/common';
import { afterAll, describe, expect, test } from 'vitest';
import { builtins } from '../../src/config/tool-sources.ts';
import type { ToolSpec } from '../../src/protocol/message.ts';
import { toolBench } from '../support/tool-bench.ts';

const schema = `{ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }`;
const tool = (name: string, rest = ''): string =>
  `{ name: '${name}', description: 'It is ${name}.', parameters: ${schema}, execute: () => '${name}', ${rest} }`;
const moduleOf = (...tools: string[]): string => `export const tools = [${tools.join(', ')}];`;

const bench = toolBench({
  'tools/weather.ts': moduleOf(tool('forecast', 'sideEffects: false'), tool('alarms', 'timeout: 5')),
  'tools/calendar.mts': moduleOf(tool('book', 'sideEffects: true'), tool('move', `sideEffects: 'idempotent'`)),
  'tools/plain.js': moduleOf(tool('plain')),
  'tools/other.mjs': moduleOf(tool('other')),
  'tools_x.ts': moduleOf(tool('x')),
  'tools/again.ts': moduleOf(tool('forecast')),
});
afterAll(() => bench.close());

const failure = async (listing: Promise<unknown>): Promise<string> => {
  const error = await listing.then(
    () => expect.unreachable('it was listed'),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ApplicationFailure);
  expect(error).toMatchObject({ type: 'InvalidInput', nonRetryable: true });
  return (error as ApplicationFailure).message;
};

describe('tools of modules', () => {
  test('are listed in the order of their packages, with what running them twice would do', async () => {
    const { tools } = await bench.list({ packages: ['tools.weather', 'tools.calendar'] });
    const weather = { package: 'tools.weather' };
    const calendar = { package: 'tools.calendar' };
    expect(tools).toEqual([
      { name: 'forecast', source: weather, sideEffects: 'none', timeout: 60 },
      { name: 'alarms', source: weather, sideEffects: 'undeclared', timeout: 5 },
      { name: 'book', source: calendar, sideEffects: 'once', timeout: 60 },
      { name: 'move', source: calendar, sideEffects: 'idempotent', timeout: 60 },
    ]);
  });

  const atHand = builtins.filter((name) => !name.startsWith('builtin.command'));
  test.each(atHand)('a configuration may name %s, and it is there', async (name) => {
    expect((await bench.list({ packages: [name] })).tools).not.toEqual([]);
  });

  test.each(['tools.plain', 'tools.other', 'tools_x', './tools/plain.js', './tools_x.ts'])(
    'a package is a file, whatever its ending: %s',
    async (name) => {
      const { tools } = await bench.list({ packages: [name] });
      expect(tools).toMatchObject([{ source: { package: name } }]);
    },
  );

  test('are stored with the agent’s own before them', async () => {
    const vote: ToolSpec = { name: 'vote', description: 'Vote.', parameters: { type: 'object', properties: {} } };
    const { set } = await bench.list({ packages: ['tools_x'], own: [vote] });
    expect(JSON.parse(await bench.store.blob(set))).toEqual([
      vote,
      {
        name: 'x',
        description: 'It is x.',
        parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      },
    ]);
  });

  // A folder anywhere has no packages of its own.
  test('show a model a zod schema as JSON Schema, before its transforms', async () => {
    bench.write({
      'tools/typed.ts': `
        import { z } from 'zod';
        const parameters = z.object({
          day: z.iso.date().describe('Which day').transform((day) => new Date(day)),
          unit: z.enum(['C', 'F']).default('C'),
        });
        export const tools = [{ name: 'typed', description: 'd', parameters, execute: () => '' }];
      `,
    });
    const { set } = await bench.list({ packages: ['tools.typed'] });
    const [spec] = JSON.parse(await bench.store.blob(set)) as ToolSpec[];
    expect(spec?.parameters).toEqual({
      type: 'object',
      properties: {
        day: expect.objectContaining({ type: 'string', format: 'date', description: 'Which day' }),
        unit: { type: 'string', enum: ['C', 'F'], default: 'C' },
      },
      required: ['day'],
    });
  });

  test('are loaded again when their file has changed', async () => {
    bench.write({ 'tools/changing.ts': moduleOf(tool('before')) });
    expect((await bench.list({ packages: ['tools.changing'] })).tools).toMatchObject([{ name: 'before' }]);
    bench.write({ 'tools/changing.ts': moduleOf(tool('afterwards')) });
    expect((await bench.list({ packages: ['tools.changing'] })).tools).toMatchObject([{ name: 'afterwards' }]);
  });

  test('are loaded again after what made them fail is mended elsewhere', async () => {
    bench.write({ 'tools/needy.ts': `import './helper.ts'; ${moduleOf(tool('needy'))}` });
    expect(await failure(bench.list({ packages: ['tools.needy'] }))).toMatch(/Cannot find module .*helper\.ts/);
    bench.write({ 'tools/helper.ts': '' });
    expect((await bench.list({ packages: ['tools.needy'] })).tools).toMatchObject([{ name: 'needy' }]);
  });
});

describe('what cannot be used is refused, with the file, what is wrong and what is allowed', () => {
  test.each([
    [
      'a module that there is not',
      '',
      /^tools\.wrong: there is no tools\/wrong\.ts \(nor .*\) in .*; .*holds: .*tools\.calendar, .*tools\.weather/,
    ],
    [
      'one that throws',
      `\nthrow new RangeError('No key');`,
      /^tools\/wrong\.ts: fails to load: RangeError: No key \(line 2\)$/,
    ],
    [
      'one that is no TypeScript',
      `export const tools = [;`,
      /^tools\/wrong\.ts: fails to load: SyntaxError: .*\(line 1\)$/s,
    ],
    [
      'one with what Node does not make of TypeScript',
      `enum Unit { C, F }\nexport const tools = [Unit];`,
      /SyntaxError: TypeScript enum is not supported .* \(line 1\)\. Node only takes the types away: write it without/,
    ],
    [
      'one that imports a file by the name that a compiler would give it',
      `import './weather.js';`,
      /Cannot find module '.*weather\.js' .*\. Import it by the name that it has: weather\.ts$/,
    ],
    [
      'one that imports a type as a value',
      `import { Forecast } from './weather.ts';\nexport const tools: Forecast[] = [];`,
      /does not provide an export named 'Forecast' \(line 1\)\. A type is imported by "import type"$/,
    ],
    [
      'one without tools',
      'export const tool = 1, other = 2;',
      /^tools\/wrong\.ts: must export an array "tools"; it exports other, tool$/,
    ],
    ['tools that are no array', 'export const tools = {};', /^tools\/wrong\.ts: the export "tools" is not an array$/],
    [
      'a key that is mistyped',
      moduleOf(tool('a', 'sideEffect: true')),
      /tools\[0\]\.sideEffect: unknown key; did you mean sideEffects\? valid keys: name, description/,
    ],
    [
      'an unknown kind of side effect',
      moduleOf(tool('a', `sideEffects: 'some'`)),
      /tools\[0\]\.sideEffects: "some" is not one of true \| false \| idempotent/,
    ],
    [
      'no function',
      `export const tools = [{ name: 'a', description: 'd', parameters: { type: 'object' } }];`,
      /tools\[0\]\.execute: must be a function/,
    ],
    ['a name that models do not take', moduleOf(tool('the forecast')), /tools\[0\]\.name: a name has 1 to 64 letters/],
    [
      'parameters that are no object',
      `export const tools = [{ name: 'a', description: 'd', parameters: { type: 'string' }, execute() {} }];`,
      /tools\[0\]\.parameters: must describe an object \(type: "object"\), not "string"/,
    ],
    [
      'parameters that are the shape of an object',
      `import { z } from 'zod';
       export const tools = [{ name: 'a', description: 'd', parameters: { at: z.string() }, execute() {} }];`,
      /tools\[0\]\.parameters: must be a schema of an object: put z\.object\( … \) around it$/,
    ],
    [
      'a zod schema that has no JSON Schema',
      `import { z } from 'zod';
       export const tools = [{ name: 'a', description: 'd', parameters: z.object({ at: z.date() }), execute() {} }];`,
      /tools\[0\]\.parameters: has no JSON Schema: Date/,
    ],
    [
      'a schema that cannot be checked against',
      `export const tools = [{ name: 'a', description: 'd', execute() {},
         parameters: { type: 'object', properties: { x: { not: { type: 'string' } } } } }];`,
      /tools\[0\]\.parameters: cannot be checked against: not is not supported/,
    ],
  ])('%s', async (_, text, message) => {
    if (text !== '') bench.write({ 'tools/wrong.ts': text });
    expect(await failure(bench.list({ packages: ['tools.wrong'] }))).toMatch(message);
  });

  test.each([
    ['../outside', /^\.\.\/outside: not the name of a tool package/],
    ['/etc/passwd', /not the name of a tool package/],
    ['tools..weather', /not the name of a tool package/],
    ['./../outside.ts', /^\.\/\.\.\/outside\.ts: leads out of the extensions folder/],
    ['./tools/absent.ts', /there is no tools\/absent\.ts in .*holds: .*\.\/tools\/weather\.ts/],
    ['tools.wether', /did you mean tools\.weather\?/],
    [
      'builtin.serch',
      /no such built-in; did you mean builtin\.search\? there are .*, builtin\.command, builtin\.command\.local$/,
    ],
  ])('the name %s', async (name, message) => {
    expect(await failure(bench.list({ packages: [name] }))).toMatch(message);
  });

  test('two tools of one name, over all sources and the agent’s own, with all other problems', async () => {
    const own: ToolSpec[] = [{ name: 'x', description: 'd', parameters: { type: 'object', properties: {} } }];
    const packages = ['tools.weather', 'tools.again', 'tools_x', 'tools.absent'];
    expect((await failure(bench.list({ packages, own }))).split('\n')).toEqual([
      expect.stringMatching(/^tools\.absent: there is no/),
      "x: 2 tools have this name, from the agent's own tools and tools_x; one may",
      'forecast: 2 tools have this name, from tools.weather and tools.again; one may',
    ]);
  });
});
