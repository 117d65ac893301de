/** Variables that the worker and the commands read; see docs/configuration.md. */
export const environmentVariables = [
  'OPENAI_API_KEY',
  'OPENAI_BASE_URL',
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_BASE_URL',
  'GEMINI_API_KEY',
  'GEMINI_BASE_URL',
  'GITHUB_TOKEN',
  'GITHUB_API_URL',
  'TAVILY_API_KEY',
  'TAVILY_BASE_URL',
  'SEARXNG_URL',
  'DATABASE_URL',
] as const;

/** The process's variables by name; one that is absent or empty is unset. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the environment once; empty variables are left out. */
export function readEnvironment(variables: NodeJS.ProcessEnv): Environment {
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined && value !== ''));
}
