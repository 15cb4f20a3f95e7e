"""Runs cells in a Jupyter kernel, by nbclient."""
import asyncio
import json
import logging
import os
import shutil
import tempfile

import nbclient
import nbformat
from jupyter_client.kernelspec import KernelSpecManager
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

from executor import CellTimeout, KernelDied, KernelUnavailable, LARGEST_OUTPUT
from notebook_file import Unusable, kernel_name, shown
from report import plain

START_SECONDS = 60
ASK_SECONDS = 10


class Client(nbclient.NotebookClient):
    """Shows output as it comes, and keeps no more of it than there is room for."""

    def begin(self, echo):
        self.show, self.room = echo, LARGEST_OUTPUT

    def process_message(self, msg, cell, cell_index):
        content = msg['content']
        if msg['msg_type'] == 'stream':
            text = content['text']
            self.show(text)
            self.room -= len(text)
            if self.room + len(text) <= 0:
                return None
            content['text'] = text[:max(0, self.room + len(text))]
        elif msg['msg_type'] in ('execute_result', 'display_data'):
            self.show(shown(content['data']) + '\n')
            self.room -= sum(len(value) for value in content['data'].values() if isinstance(value, str))
            if self.room < 0:
                content['data'] = {'text/plain': shown(content['data'])[:1000]}
        elif msg['msg_type'] == 'error':
            self.show(plain('\n'.join(content['traceback'])) + '\n')
        return super().process_message(msg, cell, cell_index)


class JupyterExecutor:
    def __init__(self, notebook, workdir, environment, echo):
        self._name = kernel_name(notebook)
        self._workdir = workdir
        self._environment = environment
        self._echo = echo
        self._loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self._loop)
        self._nodes = nbformat.from_dict(notebook)
        logging.getLogger('traitlets').setLevel(logging.CRITICAL)
        self._client = Client(self._nodes, kernel_name=self._name, timeout=None, startup_timeout=START_SECONDS, store_widget_state=False)
        self._folder = tempfile.mkdtemp(prefix='argosy-kernel-')
        # A home that cannot be written is no reason to fail, and profiles of people none to differ.
        os.environ.update(JUPYTER_RUNTIME_DIR=self._folder, IPYTHONDIR=self._folder)

    def start(self):
        known = sorted(KernelSpecManager().find_kernel_specs())
        if self._name not in known:
            raise Unusable('kernel %s is not installed; available: %s' % (json.dumps(self._name), ', '.join(known) or 'none'))
        with open(os.path.join(self._folder, 'kernel.log'), 'wb') as log:
            environment = {**self._environment, 'JUPYTER_RUNTIME_DIR': self._folder, 'IPYTHONDIR': self._folder, 'PYDEVD_DISABLE_FILE_VALIDATION': '1'}
            try:
                info = self._wait(self._connect(cwd=self._workdir, env=environment, stdout=log, stderr=log))
            except Exception as error:
                raise KernelUnavailable('kernel %s does not start: %s%s' % (json.dumps(self._name), error, self._last_words())) from error
        language = info['content']['language_info']
        return 'nbclient %s (%s %s)' % (self._name, language['name'].capitalize(), language['version'])

    def run(self, index, cell, seconds):
        """Fills in the cell's outputs; raises when the kernel has not come to the end of it."""
        node = self._nodes['cells'][index]
        self._client.begin(self._echo)
        self._client.timeout = seconds
        try:
            self._wait(self._client.async_execute_cell(node, index))
        except CellTimeoutError:
            raise CellTimeout() from None
        except DeadKernelError:
            raise KernelDied('the kernel died%s' % self._last_words()) from None
        except CellExecutionError:
            pass  # the outputs have it
        finally:
            cell['outputs'] = [json.loads(json.dumps(output)) for output in node['outputs']]
            cell['execution_count'] = node['execution_count']

    def facts(self, cell):
        """Facts about the value of a cell that has just run, asked of its kernel."""
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'describe.py'), encoding='utf-8') as file:
            source = file.read()
        ask = '(lambda space: (exec(%r, space), __import__("json").dumps(space["describe"](Out[%d])))[1])({})' % (source, cell['execution_count'] or 0)
        try:
            answer = self._wait(asyncio.wait_for(self._ask(ask), ASK_SECONDS))
            return json.loads(_literal(answer['data']['text/plain'])) if answer.get('status') == 'ok' else None
        except (asyncio.TimeoutError, KeyError, ValueError):
            return None

    def close(self):
        try:
            if self._client.km is not None and self._client.km.has_kernel:
                self._wait(_maybe(self._client.km.shutdown_kernel(now=True)))
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)

    async def _connect(self, **options):
        self._client.km = self._client.create_kernel_manager()
        await self._client.async_start_new_kernel(**options)
        await self._client.async_start_new_kernel_client()
        return await _maybe(self._client.kc.kernel_info(reply=True))

    async def _ask(self, expression):
        request = self._client.kc.execute('', silent=True, store_history=False, user_expressions={'facts': expression})
        while True:
            message = await _maybe(self._client.kc.get_shell_msg(timeout=ASK_SECONDS))
            if message['parent_header'].get('msg_id') == request:
                return message['content'].get('user_expressions', {}).get('facts', {})

    def _wait(self, awaitable):
        return self._loop.run_until_complete(awaitable)

    def _last_words(self):
        try:
            with open(os.path.join(self._folder, 'kernel.log'), 'rb') as file:
                lines = file.read().decode('utf-8', 'replace').strip().splitlines()
        except OSError:
            return ''
        return ': ' + lines[-1][:500] if lines else ''


async def _maybe(value):
    return await value if asyncio.iscoroutine(value) or asyncio.isfuture(value) else value


def _literal(text):
    import ast
    return ast.literal_eval(text)
