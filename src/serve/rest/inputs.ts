import { z } from 'zod';
import type { RunInput } from '../../client.ts';
import {
  orchestrationInputSchema,
  researchInputSchema,
  sessionInputSchema,
  solveInputSchema,
} from '../../config/inputs.ts';
import { checkConversation, checkPlan, checkResearch, checkTeam } from '../../config/kinds.ts';
import { under, type Checked } from '../../config/problems.ts';
import type { InputName } from '../../trust/schemas.ts';
import { defaultName, hasConfig, namedConfig, namedConfigs } from '../configs.ts';
import { HttpProblem } from '../problems.ts';
import { invalid, runId, valid, type Asked } from './operation.ts';

/** A path would name a file of another machine than the client's. Only a union has a message that names its forms. */
const attachments = z
  .array(
    z.union([z.strictObject({ name: z.string().min(1), data: z.string() }), z.never()], {
      error: 'a file as {name, data}, with its content in base64',
    }),
  )
  .optional();

const signature = { signature: true } as const;

/** The workflows' inputs as they may come over HTTP. */
const inputSchemas: Record<InputName, z.ZodObject> = {
  orchestration: orchestrationInputSchema.omit(signature).extend({ attachments }),
  session: sessionInputSchema.omit({ ...signature, earlier: true }).extend({ attachments }),
  research: researchInputSchema.omit(signature).extend({ attachments }),
  planAndExecute: solveInputSchema.omit(signature).extend({ attachments }),
};

const types = Object.keys(inputSchemas) as InputName[];

export const someInput = z.record(z.string(), z.unknown());

export const startSchema = z.strictObject({ type: z.enum(types), id: runId.optional(), input: someInput });

export const writtenStart = z.union(
  types.map((type) => startSchema.extend({ type: z.literal(type), input: inputSchemas[type] })),
);

const checks: Record<InputName, (content: unknown) => Checked<unknown>> = {
  orchestration: checkTeam,
  session: checkConversation,
  research: checkResearch,
  planAndExecute: checkPlan,
};

/**
 * The input of a run with the configuration that it names, where this server has that; another name is for the worker. `sign`:
 * whether the home vouches for it. What a client brings itself, the worker's rules of trust judge. @throws `HttpProblem`
 */
export function inputOf(
  { access, served }: Asked,
  type: InputName,
  given: Record<string, unknown>,
): { input: RunInput; sign: boolean } {
  valid(inputSchemas[type], given, ['input']);
  const { config, ...rest } = given;
  const isOwner = access.grant.kind === 'all';
  if (typeof config !== 'string') {
    const names = namedConfigs(served.configs, access).map(({ name }) => name);
    if (!isOwner)
      throw new HttpProblem(403, `This token starts by names alone: "config" is one of ${names.join(', ')}`);
    if (config !== undefined) assertConfig(type, config);
    return { input: given, sign: config === undefined };
  }
  if (isOwner && config !== defaultName && !hasConfig(served.configs, config)) return { input: given, sign: true };
  const found = namedConfig(served.configs, config, access);
  if (found === undefined) return { input: rest, sign: true };
  assertConfig(type, found.content);
  return { input: { ...rest, config: found.content }, sign: true };
}

function assertConfig(type: InputName, content: unknown): void {
  const checked = checks[type](content);
  if (!checked.ok) throw invalid(under(['input', 'config'], checked.problems));
}
