import { AccessLab } from '../../contracts/access/access-lab.js';
import { runTrials, type Proof } from './trials/proof.js';
import { APPLICATIONS, APP_PROJECTS } from '../../src/model/resources/index.js';

/** Milliseconds that the middle of both may differ. */
const MAX_DIFFERENCE = 5;
const KINDS = ['applications', 'projects', 'clusters', 'repositories'] as const;

/**
 * Whoever may see nothing cannot tell what is there from what is not: the same answers, in the same time. A trial is a
 * pair of questions.
 */
export const proof: Proof = {
  name: 'hidden-names',
  sizes: { smoke: 40, full: 1000 },
  async run(context) {
    const lab = await AccessLab.open();
    try {
      await lab.cluster.create(APP_PROJECTS, {
        apiVersion: 'argoproj.io/v1alpha1',
        kind: 'AppProject',
        metadata: { name: 'bank', namespace: 'argocd' },
        spec: { sourceRepos: ['*'], destinations: [{ server: '*', namespace: '*' }] },
      });
      await lab.cluster.create(APPLICATIONS, {
        apiVersion: 'argoproj.io/v1alpha1',
        kind: 'Application',
        metadata: { name: 'bank', namespace: 'argocd' },
        spec: {
          project: 'bank',
          source: { repoURL: 'https://git.example.com/a', path: 'a' },
          destination: { server: 'https://kubernetes.default.svc', namespace: 'bank' },
        },
      });
      await lab.settings('argocd-cm', { 'accounts.stranger': 'apiKey' });
      const admin = await lab.token();
      await lab.until(
        'everything is known',
        async () =>
          (await lab.request('/api/v1/account/stranger', { token: admin })).status === 200 &&
          (await lab.request('/api/v1/applications/bank', { token: admin })).status === 200,
      );
      const token = String(
        (await lab.request('/api/v1/account/stranger/token', { method: 'POST', token: admin, body: {} })).body.token,
      );
      const ask = async (path: string): Promise<{ readonly said: string; readonly took: number }> => {
        const begun = performance.now();
        const { status, body } = await lab.request(path, { token });
        return { said: JSON.stringify([status, body]), took: performance.now() - begun };
      };
      const there = {
        applications: 'bank',
        projects: 'bank',
        clusters: 'in-cluster',
        repositories: 'https%3A%2F%2Fgit.example.com%2Fa',
      };
      const result = await runTrials(context, async (index) => {
        const kind = KINDS[index % KINDS.length] ?? 'applications';
        const [here, absent] = [`/api/v1/${kind}/${there[kind]}`, `/api/v1/${kind}/${there[kind]}x`];
        // Whichever is asked first must not matter.
        const isFirst = index % 2 === 0;
        const one = await ask(isFirst ? here : absent);
        const two = await ask(isFirst ? absent : here);
        const [first, second] = isFirst ? [one, two] : [two, one];
        const same = first.said.replaceAll(there[kind], '') === second.said.replaceAll(`${there[kind]}x`, '');
        return {
          wrong: same ? [] : [`${kind}: ${first.said} is not ${second.said}`],
          counts: { pairs: 1 },
          samples: { 'there ms': first.took, 'absent ms': second.took },
        };
      });
      const apart = Math.abs((result.figures['there ms p50'] ?? 0) - (result.figures['absent ms p50'] ?? 0));
      return { ...result, ok: result.ok && apart < MAX_DIFFERENCE };
    } finally {
      await lab.close();
    }
  },
};
