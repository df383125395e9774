import 'reflect-metadata';
import { ApolloServer } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import { expressMiddleware } from '@as-integrations/express5';
import { maxAliasesRule } from '@escape.tech/graphql-armor-max-aliases';
import { maxDepthRule } from '@escape.tech/graphql-armor-max-depth';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { GraphQLError, GraphQLSchema, ValidationContext } from 'graphql';
import type { ClassType } from 'type-graphql';
import { AccountsResolver } from './accounts/accounts.resolver.js';
import { AuditResolver } from './accounts/audit.resolver.js';
import { InstallationResolver, ViewerInstallationResolver } from './accounts/installation.resolver.js';
import { UsersResolver } from './accounts/users.resolver.js';
import { AttentionResolver } from './attention/attention.resolver.js';
import { WebsiteHealthResolver } from './attention/website-health.resolver.js';
import { SecondFactorResolver } from './auth/second-factor/second-factor.resolver.js';
import { challengeCookie, readViewer, sessionCookie } from './auth/session-cookie.js';
import { SessionsResolver } from './auth/sessions.resolver.js';
import { ViewAsResolver } from './auth/view-as.resolver.js';
import { ChainsResolver } from './captcha/editing/chains.resolver.js';
import {
  CheckedStepsResolver,
  CredentialChecksResolver,
} from './captcha/editing/credential-checks.resolver.js';
import {
  CaptchaFiguresResolver,
  WebsiteVerdictsResolver,
} from './captcha/figures/captcha-figures.resolver.js';
import { IncidentsResolver } from './captcha/incidents/incidents.resolver.js';
import { FormContentsResolver } from './forms/editing/form-contents.resolver.js';
import { FormsResolver } from './forms/editing/forms.resolver.js';
import { FormHistoryResolver, FormVersionsResolver } from './forms/history/form-versions.resolver.js';
import {
  FormPlacementsResolver,
  PlacementsResolver,
  WebsitePlacementsResolver,
} from './forms/placements/placements.resolver.js';
import { emptyAnswer } from './graphql/answer-bound.js';
import { createLoad, type PanelContext } from './graphql/context.js';
import { costLimit } from './graphql/cost.js';
import { formatErrors, withStatus } from './graphql/format-error.js';
import { createInFlight } from './graphql/in-flight.js';
import { nameOperations } from './graphql/operation-name.js';
import { queryPage } from './graphql/query-page.js';
import { buildPanelSchema } from './graphql/schema.js';
import { writeAnswer } from './graphql/write-answer.js';
import { parseJsonObject, readBody } from './http/json-body.js';
import { clientIp, clientKey } from './http/limits/client-ip.js';
import { HeldEmailsResolver } from './notifications/held/held-emails.resolver.js';
import { PlansResolver } from './plans/plans.resolver.js';
import { LastProbeResolver } from './probes/last-probe.resolver.js';
import { ProbeStepsResolver, ProbesResolver } from './probes/probes.resolver.js';
import { WebsiteBatchResolver } from './provision/websites/website-batch.resolver.js';
import type { Services } from './services.js';
import { SpamResolver } from './spam/spam.resolver.js';
import { HandlingResolver } from './submissions/handling/handling.resolver.js';
import { LegalHoldsResolver } from './submissions/handling/legal-holds.resolver.js';
import { RequestedEmailsResolver } from './submissions/handling/requested-emails.resolver.js';
import { SelectionResolver } from './submissions/handling/selection.resolver.js';
import { CountsResolver } from './submissions/inbox/counts.resolver.js';
import { NotificationsResolver } from './submissions/inbox/notifications.resolver.js';
import { SpamVerdictsResolver } from './submissions/inbox/spam-verdicts.resolver.js';
import { SubmissionsResolver } from './submissions/inbox/submissions.resolver.js';
import { ToldWebhooksResolver } from './submissions/inbox/told-webhooks.resolver.js';
import { MonthlyReportsResolver } from './submissions/monthly-report/monthly-reports.resolver.js';
import { ErasureReceiptsResolver } from './submissions/person/erasure-receipts.resolver.js';
import { PersonResolver, PersonTeamsResolver } from './submissions/person/person.resolver.js';
import { PreviewResolver } from './submissions/preview/preview.resolver.js';
import { RetentionResolver } from './submissions/retention/retention.resolver.js';
import { BreakdownResolver } from './submissions/statistics/breakdown.resolver.js';
import { StatisticsResolver } from './submissions/statistics/statistics.resolver.js';
import { SubmissionBreakdownResolver } from './submissions/statistics/submission-breakdown.resolver.js';
import { WebsiteLeadsResolver } from './submissions/statistics/website-leads.resolver.js';
import { SavedViewsResolver } from './submissions/views/saved-views.resolver.js';
import { AccountRemovalResolver, AccountTeamsResolver } from './teams/account-removal.resolver.js';
import { AuditTeamResolver } from './teams/audit-team.resolver.js';
import { InvitationsResolver, ViewerInvitationsResolver } from './teams/invitations.resolver.js';
import { MembersResolver } from './teams/members.resolver.js';
import { TeamsResolver, ViewerTeamsResolver } from './teams/teams.resolver.js';
import { TokensResolver } from './tokens/tokens.resolver.js';
import { VisitStatisticsResolver } from './visits/visit-statistics.resolver.js';
import { WebhookFieldsResolver, WebhooksResolver } from './webhooks/webhooks.resolver.js';
import { WebsitesResolver } from './websites/editing/websites.resolver.js';

