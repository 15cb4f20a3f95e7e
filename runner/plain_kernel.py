"""The other side of plain_executor: runs code cells in one namespace, one JSON line for each request and answer."""
import ast
import asyncio
import builtins
import inspect
import json
import linecache
import os
import signal
import sys
import traceback
import types

import processes
from describe import describe

# Characters of one value.
LARGEST_VALUE = 1024 * 1024


class Kernel:
    def __init__(self, requests, answers):
        self._requests = os.fdopen(requests, 'r', encoding='utf-8')
        self._answers = os.fdopen(answers, 'w', encoding='utf-8')
        self._pid = os.getpid()
        self._loop = None
        self._shown = []
        self._module = types.ModuleType('__main__')
        self._module.__dict__['__builtins__'] = builtins
        sys.modules['__main__'] = self._module
        builtins.display = self._display

    def serve(self):
        for line in self._requests:
            answer = self._run(json.loads(line))
            sys.stdout.flush()
            sys.stderr.flush()
            # A cell may fork and come here twice; only the first one is the kernel.
            if os.getpid() != self._pid:
                os._exit(0)
            self._answers.write(json.dumps(answer) + '\n')
            self._answers.flush()

    def _display(self, *values, **_):
        for value in values:
            self._shown.append({'output_type': 'display_data', 'metadata': {}, 'data': self._data(value)})

    def _data(self, value):
        data = {'text/plain': repr(value)[:LARGEST_VALUE]}
        rich = getattr(type(value), '_repr_html_', None)
        if rich is not None:
            html = rich(value)
            if isinstance(html, str) and len(html) <= LARGEST_VALUE:
                data['text/html'] = html
        return data

    def _run(self, request):
        source, count, name = request['source'], request['count'], '<cell %d>' % request['cell']
        self._shown = []
        linecache.cache[name] = (len(source), None, source.splitlines(True), name)
        answer = {'result': None, 'facts': None, 'error': None}
        try:
            value = self._execute(source, name)
            if value is not None:
                answer['result'] = {'output_type': 'execute_result', 'execution_count': count, 'metadata': {}, 'data': self._data(value)}
                builtins._ = value
                answer['facts'] = describe(value)
        except BaseException as error:  # the kernel goes on whatever a cell raises
            answer['error'] = self._failure(error)
        answer['shown'] = self._shown
        return answer

    def _execute(self, source, name):
        tree = ast.parse(source, name)
        last = ast.Expression(tree.body.pop().value) if tree.body and isinstance(tree.body[-1], ast.Expr) and not source.rstrip().endswith(';') else None
        self._evaluate(compile(tree, name, 'exec', ast.PyCF_ALLOW_TOP_LEVEL_AWAIT))
        return None if last is None else self._evaluate(compile(last, name, 'eval', ast.PyCF_ALLOW_TOP_LEVEL_AWAIT))

    def _evaluate(self, code):
        value = eval(code, self._module.__dict__)
        if not code.co_flags & inspect.CO_COROUTINE:
            return value
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            asyncio.set_event_loop(self._loop)
        return self._loop.run_until_complete(value)

    def _failure(self, error):
        trace = error.__traceback__
        # Frames of our own say nothing about the notebook.
        while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
            trace = trace.tb_next
        lines = traceback.format_exception(type(error), error, trace)
        return {'ename': type(error).__name__, 'evalue': str(error)[:LARGEST_VALUE], 'traceback': ''.join(lines)[-LARGEST_VALUE:].splitlines()}


def main():
    processes.die_with_parent(signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    kernel = Kernel(int(sys.argv[1]), int(sys.argv[2]))
    # What a notebook imports comes from its own folder, never from ours.
    sys.path[0] = os.getcwd()
    for module in ('processes', 'describe'):
        del sys.modules[module]
    sys.argv = ['']
    sys.stdout.reconfigure(errors='backslashreplace')
    kernel.serve()


main()
