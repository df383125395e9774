import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire } from 'node:module';
import { ModernFakeTimers } from '@jest/fake-timers';
import { TestEnvironment } from 'jest-environment-node';

/** What tests share with the modules that Node loads: classes that one makes and the other compares, and clocks. */
const SHARED = [
  'AggregateError',
  'Date',
  'Error',
  'Intl',
  'JSON',
  'Map',
  'Promise',
  'RangeError',
  'RegExp',
  'Set',
  'SyntaxError',
  'TypeError',
  'clearImmediate',
  'clearInterval',
  'clearTimeout',
  'performance',
  'process',
  'setImmediate',
  'setInterval',
  'setTimeout',
];

/** The storages of a file, among them one of Jest's own, which each promise of all later files would keep. */
const storages = new Set();
const { run } = AsyncLocalStorage.prototype;
AsyncLocalStorage.prototype.run = function (...args) {
  storages.add(this);
  return run.apply(this, args);
};

/**
 * Jest's environment for tests over modules that Node itself loads (see transform.js). What a test replaces, such as a
 * clock, is replaced for those modules too.
 */
export default class Environment extends TestEnvironment {
  #exit = process.exit;

  constructor(config, context) {
    super(config, context);
    for (const name of SHARED) {
      Object.defineProperty(this.global, name, {
        configurable: true,
        get: () => globalThis[name],
        set(value) {
          globalThis[name] = value;
        },
      });
    }
    this.global.requireByNode = createRequire(import.meta.url);
    this.fakeTimersModern = new ModernFakeTimers({ config: config.projectConfig, global: globalThis });
  }

  async teardown() {
    await super.teardown();
    for (const storage of storages) storage.disable();
    storages.clear();
    // Jest replaces it for each file.
    process.exit = this.#exit;
  }
}