/** Every resolver of the panel; each is given the services. */
const RESOLVERS = [
  AccountsResolver,
  SessionsResolver,
  SecondFactorResolver,
  ViewAsResolver,
  UsersResolver,
  AuditResolver,
  InstallationResolver,
  ViewerInstallationResolver,
  PlansResolver,
  TeamsResolver,
  ViewerTeamsResolver,
  MembersResolver,
  AccountRemovalResolver,
  AccountTeamsResolver,
  AuditTeamResolver,
  InvitationsResolver,
  ViewerInvitationsResolver,
  TokensResolver,
  WebhooksResolver,
  WebhookFieldsResolver,
  WebsitesResolver,
  VisitStatisticsResolver,
  FormsResolver,
  FormContentsResolver,
  FormHistoryResolver,
  FormVersionsResolver,
  PlacementsResolver,
  WebsitePlacementsResolver,
  FormPlacementsResolver,
  ChainsResolver,
  CredentialChecksResolver,
  CheckedStepsResolver,
  CaptchaFiguresResolver,
  WebsiteVerdictsResolver,
  IncidentsResolver,
  SpamResolver,
  SubmissionsResolver,
  SpamVerdictsResolver,
  ToldWebhooksResolver,
  CountsResolver,
  NotificationsResolver,
  HeldEmailsResolver,
  HandlingResolver,
  SelectionResolver,
  RequestedEmailsResolver,
  SavedViewsResolver,
  PersonResolver,
  PersonTeamsResolver,
  ErasureReceiptsResolver,
  RetentionResolver,
  LegalHoldsResolver,
  PreviewResolver,
  StatisticsResolver,
  SubmissionBreakdownResolver,
  BreakdownResolver,
  MonthlyReportsResolver,
  ProbesResolver,
  ProbeStepsResolver,
  LastProbeResolver,
  AttentionResolver,
  WebsiteHealthResolver,
  WebsiteLeadsResolver,
  WebsiteBatchResolver,
] as const;

/**
 * What a document may be, beside its cost. Some rules compare each field with each other: a thousand tokens take them
 * 20 ms at most, two thousand 200. Introspection is deeper and only outside production.
 */
const LIMITS = { tokens: 1_000, depth: 12, aliases: 30, errors: 10 };

/** What a rule finds is a fault of the document like any other, not an exception. */
const reported = {
  propagateOnRejection: false,
  onReject: [
    (context: ValidationContext | null, error: GraphQLError) => {
      context?.reportError(error);
    },
  ],
};

