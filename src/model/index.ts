/**
 * model: the nouns that every room speaks, and their parsers. Objects, keys, schemas, selectors, quantities, durations,
 * patches, YAML and JSON text, faults.
 * Takes text and plain values, gives plain values or a Fault that says where the text is wrong.
 * Never does I/O, never reads the clock, never keeps state.
 */
export { type Json, type JsonArray, type JsonObject, own, put, drop, isObject, isArray, clone, equal } from './json.js';
export { objectIn, parseJson, writeJson, findDuplicateKeys } from './json-text.js';
export { MAX_DEPTH } from './depth.js';
export { readYaml, readOneYaml, type ReadYamlOptions, type YamlDocument } from './yaml/read-yaml.js';
export { resolvePlain, type YamlDialect } from './yaml/resolve.js';
export { isBlank, isBreak, type DuplicateKey } from './yaml/reader.js';
export { doubleQuoted, plainScalar, singleQuoted, type ScalarCursor } from './yaml/scalar-text.js';
export { writeYaml } from './yaml/write-yaml.js';
export {
  type KubeObject,
  type ObjectMeta,
  type OwnerReference,
  type ManagedFieldsEntry,
  type GroupVersionKind,
  type Key,
  splitApiVersion,
  joinApiVersion,
  gvkOf,
  keyOf,
  keyText,
} from './object.js';
export { type Schema, type CelRule, type GoFacts } from './schema.js';
export { Fault, FAULTS, type FaultCode } from './fault.js';
export {
  type PathElement,
  type FieldPath,
  fieldElement,
  keyElement,
  elementText,
  parseElement,
  compareElements,
  pathText,
} from './path-element.js';
export { FieldSet, type FieldNode, parseFieldsV1, writeFieldsV1 } from './managed-fields.js';
export { formatFloat, type FloatVerb } from './go-fmt/float.js';
export { isPrintable } from './go-fmt/printable.js';
export { canBackquote, quoteBytes, quoteRune } from './go-fmt/quote.js';
export { lowerRune, titleRune, upperRune } from './go-fmt/rune-case.js';
export { countRunes, decodeRune, encodeRune, isAscii, isValidRune, MAX_RUNE, RUNE_ERROR } from './go-fmt/utf8.js';
export { formatFloatVerb, formatInteger, formatString, newDirective, pad, type Directive } from './go-fmt/verbs.js';
export { printf, type PrintfArguments } from './go-fmt/printf.js';
export { compareText, quoteGo, quoteGoTime, formatGoFloat, formatGoNumber, formatGoValue } from './go-format.js';
export {
  type LabelSelector,
  type LabelRequirement,
  type LabelOperator,
  EVERYTHING,
  NOTHING,
  parseLabelSelector,
  labelSelectorOf,
  labelSelectorFromMap,
  matchesLabels,
  labelSelectorText,
} from './selector.js';
export {
  type FieldSelector,
  type FieldRequirement,
  parseFieldSelector,
  matchesFields,
  fieldSelectorText,
  exactFieldValue,
} from './field-selector.js';
export {
  type Quantity,
  ZERO_QUANTITY,
  parseQuantity,
  quantityText,
  canonicalQuantity,
  compareQuantities,
  addQuantities,
  subtractQuantities,
  negateQuantity,
  isZeroQuantity,
  quantityToNumber,
  quantityValue,
  quantityOf,
} from './quantity.js';
export { parseDuration, formatDuration, humanDuration, shortHumanDuration } from './duration.js';
export { type CivilTime, civilTime, unixTime } from './calendar.js';
export {
  type Instant,
  parseTime,
  parseMicroTime,
  formatTime,
  formatMicroTime,
  instantOf,
  millisecondsOf,
  isZeroTime,
} from './time.js';
export {
  checkDns1123Label,
  checkDns1123Subdomain,
  checkDns1035Label,
  checkWildcardDns1123Subdomain,
  checkPathSegmentName,
  checkObjectName,
  checkQualifiedName,
  checkLabelKey,
  checkLabelValue,
  checkAnnotationKey,
  checkFinalizerName,
  checkEnvName,
  checkConfigMapKey,
  checkCIdentifier,
  checkPercent,
  checkHttpHeaderName,
  checkPortName,
  checkPortNumber,
  annotationsSize,
  ANNOTATIONS_SIZE_LIMIT,
  utf8Length,
} from './names.js';
export { PatchFault, type PatchProblem } from './patch-fault.js';
export { parsePointer, formatPointer, getPointer } from './json-pointer.js';
export {
  type JsonPatch,
  parseJsonPatch,
  applyJsonPatch,
  unknownJsonPatchFields,
  MAX_JSON_PATCH_OPERATIONS,
} from './json-patch.js';
export { applyMergePatch, createMergePatch } from './merge-patch.js';
export { applyStrategicMergePatch } from './strategic-merge-patch.js';
export { type Health, type HealthStatus, HEALTH_STATUSES, isHealthStatus, worseHealth } from './health.js';
export { type HookType, HOOK_TYPES, HOOK_ANNOTATION, HOOK_FINALIZER, hookTypes, isHook, isSkipped } from './hook.js';
export { matchesGlob } from './glob.js';
export { PathPattern } from './path-pattern.js';
export { normalizeUrl } from './repository-url.js';
export { addressOfLink, isHarmlessLink } from './link.js';
export { type Tree, type TreeNode, type TreeFile, type TreeFolder, type TreeLink, type TreeSubmodule } from './tree.js';
export { type Semver, parseSemver, semverText, compareSemver } from './semver.js';
export { type SemverRange, parseSemverRange, satisfies, objectionsTo } from './semver-range.js';
export {
  type ApplicationSource,
  type HelmSettings,
  type KustomizeSettings,
  type DirectorySettings,
  type JsonnetVariable,
  parseApplicationSource,
} from './application-source.js';
export {
  type Application,
  type Destination,
  type Automated,
  type SyncPolicy,
  type IgnoreRule,
  type Deployment,
  type SyncStatus,
  parseApplication,
  readIgnoreRule,
} from './application.js';
export {
  type ApplicationId,
  hasManySources,
  idOf,
  isAutomated,
  isDeliveredHere,
  listAt,
  objectAt,
  projectOf,
  qualifiedName,
  serverOf,
  sourcesOf,
  textAt,
  textsAt,
  valueAt,
} from './application-facts.js';
export {
  type Acceptance,
  type Deviation,
  DEVIATIONS,
  acceptedDeviations,
  readAcceptance,
  shownDeviations,
} from './accepted-deviation.js';
export {
  type Operation,
  type OperationPhase,
  type OperationState,
  type SyncRequest,
  type ResourceChoice,
  type ResourceResult,
  type ResultCode,
  type SyncPhase,
  SYNC_PHASES,
  isCompleted,
  readOperation,
  readOperationState,
} from './operation.js';
export { type RetryPolicy } from './retry-policy.js';
export {
  type AppProject,
  type DestinationRule,
  type KindRule,
  type SyncWindow,
  type DestinationServiceAccount,
  type SignaturePolicy,
  DEFAULT_PROJECT_SPEC,
  parseAppProject,
  mergeGlobalProjects,
} from './app-project.js';
export {
  type ClusterDestination,
  type PlacedKind,
  objectionToSource,
  objectionToDestination,
  objectionToObject,
  objectionToNamespace,
  serviceAccountFor,
  isIgnoredOrphan,
} from './project-objections.js';
export { type FillRule } from './fill-rule.js';
export { type ApplicationSetSettings } from './application-set-settings.js';
export { type NotebookImage } from './pattern-settings.js';
export { type Improvements, IMPROVEMENTS, NO_IMPROVEMENTS, IMPROVEMENT_KEYS } from './improvements.js';
export { fnv1a } from './fnv.js';
export { webSocketProblem } from './web-socket.js';
export { readPgpKey, type PgpKey } from './pgp-key.js';
export {
  type Settings,
  type SettingsSources,
  type TrackingMethod,
  type ShardingAlgorithm,
  type GlobalProject,
  type RbacSettings,
  type SelfHealSettings,
  readSettings,
  SETTING_VARIABLES,
} from './settings.js';
export { type SettingProblem } from './setting-keys.js';
export { type Customizations, type CompareOptions, type KnownTypeField } from './resource-customizations.js';
export { type ResourceFilter, type ResourceRule, type Exclusion, exclusionOf, isExcluded } from './resource-filter.js';
export {
  type ClusterFacts,
  type ClusterRecord,
  clusterSecretName,
  readClusterFacts,
  readClusterSecret,
  readClusterSecrets,
  shownAnnotations,
} from './cluster-secret.js';
export {
  type RevisionSignature,
  type SignatureVerdict,
  type SignatureDemand,
  signatureDemand,
  signatureObjection,
} from './signature-policy.js';
export { type FleetRow, type FleetAnswer, type FleetCounts } from './api/fleet.js';
export {
  type Explanation,
  type TriageAnswer,
  type ToldCause,
  type ToldFix,
  type ToldPatch,
  type WavesAnswer,
  type ToldWave,
  type ToldTask,
} from './api/insight.js';
export { type DriftAnswer, type DriftedResource, type DriftedField } from './api/drift.js';
export { type RenderedAnswer, type ValuesAnswer, type ToldValue } from './api/rendered.js';
export { type HealthTrial, type HealthVerdict, type HealthFinding } from './api/health-trial.js';
