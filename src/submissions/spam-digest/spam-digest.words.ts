import { PanelLanguage } from '../../generated/prisma/enums.js';

/** The texts of the digest of withheld spam in one language. */
export type SpamDigestWords = Readonly<{
  language: PanelLanguage;
  subject: (count: string, isOne: boolean, team: string) => string;
  introduction: (count: string, isOne: boolean, team: string, days: number) => string;
  newest: string;
  more: (count: string, isOne: boolean) => string;
  /** Stands for a sender who has given neither name nor address. */
  nameless: string;
  received: string;
  why: string;
  /** What to do about a lead among them. */
  release: string;
  folder: string;
  /** How the settings are changed. */
  advice: string;
  settings: string;
}>;

const en: SpamDigestWords = {
  language: 'en',
  subject: (count, isOne, team) =>
    isOne ? `One message withheld as spam — ${team}` : `${count} messages withheld as spam — ${team}`,
  introduction: (count, isOne, team, days) =>
    isOne
      ? `In the last ${days} days one message to ${team} looked like spam. It was not e-mailed to you.`
      : `In the last ${days} days ${count} messages to ${team} looked like spam. They were not e-mailed to you.`,
  newest: 'The newest',
  more: (count, isOne) => (isOne ? 'One more is in the folder.' : `${count} more are in the folder.`),
  nameless: 'Without a name',
  received: 'Received',
  why: 'Why',
  release: 'If one of them is a lead, choose “Not spam” in the folder: its e-mail then goes out at once.',
  folder: 'Folder Spam',
  advice:
    'How strict the filter is, who is never judged and who always is spam: change it under Teams, your team, Spam. Owners get this e-mail once a week, if anything was withheld.',
  settings: 'Settings of the filter',
};

const fr: SpamDigestWords = {
  language: 'fr',
  subject: (count, isOne, team) =>
    isOne
      ? `Un message retenu comme indésirable — ${team}`
      : `${count} messages retenus comme indésirables — ${team}`,
  introduction: (count, isOne, team, days) =>
    isOne
      ? `Ces ${days} derniers jours, un message à ${team} semblait indésirable. Il ne vous a pas été envoyé par e-mail.`
      : `Ces ${days} derniers jours, ${count} messages à ${team} semblaient indésirables. Ils ne vous ont pas été envoyés par e-mail.`,
  newest: 'Les plus récents',
  more: (count, isOne) => (isOne ? 'Un autre est dans le dossier.' : `${count} autres sont dans le dossier.`),
  nameless: 'Sans nom',
  received: 'Reçu',
  why: 'Raisons',
  release:
    'Si l’un d’eux est une demande, choisissez « Pas indésirable » dans le dossier : son e-mail part alors aussitôt.',
  folder: 'Dossier Indésirables',
  advice:
    'Sévérité du filtre, expéditeurs jamais jugés ou toujours bloqués : cela se règle sous Équipes, votre équipe, Indésirables. Les propriétaires reçoivent cet e-mail une fois par semaine, si quelque chose a été retenu.',
  settings: 'Réglages du filtre',
};

const WORDS: Readonly<Record<PanelLanguage, SpamDigestWords>> = { en, fr };

/** Returns the texts for a language; English where there are none. */
export const spamDigestWords = (locale: string | null): SpamDigestWords =>
  locale !== null && Object.hasOwn(PanelLanguage, locale) ? WORDS[locale as PanelLanguage] : en;
