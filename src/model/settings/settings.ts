import { readApplicationSetSettings, type ApplicationSetSettings } from './application-set-settings.js';
import { text as fieldText, isArray, isObject, own } from '../json/index.js';
import { compareText } from '../go/index.js';
import { IMPROVEMENTS, IMPROVEMENT_KEYS, type Improvements } from './improvements.js';
import { PATTERN_KEYS, readPatterns, type PatternSettings } from './pattern-settings.js';
import { readCustomizations, type Customizations } from './resource-customizations.js';
import { readResourceFilter, type ResourceFilter } from './resource-filter.js';
import { labelSelectorOf, type LabelSelector } from '../kubernetes/index.js';
import { invalid, SettingKeys, type Environment, type InvalidSetting } from './setting-keys.js';

export type TrackingMethod = 'annotation' | 'annotation+label' | 'label';

/** How several controllers divide clusters among them. */
export type ShardingAlgorithm = 'legacy' | 'round-robin' | 'consistent-hashing';

/** A project whose rules count for every project that the selector fits. */
export interface GlobalProject {
  readonly name: string;
  readonly selector: LabelSelector;
}

export interface RbacSettings {
  /** All policies, one text. */
  readonly policy: string;
  readonly defaultRole: string;
  readonly scopes: readonly string[];
  readonly matchMode: 'glob' | 'regex';
}

/** How long self-healing waits after the heal before. All in milliseconds. */
export interface SelfHealSettings {
  /** Where there is no backoff. */
  readonly timeout: number;
  /** Undefined where every heal waits for the same time. */
  readonly backoff?: { readonly duration: number; readonly factor: number; readonly cap: number };
}

/** Everything that the ConfigMaps of the control plane decide. Durations are milliseconds. */
export interface Settings extends Customizations, PatternSettings {
  readonly trackingMethod: TrackingMethod;
  readonly instanceLabelKey: string;
  readonly installationID: string;
  readonly resourceFilter: ResourceFilter;
  readonly sensitiveAnnotations: readonly string[];
  readonly customLabels: readonly string[];
  readonly respectRBAC: 'off' | 'normal' | 'strict';
  /** Zero: never by the clock alone. */
  readonly reconciliation: { readonly period: number; readonly jitter: number; readonly hardPeriod: number };
  readonly isInClusterEnabled: boolean;
  /** Whether people may open a shell in containers, and which ones are tried. */
  readonly terminal: { readonly isEnabled: boolean; readonly shells: readonly string[] };
  /** Address of the web; empty where nobody said. */
  readonly url: string;
  readonly globalProjects: readonly GlobalProject[];
  readonly kustomize: {
    readonly isEnabled: boolean;
    readonly buildOptions: string;
    readonly buildOptionsByVersion: ReadonlyMap<string, string>;
  };
  readonly helm: { readonly isEnabled: boolean; readonly valuesFileSchemes: readonly string[] };
  readonly jsonnet: { readonly isEnabled: boolean };
  readonly impersonation: { readonly isEnabled: boolean; readonly isEnforced: boolean };
  readonly requiresOverrideForRevisions: boolean;
  readonly rbac: RbacSettings;
  readonly selfHeal: SelfHealSettings;
  /** Zero: a sync may take for ever. */
  readonly syncTimeout: number;
  /** Between waves, where `improvements.noWaveDelay` is off. */
  readonly waveDelay: number;
  /** How long `mlops.dev/block-wave` may hold a sync, in milliseconds; 0 for as long as it takes. */
  readonly gateTimeout: number;
  readonly repoErrorGracePeriod: number;
  readonly statusProcessors: number;
  readonly operationProcessors: number;
  readonly shardingAlgorithm: ShardingAlgorithm;
  /** Namespaces besides the control plane's own whose Applications count; patterns. */
  readonly applicationNamespaces: readonly string[];
  readonly applicationSets: ApplicationSetSettings;
  readonly persistsResourceHealth: boolean;
  readonly serverSideDiff: boolean;
  /** Whether repositories may have credentials to write with. */
  readonly isHydratorEnabled: boolean;
  readonly jqTimeout: number;
  readonly improvements: Improvements;
  /** `group/Kind`, or `Kind` of the core group: they hold and fail no wave until they were Ready once. */
  readonly ungatedKinds: readonly string[];
  readonly problems: readonly InvalidSetting[];
}

