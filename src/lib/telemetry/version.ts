import { readFileSync } from 'node:fs';
import { PACKAGE_ROOT } from '../package-root.js';

const manifest: { version: string } = JSON.parse(readFileSync(new URL('package.json', PACKAGE_ROOT), 'utf8'));

/** The version of this build, by Semantic Versioning. */
export const VERSION = manifest.version;