/** The panel's schema without services behind it, to be printed. */
export const printablePanelSchema = (): GraphQLSchema => buildPanelSchema(RESOLVERS);

export type Panel = Readonly<{ handler: RequestHandler; close(): Promise<void> }>;

/** The panel's GraphQL API at `POST /graphql`. */
export async function createPanel(services: Services): Promise<Panel> {
  const { config, log } = services;
  const { publicUrl, hasQueryPage } = config;
  const instances = new Map<ClassType, unknown>(
    RESOLVERS.map((Resolver) => [Resolver, new Resolver(services)]),
  );
  const schema = buildPanelSchema(RESOLVERS, (resolver) => instances.get(resolver));
  const server = new ApolloServer<PanelContext>({
    schema,
    formatError: formatErrors(log),
    stringifyResult: writeAnswer,
    // Otherwise Apollo takes it from NODE_ENV, and with it the defaults of other options.
    nodeEnv: 'production',
    includeStacktraceInErrorResponses: false,
    introspection: hasQueryPage,
    hideSchemaDetailsFromClientErrors: !hasQueryPage,
    csrfPrevention: true,
    persistedQueries: false,
    stopOnTerminationSignals: false,
    parseOptions: { maxTokens: LIMITS.tokens },
    validationOptions: { maxErrors: LIMITS.errors, hideSuggestions: !hasQueryPage },
    validationRules: [
      maxDepthRule({ n: LIMITS.depth, ignoreIntrospection: true, ...reported }),
      maxAliasesRule({ n: LIMITS.aliases, ...reported }),
    ],
    plugins: [
      nameOperations(),
      costLimit(log, { hideSuggestions: !hasQueryPage }),
      // No answer may be cached, so there is nothing to be worked out at every field.
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginLandingPageDisabled(),
    ],
  });
  await server.start();

  const cookie = sessionCookie(publicUrl);
  const enter = createInFlight();
  const apollo = expressMiddleware(server, {
    context: ({ req, res }) =>
      contextOf(req, res).catch((error) => {
        throw withStatus(error);
      }),
  });

  async function contextOf(request: Request, response: Response): Promise<PanelContext> {
    const read = () => readViewer(request, { publicUrl, sessions: services.sessions });
    const found = await read();
    const ipKey = clientKey(request);
    const hasWaited = await enter(found ? `account ${found.userId}` : ipKey, response);
    // Meanwhile the session may have ended, or the account lost a right.
    const viewer = hasWaited ? await read() : found;
    return {
      viewer,
      client: {
        ip: clientIp(request),
        ipKey,
        userAgent: request.get('user-agent') ?? null,
      },
      requestId: response.locals.requestId,
      answer: emptyAnswer(),
      setOperation: (name) => {
        response.locals.operation = name;
      },
      challenge: challengeCookie(publicUrl).read(request),
      enter(opened) {
        if ('challenge' in opened) {
          // Or the second step would be taken for one of the account that the browser was logged in as.
          if (cookie.read(request)) cookie.set(response, null);
          challengeCookie(publicUrl).set(response, opened.challenge);
          return false;
        }
        if (challengeCookie(publicUrl).read(request)) challengeCookie(publicUrl).set(response, null);
        cookie.set(response, opened.session);
        return true;
      },
      leave: () => cookie.set(response, null),
      load: createLoad(),
    };
  }

  const router = Router();
  if (hasQueryPage) router.use(queryPage(schema));
  router.all('/graphql', async (request, response, next) => {
    if (!['GET', 'HEAD', 'POST'].includes(request.method)) return next();
    response.set('Cache-Control', 'no-store');
    if (request.method === 'POST') {
      request.body = parseJsonObject(request, await readBody(request));
    } else {
      request.body = {};
    }
    await apollo(request, response, next);
  });
  return { handler: router, close: () => server.stop() };
}