export interface SettingsSources {
  /** The data of argocd-cm. */
  readonly cm: ReadonlyMap<string, string>;
  /** The data of argocd-rbac-cm. */
  readonly rbac: ReadonlyMap<string, string>;
  /** The data of argocd-cmd-params-cm. */
  readonly cmdParams: ReadonlyMap<string, string>;
  readonly environment: Environment;
  readonly profile?: 'kubernetes' | 'openshift';
}

const UNGATED = 'argosy.ungated-kinds';
const GATE_TIMEOUT = 'argosy.gate-timeout';
const SHELLS = ['bash', 'sh', 'powershell', 'cmd'];
const WAVE_DELAY = 'controller.sync.wave.delay.seconds';
/**
 * A model server cannot be Ready before its first model was trained. Whoever needs what a build makes waits for the
 * image, not for the build.
 */
const UNGATED_KINDS = ['serving.kserve.io/InferenceService', 'build.openshift.io/BuildConfig'];

/** Where Argo CD's pods get these keys from; a variable wins. */
export const SETTING_VARIABLES: Readonly<Record<string, string>> = {
  'timeout.reconciliation': 'ARGOCD_RECONCILIATION_TIMEOUT',
  'timeout.reconciliation.jitter': 'ARGOCD_RECONCILIATION_JITTER',
  'timeout.hard.reconciliation': 'ARGOCD_HARD_RECONCILIATION_TIMEOUT',
  'controller.repo.error.grace.period.seconds': 'ARGOCD_REPO_ERROR_GRACE_PERIOD_SECONDS',
  'controller.status.processors': 'ARGOCD_APPLICATION_CONTROLLER_STATUS_PROCESSORS',
  'controller.operation.processors': 'ARGOCD_APPLICATION_CONTROLLER_OPERATION_PROCESSORS',
  'controller.self.heal.timeout.seconds': 'ARGOCD_APPLICATION_CONTROLLER_SELF_HEAL_TIMEOUT_SECONDS',
  'controller.self.heal.backoff.timeout.seconds': 'ARGOCD_APPLICATION_CONTROLLER_SELF_HEAL_BACKOFF_TIMEOUT_SECONDS',
  'controller.self.heal.backoff.factor': 'ARGOCD_APPLICATION_CONTROLLER_SELF_HEAL_BACKOFF_FACTOR',
  'controller.self.heal.backoff.cap.seconds': 'ARGOCD_APPLICATION_CONTROLLER_SELF_HEAL_BACKOFF_CAP_SECONDS',
  'controller.sync.timeout.seconds': 'ARGOCD_APPLICATION_CONTROLLER_SYNC_TIMEOUT',
  [WAVE_DELAY]: 'ARGOCD_SYNC_WAVE_DELAY',
  'controller.resource.health.persist': 'ARGOCD_APPLICATION_CONTROLLER_PERSIST_RESOURCE_HEALTH',
  'controller.diff.server.side': 'ARGOCD_APPLICATION_CONTROLLER_SERVER_SIDE_DIFF',
  'controller.ignore.normalizer.jq.timeout': 'ARGOCD_IGNORE_NORMALIZER_JQ_TIMEOUT',
  'application.namespaces': 'ARGOCD_APPLICATION_NAMESPACES',
  'hydrator.enabled': 'ARGOCD_HYDRATOR_ENABLED',
  'controller.sharding.algorithm': 'ARGOCD_CONTROLLER_SHARDING_ALGORITHM',
  ...Object.fromEntries(
    [...Object.values(IMPROVEMENT_KEYS), UNGATED, GATE_TIMEOUT, ...PATTERN_KEYS].map((key) => [
      key,
      key.toUpperCase().replace(/[.-]/g, '_'),
    ]),
  ),
};

