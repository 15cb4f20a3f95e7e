const POLYNOMIAL = 0x82f63b78; // Castagnoli, bit-reversed

/** Eight tables of 256: table k advances a byte that lies k bytes before the end of an eight-byte step. */
const TABLES = buildTables();

function buildTables(): Int32Array {
  const tables = new Int32Array(8 * 256);
  for (let byte = 0; byte < 256; byte++) {
    let value = byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1;
    tables[byte] = value;
  }
  for (let index = 256; index < tables.length; index++) {
    const before = tables[index - 256] ?? 0;
    tables[index] = (before >>> 8) ^ (tables[before & 255] ?? 0);
  }
  return tables;
}

/**
 * CRC-32C of `bytes[start, end)`, as an unsigned integer. `seed` is the checksum of what came before, so that
 * checksums can be chained: crc32c(ab) = crc32c(b, crc32c(a)).
 */
export function crc32c(bytes: Uint8Array, start = 0, end = bytes.length, seed = 0): number {
  const t = TABLES;
  let crc = ~seed;
  let at = start;
  // Eight bytes a step: about five times as fast as one. Indexes are in range by construction, hence the assertions.
  /* eslint-disable @typescript-eslint/no-non-null-assertion */
  for (const last = end - 7; at < last; at += 8) {
    crc ^= bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    crc =
      t[1792 + (crc & 255)]! ^
      t[1536 + ((crc >>> 8) & 255)]! ^
      t[1280 + ((crc >>> 16) & 255)]! ^
      t[1024 + (crc >>> 24)]! ^
      t[768 + bytes[at + 4]!]! ^
      t[512 + bytes[at + 5]!]! ^
      t[256 + bytes[at + 6]!]! ^
      t[bytes[at + 7]!]!;
  }
  for (; at < end; at++) crc = (crc >>> 8) ^ t[(crc ^ bytes[at]!) & 255]!;
  /* eslint-enable @typescript-eslint/no-non-null-assertion */
  return ~crc >>> 0;
}
