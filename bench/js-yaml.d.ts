/** js-yaml carries no types; these are the two functions measured. */
declare module 'js-yaml' {
  export function dump(value: unknown, options: { sortKeys: boolean }): string;
  export function loadAll(text: string): unknown[];
}
