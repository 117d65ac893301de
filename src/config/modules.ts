import { z } from 'zod';
import { backendOfType } from './backend.ts';
import { isModulePath, modulePath, modulePathProblem } from './extensions.ts';
import { reactSchema, simpleToolSchema } from './orchestrators.ts';
import { checkedBy, didYouMean, under, type Problem } from './problems.ts';
import { mcpServersSchema, toolPackages, toolPackagesSchema, toolTime } from './tool-sources.ts';
import { guarded, safe } from './privileges.ts';
import type { Backend, OrchestratorSettings, ToolSources } from '../protocol/settings.ts';

/** The name in wires for where the user's text comes in. It is not a module. */
export const entry = '__entry__';

const isNoId = `"${entry}" is where the user's text comes in, and no id of a module`;

/** xaibo's documentation, Protocols. */
export const protocols = [
  'LLMProtocol',
  'ToolProviderProtocol',
  'ResponseProtocol',
  'ConversationHistoryProtocol',
  'TextMessageHandlerProtocol',
] as const;

export type Protocol = (typeof protocols)[number];

/** What a module adds to its agent; nothing where the session does its work itself. */
interface Part {
  backend?: Backend;
  tools?: ToolSources;
  orchestrator?: OrchestratorSettings;
}

interface Kind {
  provides: Protocol;
  /** Turns the `config:` of a module into a part of an agent. */
  schema: z.ZodType<Part>;
  /** Of a model. */
  type?: Backend['type'];
}

const llm = (type: Backend['type']) => ({
  provides: 'LLMProtocol' as const,
  schema: backendOfType(type).transform((backend) => ({ backend })),
  type,
});

const orchestrator = <Config>(schema: z.ZodType<OrchestratorSettings, Config>) => ({
  provides: 'TextMessageHandlerProtocol' as const,
  schema: schema.transform((settings) => ({ orchestrator: settings })),
});

const kinds = {
  OpenAIProvider: llm('openai'),
  OpenAILLM: llm('openai'),
  AnthropicLLM: llm('claude'),
  GoogleLLM: llm('gemini'),
  ChatCompletionLLM: llm('chatcompletion'),
  OfflineLLM: llm('offline'),
  PythonToolProvider: {
    provides: 'ToolProviderProtocol',
    schema: z
      .strictObject({ tool_packages: toolPackagesSchema.describe(toolPackages) })
      .transform(({ tool_packages }) => ({ tools: { packages: tool_packages, mcpServers: [] } })),
  },
  MCPToolProvider: {
    provides: 'ToolProviderProtocol',
    schema: z
      .strictObject({
        servers: mcpServersSchema.describe('Servers of tools (Model Context Protocol).'),
        timeout: toolTime.optional().meta(safe('Seconds that a call of one of their tools may take. Absent: 60.')),
      })
      .transform(({ servers, timeout }) => {
        const mcpServers = servers.map((server) => ({ ...server, ...(timeout && { timeout }) }));
        return { tools: { packages: [], mcpServers } };
      }),
  },
  SimpleToolOrchestrator: orchestrator(
    simpleToolSchema.transform((settings) => ({ kind: 'simple_tool' as const, ...settings })),
  ),
  ReActOrchestrator: orchestrator(reactSchema.transform((settings) => ({ kind: 'react' as const, ...settings }))),
  ResponseHandler: { provides: 'ResponseProtocol', schema: z.strictObject({}) },
  SimpleConversation: { provides: 'ConversationHistoryProtocol', schema: z.strictObject({}) },
} satisfies Record<string, Kind>;

const kindNames = Object.keys(kinds);

/** The kinds of modules by their names, each with the schema of its `config:`. */
export const moduleConfigs = Object.entries<Kind>(kinds).map(([name, { schema }]) => ({ name, config: schema }));

const lastName = (module: string): string => module.slice(module.lastIndexOf('.') + 1);

/** The kind that a dotted path names by its last name; undefined if there is no such kind. */
export function kindOf(module: string): Kind | undefined {
  const name = lastName(module);
  return Object.hasOwn(kinds, name) ? kinds[name as keyof typeof kinds] : undefined;
}

