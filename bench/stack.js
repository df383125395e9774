// The servers that are measured, each a process of its own: PostgreSQL, Redis, gateways, workers, baselines,
// and an SMTP server that keeps what it gets.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../dist/modules/embedded/free-port.js';
import { createPostgres } from '../faults/postgres.js';
import { createProgram, createRedis, forkModule, local } from '../faults/processes.js';
import { seed } from './seed.js';

const CLI = local('../dist/cli.js');
const APP_KEY = Buffer.alloc(32, 7);

/** Proofs of work as easy as may be: solving them is the browser's work, and the bench has to do it. */
const ALTCHA_MAX_NUMBER = '1000';

/** Segments of the write-ahead log, of 16 MB each, that wait to be used again: as many as `min_wal_size` keeps. */
const SPARE_SEGMENTS = 60;

/**
 * A server of the machine's at DATABASE_URL, else the one that Formgate brings along, with a log like that of a
 * server which has run for a while: a new one has to make each segment first, and every commit waits for it.
 *
 * @returns also `settle`, which writes to our own server's disk what has been seeded, so that no commit waits for that
 * while it is measured.
 */
async function openPostgres(directory) {
  const given = process.env.DATABASE_URL;
  if (given) return { url: given, settle: async () => undefined, close: async () => undefined };
  const server = await createPostgres(directory);
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  const set = async (setting) => {
    await client.query(`ALTER SYSTEM ${setting}`);
    await client.query('SELECT pg_reload_conf()');
  };
  await set(`SET min_wal_size = '1GB'`);
  // A checkpoint in between would take the first of them for spare ones, so that half as many were made.
  await set(`SET max_wal_size = '2GB'`);
  for (let i = 0; i < SPARE_SEGMENTS; i++) {
    await client.query(`SELECT pg_logical_emit_message(false, 'bench', '')`);
    await client.query('SELECT pg_switch_wal()');
  }
  await set('RESET max_wal_size');
  await client.query('CHECKPOINT');
  await client.end();
  return { url: server.url, settle: () => server.query('CHECKPOINT'), close: server.close };
}

/** A server of the machine's at REDIS_URL, else a `redis-server` of our own. */
async function openRedis(directory) {
  if (process.env.REDIS_URL) return { url: process.env.REDIS_URL, close: async () => undefined };
  const port = await freePort();
  const redis = createRedis({ directory, port, args: ['--hz', '100'] });
  await redis.start();
  return { url: `redis://127.0.0.1:${port}`, close: () => redis.kill() };
}

/** @param nodeOptions what the Node of each gateway and worker is given beside its own, as for a profile. */
export async function openStack(directory, { nodeOptions = [] } = {}) {
  const postgres = await openPostgres(directory);
  const redis = await openRedis(directory).catch(async (error) => {
    await postgres.close();
    throw error;
  });
  const mailFile = join(directory, 'mail.jsonl');
  const sinkPort = await freePort();
  const sink = forkModule('sink.js', { port: sinkPort, file: mailFile });
  await sink.ask('ready');
  const running = new Set();
  const databases = new Map();
  let started = 0;
  let closing;

  async function start({ name, args, env = {}, port }) {
    started += 1;
    const program = createProgram({
      name: `${name}-${started}`,
      directory,
      command: process.execPath,
      args,
      env,
      isReady: () => fetch(`http://127.0.0.1:${port}/healthz`),
    });
    await program.start();
    if (!program.isUp())
      throw new Error(`${name} ended at its start: see ${directory}/${name}-${started}.log`);
    running.add(program);
    const url = `http://127.0.0.1:${port}`;
    const stop = async () => {
      running.delete(program);
      await program.stop();
    };
    return { url, pid: program.pid(), stop };
  }

  async function closeAll() {
    await Promise.all([...running].map((program) => program.kill()));
    await Promise.all([...databases.values()].map((database) => database.end()));
    if (process.env.DATABASE_URL) {
      const client = new pg.Client({ connectionString: postgres.url });
      await client.connect();
      for (const name of databases.keys()) await client.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await client.end();
    }
    await sink.stop();
    await redis.close();
    await postgres.close();
  }

  const environment = (databaseUrl, port) => ({
    DATABASE_URL: databaseUrl,
    REDIS_URL: redis.url,
    SMTP_URL: `smtp://127.0.0.1:${sinkPort}`,
    MAIL_FROM: 'Formgate <forms@formgate.test>',
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    APP_KEY: APP_KEY.toString('base64'),
    PORT: String(port),
    TRUST_PROXY: 'loopback',
    ALTCHA_MAX_NUMBER,
    NODE_ENV: 'production',
  });

  return {
    directory,
    smtpUrl: `smtp://127.0.0.1:${sinkPort}`,
    /** What the SMTP server has accepted, in order. */
    mails: () =>
      readFileSync(mailFile, { encoding: 'utf8', flag: 'a+' })
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),

    /** How many it has accepted, without reading them all. */
    mailCount: () => sink.ask('kept'),

    /** A database with so many websites and submissions; made on first use. */
    async database({ websites = 10, submissions = 10_000 } = {}) {
      const name = `formgate_bench_${websites}_${submissions}`;
      if (databases.has(name)) return databases.get(name);
      const client = new pg.Client({ connectionString: postgres.url });
      await client.connect();
      await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await client.query(`CREATE DATABASE ${name}`);
      await client.end();
      const url = new URL(postgres.url);
      url.pathname = `/${name}`;
      await seed({ databaseUrl: url.href, appKey: APP_KEY, websites, submissions });
      await postgres.settle();
      const pool = new pg.Pool({ connectionString: url.href, max: 2 }).on('error', () => undefined);
      const query = async (text, values) => (await pool.query(text, values)).rows;
      const database = { name, url: url.href, query, end: () => pool.end() };
      databases.set(name, database);
      return database;
    },

    /** @param settings Variables in place of the usual ones. */
    async gateway(database, settings = {}) {
      const port = await freePort();
      const args = [...nodeOptions, CLI, 'gateway'];
      return start({ name: 'gateway', args, env: { ...environment(database.url, port), ...settings }, port });
    },

    async worker(database) {
      const port = await freePort();
      const env = { ...environment(database.url, 0), WORKER_PORT: String(port) };
      return start({ name: 'worker', args: [...nodeOptions, CLI, 'worker'], env, port });
    },

    /** One of `baselines/` that serves HTTP. */
    async baseline(name, args = [], database = null) {
      const port = await freePort();
      return start({
        name,
        port,
        args: [local(`../bench/baselines/${name}.js`), String(port), ...args],
        env: { NODE_ENV: 'production', ...(database && { DATABASE_URL: database.url }) },
      });
    },

    /** Closes once, however often it is called: a signal's call makes a row fail, whose end calls again. */
    close() {
      closing ??= closeAll();
      return closing;
    },
  };
}

/** Resident memory of a process in megabytes. */
export const residentMb = (pid) =>
  Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024;
