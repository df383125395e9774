/* The classic script `/formgate.js`, for a script element with `data-website`. */

import { type MountOptions, mountForm, mountPage, type Settings, submitValues } from './page.js';

const script = document.currentScript as HTMLScriptElement | null;

const defaults: Settings = {
  gateway: new URL('.', script?.src || location.href).href,
  website: script?.dataset.website ?? '',
  nonce: script?.nonce ?? '',
  locale: script?.dataset.locale || undefined,
};

Object.assign(globalThis, {
  formgate: {
    mount: (element: Element, options: Partial<Settings> & MountOptions) =>
      mountForm(element, { ...defaults, ...options }),
    submit: (values: Record<string, unknown>, options: Partial<Settings> & MountOptions) =>
      submitValues(values, { ...defaults, ...options }),
  },
});

function start(): void {
  const slugs = (script?.dataset.forms ?? '').split(',').map((slug) => slug.trim());
  mountPage(defaults, slugs.filter(Boolean));
}

if (!defaults.website) console.error('Formgate: the script element lacks data-website.');
else if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', start);
else start();
