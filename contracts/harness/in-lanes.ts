/** Does this for each, so many at the same time. */
export async function inLanes<T>(lanes: number, all: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
  const rest = all[Symbol.iterator]();
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (let next = rest.next(); next.done !== true; next = rest.next()) await act(next.value);
    }),
  );
}
