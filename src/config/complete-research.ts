import { missingForSearch } from '../search/missing.ts';
import { completeBackend, defaultBackend } from './default-team.ts';
import { describeBackend, describeLimits } from './describe-agent.ts';
import { describeBroadcast } from './broadcast.ts';
import type { Environment } from './environment.ts';
import { lacking } from './preflight.ts';
import type { ResearchConfig, ResearchSettings } from './research.ts';

/** Completes a configuration: a backend with its model for each role, the domain's numbers in place of the general ones. */
export function completeResearch(config: ResearchConfig, environment: Environment): ResearchSettings {
  const { backend, plan, criticism, synthesize, domain, domains, weights, ...rest } = config.research;
  const fallback = backend ?? defaultBackend(environment);
  const own = domain === undefined ? {} : (domains[domain] ?? {});
  return {
    ...rest,
    backends: {
      plan: completeBackend(plan?.backend ?? fallback),
      criticism: completeBackend(criticism?.backend ?? fallback),
      synthesize: completeBackend(synthesize?.backend ?? fallback),
    },
    min_viability_score: own.min_viability_score ?? rest.min_viability_score,
    weights: own.weights ?? weights,
    ...(domain !== undefined && { domain }),
    coordination: config.coordination,
    budget: config.budget,
  };
}

/** Whether nothing else is searched, since a configuration names neither a folder nor a service. */
export const searchesOwnDocs = ({ search }: ResearchSettings): boolean =>
  search.provider === 'folder' && search.folder === undefined;

/** What would keep a research from running in this environment: keys that are not set, a folder that is not there. */
export function preflightResearch(settings: ResearchSettings, environment: Environment): string[] {
  const { backends, search, github_issue } = settings;
  const lacks = Object.entries(backends).flatMap(([role, backend]) => lacking(role, backend, environment));
  return [
    ...new Set(lacks),
    ...missingForSearch(search, environment),
    // A server of one's own may know its callers in another way.
    ...(github_issue !== undefined &&
    environment['GITHUB_TOKEN'] === undefined &&
    environment['GITHUB_API_URL'] === undefined
      ? ['github_issue needs GITHUB_TOKEN, which is not set']
      : []),
  ];
}

/** A configuration of research with all defaults filled in, in a few lines for a person. */
export function describeResearch(settings: ResearchSettings): string {
  const { backends, search, weights, domain, github_issue } = settings;
  const roles = Object.entries(backends).map(([role, backend]) => `  ${role}: ${describeBackend(backend)}`);
  const where =
    search.provider === 'folder'
      ? search.folder === undefined
        ? "only Reprise's own documentation"
        : `the folder ${search.folder}`
      : search.provider;
  return [
    domain === undefined ? 'A research:' : `A research of the domain "${domain}":`,
    ...roles,
    `Up to ${settings.max_planning_iterations} planning iterations, until the viability score is at least ${settings.min_viability_score}; without a score: ${settings.on_missing_score}.`,
    `Aspects: ${Object.entries(weights)
      .map(([aspect, weight]) => `${aspect} ${weight}`)
      .join(', ')}.`,
    `Searches ${where}, up to ${search.max_results} results a query; more than ${settings.max_similar_implementations} similar works are prior art.`,
    ...(settings.approval ? ['A person approves before the report is written.'] : []),
    ...(github_issue === undefined ? [] : [`Opens an issue in ${github_issue.repo}.`]),
    ...describeBroadcast(settings.coordination),
    ...describeLimits(settings.budget, undefined),
  ].join('\n');
}
