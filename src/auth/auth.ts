import type { Config } from '../config.js';
import type { Db } from '../db/client.js';
import type { Clock } from '../lib/clock.js';
import type { Cipher } from '../lib/crypto/cipher.js';
import type { Keyring } from '../lib/crypto/keyring.js';
import type { Logger } from '../lib/telemetry/logger.js';
import { createCredentials } from './credentials.service.js';
import { createLogin } from './login.service.js';
import { createOneTimeLinks } from './one-time-links.js';
import { createPolicy } from './policy.js';
import { createChallenges } from './second-factor/challenges.service.js';
import { createSecondFactors } from './second-factor/second-factors.service.js';
import { createSessionIssuer } from './session-issuer.js';
import { createSessions } from './sessions.service.js';
import { createViewAs } from './view-as.service.js';

type Dependencies = Readonly<{
  db: Db;
  cipher: Cipher;
  keyring: Keyring;
  clock: Clock;
  config: Config;
  log: Logger;
}>;

/** The services by which an account logs in, stays logged in and is allowed what it asks for. */
export function createAuth({ db, cipher, keyring, clock, config, log }: Dependencies) {
  const sessions = createSessions({ db, clock, log });
  const oneTimeLinks = createOneTimeLinks({ db, clock, keyring, publicUrl: config.publicUrl });
  const challenges = createChallenges({ db, clock });
  const secondFactors = createSecondFactors({ db, cipher, clock });
  const sessionIssuer = createSessionIssuer({ sessions, challenges });
  const login = createLogin({
    db,
    sessionIssuer,
    challenges,
    secondFactors,
    config,
    links: oneTimeLinks,
  });
  const viewAs = createViewAs({ db });
  const credentials = createCredentials({ db, sessions, sessionIssuer, links: oneTimeLinks, log });
  const policy = createPolicy({ db });
  return {
    sessions,
    oneTimeLinks,
    challenges,
    secondFactors,
    sessionIssuer,
    login,
    viewAs,
    credentials,
    policy,
  };
}
