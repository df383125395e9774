import { formHeightRem, type MeasuredForm } from './form-height.js';

/** A form on a website: where it stands its placement says, or an element of the page. */
export type PlacedForm = MeasuredForm & Readonly<{ slug: string; cssSelector: string | null }>;

/**
 * Widths of a form in rem: on a telephone of 360 px with the margins of its page, and the most that its style allows.
 */
const NARROW = 20;
const WIDE = 40;

/** Writes the rules that reserve the height of a form in its place, for narrow windows and for wide ones. */
function heightRules({ slug, cssSelector, ...form }: PlacedForm): string {
  // A selector is text of the panel, and must not end the style element.
  const place = cssSelector?.replaceAll('<', '\\3c ') ?? `[data-formgate="${slug}"]`;
  const rule = (width: number) => `${place} { min-height: ${formHeightRem(form, width)}rem }`;
  return rule(NARROW) === rule(WIDE)
    ? `  ${rule(WIDE)}\n`
    : `  ${rule(NARROW)}\n  @media (min-width: ${WIDE + 4}rem) { ${rule(WIDE)} }\n`;
}

export type Address = Readonly<{ gateway: string; website: string }>;

/**
 * Writes what a page needs: an element for each form that has no place of its own, and the script.
 *
 * The places reserve the height of their forms, so that nothing moves when these appear. The definitions are preloaded
 * beside the script, in the website's language, which is that of its pages.
 */
export function snippetOf(
  forms: readonly PlacedForm[],
  { gateway, website, locale }: Address & Readonly<{ locale: string }>,
): string {
  const entries = forms.map(({ slug }) => `${slug}~${locale}`).sort();
  const preload =
    `<link rel="preload" as="fetch" crossorigin\n` +
    `      href="${gateway}/api/websites/${website}/forms/config?f=${entries.join(',')}">\n`;
  const elements = forms
    .filter(({ cssSelector }) => cssSelector === null)
    .map(({ slug }) => `<div data-formgate="${slug}"></div>\n`);
  const style = `<style>\n${forms.map(heightRules).join('')}</style>\n`;
  const placed = forms.filter(({ cssSelector }) => cssSelector !== null).map(({ slug }) => slug);
  const slugs = placed.length > 0 ? `\n        data-forms="${placed.join(',')}"` : '';
  return `${forms.length > 0 ? preload + style : ''}${elements.join('')}<script src="${gateway}/formgate.js"
        data-website="${website}"${slugs} async crossorigin></script>`;
}

/** Writes a component of React that shows a form with the script's module. */
export const reactSnippet = (
  slug: string,
  { gateway, website }: Address,
): string => `import { useEffect, useRef } from 'react';

export function Form() {
  const place = useRef(null);
  useEffect(() => {
    const mounted = import(/* @vite-ignore */ /* webpackIgnore: true */ '${gateway}/formgate.mjs').then(
      ({ mount }) => mount(place.current, { website: '${website}', form: '${slug}' }),
    );
    return () => void mounted.then((form) => form?.unmount());
  }, []);
  return <div ref={place} />;
}`;

/** Hosts that the providers of captcha steps need, by directive. */
const PROVIDERS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  recaptcha: {
    'script-src': ['https://www.google.com', 'https://www.gstatic.com'],
    'connect-src': ['https://www.google.com'],
    'frame-src': ['https://www.google.com', 'https://recaptcha.google.com'],
  },
  turnstile: {
    'script-src': ['https://challenges.cloudflare.com'],
    'frame-src': ['https://challenges.cloudflare.com'],
  },
  hcaptcha: {
    'script-src': ['https://hcaptcha.com', 'https://*.hcaptcha.com'],
    'connect-src': ['https://hcaptcha.com', 'https://*.hcaptcha.com'],
    'frame-src': ['https://hcaptcha.com', 'https://*.hcaptcha.com'],
    'style-src': ['https://hcaptcha.com', 'https://*.hcaptcha.com'],
  },
  altcha: { 'worker-src': ['blob:'] },
};

const DIRECTIVES = ['script-src', 'connect-src', 'frame-src', 'style-src', 'worker-src'] as const;

/**
 * Writes what a content security policy has to allow for the script and for a captcha chain.
 *
 * @param types Types of the chain's steps, as in `recaptcha_v3`.
 */
export function policyOf(types: readonly string[], gateway: string): string {
  const needed = [...new Set(types.map((type) => type.replace(/^recaptcha_.*/, 'recaptcha')))];
  const lines = DIRECTIVES.flatMap((directive) => {
    const own = directive === 'script-src' || directive === 'connect-src' ? [new URL(gateway).origin] : [];
    const hosts = [...own, ...needed.flatMap((type) => PROVIDERS[type]?.[directive] ?? [])];
    return hosts.length > 0 ? [`${directive} ${hosts.join(' ')};`] : [];
  });
  return lines.join('\n');
}
