/** The largest file that is read, in bytes. */
export const maxFileBytes = 20_000_000;

/** The largest image that providers take, in bytes. */
export const maxImageBytes = 5_000_000;

/** What reading one file may take. */
export const readingLimits = { what: 'reading it', timeoutMs: 60_000, memoryMb: 1024 };

/** The most attachments of one run. */
export const maxFiles = 20;

/** A number with separators: `12,345`. */
export const grouped = (count: number): string => count.toLocaleString('en-US');
