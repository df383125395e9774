/*
 * What a submission needs besides its values, fetched and solved while the visitor fills in the form. This module uses
 * no document, so that tests need no browser.
 */

import type { Gateway } from './gateway.js';
import { type Prepared, readCaptcha, type Solve } from './submission.js';

/** Age up to which it is used: a challenge is valid for ten minutes, and a signature that expired is renewed once. */
const FRESH_MS = 480_000;

/** Pause after a failure, so that keystrokes do not become requests to a gateway that refuses or is away. */
const PAUSE_MS = 15_000;

type Options = Readonly<{
  gateway: Pick<Gateway, 'signature' | 'captcha' | 'warmUp'>;
  /** Where the form is submitted to. */
  path: string;
  solve: Solve;
}>;

/**
 * Prepares submissions of one form, each used once.
 *
 * Only a proof of work is solved ahead, by one worker: a provider's token expires soon, and its script is loaded no
 * sooner than it is needed.
 */
export function createPreparation({ gateway, path, solve }: Options) {
  let ready: Prepared | null = null;
  /** For how long, and since when, `ready` may be used and nothing is prepared anew. */
  let lifeMs = 0;
  let since = 0;

  /** By the time of day, since other clocks stand still while a device sleeps; one that was set back counts as over. */
  const isEarly = () => {
    const age = Date.now() - since;
    return age >= 0 && age < lifeMs;
  };

  const request = () => ({ signature: gateway.signature(), captcha: gateway.captcha() });

  return {
    /**
     * Prepares a submission, unless one is prepared that does not expire soon. Call it as often as the visitor acts.
     */
    start(): void {
      if (isEarly()) return;
      since = Date.now();
      lifeMs = FRESH_MS;
      const asked = request();
      void gateway.warmUp(path);
      const solution = asked.captcha.then((answer) => {
        const { chain, script } = readCaptcha(answer) ?? {};
        return chain?.[0]?.type === 'altcha' ? solve(chain[0], script, 1) : undefined;
      });
      const prepared = { ...asked, solution };
      ready = prepared;
      void Promise.all([asked.signature, asked.captcha]).then(([signed, chained]) => {
        const isUsable = signed.status === 200 && chained.status === 200;
        if (isUsable || ready !== prepared) return;
        ready = null;
        since = Date.now();
        lifeMs = PAUSE_MS;
      });
    },

    /** Hands over what is prepared or being prepared, or requests it now. */
    take(): Prepared {
      const taken = ready && isEarly() ? ready : request();
      ready = null;
      lifeMs = 0;
      return taken;
    },
  };
}
