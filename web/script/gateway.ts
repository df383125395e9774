/*
 * The calls of a page to the gateway. This module uses no document, so that tests need no browser.
 */

/** Timeout of a call, from sending the request to the whole answer. */
const TIMEOUT_MS = 20_000;

/** An answer of the gateway. Status 0 means no answer, because of a network error or a timeout. */
export type Answer = Readonly<{
  status: number;
  body: Readonly<Record<string, unknown>>;
  /** `Retry-After`, in seconds. */
  waitS: number | null;
  /** `X-Form-Versions`: the version of each form that was given, as in `contact=7&quote=3`. */
  versions?: string | null;
}>;

/** The answer of a call that was not sent or not answered. */
export const NO_ANSWER: Answer = { status: 0, body: {}, waitS: null };

/** Longest pause between two requests to a gateway that is away, unless it asks for a longer one. */
const MAX_PAUSE_S = 60;

/** Calculates the pause after another one: twice as long, and not shorter than `Retry-After`; all in seconds. */
export const nextPauseS = (pauseS: number, waitS: number | null): number =>
  Math.max(Math.min(pauseS * 2, MAX_PAUSE_S), waitS ?? 0);

/** A captcha step of a website's chain, with the properties that pages may see. */
export type CaptchaStep = Readonly<{ key: string; type: string; site_key: string | null }>;

/** The headers of a submission, except the content type. */
type SubmissionHeaders = Readonly<Record<string, string>>;

type Page = Readonly<{ page_url: string; page_title: string; page_locale: string; referrer: string }>;

type Options = Readonly<{ base: string; website: string; fetch?: typeof fetch }>;

/** A form to submit, and the version of it that the page shows; null or absent: not known. */
export type ShownForm = Readonly<{ slug: string; version?: string | null }>;

/** Builds the path that takes the submissions of a form. */
export const submitPath = ({ slug, version }: ShownForm): string =>
  `forms/${encodeURIComponent(slug)}/submit${version ? `?form_version=${version}` : ''}`;

export type Gateway = ReturnType<typeof createGateway>;

/**
 * Creates a client of the gateway for one website's pages.
 *
 * @param base the gateway's address, without a slash at its end.
 */
export function createGateway({ base, website, fetch = globalThis.fetch }: Options) {
  const root = `${base}/api/websites/${encodeURIComponent(website)}`;

  async function call(
    path: string,
    init: Omit<RequestInit, 'cache'> & { cache?: 'no-cache' | undefined } = {},
  ): Promise<Answer> {
    try {
      const response = await fetch(`${root}/${path}`, {
        credentials: 'omit',
        signal: AbortSignal.timeout(TIMEOUT_MS),
        ...init,
      });
      const body: unknown = await response.json().catch(() => null);
      const isObject = Object(body) === body;
      // A successful answer without an object is another server's page, such as a captive portal's.
      if (response.ok && !isObject) return NO_ANSWER;
      const wait = response.headers.get('retry-after');
      return {
        status: response.status,
        body: isObject ? (body as Answer['body']) : {},
        // A date is no number, and as good as no header.
        waitS: Number(wait) || null,
        versions: response.headers.get('x-form-versions'),
      };
    } catch {
      return NO_ANSWER;
    }
  }

  return {
    /** Requests the definitions of forms, by entries such as `contact~fr`, each once and in their order. */
    config: (entries: readonly string[], cache?: 'no-cache'): Promise<Answer> =>
      call(`forms/config?f=${entries.join()}`, {
        cache,
        // What the page may have preloaded has this mode, and is used for the same one only.
        credentials: 'same-origin',
      }),
    signature: (): Promise<Answer> => call('signature'),
    // A chain that was changed would otherwise refuse the visitor for as long as the browser keeps the former one.
    captcha: (): Promise<Answer> => call('captcha', { cache: 'no-cache' }),
    challenge: (): Promise<Answer> => call('captcha/altcha/challenge'),
    // As plain text, because a browser would ask for permission to send JSON.
    visit: (page: Page): Promise<Answer> => call('visits', { method: 'POST', body: JSON.stringify(page) }),
    /** Has the browser ask whether the page may submit to a path, and keep the answer for two hours. */
    warmUp: (path: string): Promise<Answer> => call(path, { method: 'OPTIONS' }),
    submit: (path: string, body: object, headers: SubmissionHeaders): Promise<Answer> =>
      call(path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
  };
}
