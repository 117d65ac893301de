import type { SearchPlace } from '../../../protocol/search.ts';

/** @returns undefined if none of the searches failed */
export function failedSearches(search: SearchPlace, all: number, failed: number): string | undefined {
  if (failed === 0) return undefined;
  return `Of ${all} ${all === 1 ? 'search' : 'searches'} ${failed} failed: ${placeOf(search)} ${failed}.`;
}

function placeOf({ folder, provider }: SearchPlace): string {
  if (provider !== 'folder') return provider;
  return folder === undefined ? "Reprise's own documentation" : 'the folder';
}
