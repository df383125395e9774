/* What the people of the demo are called and what they write. All of it is made up. */

const splitNames = (text: string): readonly string[] => text.split(/,\s+/);

/** Names, and the beginnings of telephone numbers that are reserved for fiction. */
export const PEOPLE = {
  fr: {
    first: splitNames(`Zoé, Camille, Hugo, Inès, Julien, Manon, Théo, Léa, Karim, Élise, Baptiste,
      Sophie, Amadou, Chloé, Vincent, Nathalie, Yanis, Hélène, Rémi, Aurélie`),
    last: splitNames(`Martin, Lefèvre, Garnier, Rousseau, Moreau, Le Goff, Diallo, Perrin, Caron,
      Benali, Marchand, Fontaine, Guérin, Nguyen, Lambert, Chevalier, Morvan, Da Silva`),
    phone: '06 39 98',
  },
  en: {
    first: splitNames(`Emily, James, Priya, Oliver, Amelia, Callum, Freya, Daniel, Aisha, George,
      Hannah, Lewis, Megan, Samuel, Isla, Rhys, Charlotte, Owen, Niamh, Ben`),
    last: splitNames(`Walker, Hughes, Patel, Bennett, Clarke, Davies, Fraser, Okafor, Shaw, Murphy,
      Turner, Ahmed, Lloyd, Cooper, Ellis, Marsh, Reid, Barker, Quinn, Hale`),
    phone: '07700 900',
  },
} as const;

export const MAILBOXES = ['courriel.example', 'boite.example', 'post.example', 'mail.example'];

/** What is written in the message of each form, and in the field that says what it is about. */
export const MESSAGES: Readonly<Record<string, readonly (readonly [about: string, message: string])[]>> = {
  contact: [
    [
      'garden',
      'Bonjour, nous venons d’acheter une maison et le jardin est à créer entièrement. Pouvez-vous passer ?',
    ],
    [
      'upkeep',
      'Bonjour,\nje cherche quelqu’un pour tailler une haie de thuyas de 25 mètres, une fois par an.\nMerci.',
    ],
    ['garden', 'Quel est le délai pour poser une pelouse en rouleau ? Le terrain est déjà préparé.'],
    [
      'garden',
      'Nous voudrions remplacer la pelouse par des plantes qui demandent peu d’eau. Est-ce possible en automne ?',
    ],
    [
      'other',
      'Bonjour, un érable est tombé pendant la tempête. Intervenez-vous pour l’évacuer et dessoucher ?',
    ],
    ['garden', 'Je souhaite un potager surélevé accessible en fauteuil roulant, trois bacs environ.'],
    ['upkeep', 'Entretien mensuel d’un jardin de copropriété, pourriez-vous m’envoyer vos tarifs ?'],
    ['other', 'Nous avons une terrasse sur le toit de 60 m². Travaillez-vous aussi en hauteur ?'],
    ['other', 'Rappelez-moi plutôt en fin de journée, je suis en réunion le matin.'],
    ['upkeep', 'Bonjour, proposez-vous un contrat d’entretien pour une résidence secondaire ?'],
    ['upkeep', 'Notre arrosage automatique ne démarre plus depuis la coupure de courant.'],
    ['garden', 'Je voudrais planter une haie champêtre pour les oiseaux, sur un côté du jardin.'],
  ],
  'rendez-vous': [
    ['diagnosis', 'Le voyant moteur s’allume au démarrage puis s’éteint.'],
    ['brakes', 'Bruit métallique à l’avant droit quand je freine.'],
    ['service', 'Révision des 60 000 km, je peux laisser la voiture la journée.'],
    ['tyres', 'Les quatre pneus sont à changer avant l’hiver.'],
    ['climate', 'La climatisation ne refroidit plus depuis une semaine.'],
    ['service', 'Avez-vous un véhicule de courtoisie ?'],
    ['brakes', 'Le contrôle technique demande une contre-visite pour les plaquettes arrière.'],
    ['diagnosis', 'Elle peine à démarrer quand il fait froid, la batterie a cinq ans.'],
    ['other', 'Je passe prendre la voiture après 18 h, est-ce possible ?'],
    ['tyres', ''],
  ],
  devis: [
    ['', 'Aile avant gauche enfoncée sur un parking, la peinture est rayée jusqu’à la tôle.'],
    ['', 'Embrayage qui patine en côte. Combien faut-il compter, pièces et main-d’œuvre ?'],
    ['', 'Pare-brise fissuré sur quinze centimètres, côté passager.'],
    ['', 'Distribution à faire d’après le carnet. Pouvez-vous m’envoyer un devis ?'],
    ['', 'Échappement percé, le bruit a beaucoup augmenté.'],
    ['', 'Le hayon ne ferme plus depuis un choc à l’arrière, l’assurance demande un devis.'],
  ],
  enquiry: [
    ['double', 'We will arrive late, around 10 pm. Will someone be at reception?'],
    ['family', 'Could we have a cot in the room? Our daughter is eight months old.'],
    ['twin', 'Is there parking for a small camper van?'],
    ['sea', 'It is our anniversary. Is there a room with a view of the harbour?'],
    ['double', 'We travel with a well-behaved spaniel. Are dogs allowed?'],
    ['twin', 'Do you have a ground-floor room? My mother uses a walking frame.'],
    ['double', 'Is breakfast included, and can you do gluten-free?'],
    ['family', 'Two rooms next to each other would be lovely.'],
    ['sea', ''],
  ],
  'enquiry fr': [
    ['double', 'Bonjour, nous venons à vélo : y a-t-il un local fermé ?'],
    ['family', 'Nous voyageons avec deux enfants de quatre et sept ans. Avez-vous des lits d’appoint ?'],
    ['sea', 'Une chambre avec vue sur la mer serait parfaite, si possible à l’étage.'],
    ['twin', 'Le petit déjeuner est-il compris ?'],
  ],
  events: [
    [
      'wedding',
      'We are planning a small wedding with dinner and dancing, and rooms for about thirty guests.',
    ],
    ['conference', 'A two-day team meeting: one room for twenty, lunch on both days, and a projector.'],
    ['birthday', 'A surprise party for my father’s seventieth. Could we have the garden room on a Saturday?'],
    ['wedding', 'We would like to see the rooms for an autumn wedding. Which weekends are still free?'],
    ['other', 'Christening lunch for forty, children included. Do you have a set menu?'],
    ['conference', 'Board meeting for twelve with dinner the evening before.'],
  ],
};

