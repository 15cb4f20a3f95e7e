"""Validation levels and expected outputs, judged by the executed notebook."""
import ast
import json
import re

from notebook_file import Unusable, text_of

SWITCHES = ('failOnStderr', 'failOnWarnings', 'detectSilentFailures', 'requireExplicitExitCodes', 'checkOutputTypes', 'verifyAssertions')
# What each level asks for; a switch that is written overrides its level, and strict mode is production.
LEVELS = {
    'learning': (),
    'development': ('detectSilentFailures',),
    'staging': ('detectSilentFailures', 'requireExplicitExitCodes', 'verifyAssertions'),
    'production': SWITCHES,
}
WARNING = re.compile(r'\b\w*Warning:.*')
NOTHING = re.compile(r'(?:np\.|numpy\.)?(?:float\d*\()?(?:nan|NaN|None|<NA>|NaT|array\(nan\))\)?')
SHAPE = re.compile(r'\(\s*\d+\s*(?:,\s*\d+\s*)*,?\s*\)')
NUMBER = re.compile(r'[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?')
ALIASES = {'string': 'str', 'text': 'str', 'integer': 'int', 'boolean': 'bool', 'array': 'ndarray', 'object': 'dict', 'double': 'float'}
NUMERIC = {'int', 'float', 'complex', 'number', 'decimal'}


class Finding:
    def __init__(self, name, cell, message, fails=True):
        self.name, self.cell, self.message, self.fails = name, cell, message, fails


class Checks:
    def __init__(self, config):
        level = config.get('level') or 'development'
        if level not in LEVELS:
            raise Unusable('validationConfig.level %s is unknown: use one of %s' % (json.dumps(level), ', '.join(LEVELS)))
        if config.get('strictMode') is True:
            level = 'production'
        # In a lesson everything is worth a word, and a failure only what somebody asked for.
        self._is_lesson = level == 'learning'
        self._on = {name for name in SWITCHES if (config[name] if isinstance(config.get(name), bool) else name in LEVELS[level])}
        if self._is_lesson:
            self._on.discard('detectSilentFailures')  # the original has it on everywhere, so it is no wish
        self._advised = set(SWITCHES) if self._is_lesson else {'verifyAssertions'} if level == 'development' else set()
        self._advised -= {name for name in SWITCHES if config.get(name) is False}
        self._expected = config.get('expectedOutputs') or []
        for index, expected in enumerate(self._expected):
            _check_expected(expected, index)

    def wants_facts(self, index):
        """Whether the value of this cell will be looked at."""
        return any(expected['cell'] == index for expected in self._expected)

    def findings(self, before, notebook, facts):
        """All findings; `before` has the outputs that the notebook came with, `facts` those about values by cell."""
        cells = [(index, cell) for index, cell in enumerate(notebook['cells']) if cell['cell_type'] == 'code' and cell['execution_count'] is not None]
        looks = {
            'failOnStderr': lambda: (found for index, cell in cells for found in _stderr(index, cell)),
            'failOnWarnings': lambda: (found for index, cell in cells for found in _warnings(index, cell)),
            'detectSilentFailures': lambda: (found for index, cell in cells for found in _nothings(index, cell)),
            'requireExplicitExitCodes': lambda: (found for index, cell in cells for found in _exit_codes(index, cell)),
            'checkOutputTypes': lambda: (found for index, cell in cells for found in _types(index, before[index], cell)),
            'verifyAssertions': lambda: _assertions(cells),
        }
        for name, look in looks.items():
            if name in self._on or name in self._advised:
                for cell, message in look():
                    yield Finding(name, cell, message, name in self._on)
        for expected in self._expected:
            message = _expected(expected, notebook, facts.get(expected['cell']))
            if message is not None:
                yield Finding('expectedOutputs', expected['cell'], message, not self._is_lesson)


def _stderr(index, cell):
    text = ''.join(output.get('text', '') for output in cell['outputs'] if output.get('output_type') == 'stream' and output.get('name') == 'stderr').strip()
    return [(index, 'cell %d wrote to stderr: %s' % (index, text.splitlines()[-1][:300]))] if text else []


def _warnings(index, cell):
    for output in cell['outputs']:
        if output.get('output_type') == 'stream' and output.get('name') == 'stderr':
            found = WARNING.search(output.get('text', ''))
            if found:
                return [(index, 'cell %d warned: %s' % (index, found.group()[:300]))]
    return []


def _nothings(index, cell):
    result = _result(cell)
    return [(index, 'the value of cell %d is %s' % (index, result.strip()))] if result is not None and NOTHING.fullmatch(result.strip()) else []


def _result(cell):
    found = [output for output in cell['outputs'] if output.get('output_type') == 'execute_result']
    text = (found[-1].get('data') or {}).get('text/plain') if found else None
    return text if isinstance(text, str) else None


def _exit_codes(index, cell):
    """Commands whose exit code nobody looks at."""
    lines = cell['source'].splitlines()
    if '_exit_code' not in cell['source']:
        shell = next((line.strip() for line in lines if line.lstrip().startswith(('!', '%system', '%sx'))), None)
        if shell is not None:
            return [(index, 'cell %d ignores the exit code of %s' % (index, json.dumps(shell[:100])))]
    try:
        tree = ast.parse('\n'.join(line for line in lines if not line.lstrip().startswith(('!', '%'))))
    except SyntaxError:
        return []
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            name = ast.unparse(node.value.func)
            is_checked = any(word.arg == 'check' and not (isinstance(word.value, ast.Constant) and not word.value.value) for word in node.value.keywords)
            if name in ('os.system', 'subprocess.call', 'subprocess.run', 'subprocess.Popen') and not is_checked:
                return [(index, 'cell %d ignores the exit code of %s' % (index, name))]
    return []


