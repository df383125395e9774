import { createAccounts } from '../accounts/accounts.service.js';
import { createAttention } from '../attention/attention.service.js';
import { createSetAsides } from '../attention/set-asides.service.js';
import { createAuditLog } from '../audit/audit-log.queries.js';
import { createSubjectNames } from '../audit/subject-names.js';
import { createAuth } from '../auth/auth.js';
import { createChains } from '../captcha/editing/chains.service.js';
import { createCredentialChecks } from '../captcha/editing/credential-checks.service.js';
import { createCaptchaFigures } from '../captcha/figures/captcha-figures.queries.js';
import { createIncidentLog } from '../captcha/incidents/incident-log.queries.js';
import { createManagedForms } from '../forms/editing/managed-forms.service.js';
import { createFormVersions } from '../forms/history/form-versions.service.js';
import { createPlacements } from '../forms/placements/placements.service.js';
import { createHeldEmails } from '../notifications/held/held-emails.service.js';
import { createRequestedEmails } from '../notifications/requested/requested-emails.service.js';
import { createPlans } from '../plans/plans.service.js';
import { createUsage } from '../plans/usage.js';
import { createProbes } from '../probes/probes.service.js';
import { createWebsiteEdits } from '../provision/websites/website-edits.service.js';
import { createWebsiteImports } from '../provision/websites/website-imports.service.js';
import { createSpamRules } from '../spam/rules/spam-rules.service.js';
import { createSpamSettings } from '../spam/settings/spam-settings.service.js';
import { createTeaching } from '../spam/teaching/teaching.service.js';
import { createSpamVerdicts } from '../spam/verdicts.service.js';
import { createExports } from '../submissions/export/export.service.js';
import { createHandling } from '../submissions/handling/handling.service.js';
import { createLegalHolds } from '../submissions/handling/legal-holds.service.js';
import { createInbox } from '../submissions/inbox/inbox.service.js';
import { createSubmissionLog } from '../submissions/inbox/submission-log.service.js';
import { createErasures } from '../submissions/person/erasure.service.js';
import { createErasureReceipts } from '../submissions/person/erasure-receipts.service.js';
import { createPersons } from '../submissions/person/person.service.js';
import { createBreakdowns } from '../submissions/statistics/breakdown.service.js';
import { createStatistics } from '../submissions/statistics/statistics.service.js';
import { createSavedViews } from '../submissions/views/saved-views.service.js';
import { createAccountRemoval } from '../teams/account-removal.service.js';
import { createInvitationAnswers } from '../teams/invitation-answers.service.js';
import { createInvitations } from '../teams/invitations.service.js';
import { createMembers } from '../teams/members.service.js';
import { createTeams } from '../teams/teams.service.js';
import { createTokens, revokeAll } from '../tokens/tokens.service.js';
import { createVisitStatistics } from '../visits/visit-statistics.queries.js';
import { createWebhooks } from '../webhooks/webhooks.service.js';
import { createManagedWebsites } from '../websites/editing/managed-websites.service.js';
import type { Infrastructure } from './infrastructure.js';
import type { SubmissionServices } from './submission-services.js';

export type PanelServices = ReturnType<typeof createPanelServices>;

/** Creates what the panel shows and changes, over its own connections to PostgreSQL. */
export function createPanelServices(infrastructure: Infrastructure, submissions: SubmissionServices) {
  const { config, log, clock, panelDb: db, keyring, cipher, limiter, queues, outbound } = infrastructure;
  const { websites, forms, notifications, webhookDeliveries, probeTokens, probeMailbox } = submissions;
  const { publicUrl } = config;
  const auth = createAuth({ db, cipher, keyring, clock, config, log });
  const { sessions, oneTimeLinks, secondFactors, sessionIssuer } = auth;
  const accounts = createAccounts({ db, sessions, links: oneTimeLinks, secondFactors, clock });
  const auditLog = createAuditLog({ db });
  const subjectNames = createSubjectNames({ db });
  const plans = createPlans({ db });
  const usage = createUsage({ db, clock });
  const teams = createTeams({
    db,
    revokeTokens: (tx, bearer, actor) => revokeAll(tx, bearer, actor, clock()),
  });
  const members = createMembers({ db, teams });
  const accountRemoval = createAccountRemoval({ db, teams, sessions, clock });
  const invitations = createInvitations({ db, clock, links: oneTimeLinks });
  const invitationAnswers = createInvitationAnswers({
    db,
    clock,
    teams,
    sessionIssuer,
    links: oneTimeLinks,
  });
  const panelTokens = createTokens({ db, clock, log });
  const spamSettings = createSpamSettings({ db, clock });
  const spamRules = createSpamRules({ db });
  const spamVerdicts = createSpamVerdicts({ db });
  const teaching = createTeaching({ db });
  const inbox = createInbox({ db });
  const submissionLog = createSubmissionLog({ db });
  const requestedEmails = createRequestedEmails({ db, notifications, clock });
  const heldEmails = createHeldEmails({ db, notifications, clock });
  const handling = createHandling({ db, notifications, requestedEmails, teaching, clock });
  const savedViews = createSavedViews({ db });
  const persons = createPersons({ db });
  const erasures = createErasures({ db, cipher, clock });
  const erasureReceipts = createErasureReceipts({ db, cipher });
  const legalHolds = createLegalHolds({ db, clock });
  const statistics = createStatistics({ db, clock });
  const breakdowns = createBreakdowns({ db, clock });
  const visitStatistics = createVisitStatistics({ db });
  const exports = createExports({ db, inbox });
  const webhooks = createWebhooks({ db, queues, cipher, clock, log, bodyOf: webhookDeliveries.bodyOf });
  const probes = createProbes({
    db,
    websites,
    forms,
    outbound,
    probeTokens,
    limiter,
    clock,
    publicUrl,
    log,
    mailbox: probeMailbox,
  });
  const attention = createAttention({ db, clock, log });
  const setAsides = createSetAsides({ db, clock });
  const managedWebsites = createManagedWebsites({
    db,
    cipher,
    troubledWebsites: attention.troubledWebsites,
  });
  const managedForms = createManagedForms({ db });
  const formVersions = createFormVersions({ db });
  const placements = createPlacements({ db });
  const chains = createChains({ db, cipher, config });
  const credentialChecks = createCredentialChecks({ db, cipher, config });
  const captchaFigures = createCaptchaFigures({ db });
  const incidentLog = createIncidentLog({ db });
  const websiteEdits = createWebsiteEdits({ db, cipher });
  const websiteImports = createWebsiteImports({ db, cipher, locales: config.locales });

  return {
    ...auth,
    accounts,
    auditLog,
    subjectNames,
    plans,
    usage,
    teams,
    members,
    accountRemoval,
    invitations,
    invitationAnswers,
    panelTokens,
    spamSettings,
    spamRules,
    spamVerdicts,
    teaching,
    inbox,
    submissionLog,
    requestedEmails,
    heldEmails,
    handling,
    savedViews,
    persons,
    erasures,
    erasureReceipts,
    legalHolds,
    statistics,
    breakdowns,
    visitStatistics,
    exports,
    webhooks,
    probes,
    attention,
    setAsides,
    managedWebsites,
    managedForms,
    formVersions,
    placements,
    chains,
    credentialChecks,
    captchaFigures,
    incidentLog,
    websiteEdits,
    websiteImports,
  };
}
