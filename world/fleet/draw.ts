/**
 * A number from 0 up to 1 that depends on the seed and the words alone. So what is chosen for one application does not
 * change with the size of the fleet, nor with what was chosen before.
 */
export function draw(seed: number, ...words: readonly string[]): number {
  // FNV-1a over the words, then the mixer of MurmurHash3 so that near words give far numbers.
  let state = (0x811c9dc5 ^ seed) >>> 0;
  for (const character of words.join('\0'))
    state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return ((state ^ (state >>> 16)) >>> 0) / 2 ** 32;
}

export function drawOne<Item>(items: readonly [Item, ...Item[]], seed: number, ...words: readonly string[]): Item {
  return items[Math.floor(draw(seed, ...words) * items.length)] ?? items[0];
}
