import http from 'node:http';
import https from 'node:https';
import { VariableError, type Environment } from './environment.ts';

/**
 * Sends what `fetch` asks for through the proxy that `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` name, as other programs do:
 * models, searches, MCP servers and webhooks. This machine itself is never asked through one. Pages that agents read are
 * not either: a proxy would look up names by itself, so that nobody could check where an address leads. Before Node 24.14 it
 * does nothing.
 *
 * @throws `VariableError` for what is no address of http or https
 */
export function useProxy(environment: Environment): void {
  const proxy = (name: string): string | undefined =>
    proxyIn(environment, name.toLowerCase()) ?? proxyIn(environment, name);
  const [http_proxy, https_proxy] = [proxy('HTTP_PROXY'), proxy('HTTPS_PROXY')];
  if (http_proxy === undefined && https_proxy === undefined) return;
  const { NO_PROXY = '', no_proxy = NO_PROXY } = environment;
  const agents = [http.globalAgent, https.globalAgent] as const;
  // oxlint-disable-next-line typescript/no-unnecessary-condition
  http.setGlobalProxyFromEnv?.({ http_proxy, https_proxy, no_proxy: `${no_proxy},localhost,127.0.0.1,[::1],::1` });
  [http.globalAgent, https.globalAgent] = agents;
}

function proxyIn(environment: Environment, name: string): string | undefined {
  const { [name]: given } = environment;
  if (!given) return undefined;
  const { protocol = '', href = '' } = URL.parse(given.includes('://') ? given : `http://${given}`) ?? {};
  if (protocol === 'http:' || protocol === 'https:') return href;
  // It may hold a password.
  throw new VariableError(`${name} is no address of a proxy, such as http://proxy.example.com:3128`);
}
