import type { KubeObject } from '../../model/kubernetes/index.js';

export const SYNC_OPTIONS = 'argocd.argoproj.io/sync-options';

export function annotationOf(object: KubeObject | undefined, name: string): string | undefined {
  const { annotations } = object?.metadata ?? {};
  if (annotations === undefined || !Object.hasOwn(annotations, name)) return undefined;
  const value: unknown = annotations[name];
  return typeof value === 'string' ? value : undefined;
}

/** The words of an annotation that is a list with commas. */
export function wordsOf(object: KubeObject | undefined, name: string): string[] {
  return (annotationOf(object, name) ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

export function hasOption(object: KubeObject | undefined, option: string): boolean {
  return wordsOf(object, SYNC_OPTIONS).includes(option);
}

/** The value of `Prune=confirm` and the like: the object's own, else that of the application. */
export function optionValue(
  object: KubeObject | undefined,
  options: readonly string[],
  name: string,
): string | undefined {
  const find = (words: readonly string[]): string | undefined =>
    words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1);
  return find(wordsOf(object, SYNC_OPTIONS)) ?? find(options);
}

/** As Go reads whole numbers: an optional sign and digits, nothing else. */
export function wholeNumber(text: string | undefined): number | undefined {
  if (text === undefined || !/^[-+]?\d+$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : undefined;
}
