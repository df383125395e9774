import type { PanelLanguage } from '../generated/prisma/client.js';
import { HOURS_IN_DAY } from '../lib/durations.js';
import { regionalLocale } from '../lib/text/regional-locale.js';
import { explainSender, type FaultySender } from '../mail/sender-dns/sender-dns.words.js';
import { FINDING_WORDS } from '../probes/finding.words.js';
import type { AttentionItem, AttentionKind, Facts } from './attention-item.js';

/** Says in sentences, the last without its full stop, what an item is, from its facts. */
type Wording = (facts: Facts, say: Formats) => string;

type Words = Readonly<Record<AttentionKind, Wording>>;

type Formats = ReturnType<typeof formatsOf>;

/** Hours up to which a duration is given in hours. */
const MAX_IN_HOURS = 48;

const MINUTES_IN_HOUR = 60;

const withoutStop = (sentences: string) => sentences.replace(/\.$/, '');

/** Creates the formats of a language. */
function formatsOf(language: PanelLanguage) {
  const plurals = new Intl.PluralRules(language);
  const region = regionalLocale(language);
  const numbers = new Intl.NumberFormat(region);
  const units = (unit: string) =>
    new Intl.NumberFormat(region, {
      style: 'unit',
      unit,
      unitDisplay: 'long',
      maximumFractionDigits: 0,
    });
  const [minutes, hours, days] = [units('minute'), units('hour'), units('day')];
  const dates = new Intl.DateTimeFormat(region, { day: 'numeric', month: 'long', timeZone: 'UTC' });
  const languages = new Intl.DisplayNames(language, { type: 'language' });
  const lists = new Intl.ListFormat(language, { type: 'unit' });
  const numberOf = (value: Facts[string] | undefined) => Number(value ?? 0);
  const findings: Readonly<Record<string, string>> = FINDING_WORDS[language];
  return {
    number: (value: Facts[string] | undefined) => numbers.format(numberOf(value)),
    /** Chooses between the words for one and for several. */
    several: (count: Facts[string] | undefined, one: string, other: string) =>
      plurals.select(numberOf(count)) === 'one' ? one : other,
    /** A number of hours, in the unit that suits it. */
    duration(value: Facts[string] | undefined): string {
      const length = numberOf(value);
      if (length < 1) return minutes.format(Math.max(1, length * MINUTES_IN_HOUR));
      return length < MAX_IN_HOURS ? hours.format(length) : days.format(length / HOURS_IN_DAY);
    },
    days: (value: Facts[string] | undefined) => days.format(numberOf(value)),
    /** A day as in `2026-11-26`. */
    day(value: Facts[string] | undefined): string {
      const day = dates.format(new Date(String(value)));
      return language === 'fr' ? day.replace(/^1 /, '1er ') : day;
    },
    /** The names of languages, whose codes are given as in `de, en`. */
    languages: (codes: Facts[string] | undefined) =>
      lists.format(
        (String(codes ?? '').match(/[a-z]{2,3}(?:-\w+)*/gi) ?? []).map((code) => languages.of(code) ?? code),
      ),
    /** What a probe has found, and what to do; null where nothing is known of it. */
    finding: (value: Facts[string] | undefined) => {
      const words = findings[String(value)];
      return words === undefined ? null : withoutStop(words);
    },
    /** What is wrong with the sender's DNS, and what to do. */
    sender: ({ check, finding, detail }: Facts) =>
      withoutStop(explainSender({ name: check, finding, detail } as FaultySender, language)),
  };
}

const en: Words = {
  SILENT_WEBSITE: ({ silentHours, usualHours }, { duration }) =>
    `No lead for ${duration(silentHours)}; usually there is one every ${duration(usualHours).replace(/^1 /, '')}`,
  PROBE_FAILED: ({ failures, finding }, { number, finding: found }) =>
    [`${number(failures)} tests in a row failed`, found(finding)].filter(Boolean).join('. '),
  PAGE_WITHOUT_SCRIPT: ({ finding }, { finding: found }) =>
    found(finding) ?? 'The page does not load the script of this website',
  CERTIFICATE_EXPIRING: ({ days: left }, { days }) =>
    Number(left) > 0
      ? `The certificate expires in ${days(left)}`
      : Number(left) === 0
        ? 'The certificate expires in less than a day'
        : 'The certificate has expired',
  MAIL_HELD: ({ count, oldestHours }, { number, several, duration }) =>
    `${number(count)} ${several(count, 'e-mail waits', 'e-mails wait')} for the mail server, the oldest for ${duration(oldestHours)}`,
  MAIL_FAILING: ({ failed, without }, { number, several }) =>
    [
      ...(Number(failed) > 0
        ? [`${number(failed)} ${several(failed, 'e-mail has failed', 'e-mails have failed')}`]
        : []),
      ...(Number(without) > 0
        ? [`${number(without)} ${several(without, 'lead has no recipient', 'leads have no recipient')}`]
        : []),
    ].join('; '),
  RECIPIENT_BOUNCING: ({ recipient, leads }, { number, several }) =>
    `E-mails to ${recipient} bounce: ${number(leads)} ${several(leads, 'lead', 'leads')}`,
  CAPTCHA_FAILING: ({ step, failures }, { number, several }) =>
    `The captcha ${step} failed ${number(failures)} ${several(failures, 'time', 'times')} within the last hour`,
  CAPTCHA_MISCONFIGURED: ({ step }) => `The provider refuses the credentials of the captcha ${step}`,
  QUOTA_NEAR: ({ used, limit, reachedOn }, { number, day }) =>
    reachedOn
      ? `${number(used)} of ${number(limit)} e-mails are used; at this rate the quota is reached on ${day(reachedOn)}`
      : `${number(used)} of ${number(limit)} e-mails of the month are used`,
  QUOTA_REACHED: ({ held, limit }, { number, several }) =>
    limit === null
      ? `${number(held)} ${several(held, 'e-mail is', 'e-mails are')} held back by a quota that was used up`
      : `All ${number(limit)} e-mails of the month are used; ${number(held)} ${several(held, 'is', 'are')} held back`,
  TRANSLATIONS_MISSING: ({ count, locales }, { number, several, languages }) =>
    `${number(count)} ${several(count, 'text is', 'texts are')} not translated (${languages(locales)})`,
  PATTERN_NOT_ENFORCED: ({ fields }) => `A pattern that the gateway cannot check: ${fields}`,
  WEBHOOK_FAILING: ({ host }) => `Deliveries to the webhook at ${host} fail`,
  SENDER_DNS: (facts, { sender }) => sender(facts),
  UNCHECKED: () => 'Not everything could be checked; more may need attention than is listed',
};

