import { wordsByLocale } from '../../lib/text/words-by-locale.js';

/** Why Formgate has disabled a webhook. */
export type DisabledBy = 'gone' | 'failing';

/** The texts of the notice in one language. */
interface WebhookNoticeWords {
  /** The language tag for the `lang` attribute. */
  language: string;
  subject: (team: string) => string;
  introduction: Readonly<Record<DisabledBy, string>>;
  /** The sentence that says what is to be done. */
  consequence: string;
  team: string;
  webhook: string;
}

const fr: WebhookNoticeWords = {
  language: 'fr',
  subject: (team) => `Webhook désactivé — ${team}`,
  introduction: {
    gone: 'Un webhook a été désactivé : son destinataire a répondu 410, il ne veut plus rien recevoir.',
    failing: 'Un webhook a été désactivé : tout envoi a échoué pendant cinq jours.',
  },
  consequence:
    'Les demandes restent enregistrées et leurs e-mails partent. Une fois le destinataire réparé, réactivez le webhook et renvoyez ce qui a échoué.',
  team: 'Organisation',
  webhook: 'Serveur du webhook',
};

const en: WebhookNoticeWords = {
  language: 'en',
  subject: (team) => `Webhook disabled — ${team}`,
  introduction: {
    gone: 'A webhook was disabled: its receiver answered 410, it wants nothing more.',
    failing: 'A webhook was disabled: every delivery failed for five days.',
  },
  consequence:
    'Requests are still recorded and their e-mails sent. Once the receiver is mended, enable the webhook and send again what has failed.',
  team: 'Organization',
  webhook: 'Server of the webhook',
};

const de: WebhookNoticeWords = {
  language: 'de',
  subject: (team) => `Webhook deaktiviert — ${team}`,
  introduction: {
    gone: 'Ein Webhook wurde deaktiviert: Der Empfänger hat mit 410 geantwortet, er möchte nichts mehr erhalten.',
    failing: 'Ein Webhook wurde deaktiviert: Fünf Tage lang schlug jede Zustellung fehl.',
  },
  consequence:
    'Anfragen werden weiterhin gespeichert und ihre E-Mails versandt. Aktivieren Sie den Webhook, sobald der Empfänger wieder arbeitet, und senden Sie das Fehlgeschlagene erneut.',
  team: 'Organisation',
  webhook: 'Server des Webhooks',
};

const es: WebhookNoticeWords = {
  language: 'es',
  subject: (team) => `Webhook desactivado — ${team}`,
  introduction: {
    gone: 'Se ha desactivado un webhook: su receptor respondió 410, no desea recibir nada más.',
    failing: 'Se ha desactivado un webhook: todos los envíos fallaron durante cinco días.',
  },
  consequence:
    'Las solicitudes se siguen guardando y sus correos se envían. Cuando el receptor funcione, active el webhook y reenvíe lo que falló.',
  team: 'Organización',
  webhook: 'Servidor del webhook',
};

const it: WebhookNoticeWords = {
  language: 'it',
  subject: (team) => `Webhook disattivato — ${team}`,
  introduction: {
    gone: 'Un webhook è stato disattivato: il destinatario ha risposto 410, non vuole ricevere altro.',
    failing: 'Un webhook è stato disattivato: per cinque giorni ogni invio è fallito.',
  },
  consequence:
    'Le richieste continuano a essere registrate e le e-mail inviate. Quando il destinatario funziona di nuovo, riattivi il webhook e invii di nuovo ciò che è fallito.',
  team: 'Organizzazione',
  webhook: 'Server del webhook',
};

const nl: WebhookNoticeWords = {
  language: 'nl',
  subject: (team) => `Webhook uitgeschakeld — ${team}`,
  introduction: {
    gone: 'Een webhook is uitgeschakeld: de ontvanger antwoordde 410 en wil niets meer ontvangen.',
    failing: 'Een webhook is uitgeschakeld: vijf dagen lang mislukte elke bezorging.',
  },
  consequence:
    'Aanvragen worden nog steeds bewaard en hun e-mails verzonden. Schakel de webhook weer in zodra de ontvanger werkt, en verzend opnieuw wat is mislukt.',
  team: 'Organisatie',
  webhook: 'Server van de webhook',
};

const pt: WebhookNoticeWords = {
  language: 'pt',
  subject: (team) => `Webhook desativado — ${team}`,
  introduction: {
    gone: 'Um webhook foi desativado: o destinatário respondeu 410, não quer receber mais nada.',
    failing: 'Um webhook foi desativado: durante cinco dias todos os envios falharam.',
  },
  consequence:
    'Os pedidos continuam a ser guardados e os seus e-mails enviados. Quando o destinatário funcionar, ative o webhook e envie de novo o que falhou.',
  team: 'Organização',
  webhook: 'Servidor do webhook',
};

/** Returns the texts for a language; English where there are none. */
export const webhookNoticeWords = wordsByLocale(en, [fr, de, es, it, nl, pt]);