/** Reads what is there; whatever is wrong has its default and a line in `problems`. */
export function readSettings({ cm, rbac, cmdParams, environment, profile = 'kubernetes' }: SettingsSources): Settings {
  const problems: InvalidSetting[] = [];
  const general = new SettingKeys(cm, problems, environment, SETTING_VARIABLES);
  const params = new SettingKeys(cmdParams, problems, environment, SETTING_VARIABLES);
  return {
    ...readCustomizations(general),
    ...readGeneral(general),
    resourceFilter: readResourceFilter(general, profile),
    rbac: readRbac(new SettingKeys(rbac, problems)),
    ...readController(params),
    ...readPatterns(params),
    applicationSets: readApplicationSetSettings(params),
    improvements: readImprovements(params),
    ungatedKinds: params.text(UNGATED) === '' && !cmdParams.has(UNGATED) ? UNGATED_KINDS : params.list(UNGATED),
    problems,
  };
}

function readGeneral(
  keys: SettingKeys,
): Omit<
  Settings,
  | keyof Customizations
  | keyof PatternSettings
  | keyof ReturnType<typeof readController>
  | 'resourceFilter'
  | 'rbac'
  | 'applicationSets'
  | 'improvements'
  | 'ungatedKinds'
  | 'problems'
> {
  return {
    trackingMethod: keys.choice(
      'application.resourceTrackingMethod',
      ['annotation', 'annotation+label', 'label'],
      'annotation',
    ),
    instanceLabelKey: keys.text('application.instanceLabelKey') || 'app.kubernetes.io/instance',
    installationID: keys.text('installationID'),
    terminal: {
      isEnabled: keys.flag('exec.enabled', false),
      shells: keys.text('exec.shells') === '' ? SHELLS : keys.list('exec.shells'),
    },
    sensitiveAnnotations: keys.list('resource.sensitive.mask.annotations'),
    customLabels: keys.list('resource.customLabels'),
    respectRBAC: keys.choice('resource.respectRBAC', ['normal', 'strict', 'off'], 'off'),
    reconciliation: {
      period: keys.milliseconds('timeout.reconciliation', 120_000),
      jitter: keys.milliseconds('timeout.reconciliation.jitter', 60_000),
      hardPeriod: keys.milliseconds('timeout.hard.reconciliation', 0),
    },
    isInClusterEnabled: keys.text('cluster.inClusterEnabled') !== 'false',
    url: keys.text('url'),
    globalProjects: readGlobalProjects(keys),
    kustomize: {
      isEnabled: keys.flag('kustomize.enable', true),
      buildOptions: keys.text('kustomize.buildOptions'),
      buildOptionsByVersion: new Map(
        [...keys.data]
          .filter(([key]) => key.startsWith(VERSION_OPTIONS))
          .map(([key, value]) => [key.slice(VERSION_OPTIONS.length), value]),
      ),
    },
    helm: {
      isEnabled: keys.flag('helm.enable', true),
      valuesFileSchemes: keys.data.has(SCHEMES) ? keys.list(SCHEMES) : ['https', 'http'],
    },
    jsonnet: { isEnabled: keys.flag('jsonnet.enable', true) },
    impersonation: {
      isEnabled: keys.flag('application.sync.impersonation.enabled', false),
      isEnforced: keys.flag('application.sync.impersonation.enforced', true),
    },
    requiresOverrideForRevisions: keys.flag('application.sync.requireOverridePrivilegeForRevisionSync', false),
  };
}

const VERSION_OPTIONS = 'kustomize.buildOptions.';
const SCHEMES = 'helm.valuesFileSchemes';

function readGlobalProjects(keys: SettingKeys): GlobalProject[] {
  const key = 'globalProjects';
  return (keys.yamlObjects(key) ?? []).flatMap((entry, index) =>
    keys.attempt<GlobalProject[]>(key, [], () => {
      const name = fieldText(entry, 'projectName', `entry ${index + 1}`);
      if (name === '') throw invalid(`entry ${index + 1} needs projectName`);
      const selector = own(entry, 'labelSelector');
      return [{ name, selector: labelSelectorOf(isObject(selector) ? selector : {}) }];
    }),
  );
}

function readRbac(keys: SettingKeys): RbacSettings {
  const overlays = [...keys.data.keys()].filter((key) => /^policy\..+\.csv$/.test(key)).sort(compareText);
  return {
    policy: ['policy.csv', ...overlays]
      .map((key) => keys.text(key))
      .filter((text) => text !== '')
      .join('\n'),
    defaultRole: keys.text('policy.default'),
    scopes: keys.yaml('scopes', (value) => {
      if (!isArray(value) || !value.every((each) => typeof each === 'string'))
        throw invalid('must be a list of claims, such as [groups, email]');
      return value;
    }) ?? ['groups'],
    matchMode: keys.choice('policy.matchMode', ['glob', 'regex'], 'glob'),
  };
}

