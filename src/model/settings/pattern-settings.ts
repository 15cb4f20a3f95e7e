import { readFillRules, type FillRule } from './fill-rule.js';
import { text, texts, isObject, type Json } from '../json/index.js';
import { invalid, type SettingKeys } from './setting-keys.js';

/** What the administrator decides about images that syncs wait for, hooks, credentials and notebooks. */
export interface PatternSettings {
  /** How long an image may be awaited, in milliseconds, where the object does not say. */
  readonly imageTimeout: number;
  /** Registries that may be asked whether they have an image; patterns of hosts. */
  readonly imageRegistries: readonly string[];
  /** What happens where a hook may not do what its command does. */
  readonly hookPermissions: 'warn' | 'refuse' | 'off';
  /** Which fields of objects may be copied into Secrets that ask for them. */
  readonly fillRules: readonly FillRule[];
  /** The one image that notebooks run in; undefined where each may choose. */
  readonly notebookImage: NotebookImage | undefined;
  /** What becomes of a notebook whose pod is only simulated: it waits, or it passes without having been executed. */
  readonly simulatedNotebooks: 'hold' | 'pass';
}

/** `check` says where a notebook names another one, `set` runs it in this one. */
export interface NotebookImage {
  readonly image: string;
  readonly mode: 'check' | 'set';
  /** Patterns of namespaces that it does not count in. */
  readonly exemptNamespaces: readonly string[];
}

const IMAGE_TIMEOUT = 'argosy.image-timeout';
const IMAGE_REGISTRIES = 'argosy.image-registries';

const HOOK_PERMISSIONS = 'argosy.hook-permissions';

const FILL_FROM = 'argosy.fill-from';
const NOTEBOOK_IMAGE = 'argosy.notebooks.image';
const SIMULATED_NOTEBOOKS = 'argosy.simulated-notebooks';

export const PATTERN_KEYS: readonly string[] = [
  IMAGE_TIMEOUT,
  IMAGE_REGISTRIES,
  HOOK_PERMISSIONS,
  FILL_FROM,
  NOTEBOOK_IMAGE,
  SIMULATED_NOTEBOOKS,
];

/** Public ones: an address that stands in git must not make us ask within the network. */
const PUBLIC_REGISTRIES = [
  'docker.io',
  'ghcr.io',
  'quay.io',
  'gcr.io',
  '*.gcr.io',
  '*.pkg.dev',
  'registry.k8s.io',
  'public.ecr.aws',
  'mcr.microsoft.com',
  'registry.gitlab.com',
  'registry.redhat.io',
  'registry.access.redhat.com',
  'nvcr.io',
];

export function readPatterns(keys: SettingKeys): PatternSettings {
  const registries = keys.list(IMAGE_REGISTRIES);
  return {
    imageTimeout: keys.milliseconds(IMAGE_TIMEOUT, 3_600_000) || 3_600_000,
    imageRegistries: registries.length === 0 ? PUBLIC_REGISTRIES : registries,
    hookPermissions: keys.choice(HOOK_PERMISSIONS, ['warn', 'refuse', 'off'], 'warn'),
    fillRules: keys.yaml(FILL_FROM, readFillRules) ?? [],
    notebookImage: keys.yaml(NOTEBOOK_IMAGE, readNotebookImage),
    simulatedNotebooks: keys.choice(SIMULATED_NOTEBOOKS, ['hold', 'pass'], 'hold'),
  };
}

function readNotebookImage(value: Json): NotebookImage | undefined {
  if (value === null) return undefined;
  if (!isObject(value)) throw invalid('must be an object with image and mode');
  const [image, mode] = [text(value, 'image', NOTEBOOK_IMAGE), text(value, 'mode', NOTEBOOK_IMAGE) || 'check'];
  if (image === '' || /\s/.test(image)) throw invalid('image must name an image');
  if (mode !== 'check' && mode !== 'set') throw invalid(`mode ${JSON.stringify(mode)} is unknown: choose check, set`);
  return { image, mode, exemptNamespaces: texts(value, 'exemptNamespaces', NOTEBOOK_IMAGE) };
}
