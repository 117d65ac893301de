import { randomUUID } from 'node:crypto';
import {
  auth,
  ClientCredentialsProvider,
  extractWWWAuthenticateParams,
  type AuthProvider,
  type OAuthClientInformationContext,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client';
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

/** What the SDK's OAuth client needs to be kept, kept in the home folder (the SDK's guide "Authenticate a user with OAuth"). */
export class LoginProvider implements OAuthClientProvider {
  /** Where the person's browser comes back to. */
  readonly redirectUrl: string;
  readonly #url: string;
  readonly #logins: Logins;
  readonly #redirect: (to: URL) => void;
  readonly #state = randomUUID();
  readonly #isRenewal: boolean;
  #found: OAuthDiscoveryState | undefined;
  #used: string | undefined;
  #verifier = '';

  /** @param isRenewal whether the authorization server is the one that was found at the login; else it is looked for anew */
  constructor(url: string, logins: Logins, redirectUrl: string, redirect: (to: URL) => void, isRenewal = false) {
    this.#url = url;
    this.#logins = logins;
    this.redirectUrl = redirectUrl;
    this.#redirect = redirect;
    this.#isRenewal = isRenewal;
  }

  get clientMetadata(): OAuthClientMetadata {
    return {
      client_name: 'Reprise',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    };
  }

  /** By which the answer to this login is told from any other request. */
  state(): string {
    return this.#state;
  }

  clientInformation(context?: OAuthClientInformationContext): StoredOAuthClientInformation | undefined {
    const { clients = {} } = this.#logins.read(this.#url);
    const client = context === undefined ? Object.values(clients)[0] : clients[context.issuer];
    // One that is registered for another address to come back to is of no use: a new one is registered then.
    const redirects = redirectsOf(client);
    return redirects.length > 0 && !redirects.includes(this.redirectUrl) ? undefined : client;
  }

  saveClientInformation(information: StoredOAuthClientInformation, context?: OAuthClientInformationContext): void {
    const issuer = context?.issuer ?? information.issuer ?? '';
    this.#logins.update(this.#url, { clients: { [issuer]: information } });
  }

  tokens(): StoredOAuthTokens | undefined {
    const { tokens } = this.#logins.read(this.#url);
    this.#used = tokens?.access_token;
    return tokens;
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.#logins.update(this.#url, { tokens });
  }

  redirectToAuthorization(to: URL): void {
    this.#redirect(to);
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  saveDiscoveryState(discovery: OAuthDiscoveryState): void {
    this.#found = discovery;
    this.#logins.update(this.#url, { discovery });
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#isRenewal ? this.#logins.read(this.#url).discovery : this.#found;
  }

  invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): void {
    if (scope === 'client' || scope === 'all') this.#logins.update(this.#url, { clients: {} });
    if (scope === 'discovery' || scope === 'all') this.#logins.update(this.#url, { discovery: undefined });
    if (scope !== 'tokens' && scope !== 'all') return;
    // Another process may have renewed them meanwhile, by which these here have become invalid.
    if (this.#logins.read(this.#url).tokens?.access_token !== this.#used) return;
    this.#logins.update(this.#url, { tokens: undefined });
  }
}

/** The addresses that a client is registered to come back to; none where it was not registered by a login. */
const redirectsOf = (client: StoredOAuthClientInformation | undefined): string[] =>
  client !== undefined && 'redirect_uris' in client ? client.redirect_uris : [];

/** How long after a renewal a refusal is taken for one of the login before it, in milliseconds. */
const justRenewedMs = 5000;

/** The login of a worker at a server: it renews what has run out, and asks nobody. */
export class WorkerLogin implements AuthProvider {
  readonly #url: string;
  readonly #logins: Logins;
  #sent: string | undefined;
  #renewing: Promise<void> | undefined;
  #renewedAt = 0;

  constructor(url: string, logins: Logins) {
    this.#url = url;
    this.#logins = logins;
  }

  async token(): Promise<string | undefined> {
    this.#sent = this.#logins.read(this.#url).tokens?.access_token;
    return this.#sent;
  }

  /** @throws `LoginNeeded` */
  async onUnauthorized({ response }: Parameters<NonNullable<AuthProvider['onUnauthorized']>>[0]): Promise<void> {
    const { tokens } = this.#logins.read(this.#url);
    if (tokens === undefined) throw new LoginNeeded(this.#url);
    // Another process has renewed it meanwhile, or another call, which may have sent the new one already.
    if (tokens.access_token !== this.#sent || Date.now() - this.#renewedAt < justRenewedMs) return;
    this.#renewing ??= this.#renew(response).finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #renew(response: Response): Promise<void> {
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
    const [client] = Object.values(this.#logins.read(this.#url).clients ?? {});
    const [redirectUrl = 'http://127.0.0.1/callback'] = redirectsOf(client);
    const provider = new LoginProvider(this.#url, this.#logins, redirectUrl, () => this.#giveUp(), true);
    // Not by the transport's own fetch, whose headers are for the server alone and may hold keys.
    await auth(provider, {
      serverUrl: this.#url,
      ...(resourceMetadataUrl && { resourceMetadataUrl }),
      ...(scope !== undefined && { scope }),
    });
    this.#renewedAt = Date.now();
  }

  /** Ends a renewal after which the SDK would have the person log in. */
  #giveUp(): never {
    const { tokens } = this.#logins.read(this.#url);
    // The next try may renew it. If a run waited for a login that is there, it would try again at once, and again.
    if (tokens?.refresh_token !== undefined) {
      throw new Error(`the login could not be renewed; try ${loginCommand(this.#url)}`);
    }
    this.#logins.update(this.#url, { tokens: undefined });
    throw new LoginNeeded(this.#url);
  }
}

interface ClientCredentials {
  /** The authorization server. */
  issuer: string;
  client_id: string;
  scope?: string | undefined;
}

/**
 * The login of a worker by a secret of its own, without a person.
 *
 * @param onToken is told each token that comes
 */
export function machineLogin(
  url: string,
  { client_id: clientId, issuer: expectedIssuer, scope }: ClientCredentials,
  clientSecret: string,
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
      const asked = extractWWWAuthenticateParams(response);
      await auth(provider, {
        serverUrl: url,
        ...(asked.resourceMetadataUrl && { resourceMetadataUrl: asked.resourceMetadataUrl }),
        ...((scope ?? asked.scope) !== undefined && { scope: scope ?? asked.scope }),
      });
      const token = provider.tokens()?.access_token;
      if (token !== undefined) onToken(token);
    },
  };
}
