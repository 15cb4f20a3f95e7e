import type { JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { ApiError } from '../../errors/index.js';
import type { LocalClient } from '../../rest/index.js';
import { maybe, text } from '../../resources/index.js';
import { allowedImage, type AllowedImage } from './allowed-image.js';
import { dataBytes } from './container-environment.js';
import { BUILDS } from '../../../model/resources/index.js';

/** The repository that an image was built from: its files are the image's own. */
export interface BuiltSource {
  readonly uri: string;
  /** The commit of the build, and the ref in case a server does not give commits. */
  readonly revisions: readonly string[];
  /** Of the Secret that the build names. */
  readonly login: readonly [username: string, password: string] | undefined;
}

/** Where builds put the files of the repository. */
export const BUILT_FOLDER = '/opt/app-root/src';

/**
 * An image that a build of this namespace made from an allowed one runs as that one does, with the files of its
 * repository.
 */
export function builtImage(
  client: LocalClient,
  allowed: readonly AllowedImage[],
  namespace: string,
  image: string,
): (AllowedImage & { readonly source: BuiltSource }) | undefined {
  const build =
    image === ''
      ? undefined
      : buildsOf(client, namespace).find(
          ({ status }) =>
            text(asObject(status), 'phase') === 'Complete' &&
            text(asObject(status), 'outputDockerImageReference') === image,
        );
  if (build === undefined) return undefined;
  const spec = asObject(build.spec);
  const from = maybe(spec, 'strategy.dockerStrategy.from') ?? maybe(spec, 'strategy.sourceStrategy.from');
  const entry = text(from, 'kind') === 'DockerImage' ? allowedImage(allowed, text(from, 'name'), namespace) : undefined;
  const git = maybe(spec, 'source.git');
  if (entry === undefined || git === undefined) return undefined;
  const revisions = [text(maybe(spec, 'revision.git'), 'commit'), text(git, 'ref'), 'HEAD'].filter(
    (revision) => revision !== '',
  );
  return {
    ...entry,
    source: {
      uri: text(git, 'uri'),
      revisions,
      login: loginOf(client, namespace, text(maybe(spec, 'source.sourceSecret'), 'name')),
    },
  };
}

function asObject(value: KubeObject['spec']): JsonObject | undefined {
  return maybe({ value: value ?? null }, 'value');
}

function buildsOf(client: LocalClient, namespace: string): KubeObject[] {
  try {
    return client.list(BUILDS, namespace);
  } catch (error) {
    // A cluster without OpenShift's kinds has no builds.
    if (error instanceof ApiError && error.code === 404) return [];
    throw error;
  }
}

function loginOf(client: LocalClient, namespace: string, name: string): readonly [string, string] | undefined {
  const secret = name === '' ? undefined : client.get({ group: '', plural: 'secrets' }, namespace, name);
  const part = (key: string): string => dataBytes(secret, key)?.toString('utf8') ?? '';
  const password = part('password') || part('token');
  return password === '' ? undefined : [part('username') || 'git', password];
}

/** Only what goes over a network: git knows addresses that are commands. */
const PROTOCOLS = 'http:https:ssh:git';
const USER = 'ARGOSY_SOURCE_USER';
const PASSWORD = 'ARGOSY_SOURCE_PASSWORD';
const VARIABLES = [
  'GIT_ALLOW_PROTOCOL',
  'GIT_TERMINAL_PROMPT',
  'GIT_CONFIG_NOSYSTEM',
  'GIT_CONFIG_COUNT',
  'GIT_CONFIG_KEY_0',
  'GIT_CONFIG_VALUE_0',
  USER,
  PASSWORD,
];

/** What git needs to know, and the program that is started afterwards does not. */
export function sourceVariables({ login }: BuiltSource): {
  readonly values: readonly (readonly [string, string])[];
  readonly secrets: readonly string[];
} {
  const helper = `!f() { printf 'username=%s\\npassword=%s\\n' "$${USER}" "$${PASSWORD}"; }; f`;
  return {
    values: [
      ['GIT_ALLOW_PROTOCOL', PROTOCOLS],
      ['GIT_TERMINAL_PROMPT', '0'],
      ['GIT_CONFIG_NOSYSTEM', '1'],
      ...(login === undefined
        ? []
        : ([
            ['GIT_CONFIG_COUNT', '1'],
            ['GIT_CONFIG_KEY_0', 'credential.helper'],
            ['GIT_CONFIG_VALUE_0', helper],
            [USER, login[0]],
            [PASSWORD, login[1]],
          ] as const)),
    ],
    secrets: [USER, PASSWORD],
  };
}

/** Address, revisions and program are arguments, never part of the script. */
const SCRIPT = `
folder=$1 directory=$2 uri=$3 count=$4; shift 4
git init -q "$folder" || exit 125
fetched=
while [ "$count" -gt 0 ]; do
  [ -n "$fetched" ] || ! git -C "$folder" fetch -q --depth 1 -- "$uri" "$1" || fetched=yes
  shift; count=$((count - 1))
done
[ -n "$fetched" ] && git -C "$folder" checkout -q FETCH_HEAD || {
  echo "the files that this image was built with cannot be fetched from $uri" >&2
  exit 125
}
cd "$directory" && exec env ${VARIABLES.map((name) => `-u ${name}`).join(' ')} "$@"
`;

/** The program of a container, after the files of its image. */
export function withSource(
  { uri, revisions }: BuiltSource,
  workingDirectory: string,
  command: readonly string[],
): string[] {
  return [
    '/bin/sh',
    '-c',
    SCRIPT,
    'sh',
    BUILT_FOLDER,
    workingDirectory || BUILT_FOLDER,
    uri,
    String(revisions.length),
    ...revisions,
    ...command,
  ];
}
