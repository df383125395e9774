import { h } from './elements.js';
import type { CaptchaStep, Gateway } from './gateway.js';
import type { Solve } from './submission.js';

/** The parts of the globals of the providers' scripts that this module calls. */
type Recaptcha = {
  ready(callback: () => void): void;
  execute(siteKey: string, options: { action: string }): PromiseLike<string>;
};
type Widgets = {
  grecaptcha?: Partial<Recaptcha> & { enterprise?: Recaptcha };
  turnstile?: {
    render(element: HTMLElement, options: Record<string, unknown>): string | undefined;
    execute(element: HTMLElement): void;
    remove(id: string): void;
  };
  hcaptcha?: {
    render(element: HTMLElement, options: Record<string, unknown>): string;
    execute(id: string, options: { async: true }): Promise<{ response: string }>;
    remove(id: string): void;
  };
};
type AltchaWidget = HTMLElement & { verify(): Promise<{ payload: string } | null> };

const widgets = globalThis as unknown as Widgets & Record<string, unknown>;

const LOAD_TIMEOUT_MS = 10_000;
/** Time to solve a captcha, in which the visitor may have to solve a task. */
const SOLVE_TIMEOUT_MS = 180_000;

/** A provider cannot load on this page; the chain may have another captcha step. */
class Unloadable extends Error {
  override message = 'unloadable';
}

const within = <T>(promise: PromiseLike<T>, limitMs: number, late = new Error('timeout')): Promise<T> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late), limitMs);
    promise.then(resolve, reject).then(() => clearTimeout(timer));
  });

/** Waits for a solution, and removes its widget then, or once the visitor has taken too long. */
const solvedBy = <T>(solution: PromiseLike<T>, remove?: () => void) =>
  within(solution, SOLVE_TIMEOUT_MS).finally(remove);

/** Rejects with `Unloadable` when a provider does not load before the timeout. */
const inTime = <T>(promise: PromiseLike<T>) => within(promise, LOAD_TIMEOUT_MS, new Unloadable());

const loaded = new Map<string, Promise<unknown>>();

/** Loads a script once. A failed load is retried the next time the script is needed. */
function loadScript(src: string, nonce: string): Promise<unknown> {
  const known = loaded.get(src);
  if (known) return known;
  const script = h('script', { src, nonce: nonce || null });
  const arrival = new Promise((resolve, reject) => {
    script.onload = resolve;
    script.onerror = () => reject(new Unloadable());
  });
  const loading = inTime(arrival).catch((error) => {
    loaded.delete(src);
    script.remove();
    throw error;
  });
  loaded.set(src, loading);
  document.head.append(script);
  return loading;
}

/**
 * Loads what a script defines, unless the page has loaded it by itself.
 *
 * @param find returns what the script defines, once it does.
 * @param ready waits for it after the script has been loaded; by default it is there then.
 */
async function load<T>(
  src: string,
  nonce: string,
  find: () => T | undefined,
  ready?: () => Promise<void>,
): Promise<T> {
  if (!find()) await loadScript(src, nonce);
  if (!find() && ready) await inTime(ready());
  const found = find();
  if (!found) throw new Unloadable();
  return found;
}

async function solveAltcha(
  gateway: Pick<Gateway, 'challenge'>,
  script: string | null | undefined,
  nonce: string,
  workers: number | undefined,
) {
  if (!script) throw new Unloadable();
  const loading = load(script, nonce, () => customElements.get('altcha-widget'));
  // A gateway that is away gives neither; that counts first, since another attempt may succeed.
  loading.catch(() => 0);
  const answer = await gateway.challenge();
  if (answer.status !== 200) return { outcome: 'failed', answer } as const;
  await loading;
  // Its own style hides it too, unless the page's content security policy forbids that style.
  const widget = h('altcha-widget' as 'div', { hidden: true }) as unknown as AltchaWidget;
  const configuration = {
    challenge: answer.body,
    display: 'invisible',
    auto: 'off',
    minDuration: 0,
    hideFooter: true,
    humanInteractionSignature: false,
    workers,
  };
  widget.setAttribute('configuration', JSON.stringify(configuration));
  const ready = new Promise((resolve) => {
    widget.onload = resolve;
  });
  // Place the widget outside of any form, or it would add its own field to the form.
  document.body.append(widget);
  const solution = inTime(ready).then(() => widget.verify());
  return (await solvedBy(solution, () => widget.remove()))?.payload;
}

