import config from './jest.config.js';

/** The tests that drive a real browser: `npm run test:browser`. */
export default {
  ...config,
  testMatch: ['<rootDir>/test/browser/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  // A browser has threads of its own.
  maxWorkers: '100%',
  testTimeout: 300_000,
};
