/** The largest file that is read, in bytes. */
export const maxFileBytes = 20_000_000;

/**
 * The largest image that all providers take, in bytes and in pixels of a side: Anthropic takes 5 MiB of base64
 * (https://platform.claude.com/docs/en/build-with-claude/vision).
 */
export const maxImageBytes = 3_900_000;
export const maxImageSide = 8000;

/** What reading one file may take. */
export const readingLimits = { what: 'reading it', timeoutMs: 60_000, memoryMb: 1024 };
export const maxFiles = 20;

/** A number with separators: `12,345`. */
export const grouped = (count: number): string => count.toLocaleString('en-US');
