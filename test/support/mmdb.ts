/** A control byte and what follows it, of a type of MaxMind's format below 8. */
function typed(type: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([(type << 5) | content.length]), content]);
}

const encodeText = (value: string): Buffer => typed(2, Buffer.from(value));
const uint16 = (value: number): Buffer => typed(5, Buffer.from([value >> 8, value & 255]));
const uint32 = (value: number): Buffer => typed(6, Buffer.from([0, 0, value >> 8, value & 255]));
/** Types from 8 on are in a second byte. */
const emptyArray = Buffer.from([0, 11 - 7]);
const uint64 = (value: number): Buffer => Buffer.from([1, 9 - 7, value]);

function map(entries: Record<string, Buffer>): Buffer {
  const pairs = Object.entries(entries);
  const content = pairs.flatMap(([key, value]) => [encodeText(key), value]);
  return Buffer.concat([Buffer.from([(7 << 5) | pairs.length]), ...content]);
}

/** A database with the country of a single network, given by its first three numbers; by default in MaxMind's shape. */
export function countryDatabase(
  network: [number, number, number],
  country: string,
  shape: 'country' | 'country_code' | 'broken' = 'country',
): Buffer {
  const bits = network.flatMap((part) => [...part.toString(2).padStart(8, '0')].map(Number));
  const nodes = bits.length;
  // A record is the next node, or the number of nodes for "unknown", or (beyond it and a gap of 16) an offset in the data.
  const records = bits.flatMap((bit, index) => {
    const next = index === nodes - 1 ? nodes + 16 : index + 1;
    return bit === 0 ? [next, nodes] : [nodes, next];
  });
  const tree = Buffer.concat(records.map((record) => Buffer.from([0, record >> 8, record & 255])));
  const metadata = map({
    node_count: uint32(nodes),
    record_size: uint16(24),
    ip_version: uint16(4),
    database_type: encodeText('Test-Country'),
    languages: emptyArray,
    binary_format_major_version: uint16(2),
    binary_format_minor_version: uint16(0),
    build_epoch: uint64(1),
    description: map({}),
  });
  const rows = {
    country: map({ country: map({ iso_code: encodeText(country) }) }),
    country_code: map({ country_code: encodeText(country) }),
    // A type that does not exist.
    broken: Buffer.from([0, 255]),
  };
  const data = rows[shape];
  const marker = Buffer.concat([Buffer.from([0xab, 0xcd, 0xef]), Buffer.from('MaxMind.com')]);
  return Buffer.concat([tree, Buffer.alloc(16), data, marker, metadata]);
}
