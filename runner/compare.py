"""Golden comparison: the executed notebook against one whose outputs are known to be right."""
import hashlib
import json
import re

from notebook_file import Unusable, merged
from report import plain

MOST_DIFFERENCES = 20
LONGEST_SIDE = 500
LONGEST_DIFF = 1000
# Longer texts are compared as they are: patterns of strangers may take very long on them.
LARGEST_NORMALISED = 256 * 1024
NUMBER = re.compile(r'[-+]?(?:\d+\.\d*|\.\d+|\d+(?=[eE][-+]?\d))(?:[eE][-+]?\d+)?')
ANY_NUMBER = re.compile(r'[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?')
TIMESTAMPS = [re.compile(pattern) for pattern in (
    r'\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[-+]\d{2}:?\d{2})?',
    r'\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(?:\.\d+)?',
    r'\d{2}/\d{2}/\d{4} \d{2}:\d{2}:\d{2}',
    r'Execution time: \d+(?:\.\d+)?s',
    r'Duration: \d+(?:\.\d+)?ms',
    r'\b\d+\.\d+s\b',
    r'(?<![\d.])\d{10,13}(?!\.?\d)',
)]
ADDRESS = re.compile(r'\b0x[0-9a-fA-F]{6,16}\b')


class Comparison:
    def __init__(self, config):
        self.strategy = config.get('strategy') or 'normalized'
        self._tolerance = _tolerance(config.get('floatingPointTolerance', '0.0001'))
        self._ignores_time = config.get('ignoreTimestamps', True)
        self._ignores_count = config.get('ignoreExecutionCount', True)
        self._ignored_types = set(config.get('ignoreOutputTypes') or [])
        self._patterns = TIMESTAMPS + [_pattern(index, text) for index, text in enumerate(config.get('customTimestampPatterns') or [])]

    def result(self, golden, executed):
        """status.comparisonResult, as the API has it."""
        diffs, mismatched = [], 0
        ours, theirs = executed['cells'], golden['cells']
        for index in range(max(len(ours), len(theirs))):
            diff = self._cell(theirs[index] if index < len(theirs) else None, ours[index] if index < len(ours) else None)
            if diff is None:
                continue
            mismatched += 1
            if len(diffs) < MOST_DIFFERENCES:
                diffs.append({'cellIndex': index, **diff})
        return {
            'strategy': self.strategy, 'result': 'failed' if mismatched else 'matched', 'totalCells': len(ours),
            'matchedCells': max(len(ours), len(theirs)) - mismatched, 'mismatchedCells': mismatched, 'diffs': diffs,
        }

    def normalise(self, text):
        """The text that counts under the normalized strategy."""
        text = self._without_chance(text)
        digits = _digits(self._tolerance)
        if digits is not None:
            text = NUMBER.sub(lambda match: _rounded(match.group(), digits), text)
        return ' '.join(text.split())

    def same(self, expected, actual):
        if expected == actual:
            return True
        if self.strategy == 'exact' or max(len(expected), len(actual)) > LARGEST_NORMALISED:
            return False
        return self.normalise(expected) == self.normalise(actual) or self._close(expected, actual)

    def _without_chance(self, text):
        text = ADDRESS.sub('[ADDRESS]', plain(text))
        for pattern in self._patterns if self._ignores_time else ():
            text = pattern.sub('[TIMESTAMP]', text)
        return text

    def _close(self, expected, actual):
        """The same words, and numbers no further apart than the tolerance."""
        left, right = self._without_chance(expected), self._without_chance(actual)
        if NUMBER.search(left) is None and NUMBER.search(right) is None:
            return False
        if [' '.join(part.split()) for part in ANY_NUMBER.split(left)] != [' '.join(part.split()) for part in ANY_NUMBER.split(right)]:
            return False
        return all(self._near(a, b) for a, b in zip(ANY_NUMBER.findall(left), ANY_NUMBER.findall(right)))

    def _near(self, left, right):
        if left == right:
            return True
        if NUMBER.fullmatch(left) is None and NUMBER.fullmatch(right) is None:
            return False
        a, b = float(left), float(right)
        # Half a unit in the last place of the arithmetic itself must not decide.
        return abs(a - b) <= self._tolerance + 1e-12 * max(abs(a), abs(b))

    def _cell(self, golden, executed):
        if golden is None:
            return self._difference(executed, 'extra_cell', '', executed['source'], 'critical')
        if executed is None:
            return self._difference(golden, 'missing_cell', golden['source'], '', 'critical')
        if golden['cell_type'] != executed['cell_type']:
            return self._difference(executed, 'output_mismatch', 'a %s cell' % golden['cell_type'], 'a %s cell' % executed['cell_type'], 'critical')
        if executed['cell_type'] != 'code':
            return None if self.same(golden['source'], executed['source']) else self._difference(executed, 'output_mismatch', golden['source'], executed['source'])
        if not self._ignores_count and golden['execution_count'] != executed['execution_count']:
            return self._difference(executed, 'output_mismatch', 'execution count %s' % golden['execution_count'], 'execution count %s' % executed['execution_count'], 'minor')
        return self._outputs(executed, self._kept(golden), self._kept(executed))

    def _kept(self, cell):
        return [output for output in merged(cell['outputs']) if output.get('output_type') not in self._ignored_types]

    def _outputs(self, cell, golden, executed):
        kinds = [[output.get('output_type') for output in side] for side in (golden, executed)]
        if kinds[0] != kinds[1]:
            kind = 'execution_error' if 'error' in kinds[1] and 'error' not in kinds[0] else 'output_mismatch'
            return self._difference(cell, kind, *('\n'.join(_texts(output)[0][1] for output in side) or 'no output' for side in (golden, executed)), 'critical')
        for expected, actual in zip(golden, executed):
            for (name, left), (other, right) in zip(_texts(expected), _texts(actual)):
                if name != other:
                    return self._difference(cell, 'output_mismatch', name, other, 'critical')
                if not self.same(left, right):
                    return self._difference(cell, 'output_mismatch', left, right)
            if len(_texts(expected)) != len(_texts(actual)):
                return self._difference(cell, 'output_mismatch', *(', '.join(name for name, _ in _texts(side)) for side in (expected, actual)), 'critical')
        return None

    def _difference(self, cell, kind, expected, actual, severity=None):
        return {
            'cellType': 'code' if cell['cell_type'] == 'code' else 'markdown', 'diffType': kind, 'expected': _short(expected, LONGEST_SIDE), 'actual': _short(actual, LONGEST_SIDE),
            'diff': _short(_lines(expected, actual), LONGEST_DIFF), 'severity': severity or _severity(expected, actual),
        }


