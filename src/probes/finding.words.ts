import type { PanelLanguage } from '../generated/prisma/client.js';
import type { ProbeFinding } from './probe-step.js';

/** What a finding means to people, in sentences: what is wrong, and what to do about it. */
type FindingWords = Readonly<Record<ProbeFinding, string>>;

const en: FindingWords = {
  page_not_public:
    'The address leads to a network that is not public, which the gateway does not call. Correct it in the settings; for an intranet the operator sets OUTBOUND_ALLOW.',
  page_unknown_host:
    'The host of the address has no DNS entry. Correct the address in the settings, or the domain’s DNS.',
  page_unreachable:
    'The page’s server takes no connection. Tell its host, or correct the address in the settings.',
  page_certificate:
    'Browsers refuse the certificate of the page’s server. Renew it, or correct the address in the settings.',
  page_timeout:
    'The page did not answer in eight seconds. Its server is slow or away: test again, then tell its host.',
  page_too_large:
    'The page has more than two megabytes and was not looked through. Look for the code by hand.',
  page_redirects:
    'The page redirects too often, or to an address that is none. Correct the redirect, or the address in the settings.',
  page_status:
    'The page answers with an error. Open it in a browser, and correct the page or the address in the settings.',
  page_other_host:
    'The page is on another host than the settings say, so the gateway refuses its visitors. Correct the host in the settings, or where the page redirects to.',
  page_without_script:
    'The page does not load the script. Put the code of the tab Install into it. If a tag manager or an app adds the script later, the test cannot see it: send the form by hand once.',
  page_other_website:
    'The page loads the script with the id of another website, which gets its leads. Replace the code by that of the tab Install.',
  page_other_gateway:
    'The page loads the script from another gateway. Replace its code by that of the tab Install.',
  gateway_unreachable:
    'The gateway does not answer at its public address. Tell the operator to look at the proxy, the certificate and PUBLIC_URL; the gateway itself must be able to reach that address.',
  gateway_unavailable:
    'The gateway cannot work at the moment: its database may be away. Test again; if it goes on, tell the operator.',
  website_unknown:
    'The gateway at the public address does not know this website. Tell the operator: PUBLIC_URL leads to another installation.',
  website_disabled:
    'The website is disabled, or its team is suspended, so its forms do not work. Staff enable it in its settings, or resume the team in those of the team.',
  origin_refused:
    'The gateway refuses pages of this host. The host in the settings must be exactly that of the page: www. and a port count.',
  limit_reached:
    'The gateway has had too many requests from the test’s address. Wait a minute and test again.',
  no_form: 'No active form is placed on the website. Put one on it, or enable its placement.',
  signature_refused:
    'The gateway refuses the signature that it has just issued. If it goes on, tell the operator: the gateways may not share their APP_KEY or their clock.',
  captcha_not_probed:
    'The chain has no proof of work, so nothing after the captcha could be tested. Add one as its last step, or send the form by hand once.',
  captcha_first_not_probed:
    'The proof of work was solved. The captcha before it is the one that visitors meet, and only a person’s browser passes it: check its keys in the chain, and send the form by hand once.',
  captcha_unsolved: 'The proof of work took too long. The gateway is busy: test again later.',
  captcha_refused:
    'The gateway refuses the proof of work that it has just issued. If it goes on, tell the operator: the gateways may not share their APP_KEY or their clock.',
  fields_not_filled:
    'The test cannot make up a value for some required fields, most likely because of their pattern. Send the form by hand once.',
  fields_refused:
    'The gateway refuses what the test entered into some fields. Look at their limits in the form.',
  not_recognized:
    'The gateway at the public address does not know the test. It is of another version or has another APP_KEY: tell the operator.',
  mail_deferred:
    'The mail server does not take the e-mail for now; a client’s would be tried again by itself. If it goes on, its answer tells why.',
  mail_refused:
    'The mail server refuses the e-mail. Its answer tells whether it is about the sender, the test’s mailbox or the content.',
  mail_server_away:
    'The mail server is away: every e-mail waits, and goes by itself once it is back. Nothing is wrong with this website.',
  mail_unconfirmed:
    'The mail server has not said whether it has the e-mail. Test again; if it goes on, tell the operator.',
  mail_waiting:
    'No worker has sent the e-mail in time. Tell the operator to look whether a worker runs and the mail server answers.',
  unexpected_answer:
    'The answer is not the gateway’s. Tell the operator to look at the proxy in front of it.',
  out_of_time:
    'The time of the test was over before this step had ended: the page, the gateway or the mail server answers too slowly. Test again; if it goes on, tell the operator.',
  interrupted: 'The test was broken off, because the gateway was stopped. Test again.',
};

