/** One pattern for texts that mean the same: a line of a rule for each. The flags are those of the first. */
export function anyOf(first: RegExp, ...others: readonly RegExp[]): RegExp {
  return new RegExp([first, ...others].map(({ source }) => source).join('|'), first.flags);
}
