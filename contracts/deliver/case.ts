import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Json, JsonObject } from '../../src/model/json/index.js';

export type ClusterName = 'embedded' | 'real';

/** One delivery: a repository, an Application, what is done to them, and what must be seen. */
export interface Case {
  /** A full sentence, or the test of Argo CD that asserts the same. */
  readonly name: string;
  /** Folders of `root` that the repository is made of; the first is the path of the source. */
  readonly folders: readonly string[];
  readonly root: string;
  /** Played in every `npm test`. */
  readonly smoke: boolean;
  /** Why it is not played on a cluster. */
  readonly skip: Partial<Record<ClusterName, string>>;
  /** Settings of a controller of its own: `argocd-cm`, `argocd-cmd-params-cm`, ... with their data. */
  readonly settings: Readonly<Record<string, Record<string, string>>>;
  /** Programs that its controller may use, found in PATH. */
  readonly tools: readonly string[];
  /** Whether its repository is reached over HTTP, from a server that can be away. */
  readonly served: boolean;
  /** Spec of a project of its own. */
  readonly project: JsonObject | undefined;
  /** Objects that are there before. */
  readonly given: readonly JsonObject[];
  /** The Application; what it leaves out is filled in. */
  readonly app: JsonObject;
  readonly steps: readonly CaseStep[];
  /** Cases that touch the same thing without a namespace do not run at the same time: its name. Removed at the end. */
  readonly shared: readonly string[];
  /** What we mean to show differently, with the reason; the steps then say ours. */
  readonly differs: readonly string[];
}

export interface CaseStep {
  /** Changes of files, relative to the first folder; committed before the next step of another kind. */
  readonly write?: { readonly file: string; readonly text: string };
  readonly patch?: { readonly file: string; readonly with: Json };
  readonly remove?: string;
  /** The server of a `served` repository does not answer any more, or does again. */
  readonly repository?: 'away' | 'back';
  readonly create?: boolean | JsonObject;
  /** A merge patch of the Application, or a JSON patch where it is a list. */
  readonly edit?: Json;
  readonly sync?: CaseSync;
  readonly refresh?: 'normal' | 'hard';
  readonly terminate?: true;
  readonly confirm?: true;
  readonly delete?: 'foreground' | 'background' | 'no cascade';
  /** To the cluster, behind the controller's back. */
  readonly make?: JsonObject;
  /** The field manager that makes it. */
  readonly manager?: string;
  readonly change?: {
    readonly object: string;
    readonly merge?: Json;
    readonly json?: Json;
    readonly apply?: Json;
    readonly status?: boolean;
  };
  readonly drop?: string;
  /**
   * Waits until the server lets an object be deleted, or refuses it: policies take effect some time after they are
   * written.
   */
  readonly deletion?: { readonly of: string; readonly isRefused: boolean };
  readonly settings?: Readonly<Record<string, Record<string, string>>>;
  readonly project?: JsonObject;
  /** Keeps values of objects (`Kind/name: path`) as `${word}`, times as `${wordSeconds}` too. */
  readonly remember?: Readonly<Record<string, string>>;
  readonly expect?: Expectation;
  /** The same, and it stays so. */
  readonly steady?: Expectation;
}

export interface CaseSync {
  /** Does not wait for the end of the operation. */
  readonly async?: boolean;
  readonly prune?: boolean;
  readonly force?: boolean;
  readonly dryRun?: boolean;
  readonly strategy?: 'apply' | 'hook';
  readonly revision?: string;
  readonly options?: readonly string[];
  /** `group:Kind:name` or `group:Kind:namespace/name` */
  readonly resources?: readonly string[];
  readonly retry?: JsonObject;
  readonly info?: JsonObject[];
  /** Written as it is, in place of all others. */
  readonly operation?: JsonObject;
}

export interface Expectation {
  readonly sync?: string;
  readonly health?: string;
  readonly phase?: string;
  /** A part of the operation's message. */
  readonly message?: string;
  readonly retried?: number;
  /** By `Kind/name` or `Kind/namespace/name`: sync and health, or null where it must not be listed. */
  readonly resources?: Readonly<Record<string, { readonly sync?: string; readonly health?: string } | null>>;
  readonly resourceCount?: number;
  readonly results?: readonly JsonObject[];
  readonly resultCount?: number;
  /** Parts of messages by type; an empty map is no condition at all. */
  readonly conditions?: Readonly<Record<string, string | null>>;
  readonly exists?: boolean;
  readonly deleting?: boolean;
  /** By name: what the object has at least, or null where it must be gone. */
  readonly objects?: Readonly<Record<string, JsonObject | null>>;
  readonly not?: Readonly<Record<string, JsonObject>>;
  readonly historyCount?: number;
  readonly app?: JsonObject;
  readonly events?: Readonly<Record<string, string>>;
}

const NOTHING = {
  folders: [],
  smoke: false,
  skip: {},
  settings: {},
  tools: [],
  served: false,
  project: undefined,
  given: [],
  app: {},
  shared: [],
  differs: [],
} as const;

interface SampleEntry extends Partial<Omit<Case, 'name' | 'root' | 'folders'>> {
  readonly test: string;
  readonly folder: string;
  /** Other folders that it refers to. */
  readonly beside?: readonly string[];
  readonly steps: readonly CaseStep[];
}

/** Why a case is not played on a cluster, or on this machine at all. */
export function reasonToSkip({ skip, tools }: Case, cluster: ClusterName): string | undefined {
  const missing = tools.find((name) => toolPath(name) === undefined);
  return missing === undefined ? skip[cluster] : `no program ${missing}`;
}

/** ARGOSY_CASE chooses cases by parts of their names, with `|` between them. */
export function isWanted({ name }: Case): boolean {
  return (process.env['ARGOSY_CASE'] ?? '').split('|').some((part) => name.includes(part));
}

export function toolPath(name: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(':')
    .map((dir) => join(dir, name))
    .find((path) => existsSync(path));
}

/** The table of Argo CD's own samples; `root` is its `testdata`. */
export function readSamples(root: string): Case[] {
  const dir = join(import.meta.dirname, 'samples');
  return readdirSync(dir)
    .sort()
    .flatMap((file) => {
      const entries = parse(readFileSync(join(dir, file), 'utf8')) as readonly SampleEntry[];
      return entries.map(({ test, folder, beside = [], ...rest }) => ({
        ...NOTHING,
        ...rest,
        name: `${test} (${folder})`,
        root,
        folders: [folder, ...beside],
      }));
    });
}

/** Our own cases of hooks, options and annotations: one folder each. */
export function readOptions(): Case[] {
  const dir = join(import.meta.dirname, 'options');
  return readdirSync(dir)
    .sort()
    .map((name) => {
      const root = join(dir, name);
      const read = (file: string): unknown =>
        existsSync(join(root, file)) ? parse(readFileSync(join(root, file), 'utf8')) : {};
      const steps = read('steps.yaml') as Partial<Case> & { steps: readonly CaseStep[] };
      const folders = readdirSync(root, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map((entry) => entry.name);
      // The folder `repo` is the path of the source; others stand beside it.
      folders.sort((a, b) => Number(b === 'repo') - Number(a === 'repo'));
      return {
        ...NOTHING,
        ...steps,
        app: read('app.yaml') as JsonObject,
        name: name.replaceAll('-', ' '),
        root,
        folders,
      };
    });
}
