import { BOOL, namedType, pointerTo, STRING, STRINGS, type GoMethod, type GoType } from '../template/value/go-type.js';
import { GoSlice, GoStruct } from '../template/value/go-value.js';
import { API_VERSIONS } from './api-versions.js';
import type { KubeVersion } from './kube-version.js';

const has: GoMethod = {
  parameters: [STRING],
  result: BOOL,
  call: (receiver, [version = null]) => receiver instanceof GoSlice && receiver.items.includes(version),
};

const VERSION_SET = namedType('common.VersionSet', STRINGS, new Map([['Has', has]]));

const KUBE_VERSION: GoType = {
  name: 'common.KubeVersion',
  kind: 'struct',
  // The second is private in Go: a template cannot name it, and %v shows it.
  fields: ['Version', 'normalizedVersion', 'Major', 'Minor'].map((name) => ({ name, type: STRING })),
  methods: new Map([
    ['String', textOf('normalizedVersion')],
    ['GitVersion', textOf('Version')],
  ]),
};

function textOf(field: string): GoMethod {
  return {
    parameters: [],
    result: STRING,
    call: (receiver) => (receiver instanceof GoStruct ? (receiver.fields[field] ?? '') : ''),
  };
}

/** An action prints it as the version without vendor suffix, which is what `{{ .Capabilities.KubeVersion }}` shows. */
function kubeVersionValue({ full, normal, major, minor }: KubeVersion): GoStruct {
  return new GoStruct(KUBE_VERSION, { Version: full, normalizedVersion: normal, Major: major, Minor: minor }, normal);
}

const BUILD_INFO: GoType = {
  name: 'version.BuildInfo',
  kind: 'struct',
  fields: ['Version', 'GitCommit', 'GitTreeState', 'GoVersion', 'KubeClientVersion'].map((name) => ({
    name,
    type: STRING,
  })),
};

const CAPABILITIES = pointerTo({
  name: 'common.Capabilities',
  kind: 'struct',
  fields: [
    { name: 'KubeVersion', type: KUBE_VERSION },
    { name: 'APIVersions', type: VERSION_SET },
    { name: 'HelmVersion', type: BUILD_INFO },
  ],
});

/** As a Helm that was built from its module says about itself. */
const HELM_VERSION = new GoStruct(BUILD_INFO, {
  Version: 'v4.2',
  GitCommit: '',
  GitTreeState: '',
  GoVersion: 'go1.26.8',
  KubeClientVersion: 'v1.36',
});

/** `.Capabilities`: Helm's own list of versions and those given besides. */
export function capabilitiesOf(version: KubeVersion, apiVersions: readonly string[]): GoStruct {
  return new GoStruct(CAPABILITIES, {
    KubeVersion: kubeVersionValue(version),
    APIVersions: new GoSlice(VERSION_SET, [...API_VERSIONS, ...apiVersions]),
    HelmVersion: HELM_VERSION,
  });
}