export const SPAM = [
  'Your website is NOT on the first page. We rank it in 7 days, guaranteed. Reply YES for a free audit.',
  'Earn 4,500 a week from home with our crypto robot!!! Limited places http://crypto-robot.example/join',
  'Cher propriétaire, nous achetons 10 000 visiteurs pour votre site. Cliquez ici : http://trafic.example',
  'Business loan approved in 2 hours, no papers. Contact http://quick-loan.example now',
];

export const NOTES = {
  fr: [
    'Rappelé, laissé un message.',
    'Rendez-vous pris jeudi à 10 h.',
    'Devis envoyé, à relancer dans une semaine.',
    'Demande des photos avant de passer.',
    'Client connu, déjà venu l’an dernier.',
    'Ne répond plus, classé.',
  ],
  en: [
    'Called back, left a message.',
    'Offered the sea view at the double rate.',
    'Quote sent, follow up next week.',
    'Wants to see the garden room on Friday.',
    'Stayed with us twice before.',
    'Booked. Confirmation sent.',
  ],
} as const;

export const VEHICLES = [
  'Citadine 2019, essence',
  'Break 2016, diesel',
  'Utilitaire 2021',
  'Berline 2014',
  'SUV 2022, hybride',
];

export const COMPANIES = [
  'Résidence Les Tilleuls',
  'Atelier Bois & Cie',
  'Cabinet Saint-Yves',
  'École des Érables',
];

export const ENGLISH_COMPANIES = [
  'Northmoor Surveyors',
  'Larkfield School',
  'Penrose & Daughters',
  'Bluebell Films',
];

/** Where visitors came from, each with its share. */
export const SOURCES = [
  [0.42, { referrer: 'https://search.example/' }],
  [0.12, { referrer: 'https://social.example/' }],
  [0.1, { referrer: 'https://directory.example/near-you' }],
  [0.09, { utm_source: 'newsletter', utm_medium: 'email', utm_campaign: 'season' }],
  [
    0.09,
    { referrer: 'https://search.example/', utm_source: 'search', utm_medium: 'cpc', utm_campaign: 'local' },
  ],
  [0.18, {}],
] as const;

/** The mail server's words. */
export const ANSWERS = {
  sent: '250 2.0.0 Ok: queued as',
  greylisted: '451 4.7.1 Greylisted, please try again in 300 seconds',
  full: '552 5.2.2 Mailbox full, quota exceeded',
  gone: '550 5.1.1 Recipient address rejected: User unknown in virtual mailbox table',
  silent:
    'The mail server never confirmed the message, which may have arrived. Connection closed unexpectedly',
} as const;
