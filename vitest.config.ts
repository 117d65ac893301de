import { fileURLToPath } from 'node:url';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// Tests start some hundred processes, which would otherwise compile the same modules again and again.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url));

// Several of Temporal's servers share two cores here, and each would collect its garbage on both: a seventh of their processor time.
process.env['GOMAXPROCS'] ??= '1';
// They live for minutes, and there is more memory than processor time.
process.env['GOGC'] ??= '200';

interface Group {
  /** Tests of a later group run after those of the groups before. */
  groupOrder: number;
  maxWorkers: number;
  /** Whether each file has modules of its own, at a second of processor time. */
  isolate?: boolean;
  setupFiles?: string[];
  /** Whether files put others in the place of modules, which Vite alone can do. */
  mocks?: boolean;
}

const tier = (
  name: string,
  files: { include: string[]; exclude?: string[] },
  { groupOrder, setupFiles = [], mocks = false, ...options }: Group,
) =>
  ({
    // Examples import Reprise by its name, as in a project of one's own; here that is its sources.
    ssr: { resolve: { conditions: ['reprise-source', 'module', 'node', 'development|production'] } },
    test: {
      name,
      ...files,
      ...options,
      // Times are for `npm run test:times`.
      setupFiles: [
        'test/setup/variables.ts',
        ...(process.env['REPRISE_TEST_TIMES'] === undefined ? [] : ['test/setup/times.ts']),
        ...setupFiles,
      ],
      sequence: { groupOrder },
      // Real servers and processes on two busy cores: a timeout is there for what hangs, not for what is slow.
      testTimeout: 300_000,
      hookTimeout: 300_000,
      expect: { poll: { timeout: 180_000 } },
      // Node loads TypeScript by itself, as in a worker: sooner than Vite, which hands each module to each process.
      experimental: { viteModuleRunner: mocks, nodeLoader: false },
    },
  }) satisfies TestProjectInlineConfiguration;

const named = (name: string): string => `test/**/*.${name}.test.ts`;
const smoke = 'test/cli/smoke.test.ts';

/** The courses that `npm test` has: each type of workflow, each way to wait for a person, an agent's tools, each way in. */
const everyday = [
  'workflows/orchestration',
  'workflows/restart',
  'workflows/research',
  'workflows/research-judging',
  'workflows/solve',
  'workflows/plan-and-execute/judging',
  'workflows/session',
  'workflows/approvals',
  'workflows/asking-a-person',
  'workflows/simple-tool',
  'workflows/react',
  'workflows/attachments',
  'client/http',
  'serve/rest',
  'serve/openai',
  'serve/mcp',
].map((name) => `test/${name}.course.test.ts`);

/** What runs last, with nothing beside it: what hangs on how busy the machine is, and what leaves nothing for anything else. */
const alone = ['worker/fairness', 'tools/commands/bombs', 'workflows/generated-courses'].map(
  (name) => `test/${name}.world.test.ts`,
);

/** What sets up the SDK's one runtime of a process in its own way. */
const apart = ['telemetry/metrics', 'workflows/untold'].map((name) => `test/${name}.world.test.ts`);

/** Rules of workflows that need its scopes, of which there are none outside. */
const mocked = ['runtime/iterate', 'people/pending-requests'].map((name) => `test/workflows/${name}.test.ts`);

/** What mostly waits, for a minute or more. It begins first, so that the others do not wait for it in the end. */
const waiting = [
  'serve/pages.course',
  'workflows/missing-keys.course',
  'workflows/time-limits.course',
  'custom/team.course',
  'encryption/history.course',
  'custom/orchestrators.course',
  'chaos/chaos.world',
  'cli/streaming.process',
  'cli/versions.process',
  'client.process',
  'docs/commands.world',
  'durability/two-stores.process',
  'cli/inbox.process',
  'cli/background.process',
  'tools/python/tool.process',
  'durability/kill.process',
  'durability/workspaces.process',
  'cli/serve.process',
  'serve/pages.world',
  'cli/model.process',
  'durability/claude-code.process',
  'cli/prompt.process',
  'tools/mcp/servers.process',
  'client/feed.process',
  'workflows/taken-over.world',
  'serve/mcp-tools.world',
].map((name) => `test/${name}.test.ts`);

class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const place = waiting.findIndex((name) => moduleId.endsWith(name));
      return place < 0 ? waiting.length : place;
    };
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}

// Rules need the processor most of the time. Of all others most of the time goes into waiting: for servers, processes, heartbeats.
const rules: Group = { groupOrder: 0, maxWorkers: 3, isolate: false, setupFiles: ['test/setup/rules.ts'] };
const courses: Group = { groupOrder: 1, maxWorkers: 6, isolate: false };
const processes: Group = { groupOrder: 2, maxWorkers: 4, isolate: false };

/** The tiers; what each holds is in CONTRIBUTING.md. A file's name says its tier, and one without a tier is a rule. */
export default defineConfig({
  test: {
    globalSetup: 'test/setup/global.ts',
    sequence: { sequencer: WaitingFirst },
    projects: [
      tier(
        'rules',
        {
          include: ['test/**/*.test.ts'],
          exclude: [smoke, ...mocked, named('course'), named('process'), named('world')],
        },
        rules,
      ),
      tier('mocked', { include: mocked }, { ...rules, isolate: true, mocks: true }),
      tier('everyday', { include: everyday }, courses),
      tier('courses', { include: [named('course')] }, courses),
      tier('smoke', { include: [smoke] }, { ...courses, isolate: true }),
      tier('processes', { include: [named('process')] }, processes),
      tier('world', { include: [named('world')], exclude: [...alone, ...apart] }, processes),
      tier('apart', { include: apart }, { ...processes, isolate: true }),
      tier('alone', { include: alone }, { groupOrder: 3, maxWorkers: 1 }),
    ],
    // `npm run test:all -- --coverage` turns it on, at a tenth of the time. Files that no test loads count too.
    coverage: { provider: 'v8', include: ['src/**/*.ts'], reporter: ['json-summary'] },
  },
});
