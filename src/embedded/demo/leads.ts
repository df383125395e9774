import type { FormDefinition } from '../../forms/definition/form-definition.js';
import { localizedLabel } from '../../forms/definition/translate.js';
import type { FieldValue } from '../../forms/validation/field-value.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../lib/durations.js';
import { emailsOf, searchWordsOf } from '../../submissions/submit/search-words.js';
import { DEMO_HOSTS } from './agency.js';
import type { Chance } from './chance.js';
import {
  COMPANIES,
  ENGLISH_COMPANIES,
  MAILBOXES,
  MESSAGES,
  PEOPLE,
  SOURCES,
  SPAM,
  VEHICLES,
} from './texts.js';

/** A form on a website of the demo, with its recipients. */
export type DemoPlacement = Readonly<{
  websiteId: string;
  teamId: number;
  team: string;
  host: string;
  url: string;
  locale: string;
  formId: number;
  form: FormDefinition;
  recipients: readonly string[];
  captchaKey: string;
}>;

/** A row of a table, by the names of its columns. */
export type Row = Readonly<Record<string, unknown>>;

/** A lead, with the page views that led to it. */
export type Lead = Readonly<{
  placement: DemoPlacement;
  at: Date;
  isSpam: boolean;
  row: Row & { id: string };
  visits: Row[];
}>;

export const DAYS = 90;

/** Leads that a website gets on a usual day, and how the days of the week differ, from Sunday on. */
const PER_DAY = 0.42;
const OF_WEEKDAY = [0.6, 1.4, 1.2, 1.1, 1, 1, 0.7];
const SPAM_SHARE = 0.06;

/** As long as teams keep spam unless they say otherwise: older spam would be deleted at the start. */
const SPAM_KEPT_DAYS = 30;

/** Minutes ago of the leads that make the inbox look alive, whenever it is opened first. */
const JUST_NOW = [4, 19, 47, 95, 170, 260];

const slugOf = (name: string) =>
  name
    .normalize('NFKD')
    .replace(/[^A-Za-z]/g, '')
    .toLowerCase();

const dayAfter = (at: Date, days: number) =>
  new Date(at.getTime() + days * DAY_MS).toISOString().slice(0, 10);

/** Draws who writes and what, for the fields of a form. */
function valuesOf(chance: Chance, slug: string, locale: 'fr' | 'en', at: Date): Record<string, FieldValue> {
  const { first, last, phone } = PEOPLE[locale];
  const [given, family] = [chance.pick(first), chance.pick(last)];
  const person = {
    name: `${given} ${family}`,
    email: `${slugOf(given)}.${slugOf(family)}${chance.whole(1, 99)}@${chance.pick(MAILBOXES)}`,
  };
  const digits = `${chance.whole(10, 99)} ${chance.whole(10, 99)}`;
  const number = `${phone}${locale === 'fr' ? ` ${digits}` : chance.whole(100, 999)}`;
  const [about, message] = chance.pick(MESSAGES[`${slug} ${locale}`] ?? MESSAGES[slug] ?? MESSAGES.contact!);
  const said = { ...(message && { message }), privacy: true };
  const called = chance.isTrue(0.6) && { phone: number };
  switch (slug) {
    case 'contact': {
      const surface = about !== 'other' && { surface: chance.whole(2, 60) * 10 };
      return { ...person, ...called, topic: about, ...surface, ...said };
    }
    case 'quote': {
      const company = chance.isTrue(0.5) && { company: chance.pick(COMPANIES) };
      const services = ['design', 'planting', 'irrigation'].filter(() => chance.isTrue(0.5));
      const start = { start: dayAfter(at, chance.whole(10, 90)) };
      return {
        ...company,
        email: person.email,
        services: services.length > 0 ? services : ['design'],
        ...start,
      };
    }
    case 'rendez-vous': {
      const day = { day: dayAfter(at, chance.whole(1, 14)) };
      const vehicle = chance.pick(VEHICLES);
      return { ...person, phone: number, vehicle, service: about, ...day, ...said };
    }
    case 'devis': {
      const mileage = chance.whole(20, 210) * 1_000;
      return { ...person, vehicle: chance.pick(VEHICLES), mileage, ...said };
    }
    case 'events': {
      const company = about === 'conference' && { company: chance.pick(ENGLISH_COMPANIES) };
      const date = { date: dayAfter(at, chance.whole(60, 300)) };
      return { ...person, ...company, occasion: about, guests: chance.whole(8, 120), ...date, ...said };
    }
    default: {
      const arrival = chance.whole(5, 80);
      const stay = {
        arrival: dayAfter(at, arrival),
        departure: dayAfter(at, arrival + chance.whole(1, 6)),
      };
      return { ...person, ...called, ...stay, guests: chance.whole(1, 5), room: about, ...said };
    }
  }
}

