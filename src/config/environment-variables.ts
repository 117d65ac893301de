import { webSearchServices } from '../protocol/search.ts';

const meaningsForSearch: Record<string, string> = Object.assign(
  {},
  ...Object.values(webSearchServices).map(({ meanings }) => meanings),
);

/** What a run depends on: the variables that workers read for it, with their meanings for docs/reference/environment.md. */
export const meaningsOfVariables = {
  OPENAI_API_KEY: "OpenAI's key",
  OPENAI_BASE_URL: "an address that replaces OpenAI's own",
  ANTHROPIC_API_KEY: "Anthropic's key",
  ANTHROPIC_BASE_URL: "an address that replaces Anthropic's own",
  GEMINI_API_KEY: "Gemini's key",
  GEMINI_BASE_URL: "an address that replaces Gemini's own",
  REPRISE_MODEL: 'the model of agents that name none, as in ollama/qwen3:8b',
  REPRISE_MODEL_KEY: 'the key of a server that --model or REPRISE_MODEL names by its address',
  OPENROUTER_API_KEY: "OpenRouter's key",
  OPENROUTER_BASE_URL: "an address that replaces OpenRouter's own",
  AZURE_OPENAI_API_KEY: 'the key of an Azure resource',
  AZURE_OPENAI_ENDPOINT: 'the address of that resource, for azure/DEPLOYMENT',
  OLLAMA_HOST: 'the address of Ollama, as it reads it itself',
  OLLAMA_API_KEY: "Ollama's key, which it mostly does not want",
  LMSTUDIO_BASE_URL: 'the address of LM Studio, which ends with /v1',
  LM_API_TOKEN: "LM Studio's key, which it mostly does not want",
  GITHUB_TOKEN: 'a token that may write issues, for those of research runs',
  GITHUB_API_URL: 'a GitHub server of your own, as in https://github.example.com/api/v3',
  ...meaningsForSearch,
  TRANSCRIPTION_URL:
    "a server with /audio/transcriptions for attached recordings, as in http://localhost:8000/v1; absent: the backend's own",
  TRANSCRIPTION_MODEL: 'its model; absent: gpt-transcribe at OpenAI and whisper-1 elsewhere',
  TRANSCRIPTION_API_KEY: 'its key; absent: none, at OpenAI OPENAI_API_KEY',
  REPRISE_FETCH_HOSTS:
    'hosts with ports from which fetch_page fetches although they are not public, as in wiki.example:80,127.0.0.1:8080',
  REPRISE_NOTIFY:
    'who is told of all runs, as JSON of the key notify: [{"url": "${SLACK_WEBHOOK_URL}", "format": "slack"}]',
  REPRISE_WEBHOOK_SECRET: 'the secret by which webhooks are signed that name no other (whsec_…); absent: they are not',
  REPRISE_PUBLIC_URL: 'the address at which people reach the pages of `reprise serve`, for the links in webhooks',
  HTTPS_PROXY:
    'the proxy through which servers on https are asked, except for pages that agents read; also https_proxy, and from Node 24.14 on',
  HTTP_PROXY: 'the same for http',
  NO_PROXY: 'hosts that are asked without it, with commas between them',
  DATABASE_URL: 'the PostgreSQL database that workers share as their store; absent: SQLite in REPRISE_HOME',
  REPRISE_SLOTS: 'how many tasks a worker takes at once: workflows=40 activities=200, or cpu=80% memory=80%',
  REPRISE_RATES: 'what providers let through, over all workers of a store: OPENAI_API_KEY=500/min,200000tokens/min',
  REPRISE_MIN_FREE_MB:
    'megabytes that must be free on the disks of home and temporary files for a model to be called; default 100, and 0 for no check',
  REPRISE_ENCRYPTION_KEY: 'the keys by which histories and the store are encrypted; absent: they are not',
  REPRISE_ALLOW:
    'what runs may bring that somebody else has started, in the words of --allow, with spaces between them',
  REPRISE_ALLOW_COMMANDS: 'local lets agents run commands as the user of the worker; absent: only in containers',
  REPRISE_DOCKER_IMAGE: 'the image of those containers',
  REPRISE_DOCKER_NETWORK: 'a network that those containers reach; absent: none',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'where traces and metrics are sent; absent: nowhere',
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'where traces are sent, taken as it is, without /v1/traces behind it',
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'where metrics are sent, taken as it is',
  OTEL_EXPORTER_OTLP_HEADERS: 'headers, such as authorization=Bearer%20…, with commas between them',
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'the same for traces alone',
  OTEL_EXPORTER_OTLP_METRICS_HEADERS: 'the same for metrics alone',
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf, which is the default; another is refused',
  OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: 'cumulative or delta',
  OTEL_EXPORTER_PROMETHEUS_HOST: 'where Prometheus fetches metrics; default 127.0.0.1',
  OTEL_EXPORTER_PROMETHEUS_PORT: 'the port there; default 9464',
  OTEL_TRACES_EXPORTER: 'otlp, which is the default, or none',
  OTEL_METRICS_EXPORTER: 'otlp, which is the default, prometheus, or none',
  OTEL_TRACES_SAMPLER: 'such as parentbased_traceidratio: a share of the runs, each whole',
  OTEL_TRACES_SAMPLER_ARG: 'that share, such as 0.1',
  OTEL_BSP_SCHEDULE_DELAY: 'milliseconds between exports of traces; default 5000',
  OTEL_METRIC_EXPORT_INTERVAL: 'milliseconds between exports of metrics; default 60000',
  OTEL_SERVICE_NAME: 'what the telemetry is of; default reprise-worker',
  OTEL_RESOURCE_ATTRIBUTES: 'more of that',
  OTEL_SDK_DISABLED: 'true turns all telemetry off',
} as const;

export const environmentVariables = Object.keys(meaningsOfVariables);

/** All other variables, of commands and of the worker itself. */
export const meaningsOfOthers = {
  REPRISE_HOME: 'the folder of embedded data, store and log; default .reprise',
  REPRISE_IDLE_MINUTES: 'after how many idle minutes a background server and worker end by themselves; default 10',
  REPRISE_RETENTION_DAYS: 'for how many days the embedded server keeps closed runs; default 30',
  REPRISE_LOG_FORMAT: 'json: logs are lines of JSON; default text',
  REPRISE_PRICES: 'a JSON file with prices of your own',
  REPRISE_WHEELS: 'a folder of wheels from which run_python imports packages',
  REPRISE_USER: 'whose runs commands start, for fairness; default: the login name',
  REPRISE_HEALTH_PORT: 'where `reprise worker` answers GET /live and GET /ready; absent: nowhere',
  REPRISE_HEALTH_HOST: 'who may ask there; default: only this machine',
  REPRISE_SHUTDOWN_SECONDS: 'how long calls in flight may go on when `reprise worker` is asked to end; default 600',
  REPRISE_CODEC_TOKEN:
    'what a request to `reprise codec-server` must show; absent: nothing, and it serves this machine alone',
  REPRISE_TOKEN: 'the token that opens the HTTP server; absent: one that is made once and kept in REPRISE_HOME',
  TEMPORAL_ADDRESS:
    'the Temporal server; this and TEMPORAL_NAMESPACE, TEMPORAL_PROFILE, TEMPORAL_API_KEY and TLS as the Temporal CLI reads them',
  TEMPORAL_CLI_PATH: 'the path of the Temporal CLI with which up starts its server',
} as const;
