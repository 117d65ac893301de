/** A part of an address without its percent signs; as it stands if these are wrong. */
export function decodedPart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
