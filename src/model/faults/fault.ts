/** A kind of failure: whether trying again can help, and a sentence that says what to do. */
interface FaultKind {
  readonly retry: boolean;
  readonly hint: string;
}

/** Every failure Argosy reports, by stable code. `docs/faults.md` explains each; a test keeps the two equal. */
export const FAULTS = {
  YAML_INVALID: { retry: false, hint: 'fix the file at that line' },
  JSON_INVALID: { retry: false, hint: 'fix the text at that position' },
  VALUE_INVALID: { retry: false, hint: 'fix the value; the message shows the expected format' },
  PATCH_INVALID: { retry: false, hint: 'fix the patch; the message names the operation and path' },
  DATA_UNUSABLE: { retry: false, hint: 'choose a writable directory with --data' },
  STORE_CORRUPT: { retry: false, hint: 'restore the data directory from a backup, or move it away to start empty' },
  STORE_LOCKED: { retry: false, hint: 'stop the other process, or choose another directory with --data' },
  STORE_FORMAT: { retry: false, hint: 'use the version of Argosy that wrote this directory, or a newer one' },
  STORE_WRITE: { retry: true, hint: 'free disk space or repair the disk; writes then resume' },
  PROFILE_FORBIDS: { retry: false, hint: 'remove the setting, or choose another --security-profile' },
  PORT_BUSY: { retry: false, hint: 'choose another port, or 0 for any free one' },
  PROCESS_BROKEN: { retry: true, hint: 'restart it; report the failures that the log has' },
  OBJECT_SET_ASIDE: {
    retry: false,
    hint: 'change or delete the object; argosy up --safe-mode starts without working on any',
  },
  WALLS_MISSING: {
    retry: false,
    hint: 'install bubblewrap and start as root where cgroups can be made, or leave --runtime process out',
  },
  SERVER_ENDED: { retry: true, hint: 'restart it; stored data is kept' },
  KUBECONFIG_INVALID: { retry: false, hint: 'check the kubeconfig file and the context' },
  CLUSTER_UNREACHABLE: { retry: true, hint: 'check the address and the network' },
  CLUSTER_REFUSED: { retry: false, hint: 'the message is from the API server' },
  STAGE_INVALID: {
    retry: false,
    hint: 'fix the stage at that field; docs/stages.md describes the format',
  },
  CATALOGUE_INVALID: {
    retry: false,
    hint: 'fix the entry at that field; docs/catalogue.md describes the format',
  },
  ACTION_UNKNOWN: { retry: false, hint: 'use one of the actions that the message lists' },
  ACTION_FAILED: { retry: false, hint: 'fix the parameter, or the script of the action' },
  FILE_UNREADABLE: { retry: false, hint: 'check the path and its permissions' },
  CHECK_FAILED: { retry: false, hint: 'fix the script; argosy health lint explains what is wrong' },
  RENDER_PATH_ESCAPE: { retry: false, hint: 'keep paths and links inside the repository' },
  RENDER_PATH_MISSING: { retry: false, hint: 'fix the path, or add the file at this revision' },
  MANIFEST_INVALID: { retry: false, hint: 'fix the document at that place' },
  TOOL_MISSING: { retry: false, hint: 'ask the administrator to configure the program with --tool' },
  TOOL_FAILED: { retry: false, hint: 'fix what the program reports; the message is its own' },
  GPG_MISSING: { retry: true, hint: 'install GnuPG (package gnupg) where Argosy runs' },
  RENDER_LIMIT: { retry: false, hint: 'reduce or split it; the message names the limit' },
  CHART_INVALID: { retry: false, hint: 'fix the chart at that file' },
  TEMPLATE_FAILED: { retry: false, hint: 'fix the template or the values at that place' },
  VALUES_INVALID: { retry: false, hint: 'fix the values at that place' },
  KUSTOMIZATION_INVALID: { retry: false, hint: 'fix the kustomization or the file in the message' },
  SOURCE_UNREACHABLE: { retry: true, hint: 'check the address and the network; it is retried' },
  SOURCE_REFUSED: {
    retry: false,
    hint: 'check the repository Secret (user, password, token, key, certificates) and that the repository exists',
  },
  CREDENTIALS_REFUSED: { retry: false, hint: 'check the user, password or token, and its permissions' },
  SOURCE_INVALID: {
    retry: false,
    hint: 'fix the address or the content of the repository; the message says what is wrong',
  },
  SOURCE_TOO_LARGE: { retry: false, hint: 'reduce it, or raise the limit that the message names' },
  REVISION_UNKNOWN: { retry: false, hint: 'fix targetRevision; the message lists revisions that exist' },
  PATH_MISSING: { retry: false, hint: 'fix the path, or choose a revision that has it' },
  CHART_UNKNOWN: { retry: false, hint: 'fix the chart name or version; the message lists versions that exist' },
  KIND_UNKNOWN: {
    retry: false,
    hint: 'install the CRD, or start the embedded cluster with a world that has it',
  },
  STORY_FAILED: { retry: false, hint: 'undo the story with argosy demo heal' },
  APPLICATION_UNKNOWN: { retry: false, hint: 'list applications with argosy app list' },
  NAME_UNKNOWN: { retry: false, hint: 'see the list command of the same group' },
  NOTEBOOK_UNKNOWN: { retry: false, hint: 'list notebooks with argosy notebook list' },
  NOTEBOOK_UNUSABLE: { retry: false, hint: 'fix the notebook, or install what it needs' },
  PYTHON_MISSING: {
    retry: false,
    hint:
      'install Python 3, or name it in ARGOSY_PYTHON; Debian has python3-nbclient and python3-ipykernel for ' +
      'notebooks',
  },
  OPERATION_REFUSED: { retry: false, hint: 'check the state of the application with argosy app get' },
  OPERATION_FAILED: { retry: false, hint: 'see the result of each resource with argosy app get --show-operation' },
  COMPARISON_FAILED: { retry: false, hint: 'fix what the message names; argosy app get shows all conditions' },
  WAIT_TIMED_OUT: { retry: true, hint: 'increase --timeout; argosy app get shows what it waits for' },
  SSO_UNREACHABLE: { retry: true, hint: 'check issuer and rootCA in oidc.config of argocd-cm, and the network' },
  SSO_REFUSED: {
    retry: false,
    hint: 'log in again; if it persists, check oidc.config in argocd-cm and the client of the provider',
  },
  LOGIN_NEEDED: { retry: false, hint: 'log in with argosy login SERVER' },
  API_UNREACHABLE: { retry: true, hint: 'check the server address and the network' },
  API_REFUSED: {
    retry: false,
    hint: 'the message is from the server; argosy account can-i checks your permissions',
  },
  USAGE: { retry: false, hint: 'see --help' },
} as const satisfies Record<string, FaultKind>;

export type FaultCode = keyof typeof FAULTS;

/** A surprise, with its code, what happened and where. Expected states are values, never faults. */
export class Fault extends Error {
  readonly code: FaultCode;
  /** File, line, object or field; empty where there is none. */
  readonly where: string;
  /** What to do: that of the code, unless this case has a better one. */
  readonly hint: string;

  constructor(code: FaultCode, message: string, options: { where?: string; hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Fault';
    this.code = code;
    this.where = options.where ?? '';
    this.hint = options.hint ?? FAULTS[code].hint;
  }

  get retry(): boolean {
    return FAULTS[this.code].retry;
  }
}

/** The message with its place, as conditions and answers show it. */
export function faultText({ message, where }: Fault): string {
  return where === '' ? message : `${message} (${where})`;
}
