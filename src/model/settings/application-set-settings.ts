import type { SettingKeys } from './setting-keys.js';

/** What the administrator decides about ApplicationSets. */
export interface ApplicationSetSettings {
  /** Where sets count, besides the namespace of the control plane; patterns. */
  readonly namespaces: readonly string[];
  /** What a set does to its Applications; undefined where each set says so itself. */
  readonly policy: string | undefined;
  readonly preservedAnnotations: readonly string[];
  readonly preservedLabels: readonly string[];
  /** How `git.files` reads its patterns. */
  readonly filePatterns: 'pathspec' | 'doublestar';
  readonly maxResources: number;
}

const POLICIES = ['', 'sync', 'create-only', 'create-update', 'create-delete'];

export function readApplicationSetSettings(keys: SettingKeys): ApplicationSetSettings {
  const policy = keys.choice('applicationsetcontroller.policy', POLICIES, '');
  return {
    namespaces: keys.list('applicationsetcontroller.namespaces'),
    policy: policy === '' || keys.flag('applicationsetcontroller.enable.policy.override', false) ? undefined : policy,
    preservedAnnotations: keys.list('applicationsetcontroller.global.preserved.annotations'),
    preservedLabels: keys.list('applicationsetcontroller.global.preserved.labels'),
    filePatterns: keys.flag('applicationsetcontroller.enable.new.git.file.globbing', false) ? 'doublestar' : 'pathspec',
    maxResources: keys.whole('applicationsetcontroller.status.max.resources.count', 5000),
  };
}