function readController(
  keys: SettingKeys,
): Pick<
  Settings,
  | 'selfHeal'
  | 'syncTimeout'
  | 'waveDelay'
  | 'gateTimeout'
  | 'repoErrorGracePeriod'
  | 'statusProcessors'
  | 'operationProcessors'
  | 'shardingAlgorithm'
  | 'applicationNamespaces'
  | 'persistsResourceHealth'
  | 'serverSideDiff'
  | 'isHydratorEnabled'
  | 'jqTimeout'
> {
  const duration = keys.milliseconds('controller.self.heal.backoff.timeout.seconds', 2000);
  const backoff = {
    duration,
    factor: keys.whole('controller.self.heal.backoff.factor', 3),
    cap: keys.milliseconds('controller.self.heal.backoff.cap.seconds', 300_000),
  };
  return {
    selfHeal: {
      timeout: keys.milliseconds('controller.self.heal.timeout.seconds', 0),
      ...(duration === 0 ? {} : { backoff }),
    },
    syncTimeout: keys.milliseconds('controller.sync.timeout.seconds', 0),
    waveDelay: keys.milliseconds(WAVE_DELAY, 2000),
    gateTimeout: keys.milliseconds(GATE_TIMEOUT, 86_400_000),
    repoErrorGracePeriod: keys.milliseconds('controller.repo.error.grace.period.seconds', 180_000),
    statusProcessors: keys.whole('controller.status.processors', 20, 1),
    operationProcessors: keys.whole('controller.operation.processors', 10, 1),
    shardingAlgorithm: keys.choice(
      'controller.sharding.algorithm',
      ['legacy', 'round-robin', 'consistent-hashing'],
      'legacy',
    ),
    applicationNamespaces: keys.list('application.namespaces'),
    persistsResourceHealth: keys.flag('controller.resource.health.persist', false),
    serverSideDiff: keys.flag('controller.diff.server.side', false),
    isHydratorEnabled: keys.flag('hydrator.enabled', false),
    jqTimeout: keys.milliseconds('controller.ignore.normalizer.jq.timeout', 0) || 1000,
  };
}

function readImprovements(keys: SettingKeys): Improvements {
  const known = [...Object.values(IMPROVEMENT_KEYS), UNGATED, GATE_TIMEOUT, ...PATTERN_KEYS];
  for (const key of keys.data.keys())
    if (key.startsWith('argosy.') && !known.includes(key))
      keys.note(key, `there is no such setting: choose ${known.join(', ')}`);
  // Whoever sets a delay wants it.
  const otherwise: Improvements = { ...IMPROVEMENTS, noWaveDelay: keys.text(WAVE_DELAY) === '' };
  return {
    noWaveDelay: keys.flag(IMPROVEMENT_KEYS.noWaveDelay, otherwise.noWaveDelay),
    generationGates: keys.flag(IMPROVEMENT_KEYS.generationGates, otherwise.generationGates),
    applicationHealth: keys.flag(IMPROVEMENT_KEYS.applicationHealth, otherwise.applicationHealth),
    immutableDryRun: keys.flag(IMPROVEMENT_KEYS.immutableDryRun, otherwise.immutableDryRun),
    supersede: keys.flag(IMPROVEMENT_KEYS.supersede, otherwise.supersede),
    sayWhy: keys.flag(IMPROVEMENT_KEYS.sayWhy, otherwise.sayWhy),
    partialProgress: keys.flag(IMPROVEMENT_KEYS.partialProgress, otherwise.partialProgress),
    retryFailedRevision: keys.flag(IMPROVEMENT_KEYS.retryFailedRevision, otherwise.retryFailedRevision),
    deadlines: keys.flag(IMPROVEMENT_KEYS.deadlines, otherwise.deadlines),
    awaitImages: keys.flag(IMPROVEMENT_KEYS.awaitImages, otherwise.awaitImages),
    shardByApplication: keys.flag(IMPROVEMENT_KEYS.shardByApplication, otherwise.shardByApplication),
  };
}