/** Whether a module's dotted path names a model, whose `config:` is a backend. */
export const isModel = (module: string): boolean => kindOf(module)?.provides === 'LLMProtocol';

/** The kind of a user's own orchestrator, which checks its configuration itself. */
const customKind = (path: string): Kind =>
  orchestrator(
    z
      .record(z.string(), z.unknown())
      .transform((config) => ({ kind: 'custom' as const, module: modulePath(path), config })),
  );

export const moduleSchema = z.strictObject({
  module: z
    .string()
    .min(1)
    .meta(guarded('modulePath', 'What it is: the last name of a dotted path, or ./my-orchestrator.ts.')),
  id: z.string().min(1).meta(safe('The name by which exchange refers to it; unique.')),
  config: z.unknown().optional().meta(guarded('moduleConfig', 'Its settings.')),
});

/** A module whose `config:` may be left out if none of its keys is required. */
type Written<Name, Config> = { module: Name; id: string } & (object extends Config
  ? { config?: Config | undefined }
  : { config: Config });

type WrittenKinds = {
  [Name in keyof typeof kinds]: Written<Name | `${string}.${Name}`, z.input<(typeof kinds)[Name]['schema']>>;
};

/** A module as a file's author writes it: its name, alone or at the end of a dotted path, and its `config:`. */
export type ModuleInput = WrittenKinds[keyof typeof kinds] | Written<`./${string}`, Record<string, unknown>>;

export interface Module {
  id: string;
  /** As problems call it, such as `OpenAILLM` or `./mine.ts`. */
  kind: string;
  /** Undefined if its kind is not known. */
  provides: Protocol | undefined;
  part: Part;
}

/** Checks each module by itself, and that no two have the same id. @returns `areNamed`: whether wires can be checked */
export function checkModules(list: unknown[]): { modules: Module[]; problems: Problem[]; areNamed: boolean } {
  const modules = new Map<string, Module>();
  const problems: Problem[] = [];
  const made = list.map(checkModule);
  made.forEach(({ id, problems: own, ...module }, index) => {
    const path = ['modules', index];
    problems.push(...under(path, own));
    if (id === undefined) return;
    const taken = id === entry ? isNoId : modules.has(id) ? `a second module of the id "${id}"` : undefined;
    if (taken === undefined) modules.set(id, { id, ...module });
    else problems.push({ path: [...path, 'id'], message: taken });
  });
  const areNamed = made.length > 0 && made.every(({ id }) => id !== undefined);
  return { modules: [...modules.values()], problems, areNamed };
}

type Made = Omit<Module, 'id'> & { problems: Problem[] };

function checkModule(value: unknown): Made & { id: string | undefined } {
  const shape = checkedBy(moduleSchema, value);
  if (shape.ok) return { id: shape.value.id, ...makePart(shape.value.module, shape.value.config) };
  const named = z.looseObject({ id: moduleSchema.shape.id }).safeParse(value);
  return { id: named.data?.id, kind: '', provides: undefined, part: {}, problems: shape.problems };
}

function makePart(module: string, config: unknown): Made {
  const isOwn = isModulePath(module);
  const kind = isOwn ? customKind(module) : kindOf(module);
  const made = { kind: isOwn ? module : lastName(module), provides: kind?.provides, part: {}, problems: [] };
  if (kind === undefined) return { ...made, problems: [{ path: ['module'], message: unknownKind(made.kind) }] };
  const wrongPath = isOwn ? modulePathProblem(module) : undefined;
  if (wrongPath !== undefined) return { ...made, problems: [{ path: ['module'], message: wrongPath }] };
  const checked = checkedBy(kind.schema, config ?? {});
  if (checked.ok) return { ...made, part: checked.value };
  return { ...made, problems: under(['config'], checked.problems) };
}

const unknownKind = (name: string): string =>
  `there is no module "${name}";${didYouMean(name, kindNames)} ` +
  `valid modules: ${kindNames.join(', ')}, ./my-orchestrator.ts`;
