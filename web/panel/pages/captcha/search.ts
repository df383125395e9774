import { type PeriodSearch, readPeriodSearch } from '../../parts/statistics/period.js';

/** The providers that the figures can be narrowed to. */
export const PROVIDERS = ['altcha', 'turnstile', 'hcaptcha', 'recaptcha_v3', 'recaptcha_enterprise'] as const;
export type Provider = (typeof PROVIDERS)[number];

/** The state of the console in the address, beside the team. */
export type CaptchaSearch = PeriodSearch & {
  provider?: Provider;
  /** The website that everything is about. */
  site?: string;
};

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Reads the state of the console from the address; what is not understood is left out. */
export const readCaptchaSearch = (search: Record<string, unknown>): CaptchaSearch => ({
  ...readPeriodSearch(search),
  provider: PROVIDERS.find((one) => one === search.provider),
  site: typeof search.site === 'string' && UUID.test(search.site) ? search.site : undefined,
});
