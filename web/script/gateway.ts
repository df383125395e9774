/*
 * The calls that a page makes. Knows no document, so that it can be tried without a browser.
 */

/** How long a page waits for an answer, the sending included. */
const TIMEOUT_MS = 20_000;

/** What came back. Status 0: nothing, because of the network or the time. */
export type Answer = Readonly<{
  status: number;
  body: Readonly<Record<string, unknown>>;
  /** `Retry-After`, in seconds. */
  waitS: number | null;
}>;

/** Where nobody was asked, or nobody answered. */
export const NO_ANSWER: Answer = { status: 0, body: {}, waitS: null };

/** A link of a website's captcha chain, as pages may see it. */
export type Link = Readonly<{ key: string; type: string; site_key: string | null }>;

/** The headers of a submission, but for the content type. */
export type SubmissionHeaders = Readonly<Record<string, string>>;

type Page = Readonly<{ page_url: string; page_title: string; page_locale: string; referrer: string }>;

type Options = Readonly<{ base: string; website: string; fetch?: typeof fetch }>;

export type Gateway = ReturnType<typeof createGateway>;

/**
 * The gateway as one website's pages see it.
 *
 * @param base the gateway's address, without a slash at its end.
 */
export function createGateway({ base, website, fetch = globalThis.fetch }: Options) {
  const root = `${base}/api/websites/${encodeURIComponent(website)}`;

  async function call(path: string, init: RequestInit = {}): Promise<Answer> {
    try {
      const response = await fetch(`${root}/${path}`, {
        credentials: 'omit',
        signal: AbortSignal.timeout(TIMEOUT_MS),
        ...init,
      });
      const body: unknown = await response.json().catch(() => null);
      const isObject = typeof body === 'object' && body !== null;
      // Somebody else's page, such as that of a hotel's network.
      if (response.ok && !isObject) return NO_ANSWER;
      const wait = Number(response.headers.get('retry-after') || Number.NaN);
      return {
        status: response.status,
        body: isObject ? (body as Answer['body']) : {},
        waitS: Number.isFinite(wait) ? wait : null,
      };
    } catch {
      return NO_ANSWER;
    }
  }

  const post = (path: string, body: unknown, headers: SubmissionHeaders = {}) =>
    call(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });

  return {
    /** The definitions of forms (interface 4.8), by entries such as `contact~fr`. */
    config: (entries: readonly string[]): Promise<Answer> =>
      call(`forms/config?f=${[...new Set(entries)].sort().join(',')}`),
    signature: (): Promise<Answer> => call('signature'),
    captcha: (): Promise<Answer> => call('captcha'),
    challenge: (): Promise<Answer> => call('captcha/altcha/challenge'),
    visit: (page: Page): Promise<Answer> => post('visits', page),
    submit: (slug: string, body: object, headers: SubmissionHeaders): Promise<Answer> =>
      post(`forms/${encodeURIComponent(slug)}/submit`, body, headers),
  };
}
