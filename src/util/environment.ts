/** The variables that the worker and the commands read (docs/configuration.md). */
export const environmentVariables = [
  'OPENAI_API_KEY',
  'OPENAI_BASE_URL',
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_BASE_URL',
  'GEMINI_API_KEY',
  'GEMINI_BASE_URL',
  'REPRISE_MODEL',
  'REPRISE_MODEL_KEY',
  'OPENROUTER_API_KEY',
  'OPENROUTER_BASE_URL',
  'AZURE_OPENAI_API_KEY',
  'AZURE_OPENAI_ENDPOINT',
  'OLLAMA_HOST',
  'OLLAMA_API_KEY',
  'LMSTUDIO_BASE_URL',
  'LM_API_TOKEN',
  'GITHUB_TOKEN',
  'GITHUB_API_URL',
  'TAVILY_API_KEY',
  'TAVILY_BASE_URL',
  'BRAVE_API_KEY',
  'BRAVE_BASE_URL',
  'SEARXNG_URL',
  'TRANSCRIPTION_URL',
  'TRANSCRIPTION_MODEL',
  'TRANSCRIPTION_API_KEY',
  'REPRISE_FETCH_HOSTS',
  'DATABASE_URL',
  'REPRISE_SLOTS',
  'REPRISE_RATES',
  'REPRISE_MIN_FREE_MB',
  'REPRISE_ENCRYPTION_KEY',
  'REPRISE_ALLOW',
  'REPRISE_ALLOW_COMMANDS',
  'REPRISE_DOCKER_IMAGE',
  'REPRISE_DOCKER_NETWORK',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
  'OTEL_EXPORTER_OTLP_METRICS_HEADERS',
  'OTEL_EXPORTER_OTLP_PROTOCOL',
  'OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE',
  'OTEL_EXPORTER_PROMETHEUS_HOST',
  'OTEL_EXPORTER_PROMETHEUS_PORT',
  'OTEL_TRACES_EXPORTER',
  'OTEL_METRICS_EXPORTER',
  'OTEL_TRACES_SAMPLER',
  'OTEL_TRACES_SAMPLER_ARG',
  'OTEL_BSP_SCHEDULE_DELAY',
  'OTEL_METRIC_EXPORT_INTERVAL',
  'OTEL_SERVICE_NAME',
  'OTEL_RESOURCE_ATTRIBUTES',
  'OTEL_SDK_DISABLED',
] as const;

/** The process's variables by name, without the empty ones. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A variable has a value that it cannot have; the message names it, and what it can be. */
export class VariableError extends Error {}

/** The variables that have a value, which may be an empty one. */
export const definedIn = (variables: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(Object.entries(variables).filter((each): each is [string, string] => each[1] !== undefined));

/** Takes the environment's variables except the empty ones, which count as not set. */
export const readEnvironment = (variables: NodeJS.ProcessEnv): Environment =>
  Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined && value !== ''));
