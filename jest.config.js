import { availableParallelism } from 'node:os';
import { COMPILER } from './scripts/compiler.js';

/** The folder of the project in a pattern, where a folder above it may be called as one in it. */
const root = import.meta.dirname.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** @type {import('jest').Config} */
export default {
  // Else every folder is searched for modules, node_modules among them.
  roots: ['<rootDir>/src', '<rootDir>/test'],
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/browser/', '<rootDir>/test/install/'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  testEnvironment: '<rootDir>/test/support/jest/environment.js',
  transform: {
    // Its test replaces the library that it imports.
    [`^${root}/src/captcha/providers/altcha\\.ts$`]: ['@swc/jest', COMPILER],
    [`^${root}/src/.+\\.ts$|/node_modules/.+\\.[cm]?js$`]: '<rootDir>/test/support/jest/transform.js',
    '\\.ts$': ['@swc/jest', COMPILER],
  },
  transformIgnorePatterns: [],
  setupFilesAfterEnv: ['contract-check', 'fresh-metrics'].map(
    (name) => `<rootDir>/test/support/jest/${name}.ts`,
  ),
  globalSetup: '<rootDir>/test/support/jest/global-setup.js',
  globalTeardown: '<rootDir>/test/support/jest/global-teardown.js',
  // Some tests wait out a time limit, in which another file can run.
  maxWorkers: availableParallelism() + 1,
  // Modules of the files that have run stay in memory: without it a worker grows to two gigabytes.
  workerIdleMemoryLimit: '1GB',
  testTimeout: 180_000,
};
