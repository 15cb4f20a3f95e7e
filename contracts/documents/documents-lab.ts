import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startGitServer, startKeycloak, type Keycloak } from '../../world/doubles/index.js';
import { findKubectl } from '../seeds/find-kubectl.js';
import { Shell } from '../seeds/shell.js';
import type { ClusterName } from '../deliver/case.js';
import { openDocumentsCluster } from './documents-cluster.js';
import { readWalk, type Walk, type WalkChapter, type WalkStep } from './read-walk.js';

/** A first pipeline of notebooks on a busy machine; nothing waits so long where all is well. */
const WITHIN = 120_000;

const IDENTITY = {
  GIT_AUTHOR_NAME: 'author',
  GIT_AUTHOR_EMAIL: 'author@example.com',
  GIT_COMMITTER_NAME: 'author',
  GIT_COMMITTER_EMAIL: 'author@example.com',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
};

/** One Argosy in which the authors of all documents work, each in an empty folder of their own. */
export class DocumentsLab {
  readonly #shells = new Map<string, Shell>();

  private constructor(
    readonly cluster: ClusterName,
    private readonly root: string,
    private readonly kubectl: string,
    private readonly kubeconfig: string,
    private readonly words: Readonly<Record<string, string>>,
    private readonly environment: Readonly<Record<string, string>>,
    private readonly end: () => Promise<void>,
    private readonly within: number,
  ) {}

  static async open(name: ClusterName, within = WITHIN): Promise<DocumentsLab> {
    const kubectl = await findKubectl();
    if (kubectl.kind === 'missing') throw new Error(kubectl.reason);
    const root = mkdtempSync(join(tmpdir(), 'argosy-documents-'));
    const git = await startGitServer({ folder: root, users: [], isPublic: true, report: () => undefined });
    const cluster = await openDocumentsCluster(name, { root, gitUrl: git.url });
    const provider = await startProvider();
    const words = { GIT: git.url, HERE: root, URL: cluster.url, DATA: cluster.data, SSO: provider.url };
    const end = async (): Promise<void> => {
      await cluster.close();
      await provider.close();
      await git.close();
      rmSync(root, { recursive: true, force: true });
    };
    return new DocumentsLab(name, root, kubectl.path, cluster.kubeconfig, words, cluster.environment, end, within);
  }

  async close(): Promise<void> {
    for (const shell of this.#shells.values()) shell.close();
    await this.end();
  }

  /** Walks a chapter step by step; says what was wrong with the first step that did not come out as it should. */
  async walk({ seed }: Pick<Walk, 'seed'>, { steps }: WalkChapter): Promise<string | undefined> {
    for (const step of steps) {
      const wrong = await this.#step(seed, step);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  }

  async #step(seed: string, { does, files, run, shows, hides, code, env }: WalkStep): Promise<string | undefined> {
    const folder = join(this.root, seed);
    for (const [path, content] of files) {
      const file = join(folder, path);
      if (content === undefined) {
        rmSync(file, { recursive: true });
        continue;
      }
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, this.#fill(content, seed));
    }
    if (run === undefined) return undefined;
    const command = this.#fill(run, seed);
    const wanted = shows.map((each) => this.#fill(each, seed));
    const lacks = (text: string): string[] => [
      ...wanted.filter((each) => !isPrinted(text, each)),
      ...hides.filter((each) => isPrinted(text, each)).map((each) => `no line with ${each}`),
    ];
    const shown = await this.#shell(seed).play(
      command,
      {
        shows: wanted,
        code,
        endless: false,
        env: {
          ...IDENTITY,
          ARGOSY_DATA: this.words['DATA'] ?? '',
          ARGOSY_ALLOW_FILE_REPOS: this.root,
          NO_COLOR: '1',
          ...this.environment,
          ...env,
        },
      },
      (output) => output.code === code && lacks(output.text).length === 0,
    );
    const missing = lacks(shown.text);
    if (shown.code === code && missing.length === 0) return undefined;
    const found = `exit code ${shown.code}, not ${code}; lacks ${missing.join(' | ')}`;
    return `${does}: ${command}\n${found}; showed:\n${shown.text}`;
  }

  #shell(seed: string): Shell {
    const known = this.#shells.get(seed);
    if (known !== undefined) return known;
    const shell = new Shell(
      { kubeconfig: this.kubeconfig, folder: join(this.root, seed), close: () => Promise.resolve() },
      this.kubectl,
      this.within,
    );
    this.#shells.set(seed, shell);
    return shell;
  }

  /** `${GIT}` is where the author's repositories are served, `${HERE}` their folder, `${SSO}` their Keycloak. */
  #fill(content: string, seed: string): string {
    const words: Readonly<Record<string, string>> = {
      ...this.words,
      GIT: `${this.words['GIT'] ?? ''}/${seed}`,
      HERE: join(this.root, seed),
    };
    return content.replaceAll(/\$\{([A-Z]+)\}/g, (whole, name: string) => words[name] ?? whole);
  }
}

/** Single sign-on of the authors, beside the cluster; its realm has no client of Argo CD yet. */
function startProvider(): Promise<Keycloak> {
  const password = 'not-a-real-password';
  return startKeycloak({
    admin: { username: 'admin', password },
    realms: [
      {
        realm: 'harbor',
        clients: [{ clientId: 'argocd-cli', isPublic: true, redirectUris: ['http://localhost:*'] }],
        users: [{ username: 'mara', password, groups: ['harbor-ops'] }],
      },
    ],
  });
}

/** A text is in what was shown; one between slashes is a pattern of a line. */
function isPrinted(text: string, wanted: string): boolean {
  const [, pattern] = /^\/(.*)\/$/s.exec(wanted) ?? [];
  return pattern === undefined ? text.includes(wanted) : new RegExp(pattern, 'm').test(text);
}

/** Why the walks cannot be done on this machine. */
export async function walksMissing(): Promise<string | undefined> {
  if (readWalk('000') === undefined) return 'skipped: walks of the documents (../shared/seeds is not there)';
  const kubectl = await findKubectl();
  return kubectl.kind === 'missing' ? `skipped: walks of the documents (kubectl: ${kubectl.reason})` : undefined;
}
