import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../cluster/index.js';
import {
  collectCluster,
  collectFiles,
  makePatches,
  openTriage,
  openWhatIf,
  type Expect,
  type PatchSet,
  loadCatalogue,
} from '../../control/index.js';
import {
  compareReports,
  readReport,
  toHtml,
  toMarkdown,
  toSarif,
  toTerminal,
  type Report,
  type Snapshot,
} from '../../triage/index.js';
import { Fault } from '../../model/faults/index.js';
import { parseJson, type Json } from '../../model/json/index.js';
import { type CliHost, openChangedCluster, openCluster, type ClusterFlags } from '../host/index.js';
import { prettyJson } from '../output/index.js';
import { applyFixes, rejectFiles, commitBranch, openCheckouts, writeFixes } from '../repair/index.js';
import { watch, type TriageRun } from './watch.js';

export interface TriageFlags extends ClusterFlags {
  readonly filename?: readonly string[];
  readonly output: 'text' | 'json' | 'md' | 'sarif' | 'html';
  readonly previous?: string;
  readonly watch?: boolean;
  readonly interval: number;
  readonly repo?: readonly string[];
  readonly fix?: string;
  readonly branch?: string;
  readonly apply?: boolean;
  readonly yes?: boolean;
}

/** Prints the causes; the exit code is 2 where one is a P0, 1 where there is another cause or a warning, else 0. */
export async function runTriage(flags: TriageFlags, host: CliHost): Promise<number> {
  if (flags.yes === true && flags.apply !== true)
    throw new Fault('USAGE', '--yes confirms what --apply does: add --apply', { where: '--yes' });
  if (flags.watch === true) return exitCode(await watchReports(flags, host));
  if (flags.apply === true) rejectFiles(flags.filename);
  const previous = flags.previous === undefined ? undefined : readPrevious(flags.previous);
  const { report, snapshot } = await runOnce(flags, host);
  const told = previous === undefined ? report : compareReports(previous, report, snapshot);
  const sets = searchPatches(told, snapshot, flags, host);
  host.stdout.write(print(told, flags.output, host.version, placesOf(sets)));
  repairFiles(told, sets, flags, host);
  if (flags.apply === true) await repairCluster(told, snapshot, flags, host);
  return exitCode(told);
}

/** Where git says what is wrong, where somebody named a repository. */
function searchPatches(report: Report, snapshot: Snapshot, flags: TriageFlags, host: CliHost): readonly PatchSet[] {
  const { fix, branch, repo = [], filename = [] } = flags;
  if (fix === undefined && branch === undefined && repo.length === 0) return [];
  return makePatches(
    report.causes.filter(({ confidence }) => confidence === 'sure'),
    snapshot,
    openCheckouts(repo, filename),
    trialOf(report, snapshot, host),
  );
}

/** `FILE:LINE` by the id of the cause. */
function placesOf(sets: readonly PatchSet[]): ReadonlyMap<string, readonly string[]> {
  return new Map(sets.map(({ cause, patches }) => [cause.id, patches.map(({ file, line }) => `${file}:${line}`)]));
}

/** Patches for git: as files, and as a branch. What was written is told beside the report. */
function repairFiles(report: Report, sets: readonly PatchSet[], flags: TriageFlags, host: CliHost): void {
  if (flags.fix !== undefined)
    for (const name of writeFixes(flags.fix, report, sets)) host.stderr.write(`wrote ${join(flags.fix, name)}\n`);
  if (flags.branch !== undefined)
    for (const line of commitBranch(flags.branch, sets)) host.stderr.write(`committed ${line}\n`);
}

/** Repairs are tried on the snapshot before anybody is offered them. */
function trialOf(report: Report, snapshot: Snapshot, host: CliHost): Expect {
  const trial = openWhatIf(loadCatalogue(host.catalogue), host.now)(snapshot, report);
  return (cause, repair) => trial.expect(cause, repair);
}

async function repairCluster(report: Report, snapshot: Snapshot, flags: TriageFlags, host: CliHost): Promise<void> {
  const cluster = await openChangedCluster(flags, host);
  try {
    host.stderr.write(`context ${cluster.context} (${cluster.server})\n`);
    const confirm: CliHost['confirm'] = (question) =>
      flags.yes === true ? Promise.resolve(true) : host.confirm(question);
    await applyFixes(report, cluster, { stdout: host.stdout, confirm }, trialOf(report, snapshot, host));
  } finally {
    await cluster.close();
  }
}

async function runOnce(flags: TriageFlags, host: CliHost): Promise<TriageRun> {
  const snapshot = await collect(flags, host);
  return { snapshot, report: openTriage(loadCatalogue(host.catalogue), host.now)(snapshot) };
}

/** A report that was written before, as a file of JSON. */
function readPrevious(path: string): Report {
  try {
    return readReport(readFileSync(path, 'utf8'), path);
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault('FILE_UNREADABLE', error instanceof Error ? error.message : String(error), {
      where: path,
      cause: error,
    });
  }
}

async function watchReports(flags: TriageFlags, host: CliHost): Promise<Report> {
  if (flags.output !== 'text' && flags.output !== 'json')
    throw new Fault('USAGE', '--watch prints text or json', { where: '--output' });
  const stopped = host.untilStopped().then(() => false);
  const write = (text: string): void => void host.stdout.write(text);
  return watch({
    run: () => runOnce(flags, host),
    onFirst: (report) =>
      write(flags.output === 'json' ? `${escaped(JSON.stringify(report))}\n` : print(report, 'text', host.version)),
    onChange: (lines, { time, status, history }) =>
      write(
        flags.output === 'json'
          ? `${escaped(JSON.stringify({ time, status, history, changes: lines }))}\n`
          : `${lines.join('\n')}\n`,
      ),
    waitForNext: () =>
      Promise.race([
        stopped,
        new Promise<boolean>((resolve) => systemClock.after(flags.interval * 1000, () => resolve(true))),
      ]),
  });
}

async function collect(flags: TriageFlags, host: CliHost): Promise<Snapshot> {
  if (flags.filename !== undefined && flags.filename.length > 0)
    return collectFiles(flags.filename, { now: host.now() });
  const cluster = await openCluster(flags, host, true);
  try {
    return await collectCluster(cluster, host.now());
  } finally {
    await cluster.close();
  }
}

function print(
  report: Report,
  output: TriageFlags['output'],
  version: string,
  places?: ReadonlyMap<string, readonly string[]>,
): string {
  if (output === 'md') return toMarkdown(report);
  if (output === 'html') return toHtml(report);
  if (output === 'text') return toTerminal(report, places);
  return escaped(prettyJson(output === 'json' ? reportJson(report) : toSarif(report, version)));
}

/**
 * Characters that turn or hide text, or that terminals obey, are written as JSON can write them: it means the same and
 * does nothing.
 */
function escaped(json: string): string {
  return json.replace(
    /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The report as it is: plain data. */
function reportJson(report: Report): Json {
  return parseJson(JSON.stringify(report));
}

/** Where something could not be read, that nothing was found is no all-clear. */
function exitCode({ causes, isPartial }: Report): number {
  if (causes.some(({ severity }) => severity === 'P0')) return 2;
  return isPartial === true || causes.some(({ severity }) => severity !== 'P3') ? 1 : 0;
}
