import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { seededRandom, type Random } from '../../src/apiserver/store/testing/random.js';
import type { JsonObject } from '../../src/model/json/index.js';

/**
 * An application of the monorepo: what stands in `spec.source`, and the name under which it sees the repository again.
 */
export interface MonorepoApplication {
  readonly name: string;
  readonly namespace: string;
  readonly source: JsonObject;
  readonly ref?: string;
}

export interface Monorepo {
  readonly files: ReadonlyMap<string, string>;
  readonly applications: readonly MonorepoApplication[];
}

const TEAMS = 10;
const ADDRESS = 'https://git.example/fleet';

/**
 * A repository as a platform team keeps it: charts of applications with values of the team and the stage, overlays over
 * a few bases, and folders of plain files. The same seed gives the same.
 */
export function makeMonorepo(seed: number, count: number): Monorepo {
  const random = seededRandom(seed);
  const files = new Map<string, string>();
  for (let team = 0; team < TEAMS; team++) {
    files.set(
      `teams/team-${team}/values.yaml`,
      `global:\n  team: team-${team}\n  domain: team-${team}.example.com\ntolerations:\n- key: team\n  ` +
        `value: team-${team}\n`,
    );
    files.set(
      `teams/team-${team}/stages/prod-limits.yaml`,
      `resources:\n  limits:\n    cpu: ${1 + random.integer(4)}\n    memory: ${256 << random.integer(4)}Mi\n`,
    );
  }
  for (let base = 0; base < TEAMS; base++) writeBase(files, base, random);
  const makers = [helmApplication, overlayApplication, directoryApplication];
  const applications = Array.from({ length: count }, (_, index) =>
    (makers[index % makers.length] ?? helmApplication)(files, `app-${String(index).padStart(3, '0')}`, random),
  );
  return { files, applications };
}

function helmApplication(files: Map<string, string>, name: string, random: Random): MonorepoApplication {
  const team = random.integer(TEAMS);
  const path = `apps/${name}`;
  files.set(
    `${path}/Chart.yaml`,
    `apiVersion: v2\nname: ${name}\nversion: 0.${random.integer(20)}.0\nappVersion: "1.${random.integer(9)}"\n`,
  );
  files.set(
    `${path}/values.yaml`,
    `replicas: ${1 + random.integer(5)}\nimage:\n  repository: registry.example.com/${name}\n  tag: v1\n` +
      `service:\n  port: ${8000 + random.integer(100)}\nconfig: {}\ntolerations: []\nresources: {}\n`,
  );
  if (random.chance(0.5)) files.set(`${path}/.helmignore`, '*.bak\nnotes/\n');
  files.set(`${path}/templates/_names.tpl`, NAMES);
  files.set(`${path}/templates/deployment.yaml`, DEPLOYMENT);
  files.set(`${path}/templates/service.yaml`, SERVICE);
  files.set(`${path}/templates/config.yaml`, CONFIG);
  files.set(`${path}/config/${name}.properties`, `name=${name}\nlevel=${random.pick(['info', 'debug'])}\n`);
  const valueFiles = [
    'values.yaml',
    'values-prod.yaml',
    `$fleet/teams/team-${team}/values.yaml`,
    `$fleet/teams/team-${team}/stages/prod-*.yaml`,
  ];
  return {
    name,
    namespace: `team-${team}`,
    source: { repoURL: ADDRESS, path, targetRevision: 'main', helm: { valueFiles, ignoreMissingValueFiles: true } },
    ref: 'fleet',
  };
}

function overlayApplication(files: Map<string, string>, name: string, random: Random): MonorepoApplication {
  const base = random.integer(TEAMS);
  const path = `overlays/${name}`;
  files.set(
    `${path}/kustomization.yaml`,
    `apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
namespace: ${name}
namePrefix: ${name}-
resources:
- ../../bases/base-${base}
images:
- name: registry.example.com/base
  newTag: v${random.integer(50)}
labels:
- pairs:
    app.kubernetes.io/instance: ${name}
  includeSelectors: true
configMapGenerator:
- name: settings
  literals:
  - stage=prod
  files:
  - settings.properties
patches:
- path: replicas.yaml
`,
  );
  files.set(`${path}/settings.properties`, `owner=${name}\nlimit=${random.integer(1000)}\n`);
  files.set(
    `${path}/replicas.yaml`,
    `apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: ${1 + random.integer(9)}\n`,
  );
  return { name, namespace: name, source: { repoURL: ADDRESS, path, targetRevision: 'main' } };
}

