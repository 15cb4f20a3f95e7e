import { closestWord } from './closest-word.js';

export interface GroupKind {
  readonly group: string;
  readonly kind: string;
  /** Name of the resource in URLs, where known. */
  readonly plural?: string;
  /** Part of Kubernetes itself; strangers may have a kind of the same name. */
  readonly isBuiltIn?: true;
}

export interface KeyError {
  readonly message: string;
  readonly hint: string;
}

/** A settings key: what it is for, and what is wrong with it. */
export interface OverrideKey {
  readonly type: string;
  readonly group: string;
  readonly kind: string;
  readonly problem?: KeyError;
}

const PREFIX = 'resource.customizations';
export const OVERRIDE_TYPES = [
  'health',
  'useOpenLibs',
  'actions',
  'ignoreDifferences',
  'ignoreResourceUpdates',
  'knownTypeFields',
];
const NEAR_PREFIX = /^resources?[._-]customi[sz]ations?\b/i;
const VERSION = /^v\d+((alpha|beta)\d+)?$/;
const ALL_LOST = 'so Argo CD refuses all customisations, not only this one';
const NEVER_RUNS = 'so this entry never applies to anything';

/** Reads one key of argocd-cm; nothing for keys about other things. */
export function readOverrideKey(key: string, known: readonly GroupKind[]): OverrideKey | undefined {
  if (key === PREFIX) return undefined;
  if (!key.startsWith(`${PREFIX}.`)) return nearPrefix(key);
  const [, , type = '', ...rest] = key.split('.');
  const suffix = rest.join('.');
  if (!OVERRIDE_TYPES.includes(type)) return { type, group: '', kind: '', problem: wrongType(type, suffix) };
  if (suffix === '')
    return {
      type,
      group: '',
      kind: '',
      problem: {
        message: `\`${key}\` names no kind, ${NEVER_RUNS}.`,
        hint: `write \`${PREFIX}.${type}.<group>_<Kind>\``,
      },
    };
  return readSuffix(type, suffix, known);
}

function nearPrefix(key: string): OverrideKey | undefined {
  if (!NEAR_PREFIX.test(key)) return undefined;
  const fixed = key.replace(NEAR_PREFIX, PREFIX);
  return {
    type: '',
    group: '',
    kind: '',
    problem: {
      message: `Argo CD reads keys that start with \`${PREFIX}.\` and ignores \`${key}\`, ${NEVER_RUNS}.`,
      hint: `rename it to \`${fixed}\``,
    },
  };
}

function wrongType(type: string, suffix: string): KeyError {
  const close = closestWord(type, OVERRIDE_TYPES);
  const message =
    `\`${type}\` is no type of customisation, ${ALL_LOST} ("resource customization type ${type} not ` + 'supported").';
  if (close !== undefined) return { message, hint: `write \`${PREFIX}.${close}.${suffix}\`` };
  return {
    message,
    hint: `name the type first: \`${PREFIX}.health.${[type, suffix].filter((part) => part !== '').join('.')}\``,
  };
}

function readSuffix(type: string, suffix: string, known: readonly GroupKind[]): OverrideKey {
  const name = (group: string, kind: string): string => `${PREFIX}.${type}.${group === '' ? kind : `${group}_${kind}`}`;
  const broken = (message: string, hint: string): OverrideKey => ({
    type,
    group: '',
    kind: '',
    problem: { message, hint },
  });
  if (suffix === 'all') return { type, group: '*', kind: '*' };
  if (suffix.includes('*')) {
    return broken(
      `A ConfigMap key cannot hold \`*\`, so the API server refuses the ConfigMap with \`${suffix}\`.`,
      `put wildcards into the one key \`${PREFIX}\`: \`"${suffix.replace('_', '/')}": { health.lua: | ... }\``,
    );
  }
  if (suffix.includes('/')) {
    const [group, kind] = [suffix.slice(0, suffix.lastIndexOf('/')), suffix.slice(suffix.lastIndexOf('/') + 1)];
    return broken(
      `A ConfigMap key cannot hold \`/\`, so the API server refuses the ConfigMap with \`${suffix}\`.`,
      `write \`${name(group.split('/')[0] ?? '', kind)}\``,
    );
  }
  const parts = suffix.split('_');
  if (parts.length > 2) {
    const kept = parts.filter((part) => !VERSION.test(part));
    return broken(
      `\`${suffix}\` has more than one \`_\`, ${ALL_LOST}.`,
      `write \`${name(kept.slice(0, -1).join('.'), kept.at(-1) ?? '')}\`: group, one \`_\`, kind, no version`,
    );
  }
  const [group, kind] = parts.length === 2 ? [parts[0] ?? '', parts[1] ?? ''] : ['', suffix];
  const problem = checkGroupKind({ group, kind, hasSeparator: parts.length === 2 }, known, name);
  return problem === undefined ? { type, group, kind } : { type, group, kind, problem };
}

