import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse } from 'yaml';
import type { Json, JsonObject } from '../../src/model/json/index.js';

export type ServerName = 'real' | 'embedded';

/** What a step shows once it is masked; in a case file, what it must show. Absent parts are not looked at in `has`. */
export interface StepResult {
  code?: number;
  /** Left out for application/json. */
  type?: string;
  /** The Warning headers. Left out means that there are none. */
  warnings?: string[];
  /** Only the headers that `show` names. */
  headers?: Record<string, string>;
  body?: Json;
  /** The body where it is not JSON. */
  text?: string;
  /** Only the paths that `keep` names. */
  kept?: JsonObject;
  /** How often each code came, where `times` repeats a request at once. */
  codes?: Record<string, number>;
  events?: Json[];
}

/** One HTTP exchange, or one look into a watch that an earlier step opened. */
export interface CaseStep {
  /** Method and path with query, such as `GET /api/v1/namespaces/$NS/pods`. */
  readonly do?: string;
  /** Impersonates this user, and these groups. */
  readonly as?: string;
  readonly groups?: readonly string[];
  /** `none` sends no credentials; other text is the Authorization header. */
  readonly auth?: string;
  /** Content type: json, yaml, patch, merge, strategic, apply, or the header itself. */
  readonly type?: string;
  /** Accept: table, metadata, metadata-list, yaml, protobuf, or the header itself. */
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Json;
  readonly raw?: string;
  /** Response headers to look at. */
  readonly show?: readonly string[];
  /** Paths of the body to look at, where the whole is not deterministic or too large. */
  readonly keep?: readonly string[];
  /** Looks at the body as text even where it is JSON. */
  readonly plain?: boolean;
  /** Keeps values of the body under names that later steps write as `${name}`. */
  readonly capture?: Readonly<Record<string, string>>;
  /** Sends the request so often at the same time. */
  readonly times?: number;
  /** Repeats the request until what it shows contains this. */
  readonly until?: StepResult;
  /** Opens a watch under this name. */
  readonly watch?: string;
  /** Reads from the watch of this name, `take` events or up to its end. */
  readonly events?: string;
  readonly take?: number | 'all';
  /** The server must show exactly this. The recorder fills it in. */
  expect?: StepResult;
  /** The server must show at least this. */
  readonly has?: StepResult;
}

export interface Case {
  readonly topic: string;
  /** The file name: a full sentence. */
  readonly name: string;
  readonly file: string;
  /** Why a server cannot pass it; the case is then skipped by name and counted. */
  readonly skip: Partial<Record<ServerName, string>>;
  /** Long texts for `${name}`. */
  readonly vars: Readonly<Record<string, { readonly repeat: string; readonly times: number }>>;
  /** Requests that set the scene and must succeed. */
  readonly given: readonly CaseStep[];
  readonly steps: readonly CaseStep[];
}

const CASES = join(import.meta.dirname, 'cases');

const FIELDS = new Set([
  'do',
  'as',
  'groups',
  'auth',
  'type',
  'accept',
  'headers',
  'body',
  'raw',
  'show',
  'keep',
  'plain',
  'capture',
  'times',
  'until',
  'watch',
  'events',
  'take',
  'expect',
  'has',
]);

/** Every case, those of discovery first: later ones add kinds to the server. */
export function readCases(): Case[] {
  const files = readdirSync(CASES, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.yaml'));
  const rank = (file: string): string => (file.startsWith('discovery/') ? `0${file}` : `1${file}`);
  return files.sort((a, b) => (rank(a) < rank(b) ? -1 : 1)).map(readCase);
}

function readCase(file: string): Case {
  const raw = parse(readFileSync(join(CASES, file), 'utf8'), { maxAliasCount: -1 }) as Partial<Case>;
  const made: Case = {
    topic: file.split('/')[0] ?? '',
    name: basename(file, '.yaml').replaceAll('-', ' '),
    file: join(CASES, file),
    skip: raw.skip ?? {},
    vars: raw.vars ?? {},
    given: raw.given ?? [],
    steps: raw.steps ?? [],
  };
  check(made, file);
  return made;
}

/** A misspelt field would silently test nothing. */
function check(found: Case, file: string): void {
  if (found.steps.length === 0) throw new Error(`${file}: no steps`);
  for (const step of [...found.given, ...found.steps]) {
    const unknown = Object.keys(step).find((field) => !FIELDS.has(field));
    if (unknown !== undefined) throw new Error(`${file}: unknown field ${unknown}`);
    if ((step.do === undefined) === (step.events === undefined))
      throw new Error(`${file}: a step has either do or events`);
  }
}
