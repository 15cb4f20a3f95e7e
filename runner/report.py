"""What the runner says on stdout: lines of its own, marked with a nonce, between what the notebook prints."""
import json
import os
import re

LONGEST_TEXT = 2000
# Of one cell, and of all of them: logs are rotated, and none of our own lines may be lost by that.
ECHO_PER_CELL = 256 * 1024
ECHO_IN_ALL = 4 * 1024 * 1024
COLOURS = re.compile(r'\x1b\[[0-9;?]*[ -/]*[@-~]')


def plain(text):
    """Without terminal colours."""
    return COLOURS.sub('', text)


def cut(text, limit=LONGEST_TEXT):
    """The beginning and the end of a text that is too long, and how much is left out between them."""
    if len(text) <= limit:
        return text
    note = '\n[%d characters left out]\n' % (len(text) - limit)
    room = max(0, limit - len(note))
    return text[:room - room // 2] + note + text[len(text) - room // 2:]


class Report:
    def __init__(self, nonce, descriptor=1):
        self._nonce = nonce
        self._descriptor = descriptor
        self._at_line_start = True
        self._cell_left = ECHO_PER_CELL
        self._left = ECHO_IN_ALL

    def event(self, name, /, **fields):
        """One line for whoever started the runner."""
        if name == 'begin':
            self._cell_left = ECHO_PER_CELL
        line = json.dumps({'event': name, **fields}, separators=(',', ':'), allow_nan=False)
        self._write('%s@argosy %s %s\n' % ('' if self._at_line_start else '\n', self._nonce, line))
        self._at_line_start = True

    def echo(self, text):
        """What the notebook prints, for people who read the log; a line of it never looks like one of ours."""
        if text == '' or self._left <= 0 or self._cell_left <= 0:
            return
        room = min(self._left, self._cell_left)
        shown = text[:room]
        self._left -= len(shown)
        self._cell_left -= len(shown)
        lines = ('' if self._at_line_start else '\0') + shown
        lines = re.sub(r'(^|\n|\r)@argosy', r'\1 @argosy', lines).replace('\0', '')
        self._write(lines)
        self._at_line_start = lines.endswith('\n')
        if len(shown) < len(text) or self._left <= 0 or self._cell_left <= 0:
            self._write('%s[the rest of this output is not shown]\n' % ('' if self._at_line_start else '\n'))
            self._at_line_start = True

    def _write(self, text):
        data = text.encode('utf-8', 'backslashreplace')
        while data:
            data = data[os.write(self._descriptor, data):]
