"""Runs one notebook and tells about each cell as it goes.

Configuration is JSON in ARGOSY_RUN; the nonce that marks our lines is in ARGOSY_NONCE. Every `*.py` file of this folder
is needed beside this one; nothing else is, and no package: nbclient and ipykernel are used where they are installed.
Ends with 0 (all is well), 1 (the notebook's own fault), 3 (configuration), 4 (packages are missing), 5 (trouble of ours).
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True  # the folder may be anybody's

import processes
from checks import Checks
from compare import Comparison
from executor import CellTimeout, KernelDied, KernelUnavailable
from notebook_file import Unusable, merged, read_notebook, tags, text_of
from plain_executor import MagicsNeeded, PlainExecutor
from report import Report, cut, plain

HAS_JUPYTER = 'import importlib.util as u, sys; sys.exit(not (u.find_spec("nbclient") and u.find_spec("ipykernel")))'
INSTALL = 'install Debian\'s python3-nbclient and python3-ipykernel, or pip install nbclient ipykernel'


class Stopped(BaseException):
    """Somebody asked the runner to end."""


class Failed(Exception):
    def __init__(self, category, message, cell=None, code=1):
        super().__init__(message)
        self.category, self.cell, self.code = category, cell, code


def best_python():
    """The first interpreter that has what notebooks need; our own where none has."""
    for candidate in (os.environ.get('ARGOSY_PYTHON'), '/usr/bin/python3', shutil.which('python3')):
        if not candidate or not os.access(candidate, os.X_OK):
            continue
        try:
            if subprocess.run([candidate, '-c', HAS_JUPYTER], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=20).returncode == 0:
                return candidate
        except (OSError, subprocess.TimeoutExpired):
            continue
    return sys.executable


def take_secret():
    """Starts this program again with the nonce in a pipe: an environment can be read by others as long as a process lives."""
    source, target = os.pipe()
    os.write(target, os.environ.pop('ARGOSY_NONCE').encode())
    os.close(target)
    os.set_inheritable(source, True)
    os.environ['ARGOSY_NONCE_FD'] = str(source)
    # ipykernel's debugger has advice for nobody.
    os.environ.setdefault('PYDEVD_DISABLE_FILE_VALIDATION', '1')
    python = best_python()
    os.execv(python, [python, '-B', os.path.abspath(__file__)])


class Run:
    def __init__(self, config, report):
        self._report = report
        self._path = config['notebook']
        self._seconds = config.get('cellSeconds')
        self._output = config.get('output')
        self._is_plain = config.get('plain') is True
        self._workdir = config.get('workdir') or os.path.dirname(os.path.abspath(self._path))
        self._checks = Checks(config.get('validation') or {})
        self._comparison = Comparison(config.get('comparison') or {})
        self._notebook = read_notebook(self._path)
        self._golden = read_notebook(config['golden'], 'golden notebook') if config.get('golden') else None
        self._before = [merged(cell.get('outputs') or []) for cell in self._notebook['cells']]
        self._facts = {}
        self._running = None

    def perform(self):
        cells = self._notebook['cells']
        for cell in cells:
            if cell['cell_type'] == 'code':
                cell['outputs'], cell['execution_count'] = [], None
        executor = self._executor()
        try:
            kernel = executor.start()
            self._report.event('start', kernel=kernel, cells=len(cells), codeCells=sum(cell['cell_type'] == 'code' for cell in cells), notebook=self._path)
            self._run_cells(executor)
        finally:
            _quietly(executor.close)
            self._save()
        self._judge()

    def stopped(self):
        """The cell that ran when somebody asked us to end."""
        return self._running

    def _executor(self):
        environment = {name: value for name, value in os.environ.items() if not name.startswith('ARGOSY_')}
        make = PlainExecutor
        if not self._is_plain:
            try:
                from jupyter_executor import JupyterExecutor as make
            except ImportError:
                pass  # the standard library is always there
        return make(self._notebook, self._workdir, environment, self._report.echo)

    def _run_cells(self, executor):
        ending = None
        for index, cell in enumerate(self._notebook['cells']):
            if cell['cell_type'] != 'code' or cell['source'].strip() == '' or ending is not None or 'skip-execution' in tags(cell):
                self._tell(index, cell, 'Skipped', 0)
                continue
            ending = self._run_cell(executor, index, cell)
        if isinstance(ending, Failed):
            raise ending

    def _run_cell(self, executor, index, cell):
        """A Failed where the notebook ends here, or True where it ended itself and all is well."""
        # Whoever hears of the beginning may stop us at once.
        self._running, started = index, time.monotonic()
        self._report.event('begin', cell=index)
        error = None
        try:
            executor.run(index, cell, self._seconds)
        except CellTimeout:
            error = {'ename': 'CellTimeout', 'evalue': 'the cell ran longer than %s s' % self._seconds, 'traceback': []}
        except KernelDied as death:
            error = {'ename': 'KernelDied', 'evalue': '%s while this cell ran' % death, 'traceback': []}
        cell['outputs'] = merged(cell['outputs'])
        seconds = time.monotonic() - started
        if error is None:
            error = next((output for output in cell['outputs'] if output['output_type'] == 'error'), None)
        elif not any(output['output_type'] == 'error' for output in cell['outputs']):
            cell['outputs'].append({'output_type': 'error', **error})
        is_exit = error is not None and error['ename'] == 'SystemExit' and error['evalue'] in ('', '0', 'None')
        is_fine = error is None or is_exit or ('raises-exception' in tags(cell) and error['ename'] not in ('CellTimeout', 'KernelDied'))
        if is_fine and self._checks.wants_facts(index) and any(output['output_type'] == 'execute_result' for output in cell['outputs']):
            self._facts[index] = executor.facts(cell)
        self._running = None
        self._tell(index, cell, 'Success' if is_fine else 'Failure', seconds, error)
        if is_exit:
            return True
        return None if is_fine else Failed(_category(error['ename']), 'cell %d: %s: %s' % (index, error['ename'], cut(plain(error['evalue']), 1000)), index)

    def _tell(self, index, cell, status, seconds, error=None):
        self._report.event(
            'cell', cell=index, cellType=cell['cell_type'], status=status, executionCount=cell.get('execution_count'), seconds=round(seconds, 3),
            output=cut(plain(text_of(cell.get('outputs') or []))), errorType=error['ename'] if error else '', errorMessage=cut(plain(error['evalue'])) if error else '',
            traceback=cut(plain('\n'.join(error['traceback']))) if error else '')

    def _judge(self):
        failures = []
        for finding in self._checks.findings(self._before, self._notebook, self._facts):
            self._report.event('check', name=finding.name, cell=finding.cell, ok=not finding.fails, message=finding.message if finding.fails else 'warning: ' + finding.message)
            if finding.fails:
                failures.append(finding)
        matched = None
        if self._golden is not None:
            result = self._comparison.result(self._golden, self._notebook)
            self._report.event('comparison', **result)
            matched = result['result'] == 'matched'
        if failures:
            more = '' if len(failures) == 1 else ' (and %d more)' % (len(failures) - 1)
            raise Failed('check_failed', '%s: %s%s' % (failures[0].name, cut(failures[0].message, 1000), more), failures[0].cell)
        if matched is False:
            raise Failed('comparison_failed', 'golden notebook comparison failed (%d/%d cells matched)' % (result['matchedCells'], result['totalCells']))

    def _save(self):
        if self._output:
            with open(self._output, 'w', encoding='utf-8') as file:
                json.dump(self._notebook, file, indent=1)
                file.write('\n')


def _category(name):
    if name in ('ModuleNotFoundError', 'ImportError'):
        return 'dependency_install_failed'
    return 'environment_setup_failed' if name == 'PermissionError' else 'notebook_execution_failed'


def _quietly(act):
    """The end of a kernel is not the notebook's affair: whatever is left of it is killed anyway."""
    try:
        act()
    except Exception:
        pass


