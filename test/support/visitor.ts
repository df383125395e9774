/** What a page of a website sends, as a visitor's browser would. */
export type Visitor = ReturnType<typeof createVisitor>;

type Website = Readonly<{ url: string; websiteId: string; origin: string }>;

type Sent = Readonly<{
  slug?: string;
  body?: unknown;
  /** Laid over what the page sends; undefined takes a header away. */
  headers?: Record<string, string | undefined>;
}>;

export type Answer = Readonly<{ status: number; headers: Headers; body: Record<string, unknown> }>;

const given = (headers: Record<string, string | undefined>) =>
  Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined);

async function read(response: Response): Promise<Answer> {
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) };
}

/** A visitor of a website's page who talks to the gateway at `url`. */
export function createVisitor({ url, websiteId, origin }: Website) {
  const website = `${url}/api/websites/${websiteId}`;

  async function call(method: string, path: string, { body, headers = {} }: Sent = {}): Promise<Answer> {
    const isRaw = typeof body === 'string' || body instanceof Uint8Array;
    const response = await fetch(`${website}/${path}`, {
      method,
      headers: given({
        origin,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      }),
      ...(body !== undefined && { body: isRaw ? body : JSON.stringify(body) }),
    });
    return read(response);
  }

  return {
    call,

    /** The headers of a fresh signature. */
    async sign(): Promise<Record<string, string>> {
      const { body } = await call('GET', 'signature');
      return { 'x-website-signature': String(body.signature), 'x-website-timestamp': String(body.timestamp) };
    },

    submit: ({ slug = 'contact', body = { email: 'v@x.test' }, headers }: Sent = {}): Promise<Answer> =>
      call('POST', `forms/${slug}/submit`, { body, headers }),
  };
}
