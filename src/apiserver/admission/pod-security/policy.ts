import { invalidField, type FieldError } from '../../errors/index.js';
import { BASELINE } from './baseline.js';
import type { PodParts, Violation } from './check.js';
import { RESTRICTED } from './restricted.js';

const LEVELS = ['privileged', 'baseline', 'restricted'] as const;
type Level = (typeof LEVELS)[number];

export interface LevelVersion {
  readonly level: Level;
  /** `latest` or `v1.x`. */
  readonly version: string;
}

export interface Policy {
  readonly enforce: LevelVersion;
  readonly warn: LevelVersion;
  readonly errors: readonly FieldError[];
}

const LABEL = 'pod-security.kubernetes.io/';
const LATEST = 'latest';

/** The policy that a namespace's labels ask for. Labels that cannot be read enforce the strictest level. */
export function policyOf(labels: Readonly<Record<string, string>> = {}): Policy {
  const errors: FieldError[] = [];
  const labelled = (name: string): string | undefined =>
    Object.hasOwn(labels, LABEL + name) ? labels[LABEL + name] : undefined;
  const level = (mode: string, otherwise: Level): Level | undefined => {
    const asked = labelled(mode);
    if (asked === undefined || LEVELS.some((each) => each === asked)) return asked as Level | undefined;
    errors.push(
      invalidField(`metadata.labels[${LABEL}${mode}]`, asked, 'must be one of privileged, baseline, restricted'),
    );
    return otherwise;
  };
  const version = (mode: string): string | undefined => {
    const asked = labelled(`${mode}-version`);
    if (asked === undefined || asked === LATEST || /^v1\.(\d|[1-9]\d*)$/.test(asked)) return asked;
    errors.push(invalidField(`metadata.labels[${LABEL}${mode}-version]`, asked, 'must be "latest" or "v1.x"'));
    return LATEST;
  };
  const enforce = { level: level('enforce', 'restricted') ?? 'privileged', version: version('enforce') ?? LATEST };
  const readable = errors.length === 0 || LEVELS.some((each) => each === labelled('enforce'));
  level('audit', 'privileged');
  version('audit');
  const [warnLevel, warnVersion] = [level('warn', 'privileged'), version('warn')];
  // A namespace that enforces also warns about Deployments and the like, whose pods would be refused later.
  const follows =
    warnLevel === undefined && labelled('enforce') !== undefined && readable && stricter(enforce.level, 'privileged');
  const warn = follows
    ? { level: enforce.level, version: warnVersion ?? enforce.version }
    : { level: warnLevel ?? 'privileged', version: warnVersion ?? LATEST };
  return { enforce, warn, errors };
}

export function stricter(a: Level, b: Level): boolean {
  return LEVELS.indexOf(a) > LEVELS.indexOf(b);
}

export function policyText({ level, version }: LevelVersion): string {
  return `${level}:${version}`;
}

/** Everything that a pod has against a policy. */
export function violations({ level, version }: LevelVersion, pod: PodParts): Violation[] {
  if (level === 'privileged') return [];
  const minor = version === LATEST ? Number.MAX_SAFE_INTEGER : Number(version.slice('v1.'.length));
  const strict = level === 'restricted' ? RESTRICTED.filter(({ since }) => since <= minor) : [];
  const replaced = new Set(strict.map(({ replaces }) => replaces));
  const checks = [...BASELINE.filter(({ id, since }) => since <= minor && !replaced.has(id)), ...strict];
  return checks.flatMap((check) => check.test(pod, minor) ?? []);
}

/** `allowPrivilegeEscalation != false (container "a" must ...), ...` */
export function violationsText(found: readonly Violation[]): string {
  return found.map(({ reason, detail }) => (detail === '' ? reason : `${reason} (${detail})`)).join(', ');
}
