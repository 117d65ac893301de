import { z } from 'zod';
import { backendSchema } from '../config/backend.ts';
import { sessionShape, soloShape } from '../config/coordination.ts';
import { wireSchema } from '../config/exchange.ts';
import { orchestrationInputSchema, researchInputSchema, sessionInputSchema } from '../config/inputs.ts';
import { solveInputSchema } from '../config/inputs.ts';
import { notifyEntrySchema } from '../config/notify.ts';
import type { Kind } from '../config/kinds.ts';
import { moduleSchema } from '../config/modules.ts';
import { planSchema } from '../config/plan.ts';
import { safe } from '../config/privileges.ts';
import { researchSchema } from '../config/research.ts';
import { teamSchema } from '../config/team.ts';
import { mcpServersSchema, toolPackagesSchema, toolTime } from '../config/tool-sources.ts';
import { folderSchema } from '../config/named-folder.ts';

const $schema = z.unknown().meta(safe());

/** The keys of one agent as its file has them, of which the checks look at modules and wires one by one. */
const agentSchema = z.strictObject({
  modules: z.array(moduleSchema),
  exchange: z.array(wireSchema),
  ...soloShape,
  ...sessionShape,
});

export const configSchemas: Record<Kind, z.ZodObject> = {
  team: teamSchema.extend({ $schema }),
  agent: agentSchema.extend({ $schema }),
  research: researchSchema.extend({ $schema }),
  plan: planSchema.extend({ $schema }),
};

/** A configuration of whichever kind: what it is shows by its keys, and a wrong one is refused before. */
export const anyConfigSchema = z.union(Object.values(configSchemas));

/** The workflows' inputs. A configuration that is named, instead of brought, reaches nothing. */
export const inputSchemas = {
  orchestration: orchestrationInputSchema,
  session: sessionInputSchema,
  research: researchInputSchema,
  planAndExecute: solveInputSchema,
};

export type InputName = keyof typeof inputSchemas;

const { search, github_issue } = researchSchema.shape.research.shape;

/** What activities are asked for. A server of tools has the time of its calls beside what a configuration says of it. */
export const partSchemas = {
  backend: backendSchema,
  mcp: z.union([mcpServersSchema.element, z.strictObject({ timeout: toolTime.optional().meta(safe()) })]),
  package: toolPackagesSchema.in.element,
  search,
  issue: github_issue,
  folder: folderSchema,
  notify: notifyEntrySchema,
  attachments: solveInputSchema.shape.attachments,
};

export type PartName = keyof typeof partSchemas;
