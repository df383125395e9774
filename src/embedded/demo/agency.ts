/*
 * What the demo's agency has beside the example document: two more clients, and more websites of the first one. All of
 * it is made up; every host and address is under a domain that is reserved for examples.
 */

const turnstile = {
  key: 'turnstile:main',
  // Cloudflare's public test pair.
  site_key: '1x00000000000000000000AA',
  secret: '1x0000000000000000000000000000000AA',
};

const websiteId = (number: number) => `01939a60-5c00-7a10-8b20-6c1f3a5e${String(number).padStart(4, '0')}`;

type Site = Readonly<{ number: number; host: string; name: string; city: string; email: string }>;

const website = ({ number, host, name, city, email }: Site, more: object) => ({
  id: websiteId(number),
  name,
  host: `www.${host}`,
  url: `https://www.${host}`,
  email,
  city,
  captcha: [turnstile, { key: 'altcha:own' }],
  ...more,
});

const FRENCH = { locale: 'fr', time_zone: 'Europe/Paris', country: 'France' };
const BRITISH = { locale: 'en', time_zone: 'Europe/London', country: 'United Kingdom' };

const name = { name: 'name', type: 'text', is_required: true, attributes: { autocomplete: 'name' } };
const email = { name: 'email', type: 'email', label: 'E-mail', is_required: true };
const privacy = { name: 'privacy', type: 'consent', is_required: true };
const options = (labels: Readonly<Record<string, string>>) =>
  Object.entries(labels).map(([value, label]) => ({ value, label }));

const french = {
  source_locale: 'fr',
  submit_button_text: 'Envoyer',
  confirmation_message: 'Merci, votre demande est arrivée. Nous vous rappelons dans la journée.',
};
const english = {
  source_locale: 'en',
  submit_button_text: 'Send',
  confirmation_message: 'Thank you, your enquiry has arrived. We will answer within a day.',
};

const garages = {
  slug: 'garages-morel',
  name: 'Garages Morel',
  plan: 'essential',
  members: [
    { email: 'marc@garages-morel.example', role: 'owner' },
    { email: 'nadia@garages-morel.example', role: 'member' },
  ],
  forms: [
    {
      ...french,
      slug: 'rendez-vous',
      name: 'Rendez-vous atelier',
      fields: [
        { ...name, label: 'Nom' },
        email,
        { name: 'phone', type: 'tel', label: 'Téléphone', is_required: true },
        { name: 'vehicle', type: 'text', label: 'Véhicule', placeholder: 'Marque, modèle, année' },
        {
          name: 'service',
          type: 'select',
          label: 'Prestation',
          is_required: true,
          options: options({
            service: 'Révision',
            brakes: 'Freins',
            tyres: 'Pneus',
            climate: 'Climatisation',
            diagnosis: 'Diagnostic',
            other: 'Autre',
          }),
        },
        { name: 'day', type: 'date', label: 'Jour souhaité' },
        { name: 'message', type: 'textarea', label: 'Précisions' },
        { ...privacy, label: "J'accepte que ces données servent à me répondre." },
      ],
    },
    {
      ...french,
      slug: 'devis',
      name: 'Devis réparation',
      fields: [
        { ...name, label: 'Nom' },
        email,
        { name: 'vehicle', type: 'text', label: 'Véhicule', is_required: true },
        { name: 'mileage', type: 'number', label: 'Kilométrage' },
        { name: 'message', type: 'textarea', label: 'Panne ou choc', is_required: true },
        { ...privacy, label: "J'accepte que ces données servent à me répondre." },
      ],
    },
  ],
  websites: [
    ['Rennes', 'rennes@garages-morel.example'],
    ['Vannes', 'vannes@garages-morel.example'],
    ['Brest', 'brest@garages-morel.example'],
    ['Quimper', 'quimper@garages-morel.example'],
  ].map(([city = '', address = ''], index) =>
    website(
      {
        number: 31 + index,
        name: `Garage Morel ${city}`,
        city,
        email: address,
        host: `${city.toLowerCase()}.garages-morel.example`,
      },
      {
        ...FRENCH,
        company: 'Garages Morel',
        forms: [
          { slug: 'rendez-vous', css_selector: '#rendez-vous' },
          { slug: 'devis', css_selector: '#devis', recipients: [address, 'atelier@garages-morel.example'] },
        ],
      },
    ),
  ),
};

