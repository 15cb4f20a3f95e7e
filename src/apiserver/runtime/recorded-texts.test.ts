import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answerText, type ImageAnswer } from './images/image-answers.js';
import { parseImage } from './images/image-reference.js';
import { probeFailure } from './probe-times.js';

/** What the kubelet of a real node said with each version of containerd; addresses are made equal, as there. */
const RECORDED = join(import.meta.dirname, '../../../../shared/node/recorded');
const absent = existsSync(RECORDED) ? undefined : 'skipped: the recordings of a real node (not on this machine)';

type Recording = Readonly<Record<string, readonly string[]>>;

function recordingOf(version: string): Recording {
  return JSON.parse(readFileSync(join(RECORDED, `containerd-${version}.json`), 'utf8')) as Recording;
}

/** Schemes, addresses and realms are of the registry that was asked there. */
function same(text: string): string {
  return (
    text
      .replaceAll(/https?:\/\//g, 'http://')
      .replaceAll(/lookup (\S+) on \S+:53/g, 'lookup $1 on SERVER')
      .replaceAll(/\/(?:auth|token)\?scope/g, '/TOKEN?scope')
      .replaceAll(/service=[^:]+: /g, 'service=SERVICE: ')
      .replaceAll(/\b10\.\d+\.\d+\.\d+\b|PODIP/g, 'ADDRESS')
      // A body that is no JSON is added by some versions.
      .replace(/\ndenied$/, '')
  );
}

const PULLS: Readonly<Record<string, readonly [image: string, answer: ImageAnswer]>> = {
  'image-tag': ['10.213.0.1:5000/shop/app:nope', 'notFound'],
  'image-private': ['10.213.0.1:5000/private/app:1', 'basicAuth'],
  'image-token': ['10.213.0.1:5000/token/app:1', 'unauthorized'],
  'image-denied': ['10.213.0.1:5000/denied/app:1', 'forbidden'],
  'image-limited': ['10.213.0.1:5000/limited/app:1', 'rateLimited'],
  'image-sick': ['10.213.0.1:5000/sick/app:1', 'serverError'],
  'image-no-host': ['registry.nowhere.example/app:1', 'noSuchHost'],
  'image-refused': ['10.213.0.1:5999/app:1', 'refused'],
};

const PROBES = {
  'readiness-refused': ['Readiness', { readinessProbe: { httpGet: { path: '/ready', port: 8080 } } }],
  'readiness-tcp': ['Readiness', { readinessProbe: { tcpSocket: { port: 8080 } } }],
  liveness: ['Liveness', { livenessProbe: { httpGet: { path: '/healthz', port: 8080 } } }],
  startup: ['Startup', { startupProbe: { httpGet: { path: '/healthz', port: 8080 } } }],
} as const;

describe.skipIf(absent !== undefined)(absent ?? 'texts of the simulated kubelet beside those of a real one', () => {
  it.each(['1.7', '2.1'])('failed pulls with containerd %s', (version) => {
    const recording = recordingOf(version);
    for (const [fault, [name, answer]] of Object.entries(PULLS)) {
      const image = parseImage(name);
      if (image === undefined) throw new Error(name);
      const said = `EVENT Pod Warning Failed [kubelet]: Failed to pull image "${name}": `;
      const ours = same(said + answerText(answer, { image, containerd: version }));
      expect((recording[`f-${fault}`] ?? []).map(same), fault).toContain(ours);
    }
  });

  it.each(['1.7', '2.1'])('failed probes with containerd %s', (version) => {
    const recording = recordingOf(version);
    for (const [fault, [kind, container]] of Object.entries(PROBES)) {
      const ours = same(`EVENT Pod Warning Unhealthy [kubelet]: ${probeFailure(kind, container, '10.88.0.9')}`);
      expect((recording[`f-${fault}`] ?? []).map(same), fault).toContain(ours);
    }
  });
});
