import { baseLocale, spokenIndex } from '../../src/forms/definition/locales.js';
import type { Reason } from './submission.js';

/** The script's built-in texts. `{wait}` is a duration in the reader's language. */
export type Words = Readonly<
  Record<
    | Exclude<Reason, 'invalid' | 'refused' | 'captcha_unavailable'>
    | 'sending'
    | 'required'
    | 'add'
    | 'more'
    | 'privacy',
    string
  >
>;

/** Each text in the languages of `SPOKEN`, in its order. */
const TEXTS: Readonly<Record<keyof Words, readonly string[]>> = {
  captcha: [
    'The robot check failed. Please try again.',
    'Échec du contrôle anti-robots. Veuillez réessayer.',
    'Roboterprüfung fehlgeschlagen. Bitte versuchen Sie es erneut.',
    'Falló el control antirrobots. Inténtelo de nuevo.',
    'Controllo antirobot non riuscito. Riprova.',
    'Robotcontrole mislukt. Probeer het opnieuw.',
    'Falhou o controlo antirrobôs. Tente novamente.',
  ],
  too_large: [
    'Your message is too long.',
    'Message trop long.',
    'Nachricht zu lang.',
    'Mensaje demasiado largo.',
    'Messaggio troppo lungo.',
    'Bericht te lang.',
    'Mensagem demasiado longa.',
  ],
  too_many: [
    'Too many requests. Please try again in {wait}.',
    "Trop d'envois. Veuillez réessayer dans {wait}.",
    'Zu viele Anfragen. Bitte versuchen Sie es in {wait} erneut.',
    'Demasiados envíos. Inténtelo de nuevo dentro de {wait}.',
    'Troppi invii. Riprova tra {wait}.',
    'Te veel verzoeken. Probeer het over {wait} opnieuw.',
    'Demasiados envios. Tente novamente dentro de {wait}.',
  ],
  unreachable: [
    'No answer yet. It will be sent again shortly.',
    'Pas encore de réponse. Nouvel envoi sous peu.',
    'Noch keine Antwort. Es wird gleich erneut gesendet.',
    'Aún sin respuesta. Se enviará de nuevo enseguida.',
    'Ancora nessuna risposta. Nuovo invio tra poco.',
    'Nog geen antwoord. Het wordt zo opnieuw verzonden.',
    'Ainda sem resposta. Novo envio dentro de momentos.',
  ],
  unavailable: [
    'This form is not available here at the moment.',
    'Formulaire indisponible ici pour le moment.',
    'Formular hier zurzeit nicht verfügbar.',
    'Formulario no disponible aquí por el momento.',
    'Modulo non disponibile qui al momento.',
    'Formulier hier nu niet beschikbaar.',
    'Formulário indisponível aqui de momento.',
  ],
  sending: ['Sending…', 'Envoi…', 'Wird gesendet…', 'Enviando…', 'Invio…', 'Verzenden…', 'A enviar…'],
  required: [
    'Required',
    'Obligatoire',
    'Pflichtfeld',
    'Obligatorio',
    'Obbligatorio',
    'Verplicht',
    'Obrigatório',
  ],
  add: ['Add another', 'Ajouter', 'Hinzufügen', 'Añadir', 'Aggiungi', 'Toevoegen', 'Adicionar'],
  more: [
    'Learn more',
    'En savoir plus',
    'Mehr erfahren',
    'Saber más',
    'Altre info',
    'Meer lezen',
    'Saber mais',
  ],
  privacy: [
    'Privacy policy',
    'Politique de confidentialité',
    'Datenschutzerklärung',
    'Política de privacidad',
    'Informativa sulla privacy',
    'Privacybeleid',
    'Política de privacidade',
  ],
};

/** Returns the script's built-in texts in a language; English for a language without texts. */
export function wordsOf(locale: string): Words {
  const index = spokenIndex(locale);
  return Object.fromEntries(Object.entries(TEXTS).map(([key, texts]) => [key, texts[index]])) as Words;
}

/** Formats a duration for the reader: `45 secondes`, from a minute and a half on in whole minutes. */
export function waitText(seconds: number, locale: string): string {
  const inMinutes = seconds > 90;
  return new Intl.NumberFormat(baseLocale(locale) || 'en', {
    style: 'unit',
    unit: inMinutes ? 'minute' : 'second',
    unitDisplay: 'long',
  }).format(Math.ceil(inMinutes ? seconds / 60 : Math.max(1, seconds)));
}

/** Words the failure of a submission for the visitor; what has no words of its own says that the form is not available. */
export function failureText(
  reason: Exclude<Reason, 'invalid'>,
  waitS: number | null,
  locale: string,
): string {
  // The gateway sends the wait with each 429; a proxy in front of it may not.
  const wait = waitText(waitS ?? 60, locale);
  const words: Partial<Record<Reason, string>> & Words = wordsOf(locale);
  return (words[reason] ?? words.unavailable).replace('{wait}', wait);
}
