/** The variables that the worker and the commands read (docs/configuration.md). */
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

/** The process's variables by name, without the empty ones. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Takes the environment's variables except the empty ones, which count as not set. */
export const readEnvironment = (variables: NodeJS.ProcessEnv): Environment =>
  Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined && value !== ''));
