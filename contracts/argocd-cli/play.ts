import { execFile } from 'node:child_process';
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isArray, isObject, objectsAt, put, textAt, type Json } from '../../src/model/json/index.js';
import { readOneYaml, writeYaml } from '../../src/model/yaml/index.js';
import { scratchFolder } from '../real/child.js';
import { mask, maskStates } from './mask.js';

const HERE = import.meta.dirname;
const WITHIN = 120_000;
const OPERATION = /^argocd app (sync|rollback|terminate-op) /;
/** Of the kubeconfig, whatever it was called before. */
const CONTEXT = 'here';
const DATE = '2026-01-02T03:04:05Z';

/** One command of a file of cases. */
export interface Command {
  readonly run: string;
  /** A variable that later commands have what it said as. */
  readonly capture?: string;
  /** What an editor does, as sed has it. */
  readonly editor?: string;
}

/** What a command said, masked. */
export interface CommandOutput {
  readonly run: string;
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

/** A server of Argo CD's API, and the cluster that it works on. */
export interface PlayedServer {
  /** Such as localhost:8080. */
  readonly address: string;
  readonly password: string;
  readonly kubeconfigPath: string;
  stop(): Promise<void>;
}

export function caseNames(): string[] {
  return readdirSync(join(HERE, 'cases'))
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => file.slice(0, -5))
    .sort();
}

export function readCommands(name: string): Command[] {
  return listIn('cases', name).map((entry) => {
    if (typeof entry === 'string') return { run: entry };
    if (!isObject(entry)) throw new Error(`${name}: a command is a text or an object`);
    const [capture, editor] = [textAt(entry, 'capture'), textAt(entry, 'editor')];
    return {
      run: textAt(entry, 'run'),
      ...(capture === '' ? {} : { capture }),
      ...(editor === '' ? {} : { editor }),
    };
  });
}

/** What Argo CD's own server made the command line say. */
export function readRecorded(name: string): CommandOutput[] {
  return listIn('recorded', name)
    .filter(isObject)
    .map((entry) => ({
      run: textAt(entry, 'run'),
      exit: Number(entry.exit ?? 0),
      out: textAt(entry, 'out'),
      err: textAt(entry, 'err'),
    }));
}

export function writeRecorded(name: string, said: readonly CommandOutput[]): void {
  mkdirSync(join(HERE, 'recorded'), { recursive: true });
  const rows = said.map(({ run, exit, out, err }) => ({
    run,
    exit,
    ...(out === '' ? {} : { out }),
    ...(err === '' ? {} : { err }),
  }));
  writeFileSync(join(HERE, 'recorded', `${name}.yaml`), writeYaml(rows));
}

function listIn(folder: string, name: string): readonly Json[] {
  const file = join(HERE, folder, `${name}.yaml`);
  const list = readOneYaml(readFileSync(file, 'utf8'), { dialect: 'kubernetes', file });
  return isArray(list) ? list : [];
}

/** The command line as one person has it: a home, a repository and files beside the server. */
export class CommandLine {
  readonly #folder = scratchFolder('argosy-argocd-cli-');
  readonly #variables: Record<string, string>;
  readonly #masked: Record<string, string>;

