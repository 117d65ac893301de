/** Takes out known secrets and whatever looks like one. */
export function redact(text: string, secrets: string[]): string {
  const known = secrets.filter((secret) => secret.length >= 4);
  const withoutKnown = known.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text);
  return withoutKnown
    .replace(/\bBearer\s+[\w.~+/=-]+/gi, 'Bearer [redacted]')
    .replace(/\b(?:sk|pk|rk|xai|gsk|ghp|github_pat)[-_][\w*.-]{6,}/g, '[redacted]')
    .replace(/\bAIza[\w-]{10,}/g, '[redacted]')
    .replace(/([?&](?:api_?)?key=)[^&\s"']+/gi, '$1[redacted]');
}
