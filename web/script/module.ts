/* The module `/formgate.mjs`, for `import`. It has no side effects when loaded. */

import type { MountedForm } from './form.js';
import { type MountOptions, mountForm, type Settings, submitValues } from './page.js';
import type { Outcome } from './submission.js';

type Options = Omit<Settings, 'gateway'> & Partial<Settings> & MountOptions;

const gateway = new URL('.', import.meta.url).href;

/** Renders a form inside an element; null when the form is not available. */
export const mount = (element: Element, options: Options): Promise<MountedForm | null> =>
  mountForm(element, { gateway, ...options });

/** Sends values to a form without rendering it: signature, captcha and the two retries included. */
export const submit = (values: Record<string, unknown>, options: Options): Promise<Outcome> =>
  submitValues(values, { gateway, ...options });