/** Draws where a visitor came from. */
function sourceOf(chance: Chance): Row {
  let share = chance.next();
  return (
    SOURCES.find(([each]) => {
      share -= each;
      return share < 0;
    })?.[1] ?? {}
  );
}

/** Draws the pages that a visitor saw, the first of which tells where they came from. */
export function visitsOf(
  chance: Chance,
  { websiteId, url, locale }: DemoPlacement,
  until: Date,
  source: Row,
): Row[] {
  const pages = ['/', locale === 'fr' ? '/nos-services' : '/rooms', '/contact'].slice(-chance.whole(1, 3));
  const visitor_hash = chance.text(43);
  return pages.map((page, index) => {
    const at = new Date(until.getTime() - (pages.length - index) * chance.whole(40, 200) * 1_000);
    return {
      id: chance.idAt(at),
      website_id: websiteId,
      visitor_hash,
      page_url: `${url}${page}`,
      page_title: page === '/contact' ? 'Contact' : null,
      page_locale: locale,
      created_at: at,
      ...(index === 0 ? source : { referrer: null }),
    };
  });
}

function leadOf(chance: Chance, placement: DemoPlacement, at: Date, now: Date): Lead {
  const { form } = placement;
  const isKept = now.getTime() - at.getTime() < SPAM_KEPT_DAYS * DAY_MS;
  const isSpam = chance.isTrue(SPAM_SHARE) && isKept && form.fields.some(({ name }) => name === 'message');
  const isForeign = placement.team === 'harbourside' && form.slug === 'enquiry' && chance.isTrue(0.2);
  const locale = isForeign ? 'fr' : placement.locale === 'fr' ? 'fr' : 'en';
  const values = {
    ...valuesOf(chance, form.slug, locale, at),
    ...(isSpam && { message: chance.pick(SPAM) }),
  };
  const consents = form.fields
    .filter(({ name, type }) => type === 'consent' && name in values)
    .map((field) => [field.name, localizedLabel(form, field, locale)]);
  const source = sourceOf(chance);
  const visits = visitsOf(chance, placement, at, source);
  const isReviewed = chance.isTrue(0.01);
  const row = {
    id: chance.idAt(at),
    team_id: placement.teamId,
    website_id: placement.websiteId,
    form_id: placement.formId,
    form_version: form.version,
    locale,
    values,
    undeclared: {},
    consents: Object.fromEntries(consents),
    page_url: `${placement.url}/contact`,
    page_title: 'Contact',
    page_locale: locale,
    attribution: isSpam || Object.keys(source).length === 0 ? null : source,
    captcha_key: placement.captchaKey,
    captcha_ground: isReviewed ? 'pass_through' : 'first',
    needs_review: isReviewed,
    emails: emailsOf(form, values),
    search_words: searchWordsOf(form, values, {}),
    created_at: at,
  };
  return { placement, at, isSpam, row, visits };
}

/** Draws the leads of the last ninety days, the oldest first. The same day gives the same leads. */
export function drawLeads(chance: Chance, placements: readonly DemoPlacement[], now: Date): Lead[] {
  const websites = [...new Set(placements.map(({ websiteId }) => websiteId))].map((id) =>
    placements.filter(({ websiteId }) => websiteId === id),
  );
  const moments: { placement: DemoPlacement; at: Date }[] = [];
  const today = now.getTime() - (now.getTime() % DAY_MS);
  for (let day = DAYS; day >= 0; day--) {
    const midnight = today - day * DAY_MS;
    const rate = PER_DAY * OF_WEEKDAY[new Date(midnight).getUTCDay()]!;
    for (const forms of websites) {
      for (let count = chance.isTrue(rate) ? (chance.isTrue(0.25) ? 2 : 1) : 0; count > 0; count--) {
        const at = new Date(midnight + chance.whole(7 * 60, 21 * 60) * MINUTE_MS + chance.whole(0, 59_999));
        // Most write through the first form of a website.
        const placement = forms[chance.isTrue(0.7) ? 0 : forms.length - 1]!;
        if (at.getTime() < now.getTime() - 5 * HOUR_MS) moments.push({ placement, at });
      }
    }
  }
  for (const [index, minutes] of JUST_NOW.entries()) {
    const isFirst = ({ host }: DemoPlacement) => index === 0 && host === DEMO_HOSTS.greylisting;
    const placement = placements.find(isFirst) ?? websites[(index * 5) % websites.length]![0]!;
    moments.push({ placement, at: new Date(now.getTime() - minutes * MINUTE_MS) });
  }
  moments.sort((a, b) => a.at.getTime() - b.at.getTime());
  return moments.map(({ placement, at }) => leadOf(chance, placement, at, now));
}
