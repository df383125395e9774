import { wordsByLocale } from '../../lib/text/words-by-locale.js';

/** The texts of the quota notice in one language. */
interface QuotaNoticeWords {
  /** The language tag for the `lang` attribute and the name of the month. */
  language: string;
  subject: Readonly<Record<80 | 100, (team: string, month: string) => string>>;
  introduction: Readonly<Record<80 | 100, (month: string) => string>>;
  /** The sentences that say that no submission is lost, and what becomes of the e-mails. */
  consequence: Readonly<Record<80 | 100, (month: string) => string>>;
  team: string;
  quota: string;
  month: string;
}

const fr: QuotaNoticeWords = {
  language: 'fr',
  subject: {
    80: (team, month) => `80 % des notifications utilisées pour ${month} — ${team}`,
    100: (team, month) => `Notifications épuisées pour ${month} — ${team}`,
  },
  introduction: {
    80: (month) => `Les notifications par e-mail de votre offre sont utilisées à 80 % pour ${month}.`,
    100: (month) => `Les notifications par e-mail de votre offre sont épuisées pour ${month}.`,
  },
  consequence: {
    80: () => 'Au-delà, les demandes seront toujours enregistrées ; seuls les e-mails s’arrêteront.',
    100: (month) =>
      'Les demandes restent enregistrées et consultables. Les e-mails des demandes suivantes reçues en ' +
      `${month} sont retenus. Ils ne partent pas d’eux-mêmes, pas même le mois suivant : ils peuvent être ` +
      'envoyés depuis le panneau une fois l’offre augmentée.',
  },
  team: 'Organisation',
  quota: 'Notifications par mois',
  month: 'Mois (UTC)',
};

const en: QuotaNoticeWords = {
  language: 'en',
  subject: {
    80: (team, month) => `80% of the notifications for ${month} used — ${team}`,
    100: (team, month) => `No notifications left for ${month} — ${team}`,
  },
  introduction: {
    80: (month) => `80% of the notification e-mails of your plan are used for ${month}.`,
    100: (month) => `The notification e-mails of your plan are used up for ${month}.`,
  },
  consequence: {
    80: () => 'Beyond the quota, requests will still be recorded; only the e-mails will stop.',
    100: (month) =>
      `Requests are still recorded and can be read. The e-mails of further requests of ${month} are held ` +
      'back. They do not go out by themselves, not even in the month after: they can be sent from the ' +
      'panel once the plan is raised.',
  },
  team: 'Organization',
  quota: 'Notifications per month',
  month: 'Month (UTC)',
};

const de: QuotaNoticeWords = {
  language: 'de',
  subject: {
    80: (team, month) => `80 % der Benachrichtigungen für ${month} verbraucht — ${team}`,
    100: (team, month) => `Keine Benachrichtigungen mehr für ${month} — ${team}`,
  },
  introduction: {
    80: (month) => `Die Benachrichtigungen Ihres Tarifs für ${month} sind zu 80 % verbraucht.`,
    100: (month) => `Die Benachrichtigungen Ihres Tarifs für ${month} sind aufgebraucht.`,
  },
  consequence: {
    80: () => 'Darüber hinaus werden Anfragen weiterhin gespeichert; nur die E-Mails bleiben aus.',
    100: (month) =>
      'Anfragen werden weiterhin gespeichert und sind einsehbar. Die E-Mails zu weiteren Anfragen vom ' +
      `${month} werden zurückgehalten. Sie gehen nicht von selbst hinaus, auch nicht im Monat darauf: Sie ` +
      'können im Panel gesendet werden, sobald der Tarif erhöht ist.',
  },
  team: 'Organisation',
  quota: 'Benachrichtigungen pro Monat',
  month: 'Monat (UTC)',
};

