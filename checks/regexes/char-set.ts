/** Characters as ranges of code points: sorted, apart from each other, both ends included. */
export type CharSet = readonly (readonly [low: number, high: number])[];

export const LAST = 0x10ffff;
export const ALL: CharSet = [[0, LAST]];
export const DIGITS: CharSet = [[48, 57]];
export const WORD: CharSet = [
  [48, 57],
  [65, 90],
  [95, 95],
  [97, 122],
];
export const LINE_ENDS: CharSet = [
  [10, 10],
  [13, 13],
  [0x2028, 0x2029],
];
export const SPACES: CharSet = [
  [9, 13],
  [32, 32],
  [160, 160],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];

export function union(...sets: readonly CharSet[]): CharSet {
  const merged: [number, number][] = [];
  for (const [low, high] of sets.flat().sort((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last !== undefined && low <= last[1] + 1) last[1] = Math.max(last[1], high);
    else merged.push([low, high]);
  }
  return merged;
}

export function without(set: CharSet): CharSet {
  const rest: [number, number][] = [];
  let next = 0;
  for (const [low, high] of set) {
    if (low > next) rest.push([next, low - 1]);
    next = high + 1;
  }
  if (next <= LAST) rest.push([next, LAST]);
  return rest;
}

export function has(set: CharSet, code: number): boolean {
  return set.some(([low, high]) => low <= code && code <= high);
}

/**
 * The set with both cases of its letters. Letters that are not Latin are taken as they are where there are very many.
 */
export function bothCases(set: CharSet): CharSet {
  const added: [number, number][] = [];
  for (const [low, high] of set) {
    for (let code = low; code <= Math.min(high, low + 2_000); code++) {
      const letter = String.fromCodePoint(code);
      for (const other of [letter.toLowerCase(), letter.toUpperCase()]) {
        const [first = letter] = other;
        if (first.length === other.length) added.push([first.codePointAt(0) ?? code, first.codePointAt(0) ?? code]);
      }
    }
  }
  return union(set, added);
}

const properties = new Map<string, CharSet>();

/** The characters of a Unicode property such as `L` or `Script=Greek`, asked of the engine itself. */
export function ofProperty(name: string): CharSet {
  const known = properties.get(name);
  if (known !== undefined) return known;
  const pattern = new RegExp(`^\\p{${name}}$`, 'u');
  const found: [number, number][] = [];
  for (let code = 0; code <= LAST; code++) {
    if (!pattern.test(String.fromCodePoint(code))) continue;
    const last = found.at(-1);
    if (last?.[1] === code - 1) last[1] = code;
    else found.push([code, code]);
  }
  properties.set(name, found);
  return found;
}

/** Divides all characters into the groups that none of the sets tells apart; each group by one of its members. */
export function groupsOf(sets: readonly CharSet[]): readonly number[] {
  const cuts = new Set([0]);
  for (const [low, high] of sets.flat()) cuts.add(low).add(high + 1);
  const groups = new Map<string, number>();
  for (const code of cuts) {
    if (code > LAST) continue;
    const key = sets.map((set) => (has(set, code) ? '1' : '0')).join('');
    // A letter, a digit or a blank shows better than a control character.
    if (!groups.has(key)) groups.set(key, printableMember(code, sets, key));
  }
  return [...groups.values()];
}

function printableMember(code: number, sets: readonly CharSet[], key: string): number {
  for (const better of [97, 49, 32]) {
    if (sets.every((set, index) => has(set, better) === (key[index] === '1'))) return better;
  }
  return code;
}
