/**
 * api: CONTRACT.
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
