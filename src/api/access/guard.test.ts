import { describe, expect, it } from 'vitest';
import type { Answer, MessageSocket, StreamWriter } from '../http/answer.js';
import { ANONYMOUS, type Access } from './access.js';
import { guardAnswer, type Guard } from './guard.js';

/** A guard whose clock moves when it is told to, and a listener whose rights can be taken. */
class Post {
  isAllowed = true;
  isOver = false;
  isValid: boolean | 'unknown' = true;
  readonly sent: string[] = [];
  #alarms: { readonly at: number; readonly act: () => void }[] = [];
  #now = 0;

  async advance(milliseconds: number): Promise<void> {
    this.#now += milliseconds;
    const due = this.#alarms.filter(({ at }) => at <= this.#now);
    this.#alarms = this.#alarms.filter(({ at }) => at > this.#now);
    for (const { act } of due) act();
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }

  get alarms(): number {
    return this.#alarms.length;
  }

  get guard(): Guard {
    const access: Pick<Access, 'isStillValid' | 'isKnownExpired'> = {
      isKnownExpired: () => this.isOver,
      isStillValid: () =>
        this.isValid === 'unknown' ? Promise.reject(new Error('no answer')) : Promise.resolve(this.isValid),
    };
    return {
      subject: ANONYMOUS,
      access: access as Access,
      isAllowed: () => this.isAllowed,
      after: (milliseconds, act) => {
        const alarm = { at: this.#now + milliseconds, act };
        this.#alarms.push(alarm);
        return () => {
          this.#alarms = this.#alarms.filter((each) => each !== alarm);
        };
      },
    };
  }

  /** A stream that says nothing by itself: `feed` is what it would write to. */
  open(): { readonly done: Promise<string>; readonly feed: Promise<StreamWriter> } {
    const outlet: StreamWriter = {
      signal: new AbortController().signal,
      drained: () => Promise.resolve(),
      send: (text) => this.sent.push(text) > 0,
    };
    let given: (outlet: StreamWriter) => void = () => undefined;
    const feed = new Promise<StreamWriter>((resolve) => {
      given = resolve;
    });
    const silent: Answer = {
      kind: 'stream',
      feed: (inner) => {
        given(inner);
        return new Promise<void>((resolve) => {
          inner.signal.addEventListener('abort', () => {
            resolve();
          });
        });
      },
    };
    const guarded = guardAnswer(silent, this.guard);
    const done =
      guarded.kind === 'stream' ? guarded.feed(outlet).then(() => 'ended') : Promise.reject(new Error('no stream'));
    return { done, feed };
  }
}

/** A terminal, as a page sees it. */
class Talk {
  readonly sent: string[] = [];
  readonly taken: string[] = [];
  reason = '';
  #take: (text: string) => void = () => undefined;
  readonly done: Promise<string>;
  say: (text: string) => void = () => undefined;

  constructor(post: Post) {
    const answer = guardAnswer(
      {
        kind: 'socket',
        hold: (socket, signal) => {
          this.say = (text) => {
            socket.send(text);
          };
          socket.onMessage((text) => {
            this.taken.push(text);
          });
          return new Promise((resolve) => {
            signal.addEventListener('abort', () => {
              resolve();
            });
          });
        },
      },
      post.guard,
    );
    const socket: MessageSocket = {
      isFull: false,
      drained: () => Promise.resolve(),
      send: (text) => {
        this.sent.push(text);
      },
      onMessage: (take) => {
        this.#take = take;
      },
      close: (reason) => {
        this.reason = reason;
      },
    };
    this.done =
      answer.kind === 'socket'
        ? answer.hold(socket, new AbortController().signal).then(() => 'ended')
        : Promise.reject(new Error('no socket'));
  }

  type(text: string): void {
    this.#take(text);
  }
}

const state = (done: Promise<string>): Promise<string> =>
  Promise.race([
    done,
    new Promise<string>((resolve) => {
      setImmediate(() => {
        resolve('open');
      });
    }),
  ]);

describe('a streamed response', () => {
  it.each<[string, (post: Post) => void]>([
    [
      'the right is taken',
      (post) => {
        post.isAllowed = false;
      },
    ],
    [
      'the session is over',
      (post) => {
        post.isOver = true;
      },
    ],
  ])('S30: ends at the next message when %s, and that message is not sent', async (_, take) => {
    const post = new Post();
    const { done, feed } = post.open();
    const inner = await feed;
    inner.send('before');
    take(post);
    inner.send('after');
    expect([await state(done), post.sent]).toEqual(['ended', ['before']]);
    inner.send('later');
    expect([post.sent, post.alarms]).toEqual([['before'], 0]);
  });

  it.each<[string, (post: Post) => void]>([
    [
      'the right is taken',
      (post) => {
        post.isAllowed = false;
      },
    ],
    [
      'the session is over',
      (post) => {
        post.isOver = true;
      },
    ],
    [
      'whoever knows the session does not know it any more',
      (post) => {
        post.isValid = false;
      },
    ],
    [
      'nobody can be asked about the session',
      (post) => {
        post.isValid = 'unknown';
      },
    ],
  ])('S30: ends within 5 s although nothing is said, when %s', async (_, take) => {
    const post = new Post();
    const { done } = post.open();
    for (let check = 0; check < 30; check++) await post.advance(2000);
    expect(await state(done)).toBe('open');
    take(post);
    await post.advance(2000);
    expect(await state(done)).toBe('ended');
    expect(post.alarms).toBe(0);
  });
});

describe('a terminal', () => {
  it.each<[string, (post: Post) => void]>([
    [
      'the right is taken',
      (post) => {
        post.isAllowed = false;
      },
    ],
    [
      'the session is over',
      (post) => {
        post.isOver = true;
      },
    ],
  ])('S30: ends at the next key when %s, and that key is not taken', async (_, take) => {
    for (const next of ['a key', 'a line'] as const) {
      const post = new Post();
      const talk = new Talk(post);
      talk.type('ls');
      talk.say('file');
      take(post);
      if (next === 'a key') talk.type('rm file');
      else talk.say('secret');
      expect([await state(talk.done), talk.taken, talk.sent, talk.reason, post.alarms]).toEqual([
        'ended',
        ['ls'],
        ['file'],
        'the session has ended, or access was revoked',
        0,
      ]);
    }
  });

  it.each<[string, (post: Post) => void]>([
    [
      'the right is taken',
      (post) => {
        post.isAllowed = false;
      },
    ],
    [
      'whoever knows the session does not know it any more',
      (post) => {
        post.isValid = false;
      },
    ],
    [
      'nobody can be asked about the session',
      (post) => {
        post.isValid = 'unknown';
      },
    ],
  ])('S30: ends within 5 s although no key is pressed, when %s', async (_, take) => {
    const post = new Post();
    const talk = new Talk(post);
    for (let check = 0; check < 30; check++) await post.advance(2000);
    expect(await state(talk.done)).toBe('open');
    take(post);
    await post.advance(2000);
    expect([await state(talk.done), post.alarms]).toEqual(['ended', 0]);
  });
});
