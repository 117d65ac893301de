import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { howToGetSearch, missingForSearch, serviceOf, variableOf, webSearchNames } from './search-services.ts';
import { isModelSearch } from '../protocol/search.ts';
import { backendSchema, roleSchema } from './backend.ts';
import { completeBackend, defaultBackend, describeBackend } from './models/complete-backend.ts';
import { describeCoordination, soloShape, whole } from './coordination.ts';
import { keysOfTools, notice, checkSingleReplies, type ConfigKind } from './kind.ts';
import type { Environment } from '../util/environment.ts';
import { guarded, safe } from './privileges.ts';
import type { ResearchSettings } from '../protocol/settings.ts';

/** As providers name parameters: aspects are those of the critic's tool. */
const aspectName = /^[A-Za-z_][\w-]{0,63}$/;
const aspect = z
  .string()
  .refine((name) => aspectName.test(name), {
    error: 'the name of an aspect is made of letters, digits, _ and -, and begins with a letter',
  })
  .meta({ pattern: aspectName.source });

const repository = /^[\w.-]+\/[\w.-]+$/;

const weightsSchema = z
  .record(aspect, z.number().min(0))
  .refine((weights) => Object.values(weights).some((weight) => weight > 0), {
    error: 'the weights sum to 0; at least one aspect must count',
  });

const defaultWeights = { feasibility: 0.3, novelty: 0.2, data: 0.2, risk: 0.2, testability: 0.1 };

const score = z.number().min(0).max(100);

/** The key `research` (the document "Conditional Restart Logic", Configuration Constants and Future Enhancements). */
const settingsSchema = z
  .strictObject({
    backend: backendSchema.optional().describe('The model of every role that has none of its own.'),
    plan: roleSchema.optional().describe('Who plans.'),
    criticism: roleSchema.optional().describe('Who criticises and scores.'),
    synthesize: roleSchema.optional().describe('Who writes the report.'),
    min_viability_score: score.default(51).meta(safe('With a lower score the idea is planned again.')),
    max_planning_iterations: whole(1, 100)
      .default(3)
      .meta(safe('How many plans there may be in all, restarts by a person included.')),
    max_similar_implementations: whole(0)
      .default(4)
      .meta(safe('With more hits than this that do the same as the idea, it is planned again.')),
    on_missing_score: z
      .enum(['restart', 'proceed', 'fail'])
      .default('proceed')
      .meta(safe('What follows when the critic was asked twice and gives no score; proceed warns of it.')),
    weights: weightsSchema
      .optional()
      .meta(
        safe(
          'The aspects that the critic scores, and how much each counts. If they are set, a score for everything does not count. ' +
            `Absent: ${Object.entries(defaultWeights).flat().join(' ')}.`,
        ),
      ),
    domain: z.string().min(1).optional().meta(safe('One of domains, whose numbers are then used.')),
    domains: z
      .record(
        z.string().min(1),
        z.strictObject({
          min_viability_score: score.optional().meta(safe('Absent: the general one.')),
          weights: weightsSchema.optional().meta(safe('Absent: the general ones.')),
        }),
      )
      .default({})
      .describe('Numbers for fields of their own, by names of your choice.'),
    search: z
      .strictObject({
        provider: z
          .enum(['folder', ...webSearchNames])
          .optional()
          .meta(safe())
          .describe(
            `Absent: folder if there is one, else the service whose variable is set (${webSearchNames.map(variableOf).join(', ')}).`,
          ),
        folder: z
          .string()
          .min(1)
          .optional()
          .meta(guarded('folder'))
          .describe(
            "The folder to search, relative to this file. Absent: for the offline model Reprise's own documentation, which makes no run viable.",
          ),
        max_results: whole(1, 20).default(5).meta(safe('How many results each query gives.')),
        read_pages: whole(0, 20)
          .default(3)
          .meta(safe())
          .describe(
            'How many pages of the best hits on the web are read in an iteration, and how many more for what the critic still misses.',
          ),
      })
      .prefault({})
      .describe('Where it searches.'),
    approval: z.boolean().default(false).meta(safe('Whether a person must accept before the report is written.')),
    github_issue: z
      .strictObject({
        repo: z
          .string()
          .refine((name) => repository.test(name), { error: 'a repository is written owner/name' })
          .meta({ pattern: repository.source })
          .meta(guarded('repository'))
          .describe('owner/name of the repository; needs GITHUB_TOKEN, and GITHUB_API_URL for a server of your own.'),
        labels: z.array(z.string().min(1)).default([]).meta(safe('The labels of the issue.')),
      })
      .optional()
      .describe('The report becomes an issue there. Absent: no issue.'),
  })
  .superRefine(({ domain, domains }, context) => {
    if (domain === undefined || Object.hasOwn(domains, domain)) return;
    const names = Object.keys(domains);
    const choices = names.length === 0 ? 'there are none: see domains' : `the domains are: ${names.join(', ')}`;
    const message = `${JSON.stringify(domain)} is no domain of this configuration; ${choices}`;
    context.addIssue({ code: 'custom', path: ['domain'], message });
  });