def _texts(output):
    """What of an output is compared, by name."""
    kind = output.get('output_type')
    if kind == 'stream':
        return [('stream %s' % output.get('name', 'stdout'), output.get('text', ''))]
    if kind == 'error':
        return [('error', '%s: %s' % (output.get('ename', ''), output.get('evalue', '')))]
    data = output.get('data') or {}
    return [(name, _value(name, data[name])) for name in sorted(data)] or [('nothing', '')]


def _value(name, value):
    if name.startswith('image/') and name != 'image/svg+xml':
        return 'image with sha256 %s' % hashlib.sha256(re.sub(r'\s', '', str(value)).encode()).hexdigest()
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)


def _severity(expected, actual):
    squeezed = [''.join(side.split()) for side in (expected, actual)]
    if squeezed[0] == squeezed[1] or ANY_NUMBER.sub('#', squeezed[0]) == ANY_NUMBER.sub('#', squeezed[1]):
        return 'minor'
    return 'major'


def _lines(expected, actual):
    left, right = plain(expected).splitlines(), plain(actual).splitlines()
    result = ['--- expected', '+++ actual']
    for index in range(max(len(left), len(right))):
        a, b = (side[index] if index < len(side) else None for side in (left, right))
        if a == b:
            continue
        result += ['- ' + a] if a is not None else []
        result += ['+ ' + b] if b is not None else []
        if sum(map(len, result)) > LONGEST_DIFF:
            break
    return '\n'.join(result)


def _short(text, limit):
    return plain(text) if len(text) <= limit else plain(text)[:limit - 15] + '... (truncated)'


def _rounded(text, digits):
    value = '%.*f' % (digits, float(text))
    return value[1:] if float(value) == 0 and value.startswith('-') else value


def _digits(tolerance):
    if tolerance <= 0:
        return None
    return next((digits for digits in range(10) if tolerance * 10 ** digits >= 1 - 1e-9), 10)


def _tolerance(value):
    try:
        return float(value)
    except (TypeError, ValueError):
        raise Unusable('comparisonConfig.floatingPointTolerance %s is not a number' % json.dumps(value)) from None


def _pattern(index, text):
    try:
        return re.compile(text)
    except (re.error, TypeError, RecursionError) as error:
        raise Unusable('comparisonConfig.customTimestampPatterns[%d] is not a regular expression: %s' % (index, error)) from None
