/** A kind of failure: whether trying again can help, and a sentence that says what to do. */
interface FaultKind {
  readonly retry: boolean;
  readonly hint: string;
}

/** Every failure Argosy reports, by stable code. `docs/faults.md` explains each; a test keeps the two equal. */
export const FAULTS = {
  YAML_INVALID: { retry: false, hint: 'correct the file at the line given' },
  JSON_INVALID: { retry: false, hint: 'correct the text at the position given' },
  VALUE_INVALID: { retry: false, hint: 'correct the value; the message says which form is expected' },
  PATCH_INVALID: { retry: false, hint: 'correct the patch; the message names the operation and path' },
  DATA_UNUSABLE: { retry: false, hint: 'choose a directory that you may write, with --data' },
  STORE_CORRUPT: { retry: false, hint: 'restore the data directory from a backup, or move it away to start empty' },
  STORE_LOCKED: { retry: false, hint: 'stop the other process, or choose another directory with --data' },
  STORE_FORMAT: { retry: false, hint: 'use the version of Argosy that wrote this directory, or a newer one' },
  STORE_WRITE: { retry: true, hint: 'free disk space or repair the disk; writes resume by themselves' },
  PORT_BUSY: { retry: false, hint: 'choose another port, or 0 for any free one' },
  SERVER_ENDED: { retry: true, hint: 'start it again; what was stored is kept' },
  KUBECONFIG_INVALID: { retry: false, hint: 'check the kubeconfig file and context named' },
  CLUSTER_UNREACHABLE: { retry: true, hint: 'check the address and the network' },
  CLUSTER_REFUSED: { retry: false, hint: "the message is the API server's own answer" },
  STAGE_INVALID: {
    retry: false,
    hint: 'correct the stage at the field named; docs/stages.md lists what a stage may say',
  },
  CATALOGUE_INVALID: {
    retry: false,
    hint: 'correct the entry at the field named; docs/catalogue.md lists what an entry may say',
  },
  ACTION_UNKNOWN: { retry: false, hint: 'choose one of the actions named' },
  ACTION_FAILED: { retry: false, hint: 'correct the value given, or the script of the action' },
  FILE_UNREADABLE: { retry: false, hint: 'check the path and its permissions' },
  CHECK_FAILED: { retry: false, hint: 'correct the script; argosy health lint explains what is wrong' },
  RENDER_PATH_ESCAPE: { retry: false, hint: 'keep paths and links inside the repository' },
  RENDER_PATH_MISSING: { retry: false, hint: 'correct the path, or add the file at this revision' },
  MANIFEST_INVALID: { retry: false, hint: 'correct the document at the place named' },
  TOOL_MISSING: { retry: false, hint: 'ask the administrator to name the program with --tool' },
  TOOL_FAILED: { retry: false, hint: 'correct what the program complains about; the text is its own' },
  GPG_MISSING: { retry: true, hint: 'install GnuPG (package gnupg) where Argosy runs' },
  RENDER_LIMIT: { retry: false, hint: 'make it smaller, or split it; the message names the limit' },
  CHART_INVALID: { retry: false, hint: 'correct the chart at the file named' },
  TEMPLATE_FAILED: { retry: false, hint: 'correct the template or the values at the place named' },
  VALUES_INVALID: { retry: false, hint: 'correct the values at the place named' },
  KUSTOMIZATION_INVALID: { retry: false, hint: 'correct the kustomization or the file named' },
  SOURCE_UNREACHABLE: { retry: true, hint: 'check the address and the network; it is tried again' },
  SOURCE_REFUSED: {
    retry: false,
    hint: 'check the repository Secret (user, password, token, key, certificates) and that the repository exists',
  },
  CREDENTIALS_REFUSED: { retry: false, hint: 'check the user, password or token, and what they are allowed to do' },
  SOURCE_INVALID: {
    retry: false,
    hint: 'correct the address or the content of the repository; the message says what is wrong',
  },
  SOURCE_TOO_LARGE: { retry: false, hint: 'make it smaller, or raise the limit that the message names' },
  REVISION_UNKNOWN: { retry: false, hint: 'correct targetRevision; the message names revisions that exist' },
  PATH_MISSING: { retry: false, hint: 'correct the path, or choose a revision that has it' },
  CHART_UNKNOWN: { retry: false, hint: 'correct the chart name or version; the message names versions that exist' },
  KIND_UNKNOWN: {
    retry: false,
    hint: 'install the CustomResourceDefinition, or start the cluster with the world that has it',
  },
  STORY_FAILED: { retry: false, hint: 'see what is there instead; argosy demo heal undoes the story' },
  APPLICATION_UNKNOWN: { retry: false, hint: 'choose one that argosy app list names' },
  NAME_UNKNOWN: { retry: false, hint: 'choose one that the list command of the same group names' },
  NOTEBOOK_UNKNOWN: { retry: false, hint: 'choose one that argosy notebook list names' },
  NOTEBOOK_UNUSABLE: { retry: false, hint: 'correct the notebook, or what it asks of this machine' },
  PYTHON_MISSING: {
    retry: false,
    hint:
      'install Python 3, or name it in ARGOSY_PYTHON; Debian has python3-nbclient and python3-ipykernel for ' +
      'notebooks',
  },
  OPERATION_REFUSED: { retry: false, hint: 'see argosy app get for what stands against it' },
  OPERATION_FAILED: { retry: false, hint: 'see argosy app get --show-operation for what happened to each resource' },
  COMPARISON_FAILED: { retry: false, hint: 'correct what the message names; argosy app get shows every condition' },
  WAIT_TIMED_OUT: { retry: true, hint: 'wait longer with --timeout; argosy app get shows what it waits for' },
  SSO_UNREACHABLE: { retry: true, hint: 'check issuer and rootCA in oidc.config of argocd-cm, and the network' },
  SSO_REFUSED: {
    retry: false,
    hint: 'log in again; if it stays, check oidc.config of argocd-cm and the client of the provider',
  },
  LOGIN_NEEDED: { retry: false, hint: 'log in with argosy login SERVER' },
  API_UNREACHABLE: { retry: true, hint: 'check the address of the server and the network' },
  API_REFUSED: {
    retry: false,
    hint: 'the message is the answer of the server; argosy account can-i tells what one may do',
  },
  USAGE: { retry: false, hint: 'see --help' },
} as const satisfies Record<string, FaultKind>;

export type FaultCode = keyof typeof FAULTS;

/** A surprise, with its code, what happened and where. Expected states are values, never faults. */
export class Fault extends Error {
  readonly code: FaultCode;
  /** File, line, object or field; empty where there is none. */
  readonly where: string;

  constructor(code: FaultCode, message: string, options: { where?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Fault';
    this.code = code;
    this.where = options.where ?? '';
  }

  get retry(): boolean {
    return FAULTS[this.code].retry;
  }

  get hint(): string {
    return FAULTS[this.code].hint;
  }
}
