// Texts of which a parser takes the square of their length, and requests that carry them. `status` is the answer.

/** Ideographs that all differ, whose punycode is as slow as any. */
export const ideographs = (length) =>
  Array.from({ length }, (_, index) => String.fromCodePoint(0x4e00 + index)).join('');

/** A letter with marks that normalisation sorts. */
export const marks = (length) => `a${'\u0344'.repeat(length / 2)}${'\u0323'.repeat(length / 2)}`;

/** A host of marks, percent-encoded, as a header may carry it. */
const escaped = encodeURIComponent(marks(4_800));

/** The punycode of a letter with 15,600 marks of one kind and as many of another. */
const encoded = `xn--a-xbb${'a'.repeat(15_599)}28514c${'a'.repeat(15_599)}`;

const visit = (body) => ({
  path: 'visits',
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

const from = (origin) => ({ path: 'captcha', method: 'GET', headers: { origin } });

/** Requests of a stranger, each to a path of a website; without an `origin` they come from the website's page. */
export const REQUESTS = [
  {
    name: 'a visit to a host of 20,000 characters',
    ...visit({ page_url: `https://${ideographs(20_000)}.fr/` }),
    status: 422,
  },
  {
    name: 'a visit from a host of marks',
    ...visit({ page_url: 'https://example.com/', referrer: `https://${marks(20_000)}.fr/` }),
    status: 200,
  },
  { name: 'an origin of marks', ...from(`http://${escaped}.fr`), status: 403 },
  { name: 'an origin of one encoded label', ...from(`http://${encoded}.fr`), status: 403 },
  {
    name: 'a preflight from one encoded label',
    ...from(`http://${encoded}.fr`),
    method: 'OPTIONS',
    status: 204,
  },
];