interface Written {
  readonly group: string;
  readonly kind: string;
  readonly hasSeparator: boolean;
}

/** What is wrong with a group and kind as somebody wrote them. */
export function checkGroupKind(
  { group, kind, hasSeparator }: Written,
  known: readonly GroupKind[],
  name: (group: string, kind: string) => string,
): KeyError | undefined {
  const written = hasSeparator ? `${group}_${kind}` : kind;
  if (kind === '')
    return { message: `\`${written}\` names no kind, ${NEVER_RUNS}.`, hint: `write \`${name(group, '<Kind>')}\`` };
  if (group === '' && hasSeparator)
    return {
      message: `\`${written}\` starts with \`_\`, ${NEVER_RUNS}; a kind of the core group stands alone.`,
      hint: `write \`${name('', kind)}\``,
    };
  if (group === 'core' || VERSION.test(group))
    return {
      message: `The core group has no name, but \`${written}\` gives it one, ${NEVER_RUNS}.`,
      hint: `write \`${name('', kind)}\``,
    };
  const last = group.split('.').at(-1) ?? '';
  if (VERSION.test(last))
    return {
      message: `\`${group}\` holds a version, ${NEVER_RUNS}; a check is for all versions.`,
      hint: `write \`${name(group.slice(0, -last.length - 1), kind)}\``,
    };
  if (!hasSeparator && kind.includes('.')) return dotted(kind, known, name);
  return checkKind(group, kind, known, name);
}

/** A group and kind joined by a dot, or the name of a CRD. */
function dotted(text: string, known: readonly GroupKind[], name: (group: string, kind: string) => string): KeyError {
  const message = `Without \`_\`, \`${text}\` is read as the name of a kind of the core group, ${NEVER_RUNS}.`;
  const byPlural = known.find((entry) => entry.plural !== undefined && `${entry.plural}.${entry.group}` === text);
  const parts = text.split('.');
  const at = parts.findIndex((part) => /^[A-Z]/.test(part));
  if (byPlural !== undefined) return { message, hint: `write \`${name(byPlural.group, byPlural.kind)}\`` };
  if (at < 0) return { message, hint: `write \`${name('<group>', '<Kind>')}\`` };
  return {
    message,
    hint: `write \`${name([...parts.slice(0, at), ...parts.slice(at + 1)].join('.'), parts[at] ?? '')}\``,
  };
}

function checkKind(
  group: string,
  kind: string,
  known: readonly GroupKind[],
  name: (group: string, kind: string) => string,
): KeyError | undefined {
  if (known.some((entry) => entry.group === group && entry.kind === kind)) return undefined;
  const inGroup = known.filter((entry) => entry.group === group);
  const meant =
    inGroup.find((entry) => isSameKind(entry, kind)) ??
    (group === '' ? known.find((entry) => isSameKind(entry, kind) && entry.kind !== kind) : undefined);
  if (meant !== undefined)
    return {
      message: `There is no kind \`${kind}\`${group === '' ? '' : ` in ${group}`}, ${NEVER_RUNS}.`,
      hint: `write \`${name(meant.group, meant.kind)}\``,
    };
  if (/^[a-z]/.test(kind))
    return {
      message: `Kinds start with a capital, so \`${kind}\` matches nothing and this entry never applies.`,
      hint:
        `write the kind as the object's \`kind\` field has it: ` +
        `\`${name(group, kind.charAt(0).toUpperCase() + kind.slice(1))}\``,
    };
  const elsewhere = known.filter((entry) => entry.kind === kind);
  const isStranger = group !== '' && inGroup.length === 0 && elsewhere.every((entry) => entry.isBuiltIn === true);
  if (elsewhere.length === 0 || isStranger) return undefined;
  const groups = elsewhere.map((entry) => entry.group);
  const close = closestWord(group, groups) ?? groups[0] ?? '';
  return {
    message:
      `\`${kind}\` belongs to ` +
      `${groups.map((entry) => (entry === '' ? 'the core group' : entry)).join(' or ')}, not to ` +
      `${group === '' ? 'the core group' : group}, ${NEVER_RUNS}.`,
    hint: `write \`${name(close, kind)}\``,
  };
}

function isSameKind(entry: GroupKind, written: string): boolean {
  const [a, b] = [entry.kind.toLowerCase(), written.toLowerCase()];
  return a === b || entry.plural === b || `${a}s` === b || `${a}es` === b || `${a.replace(/y$/, '')}ies` === b;
}
