import type { TokenNoticeReason } from '../../generated/prisma/client.js';
import { wordsByLocale } from '../../lib/text/words-by-locale.js';

/** The texts of the notice about a token in one language. */
type TokenNoticeWords = Readonly<{
  /** The language tag for the `lang` attribute and the dates. */
  language: string;
  subject: Readonly<Record<TokenNoticeReason, (token: string) => string>>;
  introduction: Readonly<Record<TokenNoticeReason, string>>;
  advice: Readonly<Record<TokenNoticeReason, string>>;
  token: string;
  team: string;
  lastUse: string;
  end: string;
  never: string;
  /** The label of the link to the team's tokens. */
  manage: string;
}>;

const fr: TokenNoticeWords = {
  language: 'fr',
  subject: {
    unused: (token) => `Jeton inutilisé — ${token}`,
    ending: (token) => `Jeton bientôt expiré — ${token}`,
  },
  introduction: {
    unused: 'L’un de vos jetons d’accès n’a pas servi depuis 90 jours.',
    ending: 'L’un de vos jetons d’accès expire dans moins de 14 jours.',
  },
  advice: {
    unused: 'S’il ne sert plus, révoquez-le ; sinon, vous pouvez ignorer ce message.',
    ending: 'Créez-en un nouveau et remplacez-le à temps, sinon ce qui l’utilise sera refusé.',
  },
  token: 'Jeton',
  team: 'Organisation',
  lastUse: 'Dernier usage',
  end: 'Fin',
  never: 'jamais',
  manage: 'Gérer',
};

const en: TokenNoticeWords = {
  language: 'en',
  subject: {
    unused: (token) => `Unused token — ${token}`,
    ending: (token) => `Token ends soon — ${token}`,
  },
  introduction: {
    unused: 'One of your access tokens was not used for 90 days.',
    ending: 'One of your access tokens ends in less than 14 days.',
  },
  advice: {
    unused: 'If it is no longer needed, revoke it; otherwise you can ignore this message.',
    ending: 'Create a new one and replace it in time, or what uses it will be refused.',
  },
  token: 'Token',
  team: 'Organization',
  lastUse: 'Last used',
  end: 'Ends',
  never: 'never',
  manage: 'Manage',
};

const de: TokenNoticeWords = {
  language: 'de',
  subject: {
    unused: (token) => `Ungenutztes Token — ${token}`,
    ending: (token) => `Token läuft bald ab — ${token}`,
  },
  introduction: {
    unused: 'Eines Ihrer Zugangstoken wurde seit 90 Tagen nicht benutzt.',
    ending: 'Eines Ihrer Zugangstoken läuft in weniger als 14 Tagen ab.',
  },
  advice: {
    unused: 'Wird es nicht mehr gebraucht, widerrufen Sie es; sonst können Sie diese Nachricht ignorieren.',
    ending: 'Erstellen Sie ein neues und ersetzen Sie es rechtzeitig, sonst wird abgewiesen, was es benutzt.',
  },
  token: 'Token',
  team: 'Organisation',
  lastUse: 'Zuletzt benutzt',
  end: 'Läuft ab',
  never: 'nie',
  manage: 'Verwalten',
};

const es: TokenNoticeWords = {
  language: 'es',
  subject: {
    unused: (token) => `Token sin usar — ${token}`,
    ending: (token) => `Un token caduca pronto — ${token}`,
  },
  introduction: {
    unused: 'Uno de sus tokens de acceso no se ha usado en 90 días.',
    ending: 'Uno de sus tokens de acceso caduca en menos de 14 días.',
  },
  advice: {
    unused: 'Si ya no hace falta, revóquelo; si no, puede ignorar este mensaje.',
    ending: 'Cree uno nuevo y sustitúyalo a tiempo, o lo que lo usa será rechazado.',
  },
  token: 'Token',
  team: 'Organización',
  lastUse: 'Último uso',
  end: 'Caduca',
  never: 'nunca',
  manage: 'Gestionar',
};

const it: TokenNoticeWords = {
  language: 'it',
  subject: {
    unused: (token) => `Token non utilizzato — ${token}`,
    ending: (token) => `Un token sta per scadere — ${token}`,
  },
  introduction: {
    unused: 'Uno dei Suoi token di accesso non è stato usato per 90 giorni.',
    ending: 'Uno dei Suoi token di accesso scade tra meno di 14 giorni.',
  },
  advice: {
    unused: 'Se non serve più, lo revochi; altrimenti può ignorare questo messaggio.',
    ending: 'Ne crei uno nuovo e lo sostituisca in tempo, o ciò che lo usa sarà rifiutato.',
  },
  token: 'Token',
  team: 'Organizzazione',
  lastUse: 'Ultimo uso',
  end: 'Scade',
  never: 'mai',
  manage: 'Gestione',
};

const nl: TokenNoticeWords = {
  language: 'nl',
  subject: {
    unused: (token) => `Ongebruikt token — ${token}`,
    ending: (token) => `Token verloopt binnenkort — ${token}`,
  },
  introduction: {
    unused: 'Een van uw toegangstokens is 90 dagen niet gebruikt.',
    ending: 'Een van uw toegangstokens verloopt binnen 14 dagen.',
  },
  advice: {
    unused: 'Is het niet meer nodig, trek het dan in; anders kunt u dit bericht negeren.',
    ending: 'Maak een nieuw token en vervang het op tijd, anders wordt geweigerd wat het gebruikt.',
  },
  token: 'Token',
  team: 'Organisatie',
  lastUse: 'Laatst gebruikt',
  end: 'Verloopt',
  never: 'nooit',
  manage: 'Beheren',
};

const pt: TokenNoticeWords = {
  language: 'pt',
  subject: {
    unused: (token) => `Token não utilizado — ${token}`,
    ending: (token) => `Um token expira em breve — ${token}`,
  },
  introduction: {
    unused: 'Um dos seus tokens de acesso não é utilizado há 90 dias.',
    ending: 'Um dos seus tokens de acesso expira em menos de 14 dias.',
  },
  advice: {
    unused: 'Se já não for necessário, revogue-o; caso contrário, pode ignorar esta mensagem.',
    ending: 'Crie um novo e substitua-o a tempo, ou o que o utiliza será recusado.',
  },
  token: 'Token',
  team: 'Organização',
  lastUse: 'Última utilização',
  end: 'Expira',
  never: 'nunca',
  manage: 'Gerir',
};

/** Returns the texts for a language; English where there are none. */
export const tokenNoticeWords = wordsByLocale(en, [fr, de, es, it, nl, pt]);
