import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface GitHubIssue {
  number: number;
  html_url: string;
  title: string;
  body: string | null;
  labels: string[];
  state: 'open' | 'closed';
  /** ISO 8601. */
  updated_at: string;
  /** Present where it is none but a pull request, as GitHub lists them. */
  pull_request?: object;
}

type Method = 'GET' | 'POST';

export interface GitHubRequest {
  method: Method;
  path: string;
  query: Record<string, string>;
  authorization: string | undefined;
  body: { title?: string; body?: string; labels?: string[] } | undefined;
}

/** An answer instead of the true one. */
export interface GitHubAnswer {
  status: number;
  headers?: Record<string, string>;
  /** The whole body; absent: GitHub's form of an error, with this message. */
  raw?: string;
  message?: string;
  /** Ends the connection within the body. */
  cut?: boolean;
}

/** Answers that are kept back, once they have taken effect. */
export interface Held {
  /** Resolves when a request has come to that point. */
  reached: Promise<void>;
  /** Sends them, and holds no more. */
  release(): void;
}

/** GitHub as far as issues go, in memory and for every repository alike, over real HTTP. */
export interface GitHubServer {
  /** For `GITHUB_API_URL`. */
  url: string;
  /** The oldest first. */
  issues: GitHubIssue[];
  requests: GitHubRequest[];
  /** Puts an issue there that nobody has asked for. */
  add(issue: Partial<GitHubIssue>): GitHubIssue;
  /** Answers requests of a method with these, in turn and without any effect, before it is itself again. */
  answer(method: Method, ...answers: GitHubAnswer[]): void;
  /** Does what requests of a method ask for, and keeps the answers back. */
  hold(method: Method): Held;
  close(): Promise<void>;
}

export async function startGitHubServer(): Promise<GitHubServer> {
  const answers: Record<Method, GitHubAnswer[]> = { GET: [], POST: [] };
  const gates: Partial<Record<Method, { reach: () => void; released: Promise<void> }>> = {};
  const server = createServer((request, response) => {
    void read(request).then(async (seen) => send(response, await answerTo(seen)));
  });
  const answerTo = async (seen: GitHubRequest): Promise<GitHubAnswer> => {
    github.requests.push(seen);
    const other = answers[seen.method].shift();
    if (other !== undefined) return other;
    const done = seen.method === 'POST' ? create(github, seen) : list(github, seen);
    gates[seen.method]?.reach();
    await gates[seen.method]?.released;
    return done;
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const github: GitHubServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    issues: [],
    requests: [],
    add(issue) {
      const number = github.issues.length + 1;
      const added: GitHubIssue = {
        number,
        html_url: `https://github.example/issues/${number}`,
        title: 'An issue',
        body: null,
        labels: [],
        state: 'open',
        updated_at: new Date().toISOString(),
        ...issue,
      };
      github.issues.push(added);
      return added;
    },
    answer: (method, ...given) => void answers[method].push(...given),
    hold(method) {
      const reached = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      gates[method] = { reach: reached.resolve, released: released.promise };
      return { reached: reached.promise, release: released.resolve };
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return github;
}

async function read(request: IncomingMessage): Promise<GitHubRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://github');
  return {
    method: request.method as Method,
    path: pathname,
    query: Object.fromEntries(searchParams),
    authorization: request.headers.authorization,
    body: text === '' ? undefined : (JSON.parse(text) as GitHubRequest['body']),
  };
}

function create(github: GitHubServer, { body = {} }: GitHubRequest): GitHubAnswer {
  return { status: 201, raw: JSON.stringify(github.add(body)) };
}

/** A page of the issues, the newest first, with the address of the next one. */
function list({ url, issues }: GitHubServer, { path, query }: GitHubRequest): GitHubAnswer {
  const { state = 'open', since = '', per_page = '30', page = '1' } = query;
  const wanted = issues
    .filter((issue) => (state === 'all' || issue.state === state) && issue.updated_at >= since)
    .toReversed();
  const [size, at] = [Number(per_page), Number(page)];
  const next = new URLSearchParams({ ...query, page: String(at + 1) });
  const link = `<${url}${path}?${next.toString()}>; rel="next"`;
  return {
    status: 200,
    raw: JSON.stringify(wanted.slice((at - 1) * size, at * size)),
    headers: wanted.length > at * size ? { link } : {},
  };
}

function send(response: ServerResponse, { status, headers, message, raw, cut }: GitHubAnswer): void {
  const body = raw ?? JSON.stringify({ message: message ?? `scripted ${status}` });
  const length = String(Buffer.byteLength(body));
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': length, ...headers });
  if (cut) response.write(body.slice(0, 1), () => response.destroy());
  else response.end(body);
}
