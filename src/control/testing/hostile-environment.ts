import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Fault } from '../../model/faults/index.js';
import type { JsonObject } from '../../model/json/index.js';
import { RenderCache, renderSource } from '../../render/index.js';
import { openSources, type SourcesOptions } from '../../source/index.js';
import { Tools } from '../../tools/index.js';
import { renderManifests, type RenderedManifests, type Renderer } from '../manifests/index.js';

/** A file by its text, or a link. */
export type Shape = string | Uint8Array | { readonly link: string };

export type Files = Readonly<Record<string, Shape>>;

export interface HostileEnvironment {
  /** Where mirrors and private copies are: no output may name it. */
  readonly work: string;
  readonly renderer: Renderer;
  /** What would be logged. */
  readonly reports: readonly string[];
  /** Makes a repository with one commit of each set of files, each on a branch of its own, and gives its address. */
  repository(branches: Readonly<Record<string, Files>>): string;
  render(
    sources: readonly JsonObject[],
    options?: { readonly application?: string; readonly renderer?: Partial<Renderer> },
  ): Promise<RenderedManifests>;
  close(): Promise<void>;
}

export interface HostileEnvironmentOptions {
  /** `NAME=/path` of programs. */
  readonly tools?: readonly string[];
  readonly sources?: Partial<SourcesOptions>;
}

export const realAfter = (milliseconds: number, act: () => void): (() => void) => {
  const timer = setTimeout(act, milliseconds);
  return () => {
    clearTimeout(timer);
  };
};

/** Real git, real programs and a real render, with all that they work in below one folder. */
export async function openHostileEnvironment(options: HostileEnvironmentOptions = {}): Promise<HostileEnvironment> {
  const [repositories, work] = [
    mkdtempSync(join(tmpdir(), 'argosy-repositories-')),
    mkdtempSync(join(tmpdir(), 'argosy-work-')),
  ];
  const reports: string[] = [];
  const sources = await openSources({
    data: join(work, 'data'),
    clock: { now: () => new Date(), steady: () => performance.now(), after: realAfter },
    random: () => 0.5,
    environment: { PATH: process.env['PATH'] },
    report: (line) => {
      reports.push(line);
    },
    protocols: ['http', 'https'],
    fileRepositories: [repositories],
    ...options.sources,
  });
  const tools = await Tools.open({ named: options.tools ?? [], directory: join(work, 'runs'), after: realAfter });
  const renderer: Renderer = {
    sources,
    cache: new RenderCache(),
    render: renderSource,
    host: { now: () => 0n, random: (count) => new Uint8Array(count), zone: 'UTC' },
    remoteHosts: [],
    tools,
  };
  return {
    work,
    renderer,
    reports,
    repository: (branches) => importBranches(mkdtempSync(join(repositories, 'r-')), branches),
    render: (specs, { application = 'shop', renderer: other = {} } = {}) =>
      renderManifests(
        {
          application: { name: application, namespace: 'argocd', project: 'default' },
          sources: specs,
          destinationNamespace: 'prod',
          kubeVersion: '1.34.4',
          apiVersions: [],
        },
        { ...renderer, ...other },
      ),
    close: async () => {
      await sources.close();
      for (const folder of [repositories, work]) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** One process for all of them, and equal contents once: a thousand work trees would take minutes. */
function importBranches(folder: string, branches: Readonly<Record<string, Files>>): string {
  const parts: (string | Uint8Array)[] = [];
  const marks = new Map<string | Uint8Array, number>();
  const data = (content: string | Uint8Array): void => {
    const bytes = Buffer.from(content);
    parts.push(`data ${bytes.length}\n`, bytes, '\n');
  };
  const contentOf = (shape: Shape): string | Uint8Array =>
    typeof shape === 'object' && 'link' in shape ? shape.link : shape;
  for (const shape of Object.values(branches).flatMap((files) => Object.values(files))) {
    const content = contentOf(shape);
    if (marks.has(content)) continue;
    marks.set(content, marks.size + 1);
    parts.push(`blob\nmark :${marks.size}\n`);
    data(content);
  }
  for (const [branch, files] of Object.entries(branches)) {
    parts.push(`commit refs/heads/${branch}\ncommitter t <t@example.com> 0 +0000\n`);
    data(branch);
    for (const [path, shape] of Object.entries(files)) {
      parts.push(
        `M ${typeof shape === 'object' && 'link' in shape ? '120000' : '100644'} ` +
          `:${marks.get(contentOf(shape)) ?? 0} ${JSON.stringify(path)}\n`,
      );
    }
  }
  execFileSync('git', ['init', '-q', '--bare', '-b', Object.keys(branches)[0] ?? 'main', folder]);
  execFileSync('git', ['-C', folder, 'fast-import', '--quiet'], {
    input: Buffer.concat(parts.map((part) => Buffer.from(part))),
  });
  return `file://${folder}`;
}

/** How something ended: all that anybody could be shown of it, and the code of its fault. */
export interface Ending {
  readonly code: string;
  readonly output: string;
}

export async function endingOf(work: () => unknown): Promise<Ending> {
  try {
    return {
      code: 'done',
      output: JSON.stringify(await work(), (_, value: unknown) =>
        value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
      ),
    };
  } catch (error) {
    const output: string[] = [];
    for (let at: unknown = error; at instanceof Error; at = at.cause)
      output.push(at.message, at instanceof Fault ? `${at.where} ${at.hint}` : '', JSON.stringify(at));
    return { code: error instanceof Fault ? error.code : `defect: ${String(error)}`, output: output.join('\n') };
  }
}
