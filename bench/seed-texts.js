// What the seeded forms ask and what the seeded visitors answer.

const words = (text) => text.split(' ');

export const FIRST_NAMES = words(
  'Camille Louis Emma Jules Léa Hugo Chloé Lucas Manon Arthur Inès Nathan Zoé Paul Sarah Adam Julie Noé ' +
    'Anna Leo James Olivia Noah Amelia Jonas Mia Felix Clara Karl Greta Élodie François Jürgen Sofia Ana',
);

export const LAST_NAMES = words(
  'Martin Bernard Dubois Thomas Robert Richard Petit Durand Leroy Moreau Simon Laurent Lefebvre Michel Garcia ' +
    'David Bertrand Roux Vincent Fournier Morel Girard Smith Jones Taylor Brown Wilson Evans Müller Schmidt ' +
    'Schneider Fischer Weber Meyer Wagner Becker Lambert Fontaine Rousseau Chevalier Gauthier Perrin Blanchard',
);

export const CITIES = words(
  'Paris Lyon Marseille Toulouse Nice Nantes Strasbourg Montpellier Bordeaux Lille Rennes Reims Toulon Grenoble ' +
    'Dijon Angers Nîmes Brest Tours Limoges Annecy Metz Besançon Orléans Mulhouse Rouen Caen Nancy Genève Bruxelles',
);

export const MESSAGES = [
  'Bonjour, je souhaite recevoir un devis pour la rénovation de ma cuisine, environ douze mètres carrés.',
  'Bonjour, pouvez-vous me rappeler au sujet de ma commande du mois dernier ? Je reste sans nouvelles.',
  'Nous cherchons un prestataire pour l’entretien annuel de notre chaudière à condensation.',
  'Je voudrais prendre rendez-vous pour visiter l’appartement de trois pièces avec balcon.',
  'Votre documentation sur les panneaux solaires m’intéresse, merci de me l’envoyer par courrier.',
  'Hello, I would like to know whether you deliver outside France and how long it usually takes.',
  'Good morning, could somebody call me back about the training in web accessibility this spring?',
  'We are planning a wedding for about eighty guests and would like an offer for the catering.',
  'Guten Tag, ich hätte gerne ein Angebot für die Wartung unserer Heizungsanlage im Bürogebäude.',
  'Können Sie mir bitte die Preisliste und die Lieferzeiten für Fenster aus Eichenholz zusenden?',
  'Le site affiche une erreur quand je valide mon panier avec une carte bancaire étrangère.',
  'Pouvez-vous intervenir rapidement ? La toiture fuit depuis l’orage de la nuit dernière.',
];

export const WISHES = [
  'De préférence le matin, entre neuf heures et midi.',
  'Merci d’avance pour votre réponse rapide.',
  'Un budget de trois mille euros est prévu.',
  'Please reply by e-mail, I am often travelling.',
  'Vielen Dank im Voraus und freundliche Grüße.',
  'Je suis disponible toute la semaine prochaine.',
  'Nous sommes une association de quarante membres.',
  'Any day next week would be fine for us.',
];

const fields = [
  {
    name: 'name',
    type: 'text',
    label: 'Nom',
    en: 'Name',
    required: true,
    attributes: { maxlength: '120', autocomplete: 'name' },
  },
  {
    name: 'email',
    type: 'email',
    label: 'Adresse e-mail',
    en: 'E-mail address',
    required: true,
    placeholder: 'vous@exemple.fr',
    attributes: { maxlength: '120' },
  },
  { name: 'phone', type: 'tel', label: 'Téléphone', en: 'Telephone' },
  {
    name: 'topic',
    type: 'select',
    label: 'Sujet',
    en: 'Subject',
    options: [
      { position: 1, value: 'quote', label: 'Demande de devis' },
      { position: 2, value: 'other', label: 'Autre demande' },
    ],
  },
  {
    name: 'budget',
    type: 'number',
    label: 'Budget',
    en: 'Budget',
    attributes: { min: '0', max: '1000000' },
    visibility: { match: 'all', rules: [{ field: 'topic', operator: 'equals', value: 'quote' }] },
  },
  {
    name: 'message',
    type: 'textarea',
    label: 'Message',
    en: 'Message',
    attributes: { maxlength: '4000' },
  },
  {
    name: 'gdpr',
    type: 'consent',
    label: 'J’accepte d’être recontacté par {client}.',
    en: 'I agree to be contacted by {client}.',
    required: true,
  },
];

const form = (slug, name) => ({
  slug,
  name,
  fields,
  submit: 'Envoyer',
  confirmation: 'Merci, nous revenons vers vous.',
  privacy: 'Vos données servent à vous répondre et à rien d’autre.',
  en: { submit: 'Send', confirmation: 'Thank you, we will come back to you.' },
});

export const FORMS = [form('contact', 'Contact'), form('quote', 'Devis'), form('callback', 'Rappel')];
