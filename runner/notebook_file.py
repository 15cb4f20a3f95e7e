"""Reading notebooks: the JSON of nbformat 4, with every text in one piece."""
import ast
import json
import re

MAGIC = re.compile(r'^\s*(%|!|\?)|\?\s*$')


class Unusable(Exception):
    """The notebook, or what it asks for, cannot be used; running it again changes nothing."""


def read_notebook(path, what='notebook'):
    try:
        with open(path, 'rb') as file:
            raw = file.read()
    except FileNotFoundError:
        raise Unusable('%s %s: no such file' % (what, path)) from None
    except OSError as error:
        raise Unusable('%s %s cannot be read: %s' % (what, path, error.strerror)) from None
    try:
        data = json.loads(raw.decode('utf-8-sig'))
    except UnicodeDecodeError:
        raise Unusable('%s %s is not JSON: it is not UTF-8 text' % (what, path)) from None
    except ValueError as error:
        raise Unusable('%s %s is not JSON: %s' % (what, path, error)) from None
    except RecursionError:
        raise Unusable('%s %s is not a notebook: it is nested too deeply' % (what, path)) from None
    return _checked(data, path, what)


def _checked(data, path, what):
    if not isinstance(data, dict):
        raise Unusable('%s %s is not a notebook: a notebook is a JSON object' % (what, path))
    if data.get('nbformat') != 4:
        raise Unusable('%s %s has format %s; only format 4 can be run, jupyter nbconvert --to notebook makes it' % (what, path, json.dumps(data.get('nbformat'))))
    cells = data.get('cells')
    if not isinstance(cells, list) or not all(isinstance(cell, dict) and cell.get('cell_type') in ('code', 'markdown', 'raw') for cell in cells):
        raise Unusable('%s %s is not a notebook: cells is not a list of code, markdown and raw cells' % (what, path))
    if not isinstance(data.get('metadata'), dict):
        data['metadata'] = {}
    for cell in cells:
        cell['source'] = joined(cell.get('source', ''))
        if not isinstance(cell.get('metadata'), dict):
            cell['metadata'] = {}
        if cell['cell_type'] == 'code':
            cell['outputs'] = [_output(output) for output in cell.get('outputs') or [] if isinstance(output, dict)]
            cell.setdefault('execution_count', None)
    return data


def joined(text):
    """Texts are a string or a list of lines."""
    if isinstance(text, list):
        return ''.join(str(line) for line in text)
    return text if isinstance(text, str) else ''


def _output(output):
    if output.get('output_type') == 'stream':
        output['text'] = joined(output.get('text', ''))
    data = output.get('data')
    if isinstance(data, dict):
        output['data'] = {kind: joined(value) if isinstance(value, list) and not kind.endswith('json') else value for kind, value in data.items()}
    return output


def merged(outputs):
    """Neighbouring pieces of one stream are one output: where they were cut is chance."""
    result = []
    for output in outputs:
        last = result[-1] if result else None
        if last and output.get('output_type') == 'stream' and last.get('output_type') == 'stream' and last.get('name') == output.get('name'):
            last['text'] += output.get('text', '')
        else:
            result.append(dict(output))
    return result


def tags(cell):
    found = cell['metadata'].get('tags')
    return found if isinstance(found, list) else []


def kernel_name(data):
    spec = data['metadata'].get('kernelspec')
    name = spec.get('name') if isinstance(spec, dict) else None
    return name if isinstance(name, str) and name != '' else 'python3'


def first_magic(source):
    """The first line that only IPython understands, or None."""
    try:
        ast.parse(source)
        return None
    except (SyntaxError, ValueError):
        return next((line.strip() for line in source.splitlines() if MAGIC.search(line)), None)


def text_of(outputs):
    """What a person sees of a cell's outputs, errors aside."""
    parts = []
    for output in outputs:
        kind = output.get('output_type')
        if kind == 'stream':
            parts.append(output.get('text', ''))
        elif kind in ('execute_result', 'display_data'):
            parts.append(shown(output.get('data') or {}))
    return '\n'.join(part.rstrip('\n') for part in parts if part != '')


def shown(data):
    """The text of a displayed value; what has none is named by its kind."""
    plain = data.get('text/plain')
    return plain if isinstance(plain, str) else ' '.join('<%s>' % kind for kind in sorted(data))
