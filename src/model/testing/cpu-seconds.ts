/** Work done, not time passed: a busy machine does not matter. */
export function cpuSecondsOf<Result>(act: () => Result): { readonly result: Result; readonly seconds: number } {
  const start = process.cpuUsage();
  const result = act();
  const { user, system } = process.cpuUsage(start);
  return { result, seconds: (user + system) / 1e6 };
}
