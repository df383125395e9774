import type { OneTimeLinkPurpose } from '../../generated/prisma/client.js';
import { wordsByLocale } from '../../lib/text/words-by-locale.js';

/** What an e-mail to an account may be about. */
export type MailedPurpose = Exclude<OneTimeLinkPurpose, 'login'>;

/** The texts of an e-mail with a one-time link in one language. */
type AccountEmailWords = Readonly<{
  /** The language tag for the `lang` attribute. */
  language: string;
  link: string;
  /** The advice for a reader who did not request the e-mail. */
  ignore: string;
  /** Who invites. */
  invitedBy(name: string): string;
  /** What Formgate is, for an invited person. */
  product: string;
}> &
  Readonly<
    Record<
      MailedPurpose,
      {
        subject(team: string): string;
        /** @param name Of the team; of a notice, the host of the panel. */
        introduction(name: string): string;
        /** How long the link is valid; of a notice, what to do. */
        note: string;
      }
    >
  >;

const fr: AccountEmailWords = {
  language: 'fr',
  link: 'Lien',
  ignore: 'Si vous n’attendiez pas ce message, ignorez-le.',
  invitedBy: (name) => `Cette invitation vient de ${name}.`,
  product: 'Formgate garde les messages que les visiteurs envoient par les formulaires de vos sites.',
  invitation: {
    subject: (team) => `Invitation à rejoindre ${team}`,
    introduction: (team) => `Vous êtes invité à rejoindre ${team}. Acceptez l’invitation avec ce lien :`,
    note: 'Il est valable sept jours et ne sert qu’une fois.',
  },
  password_reset: {
    subject: () => 'Nouveau mot de passe',
    introduction: () => 'Choisissez votre nouveau mot de passe avec ce lien :',
    note: 'Il est valable une heure et ne sert qu’une fois.',
  },
  email_change: {
    subject: () => 'Confirmez votre nouvelle adresse e-mail',
    introduction: () => 'Avec ce lien, confirmez que vous vous connectez désormais avec cette adresse :',
    note: 'Il est valable une heure et ne sert qu’une fois.',
  },
  email_change_notice: {
    subject: () => 'Votre adresse de connexion a changé',
    introduction: (host) =>
      `Vous ne pouvez plus vous connecter à ${host} avec cette adresse e-mail : votre compte en a désormais une autre.`,
    note: 'Si ce changement ne vient pas de vous, prévenez immédiatement l’agence qui gère votre accès.',
  },
};

const en: AccountEmailWords = {
  language: 'en',
  link: 'Link',
  ignore: 'If you did not expect this message, ignore it.',
  invitedBy: (name) => `This invitation comes from ${name}.`,
  product: 'Formgate keeps the messages that visitors send through the forms of your websites.',
  invitation: {
    subject: (team) => `Invitation to join ${team}`,
    introduction: (team) => `You are invited to join ${team}. Accept the invitation with this link:`,
    note: 'It is valid for seven days and works once.',
  },
  password_reset: {
    subject: () => 'New password',
    introduction: () => 'Choose your new password with this link:',
    note: 'It is valid for one hour and works once.',
  },
  email_change: {
    subject: () => 'Confirm your new e-mail address',
    introduction: () => 'Confirm with this link that you log in with this address from now on:',
    note: 'It is valid for one hour and works once.',
  },
  email_change_notice: {
    subject: () => 'Your login address has changed',
    introduction: (host) =>
      `You can no longer log in to ${host} with this e-mail address: your account has another one now.`,
    note: 'If this was not you, tell the agency that manages your access immediately.',
  },
};

const de: AccountEmailWords = {
  language: 'de',
  link: 'Link',
  ignore: 'Wenn Sie diese Nachricht nicht erwartet haben, ignorieren Sie sie.',
  invitedBy: (name) => `Diese Einladung kommt von ${name}.`,
  product: 'Formgate bewahrt die Nachrichten auf, die Besucher über die Formulare Ihrer Websites senden.',
  invitation: {
    subject: (team) => `Einladung zu ${team}`,
    introduction: (team) => `Sie sind zu ${team} eingeladen. Nehmen Sie die Einladung über diesen Link an:`,
    note: 'Er gilt sieben Tage und kann einmal verwendet werden.',
  },
  password_reset: {
    subject: () => 'Neues Passwort',
    introduction: () => 'Wählen Sie Ihr neues Passwort über diesen Link:',
    note: 'Er gilt eine Stunde und kann einmal verwendet werden.',
  },
  email_change: {
    subject: () => 'Bestätigen Sie Ihre neue E-Mail-Adresse',
    introduction: () => 'Bestätigen Sie über diesen Link, dass Sie sich künftig mit dieser Adresse anmelden:',
    note: 'Er gilt eine Stunde und kann einmal verwendet werden.',
  },
  email_change_notice: {
    subject: () => 'Ihre Anmeldeadresse wurde geändert',
    introduction: (host) =>
      `Sie können sich bei ${host} nicht mehr mit dieser E-Mail-Adresse anmelden: Ihr Konto hat jetzt eine andere.`,
    note: 'Wenn Sie das nicht waren, sagen Sie es sofort der Agentur, die Ihren Zugang verwaltet.',
  },
};

