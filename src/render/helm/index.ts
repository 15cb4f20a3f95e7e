/**
 * helm: charts rendered as `helm template` does: values, dependencies, Go templates with Sprig, schemas, hooks. Takes a
 * chart in memory and values; gives manifests with the origin of every value, or what is still needed. Steps and memory
 * are limited.
 */
export { readChartDetails, type ChartDetails } from './chart-details.js';
export { textOf } from './chart/load-files.js';
export { define, defineVariadic } from './functions/define.js';
export { HELM_FUNCTIONS } from './functions/helm-functions.js';
export type { FunctionHost } from './functions/host.js';
export { STRICT_STRUCTURED } from './functions/structured.js';
export { ChartValues, type ValuesFile } from './origin/chart-values.js';
export { MissingValueFault, explainFailure, type MissingValue, type ValueStep } from './origin/missing-value.js';
export { parsePath, pathText } from './origin/path-text.js';
export { TemplateIndex, type IndexedTemplate } from './origin/template-index.js';
export { lookupsOf, scopeAt } from './origin/value-lookups.js';
export { emptyOverrideText, isEmptyValue, placeText, shortText } from './origin/value-text.js';
export { valuesReadByFile } from './origin/values-read.js';
export { templateFault } from './output/template-failure.js';
export { loadChart, type ChartInput, type ChartSource, type ValuesDocument } from './prepare-chart.js';
export { renderChart, type RenderChartOutcome, type RenderChartRequest } from './render-chart.js';
export { Budget } from './template/budget.js';
export type { BranchNode, ListNode, Node, Tree } from './template/parse/node.js';
export { TemplateError, functionError } from './template/template-error.js';
export { TemplateSet } from './template/template-set.js';
export type { GoFunctions } from './template/value/go-function.js';
export { ANY, STRING, STRING_MAP } from './template/value/go-type.js';
export { GoMap, setEntry, type GoObject, type GoValue } from './template/value/go-value.js';
export type { ValueOrigin } from './trace-values.js';
export type { SetValue } from './values/apply-sets.js';