def _types(index, before, cell):
    if not before:
        return []
    expected, actual = _kinds(before), _kinds(cell['outputs'])
    return [] if expected == actual else [(index, 'cell %d produced %s before and %s now' % (index, ', '.join(expected) or 'nothing', ', '.join(actual) or 'nothing'))]


def _kinds(outputs):
    kinds = []
    for output in outputs:
        kind = output.get('output_type')
        name = kind if kind not in ('stream', 'execute_result', 'display_data') else output.get('name') if kind == 'stream' else '%s %s' % (kind, '+'.join(sorted(output.get('data') or {})))
        if kinds[-1:] != [name]:
            kinds.append(name)
    return kinds


def _assertions(cells):
    pattern = re.compile(r'^\s*assert\b|\bassert_\w+\(|\.assert[A-Z]\w*\(', re.M)
    return [] if any(pattern.search(cell['source']) for _, cell in cells) or not cells else [(None, 'no cell asserts anything')]


def _check_expected(expected, index):
    where = 'validationConfig.expectedOutputs[%d]' % index
    if not isinstance(expected, dict) or not isinstance(expected.get('cell'), int) or expected['cell'] < 0:
        raise Unusable('%s.cell must be the number of a cell, the first being 0' % where)
    for name in ('minValue', 'maxValue'):
        if expected.get(name) not in (None, ''):
            try:
                float(expected[name])
            except (TypeError, ValueError):
                raise Unusable('%s.%s %s is not a number' % (where, name, json.dumps(expected[name]))) from None
    if expected.get('shape') not in (None, '') and _sizes(expected['shape']) is None:
        raise Unusable('%s.shape %s is not a list of sizes such as "-1,10"' % (where, json.dumps(expected['shape'])))


def _sizes(text):
    parts = [part.strip() for part in str(text).strip().strip('()[]').split(',') if part.strip() != '']
    try:
        return [int(part) for part in parts] or None
    except ValueError:
        return None


def _expected(expected, notebook, facts):
    """What is wrong with the output of the cell, or None."""
    index, cells = expected['cell'], notebook['cells']
    if index >= len(cells) or cells[index]['cell_type'] != 'code':
        return 'cell %d is not a code cell' % index
    cell = cells[index]
    text, facts = text_of(cell['outputs']).strip(), facts or {}
    for look in (_wrong_emptiness, _wrong_type, _wrong_shape, _wrong_range):
        message = look(expected, cell, text, facts)
        if message is not None:
            return 'cell %d: %s' % (index, message)
    return None


def _wrong_emptiness(expected, cell, text, facts):
    if not expected.get('notEmpty'):
        return None
    return 'its output is empty' if facts.get('size') == 0 or (text == '' and not any(output.get('data') for output in cell['outputs'])) else None


def _wrong_type(expected, cell, _text, facts):
    wanted = expected.get('type') or ''
    if wanted == '':
        return None
    name = ALIASES.get(wanted.lower(), wanted.lower())
    types = {each.lower() for each in facts.get('types') or []}
    kinds = {kind for output in cell['outputs'] for kind in (output.get('data') or {})} | {output.get('name') for output in cell['outputs'] if output.get('output_type') == 'stream'} | {output.get('output_type') for output in cell['outputs']}
    if name in types or (name in ('number', 'numeric') and (types & NUMERIC or any(each.startswith('numpy.') and facts.get('shape') == [] for each in types))):
        return None
    if wanted in kinds or any(kind and kind.split('/')[0] == name for kind in kinds) or (name in ('str', 'stream') and 'stdout' in kinds and not types):
        return None
    actual = (facts.get('types') or [None])[0] or ', '.join(sorted(kind for kind in kinds if kind)) or 'nothing'
    return 'expected the type %s, got %s' % (wanted, actual)


def _wrong_shape(expected, _cell, text, facts):
    if expected.get('shape') in (None, ''):
        return None
    wanted = _sizes(expected['shape'])
    printed = SHAPE.findall(text)
    # A cell often ends with `table.shape`: then the value itself is the shape.
    candidates = [sizes for sizes in (facts.get('sizes'), facts.get('shape'), _sizes(printed[-1]) if printed else None) if sizes is not None]
    if any(len(sizes) == len(wanted) and all(want in (-1, size) for want, size in zip(wanted, sizes)) for sizes in candidates):
        return None
    return 'expected the shape (%s), got %s' % (', '.join(map(str, wanted)), '(%s)' % ', '.join(map(str, candidates[0])) if candidates else 'no shape')


def _wrong_range(expected, _cell, text, facts):
    numbers = NUMBER.findall(text)
    for field, fact, is_wrong, word in (('minValue', 'min', lambda a, b: a < b, 'at least'), ('maxValue', 'max', lambda a, b: a > b, 'at most')):
        if expected.get(field) in (None, ''):
            continue
        value = facts.get(fact)
        if value is None and numbers:
            value = float(numbers[-1])
        if value is None or value == 'NaN' or is_wrong(value, float(expected[field])):
            return 'expected %s %s, got %s' % (word, expected[field], 'no number' if value is None else value)
    return None
