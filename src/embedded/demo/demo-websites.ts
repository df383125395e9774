import { SYSTEM_ACTOR } from '../../audit/audit.js';
import { applyDocument } from '../../provision/apply.js';
import { readDocument } from '../../provision/document.js';
import type { Services } from '../../services.js';

/** The websites that the demo site shows, each at an origin of its own. */
export const DEMO_WEBSITES = {
  plain: '01939a60-5c00-7a10-8b20-6c1f3a5e0011',
  chain: '01939a60-5c00-7a10-8b20-6c1f3a5e0012',
} as const;

/** Secret by which the reCAPTCHA stand-in recognises the demo's captcha step; no other step has it. */
export const STAND_IN_SECRET = 'demo-stand-in';

const when = (field: string, value: string) => ({
  match: 'all',
  rules: [{ field, operator: 'contains', value }],
});

const FORM = {
  slug: 'demo',
  name: 'Démonstration',
  source_locale: 'fr',
  submit_button_text: 'Envoyer ma demande',
  confirmation_message: 'Merci, votre demande est arrivée.\nElle est déjà sur la page « Ce qui est arrivé ».',
  privacy_notice: {
    text: 'Cette démonstration garde vos réponses sur cette machine et ne les envoie nulle part.',
    url: 'https://www.lumen-paysage.test/confidentialite',
  },
  fields: [
    {
      name: 'name',
      type: 'text',
      label: 'Nom',
      is_required: true,
      attributes: { autocomplete: 'name', maxlength: '120' },
    },
    { name: 'email', type: 'email', label: 'E-mail', is_required: true, placeholder: 'vous@exemple.fr' },
    {
      name: 'topic',
      type: 'select',
      label: 'Votre projet',
      is_required: true,
      options: [
        { value: 'garden', label: 'Créer un jardin' },
        { value: 'upkeep', label: 'Entretenir un jardin' },
        { value: 'other', label: 'Autre chose' },
      ],
    },
    {
      name: 'surface',
      type: 'number',
      label: 'Surface en m²',
      help_text: 'Une estimation suffit.',
      attributes: { min: '1', max: '100000' },
      visibility: when('topic', 'garden'),
    },
    {
      name: 'services',
      type: 'checkbox',
      label: 'Prestations',
      is_multiple: true,
      is_required: true,
      options: [
        { value: 'lawn', label: 'Tonte' },
        { value: 'hedges', label: 'Taille des haies' },
        { value: 'watering', label: 'Arrosage' },
      ],
      visibility: when('topic', 'upkeep'),
    },
    {
      name: 'answer_by',
      type: 'radio',
      label: 'Réponse souhaitée',
      options: [
        { value: 'email', label: 'Par e-mail' },
        { value: 'phone', label: 'Par téléphone' },
      ],
    },
    {
      name: 'phone',
      type: 'tel',
      label: 'Téléphone',
      is_required: true,
      visibility: when('answer_by', 'phone'),
    },
    { name: 'start', type: 'date', label: 'Début souhaité' },
    { name: 'message', type: 'textarea', label: 'Votre message', attributes: { maxlength: '4000' } },
    { name: 'campaign', type: 'hidden', label: 'Campagne' },
    {
      name: 'privacy',
      type: 'consent',
      label: "J'accepte que ces données servent à me répondre.",
      is_required: true,
    },
  ],
  translations: {
    en: {
      submit_button_text: 'Send my request',
      confirmation_message:
        'Thank you, your request has arrived.\nIt is on the page “What has arrived” already.',
      privacy_notice: { text: 'This demo keeps your answers on this machine and sends them nowhere.' },
      fields: {
        name: { label: 'Name' },
        email: { label: 'E-mail address', placeholder: 'you@example.com' },
        topic: {
          label: 'Your project',
          options: { garden: 'Create a garden', upkeep: 'Look after a garden', other: 'Something else' },
        },
        surface: { label: 'Area in m²', help_text: 'An estimate will do.' },
        services: {
          label: 'Services',
          options: { lawn: 'Mowing', hedges: 'Trimming hedges', watering: 'Watering' },
        },
        answer_by: { label: 'Answer by', options: { email: 'E-mail', phone: 'Telephone' } },
        phone: { label: 'Telephone' },
        start: { label: 'Preferred start' },
        message: { label: 'Your message' },
        campaign: { label: 'Campaign' },
        privacy: { label: 'I agree that this data is used to answer me.' },
      },
    },
  },
};

const website = (id: string, host: string, name: string, captcha: object[]) => ({
  id,
  name,
  host,
  url: `http://${host}`,
  locale: 'fr',
  time_zone: 'Europe/Paris',
  email: 'demo@lumen-paysage.test',
  captcha,
  forms: [
    { slug: FORM.slug, css_selector: '#form', appearance: { '--fg-accent': 'light-dark(#2f6b3c, #8fcf9c)' } },
  ],
});

/**
 * Provisions the demo's team and websites for the demo site's current hosts. The call is idempotent.
 *
 * @param hosts the hosts with their ports.
 */
export async function provisionDemoWebsites(
  services: Services,
  hosts: Readonly<Record<keyof typeof DEMO_WEBSITES, string>>,
): Promise<void> {
  const chain = [
    { key: 'recaptcha_v3:demo', site_key: 'demo', secret: STAND_IN_SECRET },
    { key: 'altcha:own' },
  ];
  const team = {
    slug: 'demo',
    name: 'Démonstration',
    plan: 'default',
    forms: [FORM],
    websites: [
      website(DEMO_WEBSITES.plain, hosts.plain, 'Demo: proof of work', []),
      website(DEMO_WEBSITES.chain, hosts.chain, 'Demo: captcha chain', chain),
    ],
  };
  const document = readDocument(JSON.stringify({ teams: [team] }), services.config.locales);
  await applyDocument(services, document, SYSTEM_ACTOR);
}
