const LARGE = 100_000;
const letters = 'a b c d e f g h i j k l m n o p'.split(' ');
const laughs = (line: (name: string, before: string) => string): string =>
  letters.map((name, index) => line(name, letters[index - 1] ?? '')).join('\n');
const lines = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n');
export const nested = (count: number, open: string, close: string): string => open.repeat(count) + close.repeat(count);

/** Texts made to take a reader's time, memory or stack; `refused` where they must be. */
export const BOMBS: readonly (readonly [string, string, ('refused' | 'read')?])[] = [
  [
    'lists of aliases',
    laughs((name, before) => `${name}: &${name} [${before === '' ? 'lol' : `*${before},`.repeat(9)}]`),
    'refused',
  ],
  [
    'mappings of aliases',
    laughs((name, before) => `${name}: &${name} {${before === '' ? 'x: lol' : lines(9, (i) => `k${i}: *${before},`)}}`),
    'refused',
  ],
  [
    'block lists of aliases',
    laughs((name, before) => `${name}: &${name}\n${before === '' ? '- lol' : `- *${before}\n`.repeat(9)}`),
    'refused',
  ],
  [
    'merges of merges',
    laughs(
      (name, before) =>
        `${name}: &${name}\n  k${name}: 1\n` +
        (before === '' ? '' : `  x: *${before}\n  y: *${before}\n  <<: *${before}\n`),
    ),
  ],
  [
    'lists of merges',
    laughs((name, before) => `${name}: &${name} {${before === '' ? 'x: 1' : `<<: [${`*${before},`.repeat(50)}]`}}`),
  ],
  ['a chain of merges', lines(1500, (i) => `m${i}: &m${i} {${i === 0 ? '' : `<<: *m${i - 1}, `}k${i}: 1}`), 'refused'],
  ['a chain of wrapped aliases', lines(1500, (i) => `m${i}: &m${i} [${i === 0 ? '1' : `*m${i - 1}`}]`), 'refused'],
  [
    'an alias of a large list, many times',
    `a: &a [${'1,'.repeat(10_000)}]\n${lines(10_000, (i) => `k${i}: *a`)}`,
    'refused',
  ],
  [
    'an alias of a large text, many times',
    `a: &a ${'x'.repeat(100_000)}\n${lines(30_000, () => '- *a').replace('- *a', 'b:\n- *a')}`,
  ],
  ['an anchor inside itself', 'a: &a [*a]', 'refused'],
  ['an anchor deep inside itself', `a: &a ${'['.repeat(500)}*a${']'.repeat(500)}`, 'refused'],
  ['anchors inside each other', 'a: &a {b: &b {c: *a, d: *b}}', 'refused'],
  ['20,000 open lists', nested(20_000, '[', ']'), 'refused'],
  ['20,000 lists never closed', '['.repeat(20_000), 'refused'],
  ['20,000 open mappings', `${'{a: '.repeat(20_000)}1${'}'.repeat(20_000)}`, 'refused'],
  ['mappings never closed', '{a: '.repeat(100_000), 'refused'],
  ['20,000 block lists on a line', `${'- '.repeat(20_000)}a`, 'refused'],
  ['a staircase of block mappings', lines(2000, (i) => `${' '.repeat(i)}a:`), 'refused'],
  ['20,000 explicit keys on a line', `${'? '.repeat(20_000)}a`, 'refused'],
  ['lists as keys of lists', `${'? - '.repeat(10_000)}a`, 'refused'],
  ['flow keys that are flow keys', nested(5000, '{', '}: 1'), 'refused'],
  ['very many brackets in a plain scalar', `a: x${'[{'.repeat(LARGE)}`, 'read'],
  ['very many blanks in double quotes', `a: "${' '.repeat(LARGE)}\n${' '.repeat(LARGE)}x"`, 'read'],
  ['very many empty lines in quotes', `a: "x${'\n'.repeat(LARGE)}y"`, 'read'],
  ['very many empty lines in a plain scalar', `a: x${'\n'.repeat(LARGE)}  y`, 'read'],
  ['blank lines after each of many scalars', `- x\n${'\n'.repeat(100)}`.repeat(5_000), 'read'],
  ['very many empty lines in a literal', `a: |\n${'\n'.repeat(LARGE)}  x\n`, 'read'],
  ['a literal of very many lines', `a: |\n${'  x\n'.repeat(LARGE)}`, 'read'],
  ['a folded text of very many lines', `a: >\n${'  x\n'.repeat(LARGE)}`, 'read'],
  ['very many escapes', `a: "${'\\n'.repeat(LARGE)}"`, 'read'],
  ['very many quotes', `a: '${"''".repeat(LARGE)}'`, 'read'],
  ['a quote never closed', `a: "${'x '.repeat(LARGE)}`, 'refused'],
  ['very many digits', `a: ${'1'.repeat(LARGE)}`, 'read'],
  ['very many hexadecimal digits', `a: 0x${'f'.repeat(LARGE)}`, 'read'],
  ['very many digits and underscores', `a: ${'1_'.repeat(LARGE)}`, 'read'],
  ['a date of very many digits', `a: 2001-01-01T00:00:00.${'1'.repeat(LARGE)}`, 'read'],
  ['base 60 without end', `a: ${'1:'.repeat(LARGE)}x`, 'read'],
  ['very many colons', `a: ${':'.repeat(LARGE)}`],
  ['30,000 documents', '---\n'.repeat(100_000), 'read'],
  ['30,000 repeated keys', 'a: 1\n'.repeat(100_000), 'read'],
  ['30,000 anchors', lines(30_000, (i) => `- &a${i} x`), 'read'],
  ['30,000 tags', '- !!str x\n'.repeat(100_000), 'read'],
  ['a tag of very many characters', `a: !${'x'.repeat(LARGE)} y`, 'read'],
  ['a comment of very many characters', `#${'#'.repeat(LARGE)}\na: 1`, 'read'],
  ['very many commas', `[${','.repeat(LARGE)}]`, 'refused'],
  ['a binary text that is not base64', `a: !!binary ${'A'.repeat(LARGE + 1)}`, 'refused'],
  ['base64 without end', `a: !!binary ${'AAAA'.repeat(LARGE)}`, 'read'],
];
