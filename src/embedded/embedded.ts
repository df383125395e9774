import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import type { Config, Settings } from '../config.js';
import type { Logger } from '../lib/telemetry/logger.js';
import type { Services } from '../services.js';
import { startDemoSite } from './demo/demo-site.js';
import { keepOnce } from './kept-file.js';
import { findMailCatcher, startMailCatcher } from './mail/mail-catcher.js';
import { openCluster } from './postgres/cluster.js';
import { type Disk, watchDisk } from './postgres/disk.js';
import { explainFileError } from './postgres/errors.js';

export type Embedded = Readonly<{
  config: Config;
  /** URL to read received mail at; null when SMTP_URL names a real server. */
  mailPageUrl: string | null;
  /** The disk of the data folder; null when this process does not own the folder alone. */
  disk: Disk | null;
  /** Whether this process or another one serves from the data folder. */
  isServed: boolean;
  /** Opens the demo site and returns its address; null when this process does not own the data folder alone. */
  openDemoSite(services: Services): Promise<string | null>;
  /** Ends the servers, once however often it is called; PostgreSQL ends its connections too. */
  close(): Promise<void>;
}>;

type EmbeddedSettings = Extract<Settings, { embedded: true }>;

type Options = Readonly<{ exclusive?: boolean; mail?: boolean; log: Logger }>;

/** Placeholder URL for a command that sends no mail. */
const NO_MAIL_URL = 'smtp://127.0.0.1:1025';

function publicUrlOf({ host, port }: Settings['http']): string {
  const wildcard = host === '0.0.0.0' || host === '::';
  return `http://${wildcard ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${port}`;
}

/**
 * Starts the services that the environment does not configure: PostgreSQL, a mail catcher, the key. Their data is in
 * the data folder and is used again at the next start.
 */
export async function openEmbedded(settings: EmbeddedSettings, options: Options): Promise<Embedded> {
  const dataDir = resolve(settings.dataDir);
  const cluster = await openCluster({
    directory: join(dataDir, 'postgres'),
    log: (message) => options.log.warn(message),
  });
  try {
    const claimant = options.exclusive ? null : await cluster.readClaimant();
    // A command may have been given another port than the process that serves.
    const publicUrl = settings.publicUrl ?? claimant?.address ?? publicUrlOf(settings.http);
    if (options.exclusive) await cluster.claim(publicUrl);
    const needsCatcher = options.mail && !settings.smtpUrl;
    // The process that claims the folder starts its own catcher, because another process's may stop at any time.
    const running = options.exclusive || settings.smtpUrl ? undefined : await findMailCatcher(dataDir);
    const catcher = needsCatcher && !running ? await startMailCatcher({ directory: dataDir }) : null;
    const appKey = await keepOnce(
      join(dataDir, 'app-key'),
      () => randomBytes(32).toString('base64'),
      /^[A-Za-z0-9+/]{43}=$/,
    );
    const mailPageUrl = (catcher ?? running)?.pageUrl ?? null;
    const demoSite = options.exclusive
      ? await startDemoSite({ recaptchaUrl: settings.verifyUrls.recaptcha })
      : null;
    const disk = options.exclusive ? await watchDisk({ directory: dataDir, log: options.log }) : null;
    const { hasRecaptchaUrl, ...common } = settings;
    let closing: Promise<void> | undefined;
    async function close(): Promise<void> {
      disk?.stop();
      await demoSite?.stop();
      await catcher?.stop();
      await cluster.release();
    }
    return {
      config: {
        ...common,
        ...(demoSite &&
          !hasRecaptchaUrl && {
            verifyUrls: { ...settings.verifyUrls, recaptcha: demoSite.verifyUrl },
          }),
        databaseUrl: cluster.url,
        directDatabaseUrl: cluster.url,
        smtpUrl: settings.smtpUrl ?? (catcher ?? running)?.smtpUrl ?? NO_MAIL_URL,
        mailFrom: settings.mailFrom ?? { name: 'Formgate', address: 'formgate@formgate.test' },
        publicUrl,
        appKey: settings.appKey ?? Buffer.from(appKey, 'base64'),
      },
      mailPageUrl,
      disk,
      isServed: options.exclusive === true || claimant !== null,
      async openDemoSite(services) {
        const links = { mailPageUrl, isStandInAsked: !hasRecaptchaUrl };
        return demoSite ? demoSite.open(services, links) : null;
      },
      close: () => (closing ??= close()),
    };
  } catch (error) {
    await cluster.release();
    const { path } = error as NodeJS.ErrnoException;
    throw path === undefined ? error : explainFileError(error, path);
  }
}