const es: QuotaNoticeWords = {
  language: 'es',
  subject: {
    80: (team, month) => `80 % de las notificaciones de ${month} utilizadas — ${team}`,
    100: (team, month) => `No quedan notificaciones para ${month} — ${team}`,
  },
  introduction: {
    80: (month) => `Se ha utilizado el 80 % de las notificaciones por correo de su plan para ${month}.`,
    100: (month) => `Las notificaciones por correo de su plan para ${month} se han agotado.`,
  },
  consequence: {
    80: () => 'Superado el límite, las solicitudes se seguirán guardando; solo se detendrán los correos.',
    100: (month) =>
      'Las solicitudes se siguen guardando y pueden consultarse. Los correos de las demás solicitudes de ' +
      `${month} quedan retenidos. No se envían por sí solos, ni siquiera el mes siguiente: pueden enviarse ` +
      'desde el panel una vez ampliado el plan.',
  },
  team: 'Organización',
  quota: 'Notificaciones al mes',
  month: 'Mes (UTC)',
};

const it: QuotaNoticeWords = {
  language: 'it',
  subject: {
    80: (team, month) => `80% delle notifiche di ${month} utilizzato — ${team}`,
    100: (team, month) => `Notifiche di ${month} esaurite — ${team}`,
  },
  introduction: {
    80: (month) => `È stato utilizzato l’80% delle notifiche e-mail del Suo piano per ${month}.`,
    100: (month) => `Le notifiche e-mail del Suo piano per ${month} sono esaurite.`,
  },
  consequence: {
    80: () => 'Oltre il limite le richieste continueranno a essere registrate; si fermeranno solo le e-mail.',
    100: (month) =>
      'Le richieste continuano a essere registrate e consultabili. Le e-mail delle altre richieste di ' +
      `${month} sono trattenute. Non partono da sole, nemmeno il mese successivo: si possono inviare dal ` +
      'pannello una volta ampliato il piano.',
  },
  team: 'Organizzazione',
  quota: 'Notifiche al mese',
  month: 'Mese (UTC)',
};

const nl: QuotaNoticeWords = {
  language: 'nl',
  subject: {
    80: (team, month) => `80% van de meldingen voor ${month} gebruikt — ${team}`,
    100: (team, month) => `Geen meldingen meer voor ${month} — ${team}`,
  },
  introduction: {
    80: (month) => `80% van de e-mailmeldingen van uw abonnement voor ${month} is gebruikt.`,
    100: (month) => `De e-mailmeldingen van uw abonnement voor ${month} zijn op.`,
  },
  consequence: {
    80: () => 'Daarboven worden aanvragen nog steeds bewaard; alleen de e-mails stoppen.',
    100: (month) =>
      'Aanvragen worden nog steeds bewaard en zijn te lezen. De e-mails over verdere aanvragen van ' +
      `${month} worden vastgehouden. Ze gaan niet vanzelf uit, ook de maand daarna niet: ze kunnen vanuit ` +
      'het paneel worden verzonden zodra het abonnement is verhoogd.',
  },
  team: 'Organisatie',
  quota: 'Meldingen per maand',
  month: 'Maand (UTC)',
};

const pt: QuotaNoticeWords = {
  language: 'pt',
  subject: {
    80: (team, month) => `80% das notificações de ${month} utilizadas — ${team}`,
    100: (team, month) => `Sem mais notificações para ${month} — ${team}`,
  },
  introduction: {
    80: (month) => `Foram utilizadas 80% das notificações por e-mail do seu plano para ${month}.`,
    100: (month) => `As notificações por e-mail do seu plano para ${month} esgotaram-se.`,
  },
  consequence: {
    80: () => 'Para além do limite, os pedidos continuarão a ser guardados; apenas os e-mails param.',
    100: (month) =>
      'Os pedidos continuam a ser guardados e podem ser consultados. Os e-mails dos restantes pedidos de ' +
      `${month} ficam retidos. Não são enviados automaticamente, nem no mês seguinte: podem ser enviados a ` +
      'partir do painel assim que o plano for aumentado.',
  },
  team: 'Organização',
  quota: 'Notificações por mês',
  month: 'Mês (UTC)',
};

/** Returns the texts for a language; English where there are none. */
export const quotaNoticeWords = wordsByLocale(en, [fr, de, es, it, nl, pt]);
