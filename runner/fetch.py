"""Fetches one ref of a git repository and makes sure that the notebook is in it.

ARGOSY_GIT is JSON: url, ref, path (of the notebook), target (a folder). A Secret may be mounted at /argosy/git-credentials
(ARGOSY_GIT_CREDENTIALS names another folder): `ssh-privatekey` (with `known_hosts` where host keys are to be checked
against it), or `username` with `password` or `token`. Nothing of it comes into a command line or an environment.
Ends with 10 (authentication), 11 (no such repository), 12 (no such ref), 13 (no such notebook), 14 (network: try again
later), 15 (no git here), 3 (configuration). The last line on stderr says what happened.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

AUTH, REPOSITORY, REF, NOTEBOOK, NETWORK, NO_GIT, CONFIGURATION = 10, 11, 12, 13, 14, 15, 3
PROTOCOLS = 'http:https:git:ssh'
ASKPASS = '#!/bin/sh\ncase "$1" in Username*) cat "$ARGOSY_LOGIN/username" ;; *) cat "$ARGOSY_LOGIN/password" ;; esac\n'
# What git and the servers say, in the order in which it is looked for.
SYMPTOMS = [
    (REF, r"couldn't find remote ref|not our ref|invalid refspec|not a valid ref|remote branch .* not found|unable to find [0-9a-f]{40}|cannot obtain needed object"),
    (AUTH, r'authentication failed|could not read username|could not read password|permission denied|access denied|returned error: 40[13]|host key verification failed|invalid credentials|no supported authentication methods'),
    (REPOSITORY, r'repository .*not found|not found$|does not appear to be a git repository|returned error: 404|could not be found|no such repository|repository not exported'),
]
UNADVERTISED = re.compile(r'unadvertised object|not our ref', re.I)
# Servers that only have files.
WHOLE_ONLY = re.compile(r'does not support shallow', re.I)


class Refused(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def masked(text):
    """Without user names and passwords in addresses."""
    return re.sub(r'(\w+://)[^/@\s]+@', r'\1', text)


class Fetch:
    def __init__(self, asked, credentials, folder):
        try:
            self._url, self._ref, self._path, self._target = (asked[name] for name in ('url', 'ref', 'path', 'target'))
        except KeyError as missing:
            raise Refused(CONFIGURATION, 'ARGOSY_GIT has no %s' % missing) from None
        if not re.match(r'(?:(?:https?|git|ssh)://|[\w.-]+@[\w.-]+:)', self._url) or re.search(r'[\x00-\x20]', self._url):
            raise Refused(CONFIGURATION, '%s is not the URL of a git repository' % json.dumps(masked(self._url)))
        if self._ref == '' or self._ref.startswith('-') or re.search(r'[\x00-\x20~^:?*\[\\]|\.\.|@\{', self._ref):
            raise Refused(REF, '%s is not a branch, tag or commit' % json.dumps(self._ref))
        self._environment = {name: value for name, value in os.environ.items() if not name.startswith(('GIT_', 'ARGOSY_', 'SSH_'))}
        self._environment.update(
            GIT_ALLOW_PROTOCOL=PROTOCOLS, GIT_TERMINAL_PROMPT='0', GIT_CONFIG_NOSYSTEM='1', GIT_CONFIG_GLOBAL='/dev/null', LC_ALL='C', HOME=folder,
            **{name: value for name, value in os.environ.items() if name in ('GIT_SSL_CAINFO', 'GIT_SSL_NO_VERIFY')})
        self._log_in(credentials, folder)

    def perform(self):
        self._empty_target()
        self._git('init', '--quiet', '--template=', self._target)
        failure = self._try('fetch', '--quiet', '--depth', '1', '--no-tags', '--', self._url, self._ref)
        wanted = 'FETCH_HEAD'
        if failure is not None and WHOLE_ONLY.search(failure):
            failure = self._try('fetch', '--quiet', '--no-tags', '--', self._url, self._ref)
        if failure is not None and re.fullmatch(r'[0-9a-f]{7,64}', self._ref) and (UNADVERTISED.search(failure) or self._code(failure) == REF):
            # A commit that the server gives only with the branches it is on.
            failure = self._try('fetch', '--quiet', '--', self._url, '+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*')
            wanted = self._ref
        if failure is not None:
            raise Refused(self._code(failure), self._sentence(failure))
        failure = self._try('-c', 'core.hooksPath=/dev/null', 'checkout', '--quiet', '--force', '--detach', wanted, '--')
        if failure is not None:
            raise Refused(REF, '%s has no ref %s' % (masked(self._url), json.dumps(self._ref)))
        print('fetched %s of %s' % (self._git('rev-parse', 'HEAD').strip(), masked(self._url)), flush=True)
        self._find_notebook()

    def _log_in(self, credentials, folder):
        if not os.path.isdir(credentials):
            return
        keys = {name for name in os.listdir(credentials) if os.path.isfile(os.path.join(credentials, name))}
        if 'ssh-privatekey' in keys:
            key = self._copy(os.path.join(credentials, 'ssh-privatekey'), os.path.join(folder, 'key'))
            hosts = os.path.join(credentials, 'known_hosts')
            known = '-o StrictHostKeyChecking=yes -o UserKnownHostsFile=%s' % hosts if 'known_hosts' in keys else '-o StrictHostKeyChecking=accept-new -o UserKnownHostsFile=%s/hosts' % folder
            self._environment['GIT_SSH_COMMAND'] = 'ssh -i %s -o IdentitiesOnly=yes -o BatchMode=yes -o ConnectTimeout=20 %s' % (key, known)
            return
        secret = next((name for name in ('password', 'token') if name in keys), None)
        if 'username' not in keys or secret is None:
            raise Refused(AUTH, 'the Secret has neither ssh-privatekey nor username with password or token')
        self._copy(os.path.join(credentials, 'username'), os.path.join(folder, 'username'), end='')
        self._copy(os.path.join(credentials, secret), os.path.join(folder, 'password'), end='')
        program = os.path.join(folder, 'askpass')
        with open(program, 'w', encoding='utf-8') as file:
            file.write(ASKPASS)
        os.chmod(program, 0o700)
        self._environment.update(GIT_ASKPASS=program, ARGOSY_LOGIN=folder)

    def _copy(self, source, target, end='\n'):
        """For our eyes only; keys need a line end, passwords must have none."""
        with open(source, encoding='utf-8') as file:
            text = file.read().rstrip('\r\n') + end
        with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 'w', encoding='utf-8') as file:
            file.write(text)
        return target

    def _empty_target(self):
        """What an earlier try left is no repository."""
        os.makedirs(self._target, exist_ok=True)
        for name in os.listdir(self._target):
            path = os.path.join(self._target, name)
            if os.path.isdir(path) and not os.path.islink(path):
                shutil.rmtree(path)
            else:
                os.unlink(path)

    def _find_notebook(self):
        root, path = os.path.realpath(self._target), os.path.realpath(os.path.join(self._target, self._path))
        if not path.startswith(root + os.sep) or not os.path.isfile(path):
            raise Refused(NOTEBOOK, 'there is no file %s at %s of %s' % (json.dumps(self._path), self._ref, masked(self._url)))

    def _arguments(self, words):
        return ['git', '-C', self._target if os.path.isdir(self._target) else '/', '-c', 'http.lowSpeedLimit=1000', '-c', 'http.lowSpeedTime=60', '-c', 'credential.helper=', '-c', 'safe.directory=*', *words]

    def _try(self, *words):
        """None where it worked, else what git said."""
        done = subprocess.run(self._arguments(words), env=self._environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors='replace')
        return None if done.returncode == 0 else done.stderr

    def _git(self, *words):
        done = subprocess.run(self._arguments(words), env=self._environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors='replace')
        if done.returncode != 0:
            raise Refused(CONFIGURATION, 'git %s fails: %s' % (words[0], self._last(done.stderr)))
        return done.stdout

    def _code(self, said):
        lines = said.strip().splitlines()
        return next((code for code, pattern in SYMPTOMS for line in lines if re.search(pattern, line.strip().strip("'"), re.I)), NETWORK)

    def _sentence(self, said):
        what = {AUTH: 'login rejected by', REPOSITORY: 'there is no repository', REF: 'ref %s is not in' % json.dumps(self._ref), NETWORK: 'cannot reach'}
        return '%s %s: %s' % (what[self._code(said)], masked(self._url), self._last(said))

    def _last(self, said):
        lines = [line for line in masked(said).strip().splitlines() if line.startswith(('fatal:', 'remote:', 'error:', 'ERROR:'))] or masked(said).strip().splitlines()
        return lines[0][:500] if lines else 'git printed no error'


def main():
    folder = tempfile.mkdtemp(prefix='argosy-fetch-')
    try:
        if shutil.which('git') is None:
            raise Refused(NO_GIT, 'git is not installed')
        Fetch(json.loads(os.environ.pop('ARGOSY_GIT', '{}')), os.environ.pop('ARGOSY_GIT_CREDENTIALS', '/argosy/git-credentials'), folder).perform()
        return 0
    except Refused as refused:
        print('fetch: %s' % refused, file=sys.stderr)
        return refused.code
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == '__main__':
    sys.exit(main())
