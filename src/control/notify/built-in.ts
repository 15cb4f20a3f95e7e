/**
 * Built-in triggers and templates. `argocd-notifications-cm` may have its own under the same names. `change` describes
 * the transition of the application: see docs/notifications.md.
 */
const PER_REVISION = 'app.status.operationState?.syncResult?.revision';
const TRIGGERS: readonly {
  readonly name: string;
  readonly when: string;
  readonly send: string;
  readonly oncePer?: string;
}[] = [
  { name: 'on-failed', when: "change.health == 'failed' or change.sync == 'failed'", send: 'app-failed' },
  { name: 'on-recovered', when: "change.health == 'recovered'", send: 'app-recovered' },
  {
    name: 'on-succeeded-after-failure',
    when: "change.sync == 'succeeded after failure'",
    send: 'app-succeeded-after-failure',
  },
  { name: 'on-created', when: 'true', send: 'app-created', oncePer: 'app.metadata.uid' },
  {
    name: 'on-deleted',
    when: 'app.metadata.deletionTimestamp != nil',
    send: 'app-deleted',
    oncePer: 'app.metadata.uid',
  },
  {
    name: 'on-deployed',
    when: "app.status.operationState?.phase == 'Succeeded' and app.status.health?.status == 'Healthy'",
    send: 'app-deployed',
    oncePer: PER_REVISION,
  },
  {
    name: 'on-health-degraded',
    when: "app.status.health?.status == 'Degraded'",
    send: 'app-health-degraded',
    oncePer: PER_REVISION,
  },
  {
    name: 'on-sync-failed',
    when: "app.status.operationState?.phase in ['Error', 'Failed']",
    send: 'app-sync-failed',
    oncePer: PER_REVISION,
  },
  {
    name: 'on-sync-running',
    when: "app.status.operationState?.phase == 'Running'",
    send: 'app-sync-running',
    oncePer: PER_REVISION,
  },
  {
    name: 'on-sync-status-unknown',
    when: "app.status.sync?.status == 'Unknown'",
    send: 'app-sync-status-unknown',
    oncePer: PER_REVISION,
  },
  {
    name: 'on-sync-succeeded',
    when: "app.status.operationState?.phase == 'Succeeded'",
    send: 'app-sync-succeeded',
    oncePer: PER_REVISION,
  },
];

const LINK = '{{if .context.argocdUrl}} {{.context.argocdUrl}}/applications/{{.app.metadata.name}}{{end}}';
const MESSAGES: Readonly<Record<string, string>> = {
  'app-failed': '{{if eq .serviceType "slack"}}:x: {{end}}{{.app.metadata.name}} failed: {{.change.cause}}',
  'app-recovered':
    '{{if eq .serviceType "slack"}}:white_check_mark: {{end}}{{.app.metadata.name}} is healthy again. It ' +
    'had failed: {{.change.cause}}',
  'app-succeeded-after-failure':
    '{{if eq .serviceType "slack"}}:white_check_mark: {{end}}The sync of {{.app.metadata.name}} succeeded ' +
    'after it had failed: {{.change.syncCause}}',
  'app-created': '{{.app.metadata.name}} was created.',
  'app-deleted': '{{.app.metadata.name}} is being deleted.',
  'app-deployed': '{{.app.metadata.name}} is now running {{.app.status.sync.revision}}.',
  'app-health-degraded': '{{.app.metadata.name}} is Degraded: {{.change.cause}}',
  'app-sync-failed':
    'The sync of {{.app.metadata.name}} failed at {{.app.status.operationState.finishedAt}}: ' +
    '{{.app.status.operationState.message}}',
  'app-sync-running':
    'The sync of {{.app.metadata.name}} has been running since {{.app.status.operationState.startedAt}}.',
  'app-sync-status-unknown':
    'The sync status of {{.app.metadata.name}} is Unknown.{{range .app.status.conditions}} {{.message}}{{end}}',
  'app-sync-succeeded': 'The sync of {{.app.metadata.name}} succeeded at {{.app.status.operationState.finishedAt}}.',
};

/** For people a sentence, for programs an object with the same sentence in it. */
function templateOf(text: string): string {
  const body =
    `{{define "text"}}${text}${LINK}{{end}}{"application":{{toJson ` +
    '.app.metadata.name}},"namespace":{{toJson .app.metadata.namespace}},' +
    ('"health":{{toJson .app.status.health.status}},"cause":{{toJson .change.cause}},"text":{{include "text" ' +
      '. | toJson}}}');
  return JSON.stringify({ message: `${text}${LINK}`, webhook: { '*': { method: 'POST', body } } });
}

export const BUILT_IN: readonly (readonly [string, string])[] = [
  ...TRIGGERS.map(
    ({ name, send, ...condition }) => [`trigger.${name}`, JSON.stringify([{ ...condition, send: [send] }])] as const,
  ),
  ...Object.entries(MESSAGES).map(([name, text]) => [`template.${name}`, templateOf(text)] as const),
];
