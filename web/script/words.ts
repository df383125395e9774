import { baseLocale } from '../../src/forms/definition/locales.js';
import type { Reason } from './submission.js';

/** What the script says by itself. `{wait}` is a duration in the reader's language. */
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

const ENGLISH: Words = {
  captcha: 'The check against robots failed. Please try again.',
  too_large: 'Your message is too long.',
  too_many: 'Too many requests. Please try again in {wait}.',
  unreachable: 'No answer arrived. Please try again.',
  unavailable: 'This form is not available here at the moment.',
  sending: 'Sending…',
  required: 'Required',
  add: 'Add another',
  more: 'Learn more',
  privacy: 'Privacy policy',
};

const FRENCH: Words = {
  captcha: 'La vérification anti-robots a échoué. Veuillez réessayer.',
  too_large: 'Votre message est trop long.',
  too_many: "Trop d'envois. Veuillez réessayer dans {wait}.",
  unreachable: "Aucune réponse n'est arrivée. Veuillez réessayer.",
  unavailable: "Ce formulaire n'est pas disponible ici pour le moment.",
  sending: 'Envoi en cours…',
  required: 'Obligatoire',
  add: 'Ajouter',
  more: 'En savoir plus',
  privacy: 'Politique de confidentialité',
};

const GERMAN: Words = {
  captcha: 'Die Prüfung gegen Roboter ist fehlgeschlagen. Bitte versuchen Sie es erneut.',
  too_large: 'Ihre Nachricht ist zu lang.',
  too_many: 'Zu viele Anfragen. Bitte versuchen Sie es in {wait} erneut.',
  unreachable: 'Es kam keine Antwort an. Bitte versuchen Sie es erneut.',
  unavailable: 'Das Formular ist hier zurzeit nicht verfügbar.',
  sending: 'Wird gesendet…',
  required: 'Pflichtfeld',
  add: 'Hinzufügen',
  more: 'Mehr erfahren',
  privacy: 'Datenschutzerklärung',
};

const SPANISH: Words = {
  captcha: 'La comprobación contra robots ha fallado. Inténtelo de nuevo.',
  too_large: 'Su mensaje es demasiado largo.',
  too_many: 'Demasiados envíos. Inténtelo de nuevo dentro de {wait}.',
  unreachable: 'No ha llegado ninguna respuesta. Inténtelo de nuevo.',
  unavailable: 'El formulario no está disponible aquí por el momento.',
  sending: 'Enviando…',
  required: 'Obligatorio',
  add: 'Añadir',
  more: 'Más información',
  privacy: 'Política de privacidad',
};

const ITALIAN: Words = {
  captcha: 'La verifica contro i robot non è riuscita. Riprova.',
  too_large: 'Il messaggio è troppo lungo.',
  too_many: 'Troppi invii. Riprova tra {wait}.',
  unreachable: 'Non è arrivata alcuna risposta. Riprova.',
  unavailable: 'Il modulo al momento non è disponibile qui.',
  sending: 'Invio in corso…',
  required: 'Obbligatorio',
  add: 'Aggiungi',
  more: 'Maggiori informazioni',
  privacy: 'Informativa sulla privacy',
};

const DUTCH: Words = {
  captcha: 'De controle tegen robots is mislukt. Probeer het opnieuw.',
  too_large: 'Uw bericht is te lang.',
  too_many: 'Te veel verzoeken. Probeer het over {wait} opnieuw.',
  unreachable: 'Er kwam geen antwoord. Probeer het opnieuw.',
  unavailable: 'Het formulier is hier nu niet beschikbaar.',
  sending: 'Bezig met verzenden…',
  required: 'Verplicht',
  add: 'Toevoegen',
  more: 'Meer informatie',
  privacy: 'Privacybeleid',
};

const PORTUGUESE: Words = {
  captcha: 'A verificação contra robôs falhou. Tente novamente.',
  too_large: 'A sua mensagem é demasiado longa.',
  too_many: 'Demasiados envios. Tente novamente dentro de {wait}.',
  unreachable: 'Não chegou nenhuma resposta. Tente novamente.',
  unavailable: 'De momento, o formulário não está disponível aqui.',
  sending: 'A enviar…',
  required: 'Obrigatório',
  add: 'Adicionar',
  more: 'Saber mais',
  privacy: 'Política de privacidade',
};

const BY_LOCALE: Readonly<Record<string, Words>> = {
  en: ENGLISH,
  fr: FRENCH,
  de: GERMAN,
  es: SPANISH,
  it: ITALIAN,
  nl: DUTCH,
  pt: PORTUGUESE,
};

/** The script's own texts in a language; English for those it does not speak. */
export function wordsOf(locale: string): Words {
  const base = baseLocale(locale);
  return (Object.hasOwn(BY_LOCALE, base) && BY_LOCALE[base]) || ENGLISH;
}

/** A duration as one reads it: `45 secondes`, from a minute and a half on in whole minutes. */
export function waitText(seconds: number, locale: string): string {
  const inMinutes = seconds > 90;
  return new Intl.NumberFormat(baseLocale(locale) || 'en', {
    style: 'unit',
    unit: inMinutes ? 'minute' : 'second',
    unitDisplay: 'long',
  }).format(inMinutes ? Math.ceil(seconds / 60) : Math.max(1, Math.ceil(seconds)));
}

/** What to tell a visitor whose submission did not get through. */
export function failureText(
  { reason, waitS }: { reason: Exclude<Reason, 'invalid'>; waitS: number | null },
  locale: string,
): string {
  // The gateway says how long with each 429; a proxy in front of it may not.
  const key = reason === 'captcha_unavailable' || reason === 'refused' ? 'unavailable' : reason;
  return wordsOf(locale)[key].replace('{wait}', waitText(waitS ?? 60, locale));
}
