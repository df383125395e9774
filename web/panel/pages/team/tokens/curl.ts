/** Writes the command that tries a token: the website directory where it opens that, else the bearer's tokens. */
export const curlOf = (publicUrl: string, value: string, abilities: readonly string[]): string =>
  `curl -sS '${publicUrl}/api/${abilities.includes('team_read') ? 'websites' : 'tokens'}' \\\n` +
  `  -H 'Authorization: Bearer ${value}' -H 'Accept: application/json'`;
