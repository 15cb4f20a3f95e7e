import { Callable, Moment, Namespace, Span, typeName, expressionFault, type Value } from './value.js';

function text(value: Value | undefined): string {
  if (typeof value !== 'string') throw expressionFault(`cannot use ${typeName(value ?? null)} as string`);
  return value;
}

const SPANS: readonly (readonly [string, bigint])[] = [
  ['Nanosecond', 1n],
  ['Microsecond', 1000n],
  ['Millisecond', 1_000_000n],
  ['Second', 1_000_000_000n],
  ['Minute', 60_000_000_000n],
  ['Hour', 3_600_000_000_000n],
];

/** `time` of Argo CD's expressions. */
export function timeNamespace(now: Date): Namespace {
  return new Namespace(
    new Map<string, Value>([
      ['Parse', new Callable(([value]) => Moment.parse(text(value)))],
      ['Now', new Callable(() => new Moment(BigInt(now.getTime()) * 1_000_000n))],
      ...SPANS.map(([name, nanoseconds]) => [name, new Span(nanoseconds)] as const),
    ]),
  );
}

/** `strings` of Argo CD's expressions. */
export const STRINGS_NAMESPACE = new Namespace(
  new Map<string, Value>([
    ['ReplaceAll', new Callable(([value, old, now]) => text(value).replaceAll(text(old), () => text(now)))],
    ['ToUpper', new Callable(([value]) => text(value).toUpperCase())],
    ['ToLower', new Callable(([value]) => text(value).toLowerCase())],
  ]),
);

/** What `repo` of Argo CD's expressions gives without asking the repository. */
export const REPO_NAMESPACE = new Namespace(
  new Map<string, Value>([
    ['RepoURLToHTTPS', new Callable(([value]) => `https://${hostAndPath(text(value))}`)],
    [
      'FullNameByRepoURL',
      new Callable(([value]) =>
        hostAndPath(text(value))
          .replace(/\.git$/, '')
          .split('/')
          .slice(1)
          .filter((part) => part !== '')
          .slice(0, 2)
          .join('/'),
      ),
    ],
    ['QueryEscape', new Callable(([value]) => encodeURIComponent(text(value)).replaceAll('%20', '+'))],
  ]),
);

/** Of `https://user@host/path`, `ssh://git@host/path` and `git@host:path` alike. */
function hostAndPath(url: string): string {
  const short = /^(?:[^@/]+@)?([^/:]+):(?!\/\/)(.*)$/.exec(url);
  if (short !== null) return `${short[1] ?? ''}/${(short[2] ?? '').replace(/^\//, '')}`;
  return url.replace(/^[a-z+]+:\/\//, '').replace(/^[^@/]*@/, '');
}
