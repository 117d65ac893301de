/** What Parquet itself does not say of a column: in which unit its durations are, and in which zone its times were written. */
export interface ArrowColumn {
  duration?: string;
  zone?: string;
}

/** Types of a field, and units by their numbers (Schema.fbs of Apache Arrow). */
const types = { timestamp: 10, duration: 18 };
const units = ['seconds', 'milliseconds', 'microseconds', 'nanoseconds'];

/** The columns of the schema that programs built on Apache Arrow put beside that of Parquet. None if it cannot be read. */
export function arrowColumns(schema = ''): Map<string, ArrowColumn> {
  try {
    return columnsIn(Buffer.from(schema, 'base64'));
  } catch {
    return new Map();
  }
}

/** Reads the message of a schema, in which tables and lists are found by how far away they are (FlatBuffers). */
function columnsIn(bytes: Buffer): Map<string, ArrowColumn> {
  const found = new Map<string, ArrowColumn>();
  if (bytes.length === 0) return found;
  const follow = (at: number): number => at + bytes.readInt32LE(at);
  /** Where a field of a table is; 0 if it is not written. */
  const field = (table: number, number: number): number => {
    const places = table - bytes.readInt32LE(table);
    const place = 4 + number * 2 < bytes.readUInt16LE(places) ? bytes.readUInt16LE(places + 4 + number * 2) : 0;
    return place === 0 ? 0 : table + place;
  };
  const text = (at: number): string => {
    const start = follow(at);
    return bytes.toString('utf8', start + 4, start + 4 + bytes.readUInt32LE(start));
  };
  const message = follow(bytes.readUInt32LE(0) === 0xffff_ffff ? 8 : 4);
  const fields = follow(field(follow(field(message, 2)), 1));
  for (let index = 0; index < bytes.readUInt32LE(fields); index++) {
    const column = follow(fields + 4 + index * 4);
    const [name, type, of] = [field(column, 0), field(column, 2), field(column, 3)];
    if (name === 0 || type === 0 || of === 0) continue;
    const unit = field(follow(of), 0);
    const zone = field(follow(of), 1);
    if (bytes[type] === types.duration)
      found.set(text(name), { duration: units[unit === 0 ? 1 : bytes.readUInt16LE(unit)] ?? '' });
    if (bytes[type] === types.timestamp && zone !== 0) found.set(text(name), { zone: text(zone) });
  }
  return found;
}
