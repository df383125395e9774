/** The steps of a probe in their order, as a visitor's page goes through them. */
export const PROBE_STEPS = ['page', 'configuration', 'signature', 'captcha', 'recorded', 'email'] as const;

export type ProbeStepName = (typeof PROBE_STEPS)[number];

/** What a step may find, each with a sentence that the command line prints and the API's schema repeats. */
export const FINDINGS = {
  page_not_public: 'The website’s address leads to a network that is not public.',
  page_unknown_host: 'The host of the website’s address has no DNS entry.',
  page_unreachable: 'The page’s server takes no connection.',
  page_certificate: 'The certificate of the page’s server is not valid.',
  page_timeout: 'The page did not answer in time.',
  page_too_large: 'The page is too large to be looked through.',
  page_redirects: 'The page redirects too often, or to an address that is none.',
  page_status: 'The page answers with an error.',
  page_other_host: 'The page’s host is not the website’s host, so the gateway refuses its visitors.',
  page_without_script: 'The page does not load the script.',
  page_other_website: 'The page loads the script with the id of another website.',
  page_other_gateway: 'The page loads the script from another gateway.',
  gateway_unreachable: 'The gateway does not answer at its PUBLIC_URL.',
  gateway_unavailable: 'The gateway cannot work at the moment.',
  website_unknown: 'The gateway at PUBLIC_URL does not know the website.',
  website_disabled: 'The website is disabled, or its team is suspended.',
  origin_refused: 'The gateway refuses pages of this host.',
  limit_reached: 'The gateway’s limit for this address is used up.',
  no_form: 'The website has no enabled placement of an active form.',
  signature_refused: 'The gateway refuses the signature that it has just issued.',
  captcha_not_probed: 'The chain has no proof of work: what follows the captcha was not probed.',
  captcha_first_not_probed: 'The proof of work was solved; the captcha that comes before it was not probed.',
  captcha_unsolved: 'The proof of work was not solved in time.',
  captcha_refused: 'The gateway refuses the proof of work.',
  fields_not_filled: 'The probe can make up no value for some required fields.',
  fields_refused: 'The gateway refuses the values of some fields.',
  not_recognized: 'The gateway at PUBLIC_URL does not recognise the probe.',
  mail_deferred: 'The mail server does not take the e-mail for now.',
  mail_refused: 'The mail server refuses the e-mail.',
  mail_server_away: 'The mail server is away, so all e-mails wait.',
  mail_unconfirmed: 'The mail server has not confirmed the e-mail.',
  mail_waiting: 'No worker has sent the e-mail in time.',
  unexpected_answer: 'The gateway’s answer is not one that is expected.',
  out_of_time: 'The time of the probe was over before the step had ended.',
  interrupted: 'The probe was broken off.',
} as const;

export type ProbeFinding = keyof typeof FINDINGS;

/** How a step ended. `finding` is null when there is nothing to say; `detail` has the words of servers, or names. */
export type ProbeOutcome = Readonly<{ ok: boolean; finding: ProbeFinding | null; detail: string | null }>;

/** A step that has ended, and how long it took. */
export type ProbeStep = ProbeOutcome & Readonly<{ name: ProbeStepName; ms: number }>;

/** A step that ended other than as expected. */
export class ProbeFailure extends Error {
  constructor(
    readonly finding: ProbeFinding,
    readonly detail: string | null = null,
  ) {
    super(FINDINGS[finding]);
  }
}
