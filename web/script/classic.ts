/* The classic script `/formgate.js`, for a script element with `data-website`. */

import { type MountOptions, mountForm, mountPage, type Settings, submitValues } from './page.js';

const {
  src,
  nonce = '',
  dataset: { website = '', locale, forms = '' } = {},
}: Partial<HTMLScriptElement> = (document.currentScript as HTMLScriptElement | null) ?? {};

const defaults: Settings = {
  gateway: new URL('.', src || location.href).href,
  website,
  nonce,
  locale: locale || undefined,
};

(globalThis as { formgate?: object }).formgate = {
  mount: (element: Element, options: Partial<Settings> & MountOptions) =>
    mountForm(element, { ...defaults, ...options }),
  submit: (values: Record<string, unknown>, options: Partial<Settings> & MountOptions) =>
    submitValues(values, { ...defaults, ...options }),
};

function start(): void {
  const slugs = forms.split(',').map((slug) => slug.trim());
  mountPage(defaults, slugs.filter(Boolean));
}

if (!website) console.error('Formgate: no data-website.');
else if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', start);
else start();
