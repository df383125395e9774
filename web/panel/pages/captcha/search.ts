import { matching, oneOf, UUID } from '../../parts/search/search-params.js';
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

/** Reads the state of the console from the address; what is not understood is left out. */
export const readCaptchaSearch = (search: Record<string, unknown>): CaptchaSearch => ({
  ...readPeriodSearch(search),
  provider: oneOf(PROVIDERS, search.provider),
  site: matching(UUID, search.site),
});
