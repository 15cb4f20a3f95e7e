import { homedir } from 'node:os';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { RunningDemo } from '../host/index.js';
import { NO_SIGN_IN } from '../serve/index.js';
import { formatOverview, isWell } from './overview.js';

export interface WelcomeFacts {
  /** How the user calls this program. */
  readonly command: string;
  /** Nothing works on what is stored. */
  readonly isSafeMode?: boolean;
  readonly kubernetes: string;
  readonly kubeconfig: string;
  /** The page, and who may enter it; the password only where it was made now. */
  readonly web?: { readonly url: string; readonly hasSignIn: boolean; readonly password?: string };
  readonly demo?: RunningDemo;
  readonly applications: readonly KubeObject[];
}

/** What is printed once everything runs: where it is, how the applications are, and what to do next. */
export function formatWelcome(facts: WelcomeFacts): string {
  const { kubernetes, kubeconfig, web, demo, applications } = facts;
  const places = [
    ...(web === undefined
      ? []
      : [
          ['Web UI', web.url],
          ...(web.hasSignIn ? [] : NO_SIGN_IN.map((line) => ['', line])),
          ...(web.password === undefined
            ? []
            : [
                ['user', 'admin'],
                ['password', `${web.password}   (shown only once)`],
              ]),
        ]),
    ['Kubernetes API', kubernetes],
    ['kubeconfig', short(kubeconfig)],
    ...(demo === undefined ? [] : [['Git repository', `${short(demo.repository)}  (commits here are deployed)`]]),
  ];
  const table = applications.length === 0 ? [] : [...formatOverview(applications).trimEnd().split('\n'), ''];
  return [
    '',
    facts.isSafeMode === true ? 'Argosy is up in safe mode: nothing works on what is stored.' : 'Argosy is up.',
    '',
    ...places.map(([name = '', text = '']) => `${name.padEnd(16)}${text}`),
    '',
    ...table,
    ...advice(facts),
    '',
    'Ctrl-C stops it; the data is kept.',
    '',
  ]
    .map((line) => (line === '' ? '' : `  ${line}`))
    .concat('')
    .join('\n');
}

/** Three commands to try; the first two concern the applications listed. */
function advice({ command, kubeconfig, applications, demo, isSafeMode = false }: WelcomeFacts): string[] {
  if (isSafeMode)
    return [
      'Delete what breaks the start:',
      `kubectl --kubeconfig ${short(kubeconfig)} delete --force --grace-period=0 KIND NAME`,
      'Then stop this, and start without --safe-mode.',
    ];
  const ill = applications.find((application) => !isWell(application))?.metadata.name;
  const tries = [
    ...(ill === undefined
      ? [[`${command} app list`, 'every application']]
      : [
          [`${command} triage`, 'root causes and how to fix them'],
          [`${command} app get ${ill}`, 'why it is unhealthy or out of sync'],
        ]),
    ...(demo === undefined
      ? [[`kubectl --kubeconfig ${short(kubeconfig)} get nodes`, 'an ordinary Kubernetes API']]
      : [[`${command} demo list`, 'fifty real incidents to reproduce']]),
  ];
  const width = Math.max(...tries.map(([words = '']) => words.length)) + 2;
  return tries.map(
    ([words = '', about = ''], at) => `${(at === 0 ? 'Try' : '').padEnd(6)}${words.padEnd(width)}${about}`,
  );
}

/** Paths of the user begin with ~, as shells know it. */
function short(path: string): string {
  const home = homedir();
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
