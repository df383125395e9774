import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { type Response, Router } from 'express';
import { notFound } from '../../errors.js';
import { PACKAGE_ROOT } from '../../lib/package-root.js';
import { IMMUTABLE } from './cache-control.js';

const FOLDER = new URL('dist/panel/', PACKAGE_ROOT);

/** What the build writes where the nonce of the response is to stand. */
const NONCE = '%NONCE%';

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};

/** Encodings in which the build has written each asset beside the plain one, the smaller first. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/**
 * Content security policy of the shell: the gateway's own files, and the styles that React Aria adds with the nonce.
 */
const policy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'self'",
    // For the preview of a form, which has a policy of its own.
    "frame-src 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');

const OWN_ONLY = { 'Cross-Origin-Resource-Policy': 'same-origin' };

/** The shell as the build has written it, and its assets by name, in every encoding. */
type Build = Readonly<{ shell: string; assets: ReadonlyMap<string, Buffer> }>;

/** Reads what the build has written; null when there is no build. */
function readBuild(): Build | null {
  try {
    const names = readdirSync(new URL('assets/', FOLDER));
    return {
      shell: readFileSync(new URL('index.html', FOLDER), 'utf8'),
      assets: new Map(names.map((name) => [name, readFileSync(new URL(`assets/${name}`, FOLDER))])),
    };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Serves the pages of the panel: their shell at every path under `/panel/`, their scripts and styles at
 * `/panel/assets/`, and `/` leads there. 404 when the build has not made them.
 *
 * @param publicUrl The gateway's public URL, whose path stands before the addresses of the assets.
 */
export function panelPages(publicUrl: string): Router {
  const build = readBuild();
  const assets = `${new URL(publicUrl).pathname.replace(/\/$/, '')}/panel/assets/`;
  const shell = build?.shell.replaceAll('"./assets/', `"${assets}`).split(NONCE) ?? [];

  function sendShell(response: Response): void {
    if (!build) throw notFound();
    const nonce = randomBytes(16).toString('base64');
    response
      .set({
        ...OWN_ONLY,
        'Cache-Control': 'no-store',
        'Content-Security-Policy': policy(nonce),
        'Cross-Origin-Opener-Policy': 'same-origin',
      })
      .type('html')
      .send(shell.join(nonce));
  }

  const router = Router();
  // Relative, because the gateway may be published under a path.
  router.get('/', (_request, response) => response.redirect('panel/'));
  router.get('/panel/assets/:name', (request, response) => {
    const { name } = request.params;
    const type = TYPES[name.split('.').at(-1)!];
    const [encoding, suffix = ''] = ENCODINGS.find(([accepted]) => request.acceptsEncodings(accepted)) ?? [];
    const content = type && build?.assets.get(`${name}${suffix}`);
    if (!content) throw notFound();
    response
      .vary('Accept-Encoding')
      .set({ ...OWN_ONLY, 'Cache-Control': IMMUTABLE, 'Content-Type': type })
      .set(encoding ? { 'Content-Encoding': encoding } : {})
      .send(content);
  });
  router.get('/panel{/*path}', (request, response, next) => {
    if (/^\/panel\/(assets|exports)\b/i.test(request.path)) return next();
    sendShell(response);
  });
  return router;
}
