import { z } from 'zod';
import { backendSchema, type Backend } from './backend.ts';
import { soloBroadcastSchema } from './broadcast.ts';
import { budgetSchema } from './team.ts';

/** Aspects are parameters of the critic's tool. */
const aspect = z.string().refine((name) => /^[A-Za-z_][\w-]{0,63}$/.test(name), {
  error: 'the name of an aspect is made of letters, digits, _ and -, and begins with a letter',
});

const weightsSchema = z
  .record(aspect, z.number().min(0))
  .refine((weights) => Object.values(weights).some((weight) => weight > 0), {
    error: 'the weights sum to 0; at least one aspect must count',
  });

const score = z.number().min(0).max(100);

/** Providers of searches; `folder` needs no network. */
export const searchProviders = ['folder', 'searxng', 'tavily'] as const;

const role = z.strictObject({ backend: backendSchema }).optional();

/** The key `research` (the document "Conditional Restart Logic", Configuration Constants and Future Enhancements). */
const settingsSchema = z
  .strictObject({
    backend: backendSchema.optional(),
    plan: role,
    criticism: role,
    synthesize: role,
    min_viability_score: score.default(51),
    max_planning_iterations: z.int().min(1).max(100).default(3),
    max_similar_implementations: z.int().min(0).default(4),
    on_missing_score: z.enum(['restart', 'proceed', 'fail']).default('proceed'),
    weights: weightsSchema.default({
      feasibility: 0.3,
      novelty: 0.2,
      data: 0.2,
      risk: 0.2,
      testability: 0.1,
    }),
    domain: z.string().min(1).optional(),
    domains: z
      .record(
        z.string().min(1),
        z.strictObject({ min_viability_score: score.optional(), weights: weightsSchema.optional() }),
      )
      .default({}),
    search: z
      .strictObject({
        provider: z.enum(searchProviders).default('folder'),
        folder: z.string().min(1).optional(),
        max_results: z.int().min(1).max(20).default(5),
      })
      .prefault({}),
    approval: z.boolean().default(false),
    github_issue: z
      .strictObject({
        repo: z
          .string()
          .refine((name) => /^[\w.-]+\/[\w.-]+$/.test(name), { error: 'a repository is written owner/name' }),
        labels: z.array(z.string().min(1)).default([]),
      })
      .optional(),
  })
  .superRefine(({ domain, domains }, context) => {
    if (domain === undefined || domain in domains) return;
    const names = Object.keys(domains);
    const choices =
      names.length === 0 ? 'there are none: see domains' : `the domains are: ${names.join(', ')}`;
    context.addIssue({
      code: 'custom',
      path: ['domain'],
      message: `${JSON.stringify(domain)} is no domain of this configuration; ${choices}`,
    });
  });

/** A configuration file of research, with the defaults that the documentation names. */
export const researchSchema = z.strictObject({
  research: settingsSchema.prefault({}),
  coordination: soloBroadcastSchema.prefault({}),
  budget: budgetSchema.optional(),
});

/** What a file says: backends may be absent. */
export type ResearchConfig = z.output<typeof researchSchema>;

/** The same as a file's author writes it, defaults left out. */
export type ResearchConfigInput = z.input<typeof researchSchema>;

/** A research that is ready to run: every role has its backend, the domain's numbers are in their place. */
export interface ResearchSettings {
  backends: { plan: Backend; criticism: Backend; synthesize: Backend };
  min_viability_score: number;
  max_planning_iterations: number;
  max_similar_implementations: number;
  on_missing_score: 'restart' | 'proceed' | 'fail';
  /** How much each aspect counts in the viability score; their sum is more than 0. */
  weights: Record<string, number>;
  domain?: string | undefined;
  /** `folder`: absolute; absent: Reprise's own documentation. */
  search: { provider: (typeof searchProviders)[number]; folder?: string | undefined; max_results: number };
  approval: boolean;
  github_issue?: { repo: string; labels: string[] } | undefined;
  coordination: ResearchConfig['coordination'];
  budget?: ResearchConfig['budget'];
}
