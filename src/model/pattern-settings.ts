import { readFillRules, type FillRule } from './fill-rule.js';
import type { SettingKeys } from './setting-keys.js';

/** What the administrator decides about images that syncs wait for, hooks and credentials. */
export interface PatternSettings {
  /** How long an image may be awaited, in milliseconds, where the object does not say. */
  readonly imageTimeout: number;
  /** Registries that may be asked whether they have an image; patterns of hosts. */
  readonly imageRegistries: readonly string[];
  /** What happens where a hook may not do what its command does. */
  readonly hookPermissions: 'warn' | 'refuse' | 'off';
  /** Which fields of objects may be copied into Secrets that ask for them. */
  readonly fillRules: readonly FillRule[];
}

const IMAGE_TIMEOUT = 'argosy.image-timeout';
const IMAGE_REGISTRIES = 'argosy.image-registries';

const HOOK_PERMISSIONS = 'argosy.hook-permissions';

const FILL_FROM = 'argosy.fill-from';

export const PATTERN_KEYS: readonly string[] = [IMAGE_TIMEOUT, IMAGE_REGISTRIES, HOOK_PERMISSIONS, FILL_FROM];

/** Public ones: an address that stands in git must not make us ask within the network. */
const PUBLIC_REGISTRIES = [
  'docker.io', 'ghcr.io', 'quay.io', 'gcr.io', '*.gcr.io', '*.pkg.dev', 'registry.k8s.io', 'public.ecr.aws', 'mcr.microsoft.com', 'registry.gitlab.com', 'registry.redhat.io', 'registry.access.redhat.com', 'nvcr.io',
];

export function readPatterns(keys: SettingKeys): PatternSettings {
  const registries = keys.list(IMAGE_REGISTRIES);
  return {
    imageTimeout: keys.milliseconds(IMAGE_TIMEOUT, 3_600_000) || 3_600_000,
    imageRegistries: registries.length === 0 ? PUBLIC_REGISTRIES : registries,
    hookPermissions: keys.choice(HOOK_PERMISSIONS, ['warn', 'refuse', 'off'], 'warn'),
    fillRules: keys.yaml(FILL_FROM, readFillRules) ?? [],
  };
}
