/** What differs between two servers and two runs, by name. */
export type Names = Readonly<Record<string, string>>;

const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g, 'TIME'],
  [/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? [+-]\d{4} \w+( m=\S+)?/g, 'TIME'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, 'UUID'],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, 'TOKEN'],
  [/\$2[aby]\$\S+/g, 'HASH'],
  [/\b1[6-9]\d{8}\b/g, 'SECONDS'],
  [/("?resourceVersion"?: )"?\d+"?/g, '$1N'],
  [/(Duration:\s+)\S+/g, '$1SPAN'],
  [/\((now|\d+ \w+ ago)\)/g, '(AGE)'],
  // Of the ReplicaSets of a Deployment.
  [/\b(web)-[0-9a-z]{8,10}\b/g, '$1-HASH'],
  [/(resourceVersion\s+)\d+/g, '$1N'],
  [/ \d+[smh] /g, ' AGE '],
  [/v1\.34\.4\+argosy/g, 'v1.34.4'],
];

/** How far a sync or a wait has come is printed as often as something changes: only its end is compared. */
const PROGRESS = /^(TIME\s|TIMESTAMP\s+GROUP)/;

/** Right after an operation the state is the one before or the one after it, by chance. */
const STATES: readonly (readonly [RegExp, string])[] = [
  [/^(Sync|Health) Status: .*$/gm, '$1 Status: STATE'],
  [/ (Synced|OutOfSync|Unknown|Succeeded|Running)( (Healthy|Missing|Progressing|Degraded))? /g, ' STATE '],
];

export function maskStates(text: string): string {
  return STATES.reduce((masked, [pattern, by]) => masked.replaceAll(pattern, by), text);
}

/** What one command said, so that it can be compared: columns are separated by one blank. */
export function mask(text: string, names: Names): string {
  let masked = text.replaceAll('\r', '');
  const known = Object.entries(names).toSorted(([, a], [, b]) => b.length - a.length);
  for (const [name, value] of known) if (value !== '') masked = masked.replaceAll(value, `$${name}`);
  for (const [pattern, by] of PATTERNS) masked = masked.replaceAll(pattern, by);
  return masked
    .split('\n')
    .map((line) => line.replaceAll(/\s+/g, ' ').trimEnd())
    .filter((line) => !PROGRESS.test(line))
    .join('\n')
    .replaceAll(/\n{2,}/g, '\n')
    .trim();
}
