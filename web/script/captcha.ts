import { h } from './elements.js';
import { type CaptchaStep, type Gateway, NO_ANSWER } from './gateway.js';
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
const UNLOADABLE = new Error('not loaded');

/**
 * Errors that say so: ours, Turnstile's code for its frame, hCaptcha's, and that of reCAPTCHA where the page has loaded
 * it by itself with another key.
 */
const NOT_LOADED = /^(200500|(network|script)-error)$|not loaded/;

const within = <T>(promise: PromiseLike<T>, limitMs: number, late = new Error('timeout')): Promise<T> =>
  Promise.race([promise, new Promise<never>((_, reject) => setTimeout(reject, limitMs, late))]);

/** Waits for a solution, and removes its widget then, or once the visitor has taken too long. */
const solvedBy = <T>(solution: PromiseLike<T>, remove?: () => void) =>
  within(solution, SOLVE_TIMEOUT_MS).finally(remove);

/** Rejects with `UNLOADABLE` when a provider does not load before the timeout. */
const inTime = <T>(promise: PromiseLike<T>) => within(promise, LOAD_TIMEOUT_MS, UNLOADABLE);

const loaded = new Map<string, Promise<unknown>>();

/** Loads a script once. A failed load is retried the next time the script is needed. */
function loadScript(src: string, nonce: string): Promise<unknown> {
  const known = loaded.get(src);
  if (known) return known;
  let script: HTMLScriptElement | undefined;
  const arrival = new Promise((resolve, reject) => {
    // Throws where the page requires trusted types and has no policy that lets the address through.
    script = h('script', { src, nonce });
    script.onload = resolve;
    script.onerror = reject;
    document.head.append(script);
  });
  const loading = inTime(arrival).catch(() => {
    loaded.delete(src);
    script?.remove();
    throw UNLOADABLE;
  });
  loaded.set(src, loading);
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
  if (!found) throw UNLOADABLE;
  return found;
}

/** Name of the widget's element, since `altcha-widget` may be one of the page's own, of another version. */
const WIDGET = 'formgate-altcha';

async function solveAltcha(
  gateway: Pick<Gateway, 'challenge'>,
  script: string | null | undefined,
  nonce: string,
  workers: number | undefined,
) {
  if (!script) throw UNLOADABLE;
  const loadWidget = async () => {
    // The fragment tells the script which name to define. That of the release before, as during a rollout, has one name.
    if (!customElements.get(WIDGET)) await loadScript(`${script}#${WIDGET}`, nonce);
    return [WIDGET, 'altcha-widget'].find((name) => customElements.get(name));
  };
  // A gateway that is away for a moment may answer it by an error, where a policy or a blocker lets no answer through.
  const loading = loadWidget()
    .catch(async () => ((await inTime(fetch(script))).status < 500 ? loadWidget() : ''))
    .catch(() => undefined);
  const [answer, name] = await Promise.all([gateway.challenge(), loading]);
  if (answer.status !== 200) return { outcome: 'failed', answer } as const;
  if (name === '') return { outcome: 'failed', answer: NO_ANSWER } as const;
  if (!name) throw UNLOADABLE;
  const configuration = JSON.stringify({
    challenge: answer.body,
    display: 'invisible',
    minDuration: 0,
    humanInteractionSignature: false,
    workers,
  });
  // Its own style hides it too, unless the page's content security policy forbids that style.
  const widget = h(name as 'div', { hidden: true, configuration }) as unknown as AltchaWidget;
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

async function solveTurnstile(place: HTMLElement, sitekey: string, nonce: string): Promise<string> {
  const turnstile = await load(
    'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit',
    nonce,
    () => widgets.turnstile,
  );
  const box = place.appendChild(h('div'));
  let id: string | undefined;
  const solution = new Promise<string>((resolve, reject) => {
    id = turnstile.render(box, {
      sitekey,
      action: 'submit',
      execution: 'execute',
      appearance: 'interaction-only',
      'response-field': false,
      callback: resolve,
      'error-callback': (code: unknown) => {
        reject(code);
        return true;
      },
      'expired-callback': reject,
      'timeout-callback': reject,
    });
    turnstile.execute(box);
  });
  return solvedBy(solution, () => {
    if (id) turnstile.remove(id);
    box.remove();
  });
}

const HCAPTCHA_READY = 'formgateHcaptcha';

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
  const solution = hcaptcha.execute(id, { async: true });
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
        throw UNLOADABLE;
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
      return { outcome: NOT_LOADED.test(String(error)) ? 'unloadable' : 'failed' };
    }
  };
}
