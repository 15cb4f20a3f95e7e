"""Runs code cells with nothing but the standard library: one namespace, no magics."""
import json
import os
import platform
import selectors
import subprocess
import sys
import time

from executor import CellTimeout, KernelDied, LARGEST_OUTPUT
from notebook_file import Unusable, first_magic, kernel_name

# Processes that a cell left behind may write for ever.
MOST_PIECES = 100


class PlainExecutor:
    def __init__(self, notebook, workdir, environment, echo):
        self._notebook = notebook
        self._workdir = workdir
        self._environment = environment
        self._echo = echo
        self._count = 0
        self._facts = None

    def start(self):
        name = kernel_name(self._notebook)
        if name not in ('python3', 'python'):
            raise Unusable('kernel %s is not installed: only plain Python is available' % json.dumps(name))
        for index, cell in enumerate(self._notebook['cells']):
            line = first_magic(cell['source']) if cell['cell_type'] == 'code' else None
            if line is not None:
                raise MagicsNeeded(index, line)
        requests, answers = os.pipe(), os.pipe()
        program = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'plain_kernel.py')
        self._process = subprocess.Popen(
            [sys.executable, '-u', program, str(requests[0]), str(answers[1])], cwd=self._workdir, env={**self._environment, 'PYTHONIOENCODING': 'utf-8', 'PYTHONDONTWRITEBYTECODE': '1'},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, pass_fds=(requests[0], answers[1]), start_new_session=True)
        os.close(requests[0])
        os.close(answers[1])
        self._requests = os.fdopen(requests[1], 'w', encoding='utf-8')
        self._answers = answers[0]
        self._streams = {self._process.stdout.fileno(): 'stdout', self._process.stderr.fileno(): 'stderr'}
        for descriptor in (*self._streams, self._answers):
            os.set_blocking(descriptor, False)
        return 'plain Python %s, standard library only' % platform.python_version()

    def run(self, index, cell, seconds):
        """Fills in the cell's outputs; raises when the kernel has not come to the end of it."""
        self._count += 1
        self._facts = None
        cell['execution_count'] = self._count
        try:
            self._requests.write(json.dumps({'source': cell['source'], 'count': self._count, 'cell': index}) + '\n')
            self._requests.flush()
        except BrokenPipeError:
            raise KernelDied('the kernel is gone') from None
        answer = self._listen(cell, None if seconds is None else time.monotonic() + seconds)
        for output in answer['shown'] + ([answer['result']] if answer['result'] else []):
            cell['outputs'].append(output)
            self._echo(output['data']['text/plain'] + '\n')
        self._facts = answer['facts']
        if answer['error']:
            cell['outputs'].append({'output_type': 'error', **answer['error']})
            self._echo('\n'.join(answer['error']['traceback']) + '\n')

    def facts(self, _cell):
        """Facts about the value of the cell that ran last."""
        return self._facts

    def close(self):
        self._process.kill()
        self._process.wait()

    def _listen(self, cell, deadline):
        left, pending = [LARGEST_OUTPUT], b''
        with selectors.DefaultSelector() as selector:
            for descriptor in (*self._streams, self._answers):
                selector.register(descriptor, selectors.EVENT_READ)
            while True:
                ready = selector.select(None if deadline is None else max(0, deadline - time.monotonic()))
                if not ready and deadline is not None and time.monotonic() >= deadline:
                    raise CellTimeout()
                for key, _ in ready:
                    if key.fd in self._streams:
                        if not self._read_stream(cell, key.fd, left):
                            selector.unregister(key.fd)
                        continue
                    piece = os.read(key.fd, 1 << 20)
                    if piece == b'':
                        raise KernelDied(self._ending())
                    pending += piece
                    if pending.endswith(b'\n'):
                        # All that the cell printed is in the pipes by now.
                        for descriptor in self._streams:
                            self._drain(cell, descriptor, left)
                        return json.loads(pending)

    def _drain(self, cell, descriptor, left):
        for _ in range(MOST_PIECES):
            if not self._read_stream(cell, descriptor, left, last=True):
                return

    def _read_stream(self, cell, descriptor, left, last=False):
        try:
            piece = os.read(descriptor, 1 << 16)
        except BlockingIOError:
            return not last
        if piece == b'':
            return False
        text = piece.decode('utf-8', 'replace')
        self._echo(text)
        if left[0] > 0:
            name = self._streams[descriptor]
            cell['outputs'].append({'output_type': 'stream', 'name': name, 'text': text[:left[0]]})
        left[0] -= len(text)
        return True

    def _ending(self):
        code = self._process.wait()
        return 'the kernel was ended by signal %d' % -code if code < 0 else 'the kernel ended with exit code %d' % code


class MagicsNeeded(Exception):
    """The notebook needs IPython, and there is none."""

    def __init__(self, cell, line):
        super().__init__('cell %d uses IPython syntax, %s, but nbclient and ipykernel are not installed' % (cell, json.dumps(line[:80])))
        self.cell = cell
