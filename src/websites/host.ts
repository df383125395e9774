import { z } from 'zod';

/**
 * Normalises a host name for the Origin check: lower-case ASCII (punycode), with a port when one is
 * given. Returns null when the text is not exactly a host: with a scheme, a path, user info, a trailing dot,
 * or a default port, which no Origin carries.
 */
export function normaliseHost(text: string): string | null {
  if (text === '' || /[\s/\\?#@]/.test(text) || /:(80|443)?$/.test(text)) return null;
  if (!URL.canParse(`http://${text}`)) return null;
  const { host, hostname } = new URL(`http://${text}`);
  return hostname.endsWith('.') ? null : host;
}

/** Returns the hostname of a normalised host: the host without its port. */
export const hostnameOf = (host: string): string => new URL(`http://${host}`).hostname;

/** Schema of a host name in any spelling; the output is its lower-case ASCII form. */
export const host = z
  .string()
  .max(253)
  .transform((value, context) => {
    const normal = normaliseHost(value);
    if (normal === null) {
      context.addIssue({
        code: 'custom',
        message: 'must be a host name such as www.example.com, without scheme, path or default port',
      });
    }
    return normal ?? z.NEVER;
  });