async function executeRecaptcha(isEnterprise: boolean, siteKey: string, nonce: string): Promise<string> {
  const api = () => (isEnterprise ? widgets.grecaptcha?.enterprise : widgets.grecaptcha);
  const recaptcha = await load(
    `https://www.google.com/recaptcha/${isEnterprise ? 'enterprise' : 'api'}.js?render=${encodeURIComponent(siteKey)}`,
    nonce,
    () => api()?.execute && (api() as Recaptcha),
    // What the script defines at once can do no more than tell when the rest is there.
    () => new Promise((resolve) => api()?.ready?.(resolve)),
  );
  return solvedBy(recaptcha.execute(siteKey, { action: 'submit' }));
}

/** Turnstile's error code for a frame that did not load. */
const TURNSTILE_NOT_LOADED = '200500';

async function solveTurnstile(place: HTMLElement, sitekey: string, nonce: string): Promise<string> {
  const turnstile = await load(
    'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit',
    nonce,
    () => widgets.turnstile,
  );
  const box = place.appendChild(h('div'));
  let id: string | undefined;
  const solution = new Promise<string>((resolve, reject) => {
    const fail = (code?: unknown) => reject(String(code) === TURNSTILE_NOT_LOADED ? new Unloadable() : code);
    id = turnstile.render(box, {
      sitekey,
      action: 'submit',
      execution: 'execute',
      appearance: 'interaction-only',
      'response-field': false,
      callback: resolve,
      'error-callback': (code: unknown) => {
        fail(code);
        return true;
      },
      'expired-callback': fail,
      'timeout-callback': fail,
    });
    turnstile.execute(box);
  });
  return solvedBy(solution, () => {
    if (id) turnstile.remove(id);
    box.remove();
  });
}

const HCAPTCHA_READY = 'formgateHcaptchaReady';
const HCAPTCHA_NOT_LOADED = /^(network|script)-error$/;

async function solveHcaptcha(place: HTMLElement, sitekey: string, nonce: string): Promise<string> {
  const ready = new Promise<void>((resolve) => {
    widgets[HCAPTCHA_READY] = resolve;
  });
  const hcaptcha = await load(
    `https://js.hcaptcha.com/1/api.js?render=explicit&onload=${HCAPTCHA_READY}&recaptchacompat=off`,
    nonce,
    () => widgets.hcaptcha,
    () => ready,
  );
  const box = place.appendChild(h('div'));
  const id = hcaptcha.render(box, { sitekey, size: 'invisible' });
  const solution = hcaptcha.execute(id, { async: true }).catch((code) => {
    throw HCAPTCHA_NOT_LOADED.test(String(code)) ? new Unloadable() : code;
  });
  const { response } = await solvedBy(solution, () => {
    hcaptcha.remove(id);
    box.remove();
  });
  return response;
}

type Options = Readonly<{
  gateway: Pick<Gateway, 'challenge'>;
  /** The element in which a provider may show its widget. */
  place: HTMLElement;
  /** Nonce of the page's content security policy; empty means none. */
  nonce: string;
}>;

/**
 * Creates a solver of captcha steps, each solution with an unused token. A provider's script is loaded only when its
 * step is solved.
 */
export function createSolver({ gateway, place, nonce }: Options): Solve {
  async function token(step: CaptchaStep, script: string | null | undefined, workers?: number) {
    const siteKey = step.site_key ?? '';
    switch (step.type) {
      case 'altcha':
        return solveAltcha(gateway, script, nonce, workers);
      case 'recaptcha_v3':
      case 'recaptcha_enterprise':
        return executeRecaptcha(step.type === 'recaptcha_enterprise', siteKey, nonce);
      case 'turnstile':
        return solveTurnstile(place, siteKey, nonce);
      case 'hcaptcha':
        return solveHcaptcha(place, siteKey, nonce);
      default:
        throw new Unloadable();
    }
  }

  return async (step, script, workers) => {
    // A solution made ahead fails silently: the click solves again, and reports.
    const complain = (what: unknown) => {
      if (!workers) console.error(`Formgate: the captcha "${step.key}" failed.`, what);
    };
    // Pages without https have no Web Crypto.
    if (step.type === 'altcha' && !crypto.subtle) {
      complain('It needs HTTPS.');
      return { outcome: 'insecure' };
    }
    try {
      const solution = await token(step, script, workers);
      if (typeof solution === 'object') return solution;
      return solution ? { outcome: 'solved', token: solution } : { outcome: 'failed' };
    } catch (error) {
      complain(error);
      return { outcome: error instanceof Unloadable ? 'unloadable' : 'failed' };
    }
  };
}
