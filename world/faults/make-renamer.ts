import { draw } from '../fleet/index.js';
import { COMPONENTS, SERVICES } from './injection/names.js';
import { PLAIN } from './injection/plain-applications.js';

/** Words of the platform that a world may be told without; those that are also words of Kubernetes stay. */
const WORDS = [
  ...new Set([
    'ameide',
    'brook',
    ...COMPONENTS.filter((name) => name !== 'certificates'),
    ...SERVICES,
    ...Object.keys(PLAIN),
  ]),
].sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
const PATTERN = new RegExp(
  `(?<![A-Za-z0-9])(?:${WORDS.join('|')})(?![a-z0-9])|(?<![A-Za-z0-9])ameideio(?![a-z0-9])`,
  'g',
);
const BEGINNINGS = [
  'b',
  'd',
  'f',
  'g',
  'k',
  'l',
  'm',
  'n',
  'p',
  'r',
  's',
  't',
  'v',
  'z',
  'br',
  'dr',
  'gr',
  'kl',
  'pr',
  'st',
  'tr',
];
const SOUNDS = ['a', 'e', 'i', 'o', 'u', 'ai', 'ei', 'ou'];

/** A word that means nothing, of three syllables. */
function madeUp(seed: number, word: string, round: number): string {
  return [0, 1, 2]
    .map((part) => {
      const one = (list: readonly string[], what: string): string =>
        list[Math.floor(draw(seed, word, String(round), String(part), what) * list.length)] ?? 'a';
      return one(BEGINNINGS, 'b') + one(SOUNDS, 's');
    })
    .join('');
}

/** Other names for everything that the platform named, by the seed; the same seed gives the same. */
export function makeRenamer(seed: number): (text: string) => string {
  const names = new Map<string, string>();
  for (const word of WORDS) {
    let round = 0;
    while ([...names.values()].includes(madeUp(seed, word, round))) round++;
    names.set(word, madeUp(seed, word, round));
  }
  names.set('ameideio', `${names.get('ameide') ?? ''}io`);
  return (text) => text.replace(PATTERN, (word) => names.get(word) ?? word);
}
