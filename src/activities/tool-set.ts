import { z } from 'zod';
import type { ToolCall, ToolSpec } from '../protocol/message.ts';
import type { ReplyCall } from '../protocol/model-call.ts';
import type { Store } from '../store/store.ts';

/** The tools that a call offers, with their schemas compiled. */
export interface ToolSet {
  specs: ToolSpec[];
  /** Parses a call's arguments and checks them; what does not fit comes back as a text for the model to mend. */
  read: (call: ToolCall) => ReplyCall;
}

const noTools: ToolSet = compile([]);

/** Runs use few tool sets, and each over and over: compiled ones are kept, the oldest given up first. */
const capacity = 100;

/** @returns loads tool sets by the blob id that `storeBlobs` gave; null is the empty one */
export function toolSets(store: Store): (id: string | null) => Promise<ToolSet> {
  const compiled = new Map<string, ToolSet>();
  return async (id) => {
    if (id === null) return noTools;
    const known = compiled.get(id);
    if (known !== undefined) return known;
    const set = compile(JSON.parse(await store.blob(id)) as ToolSpec[]);
    const [oldest] = compiled.keys();
    if (compiled.size >= capacity && oldest !== undefined) compiled.delete(oldest);
    compiled.set(id, set);
    return set;
  };
}

function compile(specs: ToolSpec[]): ToolSet {
  const schemas = new Map(
    specs.map((spec) => [spec.name, z.fromJSONSchema(spec.parameters as z.core.JSONSchema.JSONSchema)]),
  );
  return { specs, read: (call) => readCall(call, schemas) };
}

function readCall({ id, name, arguments: text }: ToolCall, schemas: Map<string, z.ZodType>): ReplyCall {
  const schema = schemas.get(name);
  if (schema === undefined) {
    const names = [...schemas.keys()].join(', ') || 'none';
    return {
      id,
      name,
      error: `No such tool available: ${name} (Tool ${name} not found; there are: ${names})`,
    };
  }
  let input: unknown;
  try {
    input = JSON.parse(text.trim() === '' ? '{}' : text);
  } catch (error) {
    return { id, name, error: `the arguments of ${name} are not valid JSON: ${(error as Error).message}` };
  }
  const checked = schema.safeParse(input);
  if (checked.success) return { id, name, input: checked.data as Record<string, unknown> };
  const issues = checked.error.issues.map(
    ({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`,
  );
  return { id, name, error: `the arguments of ${name} do not fit: ${issues.join('; ')}` };
}
