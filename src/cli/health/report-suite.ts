import { Fault } from '../../model/faults/index.js';
import { runSuite, type SuiteOptions, type SuiteResult } from './suite.js';

/** Runs a suite and tells each failure, then the counts. */
export function reportSuite(
  directory: string,
  options: SuiteOptions,
  output: string | undefined,
): { text: string; failed: boolean } {
  const results = runSuite(directory, options);
  if (results.length === 0) {
    throw new Fault(
      'USAGE',
      `no cases in ${directory}: a case is a line in GROUP/KIND/health_test.yaml or ` +
        'GROUP/KIND/actions/action_test.yaml',
      { where: directory },
    );
  }
  const failed = results.some(({ failure }) => failure !== undefined);
  if (output === 'json') return { text: `${JSON.stringify({ ...counts(results), results }, null, 2)}\n`, failed };
  const failures = results.flatMap(({ name, failure }) =>
    failure === undefined ? [] : [`FAILED ${name}\n  ${failure}\n`],
  );
  const summary = (['health', 'discovery', 'action'] as const).flatMap((about) => {
    const mine = results.filter((result) => result.about === about);
    const { passed, failed: lost } = counts(mine);
    return mine.length === 0 ? [] : [`${about.padEnd(9)}  ${passed} passed, ${lost} failed\n`];
  });
  const total = counts(results);
  return { text: [...failures, ...summary, `${total.passed} passed, ${total.failed} failed\n`].join(''), failed };
}

function counts(results: readonly SuiteResult[]): { passed: number; failed: number } {
  const failed = results.filter(({ failure }) => failure !== undefined).length;
  return { passed: results.length - failed, failed };
}
