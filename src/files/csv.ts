import { parse } from 'csv-parse/sync';

/**
 * Reads what stands between delimiters, the first row like any other. Rows may be of any length; empty ones are left out.
 *
 * @param most reads no more records; absent: all
 */
export function recordsOf(
  text: string,
  delimiter: string,
  most = -1,
): { records: string[][]; note?: string } {
  const options = {
    delimiter,
    trim: true,
    to: most,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
  };
  try {
    return { records: parse(text, options) };
  } catch (error) {
    const { lines = 0 } = error as { lines?: number };
    const note = `its quotation marks do not match up to line ${lines}, and are read as plain characters`;
    return { records: parse(text, { ...options, quote: false }), note };
  }
}