const fr: FindingWords = {
  page_not_public:
    'L’adresse mène à un réseau qui n’est pas public, que la passerelle n’appelle pas. Corrigez-la dans les réglages ; pour un intranet, l’exploitant règle OUTBOUND_ALLOW.',
  page_unknown_host:
    'L’hôte de l’adresse n’a pas d’entrée DNS. Corrigez l’adresse dans les réglages, ou le DNS du domaine.',
  page_unreachable:
    'Le serveur de la page n’accepte pas de connexion. Prévenez son hébergeur, ou corrigez l’adresse dans les réglages.',
  page_certificate:
    'Les navigateurs refusent le certificat du serveur de la page. Renouvelez-le, ou corrigez l’adresse dans les réglages.',
  page_timeout:
    'La page n’a pas répondu en huit secondes. Son serveur est lent ou absent : refaites le test, puis prévenez son hébergeur.',
  page_too_large:
    'La page fait plus de deux mégaoctets et n’a pas été parcourue. Cherchez le code à la main.',
  page_redirects:
    'La page redirige trop souvent, ou vers une adresse qui n’en est pas une. Corrigez la redirection, ou l’adresse dans les réglages.',
  page_status:
    'La page répond par une erreur. Ouvrez-la dans un navigateur, puis corrigez la page ou l’adresse dans les réglages.',
  page_other_host:
    'La page est sur un autre hôte que celui des réglages : la passerelle refuse donc ses visiteurs. Corrigez l’hôte dans les réglages, ou la redirection de la page.',
  page_without_script:
    'La page ne charge pas le script. Mettez-y le code de l’onglet Installation. Si un gestionnaire de balises ou une application l’ajoute plus tard, le test ne le voit pas : envoyez une fois le formulaire à la main.',
  page_other_website:
    'La page charge le script avec l’identifiant d’un autre site, qui reçoit ses demandes. Remplacez le code par celui de l’onglet Installation.',
  page_other_gateway:
    'La page charge le script d’une autre passerelle. Remplacez son code par celui de l’onglet Installation.',
  gateway_unreachable:
    'La passerelle ne répond pas à son adresse publique. Demandez à l’exploitant de vérifier le proxy, le certificat et PUBLIC_URL ; la passerelle elle-même doit pouvoir joindre cette adresse.',
  gateway_unavailable:
    'La passerelle ne peut pas travailler pour l’instant : sa base de données est peut-être absente. Refaites le test ; si cela dure, prévenez l’exploitant.',
  website_unknown:
    'La passerelle à l’adresse publique ne connaît pas ce site. Prévenez l’exploitant : PUBLIC_URL mène à une autre installation.',
  website_disabled:
    'Le site est désactivé, ou son équipe est suspendue : ses formulaires ne marchent pas. L’agence active le site dans ses réglages, ou rétablit l’équipe dans les siens.',
  origin_refused:
    'La passerelle refuse les pages de cet hôte. L’hôte dans les réglages doit être exactement celui de la page : www. et le port comptent.',
  limit_reached:
    'La passerelle a reçu trop de requêtes de l’adresse du test. Attendez une minute et refaites-le.',
  no_form: 'Aucun formulaire actif n’est placé sur le site. Ajoutez-en un, ou activez son placement.',
  signature_refused:
    'La passerelle refuse la signature qu’elle vient d’émettre. Si cela dure, prévenez l’exploitant : les passerelles n’ont peut-être pas la même APP_KEY ou la même heure.',
  captcha_not_probed:
    'La chaîne n’a pas de preuve de travail : rien n’a pu être testé après le captcha. Ajoutez-en une comme dernière étape, ou envoyez une fois le formulaire à la main.',
  captcha_first_not_probed:
    'La preuve de travail a été résolue. Le captcha qui la précède est celui que voient les visiteurs, et seul le navigateur d’une personne le passe : vérifiez ses clés dans la chaîne, et envoyez une fois le formulaire à la main.',
  captcha_unsolved:
    'La preuve de travail a pris trop de temps. La passerelle est chargée : refaites le test plus tard.',
  captcha_refused:
    'La passerelle refuse la preuve de travail qu’elle vient de demander. Si cela dure, prévenez l’exploitant : les passerelles n’ont peut-être pas la même APP_KEY ou la même heure.',
  fields_not_filled:
    'Le test ne sait pas inventer de valeur pour certains champs obligatoires, sans doute à cause de leur motif. Envoyez une fois le formulaire à la main.',
  fields_refused:
    'La passerelle refuse ce que le test a saisi dans certains champs. Regardez leurs limites dans le formulaire.',
  not_recognized:
    'La passerelle à l’adresse publique ne reconnaît pas le test. Elle est d’une autre version ou a une autre APP_KEY : prévenez l’exploitant.',
  mail_deferred:
    'Le serveur de messagerie n’accepte pas l’e-mail pour l’instant ; celui d’un client serait réessayé tout seul. Si cela dure, sa réponse dit pourquoi.',
  mail_refused:
    'Le serveur de messagerie refuse l’e-mail. Sa réponse dit s’il s’agit de l’expéditeur, de la boîte de test ou du contenu.',
  mail_server_away:
    'Le serveur de messagerie est injoignable : tous les e-mails attendent et partiront d’eux-mêmes à son retour. Ce site n’y est pour rien.',
  mail_unconfirmed:
    'Le serveur de messagerie n’a pas dit s’il a l’e-mail. Refaites le test ; si cela dure, prévenez l’exploitant.',
  mail_waiting:
    'Aucun worker n’a envoyé l’e-mail à temps. Demandez à l’exploitant si un worker tourne et si le serveur de messagerie répond.',
  unexpected_answer:
    'La réponse n’est pas celle de la passerelle. Demandez à l’exploitant de vérifier le proxy placé devant elle.',
  out_of_time:
    'Le temps du test était écoulé avant la fin de cette étape : la page, la passerelle ou le serveur de messagerie répond trop lentement. Refaites-le ; si cela dure, prévenez l’exploitant.',
  interrupted: 'Le test a été interrompu : la passerelle s’est arrêtée. Refaites-le.',
};

/** The words of each finding by language, for pages, items of attention and e-mails alike. */
export const FINDING_WORDS: Readonly<Record<PanelLanguage, FindingWords>> = { en, fr };
