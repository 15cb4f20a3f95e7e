import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pollDelays } from '../harness/poll-delays.js';
import { chosenClusters } from '../deliver/clusters.js';
import type { ControllerProcess } from '../faults/controller-process.js';
import { openNotifyLab, TOKEN, type NotifyLab } from './notify-lab.js';
import type { ReceivedRequest } from '../harness/webhook-receiver.js';

// Messages as a receiver gets them: one for each transition, whatever happens to the process that sends them.
// ARGOSY_CONTRACT=real: on kube-apiserver.
const LONG = 120_000;
const FLAPS = 20;

const WEBHOOK = (url: string): Record<string, string> => ({
  'service.webhook.pager': `url: ${url}/hook\nheaders: [{name: Authorization, value: Bearer $token}]\n`,
  'service.slack': `apiURL: ${url}/api/\ntoken: $token\nusername: argosy\n`,
});

function words({ body }: ReceivedRequest): string {
  const { text, application } = JSON.parse(body) as { text: string; application?: string };
  return `${application ?? ''}: ${text}`;
}

describe.each(chosenClusters('embedded').map((kind) => [kind.name, kind] as const))(
  'a subscriber (%s)',
  async (_, kind) => {
    const absent = await kind.missing();
    if (absent !== undefined) {
      it.skip(absent, () => {
        /* the name says why */
      });
      return;
    }
    let lab: NotifyLab;
    let controller: ControllerProcess;

    beforeAll(async () => {
      lab = await openNotifyLab(await kind.open());
      await lab.configure(WEBHOOK(lab.receiver.url));
      controller = await lab.start();
      await lab.applications.create('shop', {
        source: { repoURL: lab.repository.url, path: 'app' },
        destination: { server: 'https://kubernetes.default.svc', namespace: 'shop' },
      });
      await lab.applications.sync('shop');
      await lab.applications.until('shop', { sync: 'Synced', health: 'Healthy' }, 'shop');
      await lab.subscribe({
        'notifications.argoproj.io/subscribe.on-failed.pager': '',
        'notifications.argoproj.io/subscribe.on-recovered.pager': '',
      });
    }, LONG);
    afterAll(() => lab.close(), LONG);

    it(
      'hears of each of 20 flaps once, also when the controller is killed meanwhile',
      async () => {
        const { receiver } = lab;
        for (let flap = 1; flap <= FLAPS; flap++) {
          await lab.health('Degraded', `cell ${flap}: ValueError`);
          await receiver.until(flap * 2 - 1);
          if (flap === FLAPS / 2) {
            // The annotation says that the message was taken; nobody is there for what happens next.
            await remembered(lab, `cell ${flap}:`);
            controller.kill();
            await controller.gone();
            await lab.health('Healthy');
            controller = await lab.start();
          } else await lab.health('Healthy');
          await receiver.until(flap * 2);
        }
        const link = 'https://argosy.example.com/applications/shop';
        expect(receiver.received.map(words)).toEqual(
          Array.from({ length: FLAPS }, (_, index) => [
            `shop: shop failed: ConfigMap/model: cell ${index + 1}: ValueError ${link}`,
            `shop: shop is healthy again. It had failed: ConfigMap/model: cell ${index + 1}: ValueError ${link}`,
          ]).flat(),
        );
        expect(new Set(receiver.received.map(({ headers }) => headers['idempotency-key'])).size).toBe(FLAPS * 2);
        expect(
          receiver.received.every(
            ({ method, path, headers }) =>
              method === 'POST' && path === '/hook' && headers.authorization === `Bearer ${TOKEN}`,
          ),
        ).toBe(true);
      },
      LONG,
    );

    it(
      'can tell a message that is sent again because the controller died before it knew that the first was taken',
      async () => {
        const { receiver } = lab;
        const before = receiver.received.length;
        receiver.onMessage = () => {
          controller.kill();
        };
        await lab.health('Degraded', 'twice');
        await receiver.until(before + 1);
        await controller.gone();
        receiver.onMessage = () => undefined;
        controller = await lab.start();
        await receiver.until(before + 2);
        await lab.health('Healthy');
        await receiver.until(before + 3);
        expect(receiver.received.slice(before).map(({ headers }) => headers['idempotency-key'])).toEqual([
          receiver.received[before]?.headers['idempotency-key'],
          receiver.received[before]?.headers['idempotency-key'],
          expect.any(String),
        ]);
        expect(receiver.received[before + 2]?.headers['idempotency-key']).not.toBe(
          receiver.received[before]?.headers['idempotency-key'],
        );
      },
      LONG,
    );

    it(
      'hears of a failed sync and of the next that succeeds, with the cause',
      async () => {
        const { receiver, repository } = lab;
        await lab.subscribe({
          'notifications.argoproj.io/subscribe.on-recovered.pager': '',
          'notifications.argoproj.io/subscribe.on-succeeded-after-failure.slack': 'models',
          'notifications.argoproj.io/subscribe.on-sync-failed.slack': 'models;more',
        });
        const before = receiver.received.length;
        await repository.write('app/bad.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: Not_A_Name}\n');
        await repository.commit();
        await lab.applications.refresh('shop');
        await lab.applications.sync('shop');
        await receiver.until(before + 3);
        await repository.remove('app/bad.yaml');
        await repository.commit();
        await lab.applications.refresh('shop');
        await lab.applications.sync('shop');
        await receiver.until(before + 4);
        const slack = receiver.received
          .slice(before)
          .filter(({ path }) => path === '/api/chat.postMessage')
          .map(({ body }) => JSON.parse(body) as { channel: string; text: string; username: string });
        expect(slack.map(({ channel, username }) => [channel, username])).toEqual([
          ['models', 'argosy'],
          ['more', 'argosy'],
          ['models', 'argosy'],
        ]);
        expect(slack[0]?.text).toContain('Not_A_Name');
        expect(slack[2]?.text).toMatch(
          /^:white_check_mark: The sync of shop succeeded after it had failed: .*Not_A_Name/,
        );
      },
      LONG,
    );

    it(
      'hears by new settings without a restart, and a receiver that was away gets what it missed',
      async () => {
        const { receiver } = lab;
        const before = receiver.received.length;
        receiver.answer = () => ({ status: 503, body: TOKEN });
        await lab.configure({
          ...WEBHOOK(receiver.url),
          'trigger.on-failed': "- when: app.status.health.status == 'Degraded'\n  send: [own]\n",
          'template.own':
            'webhook:\n  pager:\n    method: PUT\n    path: /own/{{.app.metadata.name}}\n    body: |\n      ' +
            '{"text": "{{.app.metadata.name}} {{.context.region}} {{.secrets.token | len}}"}\n',
          context: 'region: east\n',
        });
        let refused = 0;
        receiver.onMessage = () => {
          refused++;
        };
        await lab.health('Degraded', 'away');
        await lab.applications.until(
          'shop',
          { health: 'Degraded', events: { NotificationFailed: 'was not delivered: the receiver responded with 503' } },
          'shop',
        );
        await lab.health('Healthy');
        await lab.applications.until('shop', { health: 'Healthy' }, 'shop');
        receiver.answer = () => ({ status: 200, body: '{"ok":true}' });
        await receiver.until(before + 2);
        expect(refused).toBeGreaterThan(0);
        expect(receiver.received.slice(before).map(({ method, path }) => `${method} ${path}`)).toEqual([
          'PUT /hook/own/shop',
          'POST /hook',
        ]);
        expect(JSON.parse(receiver.received[before]?.body ?? '{}')).toEqual({ text: `shop east ${TOKEN.length}` });
      },
      LONG,
    );

    it(
      'finds no secret anywhere but in the messages',
      async () => {
        await lab.configure({
          ...WEBHOOK(lab.receiver.url),
          'service.webhook.broken': 'url: $token\n',
          'trigger.on-failed': '- when: "true"\n  send: [leak]\n',
          'template.leak': 'message: "{{ fail .secrets.token }}"\n',
        });
        await lab.health('Degraded', 'leak');
        await lab.applications.until('shop', { events: { NotificationFailed: 'cannot be rendered' } }, 'shop');
        const seen = [
          lab.logs(),
          JSON.stringify(await lab.api.list('Event', 'argocd')),
          JSON.stringify(await lab.applications.get('shop')),
          await (await fetch(`http://127.0.0.1:${controller.options.metricsPort}/metrics`)).text(),
        ].join('\n');
        expect(lab.logs()).toContain('service.webhook.broken');
        for (const form of [TOKEN, Buffer.from(TOKEN).toString('base64').replace(/=+$/, ''), encodeURIComponent(TOKEN)])
          expect(seen).not.toContain(form);
        expect(seen).toContain('argocd_notifications_deliveries_total{');
      },
      LONG,
    );
  },
);

/** Waits until the application says that it was told. */
async function remembered(lab: NotifyLab, cause: string): Promise<void> {
  for (const end = Date.now() + 20_000, next = pollDelays(); Date.now() < end; await next()) {
    const { annotations } = (await lab.applications.get('shop'))?.metadata as { annotations: Record<string, string> };
    if (
      annotations['argosy.dev/notified-change']?.includes(cause) === true &&
      annotations['notified.notifications.argoproj.io']?.includes('on-failed') === true
    )
      return;
  }
  throw new Error(`the application does not say that ${cause} was told`);
}
