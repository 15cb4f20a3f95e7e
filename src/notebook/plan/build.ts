import { formatDuration } from '../../model/formats/index.js';
import { type JsonObject, objectAt, textAt } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import {
  type BuildSpec,
  type BuildState,
  type NotebookJob,
  RUN,
  buildName,
  streamName,
  timeOf,
  timeText,
  withoutEmpty,
} from '../job/index.js';
import { ourLabels, ownedBy } from '../pod/index.js';

/** The image that a run builds for itself, and what builds it: both belong to the job and go with it. */
export function buildObjects(job: NotebookJob, build: BuildSpec, runId: string): KubeObject[] {
  const name = buildName(job, runId);
  const metadata = {
    namespace: job.namespace,
    labels: { ...ourLabels(job.name), 'app.kubernetes.io/component': 'validation-build' },
    ownerReferences: ownedBy(job),
  };
  return [
    { apiVersion: 'image.openshift.io/v1', kind: 'ImageStream', metadata: { ...metadata, name: streamName(job) } },
    {
      apiVersion: 'build.openshift.io/v1',
      kind: 'BuildConfig',
      metadata: { ...metadata, name, annotations: { [RUN]: runId } },
      spec: {
        // Each run has its own BuildConfig with one build.
        runPolicy: 'Serial',
        triggers: [{ type: 'ConfigChange' }],
        completionDeadlineSeconds: Math.max(1, Math.ceil(build.milliseconds / 1000)),
        source: withoutEmpty({
          type: 'Git',
          git: { uri: job.notebook.url, ref: job.notebook.ref },
          sourceSecret: job.notebook.secret === '' ? undefined : { name: job.notebook.secret },
          dockerfile: isGenerated(build) ? dockerfile(build) : undefined,
        }),
        strategy: strategyOf(build),
        output: { to: { kind: 'ImageStreamTag', name: `${streamName(job)}:${runId}` } },
      },
    },
  ];
}

function isGenerated({ generatesRequirements, prefersDockerfile }: BuildSpec): boolean {
  return generatesRequirements && !prefersDockerfile;
}

function strategyOf(build: BuildSpec): JsonObject {
  const from: JsonObject = { kind: 'DockerImage', name: build.baseImage };
  if (isGenerated(build)) return { type: 'Docker', dockerStrategy: { from } };
  if (build.prefersDockerfile && build.dockerfile !== '')
    return { type: 'Docker', dockerStrategy: { from, dockerfilePath: build.dockerfile } };
  return { type: 'Source', sourceStrategy: { from } };
}

/** The repository, and whatever requirements it names. */
function dockerfile({ baseImage, requirementsFile }: BuildSpec): string {
  const files = requirementsFile === '' ? ['notebooks/requirements.txt', 'requirements.txt'] : [requirementsFile];
  return [
    `FROM ${baseImage}`,
    'COPY . /opt/app-root/src',
    'WORKDIR /opt/app-root/src',
    `RUN ${files.map((file) => `if [ -f ${file} ]; then pip install --no-cache-dir -r ${file}; fi`).join(' && ')}`,
    '',
  ].join('\n');
}

/** The build of a configuration of ours is always its first. */
export function firstBuildName(job: NotebookJob, runId: string): string {
  return `${buildName(job, runId)}-1`;
}

export type BuildOutcome =
  | { readonly kind: 'building'; readonly phase: 'Pending' | 'Running'; readonly why: string }
  | { readonly kind: 'complete'; readonly image: string }
  | { readonly kind: 'failed'; readonly reason: string; readonly message: string };

export function assessBuild(build: KubeObject): BuildOutcome {
  const status = objectAt(build, 'status');
  const [phase, reason, message] = [textAt(status, 'phase'), textAt(status, 'reason'), textAt(status, 'message')];
  switch (phase) {
    case 'Complete':
      return { kind: 'complete', image: textAt(status, 'outputDockerImageReference') };
    case 'Failed':
    case 'Error':
    case 'Cancelled': {
      const more = textAt(status, 'logSnippet').trim().slice(-500);
      return {
        kind: 'failed',
        reason: reason || phase,
        message: `${message || `the build is ${phase}`}${more === '' ? '' : ` ${more}`}`,
      };
    }
    case 'Running':
      return { kind: 'building', phase: 'Running', why: '' };
    default:
      return { kind: 'building', phase: 'Pending', why: message };
  }
}

/** The build as the status of the job has it. */
export function buildState(build: KubeObject | undefined, before: BuildState, now: number): BuildState {
  if (build === undefined) return before;
  const assessed = assessBuild(build);
  const status = objectAt(build, 'status');
  const [started, ended] = [timeOf(textAt(status, 'startTimestamp')), timeOf(textAt(status, 'completionTimestamp'))];
  return withoutEmpty({
    ...before,
    message: undefined,
    imageReference: undefined,
    ...outcomeOf(assessed),
    ...(assessed.kind === 'building'
      ? {}
      : {
          completionTime: timeText(ended ?? now),
          duration: formatDuration(
            BigInt(Math.max(0, (ended ?? now) - (started ?? timeOf(before.startTime) ?? now))) * 1_000_000n,
          ),
        }),
  }) as BuildState;
}

function outcomeOf(build: BuildOutcome): Pick<Partial<BuildState>, 'phase' | 'message' | 'imageReference'> {
  switch (build.kind) {
    case 'complete':
      return { phase: 'Complete', imageReference: build.image };
    case 'failed':
      return { phase: 'Failed', message: `${build.reason}: ${build.message}` };
    case 'building':
      return { phase: build.phase, ...(build.why === '' ? {} : { message: build.why }) };
    default:
      return build satisfies never;
  }
}
