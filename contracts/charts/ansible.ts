import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeYaml } from '../../src/model/yaml/index.js';
import type { JsonObject } from '../../src/model/json/index.js';

const PROGRAM = '/usr/bin/ansible-playbook';
/** The one that Debian's packages belong to. */
const PYTHON = '/usr/bin/python3';
const ROLES = join(import.meta.dirname, '../../deploy/ansible/roles');

/** Why roles cannot be played here, as the name of a skip. */
export function ansibleMissing(): string | undefined {
  if (!existsSync(PROGRAM)) return 'skipped: ansible (Debian package ansible)';
  const isThere = (code: string): boolean => spawnSync(PYTHON, ['-c', code]).status === 0;
  if (!isThere('import ansible_collections.kubernetes.core'))
    return 'skipped: the collection kubernetes.core (Debian package ansible)';
  return isThere('import kubernetes') ? undefined : "skipped: Python's kubernetes (Debian package python3-kubernetes)";
}

interface PlaybookRun {
  readonly code: number;
  /** Everything that was printed. */
  readonly output: string;
  /** The numbers of the recap. */
  readonly ok: number;
  readonly changed: number;
  readonly failed: number;
}

/** Plays roles against a cluster, in a home of its own. */
export class Ansible {
  readonly #home = mkdtempSync(join(tmpdir(), 'argosy-ansible-'));

  constructor(private readonly kubeconfig: string) {}

  play(roles: readonly string[], vars: JsonObject): Promise<PlaybookRun> {
    const playbook = join(this.#home, 'play.yml');
    writeFileSync(playbook, writeYaml([{ hosts: 'localhost', gather_facts: false, vars, roles: [...roles] }]));
    const env = {
      PATH: '/usr/bin:/bin',
      HOME: this.#home,
      TMPDIR: this.#home,
      LC_ALL: 'C.UTF-8',
      PYTHONDONTWRITEBYTECODE: '1',
      KUBECONFIG: this.kubeconfig,
      ANSIBLE_ROLES_PATH: ROLES,
      ANSIBLE_PYTHON_INTERPRETER: PYTHON,
      ANSIBLE_NOCOLOR: '1',
      ANSIBLE_PIPELINING: '1',
      ANSIBLE_LOCALHOST_WARNING: 'False',
      ANSIBLE_INVENTORY_UNPARSED_WARNING: 'False',
    };
    return new Promise((resolve, reject) => {
      execFile(
        PROGRAM,
        ['-i', 'localhost,', '-c', 'local', '-vvv', playbook],
        { env, maxBuffer: 64 << 20, timeout: 300_000 },
        (error, stdout, stderr) => {
          if (error !== null && typeof error.code !== 'number')
            reject(new Error(`ansible did not end: ${error.message}`));
          else resolve({ code: Number(error?.code ?? 0), output: stdout + stderr, ...recapOf(stdout) });
        },
      );
    });
  }

  close(): void {
    rmSync(this.#home, { recursive: true, force: true });
  }
}

function recapOf(output: string): Pick<PlaybookRun, 'ok' | 'changed' | 'failed'> {
  const number = (word: string): number =>
    Number(new RegExp(`^localhost .*\\b${word}=(\\d+)`, 'm').exec(output)?.[1] ?? NaN);
  return { ok: number('ok'), changed: number('changed'), failed: number('failed') };
}