const es: AccountEmailWords = {
  language: 'es',
  link: 'Enlace',
  ignore: 'Si no esperaba este mensaje, ignórelo.',
  invitedBy: (name) => `Esta invitación es de ${name}.`,
  product: 'Formgate guarda los mensajes que los visitantes envían con los formularios de sus sitios web.',
  invitation: {
    subject: (team) => `Invitación a unirse a ${team}`,
    introduction: (team) => `Le invitan a unirse a ${team}. Acepte la invitación con este enlace:`,
    note: 'Es válido durante siete días y solo se puede usar una vez.',
  },
  password_reset: {
    subject: () => 'Nueva contraseña',
    introduction: () => 'Elija su nueva contraseña con este enlace:',
    note: 'Es válido durante una hora y solo se puede usar una vez.',
  },
  email_change: {
    subject: () => 'Confirme su nueva dirección de correo',
    introduction: () => 'Confirme con este enlace que en adelante inicia sesión con esta dirección:',
    note: 'Es válido durante una hora y solo se puede usar una vez.',
  },
  email_change_notice: {
    subject: () => 'Su dirección de acceso ha cambiado',
    introduction: (host) =>
      `Ya no puede iniciar sesión en ${host} con esta dirección de correo: su cuenta tiene ahora otra.`,
    note: 'Si no ha sido usted, avise de inmediato a la agencia que gestiona su acceso.',
  },
};

const it: AccountEmailWords = {
  language: 'it',
  link: 'Link',
  ignore: 'Se non aspettava questo messaggio, lo ignori.',
  invitedBy: (name) => `Questo invito è di ${name}.`,
  product: 'Formgate conserva i messaggi che i visitatori inviano con i moduli dei Suoi siti.',
  invitation: {
    subject: (team) => `Invito a unirsi a ${team}`,
    introduction: (team) => `È stato invitato a unirsi a ${team}. Accetti l’invito con questo link:`,
    note: 'È valido sette giorni e si può usare una volta sola.',
  },
  password_reset: {
    subject: () => 'Nuova password',
    introduction: () => 'Scelga la Sua nuova password con questo link:',
    note: 'È valido un’ora e si può usare una volta sola.',
  },
  email_change: {
    subject: () => 'Confermi il Suo nuovo indirizzo e-mail',
    introduction: () => 'Confermi con questo link che d’ora in poi accede con questo indirizzo:',
    note: 'È valido un’ora e si può usare una volta sola.',
  },
  email_change_notice: {
    subject: () => 'Il Suo indirizzo di accesso è cambiato',
    introduction: (host) =>
      `Non può più accedere a ${host} con questo indirizzo e-mail: il Suo account ora ne ha un altro.`,
    note: 'Se non è stato Lei, avvisi subito l’agenzia che gestisce il Suo accesso.',
  },
};

const nl: AccountEmailWords = {
  language: 'nl',
  link: 'Link',
  ignore: 'Als u dit bericht niet verwachtte, kunt u het negeren.',
  invitedBy: (name) => `Deze uitnodiging komt van ${name}.`,
  product: 'Formgate bewaart de berichten die bezoekers via de formulieren van uw websites sturen.',
  invitation: {
    subject: (team) => `Uitnodiging voor ${team}`,
    introduction: (team) => `U bent uitgenodigd voor ${team}. Accepteer de uitnodiging via deze link:`,
    note: 'De link is zeven dagen geldig en werkt één keer.',
  },
  password_reset: {
    subject: () => 'Nieuw wachtwoord',
    introduction: () => 'Kies uw nieuwe wachtwoord via deze link:',
    note: 'De link is een uur geldig en werkt één keer.',
  },
  email_change: {
    subject: () => 'Bevestig uw nieuwe e-mailadres',
    introduction: () => 'Bevestig via deze link dat u voortaan met dit adres inlogt:',
    note: 'De link is een uur geldig en werkt één keer.',
  },
  email_change_notice: {
    subject: () => 'Uw inlogadres is gewijzigd',
    introduction: (host) =>
      `U kunt met dit e-mailadres niet meer inloggen op ${host}: uw account heeft nu een ander.`,
    note: 'Als u dit niet zelf deed, waarschuw dan direct het bureau dat uw toegang beheert.',
  },
};

const pt: AccountEmailWords = {
  language: 'pt',
  link: 'Ligação',
  ignore: 'Se não esperava esta mensagem, ignore-a.',
  invitedBy: (name) => `Este convite é de ${name}.`,
  product: 'O Formgate guarda as mensagens que os visitantes enviam através dos formulários dos seus sítios.',
  invitation: {
    subject: (team) => `Convite para se juntar a ${team}`,
    introduction: (team) => `Foi convidado a juntar-se a ${team}. Aceite o convite através desta ligação:`,
    note: 'É válida durante sete dias e só pode ser usada uma vez.',
  },
  password_reset: {
    subject: () => 'Nova palavra-passe',
    introduction: () => 'Escolha a sua nova palavra-passe através desta ligação:',
    note: 'É válida durante uma hora e só pode ser usada uma vez.',
  },
  email_change: {
    subject: () => 'Confirme o seu novo endereço de e-mail',
    introduction: () => 'Confirme através desta ligação que passa a iniciar sessão com este endereço:',
    note: 'É válida durante uma hora e só pode ser usada uma vez.',
  },
  email_change_notice: {
    subject: () => 'O seu endereço de acesso mudou',
    introduction: (host) =>
      `Já não pode iniciar sessão em ${host} com este endereço de e-mail: a sua conta tem agora outro.`,
    note: 'Se não foi você, avise de imediato a agência que gere o seu acesso.',
  },
};

/** Returns the texts for a language; English where there are none. */
export const accountEmailWords = wordsByLocale(en, [fr, de, es, it, nl, pt]);
