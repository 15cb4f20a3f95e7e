import { BOOL, namedType, pointerTo, STRING, STRINGS, type GoMethod, type GoType } from '../template/go-type.js';
import { GoSlice, GoStringer, GoStruct, type GoValue } from '../template/value.js';
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
  fields: ['Version', 'Major', 'Minor'].map((name) => ({ name, type: STRING })),
  methods: new Map([
    ['String', kubeMethod((version) => version.normal)],
    ['GitVersion', kubeMethod((version) => version.full)],
  ]),
};

function kubeMethod(text: (version: KubeVersion) => string): GoMethod {
  return { parameters: [], result: STRING, call: (receiver) => (receiver instanceof KubeVersionValue ? text(receiver.version) : '') };
}

/** Prints itself as the version without vendor suffix, which is what `{{ .Capabilities.KubeVersion }}` shows. */
class KubeVersionValue extends GoStringer {
  readonly type = KUBE_VERSION;

  constructor(readonly version: KubeVersion) {
    super();
  }

  text(): string {
    return this.version.normal;
  }

  override field(name: string): GoValue {
    const { full, major, minor } = this.version;
    return { Version: full, Major: major, Minor: minor }[name] ?? null;
  }
}

const BUILD_INFO: GoType = {
  name: 'version.BuildInfo',
  kind: 'struct',
  fields: ['Version', 'GitCommit', 'GitTreeState', 'GoVersion', 'KubeClientVersion'].map((name) => ({ name, type: STRING })),
};

const CAPABILITIES = pointerTo({
  name: 'common.Capabilities',
  kind: 'struct',
  fields: [{ name: 'KubeVersion', type: KUBE_VERSION }, { name: 'APIVersions', type: VERSION_SET }, { name: 'HelmVersion', type: BUILD_INFO }],
});

/** As a Helm that was built from its module says about itself. */
const HELM_VERSION = new GoStruct(BUILD_INFO, { Version: 'v4.2', GitCommit: '', GitTreeState: '', GoVersion: 'go1.26.8', KubeClientVersion: 'v1.36' });

/** `.Capabilities`: Helm's own list of versions and those given besides. */
export function capabilitiesOf(version: KubeVersion, apiVersions: readonly string[]): GoStruct {
  return new GoStruct(CAPABILITIES, {
    KubeVersion: new KubeVersionValue(version),
    APIVersions: new GoSlice(VERSION_SET, [...API_VERSIONS, ...apiVersions]),
    HelmVersion: HELM_VERSION,
  });
}
