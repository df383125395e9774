import type { PanelLanguage } from '../../generated/prisma/client.js';
import type { SenderCheckName, SenderFinding } from './sender-dns.js';

/** A finding that is a fault. */
type SenderFault = Exclude<SenderFinding, 'ok'>;

/** The texts about the sender's DNS in one language; each fault goes on from the record or the domain at fault. */
type SenderWords = Readonly<{
  colon: string;
  fault: Readonly<Record<SenderFault, string>>;
  /** What to do about a record that is missing. */
  publish: Readonly<Record<SenderCheckName, string>>;
  /** What to do about any other fault. */
  mend: Readonly<Record<Exclude<SenderFault, 'missing'>, string>>;
}>;

const NAMES: Readonly<Record<SenderCheckName, string>> = {
  spf: 'SPF',
  dmarc: 'DMARC',
  bounce_mx: 'MX',
  bounce_spf: 'SPF',
};

const en: SenderWords = {
  colon: ': ',
  fault: {
    missing: 'has no such record',
    several_records: 'has several records',
    too_many_lookups: 'needs more than ten look-ups',
    refers_to_itself: 'is a circle',
    broken_reference: 'leads to no record',
    invalid: 'is not valid',
    unknown: 'is not known',
  },
  publish: {
    spf: 'Publish a text record that begins with v=spf1 and names the mail server.',
    dmarc: 'Publish a text record such as v=DMARC1; p=none; rua=mailto:… under this name.',
    bounce_mx: 'Publish an MX record that leads to the workers, or leave BOUNCE_DOMAIN unset.',
    bounce_spf: 'Publish one for BOUNCE_DOMAIN as well: receivers check the domain of the envelope.',
  },
  mend: {
    several_records: 'Join the records into one: receivers ignore several.',
    too_many_lookups: 'Drop includes, or replace them by addresses: receivers stop after ten look-ups.',
    refers_to_itself: 'Break the circle: receivers ignore such a record.',
    broken_reference: 'Drop the reference: the domain has no such record.',
    invalid: 'Correct the record: receivers ignore it as it is.',
    unknown: 'DNS did not answer: try again, or name other resolvers in DNS_SERVERS.',
  },
};

const fr: SenderWords = {
  colon: ' : ',
  fault: {
    missing: 'n’a pas cet enregistrement',
    several_records: 'a plusieurs enregistrements',
    too_many_lookups: 'demande plus de dix requêtes DNS',
    refers_to_itself: 'forme une boucle',
    broken_reference: 'ne mène à aucun enregistrement',
    invalid: 'n’est pas valide',
    unknown: 'n’est pas connu',
  },
  publish: {
    spf: 'Publiez un enregistrement TXT qui commence par v=spf1 et nomme le serveur de messagerie.',
    dmarc: 'Publiez sous ce nom un enregistrement TXT tel que v=DMARC1; p=none; rua=mailto:….',
    bounce_mx: 'Publiez un enregistrement MX qui mène aux workers, ou laissez BOUNCE_DOMAIN vide.',
    bounce_spf:
      'Publiez-en un pour BOUNCE_DOMAIN aussi : les destinataires vérifient le domaine de l’enveloppe.',
  },
  mend: {
    several_records: 'Réunissez-les en un seul : les destinataires n’en acceptent pas plusieurs.',
    too_many_lookups:
      'Retirez des include, ou remplacez-les par des adresses : les destinataires s’arrêtent à dix requêtes.',
    refers_to_itself: 'Rompez la boucle : les destinataires ignorent un tel enregistrement.',
    broken_reference: 'Retirez le renvoi : le domaine n’a pas d’enregistrement.',
    invalid: 'Corrigez l’enregistrement : les destinataires l’ignorent tel quel.',
    unknown: 'Le DNS n’a pas répondu : réessayez, ou indiquez d’autres résolveurs dans DNS_SERVERS.',
  },
};

const WORDS: Readonly<Record<PanelLanguage, SenderWords>> = { en, fr };

/** A check that has found a fault. */
export type FaultySender = Readonly<{ name: SenderCheckName; finding: SenderFault; detail: string }>;

/** Says in a sentence what to do about a fault of the sender's DNS. */
export function senderAdvice(
  { name, finding }: Omit<FaultySender, 'detail'>,
  language: PanelLanguage,
): string {
  const { publish, mend } = WORDS[language];
  return finding === 'missing' ? publish[name] : mend[finding];
}

/** Says in two sentences what is wrong with the sender's DNS, and what to do about it. */
export function explainSender(found: FaultySender, language: PanelLanguage): string {
  const { colon, fault } = WORDS[language];
  const { name, finding, detail } = found;
  return `${NAMES[name]}${colon}${detail} ${fault[finding]}. ${senderAdvice(found, language)}`;
}
