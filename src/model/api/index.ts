/**
 * api: the JSON of the HTTP API that Argosy adds to Argo CD's, as types only. The server, the CLI and the pages share
 * them; a field here is public and never changes its meaning.
 */
export type { DriftResponse, DriftedField, DriftedResource } from './drift.js';
export type { FleetCounts, FleetResponse, FleetRow } from './fleet.js';
export type { HealthEvalFinding, HealthEvalRequest, HealthEvalResponse } from './health-eval.js';
export type {
  CauseView,
  Explanation,
  FixView,
  PatchView,
  TaskView,
  TriageResponse,
  WaveView,
  WavesResponse,
} from './insight.js';
export type { RenderedResponse, ValueView, ValuesResponse } from './rendered.js';
