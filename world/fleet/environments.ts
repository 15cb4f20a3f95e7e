/** One of the places where the same components run, with a node pool of its own. */
export interface Environment {
  /** First part of the names of its Applications. */
  readonly name: string;
  readonly namespace: string;
  /** Label of its nodes. */
  readonly pool: string;
  readonly imageTag: string;
}

const FIRST: readonly Environment[] = [
  { name: 'dev', namespace: 'ameide-dev', pool: 'dev', imageTag: 'dev' },
  { name: 'staging', namespace: 'ameide-staging', pool: 'staging', imageTag: 'main' },
  // Its name, its namespace and its pool are not spelled alike, as it happens to grown platforms.
  { name: 'production', namespace: 'ameide-prod', pool: 'prod', imageTag: 'main' },
];
const MORE = ['qa', 'demo', 'perf', 'sandbox', 'training'];

export function makeEnvironments(count: number): Environment[] {
  return Array.from({ length: count }, (_, index) => {
    const known = FIRST[index];
    if (known !== undefined) return known;
    const name = MORE[index - FIRST.length] ?? `env${index + 1}`;
    return { name, namespace: `ameide-${name}`, pool: name, imageTag: 'main' };
  });
}

export const POOL_LABEL = 'ameide.io/pool';
export const TAINT = 'ameide.io/environment';
