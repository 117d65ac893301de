// What providers refuse in the schemas of tools, where one that they do not like costs the whole request.

/** A tool, a schema, or another part of a request. */
type Part = Record<string, unknown>;

interface Refusal {
  message: string;
  param?: string;
  code?: string;
}

const isObject = (value: unknown): value is Part =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every schema within one, with its place. */
function* within(schema: unknown, place: string[] = []): Generator<[schema: Part, place: string[]]> {
  if (!isObject(schema)) return;
  yield [schema, place];
  for (const key of ['properties', '$defs', 'definitions', 'patternProperties']) {
    for (const [name, each] of Object.entries((schema[key] ?? {}) as Part)) yield* within(each, [...place, key, name]);
  }
  for (const key of ['items', 'additionalProperties', 'not', 'if', 'then', 'else']) {
    yield* within(schema[key], [...place, key]);
  }
  for (const key of ['anyOf', 'oneOf', 'allOf', 'prefixItems']) {
    for (const [index, each] of ((schema[key] ?? []) as unknown[]).entries()) {
      yield* within(each, [...place, key, String(index)]);
    }
  }
}

/** langchain-ai/langchainjs#9804, mark3labs/mcphost#35, smallmain/vscode-unify-chat-provider#162 */
export function openaiSchemaProblem(tools: Part[]): Refusal | undefined {
  for (const [index, { name, parameters }] of tools.entries()) {
    const refused = (why: string): Refusal => ({
      message: `Invalid schema for function '${String(name)}': ${why}`,
      param: `tools[${index}].function.parameters`,
      code: 'invalid_function_parameters',
    });
    const root = (parameters ?? {}) as Part;
    const isChoice = ['oneOf', 'anyOf', 'allOf', 'enum', 'not'].some((key) => key in root);
    if (root['type'] !== 'object' || isChoice) {
      return refused(
        "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.",
      );
    }
    for (const [schema, place] of within(root)) {
      const context = `In context=(${place.map((each) => `'${each}'`).join(', ')})`;
      const isList = [schema['type']].flat().includes('array');
      if (isList && schema['items'] === undefined) return refused(`${context}, array schema missing items.`);
      const odd = Object.values((schema['properties'] ?? {}) as Part).find(
        (each) => !isObject(each) && typeof each !== 'boolean',
      );
      if (odd !== undefined) return refused(`${JSON.stringify(odd)} is not of type 'object', 'boolean'.`);
    }
  }
  return undefined;
}

/** anthropics/claude-code#40075 and #34771 */
export function anthropicSchemaProblem(tools: Part[]): string | undefined {
  for (const [index, { input_schema: schema }] of tools.entries()) {
    const root = (schema ?? {}) as Part;
    if (['oneOf', 'anyOf', 'allOf'].some((key) => key in root)) {
      return `tools.${index}.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`;
    }
    if (Object.keys(root['properties'] ?? {}).some((key) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(key))) {
      return `tools.${index}.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'`;
    }
  }
  return undefined;
}

const unknownToGoogle = [
  'exclusiveMinimum',
  'exclusiveMaximum',
  '$ref',
  '$defs',
  'oneOf',
  'const',
  'patternProperties',
];

/** hideya/langchain-mcp-tools-ts#36, sbroenne/mcp-server-excel#607, github/copilot-cli#4623, pizza-bot-app/pizza-bot#62 */
export function googleSchemaProblem(tools: Part[]): Refusal | undefined {
  for (const [index, { parameters }] of tools.entries()) {
    for (const [schema, place] of within(parameters)) {
      const at = `tools[0].function_declarations[${index}].parameters${place.map((each) => `.${each}`).join('')}`;
      const unknown = unknownToGoogle.find((key) => key in schema);
      if (unknown !== undefined) {
        return { message: `Invalid JSON payload received. Unknown name "${unknown}" at '${at}': Cannot find field.` };
      }
      const values = (schema['enum'] ?? []) as unknown[];
      if (values.some((each) => typeof each !== 'string')) {
        return { message: `* GenerateContentRequest.${at}.enum: only allowed for STRING type` };
      }
      const empty = values.indexOf('');
      if (empty >= 0) return { message: `* GenerateContentRequest.${at}.enum[${empty}]: cannot be empty` };
      if (Array.isArray(schema['type'])) {
        return {
          message: `Invalid value at '${at}.type' (type.googleapis.com/google.ai.generativelanguage.v1beta.Type)`,
        };
      }
    }
  }
  return undefined;
}