def _stop(number, _frame):
    signal.signal(number, signal.SIG_IGN)
    raise Stopped(number)


def main():
    processes.hide_memory()
    if 'ARGOSY_NONCE' in os.environ:
        take_secret()
    source = int(os.environ.pop('ARGOSY_NONCE_FD', '0'))
    with os.fdopen(source, 'r') as pipe:
        report = Report(pipe.read() or 'none')
    processes.adopt_orphans()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _stop)
    if os.getppid() > 1:
        # In a container the parent is somebody outside, whose threads come and go.
        processes.die_with_parent(signal.SIGTERM)
    started, run = time.monotonic(), None

    def end(category, error, cell=None):
        report.event('end', status='failed' if category else 'succeeded', category=category, error=error, failedCell=cell, seconds=round(time.monotonic() - started, 3))

    try:
        run = Run(json.loads(os.environ.pop('ARGOSY_RUN', '{}')), report)
        run.perform()
        code = 0
        end('', '')
    except Failed as failure:
        code = failure.code
        end(failure.category, str(failure), failure.cell)
    except (Unusable, KeyError) as problem:
        code = 3
        end('configuration_error', str(problem) if isinstance(problem, Unusable) else 'ARGOSY_RUN has no %s' % problem)
    except MagicsNeeded as problem:
        code = 4
        end('dependency_install_failed', '%s; %s' % (problem, INSTALL), problem.cell)
    except KernelUnavailable as problem:
        code = 5
        end('environment_setup_failed', str(problem))
    except Stopped as stop:
        code = 128 + stop.args[0]
        cell = run.stopped() if run else None
        end('environment_setup_failed', 'the run was stopped by signal %d%s' % (stop.args[0], '' if cell is None else ' while cell %d ran' % cell), cell)
    except Exception as problem:
        code = 5
        end('environment_setup_failed', 'the runner failed: %s: %s' % (type(problem).__name__, problem))
    left = processes.end_all()
    if left:
        report.echo('processes that could not be ended: %s\n' % ', '.join(map(str, left)))
    os._exit(code)


if __name__ == '__main__':
    main()
