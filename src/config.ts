import { readVariables, type Tracing } from './variables.js';

/** What embedded mode opens for outgoing calls: this machine, which has the demo's pages. */
const LOOPBACK = ['127.0.0.0/8', '::1'];

/** What a server outside this process provides. In embedded mode Formgate starts or generates them itself. */
type External = Readonly<{
  databaseUrl: string;
  /** URL for session-level features; differs from `databaseUrl` behind a transaction pooler. */
  directDatabaseUrl: string;
  smtpUrl: string;
  mailFrom: Readonly<{ name: string; address: string }>;
  publicUrl: string;
  appKey: Buffer;
}>;

type Common = Readonly<{
  /** Whether this installation has the database that Formgate brings along. */
  embedded: boolean;
  dataDir: string;
  /** Accepted beside the key while that is rotated; null: no rotation. */
  appKeyPrevious: Buffer | null;
  http: Readonly<{
    host: string;
    port: number;
    trustProxy: number | readonly string[] | undefined;
    /** For how long an idle connection is kept, in seconds. */
    keepAliveS: number;
  }>;
  /** Drain delay: seconds for which a stopping gateway keeps serving after its readiness turned false. */
  drainDelayS: number;
  /** Null: the queue lives in PostgreSQL. */
  redisUrl: string | null;
  locales: readonly string[];
  captchaDefault: 'altcha' | 'off';
  signatureTtlS: number;
  altchaMaxNumber: number;
  metricsToken: string | null;
  worker: Readonly<{
    /** Port of the worker's health checks and metrics; null: it listens nowhere. */
    port: number | null;
    /** Connections to the mail server of one worker process. */
    concurrency: number;
    /** Maximum e-mails about leads per second of all workers together; null: unlimited. */
    mailPerSecond: number | null;
  }>;
  /** Where the e-mails of test leads go; null: to the address of MAIL_FROM. */
  probeMailbox: string | null;
  /** Where delivery reports go, and the port on which workers take them; null: nowhere. */
  bounces: Readonly<{ domain: string; port: number }> | null;
  /** The resolvers that the sender's DNS is checked with; null: those of the system. */
  dnsServers: readonly string[] | null;
  /** When staff get the digest, as in `07:30`, in the agency's time zone. */
  digest: Readonly<{ at: string; timeZone: string }>;
  /** Subnets beside the public ones to which calls to addresses that a person typed may go. */
  outboundAllow: readonly string[];
  /** Whether the panel's API shows what helps to write queries: a page for it, introspection and suggestions. */
  hasQueryPage: boolean;
  logLevel: string;
  /** How spans are sent to OpenTelemetry's collector; null: nothing is traced. */
  tracing: Tracing | null;
  verifyUrls: Readonly<{
    recaptcha: string;
    recaptchaEnterprise: string;
    turnstile: string;
    hcaptcha: string;
  }>;
}>;

export type Config = Common & External;

/** The environment as given: complete, or with gaps that embedded mode is to fill. */
export type Settings =
  | (Config & Readonly<{ embedded: false }>)
  | (Common &
      Partial<External> &
      Readonly<{
        embedded: true;
        /** RECAPTCHA_VERIFY_URL is set; else the demo site may answer in the provider's place. */
        hasRecaptchaUrl: boolean;
      }>);

/** Every setting, so that the compiler tells one that is not read. */
type Complete = Common & Record<keyof External, unknown> & { hasRecaptchaUrl: boolean };

/**
 * Reads the environment. Without DATABASE_URL the mode is embedded; with it, what embedded mode would
 * derive is required.
 *
 * @throws StartError that names every faulty or missing variable at once.
 */
export function readSettings(env: NodeJS.ProcessEnv = process.env): Settings {
  const { given, values, tracing } = readVariables(env);
  return Object.freeze({
    embedded: values.DATABASE_URL === undefined,
    hasRecaptchaUrl: given.RECAPTCHA_VERIFY_URL !== undefined,
    dataDir: values.DATA_DIR,
    appKeyPrevious: values.APP_KEY_PREVIOUS ?? null,
    http: Object.freeze({
      host: values.HOST,
      port: values.PORT,
      trustProxy: values.TRUST_PROXY,
      keepAliveS: values.KEEP_ALIVE_S,
    }),
    drainDelayS: values.DRAIN_DELAY_S,
    redisUrl: values.REDIS_URL ?? null,
    locales: Object.freeze(values.PLATFORM_LOCALES),
    captchaDefault: values.CAPTCHA_DEFAULT,
    signatureTtlS: values.SIGNATURE_TTL_S,
    altchaMaxNumber: values.ALTCHA_MAX_NUMBER,
    metricsToken: values.METRICS_TOKEN ?? null,
    worker: Object.freeze({
      port: values.WORKER_PORT ?? null,
      concurrency: values.WORKER_CONCURRENCY,
      mailPerSecond: values.MAIL_PER_SECOND ?? null,
    }),
    probeMailbox: values.PROBE_MAILBOX ?? null,
    bounces: values.BOUNCE_DOMAIN
      ? Object.freeze({ domain: values.BOUNCE_DOMAIN, port: values.BOUNCE_PORT })
      : null,
    dnsServers: values.DNS_SERVERS ? Object.freeze(values.DNS_SERVERS) : null,
    digest: Object.freeze({ at: values.DIGEST_AT, timeZone: values.TIME_ZONE }),
    outboundAllow: Object.freeze(values.OUTBOUND_ALLOW ?? (values.DATABASE_URL ? [] : LOOPBACK)),
    hasQueryPage: (values.GRAPHQL_LANDING_PAGE ?? (values.DATABASE_URL ? 'off' : 'on')) === 'on',
    logLevel: values.LOG_LEVEL,
    tracing,
    verifyUrls: Object.freeze({
      recaptcha: values.RECAPTCHA_VERIFY_URL,
      recaptchaEnterprise: values.RECAPTCHA_ENTERPRISE_URL,
      turnstile: values.TURNSTILE_VERIFY_URL,
      hcaptcha: values.HCAPTCHA_VERIFY_URL,
    }),
    databaseUrl: values.DATABASE_URL,
    directDatabaseUrl: values.DIRECT_DATABASE_URL ?? values.DATABASE_URL,
    smtpUrl: values.SMTP_URL,
    mailFrom: values.MAIL_FROM,
    publicUrl: values.PUBLIC_URL,
    appKey: values.APP_KEY,
  } satisfies Complete) as Settings;
}
