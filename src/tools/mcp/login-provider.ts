import { randomUUID } from 'node:crypto';
import { auth, ClientCredentialsProvider, extractWWWAuthenticateParams } from '@modelcontextprotocol/client';
import type { AuthProvider, OAuthClientProvider, OAuthDiscoveryState } from '@modelcontextprotocol/client';
import type { StoredOAuthClientInformation } from '@modelcontextprotocol/client';
import type { McpServer } from '../../protocol/settings.ts';
import { loginCommand } from '../../protocol/tools/login.ts';
import type { Logins } from './logins.ts';

/** A server asks for a login that is not there, or is not valid any more. */
export class LoginNeeded extends Error {
  override readonly name = 'LoginNeeded';
  readonly url: string;

  constructor(url: string) {
    super(`it asks for a login: ${loginCommand(url)}`);
    this.url = url;
  }
}

/**
 * What the SDK's OAuth client needs to be kept, kept in the home folder (the SDK's guide "Authenticate a user with OAuth").
 *
 * @param redirectUrl where the person's browser comes back to
 * @param isRenewal whether the authorization server is the one that was found at the login; else it is looked for anew
 */
export function loginProvider(
  url: string,
  logins: Logins,
  redirectUrl: string,
  redirect: (to: URL) => void,
  isRenewal = false,
) {
  /** By which the answer to this login is told from any other request. */
  const state = randomUUID();
  let found: OAuthDiscoveryState | undefined;
  let used: string | undefined;
  let verifier = '';
  return {
    redirectUrl,
    clientMetadata: {
      client_name: 'Reprise',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    },
    state: () => state,
    clientInformation(context) {
      const { clients = {} } = logins.read(url);
      const client = context === undefined ? Object.values(clients)[0] : clients[context.issuer];
      // One that is registered for another address to come back to is of no use: a new one is registered then.
      const redirects = redirectsOf(client);
      return redirects.length > 0 && !redirects.includes(redirectUrl) ? undefined : client;
    },
    saveClientInformation(information: StoredOAuthClientInformation, context) {
      const issuer = context?.issuer ?? information.issuer ?? '';
      logins.update(url, { clients: { [issuer]: information } });
    },
    tokens() {
      const { tokens } = logins.read(url);
      used = tokens?.access_token;
      return tokens;
    },
    saveTokens: (tokens) => logins.update(url, { tokens }),
    redirectToAuthorization: redirect,
    saveCodeVerifier: (given) => void (verifier = given),
    codeVerifier: () => verifier,
    saveDiscoveryState(discovery) {
      found = discovery;
      logins.update(url, { discovery });
    },
    discoveryState: () => (isRenewal ? logins.read(url).discovery : found),
    invalidateCredentials(scope) {
      if (scope === 'client' || scope === 'all') logins.update(url, { clients: {} });
      if (scope === 'discovery' || scope === 'all') logins.update(url, { discovery: undefined });
      if (scope !== 'tokens' && scope !== 'all') return;
      // Another process may have renewed them meanwhile, by which these here have become invalid.
      if (logins.read(url).tokens?.access_token === used) logins.update(url, { tokens: undefined });
    },
  } satisfies OAuthClientProvider;
}

export type LoginProvider = ReturnType<typeof loginProvider>;

/** The addresses that a client is registered to come back to; none where it was not registered by a login. */
const redirectsOf = (client: StoredOAuthClientInformation | undefined): string[] =>
  client !== undefined && 'redirect_uris' in client ? client.redirect_uris : [];

/** Logs in as a server asks for it: not by the transport's own fetch, whose headers are for the server alone and may hold keys. */
async function logIn(provider: OAuthClientProvider, serverUrl: string, refusal: Response, own?: string): Promise<void> {
  const { resourceMetadataUrl, scope: asked } = extractWWWAuthenticateParams(refusal);
  const scope = own ?? asked;
  await auth(provider, {
    serverUrl,
    ...(resourceMetadataUrl && { resourceMetadataUrl }),
    ...(scope !== undefined && { scope }),
  });
}

/** How long after a renewal a refusal is taken for one of the login before it, in milliseconds. */
const justRenewedMs = 5000;

/** The login of a worker at a server: it renews what has run out, and asks nobody. */
export function workerLogin(url: string, logins: Logins): AuthProvider {
  let sent: string | undefined;
  let renewing: Promise<void> | undefined;
  let renewedAt = 0;
  async function renew(refusal: Response): Promise<void> {
    const [client] = Object.values(logins.read(url).clients ?? {});
    const [redirectUrl = 'http://127.0.0.1/callback'] = redirectsOf(client);
    await logIn(loginProvider(url, logins, redirectUrl, giveUp, true), url, refusal);
    renewedAt = Date.now();
  }
  /** Ends a renewal after which the SDK would have the person log in. */
  function giveUp(): never {
    // The next try may renew it. If a run waited for a login that is there, it would try again at once, and again.
    if (logins.read(url).tokens?.refresh_token !== undefined) {
      throw new Error(`the login could not be renewed; try ${loginCommand(url)}`);
    }
    logins.update(url, { tokens: undefined });
    throw new LoginNeeded(url);
  }
  return {
    async token() {
      sent = logins.read(url).tokens?.access_token;
      return sent;
    },
    /** @throws `LoginNeeded` */
    async onUnauthorized({ response }) {
      const { tokens } = logins.read(url);
      if (tokens === undefined) throw new LoginNeeded(url);
      // Another process has renewed it meanwhile, or another call, which may have sent the new one already.
      if (tokens.access_token !== sent || Date.now() - renewedAt < justRenewedMs) return;
      renewing ??= renew(response).finally(() => {
        renewing = undefined;
      });
      await renewing;
    },
  };
}

type Credentials = NonNullable<Extract<McpServer, { url: string }>['client_credentials']>;

/** The login of a worker by a secret of its own, without a person. @param onToken is told each token that comes */
export function machineLogin(
  url: string,
  { client_id: clientId, client_secret: clientSecret, issuer: expectedIssuer, scope }: Credentials,
  onToken: (token: string) => void,
): AuthProvider {
  const provider = new ClientCredentialsProvider({
    clientId,
    clientSecret,
    // Else the server would decide who gets the secret.
    expectedIssuer,
    ...(scope !== undefined && { scope }),
  });
  return {
    token: async () => provider.tokens()?.access_token,
    async onUnauthorized({ response }) {
      await logIn(provider, url, response, scope);
      const token = provider.tokens()?.access_token;
      if (token !== undefined) onToken(token);
    },
  };
}
