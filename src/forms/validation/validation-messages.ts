import { baseLocale } from '../definition/locales.js';
import { entryMessage, type RequestFault, type ValidationFault } from './entry-messages.js';

type Messages = Record<RequestFault['code'], string>;

const ENGLISH: Messages = {
  type: 'This value cannot be read.',
  single: 'Please give a single answer.',
  choice: 'Please choose one of the options offered.',
  tick: 'Please tick this box or leave it empty.',
  too_costly: 'This answer is too long to be checked. Please shorten it.',
  too_deep: 'This request is nested too deeply.',
  too_many: 'This request has too many values.',
  too_many_items: 'Please give {limit} answers at most.',
};

const FRENCH: Messages = {
  type: 'Cette valeur est illisible.',
  single: 'Veuillez donner une seule réponse.',
  choice: 'Veuillez choisir parmi les options proposées.',
  tick: 'Veuillez cocher cette case ou la laisser vide.',
  too_costly: 'Cette réponse est trop longue pour être vérifiée. Veuillez la raccourcir.',
  too_deep: 'Cette demande comporte trop de niveaux imbriqués.',
  too_many: 'Cette demande comporte trop de valeurs.',
  too_many_items: 'Veuillez donner {limit} réponses au maximum.',
};

const GERMAN: Messages = {
  type: 'Dieser Wert ist nicht lesbar.',
  single: 'Bitte geben Sie nur eine Antwort an.',
  choice: 'Bitte wählen Sie eine der angebotenen Optionen.',
  tick: 'Bitte kreuzen Sie dieses Kästchen an oder lassen Sie es leer.',
  too_costly: 'Diese Antwort ist zu lang, um geprüft zu werden. Bitte kürzen Sie sie.',
  too_deep: 'Diese Anfrage ist zu tief verschachtelt.',
  too_many: 'Diese Anfrage enthält zu viele Werte.',
  too_many_items: 'Bitte geben Sie höchstens {limit} Antworten an.',
};

const SPANISH: Messages = {
  type: 'Este valor no se puede leer.',
  single: 'Indique una sola respuesta.',
  choice: 'Elija una de las opciones disponibles.',
  tick: 'Marque esta casilla o déjela vacía.',
  too_costly: 'Esta respuesta es demasiado larga para comprobarla. Acórtela.',
  too_deep: 'Esta solicitud tiene demasiados niveles anidados.',
  too_many: 'Esta solicitud contiene demasiados valores.',
  too_many_items: 'Indique {limit} respuestas como máximo.',
};

const ITALIAN: Messages = {
  type: 'Questo valore non è leggibile.',
  single: 'Indica una sola risposta.',
  choice: 'Scegli una delle opzioni disponibili.',
  tick: 'Seleziona questa casella o lasciala vuota.',
  too_costly: 'Questa risposta è troppo lunga per essere verificata. Accorciala.',
  too_deep: 'Questa richiesta ha troppi livelli annidati.',
  too_many: 'Questa richiesta contiene troppi valori.',
  too_many_items: 'Indica al massimo {limit} risposte.',
};

const DUTCH: Messages = {
  type: 'Deze waarde is onleesbaar.',
  single: 'Geef één antwoord.',
  choice: 'Kies een van de aangeboden opties.',
  tick: 'Vink dit vakje aan of laat het leeg.',
  too_costly: 'Dit antwoord is te lang om te controleren. Maak het korter.',
  too_deep: 'Deze aanvraag heeft te veel geneste niveaus.',
  too_many: 'Deze aanvraag bevat te veel waarden.',
  too_many_items: 'Geef maximaal {limit} antwoorden.',
};

const PORTUGUESE: Messages = {
  type: 'Não é possível ler este valor.',
  single: 'Indique apenas uma resposta.',
  choice: 'Escolha uma das opções disponíveis.',
  tick: 'Assinale esta caixa ou deixe-a vazia.',
  too_costly: 'Esta resposta é demasiado longa para ser verificada. Encurte-a.',
  too_deep: 'Este pedido tem demasiados níveis encadeados.',
  too_many: 'Este pedido contém demasiados valores.',
  too_many_items: 'Indique no máximo {limit} respostas.',
};

const BY_LOCALE = new Map([
  ['en', ENGLISH],
  ['fr', FRENCH],
  ['de', GERMAN],
  ['es', SPANISH],
  ['it', ITALIAN],
  ['nl', DUTCH],
  ['pt', PORTUGUESE],
]);

const isOfRequest = (fault: ValidationFault): fault is RequestFault => Object.hasOwn(ENGLISH, fault.code);

/** Words a fault for the sender, in their language; English for a language without messages. */
export function validationMessage(fault: ValidationFault, locale: string): string {
  if (!isOfRequest(fault)) return entryMessage(fault, locale);
  const message = (BY_LOCALE.get(baseLocale(locale)) ?? ENGLISH)[fault.code];
  return 'limit' in fault ? message.replace('{limit}', String(fault.limit)) : message;
}