const fr: Words = {
  SILENT_WEBSITE: ({ silentHours, usualHours }, { duration }) =>
    `Aucune demande depuis ${duration(silentHours)} ; d’habitude, il en arrive une en ${duration(usualHours)}`,
  PROBE_FAILED: ({ failures, finding }, { number, finding: found }) =>
    [`${number(failures)} tests de suite ont échoué`, found(finding)].filter(Boolean).join('. '),
  PAGE_WITHOUT_SCRIPT: ({ finding }, { finding: found }) =>
    found(finding) ?? 'La page ne charge pas le script de ce site',
  CERTIFICATE_EXPIRING: ({ days: left }, { days }) =>
    Number(left) > 0
      ? `Le certificat expire dans ${days(left)}`
      : Number(left) === 0
        ? 'Le certificat expire dans moins d’un jour'
        : 'Le certificat a expiré',
  MAIL_HELD: ({ count, oldestHours }, { number, several, duration }) =>
    `${number(count)} ${several(count, 'e-mail attend', 'e-mails attendent')} le serveur de messagerie, le plus ancien depuis ${duration(oldestHours)}`,
  MAIL_FAILING: ({ failed, without }, { number, several }) =>
    [
      ...(Number(failed) > 0
        ? [`${number(failed)} ${several(failed, 'e-mail a échoué', 'e-mails ont échoué')}`]
        : []),
      ...(Number(without) > 0
        ? [`${number(without)} ${several(without, 'demande', 'demandes')} sans destinataire`]
        : []),
    ].join(' ; '),
  RECIPIENT_BOUNCING: ({ recipient, leads }, { number, several }) =>
    `Les e-mails à ${recipient} reviennent : ${number(leads)} ${several(leads, 'demande', 'demandes')}`,
  CAPTCHA_FAILING: ({ step, failures }, { number }) =>
    `Le captcha ${step} a échoué ${number(failures)} fois depuis une heure`,
  CAPTCHA_MISCONFIGURED: ({ step }) => `Le fournisseur refuse les identifiants du captcha ${step}`,
  QUOTA_NEAR: ({ used, limit, reachedOn }, { number, several, day }) => {
    const ofMonth = reachedOn ? '' : ' du mois';
    const share = `${number(used)} ${several(used, `e-mail${ofMonth}`, `e-mails${ofMonth}`)} sur ${number(limit)}`;
    const text = `${share} ${several(used, 'utilisé', 'utilisés')}`;
    return reachedOn ? `${text} ; à ce rythme, quota atteint le ${day(reachedOn)}` : text;
  },
  QUOTA_REACHED: ({ held, limit }, { number, several }) =>
    limit === null
      ? `${number(held)} ${several(held, 'e-mail est retenu', 'e-mails sont retenus')} par un quota qui a été épuisé`
      : `${several(limit, 'Le seul e-mail du mois est utilisé', `Les ${number(limit)} e-mails du mois sont utilisés`)} ; ${number(held)} ${several(held, 'est retenu', 'sont retenus')}`,
  TRANSLATIONS_MISSING: ({ count, locales }, { number, several, languages }) =>
    `${number(count)} ${several(count, 'texte', 'textes')} sans traduction (${languages(locales)})`,
  PATTERN_NOT_ENFORCED: ({ fields }) => `Un motif que la passerelle ne peut pas vérifier : ${fields}`,
  WEBHOOK_FAILING: ({ host }) => `Les envois au webhook de ${host} échouent`,
  SENDER_DNS: (facts, { sender }) => sender(facts),
  UNCHECKED: () => 'Tout n’a pas pu être vérifié ; il peut manquer des points à traiter dans cette liste',
};

const WORDS: Readonly<Record<PanelLanguage, Readonly<{ words: Words; formats: Formats }>>> = {
  en: { words: en, formats: formatsOf('en') },
  fr: { words: fr, formats: formatsOf('fr') },
};

/** Words an item in a language. */
export function summarize(
  { kind, facts }: Pick<AttentionItem, 'kind' | 'facts'>,
  language: PanelLanguage,
): string {
  const { words, formats } = WORDS[language];
  return words[kind](facts, formats);
}
