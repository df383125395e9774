// Submissions as a browser sends them: signed, with a solved proof of work.
import { hash } from 'node:crypto';
import { ask, visitor } from './load.js';
import { seedWebsiteId } from './seed.js';

function solve({ algorithm, challenge, salt, signature, maxnumber }) {
  for (let number = 0; number <= maxnumber; number++) {
    if (hash('sha256', `${salt}${number}`) !== challenge) continue;
    return Buffer.from(JSON.stringify({ algorithm, challenge, number, salt, signature })).toString('base64');
  }
  throw new Error('No number completes the salt.');
}

let drawn = 0;

/** The body of a submission; no two of them are the same. */
const bodyOf = (i, origin) =>
  JSON.stringify({
    name: 'Camille Martin',

    email: `camille.martin${i}@company.test`,
    phone: '+33 6 12 34 56 78',
    topic: 'quote',
    budget: 3000,
    message:
      'Bonjour, je souhaite recevoir un devis pour la rénovation de ma cuisine, environ douze mètres ' +
      `carrés. Merci d’avance pour votre réponse rapide. Dossier ${i}.`,
    gdpr: 1,
    page_url: `${origin}/contact`,
    page_title: 'Contact',
    page_locale: 'fr-FR',
    form_locale: 'fr',
  });

/**
 * Fetches and solves a challenge and a signature for each, and builds the requests. Each can be sent once.
 *
 * @param websites how many of the seeded websites they go to, the first ones more often.
 */
export async function prepareSubmissions(url, { count, websites = 10 }) {
  const targets = Array.from({ length: count }, () => {
    const number = 1 + Math.floor(Math.random() ** 2 * websites);
    drawn += 1;
    return { id: seedWebsiteId(number), origin: `https://www.site-${number}.test`, from: visitor(drawn) };
  });
  const get = ({ id, origin, from }, path) => ({
    path: `/api/websites/${id}/${path}`,
    headers: { origin, 'x-forwarded-for': from },
  });
  const challenges = await ask(
    url,
    targets.map((target) => get(target, 'captcha/altcha/challenge')),
  );
  const sites = [...new Map(targets.map((target) => [target.id, target])).values()];
  const signed = await ask(
    url,
    sites.map((site) => get(site, 'signature')),
  );
  const signatures = new Map(sites.map(({ id }, i) => [id, signed[i]]));
  return targets.map(({ id, origin, from }, i) => {
    const { signature, timestamp } = signatures.get(id);
    return {
      method: 'POST',
      path: `/api/websites/${id}/forms/contact/submit`,
      headers: {
        origin,
        'x-forwarded-for': from,
        'content-type': 'application/json',
        'x-website-signature': signature,
        'x-website-timestamp': String(timestamp),
        'x-captcha-provider': 'altcha',
        'x-captcha-token': solve(challenges[i]),
      },
      body: bodyOf(i, origin),
    };
  });
}

/** Builds the requests of an integration to the first team's websites, each with the next of its tokens. */
export const prepareIntegration = (tokens, { count, websites = 4 }) =>
  Array.from({ length: count }, (_, i) => {
    const number = 1 + (i % websites);
    drawn += 1;
    return {
      method: 'POST',
      path: `/api/websites/${seedWebsiteId(number)}/forms/contact/submit`,
      headers: {
        'x-forwarded-for': visitor(drawn),
        'content-type': 'application/json',
        authorization: `Bearer ${tokens[drawn % tokens.length]}`,
      },
      body: bodyOf(i, `https://www.site-${number}.test`),
    };
  });
