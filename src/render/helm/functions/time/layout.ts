/** A piece of a Go time layout: text that stays, or an element such as `2006` or `Jan`. */
export interface Piece {
  /** Text before the element. */
  readonly prefix: string;
  /** The element as written; empty at the end. */
  readonly element: string;
}

/** Elements by what they start with; the longest that fits wins. The order within a line is that in which Go tries. */
const ELEMENTS: Readonly<Record<string, readonly string[]>> = {
  J: ['January', 'Jan'],
  M: ['Monday', 'Mon', 'MST'],
  0: ['01', '02', '03', '04', '05', '06', '002'],
  1: ['15', '1'],
  2: ['2006', '2'],
  _: ['_2', '__2'],
  3: ['3'],
  4: ['4'],
  5: ['5'],
  P: ['PM'],
  p: ['pm'],
  '-': ['-070000', '-07:00:00', '-0700', '-07:00', '-07'],
  Z: ['Z070000', 'Z07:00:00', 'Z0700', 'Z07:00', 'Z07'],
};
const FRACTION = /^[.,](0+|9+)(?!\d)/;

/** Cuts a layout into pieces; the last has no element and may be empty. */
export function piecesOf(layout: string): Piece[] {
  const pieces: Piece[] = [];
  let start = 0;
  for (let at = 0; at < layout.length; ) {
    const element = elementAt(layout, at);
    if (element === '') {
      at++;
      continue;
    }
    // `_2006` is an underscore and a year.
    const from = element === '_2' && layout.startsWith('_2006', at) ? at + 1 : at;
    const found = from === at ? element : '2006';
    pieces.push({ prefix: layout.slice(start, from), element: found });
    at = from + found.length;
    start = at;
  }
  return [...pieces, { prefix: layout.slice(start), element: '' }];
}

function elementAt(layout: string, at: number): string {
  const first = layout.charAt(at);
  if (first === '.' || first === ',') return FRACTION.exec(layout.slice(at))?.[0] ?? '';
  const candidates = Object.hasOwn(ELEMENTS, first) ? (ELEMENTS[first] ?? []) : [];
  return candidates.find((element) => layout.startsWith(element, at) && !isWord(layout, at, element)) ?? '';
}

/** `Jan` and `Mon` are names only where no small letter follows. */
function isWord(layout: string, at: number, element: string): boolean {
  return (element === 'Jan' || element === 'Mon') && /^[a-z]$/.test(layout.charAt(at + 3));
}