const hotels = {
  slug: 'harbourside',
  name: 'Harbourside Hotels',
  plan: 'default',
  members: [
    { email: 'olivia@harbourside.example', role: 'owner' },
    { email: 'tom@harbourside.example', role: 'admin' },
    { email: 'grace@harbourside.example', role: 'member' },
  ],
  forms: [
    {
      ...english,
      slug: 'enquiry',
      name: 'Room enquiry',
      fields: [
        { ...name, label: 'Your name' },
        email,
        { name: 'phone', type: 'tel', label: 'Telephone' },
        { name: 'arrival', type: 'date', label: 'Arrival', is_required: true },
        { name: 'departure', type: 'date', label: 'Departure', is_required: true },
        { name: 'guests', type: 'number', label: 'Guests', attributes: { min: '1', max: '12' } },
        {
          name: 'room',
          type: 'radio',
          label: 'Room',
          options: options({ double: 'Double', twin: 'Twin', family: 'Family', sea: 'Sea view' }),
        },
        { name: 'message', type: 'textarea', label: 'Anything we should know?' },
        { ...privacy, label: 'I agree that this data is used to answer me.' },
      ],
      translations: {
        fr: {
          submit_button_text: 'Envoyer',
          confirmation_message: 'Merci, votre demande est arrivée. Nous vous répondons sous un jour.',
          fields: {
            name: { label: 'Votre nom' },
            phone: { label: 'Téléphone' },
            arrival: { label: 'Arrivée' },
            departure: { label: 'Départ' },
            guests: { label: 'Personnes' },
            room: {
              label: 'Chambre',
              options: { double: 'Double', twin: 'Lits jumeaux', family: 'Familiale', sea: 'Vue mer' },
            },
            message: { label: 'Une précision ?' },
            privacy: { label: "J'accepte que ces données servent à me répondre." },
          },
        },
      },
    },
    {
      ...english,
      slug: 'events',
      name: 'Events',
      recipients: ['events@harbourside.example'],
      fields: [
        { ...name, label: 'Your name' },
        { name: 'company', type: 'text', label: 'Company', attributes: { autocomplete: 'organization' } },
        email,
        {
          name: 'occasion',
          type: 'select',
          label: 'Occasion',
          is_required: true,
          options: options({
            wedding: 'Wedding',
            birthday: 'Birthday',
            conference: 'Conference',
            other: 'Other',
          }),
        },
        { name: 'guests', type: 'number', label: 'Guests', attributes: { min: '2', max: '180' } },
        { name: 'date', type: 'date', label: 'Date' },
        { name: 'message', type: 'textarea', label: 'Your plans', is_required: true },
        { ...privacy, label: 'I agree that this data is used to answer me.' },
      ],
    },
  ],
  websites: (
    [
      ['Seaview Hotel', 'seaview-hotel.example', 'Brighton'],
      ['The Old Mill Inn', 'old-mill-inn.example', 'Bath'],
      ['Quay House', 'quay-house.example', 'Whitby'],
      ['Fernhill Lodge', 'fernhill-lodge.example', 'Keswick'],
    ] as const
  ).map(([title, host, city], index) =>
    website(
      { number: 41 + index, host, name: title, city, email: `reception@${host}` },
      {
        ...BRITISH,
        company: 'Harbourside Hotels',
        forms: [
          { slug: 'enquiry', css_selector: '#enquiry' },
          { slug: 'events', css_selector: '#events' },
        ],
      },
    ),
  ),
};

const gardens = {
  slug: 'lumen',
  websites: [
    website(
      {
        number: 21,
        host: 'lyon.lumen-paysage.example',
        name: 'Lumen Lyon',
        city: 'Lyon',
        email: 'lyon@lumen-paysage.example',
      },
      { ...FRENCH, company: 'Lumen Paysage', forms: [{ slug: 'contact' }, { slug: 'quote' }] },
    ),
    website(
      {
        number: 22,
        host: 'nantes.lumen-paysage.example',
        name: 'Lumen Nantes',
        city: 'Nantes',
        email: 'nantes@lumen-paysage.example',
      },
      { ...FRENCH, company: 'Lumen Paysage', forms: [{ slug: 'contact' }] },
    ),
  ],
};

/** A slug that only the demo gives to a team. */
export const DEMO_TEAM = garages.slug;

/** Hosts of the demo to which something happens. */
export const DEMO_HOSTS = { mailboxGone: 'www.quay-house.example', greylisting: 'corse.lumen-paysage.test' };

/** The teams whose websites get leads. */
export const DEMO_TEAMS: readonly string[] = [gardens.slug, garages.slug, hotels.slug];

/** The provision document of the demo, to be applied after the example document. */
export const DEMO_DOCUMENT = {
  plans: [{ code: 'essential', name: 'Essential', notifications_per_month: 100 }],
  users: [
    { email: 'marc@garages-morel.example', name: 'Marc Morel' },
    { email: 'nadia@garages-morel.example', name: 'Nadia Le Gall' },
    { email: 'olivia@harbourside.example', name: 'Olivia Hart' },
    { email: 'tom@harbourside.example', name: 'Tom Ellery' },
    { email: 'grace@harbourside.example', name: 'Grace Osei' },
  ],
  teams: [gardens, garages, hotels],
};
