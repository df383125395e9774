import { wordsByLocale } from '../../lib/text/words-by-locale.js';

/** The texts of the monthly report in one language. */
interface MonthlyReportWords {
  /** The language tag for the `lang` attribute, numbers, and the name of the month. */
  language: string;
  subject: (team: string, month: string) => string;
  introduction: (team: string, month: string) => string;
  leads: string;
  visitors: string;
  pageViews: string;
  conversion: string;
  /** A figure with that of the month before. */
  compared: (now: string, before: string) => string;
  campaigns: string;
  campaign: (views: string, leads: string) => string;
  pages: string;
  languages: string;
  /** The label of the link to the page. */
  page: string;
  /** Why the e-mail came, and how to stop it. */
  why: string;
}

const fr: MonthlyReportWords = {
  language: 'fr',
  // No month or name of a team follows a "de", which its first vowel would elide.
  subject: (team, month) => `Rapport mensuel : ${month} — ${team}`,
  introduction: (team, month) => `Voici ce que les sites de l’organisation ${team} ont apporté en ${month}.`,
  leads: 'Demandes',
  visitors: 'Visiteurs',
  pageViews: 'Pages vues',
  conversion: 'Conversion',
  compared: (now, before) => `${now} (mois précédent : ${before})`,
  campaigns: 'Campagnes',
  campaign: (views, leads) => `pages vues : ${views}, demandes : ${leads}`,
  pages: 'Pages les plus vues',
  languages: 'Demandes par langue',
  page: 'Tous les chiffres',
  why: 'Les propriétaires de l’organisation reçoivent ce rapport chaque mois. Il s’arrête sur la page des chiffres.',
};

const en: MonthlyReportWords = {
  language: 'en',
  subject: (team, month) => `Report for ${month} — ${team}`,
  introduction: (team, month) => `This is what the websites of ${team} came to in ${month}.`,
  leads: 'Leads',
  visitors: 'Visitors',
  pageViews: 'Page views',
  conversion: 'Conversion',
  compared: (now, before) => `${now} (month before: ${before})`,
  campaigns: 'Campaigns',
  campaign: (views, leads) => `page views: ${views}, leads: ${leads}`,
  pages: 'Most viewed pages',
  languages: 'Leads by language',
  page: 'All figures',
  why: 'The owners of the organization get this report each month. It can be turned off on the page of figures.',
};

const de: MonthlyReportWords = {
  language: 'de',
  subject: (team, month) => `Bericht für ${month} — ${team}`,
  introduction: (team, month) => `Das haben die Websites von ${team} im ${month} erbracht.`,
  leads: 'Anfragen',
  visitors: 'Besucher',
  pageViews: 'Seitenaufrufe',
  conversion: 'Konversion',
  compared: (now, before) => `${now} (Vormonat: ${before})`,
  campaigns: 'Kampagnen',
  campaign: (views, leads) => `Seitenaufrufe: ${views}, Anfragen: ${leads}`,
  pages: 'Meistbesuchte Seiten',
  languages: 'Anfragen nach Sprache',
  page: 'Alle Zahlen',
  why: 'Die Inhaber der Organisation erhalten diesen Bericht jeden Monat. Auf der Seite der Zahlen lässt er sich abstellen.',
};

const es: MonthlyReportWords = {
  language: 'es',
  subject: (team, month) => `Informe de ${month} — ${team}`,
  introduction: (team, month) => `Esto es lo que aportaron los sitios de ${team} en ${month}.`,
  leads: 'Solicitudes',
  visitors: 'Visitantes',
  pageViews: 'Páginas vistas',
  conversion: 'Conversión',
  compared: (now, before) => `${now} (mes anterior: ${before})`,
  campaigns: 'Campañas',
  campaign: (views, leads) => `páginas vistas: ${views}, solicitudes: ${leads}`,
  pages: 'Páginas más vistas',
  languages: 'Solicitudes por idioma',
  page: 'Todas las cifras',
  why: 'Los propietarios de la organización reciben este informe cada mes. Se desactiva en la página de cifras.',
};

const it: MonthlyReportWords = {
  language: 'it',
  subject: (team, month) => `Rapporto di ${month} — ${team}`,
  introduction: (team, month) => `Ecco i risultati dei siti di ${team} a ${month}.`,
  leads: 'Richieste',
  visitors: 'Visitatori',
  pageViews: 'Pagine viste',
  conversion: 'Conversione',
  compared: (now, before) => `${now} (mese precedente: ${before})`,
  campaigns: 'Campagne',
  campaign: (views, leads) => `pagine viste: ${views}, richieste: ${leads}`,
  pages: 'Pagine più viste',
  languages: 'Richieste per lingua',
  page: 'Tutti i dati',
  why: 'I proprietari dell’organizzazione ricevono questo rapporto ogni mese. Si disattiva nella pagina dei dati.',
};

const nl: MonthlyReportWords = {
  language: 'nl',
  subject: (team, month) => `Rapport van ${month} — ${team}`,
  introduction: (team, month) => `Dit hebben de websites van ${team} in ${month} opgeleverd.`,
  leads: 'Aanvragen',
  visitors: 'Bezoekers',
  pageViews: 'Paginaweergaven',
  conversion: 'Conversie',
  compared: (now, before) => `${now} (vorige maand: ${before})`,
  campaigns: 'Campagnes',
  campaign: (views, leads) => `paginaweergaven: ${views}, aanvragen: ${leads}`,
  pages: 'Meest bekeken pagina’s',
  languages: 'Aanvragen per taal',
  page: 'Alle cijfers',
  why: 'De eigenaren van de organisatie krijgen dit rapport elke maand. Het is uit te zetten op de pagina met cijfers.',
};

const pt: MonthlyReportWords = {
  language: 'pt',
  subject: (team, month) => `Relatório de ${month} — ${team}`,
  introduction: (team, month) => `Eis o que os sites de ${team} trouxeram em ${month}.`,
  leads: 'Pedidos',
  visitors: 'Visitantes',
  pageViews: 'Páginas vistas',
  conversion: 'Conversão',
  compared: (now, before) => `${now} (mês anterior: ${before})`,
  campaigns: 'Campanhas',
  campaign: (views, leads) => `páginas vistas: ${views}, pedidos: ${leads}`,
  pages: 'Páginas mais vistas',
  languages: 'Pedidos por idioma',
  page: 'Todos os números',
  why: 'Os proprietários da organização recebem este relatório todos os meses. Desativa-se na página dos números.',
};

/** Returns the texts for a language; English where there are none. */
export const monthlyReportWords = wordsByLocale(en, [fr, de, es, it, nl, pt]);
