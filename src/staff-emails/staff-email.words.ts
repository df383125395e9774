import type { Severity } from '../attention/attention-item.js';
import type { PanelLanguage } from '../generated/prisma/client.js';
import type { AlertName } from './staff-email.js';

type Said = Readonly<{ subject: string; introduction: string }>;

/** The texts of the e-mails to staff in one language. */
export type StaffEmailWords = Readonly<{
  language: PanelLanguage;
  alert: Readonly<Record<AlertName, Said>>;
  alertOver: Readonly<Record<AlertName, Said>>;
  undelivered: Readonly<{ subject(website: string): string; introduction: string; advice: string }>;
  digest: Readonly<{
    subject(count: number): string;
    introduction: string;
    severity: Readonly<Record<Severity, string>>;
    isNew: string;
    installation: string;
    more(count: number): string;
  }>;
  since: string;
  /** The label of the time from the beginning to the end. */
  period: string;
  lead: string;
  recipients: string;
  panel: string;
}>;

const en: StaffEmailWords = {
  language: 'en',
  alert: {
    mail_held: {
      subject: 'E-mails about leads have been waiting for ten minutes',
      introduction:
        'No worker gets the e-mails about leads to the mail server. The leads are recorded, and their e-mails will be sent as soon as it takes them.',
    },
    database_full: {
      subject: 'The database is full: no lead is recorded',
      introduction:
        'PostgreSQL takes no more writes because its disk is full. Forms answer with an error until there is room.',
    },
    probes_failing: {
      subject: 'The tests of websites fail, one after the other',
      introduction:
        'The latest tests, each of another website, have all failed, so the cause is most likely the gateway, its address or the mail server.',
    },
  },
  alertOver: {
    mail_held: {
      subject: 'Over: e-mails about leads are sent again',
      introduction:
        'The mail server takes the e-mails about leads again; those that still wait go out one after the other.',
    },
    database_full: {
      subject: 'Over: the database takes writes again',
      introduction: 'PostgreSQL has room again, and leads are recorded.',
    },
    probes_failing: {
      subject: 'Over: tests of websites reach the gateway again',
      introduction: 'The test of at least one website has reached the gateway and the mail server again.',
    },
  },
  undelivered: {
    subject: (website) => `A lead reached no recipient — ${website}`,
    introduction: 'The e-mail about this lead came back from these recipients, and no other one has it.',
    advice: 'Read the lead in the panel, correct the addresses, and send the e-mail again.',
  },
  digest: {
    subject: (count) => (count === 1 ? 'One thing needs attention' : `${count} things need attention`),
    introduction: 'This is new or still open, the most urgent first.',
    severity: { URGENT: 'Urgent', WARNING: 'Soon', NOTICE: 'When there is time' },
    isNew: 'new',
    installation: 'Installation',
    more: (count) => `${count} more in the panel`,
  },
  since: 'Since',
  period: 'Period',
  lead: 'Lead',
  recipients: 'Recipients',
  panel: 'Panel',
};

const fr: StaffEmailWords = {
  language: 'fr',
  alert: {
    mail_held: {
      subject: 'Des e-mails de demandes attendent depuis dix minutes',
      introduction:
        'Aucun processus ne parvient à remettre les e-mails des demandes au serveur de messagerie. Les demandes sont enregistrées et leurs e-mails partiront dès qu’il les acceptera.',
    },
    database_full: {
      subject: 'La base de données est pleine : aucune demande n’est enregistrée',
      introduction:
        'PostgreSQL n’accepte plus d’écriture, car son disque est plein. Les formulaires renvoient une erreur tant que la place manque.',
    },
    probes_failing: {
      subject: 'Les tests des sites échouent les uns après les autres',
      introduction:
        'Les derniers tests, chacun d’un autre site, ont tous échoué : la cause est sans doute la passerelle, son adresse ou le serveur de messagerie.',
    },
  },
  alertOver: {
    mail_held: {
      subject: 'Terminé : les e-mails des demandes partent de nouveau',
      introduction:
        'Le serveur de messagerie accepte de nouveau les e-mails des demandes ; ceux qui attendent encore partent l’un après l’autre.',
    },
    database_full: {
      subject: 'Terminé : la base de données accepte de nouveau les écritures',
      introduction: 'PostgreSQL a de nouveau de la place et les demandes sont enregistrées.',
    },
    probes_failing: {
      subject: 'Terminé : les tests des sites atteignent de nouveau la passerelle',
      introduction:
        'Le test d’au moins un site a de nouveau atteint la passerelle et le serveur de messagerie.',
    },
  },
  undelivered: {
    subject: (website) => `Une demande n’a atteint aucun destinataire — ${website}`,
    introduction: 'L’e-mail de cette demande est revenu de ces destinataires, et aucun autre ne l’a reçu.',
    advice: 'Lisez la demande dans le panneau, corrigez les adresses, puis renvoyez l’e-mail.',
  },
  digest: {
    subject: (count) =>
      count === 1 ? 'Un point demande votre attention' : `${count} points demandent votre attention`,
    introduction: 'Ce qui est nouveau ou toujours ouvert, le plus urgent d’abord.',
    severity: { URGENT: 'Urgent', WARNING: 'Bientôt', NOTICE: 'Quand vous aurez le temps' },
    isNew: 'nouveau',
    installation: 'Installation',
    more: (count) => `${count} de plus dans le panneau`,
  },
  since: 'Depuis',
  period: 'Période',
  lead: 'Demande',
  recipients: 'Destinataires',
  panel: 'Panneau',
};

const WORDS: Readonly<Record<PanelLanguage, StaffEmailWords>> = { en, fr };

/** Returns the texts for a language. */
export const staffEmailWords = (language: PanelLanguage): StaffEmailWords => WORDS[language];
