import { wordsByLocale } from '../../lib/text/words-by-locale.js';

/** The texts of the notification e-mail in one language. */
export interface SubmissionEmailWords {
  /** The language tag for the `lang` attribute and the dates. */
  language: string;
  subject(form: string, website: string): string;
  introduction(form: string, host: string): string;
  /** The introduction of a submission that an account forwards. */
  forwarded(by: string, form: string, host: string): string;
  note: string;
  needsReview: string;
  undeclaredTitle: string;
  undeclaredNote: string;
  aboutTitle: string;
  receivedAt: string;
  website: string;
  form: string;
  page: string;
  address: string;
  referrer: string;
  campaign: string;
  reference: string;
  yes: string;
  no: string;
}

const fr: SubmissionEmailWords = {
  language: 'fr',
  subject: (form, website) => `Nouvelle demande : ${form} — ${website}`,
  introduction: (form, host) =>
    `Une nouvelle demande vous est parvenue par le formulaire « ${form} » de ${host}.`,
  forwarded: (by, form, host) =>
    `${by} vous transmet une demande reçue par le formulaire « ${form} » de ${host}.`,
  note: 'Note',
  needsReview:
    'À vérifier : le service anti-robot ne répondait pas, cette demande a donc été acceptée sans son contrôle.',
  undeclaredTitle: 'Autres informations reçues',
  undeclaredNote: 'Ces champs ne font pas partie du formulaire ; leur contenu n’a pas été contrôlé.',
  aboutTitle: 'À propos de cette demande',
  receivedAt: 'Reçue le',
  website: 'Site',
  form: 'Formulaire',
  page: 'Page',
  address: 'Adresse de la page',
  referrer: 'Provenance',
  campaign: 'Campagne',
  reference: 'Référence',
  yes: 'Oui',
  no: 'Non',
};

const en: SubmissionEmailWords = {
  language: 'en',
  subject: (form, website) => `New request: ${form} — ${website}`,
  introduction: (form, host) => `You have received a new request through the “${form}” form on ${host}.`,
  forwarded: (by, form, host) =>
    `${by} forwards you a request that came through the “${form}” form on ${host}.`,
  note: 'Note',
  needsReview:
    'Please check: the anti-robot service was not answering, so this request was accepted without it.',
  undeclaredTitle: 'Other information received',
  undeclaredNote: 'These fields are not part of the form; their content has not been checked.',
  aboutTitle: 'About this request',
  receivedAt: 'Received',
  website: 'Website',
  form: 'Form',
  page: 'Page',
  address: 'Page address',
  referrer: 'Came from',
  campaign: 'Campaign',
  reference: 'Reference',
  yes: 'Yes',
  no: 'No',
};

const de: SubmissionEmailWords = {
  language: 'de',
  subject: (form, website) => `Neue Anfrage: ${form} — ${website}`,
  introduction: (form, host) => `Über das Formular „${form}“ auf ${host} ist eine neue Anfrage eingegangen.`,
  forwarded: (by, form, host) =>
    `${by} leitet Ihnen eine Anfrage weiter, die über das Formular „${form}“ auf ${host} eingegangen ist.`,
  note: 'Notiz',
  needsReview:
    'Bitte prüfen: Der Bot-Schutz war nicht erreichbar, diese Anfrage wurde daher ohne seine Prüfung angenommen.',
  undeclaredTitle: 'Weitere übermittelte Angaben',
  undeclaredNote: 'Diese Felder gehören nicht zum Formular; ihr Inhalt wurde nicht geprüft.',
  aboutTitle: 'Zu dieser Anfrage',
  receivedAt: 'Eingegangen am',
  website: 'Website',
  form: 'Formular',
  page: 'Seite',
  address: 'Adresse der Seite',
  referrer: 'Herkunft',
  campaign: 'Kampagne',
  reference: 'Referenz',
  yes: 'Ja',
  no: 'Nein',
};

