import { ask, resultsIn, spent, type Search, type Service } from './provider.ts';

const service: Service = {
  provider: 'tavily',
  addressVariable: 'TAVILY_BASE_URL',
  hints: {
    400: 'it does not take this query',
    401: 'check TAVILY_API_KEY',
    403: 'check TAVILY_API_KEY',
    429: 'too many searches at once',
    432: spent,
    433: spent,
  },
};

/** Searches with Tavily. @param baseUrl absent: Tavily's own address */
export function searchTavily(key: string, baseUrl = 'https://api.tavily.com'): Search {
  return async (query, wanted, signal) => {
    const request = {
      url: `${baseUrl.replace(/\/+$/, '')}/search`,
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      // It accepts no longer query.
      body: JSON.stringify({ query: query.slice(0, 400).toWellFormed(), max_results: wanted }),
    };
    return { found: resultsIn(await ask(service, request, signal), service) };
  };
}
