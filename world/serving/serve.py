"""A small model server: what images of KServe's servers stand for in the demo.

    serve.py [--model_name=NAME] [--model_dir=/mnt/models] [--http_port=8080]

Waits for a model file (model.json of ours, or a pickled one), loads it once and serves it as it was then: who wants a newer
one starts the server again. It listens only when the model is there, so a probe of its port says whether it is ready.
Speaks KServe's protocols v1 and v2; every answer has the version of the model.
"""
import argparse
import hashlib
import json
import os
import pickle
import signal
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ENDINGS = ('.json', '.joblib', '.pkl', '.pickle')
LARGEST_REQUEST = 16 * 1024 * 1024


class Linear:
    """A model of plain numbers, for machines without a library for models."""

    def __init__(self, given):
        self._weights = [float(weight) for weight in given['coefficients']]
        self._start = float(given.get('intercept', 0))

    def predict(self, rows):
        for row in rows:
            if len(row) != len(self._weights):
                raise ValueError('the model wants %d numbers, not %d' % (len(self._weights), len(row)))
        return [self._start + sum(weight * float(value) for weight, value in zip(self._weights, row)) for row in rows]


def find_model(folder):
    """The model file of a folder; one that is called model goes before others."""
    try:
        names = sorted((name for name in os.listdir(folder) if name.endswith(ENDINGS)), key=lambda name: (not name.startswith('model.'), name))
    except OSError:
        return None
    return os.path.join(folder, names[0]) if names else None


def load_model(path):
    """The model and its version: what it says itself, else a digest of its file."""
    with open(path, 'rb') as file:
        raw = file.read()
    digest = hashlib.sha256(raw).hexdigest()[:12]
    if path.endswith('.json'):
        given = json.loads(raw)
        return Linear(given), str(given.get('version', digest))
    if path.endswith('.joblib'):
        import joblib
        given = joblib.load(path)
    else:
        given = pickle.loads(raw)
    if isinstance(given, dict) and 'model' in given:
        return given['model'], str(given.get('version', digest))
    return given, str(getattr(given, 'version', digest))


def wait_for_model(folder):
    said = None
    while True:
        path = find_model(folder)
        try:
            if path is not None:
                return load_model(path)
            problem = 'no model in %s yet' % folder
        except Exception as error:  # it may be written at this moment
            problem = '%s cannot be loaded: %s: %s' % (path, type(error).__name__, error)
        if problem != said:
            print(problem, flush=True)
        said = problem
        time.sleep(0.25)


def plain(value):
    """Numbers of libraries as numbers of JSON."""
    return value.tolist() if hasattr(value, 'tolist') else [plain(item) for item in value] if isinstance(value, (list, tuple)) else value


class Refused(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


class Handler(BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def do_GET(self):
        self._answer(self._look)

    def do_POST(self):
        self._answer(self._predict)

    def log_message(self, form, *values):
        print('%s %s' % (self.command, form % values), flush=True)

    def _answer(self, act):
        try:
            code, body = 200, act()
        except Refused as refused:
            code, body = refused.code, {'error': str(refused)}
        except Exception as error:
            code, body = 500, {'error': '%s: %s' % (type(error).__name__, error)}
        raw = json.dumps(body).encode()
        self.send_response(code)
        self.send_header('Content-Type', 'application/json')
        self.send_header('Content-Length', str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def _name(self, name):
        served = self.server.model_name
        if served is not None and name != served:
            raise Refused(404, 'Model with name %s does not exist.' % name)
        return name

    def _look(self):
        parts = [part for part in self.path.split('?')[0].split('/') if part]
        if not parts:
            return {'status': 'alive'}
        if parts == ['v1', 'models']:
            return {'models': [self.server.model_name or 'model']}
        if parts[:2] == ['v1', 'models'] and len(parts) == 3:
            return {'name': self._name(parts[2]), 'ready': True, 'version': self.server.version}
        if parts[:2] == ['v2', 'health'] and len(parts) == 3:
            return {parts[2]: True}
        if parts[:2] == ['v2', 'models'] and len(parts) in (3, 4):
            return {'name': self._name(parts[2]), 'versions': [self.server.version], 'ready': True}
        raise Refused(404, 'Not Found')

    def _body(self):
        try:
            body = json.loads(b''.join(self._pieces()))
        except ValueError as error:
            raise Refused(400, 'Unrecognized request format: %s' % error) from None
        if not isinstance(body, dict):
            raise Refused(400, 'the request must be an object')
        return body

    def _pieces(self):
        """The body, as it comes: of a known size, or in chunks that tell theirs."""
        is_chunked = 'chunked' in (self.headers.get('Transfer-Encoding') or '').lower()
        left = LARGEST_REQUEST
        while True:
            size = int(self.rfile.readline(100).split(b';')[0], 16) if is_chunked else int(self.headers.get('Content-Length') or 0)
            left -= size
            if left < 0:
                self.close_connection = True
                raise Refused(413, 'the request is too large')
            yield self.rfile.read(size)
            if not is_chunked:
                return
            self.rfile.readline(100)
            if size == 0:
                return

    def _predict(self):
        body = self._body()
        parts = [part for part in self.path.split('?')[0].split('/') if part]
        if parts[:2] == ['v1', 'models'] and len(parts) == 3 and parts[2].endswith(':predict'):
            name = self._name(parts[2][:-len(':predict')])
            rows = body.get('instances', body.get('inputs'))
            if not isinstance(rows, list):
                raise Refused(400, 'Expected "instances" to be a list')
            return {'predictions': self._ask(rows), 'model_name': name, 'model_version': self.server.version}
        if parts[:2] == ['v2', 'models'] and len(parts) == 4 and parts[3] == 'infer':
            return self._infer(self._name(parts[2]), body)
        raise Refused(404, 'Not Found')

    def _infer(self, name, body):
        try:
            tensor = body['inputs'][0]
            data, width = tensor['data'], (tensor.get('shape') or [1])[-1]
        except (KeyError, IndexError, TypeError):
            raise Refused(400, 'Expected "inputs" with data and shape') from None
        rows = data if data and isinstance(data[0], list) else [data[at:at + width] for at in range(0, len(data), max(1, width))]
        found = self._ask(rows)
        return {'model_name': name, 'model_version': self.server.version, 'outputs': [{'name': 'output-0', 'shape': [len(found)], 'datatype': 'FP64', 'data': found}]}

    def _ask(self, rows):
        try:
            return plain(self.server.model.predict(rows))
        except (ValueError, TypeError) as error:
            raise Refused(400, str(error)) from None


def main():
    reader = argparse.ArgumentParser()
    reader.add_argument('--model_name')
    reader.add_argument('--model_dir', default='/mnt/models')
    reader.add_argument('--http_port', type=int, default=8080)
    options, _ = reader.parse_known_args()
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    model, version = wait_for_model(options.model_dir)
    server = ThreadingHTTPServer((os.environ.get('ARGOSY_ADDRESS', '127.0.0.1'), options.http_port), Handler)
    server.model, server.version, server.model_name = model, version, options.model_name
    print('model version %s is loaded' % version, flush=True)
    server.serve_forever()


sys.exit(main())