export const researchSchema = z.strictObject({
  research: settingsSchema.describe('Research: who plans, criticises and writes, and where it searches.'),
  ...soloShape,
});

export type ResearchConfig = z.output<typeof researchSchema>;

/** As a file's author writes it: keys with defaults may be left out. */
export type ResearchConfigInput = z.input<typeof researchSchema>;

/** Gives each role its backend, and replaces the general numbers by those of the domain. */
export function completeResearch(config: ResearchConfig, environment: Environment): ResearchSettings {
  const { research, ...common } = config;
  const { backend = defaultBackend(environment), plan, criticism, synthesize, domains, ...rest } = research;
  const own = domains[rest.domain ?? ''];
  const weights = own?.weights ?? rest.weights;
  const backends = {
    plan: completeBackend(plan?.backend ?? backend),
    criticism: completeBackend(criticism?.backend ?? backend),
    synthesize: completeBackend(synthesize?.backend ?? backend),
  };
  const provider = rest.search.provider ?? defaultProvider(rest.search, isOffline(backends), environment);
  return {
    ...common,
    ...rest,
    backends,
    min_viability_score: own?.min_viability_score ?? rest.min_viability_score,
    weights: weights ?? defaultWeights,
    // Whoever writes out the defaults asks for nothing else.
    hasOwnWeights: weights !== undefined && !isDeepStrictEqual(weights, defaultWeights),
    search: { ...rest.search, provider },
  };
}

const isOffline = (backends: ResearchSettings['backends']): boolean =>
  Object.values(backends).every(({ type }) => type === 'offline');

/** Its folder, or the service whose variable is set. No model searches unasked for the offline one, which costs nothing. */
function defaultProvider({ folder }: { folder?: string | undefined }, costsNothing: boolean, environment: Environment) {
  const service = folder === undefined ? serviceOf(environment) : undefined;
  return service === undefined || (costsNothing && isModelSearch(service)) ? 'folder' : service;
}

/** Whether only Reprise's documentation is searched, as the offline model does, which knows nothing else. */
export const searchesOwnDocs = ({ search }: ResearchSettings): boolean =>
  search.provider === 'folder' && search.folder === undefined;

function describeResearch(settings: ResearchSettings): string {
  const { backends, search, weights, domain, github_issue } = settings;
  const { provider, folder, max_results, read_pages } = search;
  const where = searchesOwnDocs(settings) ? "only Reprise's own documentation" : `the folder ${folder}`;
  const aspects = Object.entries(weights).map(([aspect, weight]) => `${aspect} ${weight}`);
  return [
    domain === undefined ? 'A research run:' : `A research run of the domain "${domain}":`,
    ...Object.entries(backends).map(([role, backend]) => `  ${role}: ${describeBackend(backend)}`),
    `Up to ${settings.max_planning_iterations} planning iterations, until the viability score is at least ${settings.min_viability_score}; without a score: ${settings.on_missing_score}.`,
    `Aspects: ${aspects.join(', ')}.`,
    `Searches ${provider === 'folder' ? where : `${provider} (reads up to ${read_pages} pages an iteration)`}, up to ${max_results} results a query; more than ${settings.max_similar_implementations} similar works are prior art.`,
    ...(settings.approval ? ['A person approves before the report is written.'] : []),
    ...(github_issue === undefined ? [] : [`Opens an issue in ${github_issue.repo}.`]),
    ...describeCoordination(settings.coordination, settings.budget),
  ].join('\n');
}

export const researchKind: ConfigKind<ResearchConfig, ResearchSettings> = {
  title: 'A research run',
  description: 'For `reprise research`.',
  keys: ['research'],
  check: (content) => checkSingleReplies(researchSchema, content),
  complete: completeResearch,
  roles: ({ backends: { plan, criticism, synthesize } }) => ({
    plan: { backend: plan },
    criticism: { backend: criticism },
    synthesize: { backend: synthesize },
  }),
  missing(settings, environment) {
    const { backends, search, github_issue } = settings;
    // A GitHub server of the user's own may not need a token.
    const { GITHUB_TOKEN, GITHUB_API_URL } = environment;
    const isTokenMissing = github_issue && GITHUB_TOKEN === undefined && GITHUB_API_URL === undefined;
    return [
      ...missingForSearch(search, environment),
      ...(searchesOwnDocs(settings) && !isOffline(backends)
        ? [`search: there is nothing to search: name a folder (search.folder), or ${howToGetSearch}`]
        : []),
      ...(isTokenMissing ? ['github_issue needs GITHUB_TOKEN, which is not set'] : []),
    ];
  },
  describe: describeResearch,
  named: ({ research: { backend, plan, criticism, synthesize } }) =>
    [plan, criticism, synthesize].map((role) => role?.backend ?? backend),
  inert({ permissions, research: { backend, plan, criticism, synthesize } }) {
    const backends = [backend, plan?.backend, criticism?.backend, synthesize?.backend];
    const ofTools = keysOfTools.map((key) => [key, backends.find((each) => each?.[key])]);
    return notice(backends, { ...Object.fromEntries(ofTools), permissions });
  },
};