  constructor(
    private readonly program: string,
    server: PlayedServer,
  ) {
    const repository = join(this.#folder, 'repository');
    const commit = makeRepository(repository);
    const cluster = this.#copyKubeconfig(server.kubeconfigPath);
    const [host, port] = server.address.split(':');
    this.#variables = {
      SERVER: server.address,
      PASSWORD: server.password,
      REPO: `file://${repository}`,
      FOLDER: this.#folder,
      COMMIT: commit,
      CONTEXT,
      KEYID: '70F51A4A1DA7AEBA',
    };
    this.#masked = {
      ...this.#variables,
      KUBE: cluster,
      ADDRESS: `127.0.0.1:${port ?? ''}`,
      HOST: `[::1]:${port ?? ''}`,
    };
    delete this.#masked['KEYID'];
    delete this.#masked['CONTEXT'];
    if (host === undefined) throw new Error('a server has an address');
    this.#writeFiles();
  }

  async play({ run, capture, editor = '' }: Command): Promise<CommandOutput> {
    const [first, ...words] = splitWords(run).map((word) => this.#filled(word));
    if (first !== 'argocd') throw new Error(`not a command of argocd: ${run}`);
    const { code, stdout, stderr } = await this.#execute(words, editor);
    if (capture !== undefined) this.#variables[capture] = stdout.trim().split('\n').at(-1) ?? '';
    const out = mask(stdout, this.#masked);
    return { run, exit: code, out: OPERATION.test(run) ? maskStates(out) : out, err: mask(stderr, this.#masked) };
  }

  #filled(text: string): string {
    return text.replaceAll(/\$([A-Z]+)/g, (whole, name: string) => this.#variables[name] ?? whole);
  }

  #execute(words: readonly string[], editor: string): Promise<{ code: number; stdout: string; stderr: string }> {
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: this.#folder,
      XDG_CONFIG_HOME: join(this.#folder, 'config'),
      KUBECONFIG: join(this.#folder, 'kubeconfig'),
      EDITOR: join(this.#folder, 'editor'),
      EDIT: editor,
      TZ: 'UTC',
    };
    return new Promise((resolve) => {
      const child = execFile(
        this.program,
        [...words],
        { cwd: this.#folder, env, timeout: WITHIN, maxBuffer: 64 << 20 },
        (error, stdout, stderr) => {
          resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr });
        },
      );
      child.stdin?.end();
    });
  }

  /** With the control plane's namespace, as `--core` needs it. */
  #copyKubeconfig(path: string): string {
    const config = readOneYaml(readFileSync(path, 'utf8'), { dialect: 'kubernetes', file: path });
    if (!isObject(config)) throw new Error(`${path} is no kubeconfig`);
    for (const entry of objectsAt(config, 'contexts'))
      if (isObject(entry.context)) {
        put(entry.context, 'namespace', 'argocd');
        put(entry, 'name', CONTEXT);
      }
    put(config, 'current-context', CONTEXT);
    writeFileSync(join(this.#folder, 'kubeconfig'), writeYaml(config), { mode: 0o600 });
    const [first] = objectsAt(config, 'clusters');
    return textAt(first ?? {}, 'cluster', 'server');
  }

  #writeFiles(): void {
    for (const file of readdirSync(join(HERE, 'files')))
      writeFileSync(join(this.#folder, file), this.#filled(readFileSync(join(HERE, 'files', file), 'utf8')));
    const { privateKey } = generateKeyPairSync('ed25519');
    writeFileSync(join(this.#folder, 'id'), privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
    writeFileSync(join(this.#folder, 'editor'), '#!/bin/sh\nexec sed -i "$EDIT" "$1"\n');
    chmodSync(join(this.#folder, 'editor'), 0o755);
    const changed = join(this.#folder, 'changed');
    cpSync(join(HERE, 'repository'), changed, { recursive: true });
    const file = join(changed, 'web/all.yaml');
    writeFileSync(file, readFileSync(file, 'utf8').replace('color: blue', 'color: green'));
  }
}

/** The same commit wherever and whenever it is made. */
function makeRepository(folder: string): string {
  cpSync(join(HERE, 'repository'), folder, { recursive: true });
  const git = (...words: string[]): string =>
    execFileSync('git', words, {
      cwd: folder,
      encoding: 'utf8',
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: folder,
        GIT_AUTHOR_DATE: DATE,
        GIT_COMMITTER_DATE: DATE,
        GIT_CONFIG_NOSYSTEM: '1',
      },
    });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', 'commit', '-q', '-m', 'as wanted');
  return git('rev-parse', 'HEAD').trim();
}

/** Words as a shell has them, with single quotes alone. */
function splitWords(text: string): string[] {
  return [...text.matchAll(/(?:[^\s']+|'[^']*')+/g)].map(([word]) => word.replaceAll("'", ''));
}
