/** What answers of this test file had that the OpenAPI document does not describe, since it was last taken. */
let faults: string[] = [];

export const reportFault = (fault: string): void => void faults.push(fault);

export function takeFaults(): string[] {
  const taken = [...new Set(faults)];
  faults = [];
  return taken;
}