const es: SubmissionEmailWords = {
  language: 'es',
  subject: (form, website) => `Nueva solicitud: ${form} — ${website}`,
  introduction: (form, host) =>
    `Ha recibido una nueva solicitud a través del formulario «${form}» de ${host}.`,
  forwarded: (by, form, host) =>
    `${by} le reenvía una solicitud recibida a través del formulario «${form}» de ${host}.`,
  note: 'Nota',
  needsReview:
    'Por verificar: el servicio antirrobots no respondía, por lo que esta solicitud se aceptó sin su control.',
  undeclaredTitle: 'Otros datos recibidos',
  undeclaredNote: 'Estos campos no forman parte del formulario; su contenido no se ha comprobado.',
  aboutTitle: 'Acerca de esta solicitud',
  receivedAt: 'Recibida el',
  website: 'Sitio web',
  form: 'Formulario',
  page: 'Página',
  address: 'Dirección de la página',
  referrer: 'Procedencia',
  campaign: 'Campaña',
  reference: 'Referencia',
  yes: 'Sí',
  no: 'No',
};

const it: SubmissionEmailWords = {
  language: 'it',
  subject: (form, website) => `Nuova richiesta: ${form} — ${website}`,
  introduction: (form, host) => `Ha ricevuto una nuova richiesta dal modulo «${form}» di ${host}.`,
  forwarded: (by, form, host) => `${by} Le inoltra una richiesta ricevuta dal modulo «${form}» di ${host}.`,
  note: 'Nota',
  needsReview:
    'Da verificare: il servizio antirobot non rispondeva, quindi questa richiesta è stata accettata senza il suo controllo.',
  undeclaredTitle: 'Altre informazioni ricevute',
  undeclaredNote: 'Questi campi non fanno parte del modulo; il loro contenuto non è stato controllato.',
  aboutTitle: 'Informazioni sulla richiesta',
  receivedAt: 'Ricevuta il',
  website: 'Sito',
  form: 'Modulo',
  page: 'Pagina',
  address: 'Indirizzo della pagina',
  referrer: 'Provenienza',
  campaign: 'Campagna',
  reference: 'Riferimento',
  yes: 'Sì',
  no: 'No',
};

const nl: SubmissionEmailWords = {
  language: 'nl',
  subject: (form, website) => `Nieuwe aanvraag: ${form} — ${website}`,
  introduction: (form, host) =>
    `U hebt een nieuwe aanvraag ontvangen via het formulier ‘${form}’ op ${host}.`,
  forwarded: (by, form, host) =>
    `${by} stuurt u een aanvraag door die via het formulier ‘${form}’ op ${host} is ontvangen.`,
  note: 'Notitie',
  needsReview:
    'Graag controleren: de robotcontrole was niet bereikbaar, daarom is deze aanvraag zonder die controle aanvaard.',
  undeclaredTitle: 'Overige ontvangen gegevens',
  undeclaredNote: 'Deze velden horen niet bij het formulier; de inhoud is niet gecontroleerd.',
  aboutTitle: 'Over deze aanvraag',
  receivedAt: 'Ontvangen op',
  website: 'Website',
  form: 'Formulier',
  page: 'Pagina',
  address: 'Adres van de pagina',
  referrer: 'Herkomst',
  campaign: 'Campagne',
  reference: 'Referentie',
  yes: 'Ja',
  no: 'Nee',
};

const pt: SubmissionEmailWords = {
  language: 'pt',
  subject: (form, website) => `Novo pedido: ${form} — ${website}`,
  introduction: (form, host) => `Recebeu um novo pedido através do formulário «${form}» de ${host}.`,
  forwarded: (by, form, host) =>
    `${by} reencaminha-lhe um pedido recebido através do formulário «${form}» de ${host}.`,
  note: 'Nota',
  needsReview:
    'A verificar: o serviço antirrobô não respondia, pelo que este pedido foi aceite sem o seu controlo.',
  undeclaredTitle: 'Outras informações recebidas',
  undeclaredNote: 'Estes campos não fazem parte do formulário; o seu conteúdo não foi verificado.',
  aboutTitle: 'Sobre este pedido',
  receivedAt: 'Recebido em',
  website: 'Site',
  form: 'Formulário',
  page: 'Página',
  address: 'Endereço da página',
  referrer: 'Proveniência',
  campaign: 'Campanha',
  reference: 'Referência',
  yes: 'Sim',
  no: 'Não',
};

const wordsOf = wordsByLocale(en, [fr, de, es, it, nl, pt]);

/** Returns the texts for a language tag, `pt-BR` meaning `pt`; English where there are none. */
export function wordsFor(locale: string): SubmissionEmailWords {
  const [base = ''] = locale.toLowerCase().split(/[-_]/);
  return wordsOf(base);
}
