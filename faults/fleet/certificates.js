import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const NEW_KEY = '-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes';

/** Makes an authority that issues certificates to websites by their addresses, with the openssl of this machine. */
export async function createAuthority(directory) {
  await mkdir(directory, { recursive: true });
  // A name with spaces is given beside the command.
  const openssl = (command, ...names) =>
    promisify(execFile)('openssl', [...command.split(' '), ...names], { cwd: directory });
  await openssl(
    `req -x509 ${NEW_KEY} -keyout authority.key -out authority.pem -days 30 -subj`,
    '/CN=Authority of the fleet',
  );
  await openssl(`req ${NEW_KEY} -keyout site.key -out site.csr -subj /CN=Website`);
  const key = await readFile(join(directory, 'site.key'));
  let issued = 0;

  return {
    /** What a client needs to trust it. */
    file: join(directory, 'authority.pem'),

    /** Issues a certificate for addresses. With a negative number of days it has expired. */
    async issue(addresses, days) {
      issued += 1;
      const name = `site-${issued}`;
      const alternatives = addresses.map((address) => `IP:${address}`).join(',');
      await writeFile(join(directory, `${name}.ext`), `subjectAltName=${alternatives}`);
      const authority = '-CA authority.pem -CAkey authority.key -CAcreateserial';
      await openssl(
        `x509 -req -in site.csr ${authority} -extfile ${name}.ext -days ${days} -out ${name}.pem`,
      );
      return { key, cert: await readFile(join(directory, `${name}.pem`)) };
    },
  };
}
