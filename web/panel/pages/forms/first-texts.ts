/** What a new form says in each language of the built-in texts, until it says something of its own. */
const TEXTS: Readonly<Record<string, readonly [button: string, confirmation: string]>> = {
  en: ['Send', 'Thank you. We have received your message.'],
  fr: ['Envoyer', 'Merci. Nous avons bien reçu votre message.'],
  de: ['Senden', 'Vielen Dank. Wir haben Ihre Nachricht erhalten.'],
  es: ['Enviar', 'Gracias. Hemos recibido su mensaje.'],
  it: ['Invia', 'Grazie. Abbiamo ricevuto il suo messaggio.'],
  nl: ['Verzenden', 'Bedankt. We hebben uw bericht ontvangen.'],
  pt: ['Enviar', 'Obrigado. Recebemos a sua mensagem.'],
};

/** Returns the texts that a new form begins with; in a language without any they are English. */
export function firstTexts(locale: string) {
  const [submitButtonText, confirmationMessage] = TEXTS[locale] ?? TEXTS.en!;
  return { submitButtonText, confirmationMessage };
}
