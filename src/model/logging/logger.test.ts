import { describe, expect, it } from 'vitest';
import { Fault } from '../faults/index.js';
import { createLogger, NO_LOG, plainLogger, reportTo, type LogFormat, type Logger, type LogLevel } from './index.js';

function logTo(lines: string[], format: LogFormat, level: LogLevel = 'info'): Logger {
  return createLogger({
    level,
    format,
    now: () => Date.UTC(2026, 0, 5, 10, 0, 0, 42),
    write: (line) => lines.push(line),
  });
}

describe('a log', () => {
  it('writes one JSON object a line, its keys in a fixed order', () => {
    const lines: string[] = [];
    const log = logTo(lines, 'json').child({ room: 'control' }).child({ app: 'argocd/shop' });
    log.warn('sync failed', {
      object: 'Deployment shop/web',
      error: new Fault('CLUSTER_UNREACHABLE', 'no answer', { where: 'https://a' }),
    });
    expect(lines).toEqual([
      '{"time":"2026-01-05T10:00:00.042Z","level":"warn","msg":"sync failed: no answer","room":"control",' +
        '"app":"argocd/shop","object":"Deployment shop/web","fault":"CLUSTER_UNREACHABLE"}\n',
    ]);
  });

  it('writes text with the application in front and the fault at the end', () => {
    const lines: string[] = [];
    const log = logTo(lines, 'text').child({ room: 'control' });
    log.info('started leading');
    log.error('sync failed', { app: 'argocd/shop', error: new Fault('STORE_WRITE', 'disk full') });
    expect(lines).toEqual([
      '2026-01-05T10:00:00.042Z INFO  control started leading\n',
      '2026-01-05T10:00:00.042Z ERROR control argocd/shop: sync failed: disk full fault=STORE_WRITE\n',
    ]);
  });

  it.each([
    ['debug', ['debug', 'info', 'warn', 'error']],
    ['info', ['info', 'warn', 'error']],
    ['warn', ['warn', 'error']],
    ['error', ['error']],
  ] as const)('at level %s drops less important lines', (level, expected) => {
    const lines: string[] = [];
    const log = logTo(lines, 'json', level);
    for (const each of ['debug', 'info', 'warn', 'error'] as const) log[each](each);
    expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(expected);
  });

  it('gives the place in the code only for an error that is no fault', () => {
    const lines: string[] = [];
    const log = logTo(lines, 'json');
    log.error('a defect', { error: new TypeError('x is undefined') });
    log.error('a fault', { error: new Fault('STORE_WRITE', 'disk full') });
    log.warn('a failure that is tried again', { error: new Error('conflict') });
    const [defect, fault, failure] = lines.map((line) => JSON.parse(line) as { msg: string; fault?: string });
    expect(defect?.msg).toMatch(/^a defect: TypeError: x is undefined\n\s+at /);
    expect(defect?.fault).toBe('DEFECT');
    expect(fault).toMatchObject({ msg: 'a fault: disk full', fault: 'STORE_WRITE' });
    expect(failure?.msg).toBe('a failure that is tried again: conflict');
    expect(failure?.fault).toBeUndefined();
  });

  it('lets no message forge a line or move the cursor', () => {
    const lines: string[] = [];
    logTo(lines, 'text').info('a\n2026-01-05T10:00:00.042Z INFO control forged\r\u001b[2Jb');
    logTo(lines, 'json').info('a\n{"level":"error"}');
    expect(lines).toEqual([
      '2026-01-05T10:00:00.042Z INFO  a\n    2026-01-05T10:00:00.042Z INFO control forged\\x0d\\x1b[2Jb\n',
      '{"time":"2026-01-05T10:00:00.042Z","level":"info","msg":"a\\n{\\"level\\":\\"error\\"}"}\n',
    ]);
  });

  it('masks the password of an address', () => {
    const lines: string[] = [];
    plainLogger((line) => lines.push(line)).warn('fetch https://git:s3cret@host/a.git and ssh://git@host failed');
    expect(lines).toEqual(['fetch https://git:***@host/a.git and ssh://git@host failed']);
  });

  it('takes reports of rooms that know nothing of logs', () => {
    const lines: string[] = [];
    const report = reportTo(logTo(lines, 'text').child({ room: 'cluster' }));
    report('lost the connection');
    report('answers again', 'info');
    NO_LOG.child({ room: 'cluster' }).error('nobody reads this');
    expect(lines.map((line) => line.slice(25))).toEqual([
      'WARN  cluster lost the connection\n',
      'INFO  cluster answers again\n',
    ]);
  });
});
