const FREE_MAIL = new Set(
  [
    'gmail.com googlemail.com outlook.com outlook.fr hotmail.com hotmail.fr live.com live.fr msn.com yahoo.com',
    'yahoo.fr yahoo.de yahoo.es yahoo.it icloud.com me.com mac.com aol.com proton.me protonmail.com gmx.de gmx.net',
    'gmx.com web.de t-online.de freenet.de orange.fr wanadoo.fr free.fr sfr.fr laposte.net bbox.fr neuf.fr libero.it',
    'virgilio.it tiscali.it alice.it ziggo.nl kpnmail.nl hetnet.nl xs4all.nl planet.nl sapo.pt mail.com btinternet.com',
    'telefonica.net terra.es bluewin.ch skynet.be telenet.be',
  ]
    .join(' ')
    .split(' '),
);

/** Tells whether a domain, in lower case, is of a public mail provider, where everybody can have an address. */
export const isFreeMail = (domain: string): boolean => FREE_MAIL.has(domain);
