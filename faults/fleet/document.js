import { OWNER } from '../stack.js';

/** Websites of a team. */
const TEAM_SIZE = 25;

export const TIGHT_QUOTA = 10;

export const STEP = { key: 'turnstile:main', site_key: 'site-of-the-fleet', secret: 'secret-of-the-fleet' };

const FORM = {
  slug: 'contact',
  name: 'Contact',
  source_locale: 'en',
  submit_button_text: 'Send',
  confirmation_message: 'Thank you.',
  fields: [
    { name: 'email', type: 'email', label: 'E-mail', is_required: true },
    { name: 'name', type: 'text', label: 'Name' },
  ],
};

/** Websites to which something happens, by their numbers; those over https are divisible by three. */
export const PARTS = {
  silent: 1,
  scriptless: 2,
  misnamed: 4,
  certified: 3,
  captcha: 5,
  bouncing: 7,
  greylisted: 8,
};

/** The domain of the mailbox of a website, which the mail server treats apart. */
export const domainOf = (number) => `site${number}.test`;

/**
 * Writes the provision document of an agency with a website for each page. The last of them has a team of its own with
 * a small quota.
 */
export function fleetDocument(pages) {
  const limits = { submissions_per_minute: 1_000_000, submissions_per_hour: 100_000_000 };
  const websiteOf = ({ host, url }, number) => ({
    name: `site${number}`,
    host,
    url,
    email: `desk@${domainOf(number)}`,
    locale: 'en',
    time_zone: 'UTC',
    forms: [{ slug: 'contact' }],
    captcha: number === PARTS.captcha ? [STEP] : [],
  });
  const websites = pages.map(websiteOf);
  const teamOf = (slug, plan, own) => ({
    slug,
    plan,
    name: slug,
    members: [{ email: OWNER.email, role: 'owner' }],
    forms: [FORM],
    websites: own,
  });
  const teams = Array.from({ length: Math.ceil((pages.length - 1) / TEAM_SIZE) }, (_, number) =>
    teamOf(
      `client${number}`,
      'wide',
      websites.slice(0, -1).slice(number * TEAM_SIZE, (number + 1) * TEAM_SIZE),
    ),
  );
  return {
    plans: [
      { code: 'wide', name: 'Wide', notifications_per_month: null, ...limits },
      { code: 'tight', name: 'Tight', notifications_per_month: TIGHT_QUOTA, ...limits },
    ],
    users: [{ ...OWNER, name: 'Owner', staff: true }],
    teams: [...teams, teamOf('tight', 'tight', websites.slice(-1))],
  };
}
