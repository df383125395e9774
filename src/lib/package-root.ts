import { existsSync } from 'node:fs';

/** Looks upwards, because a bundle, the compiled modules and the sources lie at different depths. */
function findPackageRoot(): URL {
  let folder = new URL('.', import.meta.url);
  while (!existsSync(new URL('package.json', folder))) {
    const parent = new URL('..', folder);
    if (parent.href === folder.href) throw new Error('There is no package.json above the program.');
    folder = parent;
  }
  return folder;
}

/** The folder with `package.json`, from which the program reads what it needs besides its code; ends in a slash. */
export const PACKAGE_ROOT = findPackageRoot();
