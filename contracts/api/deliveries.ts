import { createHmac } from 'node:crypto';
import type { JsonObject } from '../../src/model/json/index.js';

/** One delivery of a forge, as it sends it. */
export interface Delivery {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
  /** Keys of argocd-secret that make it prove itself. */
  readonly secrets: Readonly<Record<string, string>>;
  /** What proves it, for these bytes. */
  readonly proof: (bytes: string) => Readonly<Record<string, string>>;
}

export const PUSHED = 'https://git.invalid/acme/shop';
const SECRET = 'a-secret-word';
const commits = [{ added: ['web/new.yaml'], modified: ['web/all.yaml'], removed: [] }];
const hash = (bytes: string): string => createHmac('sha256', SECRET).update(bytes).digest('hex');
const gitHubBody: JsonObject = {
  ref: 'refs/heads/main',
  before: '0'.repeat(40),
  after: '1'.repeat(40),
  repository: {
    html_url: PUSHED,
    clone_url: `${PUSHED}.git`,
    ssh_url: 'git@git.invalid:acme/shop.git',
    default_branch: 'main',
  },
  commits,
};

/** Every reader that /api/webhook has, with a push to the main branch. */
export const DELIVERIES: Readonly<Record<string, Delivery>> = {
  GitHub: {
    headers: { 'x-github-event': 'push' },
    body: gitHubBody,
    secrets: { 'webhook.github.secret': SECRET },
    proof: (bytes) => ({ 'x-hub-signature-256': `sha256=${hash(bytes)}` }),
  },
  'a new branch of GitHub': {
    headers: { 'x-github-event': 'create' },
    body: gitHubBody,
    secrets: { 'webhook.github.secret': SECRET },
    proof: (bytes) => ({ 'x-hub-signature-256': `sha256=${hash(bytes)}` }),
  },
  Gitea: {
    headers: { 'x-gitea-event': 'push', 'x-github-event': 'push' },
    body: gitHubBody,
    secrets: { 'webhook.gogs.secret': SECRET },
    proof: (bytes) => ({ 'x-gitea-signature': hash(bytes) }),
  },
  Gogs: {
    headers: { 'x-gogs-event': 'push' },
    body: gitHubBody,
    secrets: { 'webhook.gogs.secret': SECRET },
    proof: (bytes) => ({ 'x-gogs-signature': hash(bytes) }),
  },
  GitLab: {
    headers: { 'x-gitlab-event': 'Push Hook' },
    body: {
      object_kind: 'push',
      ref: 'refs/heads/main',
      project: { web_url: PUSHED, git_http_url: `${PUSHED}.git`, default_branch: 'main' },
      commits,
    },
    secrets: { 'webhook.gitlab.secret': SECRET },
    proof: () => ({ 'x-gitlab-token': SECRET }),
  },
  Bitbucket: {
    headers: { 'x-hook-uuid': 'none', 'x-event-key': 'repo:push' },
    body: {
      push: { changes: [{ new: { name: 'main', type: 'branch' }, old: { name: 'main' } }] },
      repository: { links: { html: { href: PUSHED } } },
    },
    secrets: { 'webhook.bitbucket.uuid': SECRET },
    proof: () => ({ 'x-hook-uuid': SECRET }),
  },
  'Bitbucket Server': {
    headers: { 'x-event-key': 'repo:refs_changed' },
    body: {
      changes: [{ ref: { id: 'refs/heads/main', displayId: 'main' }, refId: 'refs/heads/main' }],
      repository: { links: { clone: [{ name: 'http', href: `${PUSHED}.git` }], self: [{ href: `${PUSHED}/browse` }] } },
    },
    secrets: { 'webhook.bitbucketserver.secret': SECRET },
    proof: (bytes) => ({ 'x-hub-signature': `sha256=${hash(bytes)}` }),
  },
  'Azure DevOps': {
    headers: { 'x-vss-activityid': 'a' },
    body: {
      eventType: 'git.push',
      resource: {
        refUpdates: [{ name: 'refs/heads/main' }],
        repository: { remoteUrl: PUSHED, defaultBranch: 'refs/heads/main' },
      },
    },
    secrets: { 'webhook.azuredevops.username': 'hook', 'webhook.azuredevops.password': SECRET },
    proof: () => ({ authorization: `Basic ${Buffer.from(`hook:${SECRET}`).toString('base64')}` }),
  },
};
