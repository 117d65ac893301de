import type { Client, RequestOptions, Tool as McpTool, ToolAnnotations } from '@modelcontextprotocol/client';
import type { ParameterSchema, ToolSpec } from '../../protocol/message.ts';
import type { SideEffects } from '../../protocol/tools/tool.ts';
import { unreadable, leanSchema } from '../read-definitions.ts';

/** How long a list is used at least where its server says nothing of changes, in milliseconds. */
const shortestMs = 10_000;

/**
 * A server's tools as it listed them last. They are asked for again when the server has told that they changed, or when
 * the time that it gives them is over and it does not tell of changes (specification 2026-07-28: `ttlMs`).
 */
export class ToolList {
  #tools: McpTool[] = [];
  #isStale = true;
  #freshUntil = 0;
  #listing: Promise<McpTool[]> | undefined;
  #hears = false;

  forget(): void {
    this.#isStale = true;
  }

  async current(client: Client): Promise<McpTool[]> {
    if (!this.#isStale && performance.now() < this.#freshUntil) return this.#tools;
    this.#listing ??= this.refresh(client, { timeout: 20_000 }).finally(() => {
      this.#listing = undefined;
    });
    return this.#listing;
  }

  async refresh(client: Client, options: RequestOptions): Promise<McpTool[]> {
    await this.#listen(client);
    // Before the request, so that a change that is told of while it runs is not lost.
    this.#isStale = false;
    try {
      const listed = await client.listTools(undefined, { ...options, cacheMode: 'refresh' });
      // Those that run only as tasks have no result to wait for.
      this.#tools = listed.tools.filter(({ execution }) => execution?.taskSupport !== 'required');
      const { ttlMs = 0 } = listed as { ttlMs?: number };
      const isTold = client.getProtocolEra() === 'legacy' || this.#hears;
      this.#freshUntil = isTold ? Infinity : performance.now() + Math.max(ttlMs, shortestMs);
      return this.#tools;
    } catch (error) {
      this.#isStale = true;
      throw error;
    }
  }

  /** Hears of changes again where the stream of a server of the newer generation has ended. */
  async #listen(client: Client): Promise<void> {
    if (this.#hears || client.getProtocolEra() !== 'modern' || !client.getServerCapabilities()?.tools?.listChanged) {
      return;
    }
    try {
      const subscription = client.autoOpenedSubscription ?? (await client.listen({ toolsListChanged: true }));
      void this.#follow(subscription.closed);
    } catch {
      // A server need not offer it; then the time that it gives its list counts.
    }
  }

  async #follow(closed: Promise<unknown>): Promise<void> {
    this.#hears = true;
    await closed;
    this.#hears = false;
    this.forget();
  }
}

/**
 * What running a server's tool twice would do, as far as its hints tell. The kind `none` is never used, since such calls run
 * within the model's call that wants them, and one that leaves the worker may take too long for that.
 */
export function sideEffectsOf({ readOnlyHint, idempotentHint, destructiveHint }: ToolAnnotations = {}): SideEffects {
  if (readOnlyHint) return 'undeclared';
  if (idempotentHint) return 'idempotent';
  return readOnlyHint === false || destructiveHint ? 'once' : 'undeclared';
}

/** A name as models take it, which allow fewer characters than servers do. */
export const nameForModels = (name: string): string => name.replaceAll(/[^\w-]/g, '_').slice(0, 64);

export function specOf({ name, title, description, inputSchema }: McpTool): ToolSpec {
  return {
    name: nameForModels(name),
    description: description ?? title ?? name,
    parameters: withKeysForModels(checkable(inputSchema)),
  };
}

/** As Anthropic takes them, which refuses a whole request for a name such as `$top`. */
const keyForModels = /^[\w.-]{1,64}$/;

/** Under which names models are offered arguments, as far as these are others than the server's own. */
function keysOf({ properties = {} }: { properties?: object | undefined }): Map<string, string> {
  const names = Object.keys(properties);
  const taken = new Set(names.filter((name) => keyForModels.test(name)));
  const keys = new Map<string, string>();
  for (const name of names) {
    if (taken.has(name)) continue;
    const plain = name.replaceAll(/[^\w.-]/g, '_').slice(0, 60) || '_';
    const key = [plain, ...names.map((_, index) => `${plain}_${index}`)].find((each) => !taken.has(each)) ?? plain;
    taken.add(key);
    keys.set(name, key);
  }
  return keys;
}

function withKeysForModels(parameters: ParameterSchema): ParameterSchema {
  const keys = keysOf(parameters);
  if (keys.size === 0) return parameters;
  const keyOf = (name: string): string => keys.get(name) ?? name;
  const { properties, required } = parameters;
  const named = Object.entries(properties).map(([name, property]) => [keyOf(name), property] as const);
  return { ...parameters, properties: Object.fromEntries(named), ...(required && { required: required.map(keyOf) }) };
}

/** A call's arguments under the server's own names. */
export function argumentsFor({ inputSchema }: McpTool, args: Record<string, unknown>): Record<string, unknown> {
  const names = new Map([...keysOf(inputSchema)].map(([name, key]) => [key, name]));
  return Object.fromEntries(Object.entries(args).map(([key, value]) => [names.get(key) ?? key, value]));
}

/** A schema to check arguments against. It lets through what zod cannot read, since the server checks it too. */
function checkable(inputSchema: McpTool['inputSchema']): ParameterSchema {
  const complete = { properties: {}, ...leanSchema(inputSchema) } as unknown as ParameterSchema;
  if (unreadable(complete) === undefined) return complete;
  const { properties, required } = complete;
  const definitions = '$defs' in complete ? { $defs: complete.$defs } : {};
  const readable = Object.entries(properties).map(([name, property]) => {
    const alone = { type: 'object', properties: { [name]: property }, ...definitions };
    return [name, unreadable(alone) === undefined ? property : described(property)];
  });
  const lenient = {
    type: 'object' as const,
    properties: Object.fromEntries(readable) as Record<string, unknown>,
    ...(required && { required }),
  };
  const whole = { ...lenient, ...definitions };
  return unreadable(whole) === undefined ? whole : lenient;
}

const described = (property: unknown): object => ({
  description: (property as { description?: string } | null)?.description ?? '',
});
