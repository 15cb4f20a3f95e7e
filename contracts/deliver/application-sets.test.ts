import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { equal, type JsonObject } from '../../src/model/json/index.js';
import { configMap, ApplicationSetLab } from './application-sets/lab.js';
import { chosenClusters } from './clusters.js';

// ApplicationSets from their generators to what their Applications deliver, and what never deletes any of it.
const LONG = 120_000;

describe.each(chosenClusters('embedded').map((kind) => [kind.name, kind] as const))(
  'ApplicationSets on %s',
  async (_, { missing, open }) => {
    const absent = await missing();
    if (absent !== undefined) {
      it.skip(absent, () => {
        /* the name says why */
      });
      return;
    }
    const folder = mkdtempSync(join(tmpdir(), 'argosy-sets-'));
    let scene: ApplicationSetLab;

    beforeAll(async () => {
      scene = await ApplicationSetLab.open(open, folder, 'sets');
    }, LONG);
    afterAll(async () => {
      await scene.close();
      rmSync(folder, { recursive: true, force: true });
    }, LONG);

    const byFolder = (name: string, more: JsonObject = {}): JsonObject => ({
      goTemplate: true,
      goTemplateOptions: ['missingkey=error'],
      generators: [
        { git: { repoURL: scene.repository(name).url, revision: 'main', directories: [{ path: 'apps/*' }] } },
      ],
      template: scene.template(`${name}-{{.path.basename}}`, scene.repository(name).url, '{{.path.path}}'),
      ...more,
    });
    const byList = (names: readonly string[], url: string, more: JsonObject = {}): JsonObject => ({
      generators: [{ list: { elements: names.map((name) => ({ name })) } }],
      template: scene.template('{{name}}', url, 'apps/one'),
      ...more,
    });

    it(
      'deliver one Application for each folder: folders that come and go are followed, a restart changes nothing',
      async () => {
        const repository = scene.repository('fleet');
        repository.commit({ 'apps/one/map.yaml': configMap('fleet-one'), 'apps/two/map.yaml': configMap('fleet-two') });
        await scene.create('fleet', byFolder('fleet'));
        await scene.untilUpToDate('fleet', ['fleet-one', 'fleet-two']);
        await scene.applications.until(
          'fleet-one',
          { sync: 'Synced', phase: 'Succeeded', objects: { 'ConfigMap/fleet-one': {} } },
          scene.namespace,
        );
        repository.commit({ 'apps/three/map.yaml': configMap('fleet-three') });
        await scene.applications.until(
          'fleet-three',
          { sync: 'Synced', objects: { 'ConfigMap/fleet-three': {} } },
          scene.namespace,
        );
        repository.commit({ 'apps/one/map.yaml': undefined });
        await scene.applications.until(
          'fleet-one',
          { exists: false, objects: { 'ConfigMap/fleet-one': null } },
          scene.namespace,
        );
        await scene.untilUpToDate('fleet', ['fleet-three', 'fleet-two']);
        await scene.untilStatus('fleet', ({ resources }) =>
          equal(
            resources,
            ['fleet-three', 'fleet-two'].map((name) => ({
              group: 'argoproj.io',
              version: 'v1alpha1',
              kind: 'Application',
              namespace: scene.namespace,
              name,
              status: 'Synced',
              health: { status: 'Healthy' },
            })),
          ),
        );

        const before = await scene.identities('fleet');
        await scene.restart();
        await scene.waitForSetReconciles();
        expect(await scene.identities('fleet')).toEqual(before);
      },
      LONG,
    );

    it(
      'change nothing while a template is broken, a repository is away or a generator is unknown, and go on after',
      async () => {
        const repository = scene.repository('broken');
        repository.commit({
          'apps/one/map.yaml': configMap('broken-one'),
          'apps/two/map.yaml': configMap('broken-two'),
        });
        await scene.create('broken', byFolder('broken'));
        await scene.untilUpToDate('broken', ['broken-one', 'broken-two']);
        const before = await scene.uids('broken');
        const good = byFolder('broken');
        const breaks: readonly (readonly [JsonObject, string])[] = [
          [
            { ...good, template: scene.template('broken-{{.path.nothing}}', repository.url, 'x') },
            'map has no entry for key',
          ],
          [{ ...good, template: scene.template('broken-{{.path', repository.url, 'x') }, 'failed to parse template'],
          [
            {
              ...good,
              generators: [{ git: { repoURL: repository.url, revision: 'gone', directories: [{ path: 'apps/*' }] } }],
            },
            'gone',
          ],
          [{ ...good, generators: [{ plugin: { configMapRef: { name: 'x' } } }] }, 'plugin queries a service'],
          [
            {
              ...good,
              strategy: { type: 'RollingSync', rollingSync: { steps: [] } },
              generators: [{ list: { elements: [] } }],
            },
            'RollingSync is not supported',
          ],
        ];
        for (const [spec, words] of breaks) {
          await scene.change('broken', spec);
          await scene.untilRefused('broken', words);
          expect(await scene.uids('broken')).toEqual(before);
        }
        await scene.change('broken', { ...good, strategy: null });
        await scene.untilUpToDate('broken', ['broken-one', 'broken-two']);
        const bringBack = repository.takeAway();
        await scene.refresh('broken');
        await scene.untilRefused('broken', 'broken.git');
        expect(await scene.uids('broken')).toEqual(before);
        bringBack();
        await scene.refresh('broken');
        await scene.untilUpToDate('broken', ['broken-one', 'broken-two']);
        expect(await scene.uids('broken')).toEqual(before);
      },
      LONG,
    );

    it(
      'follow the Secrets of clusters, and let an Application go whose cluster is gone',
      async () => {
        const url = scene.plainRepository();
        await scene.create('clusters', {
          generators: [{ clusters: { selector: { matchLabels: { set: 'clusters' } } } }],
          template: scene.template('on-{{name}}', url, 'apps/one', '{{server}}'),
        });
        await scene.untilUpToDate('clusters', []);
        await scene.addCluster('far', { set: 'clusters' });
        await scene.untilUpToDate('clusters', ['on-far']);
        await scene.removeCluster('far');
        await scene.untilUpToDate('clusters', []);
      },
      LONG,
    );

    it(
      'follow what an operator decides about clusters, and change nothing before it has decided',
      async () => {
        const url = scene.plainRepository();
        await scene.defineDecisions();
        await scene.create('decided', {
          generators: [{ clusterDecisionResource: { configMapRef: 'placement', name: 'best' } }],
          template: scene.template('decided-{{reason}}', url, 'apps/one', '{{server}}'),
        });
        await scene.untilRefused('decided', 'best has not decided yet: it has no status.decisions');
        await scene.decide([
          { clusterName: 'in-cluster', reason: 'near' },
          { clusterName: 'nobody', reason: 'far' },
        ]);
        await scene.refresh('decided');
        await scene.untilUpToDate('decided', ['decided-near']);
        await scene.decide([]);
        await scene.refresh('decided');
        await scene.untilUpToDate('decided', []);
      },
      LONG,
    );

    it.each([
      ['create-only', ['a', 'b', 'c'], 'old'],
      ['create-update', ['a', 'b', 'c'], 'new'],
      ['create-delete', ['b', 'c'], 'old'],
      ['sync', ['b', 'c'], 'new'],
    ] as const)(
      'obey the policy %s',
      async (policy, names, label) => {
        const url = scene.plainRepository();
        const named = (all: readonly string[]): string[] => all.map((name) => `${policy}-${name}`);
        const labelled = (text: string): JsonObject => ({
          ...scene.template('{{name}}', url, 'apps/one'),
          metadata: { name: '{{name}}', labels: { age: text } },
        });
        await scene.create(
          policy,
          byList(named(['a', 'b']), url, { template: labelled('old'), syncPolicy: { applicationsSync: policy } }),
        );
        await scene.untilUpToDate(policy, named(['a', 'b']));
        await scene.change(
          policy,
          byList(named(['b', 'c']), url, { template: labelled('new'), syncPolicy: { applicationsSync: policy } }),
        );
        // Answered by a pass that saw the change.
        await scene.refresh(policy);
        await scene.untilUpToDate(policy, named(names));
        expect(await scene.application(`${policy}-b`)).toMatchObject({ metadata: { labels: { age: label } } });
      },
      LONG,
    );

    it(
      'take back what somebody changed, except what the set preserves or ignores',
      async () => {
        const url = scene.plainRepository();
        await scene.create(
          'kept',
          byList(['kept-a'], url, {
            preservedFields: { annotations: ['team.example.com/note'], labels: ['colour'] },
            ignoreApplicationDifferences: [
              { jsonPointers: ['/spec/source/targetRevision'] },
              { name: 'kept-a', jqPathExpressions: ['.spec.info[]?'] },
            ],
          }),
        );
        await scene.untilUpToDate('kept', ['kept-a']);
        await scene.api.patch(scene.applications.name('kept-a'), {
          metadata: {
            annotations: { 'team.example.com/note': 'mine', 'team.example.com/other': 'gone' },
            labels: { colour: 'red', shape: 'round' },
          },
          spec: { source: { targetRevision: 'other', path: 'apps/other' } },
        });
        await scene.applications.until(
          'kept-a',
          {
            app: {
              metadata: {
                annotations: { 'team.example.com/note': 'mine', 'team.example.com/other': null },
                labels: { colour: 'red', shape: null },
              },
              spec: { source: { targetRevision: 'other', path: 'apps/one' } },
            },
          },
          scene.namespace,
        );
      },
      LONG,
    );

    it(
      'refuse two Applications of one name, and one that belongs to another set',
      async () => {
        const url = scene.plainRepository();
        await scene.create('first', byList(['shared', 'mine'], url));
        await scene.untilUpToDate('first', ['mine', 'shared']);
        await scene.create('second', byList(['shared', 'twice', 'twice', 'good'], url));
        await scene.untilRefused('second', 'Application shared belongs to ApplicationSet first (and 1 more: twice)');
        expect(Object.keys(await scene.uids('second'))).toEqual(['good']);
      },
      LONG,
    );

    it(
      'delete their Applications with them, or let them go where the policy does not delete',
      async () => {
        const url = scene.plainRepository();
        await scene.create('ends', byList(['ends-a'], url));
        await scene.create('leaves', byList(['leaves-a'], url, { syncPolicy: { applicationsSync: 'create-update' } }), [
          'resources-finalizer.argocd.argoproj.io',
        ]);
        await scene.untilUpToDate('ends', ['ends-a']);
        await scene.untilUpToDate('leaves', ['leaves-a']);
        await scene.remove('leaves');
        await scene.remove('ends');
        await scene.untilGone('leaves');
        await scene.applications.until('ends-a', { exists: false }, scene.namespace);
        expect(await scene.application('leaves-a')).toMatchObject({ metadata: { name: 'leaves-a' } });
        expect(await scene.application('leaves-a')).not.toMatchObject({ metadata: { ownerReferences: [{}] } });
      },
      LONG,
    );

    it(
      'a git generator reads only what the project of the set permits; what was delivered before stays',
      async () => {
        const repository = scene.repository('sources');
        repository.commit({ 'apps/one/map.yaml': configMap('sources-one') });
        const others = 'https://git.example.com/team/*';
        await scene.project('team', { sourceRepos: ['*'], destinations: [{ server: '*', namespace: '*' }] });
        const template = scene.template('sources-{{.path.basename}}', repository.url, '{{.path.path}}');
        await scene.create(
          'sources',
          byFolder('sources', {
            template: { ...template, spec: { ...(template.spec as JsonObject), project: 'team' } },
          }),
        );
        await scene.untilUpToDate('sources', ['sources-one']);
        await scene.changeProject('team', { sourceRepos: [others] });
        repository.commit({ 'apps/two/map.yaml': configMap('sources-two') });
        await scene.refresh('sources');
        await scene.untilRefused('sources', "the repository is not permitted in project 'team'");
        expect(await scene.application('sources-one')).toMatchObject({ metadata: { name: 'sources-one' } });
        expect(await scene.application('sources-two')).toEqual({});
        await scene.changeProject('team', { sourceRepos: [others, repository.url] });
        await scene.untilUpToDate('sources', ['sources-one', 'sources-two']);
      },
      LONG,
    );

    it(
      'S31: an Application that its project does not allow is refused; what was delivered stays where preserved',
      async () => {
        const repository = scene.repository('s31');
        await scene.project('guarded', {
          sourceRepos: ['https://git.example.com/*'],
          destinations: [{ server: '*', namespace: '*' }],
        });
        await scene.project('open', { sourceRepos: ['*'], destinations: [{ server: '*', namespace: '*' }] });
        repository.commit({
          'apps/one/map.yaml': configMap('s31-one'),
          'apps/one/config.yaml': 'project: open',
          'apps/two/map.yaml': configMap('s31-two'),
          'apps/two/config.yaml': 'project: guarded',
          'apps/three/config.yaml': 'project: nowhere',
        });
        const template = scene.template('s31-{{.path.basename}}', repository.url, '{{.path.path}}');
        await scene.create('s31', {
          goTemplate: true,
          syncPolicy: { preserveResourcesOnDeletion: true },
          generators: [{ git: { repoURL: repository.url, revision: 'main', files: [{ path: 'apps/*/config.yaml' }] } }],
          template: {
            ...template,
            spec: {
              ...(template.spec as JsonObject),
              project: '{{.project}}',
              source: { ...((template.spec as JsonObject).source as JsonObject), directory: { include: 'map.yaml' } },
            },
          },
        });
        await scene.untilRefused(
          's31',
          's31-three: Application referencing project nowhere which does not exist (and 1 more: s31-two)',
        );
        expect(Object.keys(await scene.uids('s31'))).toEqual(['s31-one']);
        await scene.applications.until(
          's31-one',
          { sync: 'Synced', objects: { 'ConfigMap/s31-one': {}, 'ConfigMap/s31-two': null } },
          scene.namespace,
        );
        // An Application that is there already stays when its input names what is forbidden, and goes without what it
        // delivered when the input goes.
        const before = await scene.uids('s31');
        repository.commit({ 'apps/one/config.yaml': 'project: guarded' });
        await scene.untilRefused('s31', '(and 2 more');
        expect(await scene.uids('s31')).toEqual(before);
        repository.commit({ 'apps/one/config.yaml': undefined });
        await scene.applications.until(
          's31-one',
          { exists: false, objects: { 'ConfigMap/s31-one': {} } },
          scene.namespace,
        );
      },
      LONG,
    );

    it(
      'S31: what was delivered stays also where the set begins to preserve in the moment in which the input goes',
      async () => {
        const url = scene.plainRepository();
        await scene.create('late', byList(['late-a'], url));
        await scene.applications.until(
          'late-a',
          { sync: 'Synced', phase: 'Succeeded', objects: { 'ConfigMap/plain-one': {} } },
          scene.namespace,
        );
        await scene.change('late', byList([], url, { syncPolicy: { preserveResourcesOnDeletion: true } }));
        await scene.applications.until(
          'late-a',
          { exists: false, objects: { 'ConfigMap/plain-one': {} } },
          scene.namespace,
        );
      },
      LONG,
    );

    it(
      'are tried and shown on the command line',
      async () => {
        const url = scene.plainRepository();
        const file = join(folder, 'tried.yaml');
        writeFileSync(
          file,
          JSON.stringify({
            apiVersion: 'argoproj.io/v1alpha1',
            kind: 'ApplicationSet',
            metadata: { name: 'tried' },
            spec: byList(['tried-a', 'tried-b'], url),
          }),
        );
        expect(
          (await scene.argosy('appset', 'generate', file))
            .split('\n')
            .map((line) => line.split(/ +/).slice(0, 4).join(' ')),
        ).toEqual([
          'NAME CLUSTER NAMESPACE PROJECT',
          ...['a', 'b'].map((name) => `sets/tried-${name} https://kubernetes.default.svc sets default`),
          '',
        ]);
        expect(await scene.argosy('appset', 'generate', file, '-o', 'yaml')).toContain('name: tried-b');
        expect(await scene.application('tried-a')).toEqual({});
        await scene.create('shown', byList(['shown-a'], url));
        await scene.untilUpToDate('shown', ['shown-a']);
        expect(
          (await scene.argosy('appset', 'list'))
            .split('\n')
            .find((line) => line.startsWith('sets/shown '))
            ?.split(/ +/),
        ).toEqual([
          'sets/shown',
          'default',
          'nil',
          'Healthy',
          'ParametersGenerated,ResourcesUpToDate',
          url,
          'apps/one',
          'main',
        ]);
        expect(await scene.argosy('appset', 'get', 'shown')).toContain('Health Status:      Healthy\n');
      },
      LONG,
    );

    it(
      'are left to the controller of Argo CD where it runs',
      async () => {
        await scene.api.create(
          {
            apiVersion: 'apps/v1',
            kind: 'Deployment',
            metadata: {
              name: 'argocd-applicationset-controller',
              labels: { 'app.kubernetes.io/name': 'argocd-applicationset-controller' },
            },
            spec: {
              selector: { matchLabels: { a: 'b' } },
              template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'main', image: 'argocd' }] } },
            },
          },
          scene.namespace,
        );
        await scene.untilReady('argocd-applicationset-controller');
        await scene.restart();
        await scene.create('theirs', byList(['theirs-a'], scene.plainRepository()));
        await scene.waitForLogLine(
          `the Argo CD ApplicationSet controller manages ApplicationSets, running as Deployment ` +
            `${scene.namespace}/argocd-applicationset-controller`,
        );
        expect((await scene.set('theirs')).status).toBeUndefined();
      },
      LONG,
    );

    it(
      'stay as they are beside a controller that only looks',
      async () => {
        const only = mkdtempSync(join(tmpdir(), 'argosy-sets-'));
        const looking = await ApplicationSetLab.open(open, only, 'looking', true);
        try {
          const url = looking.plainRepository();
          await looking.create('set', byList(['a'], url));
          await looking.applications.create('plain', {
            source: { repoURL: url, path: 'apps/one' },
            destination: { server: 'https://kubernetes.default.svc', namespace: looking.namespace },
          });
          await looking.waitForReconcile();
          expect((await looking.api.list('Application', looking.namespace)).length).toBe(1);
          expect((await looking.set('set')).status).toBeUndefined();
        } finally {
          await looking.close();
          rmSync(only, { recursive: true, force: true });
        }
      },
      LONG,
    );
  },
);
