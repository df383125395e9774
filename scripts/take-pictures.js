// `npm run pictures`: starts the demo in a folder of its own, and takes the pictures of docs/pictures from it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { freePort } from '../dist/modules/embedded/free-port.js';

const PICTURES = fileURLToPath(new URL('../docs/pictures/', import.meta.url));
const START_TIMEOUT_MS = 120_000;
const WINDOW = { width: 1120, height: 700 };

/** Starts the demo. @returns its process, and the link of its banner that logs in. */
async function startDemo(dataDir) {
  const demo = spawn(process.execPath, ['scripts/formgate.js', 'start'], {
    env: { ...process.env, DATA_DIR: dataDir, PORT: String(await freePort()) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const timer = setTimeout(() => demo.kill(), START_TIMEOUT_MS);
  for await (const line of createInterface({ input: demo.stdout })) {
    const [loginUrl] = line.match(/http\S+\/panel\/\S+#\S+/) ?? [];
    if (!loginUrl) continue;
    clearTimeout(timer);
    demo.stdout.resume();
    return { demo, loginUrl };
  }
  throw new Error('The demo ended before it printed a link that logs in.');
}

/** Opens a page as a person would: by names of what is on it. */
async function takePictures(loginUrl) {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
  try {
    const context = await browser.newContext({
      viewport: WINDOW,
      locale: 'en-GB',
      timezoneId: 'Europe/Paris',
      reducedMotion: 'reduce',
    });
    const page = await context.newPage();
    const take = (name) => page.screenshot({ path: join(PICTURES, `${name}.png`) });

    await page.goto(new URL('/panel/login', loginUrl).href);
    await page.getByRole('button', { name: 'Log in' }).waitFor();
    await take('login');

    await page.goto(loginUrl);
    await page.getByRole('heading', { name: 'What needs attention' }).waitFor();
    await page.getByRole('link', { name: 'Inbox' }).waitFor();

    await page.getByRole('link', { name: 'Inbox' }).click();
    const leads = page.getByRole('grid', { name: 'Leads' }).getByRole('row');
    await leads.nth(2).click();
    await page.getByRole('heading', { name: 'History' }).waitFor();
    await take('inbox');

    await page.setViewportSize({ width: 360, height: 720 });
    await page.getByRole('heading', { name: 'Message' }).waitFor();
    await take('lead-on-a-phone');
  } finally {
    await browser.close();
  }
}

const dataDir = await mkdtemp(join(tmpdir(), 'formgate-pictures-'));
const { demo, loginUrl } = await startDemo(dataDir);
try {
  await takePictures(loginUrl);
} finally {
  demo.kill();
  await once(demo, 'exit');
  await rm(dataDir, { recursive: true });
}
