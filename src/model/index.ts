/**
 * model: the nouns that every room speaks, and their parsers. Objects, keys, schemas, selectors, quantities, durations,
 * patches, YAML and JSON text, faults.
 * Takes text and plain values, gives plain values or a Fault that says where the text is wrong.
 * Never does I/O, never reads the clock, never keeps state.
 */
export {
  type Json,
  type JsonArray,
  type JsonObject,
  own,
  put,
  drop,
  isObject,
  isArray,
  clone,
  equal,
} from './json/json.js';
export { objectIn, parseJson, writeJson, findDuplicateKeys } from './json/json-text.js';
export { MAX_DEPTH } from './json/depth.js';
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
} from './kubernetes/object.js';
export { type Schema, type CelRule, type GoFacts } from './kubernetes/schema.js';
export { Fault, FAULTS, type FaultCode } from './faults/fault.js';
export {
  type PathElement,
  type FieldPath,
  fieldElement,
  keyElement,
  elementText,
  parseElement,
  compareElements,
  pathText,
} from './kubernetes/path-element.js';
export { FieldSet, type FieldNode, parseFieldsV1, writeFieldsV1 } from './kubernetes/managed-fields.js';
export { formatFloat, type FloatVerb } from './go/float.js';
export { isPrintable } from './go/printable.js';
export { canBackquote, quoteBytes, quoteRune } from './go/quote.js';
export { lowerRune, titleRune, upperRune } from './go/rune-case.js';
export { countRunes, decodeRune, encodeRune, isAscii, isValidRune, MAX_RUNE, RUNE_ERROR } from './go/utf8.js';
export { formatFloatVerb, formatInteger, formatString, newDirective, pad, type Directive } from './go/verbs.js';
export { printf, type PrintfArguments } from './go/printf.js';
export { compareText, quoteGo, quoteGoTime, formatGoFloat, formatGoNumber, formatGoValue } from './go/go-format.js';
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
} from './kubernetes/selector.js';
export {
  type FieldSelector,
  type FieldRequirement,
  parseFieldSelector,
  matchesFields,
  fieldSelectorText,
  exactFieldValue,
} from './kubernetes/field-selector.js';
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
} from './kubernetes/quantity.js';
export { parseDuration, formatDuration, humanDuration, shortHumanDuration } from './formats/duration.js';
export { type CivilTime, civilTime, unixTime } from './formats/calendar.js';
export {
  type Instant,
  parseTime,
  parseMicroTime,
  formatTime,
  formatMicroTime,
  instantOf,
  millisecondsOf,
  isZeroTime,
} from './formats/time.js';
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
} from './kubernetes/names.js';
export { PatchFault, type PatchFaultReason } from './patch/patch-fault.js';
export { parsePointer, formatPointer, getPointer } from './json/json-pointer.js';
export {
  type JsonPatch,
  parseJsonPatch,
  applyJsonPatch,
  unknownJsonPatchFields,
  MAX_JSON_PATCH_OPERATIONS,
} from './patch/json-patch.js';
export { applyMergePatch, createMergePatch } from './patch/merge-patch.js';
export { applyStrategicMergePatch } from './patch/strategic-merge-patch.js';
export { type Health, type HealthStatus, HEALTH_STATUSES, isHealthStatus, worseHealth } from './argo/health.js';
export {
  type HookType,
  HOOK_TYPES,
  HOOK_ANNOTATION,
  HOOK_FINALIZER,
  hookTypes,
  isHook,
  isSkipped,
} from './argo/hook.js';
export { matchesGlob } from './formats/glob.js';
export { PathPattern } from './formats/path-pattern.js';
export { normalizeUrl } from './formats/repository-url.js';
export { addressOfLink, isHarmlessLink } from './formats/link.js';
export {
  type Tree,
  type TreeNode,
  type TreeFile,
  type TreeFolder,
  type TreeLink,
  type TreeSubmodule,
} from './formats/tree.js';
export { type Semver, parseSemver, semverText, compareSemver } from './formats/semver.js';
export { type SemverRange, parseSemverRange, satisfies, findRangeViolations } from './formats/semver-range.js';
export {
  type ApplicationSource,
  type HelmSettings,
  type KustomizeSettings,
  type DirectorySettings,
  type JsonnetVariable,
  parseApplicationSource,
} from './argo/application-source.js';
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
} from './argo/application.js';
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
} from './argo/application-facts.js';
export {
  type Acceptance,
  type Deviation,
  DEVIATIONS,
  acceptedDeviations,
  readAcceptance,
  currentDeviations,
} from './argo/accepted-deviation.js';
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
} from './argo/operation.js';
export { type RetryPolicy } from './argo/retry-policy.js';
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
} from './argo/app-project.js';
export {
  type ClusterDestination,
  type PlacedKind,
  findSourceViolation,
  findDestinationViolation,
  findObjectViolation,
  findNamespaceViolation,
  serviceAccountFor,
  isIgnoredOrphan,
} from './argo/project-violations.js';
export { type FillRule } from './settings/fill-rule.js';
export { type ApplicationSetSettings } from './settings/application-set-settings.js';
export { type NotebookImage } from './settings/pattern-settings.js';
export { type Improvements, IMPROVEMENTS, NO_IMPROVEMENTS, IMPROVEMENT_KEYS } from './settings/improvements.js';
export { fnv1a } from './formats/fnv.js';
export { webSocketHandshakeError } from './formats/web-socket.js';
export { readPgpKey, type PgpKey } from './formats/pgp-key.js';
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
} from './settings/settings.js';
export { type InvalidSetting } from './settings/setting-keys.js';
export { type Customizations, type CompareOptions, type KnownTypeField } from './settings/resource-customizations.js';
export {
  type ResourceFilter,
  type ResourceRule,
  type Exclusion,
  exclusionOf,
  isExcluded,
} from './settings/resource-filter.js';
export {
  type ClusterFacts,
  type ClusterRecord,
  clusterSecretName,
  readClusterFacts,
  readClusterSecret,
  readClusterSecrets,
  withoutLastApplied,
} from './argo/cluster-secret.js';
export {
  type RevisionSignature,
  type SignatureStatus,
  type SignatureRequirement,
  signatureRequirement,
  findSignatureViolation,
} from './argo/signature-policy.js';
export { type FleetRow, type FleetResponse, type FleetCounts } from './api/fleet.js';
export {
  type Explanation,
  type TriageResponse,
  type CauseView,
  type FixView,
  type PatchView,
  type WavesResponse,
  type WaveView,
  type TaskView,
} from './api/insight.js';
export { type DriftResponse, type DriftedResource, type DriftedField } from './api/drift.js';
export { type RenderedResponse, type ValuesResponse, type ValueView } from './api/rendered.js';
export { type HealthEvalRequest, type HealthEvalResponse, type HealthEvalFinding } from './api/health-eval.js';
