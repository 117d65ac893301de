import type { Client, RequestOptions, Tool as McpTool } from '@modelcontextprotocol/client';

/** How long a list is used at least where its server says nothing of changes, in milliseconds. */
const shortestMs = 10_000;

const listingMs = 20_000;

/**
 * A server's tools as it listed them last. They are asked for again when the server has told that they changed, or when
 * the time that it gives them is over and it does not tell of changes (specification 2026-07-28: `ttlMs`).
 */
export class ToolList {
  #tools: McpTool[] = [];
  #isStale = true;
  #freshUntil = 0;
  #listing: Promise<McpTool[]> | undefined;
  #hears = false;

  forget(): void {
    this.#isStale = true;
  }

  /** The tools as they are now. Calls at the same time share one request. */
  async current(client: Client): Promise<McpTool[]> {
    if (!this.#isStale && performance.now() < this.#freshUntil) return this.#tools;
    this.#listing ??= this.refresh(client, { timeout: listingMs }).finally(() => {
      this.#listing = undefined;
    });
    return this.#listing;
  }

  async refresh(client: Client, options: RequestOptions): Promise<McpTool[]> {
    await this.#listen(client);
    // Before the request, so that a change that is told of while it runs is not lost.
    this.#isStale = false;
    try {
      const listed = await client.listTools(undefined, { ...options, cacheMode: 'refresh' });
      // Those that run only as tasks have no result to wait for.
      this.#tools = listed.tools.filter(({ execution }) => execution?.taskSupport !== 'required');
      const { ttlMs = 0 } = listed as { ttlMs?: number };
      const isTold = client.getProtocolEra() === 'legacy' || this.#hears;
      this.#freshUntil = isTold ? Infinity : performance.now() + Math.max(ttlMs, shortestMs);
      return this.#tools;
    } catch (error) {
      this.#isStale = true;
      throw error;
    }
  }

  /** Hears of changes again where the stream of a server of the newer generation has ended. */
  async #listen(client: Client): Promise<void> {
    if (this.#hears || client.getProtocolEra() !== 'modern' || !client.getServerCapabilities()?.tools?.listChanged) {
      return;
    }
    try {
      const subscription = client.autoOpenedSubscription ?? (await client.listen({ toolsListChanged: true }));
      void this.#follow(subscription.closed);
    } catch {
      // A server need not offer it; then the time that it gives its list counts.
    }
  }

  async #follow(closed: Promise<unknown>): Promise<void> {
    this.#hears = true;
    await closed;
    this.#hears = false;
    this.forget();
  }
}