function directoryApplication(files: Map<string, string>, name: string, random: Random): MonorepoApplication {
  const path = `plain/${name}`;
  for (let index = 0; index < 2 + random.integer(4); index++) {
    files.set(
      `${path}/part-${index}.yaml`,
      `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}-${index}\n  labels:\n    app: ` +
        `${name}\ndata:\n  number: "${random.integer(1_000_000)}"\n`,
    );
  }
  files.set(
    `${path}/more/rbac.yaml`,
    `apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: ${name}\n---\napiVersion: v1\nkind: Service\n` +
      `metadata:\n  name: ${name}\nspec:\n  ports:\n  - port: ${8000 + random.integer(999)}\n`,
  );
  files.set(`${path}/README.md`, `# ${name}\n`);
  return {
    name,
    namespace: name,
    source: {
      repoURL: ADDRESS,
      path,
      targetRevision: 'main',
      directory: { recurse: true, include: '*.yaml', exclude: 'skip-*' },
    },
  };
}

function writeBase(files: Map<string, string>, base: number, random: Random): void {
  const path = `bases/base-${base}`;
  files.set(
    `${path}/kustomization.yaml`,
    'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n- deployment.yaml\n- service.yaml\n',
  );
  files.set(
    `${path}/deployment.yaml`,
    `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  selector:
    matchLabels:
      app: web
  template:
    metadata:
      labels:
        app: web
    spec:
      containers:
      - name: web
        image: registry.example.com/base:v0
        envFrom:
        - configMapRef:
            name: settings
        ports:
        - containerPort: ${8000 + random.integer(99)}
`,
  );
  files.set(
    `${path}/service.yaml`,
    'apiVersion: v1\nkind: Service\nmetadata:\n  name: web\nspec:\n  selector:\n    app: web\n  ports:\n  - ' +
      'port: 80\n    targetPort: 8080\n',
  );
}

const NAMES = `{{- define "names.full" -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- define "names.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
team: {{ .Values.global.team | default "none" }}
{{- end -}}
`;
const DEPLOYMENT = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "names.full" . }}
  labels:
    {{- include "names.labels" . | nindent 4 }}
spec:
  replicas: {{ .Values.replicas }}
  selector:
    matchLabels:
      app.kubernetes.io/instance: {{ .Release.Name }}
  template:
    metadata:
      annotations:
        checksum/config: {{ include (print $.Template.BasePath "/config.yaml") . | sha256sum }}
      labels:
        {{- include "names.labels" . | nindent 8 }}
    spec:
      containers:
      - name: {{ .Chart.Name }}
        image: "{{ .Values.image.repository }}:{{ .Values.image.tag }}"
        ports:
        - containerPort: {{ .Values.service.port }}
        {{- with .Values.resources }}
        resources:
          {{- toYaml . | nindent 10 }}
        {{- end }}
      {{- with .Values.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
`;
const SERVICE = `apiVersion: v1
kind: Service
metadata:
  name: {{ include "names.full" . }}
  labels:
    {{- include "names.labels" . | nindent 4 }}
spec:
  ports:
  - port: {{ .Values.service.port }}
  selector:
    app.kubernetes.io/instance: {{ .Release.Name }}
`;
const CONFIG = `apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ include "names.full" . }}
data:
  {{- range $path, $bytes := .Files.Glob "config/*" }}
  {{ base $path }}: {{ toString $bytes | quote }}
  {{- end }}
  {{- range $key, $value := .Values.config }}
  {{ $key }}: {{ $value | quote }}
  {{- end }}
`;

/** The repository on disk, with the files as its first commit on `main`. */
export class MonorepoFolder {
  constructor(
    readonly folder: string,
    files: ReadonlyMap<string, string>,
  ) {
    this.#git('init', '--quiet', '--initial-branch=main');
    this.commit(files);
  }

  /** Writes these files (undefined: takes one away) and commits; gives the commit. */
  commit(files: ReadonlyMap<string, string | undefined>): string {
    for (const [path, text] of files) {
      const full = join(this.folder, path);
      mkdirSync(dirname(full), { recursive: true });
      if (text === undefined) rmSync(full);
      else writeFileSync(full, text);
    }
    this.#git('add', '--all');
    this.#git('commit', '--quiet', '--message=change');
    return this.#git('rev-parse', 'HEAD');
  }

  #git(...args: string[]): string {
    const identity = ['-c', 'user.name=bench', '-c', 'user.email=bench@example.com', '-c', 'commit.gpgsign=false'];
    return execFileSync('git', [...identity, ...args], { cwd: this.folder, encoding: 'utf8' }).trim();
  }
}
